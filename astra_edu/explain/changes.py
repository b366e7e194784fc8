"""What one could change about a run, one thing at a time, and what the run would then take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import quiet
from astra_edu.collectives import Collective
from astra_edu.explain.facts import Change, Tried, with_change
from astra_edu.explain.shares import BUS, COMPUTE, ENDPOINT, UPDATE, bandwidth_of, latency_of, without_limits
from astra_edu.explain.use import overload
from astra_edu.network import Dimension
from astra_edu.run.interrupted import part_of_more
from astra_edu.run.loop_bound import dimensions_that_meet
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Bus, Platform
from astra_edu.workload import Layer, Work, Workload

NETWORK = "network"
IDEAL = "ideal network"
ORDER = "order of chunks"
MORE = "more chunks"
FEWER = "fewer chunks"
AT_ONCE = "chunks at once"
WITHOUT_HARDWARE = (ORDER, MORE, FEWER, AT_ONCE)

_DIMENSIONS = 4
"""Of the dimensions, the bandwidth and the latency of this many are tried."""
_WORK = 400_000
"""How much all re-simulations together may cost, about: some seconds, as `work` counts it."""
_LARGE = 100_000
"""A run that costs more than this is compared over one pass."""


def try_changes(result: Result, shares: Mapping[str, float], wanted: bool | Iterable[Change]) -> Tried:
    """Simulate the wanted changes; True: the candidates of the largest shares, as many as the run's size allows.

    Raises ConfigError for a change of yours that can't be simulated.
    """
    passes = result.passes
    if wanted is not True:
        totals = tuple((change, simulated(result, change, passes).total_ns) for change in wanted or ())
        return Tried(result.total_ns, passes, totals)
    if work(result) > _LARGE and passes > 1:
        result, passes = simulated(result, Change("as it is"), 1), 1
    possible = sorted(candidates(result), key=lambda change: -_weight(change, shares, result.total_ns))
    tried = possible[: max(4, int(_WORK / max(1, work(result))))]
    limit = 1.05 * max(1, overload(result)[0])
    blind = {AT_ONCE} if dimensions_that_meet(result) else set()
    found, left_out = [], []
    for change in tried:
        try:
            changed = simulated(result, change, passes)
        except ConfigError:  # such as fewer bytes than splits
            continue
        if change.cause in blind or (change.cause in WITHOUT_HARDWARE and overload(changed)[0] > limit):
            left_out.append(change)
        else:
            found.append((change, changed.total_ns))
    return Tried(result.total_ns, passes, tuple(found), tuple(left_out), len(possible) - len(tried))


def _weight(change: Change, shares: Mapping[str, float], total: float) -> float:
    """What decides who is tried where not all can be: the cause's share; what has none is about everything."""
    return total / 4 if change.cause in (NETWORK, IDEAL, *WITHOUT_HARDWARE) else shares.get(change.cause, 0)


def work(result: Result) -> float:
    """What a simulation costs: the phases of its chunks, and where NPUs differ, half the messages it takes to time one.

    The figures alone decide, not a clock, so that the same run always gets the same explanation.
    """
    bus = result.platform.system.bus is not None  # every phase is followed message by message
    timed = {
        (id(stay.phase.schedule), stay.phase.chunk_bytes, bus and i): stay.phase for i, stay in enumerate(result.stays)
    }
    messages = 0
    for phase in timed.values():
        alike = phase.logical.dimension.wires.symmetric and all(group.symmetric for group in phase.schedule.groups)
        messages += phase.schedule.npus * phase.duration.messages if bus or not alike else 0
    return len(result.stays) + messages / 2


def simulated(result: Result, change: Change, passes: int) -> Result:
    """The run with a change."""
    workload, platform = with_change(change, result.workload, result.platform)
    with quiet(), part_of_more():  # what there is to warn of was said of the run itself
        return simulate(workload, platform, passes)


def candidates(result: Result) -> Iterator[Change]:
    """Changes of one thing each that the run's platform and workload have room for."""
    yield from _of_network(result)
    yield from _of_endpoint(result.platform)
    yield from _of_workload(result.workload)
    if result.stays:
        yield from _of_splits(result.platform)
        yield from _of_order(result)


