"""What is simulated of who waits for whom: workers on a switch, in three modes, and a training on the log of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import inf
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import MIB
from astra_edu.course.instruments.setting import Values
from astra_edu.course.studies.synchronisation import (
    Cluster,
    ComputeTimes,
    Run,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
)
from astra_edu.course.studies.synchronisation.sgd import Regression, Training, train
from astra_edu.network import Dimension

GB_S, LATENCY_NS = 50, 500
"""Of every port of the switch, the server's apart."""
COMPUTE_NS, BATCH, TARGET = 10_000_000, 64, 0.1
"""What a gradient takes on average, of how many samples it is, and how far from the smallest loss all want to get."""
UNTIL_NS = 1_000_000_000
MODES = ("bulk-synchronous", "bounded staleness", "asynchronous")
TIMES = {"steady": ("constant", 0.0), "jittery": ("exponential", 0.5)}


@dataclass(frozen=True)
class Race:
    """What the workers of a mode did in UNTIL_NS, and what became of the loss."""

    mode: str
    run: Run
    training: Training

    @property
    def updates_per_s(self) -> float:
        """Gradients applied a second."""
        return self.run.updates_per_s

    @property
    def reached_ms(self) -> float:
        """From when on the loss stays within TARGET of the smallest one; infinity if it doesn't."""
        return self.training.time_to(TARGET) / 1e6


def check(values: Values) -> None:
    """Raise ConfigError for a straggler there isn't."""
    if values["straggler"] >= values["workers"]:
        there = f"There is no worker {values['straggler']}"
        raise ConfigError(f"{there} among {values['workers']}; they are 0 to {values['workers'] - 1}.")


def cluster(values: Values) -> Cluster:
    """The workers of a setting, and what their messages cost."""
    check(values)
    kind, spread = TIMES[values["times"]]
    compute = ComputeTimes(kind, COMPUTE_NS, spread, values["slow"], straggler=values["straggler"])
    network = Dimension.of("Switch", values["workers"], GB_S, LATENCY_NS)
    return Cluster.on(network, compute, values["size"] * MIB, values["server"])


def run_of(mode: str, values: Values) -> Run:
    """What the workers do in a mode."""
    wanted = {"rate", *(() if mode == "bounded staleness" else ("bound",))}
    return _run(mode, tuple((name, value) for name, value in values.items() if name not in wanted))


@lru_cache(maxsize=256)
def _run(mode: str, values: tuple[tuple[str, Any], ...]) -> Run:
    named = dict(values)
    on = cluster(named)
    if mode == "bulk-synchronous":
        return bulk_synchronous(on, UNTIL_NS)
    if mode == "asynchronous":
        return asynchronous(on, UNTIL_NS)
    return bounded_staleness(on, UNTIL_NS, named["bound"])


def races(values: Values) -> tuple[Race, ...]:
    """The three modes, in the order of MODES."""
    return _races(tuple(values.items()))


@lru_cache(maxsize=64)
def _races(values: tuple[tuple[str, Any], ...]) -> tuple[Race, ...]:
    named = dict(values)
    runs = [run_of(mode, named) for mode in MODES]
    return tuple(
        Race(mode, run, train(_problem(), run, BATCH, named["rate"])) for mode, run in zip(MODES, runs, strict=True)
    )


@cache
def _problem() -> Regression:
    return Regression()


def slowed(mode: str, values: Values) -> float:
    """How many times fewer updates a second a mode makes than without a straggler."""
    return run_of(mode, values | {"slow": 1}).updates_per_s / run_of(mode, values).updates_per_s


def first(values: Values) -> tuple[str, ...]:
    """Who comes to the target first: all that are there within 2 % of the first one's time; nobody, if none is."""
    times = {race.mode: race.reached_ms for race in races(values)}
    best = min(times.values())
    return tuple(mode for mode, time in times.items() if best < inf and time <= 1.02 * best)


def code(values: Values) -> str:
    """The same in Python."""
    kind, spread = TIMES[values["times"]]
    slow, straggler = values["slow"], values["straggler"]
    return f"""from astra_edu.studies.synchronisation import *
from astra_edu.studies.synchronisation.sgd import Regression, train
times = ComputeTimes("{kind}", {COMPUTE_NS:_}, {spread:g}, slow={slow:g}, straggler={straggler})
switch = ae.Dimension.of("Switch", {values["workers"]}, {GB_S}, {LATENCY_NS})
cluster = Cluster.on(switch, times, {values["size"]} * 2**20, server_bandwidth={values["server"]:g})
until = {UNTIL_NS:_}
for run in (bulk_synchronous(cluster, until), bounded_staleness(cluster, until, {values["bound"]}),
            asynchronous(cluster, until)):
    print(run, train(Regression(), run, {BATCH}, rate={values["rate"]:g}).time_to({TARGET:g}) / 1e6, "ms")"""
