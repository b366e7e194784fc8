"""A run of a trace that is stopped in the middle: what its NPUs had done until then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from astra_edu.clock.events import Schedules
from astra_edu.run.interrupted import Interrupted
from astra_edu.run.roles.answers import RanOfAll
from astra_edu.run.trace_result import TraceResult
from astra_edu.system.queues import Stay
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.npu import TraceNpu


class _Stopped(KeyboardInterrupt):
    """npus: who was followed; stands_for: for each NPU who was followed in its place, None for itself."""

    def __init__(
        self, npus: Sequence[TraceNpu], now: int, stands_for: Sequence[int] | None, stays: Sequence[Stay]
    ) -> None:
        super().__init__()
        self.npus = npus
        self.now = now
        self.stands_for = stands_for
        self.stays = stays


@contextmanager
def stoppable(
    npus: Sequence[TraceNpu], clock: Schedules, stands_for: Sequence[int] | None = None, stays: Sequence[Stay] = ()
) -> Iterator[None]:
    """Within it NPUs run. stands_for: for each NPU who is followed in its place, None for itself."""
    try:
        yield
    except KeyboardInterrupt:
        raise _Stopped(npus, clock.now, stands_for, stays) from None


@contextmanager
def leaves_what_happened(trace: Trace, platform: TracePlatform) -> Iterator[None]:
    """Within it a trace is run; raises Interrupted where it is stopped while NPUs run."""
    try:
        yield
    except _Stopped as stopped:
        ended = sum(npu.ended for npu in stopped.npus)
        nodes = sum(len(npu.nodes) for npu in stopped.npus)
        followed = "" if stopped.stands_for is None else f" of {len(stopped.npus):,} NPUs that are followed for all"
        raise Interrupted(_so_far(trace, platform, stopped), f"{ended:,} of {nodes:,} nodes{followed}") from None


def _so_far(trace: Trace, platform: TracePlatform, stopped: _Stopped) -> TraceResult:
    finish = {npu.npu: stopped.now if npu.finished_ns is None else npu.finished_ns for npu in stopped.npus}
    stands_for = stopped.stands_for or range(trace.npus)
    of_all = RanOfAll(trace, stands_for, {npu.npu: npu.ran for npu in stopped.npus})
    finish_ns = tuple(map(finish.__getitem__, stands_for))
    ran = of_all.of_followed()
    of_roles = None if stopped.stands_for is None else of_all
    return TraceResult(trace, platform, finish_ns, ran, stopped.stays, of_all=of_roles, interrupted=True)
