"""What a run of a trace is told: its links, its system layer, and its nodes' durations and bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from astra_edu.base.warned import quiet
from astra_edu.explain.facts import Shares
from astra_edu.explain.inputs import (
    ALGORITHMS,
    HIDDEN,
    NO_LATENCY,
    NOTHING,
    ONE_CHUNK,
    SAME_HOPS,
    TOPOLOGIES,
    Choice,
    Input,
    Inputs,
    Outcome,
    another,
    grain,
    next_to,
)
from astra_edu.explain.orders import of_chunks, of_dimensions
from astra_edu.network import GraphNetwork
from astra_edu.run.effort import messages_of
from astra_edu.run.run_trace import run_trace
from astra_edu.run.trace_result import COMMUNICATES, TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.system.implementation import Implementation
from astra_edu.traces import Node, NodeType, Trace
from astra_edu.traces.outline import Unit

LEAST = 5
"""A whole number is changed by so much at least, so that rounding doesn't matter; where some are less, all double."""
REPLAYED = "replay_only: every node takes its recorded time"
ONE_DIMENSION = "there is one dimension"
ALONE = "no message waits for another, and none crosses two links"

Change = Callable[[Node, float], Node]


def inputs_of_trace(result: TraceResult, shares: Shares) -> Inputs:
    """All of a TraceResult's."""
    platform = result.platform

    def on(changed: TracePlatform) -> float:
        with quiet():
            return run_trace(result.trace, changed, progress=False).total_ns

    def of(changed: Trace) -> float:
        with quiet():
            return run_trace(changed, platform, progress=False).total_ns

    why = _why(result)
    numbers = (*_of_links(result, on, why), *_of_system(platform, on, why), *_of_nodes(result, of, why))
    messages = messages_of(result.trace, platform) or result.trace.templates.total
    hops = 2 if platform.congestion_aware or not platform.blocks else 1
    rounded = hops * messages / platform.npus + max(map(len, result.trace.templates.templates))
    return Inputs(numbers, tuple(_choices(result, on, why)), rounded)


def _why(result: TraceResult) -> str:
    """Why the network may make no difference."""
    if result.platform.system.replay_only:
        return REPLAYED
    ran = result.ran_by(result.last)
    if not any(one.node.type in COMMUNICATES for one in ran):
        return NOTHING
    computing = sum(one.end_ns - one.start_ns for one in ran if one.unit is Unit.COMPUTE)
    return HIDDEN if computing >= result.total_ns else ""


def _of_links(result: TraceResult, on: Callable[[TracePlatform], float], why: str) -> Iterator[Input]:
    platform = result.platform
    units = {"bandwidth": "GB/s", "latency": "ns"}
    for name, unit in units.items():
        if isinstance(platform.network, GraphNetwork):

            def of_all(value: float, name: str = name, network: GraphNetwork = platform.network) -> Outcome:
                return Outcome(value, on(replace(platform, network=_scaled(network, name, value))))

            yield Input(f"{name} of all links (1 is as it is)", "", 1.0, of_all, why=why)
            continue
        for d, block in enumerate(platform.blocks):

            def at(value: float, name: str = name, d: int = d) -> Outcome:
                return Outcome(value, on(_with_block(platform, d, **{name: value})))

            yield Input(f"{name} of dimension {d}", unit, getattr(block, name), at, why=why)


def _with_block(platform: TracePlatform, d: int, **changes: Any) -> TracePlatform:
    blocks = platform.blocks
    return replace(platform, network=(*blocks[:d], replace(blocks[d], **changes), *blocks[d + 1 :]))


def _scaled(network: GraphNetwork, name: str, factor: float) -> GraphNetwork:
    graph = network.graph.copy()
    for *_, attributes in graph.edges(data=True):
        attributes[name] *= factor
    return replace(network, graph=graph)


def _of_system(platform: TracePlatform, on: Callable[[TracePlatform], float], why: str) -> Iterator[Input]:
    system, memory = platform.system, platform.memory
    units = {"endpoint_delay": "ns", "local_memory_bandwidth": "10**9 B/s", "peak_performance": "10**12 operations/s"}
    counts = ("splits", "active_chunks")
    for name in (*units, *counts):
        value = getattr(system, name)
        if value is None or (name == "peak_performance" and not system.roofline):
            continue
        whole = name == "endpoint_delay" or name in counts

        def at(wanted: float, name: str = name, value: float = value, whole: bool = whole) -> Outcome:
            found = another(int(value), wanted) if whole else wanted
            return Outcome(found, on(replace(platform, system=replace(system, **{name: found}))))  # type: ignore[arg-type]

        others = next_to(value) if name in counts else ()
        yield Input(name.replace("_", " "), units.get(name, ""), value, at, others, _reason(system, name, why))
    for name, unit in (("latency", "ns"), ("bandwidth", "10**9 B/s")):
        value = getattr(memory, name)

        def of_memory(wanted: float, name: str = name, value: int = value) -> Outcome:
            found = another(value, wanted)
            return Outcome(found, on(replace(platform, memory=replace(memory, **{name: found}))))  # type: ignore[arg-type]

        yield Input(f"{name} of the remote memory", unit, value, of_memory, why="no node uses the remote memory")


