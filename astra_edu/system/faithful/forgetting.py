"""When Themis forgets its loads: as NPU 0 begins a collective, which others may have planned before its turn came."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.collectives import Collective
from astra_edu.system.faithful.npu_order import NpuOrder
from astra_edu.system.faithful.npu_turns import NpuTurns
from astra_edu.system.plan_1 import TimedPlanner
from astra_edu.system.themis import Themis


class Forgetting:
    """Whether Themis has forgotten its loads when the first NPU asks for the chunks of a collective.

    If NPU 0 is the first, it has. If not, the loads of the last collective still count, unless NPU 0 wasn't the first
    then either: it forgot them after the others had asked. Who was first is worked out only where the chunks' orders
    depend on it.
    """

    def __init__(self, planner: TimedPlanner, themis: Themis, turns: NpuTurns, order: NpuOrder) -> None:
        """Nothing has been planned. order: what is asked where `turns` don't know."""
        self.in_doubt = False
        """Whether it mattered who was first where that isn't known."""
        self._planner, self._themis, self._turns, self._order = planner, themis, turns, order
        self._assumed: tuple[int, bool] | None = None
        """After how many waits NPU 0 was taken to be first when the last collective began, and what NpuOrder said."""

    def zero_leads(self, collective: Collective, collective_bytes: int, involved: Sequence[bool], now: float) -> bool:
        """Whether the chunks of a collective that begins at `now` ns are to be planned without any load."""
        now_is = self._turns.wakes, self._order.zero_leads
        before, self._assumed = self._assumed, now_is
        if now == self._themis.began:
            if before is not None and not self._zero_first(before):
                self._themis.forget()
            self._assumed = None
            return True
        if not self._planner.lead_matters(collective, collective_bytes, involved, now):
            return True
        kept = before is None or self._zero_first(before)
        if kept and not self._zero_first(now_is):
            self._assumed = None
            return False
        return True

    def _zero_first(self, then: tuple[int, bool]) -> bool:
        wakes, among_neighbours = then
        first = self._turns.first(wakes)
        self.in_doubt |= self._turns.tied
        if first is None:
            self.in_doubt = True
            return among_neighbours
        return not first
