"""ASTRA-sim 1.0's chunk scheduler: NPU 0's queues, whose phases take a time that is known, or are followed on a bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.faithful.forgetting import Forgetting
from astra_edu.system.faithful.npu_order import NpuOrder
from astra_edu.system.faithful.npu_turns import NpuTurns
from astra_edu.system.inter_dimension import TRUSTED
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.plan_1 import Phase, TimedPlanner
from astra_edu.system.policies import priorities, queue_policy
from astra_edu.system.queues import Chunk, Issued, Npus, Queue, Queues, Stay
from astra_edu.system.themis import Themis

if TYPE_CHECKING:
    from astra_edu.clock.lookback import Happening, LoopClock
    from astra_edu.system.congested import CongestedPhases
    from astra_edu.system.faithful.bus_phases import BusPhases

HIGHEST_PRIORITY = 100_000_000
"""Of the embedding exchange in the DLRM loops: before everything else."""


class Ended(NamedTuple):
    """How a collective came to its end: with a last chunk through `phases`, in the record's stay of this number."""

    phases: tuple[Phase, ...] = ()
    stay: int = -1


class RunsCollectives(Protocol):
    """What a training loop gives its collectives to; see Scheduler, the first of its kind."""

    stays: list[Stay]

    @property
    def in_doubt(self) -> bool:
        """Whether a plan depended on the order of the NPUs in one ns where that isn't known."""

    def issue(
        self,
        what: object,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool],
        done: Callable[[Ended], object],
        highest: bool = False,
    ) -> bool:
        """Begin a collective; False where it has no chunk."""

    def woken(self, ended: Ended, at_once: bool) -> None:
        """The NPUs have waited for a collective."""

    def waiting(self) -> Iterable[Chunk]:
        """The chunks that are in a queue or in a phase."""


class Scheduler:
    """Takes collectives, runs their chunks over the logical dimensions, keeps a record of every phase."""

    def __init__(
        self,
        clock: LoopClock,
        platform: Platform,
        dims: tuple[LogicalDimension, ...],
        bus: BusPhases | None = None,
    ) -> None:
        """Start with empty queues at the clock's current time. bus: what runs phases where there is a shared bus."""
        system = platform.system
        self.clock = clock
        self.bus = bus
        self.queues: Queues = Queues(len(dims), system, queue_policy(system.intra_dimension, 1), self._begin)
        self.stays: list[Stay] = []
        self.queues.stays = self.stays
        self.order = NpuOrder(len(dims), system.boost)
        self._planner = TimedPlanner(platform, dims)
        self._turns = NpuTurns(platform, dims, self.stays)
        themis = self._planner.inter
        self._forgetting: Forgetting | None = None
        if isinstance(themis, Themis) and type(themis) in TRUSTED:
            self._forgetting = Forgetting(self._planner, themis, self._turns, self.order)
        self._congested: CongestedPhases | None = None
        if platform.congestion_aware:
            from astra_edu.system.congested import CongestedPhases

            self._congested = CongestedPhases(platform)
        self._priorities = priorities(system.scheduling)

    def issue(
        self,
        what: object,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool],
        done: Callable[[Ended], object],
        highest: bool = False,
    ) -> bool:
        """Begin a collective of `collective_bytes` now and call `done` when its last chunk is; False where it has none.

        what: for the record. involved: for each logical dimension, whether it runs over it.
        """
        priority = HIGHEST_PRIORITY if highest else next(self._priorities)
        now = self.clock.now
        issued = Issued(what, lambda phases: done(Ended(phases, len(self.stays) - 1)), now)
        zero_leads = self.order.zero_leads
        if self._forgetting:
            self._turns.issued(issued)
            zero_leads = self._forgetting.zero_leads(collective, collective_bytes, involved, now)
        planned = self._planner.chunks(collective, collective_bytes, involved, now, zero_leads)
        for index, phases in enumerate(planned):
            issued.chunks += 1
            self.queues.add(Chunk(index, priority, phases, issued), now)
        return issued.chunks > 0

    @property
    def in_doubt(self) -> bool:
        """Whether a plan depended on the order of the NPUs in one ns where that isn't known."""
        return self._forgetting is not None and self._forgetting.in_doubt

    def woken(self, ended: Ended, at_once: bool) -> None:
        """The NPUs have waited for a collective. at_once: and for no update after it."""
        self.order.woken(ended.phases)
        self._turns.woken(ended.stay, at_once)

    def waiting(self) -> Iterable[Chunk]:
        """The chunks that are in a queue or in a phase."""
        return self.queues.waiting()

    def _begin(self, queue: Queue, chunk: Chunk, npus: Npus) -> None:
        """npus: None where each of them begins on its own, in the order of all."""
        phase = chunk.phase
        if self._congested:
            chunk.phase = phase = self._congested.begun(phase, self.clock.env.now % 1)
        if self.bus:
            self.bus.begin(phase, partial(self._bus_over, queue, chunk))
            return
        rank = self.order.rank(phase) if npus is None else 0
        duration = phase.duration
        self.clock.after_waits(duration.total_ns, duration.lookback, rank, self._time_over, (queue, chunk))

    def _time_over(self, event: Happening) -> None:
        self.clock.came(event)
        queue, chunk = cast("tuple[Queue, Chunk]", event.what)
        self._over(queue, chunk)

    def _bus_over(self, queue: Queue, chunk: Chunk, waited_ns: float) -> None:
        chunk.phase = chunk.phase.waited(waited_ns)
        self._over(queue, chunk)

    def _over(self, queue: Queue, chunk: Chunk) -> None:
        self.queues.over(queue, chunk, self.clock.now, (), ())
