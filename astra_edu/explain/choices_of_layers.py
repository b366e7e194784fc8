"""What is chosen for a run of ASTRA-sim 1.0's kind: topologies, algorithms, policies and orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from astra_edu.explain.changes import with_dimension, with_system
from astra_edu.explain.facts import Change
from astra_edu.explain.inputs import ALGORITHMS, ALIKE, HIDDEN, NO_LATENCY, NOTHING, SAME_HOPS, TOPOLOGIES, Choice
from astra_edu.explain.orders import of_chunks, of_collectives, of_dimensions
from astra_edu.run.result import Result
from astra_edu.system import Platform
from astra_edu.system.implementation import Implementation

Total = Callable[[Change], float]


def hidden_by_compute(result: Result) -> bool:
    """Whether nothing but compute is ever waited for."""
    return bool(result.compute_ns) and all(end == start for _, start, end in result.waited)


def choices_of_layers(result: Result, total: Total) -> Iterator[Choice]:
    """All of a Result's. total: the total of the run with a change."""
    platform, system = result.platform, result.platform.system
    sent = result.message_bytes_per_dimension
    nothing = "" if result.stays else NOTHING
    hidden = HIDDEN if hidden_by_compute(result) else ""

    def on(change: Platform) -> Callable[[], float]:
        return lambda: total(Change("another choice", platform=change))

    def settings(name: str, values: tuple[str, ...], why: str) -> Choice:
        now = getattr(system, name)
        others = {value: on(with_system(platform, **{name: value})) for value in values if value != now}
        return Choice(name.replace("_", " "), str(now), others, nothing or why)

    for d, x in enumerate(platform.network):
        if x.npus == 1:
            continue
        idle = nothing or ("" if sent[d] else f"nothing is sent over dimension {d}") or hidden
        if not platform.congestion_aware:
            why = idle or ("" if x.latency else NO_LATENCY)
            yield Choice(
                f"topology of dimension {d}",
                x.topology.value,
                _topologies(platform, d, total),
                why,
                f"latency of dimension {d}",
                SAME_HOPS,
            )
        now = platform.system.all_reduce[d].spelling if d < len(system.all_reduce) else ""
        others = {name: on(_with_algorithm(platform, d, name)) for name in ALGORITHMS if name != now}
        yield Choice(f"algorithm of dimension {d}", now, others, idle, f"bandwidth of dimension {d}")
    one = of_dimensions(result.stays)
    yield settings("scheduling", ("LIFO", "FIFO"), of_collectives(result.stays) or hidden)
    yield settings("intra_dimension", ("FIFO", "SCF", "RG"), of_chunks(result.stays) or hidden)
    if not platform.congestion_aware:
        yield settings("inter_dimension", ("baseline", "roundRobin", "themis"), one or hidden)
    yield settings("optimization", ("baseline", "localBWAware"), one or hidden)
    if len(platform.network) > 1:
        alike = ALIKE if _reversed(platform) == platform else ""
        yield Choice(
            "order of dimensions", "as it is", {"reversed": on(_reversed(platform))}, nothing or one or hidden or alike
        )


def _topologies(platform: Platform, d: int, total: Total) -> dict[str, Callable[[], float]]:
    def with_topology(name: str) -> float:
        x = platform.network[d]
        needed = replace(x, topology=name, links=10**6).topology.links_needed(x.npus)  # type: ignore[arg-type]
        changed = replace(x, topology=name, links=max(needed, x.links))  # type: ignore[arg-type]
        return total(Change(name, platform=with_dimension(platform, d, changed)))

    others = (name for name in TOPOLOGIES if name != platform.network[d].topology.value)
    return {name: (lambda name=name: with_topology(name)) for name in others}  # type: ignore[misc]


def _hows(platform: Platform) -> dict[str, tuple[Implementation, ...]]:
    names = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
    return {name: getattr(platform.system, name) for name in names}


def _with_algorithm(platform: Platform, d: int, name: str) -> Platform:
    """Another algorithm on one dimension; an all-to-all stays direct."""
    how = Implementation.parse(name)
    changed: dict[str, Any] = {
        key: (*hows[:d], how, *hows[d + 1 :]) for key, hows in _hows(platform).items() if key != "all_to_all"
    }
    return with_system(platform, **changed)


def _reversed(platform: Platform) -> Platform:
    changed: dict[str, Any] = {key: tuple(reversed(hows)) for key, hows in _hows(platform).items()}
    return replace(with_system(platform, **changed), network=tuple(reversed(platform.network)))
