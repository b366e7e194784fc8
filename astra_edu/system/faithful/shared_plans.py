"""Collectives that every NPU asks for on its own, and chunks that wait for each other: known until all are through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.system.plan_1 import Phase, TimedPlanner

if TYPE_CHECKING:
    from astra_edu.system.faithful.all_npus import NpuScheduler


@dataclass(slots=True, eq=False)
class Stream:
    """One chunk at all NPUs. left: how many have yet to end it.

    ready: how many are through with its phase; may_go: how many may begin the next. waiting: those that are through,
    in this order.
    """

    left: int
    ready: int = 0
    may_go: int = 0
    waiting: list[NpuScheduler] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Plan:
    """A collective: what the first NPU asked for, (number, phases) of each chunk, how many NPUs have yet to ask."""

    asked: str
    chunks: list[tuple[int, tuple[Phase, ...]]]
    left: int


class SharedPlans:
    """Plans each collective for who is the first to ask. streams: the chunks that are on their way, by number."""

    def __init__(self, planner: TimedPlanner, npus: int) -> None:
        """npus: so many ask for each collective."""
        self.streams: dict[int, Stream] = {}
        self._planner, self._npus = planner, npus
        self._plans: dict[int, _Plan] = {}
        self._chunks = 0

    def __len__(self) -> int:
        """How many collectives not all NPUs have asked for yet."""
        return len(self._plans)

    def asked(
        self, number: int, collective: Collective, collective_bytes: int, involved: Sequence[bool]
    ) -> list[tuple[int, tuple[Phase, ...]]]:
        """One more NPU asks for its collective `number`: (number, phases) of each chunk.

        Raises ConfigError where it is another collective than the others', as a loop of one's own may ask for.
        """
        asked = f"{collective} of {collective_bytes:,} bytes over dimensions {[*map(int, involved)]}"
        plan = self._plans.get(number)
        if plan is None:
            plan = self._plans[number] = _Plan(asked, [], self._npus)
            for phases in self._planner.planned(collective, collective_bytes, involved):
                plan.chunks.append((self._chunks, phases))
                self.streams[self._chunks] = Stream(self._npus)
                self._chunks += 1
        elif asked != plan.asked:
            raise ConfigError(
                f"NPUs ask for different collectives, {plan.asked} and {asked}. On a shared bus a loop runs "
                "once for each NPU, so it must keep nothing outside itself."
            )
        plan.left -= 1
        if not plan.left:
            del self._plans[number]
        return plan.chunks

    def ended(self, number: int) -> None:
        """One more NPU has come to the end of a chunk."""
        stream = self.streams[number]
        stream.left -= 1
        if not stream.left:
            del self.streams[number]