def _reason(system: TraceSystem, name: str, why: str) -> str:
    if name == "peak_performance":
        return ""
    return why or (ONE_CHUNK if name == "active_chunks" and system.splits == 1 else "")


def _of_nodes(result: TraceResult, of: Callable[[Trace], float], why: str) -> Iterator[Input]:
    system = result.platform.system

    def longer(node: Node, factor: float) -> Node:
        return replace(node, duration_micros=round(node.duration_micros * factor))

    def larger(node: Node, factor: float) -> Node:
        size = node.attributes.get("comm_size")
        if size is None:
            return node
        collective = node.type is NodeType.COMM_COLL_NODE
        step = grain(size.value, system.splits, result.trace.npus) if collective else 1
        changed = size._replace(value=another(size.value, size.value * factor, step))
        return replace(node, attributes={**node.attributes, "comm_size": changed})

    def duration(node: Node) -> int:
        return node.duration_micros if node.type not in COMMUNICATES else 0

    def size(node: Node) -> int:
        return node.number("comm_size", 0) if "comm_size" in node.attributes else 0

    for name, unit, number, change, reason in (
        ("durations of computations", "µs", duration, longer, ""),
        ("bytes of all collectives and messages", "B", size, larger, why),
    ):
        yield _of_all(name, unit, result.trace, number, change, of, reason)


def _of_all(
    name: str,
    unit: str,
    trace: Trace,
    number: Callable[[Node], int],
    change: Change,
    of: Callable[[Trace], float],
    why: str,
) -> Input:
    """One number of all nodes that have it, changed together. Its value is the sum over the NPU that has most."""
    different = trace.templates.templates
    least = min((number(node) for nodes in different for node in nodes if number(node)), default=0)

    def total(nodes: Sequence[Node]) -> int:
        return sum(map(number, nodes))

    value = max(map(total, different))

    def at(wanted: float) -> Outcome:
        factor = wanted / value
        if least * abs(factor - 1) < LEAST:
            factor = 2 if factor > 1 else 1
        changed = tuple(tuple(change(node, factor) if number(node) else node for node in nodes) for nodes in different)
        again = replace(trace, nodes=replace(trace.templates, templates=changed).simplest())
        return Outcome(max(map(total, changed)), of(again))

    return Input(name, unit, value, at, why=why)


def _choices(result: TraceResult, on: Callable[[TracePlatform], float], why: str) -> Iterator[Choice]:
    platform, system = result.platform, result.platform.system

    def other(**changes: Any) -> Callable[[], float]:
        return lambda: on(replace(platform, **changes))

    def settings(name: str, values: tuple[str, ...], reason: str) -> Choice:
        now = getattr(system, name)
        changed: dict[str, Any] = {value: {name: value} for value in values if value != now}
        others = {value: other(system=replace(system, **setting)) for value, setting in changed.items()}
        return Choice(name.replace("_", " "), str(now), others, why or reason)

    for d, block in enumerate(platform.blocks):
        yield Choice(
            f"topology of dimension {d}",
            block.topology.value,
            _topologies(platform, d, on),
            why or ("" if platform.congestion_aware or block.latency else NO_LATENCY),
            f"latency of dimension {d}",
            _same(platform),
        )
    for d in range(len(platform.dims)):
        now = {hows[d].spelling for hows in system.implementations.values() if d < len(hows)}
        algorithms = {name: other(system=_with_algorithm(platform, d, name)) for name in ALGORITHMS if {name} != now}
        said = " and ".join(sorted(now))
        yield Choice(f"algorithm of dimension {d}", said, algorithms, why, f"bandwidth of dimension {d}")
    one = ONE_DIMENSION if len(platform.dims) == 1 else of_dimensions(result.stays)
    yield settings("scheduling", ("LIFO", "FIFO"), "an NPU has one collective at a time")
    yield settings("intra_dimension", ("FIFO", "SCF", "RG"), of_chunks(result.stays))
    yield settings("inter_dimension", ("baseline", "roundRobin", "themis"), one)
    yield settings("optimization", ("baseline", "localBWAware"), one)
    aware = platform.congestion_aware
    if platform.buffers is None:
        names = ("congestion-unaware", "congestion-aware")
        yield Choice("network model", names[aware], {names[not aware]: other(congestion_aware=not aware)}, why or ALONE)


def _same(platform: TracePlatform) -> str:
    """Why a topology may make no difference though latencies do."""
    return "no message of it waits for another, over as many links" if platform.congestion_aware else SAME_HOPS


def _topologies(
    platform: TracePlatform, d: int, on: Callable[[TracePlatform], float]
) -> dict[str, Callable[[], float]]:
    others = [name for name in TOPOLOGIES if name != platform.blocks[d].topology.value]
    return {name: (lambda name=name: on(_with_block(platform, d, topology=name))) for name in others}  # type: ignore[misc]


def _with_algorithm(platform: TracePlatform, d: int, name: str) -> Any:
    """The system with another algorithm on one dimension, where it can do the collective."""
    how, found = Implementation.parse(name), {}
    for collective, hows in platform.system.implementations.items():
        able = collective.value != "all-to-all" or name in ("ring", "direct")
        found[collective] = (*hows[:d], how, *hows[d + 1 :]) if able and d < len(hows) else hows
    return replace(platform.system, implementations=found)
