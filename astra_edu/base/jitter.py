"""Times that vary by chance, the same ones for the same seed, in whatever order they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError, choice, not_negative, whole

KINDS = ("uniform", "exponential")


def jitter(spread: float, seed: int = 0, kind: str = "uniform") -> Callable[..., float]:
    """A function that varies a time by chance, for `simulate(..., compute=)` and `Varying(latency=)`.

    It is called with what the time is of and the time in ns, last, and returns ns with that mean. "uniform": ns × (1 ±
    spread). "exponential": a fixed part of ns × (1 - spread) and an exponential part with the mean ns × spread. Each is
    drawn from the seed and what it is of alone, so nothing else in a run changes it. Raises ConfigError for a kind
    there isn't and a spread that isn't from 0 to 1.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, bandwidth=50, latency=500), ae.TraceSystem.of("ring"))
    >>> nodes = [{"id": 1, "type": "COMP_NODE", "duration_micros": 10}]
    >>> run = ae.simulate(ae.traces.from_nodes([nodes] * 4), ring, compute=ae.jitter(0.1, seed=3))
    >>> run.finish_ns
    (9051, 9730, 9873, 9130)
    """
    spread = not_negative("spread", spread)
    if spread > 1:
        raise ConfigError(f"spread is {spread:g}; it is 1 at most.")
    seed = whole("seed", seed, at_least=0)
    choice("kind", kind, KINDS)

    def vary(*of: Any) -> float:
        *what, ns = of
        drawn = Random(f"jitter {seed} {[getattr(each, 'id', each) for each in what]}").random()
        return float(ns * (1 + spread * (2 * drawn - 1 if kind == "uniform" else -1 - log(1 - drawn))))

    return vary
