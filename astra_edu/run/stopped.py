"""A run of a trace that is stopped in the middle: what its NPUs had done until then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from astra_edu.clock.events import Schedules
from astra_edu.run.interrupted import follows
from astra_edu.run.roles.answers import RanOfAll
from astra_edu.run.trace_result import TraceResult
from astra_edu.system.queues import Stay
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.npu import TraceNpu


class _Followed(NamedTuple):
    """npus: who is followed; stands_for: for each NPU who is followed in its place, None for itself."""

    npus: Sequence[TraceNpu]
    clock: Schedules
    stands_for: Sequence[int] | None
    stays: Sequence[Stay]


@contextmanager
def stoppable(
    npus: Sequence[TraceNpu], clock: Schedules, stands_for: Sequence[int] | None = None, stays: Sequence[Stay] = ()
) -> Iterator[None]:
    """Within it NPUs run. stands_for: for each NPU who is followed in its place, None for itself."""
    with follows(_Followed(npus, clock, stands_for, stays)):
        yield


def left_of_trace(trace: Trace, platform: TracePlatform, followed: _Followed | None) -> tuple[TraceResult, str]:
    """What has happened in a run that is stopped, and how much of it that is, in words. See leaves_so_far."""
    if followed is None:
        nothing = TraceResult(trace, platform, (0,) * trace.npus, (), interrupted=True)
        return nothing, f"0 of {trace.templates.total:,} nodes"
    ended = sum(npu.ended for npu in followed.npus)
    nodes = sum(len(npu.nodes) for npu in followed.npus)
    who = "" if followed.stands_for is None else f" of {len(followed.npus):,} NPUs that are followed for all"
    return _so_far(trace, platform, followed), f"{ended:,} of {nodes:,} nodes{who}"


def _so_far(trace: Trace, platform: TracePlatform, followed: _Followed) -> TraceResult:
    now = followed.clock.now
    finish = {npu.npu: now if npu.finished_ns is None else npu.finished_ns for npu in followed.npus}
    stands_for = followed.stands_for or range(trace.npus)
    of_all = RanOfAll(trace, stands_for, {npu.npu: npu.ran for npu in followed.npus})
    finish_ns = tuple(map(finish.__getitem__, stands_for))
    ran = of_all.of_followed()
    of_roles = None if followed.stands_for is None else of_all
    return TraceResult(trace, platform, finish_ns, ran, followed.stays, of_all=of_roles, interrupted=True)
