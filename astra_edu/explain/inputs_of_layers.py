"""What a run of ASTRA-sim 1.0's kind is told: its dimensions, its system layer and its layers.

What is chosen, not counted, is in choices_of_layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from astra_edu.explain.changes import simulated, with_dimension, with_system
from astra_edu.explain.choices_of_layers import Total, choices_of_layers, hidden_by_compute
from astra_edu.explain.facts import Change, Shares
from astra_edu.explain.inputs import (
    HIDDEN,
    NOTHING,
    ONE_CHUNK,
    Input,
    Inputs,
    Outcome,
    another,
    grain,
    next_to,
)
from astra_edu.explain.shares import bandwidth_of, latency_of
from astra_edu.run.result import Result
from astra_edu.system import Bus, Platform
from astra_edu.workload import Layer, Work, Workload


def inputs_of_layers(result: Result, shares: Shares) -> Inputs:
    """All of a Result's."""

    def total(change: Change) -> float:
        return simulated(result, change, result.passes).total_ns

    numbers = (*_of_network(result, shares, total), *_of_system(result, total), *_of_workload(result, total))
    rounded = sum(stay.phase.duration.messages for stay in result.stays) + len(result.computed)
    return Inputs(numbers, tuple(choices_of_layers(result, total)), rounded)


def _of_network(result: Result, shares: Shares, total: Total) -> Iterator[Input]:
    platform = result.platform
    units = {"bandwidth": "GB/s", "hbm_bandwidth": "10**9 B/s", "hbm_scale": ""}
    for d, x in enumerate(platform.network):
        if x.npus == 1:
            continue
        names = ["bandwidth", "latency", "nic", "router", *(["hbm_latency", "hbm_bandwidth"] if x.hbm_scale else [])]
        for name in names:

            def at(value: float, name: str = name, d: int = d) -> Outcome:
                changed = replace(platform.network[d], **{name: value})  # type: ignore[arg-type]
                return Outcome(value, total(Change(name, platform=with_dimension(platform, d, changed))))

            cause = bandwidth_of(d) if name == "bandwidth" else latency_of(d)
            why = _why(result, d, cause in shares)
            if name == "router" and not x.topology.switched:
                why = "only a switch has a router"
            yield Input(
                f"{name.replace('_', ' ')} of dimension {d}", units.get(name, "ns"), getattr(x, name), at, why=why
            )

        def with_links(value: float, d: int = d) -> Outcome:
            changed = replace(platform.network[d], links=int(value))
            return Outcome(value, total(Change("links", platform=with_dimension(platform, d, changed))))

        others = next_to(x.usable_links, x.topology.links_needed(x.npus))
        why = _why(result, d, bandwidth_of(d) in shares)
        yield Input(f"links of an NPU in dimension {d}", "", x.usable_links, with_links, others, why)


def _why(result: Result, d: int, awaited: bool) -> str:
    """Why a dimension's speed may make no difference."""
    if not result.stays:
        return NOTHING
    if not result.message_bytes_per_dimension[d]:
        return f"nothing is sent over dimension {d}"
    if awaited:
        return ""
    return HIDDEN if hidden_by_compute(result) else f"nothing on the critical path waits for dimension {d}"


def _of_system(result: Result, total: Total) -> Iterator[Input]:
    platform, system = result.platform, result.platform.system
    why = "" if result.stays else NOTHING

    def setting(name: str, unit: str = "", others: bool = False) -> Input:
        value = getattr(system, name)

        def at(wanted: float) -> Outcome:
            rounded = another(value, wanted)
            return Outcome(rounded, total(Change(name, platform=with_system(platform, **{name: rounded}))))

        return Input(
            name.replace("_", " "), unit, value, at, next_to(value) if others else (), why or _of_chunks(result, name)
        )

    yield setting("endpoint_delay", "ns")
    if system.bus:
        for name in ("L", "o", "g", "G"):

            def at(wanted: float, name: str = name, bus: Bus = system.bus) -> Outcome:
                rounded = wanted if name == "G" else another(getattr(bus, name), wanted)
                changed = replace(bus, **{name: rounded})  # type: ignore[arg-type]
                return Outcome(rounded, total(Change(name, platform=with_system(platform, bus=changed))))

            yield Input(f"{name} of the shared bus", "ns/byte" if name == "G" else "ns", getattr(system.bus, name), at)
    for name in ("splits", "active_chunks"):
        yield setting(name, others=True)


def _of_chunks(result: Result, name: str) -> str:
    return ONE_CHUNK if name == "active_chunks" and result.platform.system.splits == 1 else ""


def _of_workload(result: Result, total: Total) -> Iterator[Input]:
    parts: tuple[tuple[str, str, Callable[[Workload], float], Callable[[Workload, float], Workload]], ...] = (
        ("compute times", "ns", _computed, _with_compute),
        ("update times", "ns", lambda work: sum(layer.update_ns for layer in work.layers), _with_updates),
        ("bytes of all collectives", "B", _sent, partial(_with_bytes, result.platform)),
    )
    for name, unit, value_of, scaled in parts:
        value = value_of(result.workload)

        def at(
            wanted: float,
            name: str = name,
            value: float = value,
            value_of: Callable[[Workload], float] = value_of,
            scaled: Callable[[Workload, float], Workload] = scaled,
        ) -> Outcome:
            changed = scaled(result.workload, wanted / value)
            return Outcome(value_of(changed), total(Change(name, workload=changed)))

        yield Input(name, unit, value, at)


def _works(layer: Layer) -> tuple[Work, ...]:
    return layer.forward, layer.input_gradient, layer.weight_gradient


def _computed(workload: Workload) -> float:
    return sum(work.compute_ns for layer in workload.layers for work in _works(layer))


def _sent(workload: Workload) -> float:
    return sum(work.size for layer in workload.layers for work in _works(layer) if work.collective is not None)


def _with_works(workload: Workload, change: Callable[[Work], Work]) -> Workload:
    layers = []
    for layer in workload.layers:
        forward, input_gradient, weight_gradient = map(change, _works(layer))
        layers.append(replace(layer, forward=forward, input_gradient=input_gradient, weight_gradient=weight_gradient))
    return replace(workload, layers=tuple(layers))


def _with_compute(workload: Workload, factor: float) -> Workload:
    return _with_works(workload, lambda work: replace(work, compute_ns=round(work.compute_ns * factor)))


def _with_bytes(platform: Platform, workload: Workload, factor: float) -> Workload:
    def larger(work: Work) -> Work:
        step = grain(work.size, platform.system.splits, platform.npus)
        return replace(work, size=another(work.size, work.size * factor, step))

    return _with_works(workload, larger)


def _with_updates(workload: Workload, factor: float) -> Workload:
    layers = (replace(layer, update_ns=another(layer.update_ns, layer.update_ns * factor)) for layer in workload.layers)
    return replace(workload, layers=tuple(layers))
