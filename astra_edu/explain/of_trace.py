"""How a run of a trace is explained: where its time goes, and which of its numbers can hardly be meant.

What is said of a faster network comes from running the trace again on one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered
from astra_edu.base.units import format_ns
from astra_edu.explain.facts import Change, Facts, Shares, Tried, largest, largest_first, with_change
from astra_edu.explain.inputs_of_trace import inputs_of_trace
from astra_edu.explain.of_packets import of_packets
from astra_edu.explain.of_trace_collectives import of_dimensions, of_largest, of_sameness, replayed
from astra_edu.explain.path_of_nodes import path_of_nodes
from astra_edu.explain.phrases import MATTERS, percent, with_changes
from astra_edu.explain.segment import WAITS, Segment
from astra_edu.run.effort import messages_of
from astra_edu.run.link_times import bottleneck
from astra_edu.run.run_trace import run_trace
from astra_edu.run.trace_result import COMMUNICATES, TraceResult
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran

TWICE, HALF = "twice the bandwidth of all links", "half of all latencies and of the endpoint delay"
MOST_MESSAGES = 200_000
"""A run of more messages isn't repeated with changes."""

_LITTLE = 0.01
_MUCH = 100


@dataclass(frozen=True)
class _Day:
    """How the NPU that finishes last spends its time, in ns: computing, communicating, both at once, neither."""

    npu: int
    ran: Sequence[Ran]
    total: float
    computing: float
    communicating: float
    both: float
    neither: float

    @property
    def exposed(self) -> float:
        return self.communicating - self.both


def _shares(result: TraceResult, path: Sequence[Segment]) -> Shares:
    """ns of each kind of node on the path, largest first; "waits": of what no node on it takes."""
    return largest_first((segment.work or WAITS, int(segment.end_ns - segment.start_ns)) for segment in path)


def _sentences(result: TraceResult, shares: Shares, bound: str, tried: Tried) -> Iterator[str]:
    day = _day(result)
    yield from _of_time(result, day)
    yield from _of_hiding(day)
    if not result.platform.system.replay_only:
        yield from _of_nothing(result, day)
        yield from of_largest(result, day.ran)
        if result.bound_ns is not None:
            yield f"Its links allow it in {format_ns(result.bound_ns)} at least: {result.caveat}."
        yield from of_dimensions(result)
        yield from of_sameness(result)
    if result.own_network:
        yield from of_packets(result.statistics)
    if result.uses:
        yield bottleneck(result)
    yield from with_changes(tried)
    same = any(change.description == TWICE and result.total_ns < MATTERS * total for change, total in tried.totals)
    if same and day.exposed > day.total / 2:
        yield "It mostly communicates, and yet bandwidth makes no difference: so little is sent that latencies rule."


def _day(result: TraceResult) -> _Day:
    npu = result.last
    ran = result.ran_by(npu)
    compute = [(one.start_ns, one.end_ns) for one in ran if one.unit is Unit.COMPUTE]
    communication = [(one.start_ns, one.end_ns) for one in ran if one.node.type in COMMUNICATES]
    everything = [(one.start_ns, one.end_ns) for one in ran]
    computing, communicating = covered(compute), covered(communication)
    both = computing + communicating - covered(compute + communication)
    total = result.finish_ns[npu]
    return _Day(npu, ran, total, computing, communicating, both, total - covered(everything))


def _of_time(result: TraceResult, day: _Day) -> Iterator[str]:
    alike = len(set(result.finish_ns)) == 1
    who, they, s = ("All NPUs finish", "They", "") if alike else (f"NPU {day.npu} finishes last,", "It", "s")
    parts = f"compute{s} for {percent(day.computing, day.total)} of that"
    parts += f", communicate{s} for {percent(day.communicating, day.total)}"
    if day.both:
        parts += f", both at once for {percent(day.both, day.total)}"
    if day.neither > _LITTLE * day.total:
        parts += f", and wait{s} for {percent(day.neither, day.total)}"
    yield f"{who} at {format_ns(day.total)}. {they} {parts}."
    if not day.communicating:
        yield "Nothing is communicated, so the network makes no difference."


def _of_hiding(day: _Day) -> Iterator[str]:
    if not day.communicating or not day.computing:
        return
    if day.exposed < _LITTLE * day.total:
        why = "hidden behind computation" if day.both > day.communicating / 2 else "next to nothing"
        yield (
            f"Communication is {why}: {format_ns(day.exposed)} of it is exposed, and no network, however fast, can "
            "save more than that."
        )
    if day.computing > _MUCH * day.communicating:
        yield (
            f"Computations take {day.computing / day.communicating:,.0f} times as long as communication. "
            "duration_micros is in µs: was it filled with ns?"
        )


def _of_nothing(result: TraceResult, day: _Day) -> Iterator[str]:
    sizes = [one.node.number("comm_size", 0) for one in day.ran if one.node.type in COMMUNICATES and not replayed(one)]
    if empty := sizes.count(0):
        which = "All" if empty == len(sizes) else f"{empty} of the {len(sizes)}"
        yield (
            f"{which} collectives and messages of NPU {day.npu} have 0 bytes, so that they take latencies and endpoint "
            "delays only. Is that the comm_size that is meant?"
        )
    untimed = [
        one
        for one in day.ran
        if one.unit is Unit.COMPUTE and not one.node.duration_micros and not result.platform.system.roofline
    ]
    if untimed:
        yield f"{len(untimed)} computations of NPU {day.npu} have no duration and take 1 ns each."


def _tried(result: TraceResult, shares: Shares, wanted: bool | Iterable[Change]) -> Tried:
    """Ours: a network of twice the bandwidth and one of half the latencies, where the run isn't too large.

    None of a run on a network that simulate was given: it would have to be run on the same one.
    """
    if result.own_network:
        if wanted and wanted is not True and tuple(wanted):
            raise ConfigError(
                "this run had simulate(..., network=...), and a change would be simulated without it; simulate it "
                "yourself and compare."
            )
        return Tried(result.total_ns, 1, ())
    if wanted is not True:
        totals = [(change, float(_again(result, change))) for change in wanted or ()]
        return Tried(result.total_ns, 1, tuple(totals))
    platform, found = result.platform, []
    if platform.blocks and result.total_ns and messages_of(result.trace, platform) <= MOST_MESSAGES:
        for what, wider, nearer in ((TWICE, 2, 1), (HALF, 1, 2)):
            with suppress(ConfigError):  # more bandwidth than can be calculated with, or an NPU that never ends
                change = Change(what, platform=_faster(platform, wider, nearer))
                found.append((change, _again(result, change)))
    return Tried(result.total_ns, 1, tuple(found))


def _faster(platform: TracePlatform, wider: int, nearer: int) -> TracePlatform:
    blocks = (
        replace(block, bandwidth=wider * block.bandwidth, latency=block.latency / nearer) for block in platform.blocks
    )
    system = replace(platform.system, endpoint_delay=platform.system.endpoint_delay // nearer)
    return replace(platform, network=tuple(blocks), system=system)


def _again(result: TraceResult, change: Change) -> int:
    return run_trace(*with_change(change, result.trace, result.platform), progress=False).total_ns


OF_TRACE = Facts(path_of_nodes, _shares, _tried, largest, _sentences, inputs_of_trace, tables=False)