def _of_network(result: Result) -> Iterator[Change]:
    platform = result.platform
    sent = result.message_bytes_per_dimension
    used = sorted((d for d in range(len(sent)) if sent[d]), key=lambda d: -sent[d] / platform.network[d].bandwidth)
    for d in used[:_DIMENSIONS]:
        dimension = platform.network[d]
        double = _possible(dimension, bandwidth=2 * dimension.bandwidth)
        if double:
            words = f"twice the bandwidth on dimension {d} ({double.bandwidth:g} GB/s a link)"
            yield Change(words, platform=with_dimension(platform, d, double), cause=bandwidth_of(d))
        x = dimension
        half = _possible(x, latency=x.latency / 2, nic=x.nic / 2, router=x.router / 2)
        if half and half != x:
            words = f"half the latency on dimension {d} ({half.latency:g} ns a link)"
            yield Change(words, platform=with_dimension(platform, d, half), cause=latency_of(d))
    if len(used) > 1:
        doubled = [each for x in platform.network if (each := _possible(x, bandwidth=2 * x.bandwidth))]
        if len(doubled) == len(platform.network):
            faster = replace(platform, network=tuple(doubled))
            yield Change("twice the bandwidth on all dimensions", platform=faster, cause=NETWORK)
    if used and result.compute_ns:
        ideal = tuple(without_limits(x) for x in platform.network)
        words = "a network of no latency and unlimited bandwidth"
        yield Change(words, platform=replace(platform, network=ideal), cause=IDEAL)


def _possible(dimension: Dimension, **changes: float) -> Dimension | None:
    """The dimension with these changes; None where they are beyond what can be calculated with."""
    try:
        return replace(dimension, **changes)  # type: ignore[arg-type]
    except ConfigError:
        return None


def with_dimension(platform: Platform, d: int, dimension: Dimension) -> Platform:
    """The platform with another dimension d."""
    network = platform.network
    return replace(platform, network=(*network[:d], dimension, *network[d + 1 :]))


def _of_endpoint(platform: Platform) -> Iterator[Change]:
    bus, delay = platform.system.bus, platform.system.endpoint_delay
    if bus:
        half = Bus(bus.L // 2, bus.o // 2, bus.g // 2, bus.G / 2, bus.reduction_delay)
        yield Change("a shared bus of half the L, o, g and G", platform=with_system(platform, bus=half), cause=BUS)
    elif delay:
        words = f"an endpoint delay of {delay // 2} instead of {delay} ns"
        yield Change(words, platform=with_system(platform, endpoint_delay=delay // 2), cause=ENDPOINT)


def with_system(platform: Platform, **settings: object) -> Platform:
    """The platform with other settings of its system layer."""
    return replace(platform, system=replace(platform.system, **settings))  # type: ignore[arg-type]


def _of_workload(workload: Workload) -> Iterator[Change]:
    layers = workload.layers

    def faster(work: Work) -> Work:
        return replace(work, compute_ns=-(-work.compute_ns // 2))

    def computes(layer: Layer) -> Layer:
        works = (layer.forward, layer.input_gradient, layer.weight_gradient)
        forward, input_gradient, weight_gradient = map(faster, works)
        return replace(layer, forward=forward, input_gradient=input_gradient, weight_gradient=weight_gradient)

    twice = replace(workload, layers=tuple(map(computes, layers)))
    if twice != workload:
        yield Change("compute that is twice as fast", workload=twice, cause=COMPUTE)
    if any(layer.update_ns > 1 for layer in layers):
        halved = tuple(replace(layer, update_ns=layer.update_ns // 2) for layer in layers)
        yield Change("half the update time of each layer", replace(workload, layers=halved), cause=UPDATE)


def _of_splits(platform: Platform) -> Iterator[Change]:
    splits = platform.system.splits
    half = with_system(platform, splits=max(1, splits // 2))
    if splits > 1:
        words = f"half as many chunks to a collective ({half.system.splits} splits instead of {splits})"
        yield Change(words, platform=half, cause=FEWER)
    words = f"twice as many chunks to a collective ({2 * splits} splits instead of {splits})"
    yield Change(words, platform=with_system(platform, splits=2 * splits), cause=MORE)


def _of_order(result: Result) -> Iterator[Change]:
    platform, system = result.platform, result.platform.system
    if len({id(stay.issued) for stay in result.stays}) > 1:
        other = "LIFO" if system.scheduling == "FIFO" else "FIFO"
        which = "later" if other == "LIFO" else "earlier"
        words = f"{other} instead of {system.scheduling} ({which} collectives first)"
        yield Change(words, platform=with_system(platform, scheduling=other), cause=ORDER)
    orders = any(stay.step and stay.phase.collective is not Collective.ALL_TO_ALL for stay in result.stays)
    if orders and system.inter_dimension != "themis":
        themis = with_system(platform, inter_dimension="themis", intra_dimension="SCF")
        words = f"Themis, smallest chunk first (instead of {system.inter_dimension}, {system.intra_dimension})"
        yield Change(words, platform=themis, cause=ORDER)
    if orders and system.inter_dimension != "baseline":
        baseline = with_system(platform, inter_dimension="baseline", intra_dimension="FIFO")
        words = f"dimension 0 first for every chunk (baseline, FIFO instead of {system.inter_dimension})"
        yield Change(words, platform=baseline, cause=ORDER)
    if platform.congestion_aware:  # which knows one chunk at once
        return
    twice = 2 * system.active_chunks
    words = f"up to {twice} instead of {system.active_chunks} chunks at once on a dimension"
    yield Change(words, platform=with_system(platform, active_chunks=twice), cause=AT_ONCE)
