"""In which order ASTRA-sim's NPUs get their turn within one nanosecond.

All NPUs do the same at the same time, and NPU 0 tells the story. But ASTRA-sim goes through them one after the other,
and a phase is over when the last of its NPUs has had its turn. (What Themis remembers depends on the order of all NPUs:
see npu_turns, and this where that doesn't know.)

Only NPU 0 and its neighbours along each dimension count. They begin in the order of their numbers. After waiting for
a collective, those that took no part in its last phase come first.
"""

from __future__ import annotations

from itertools import pairwise

from astra_edu.system.plan_1 import Phase

ZERO = -1


class NpuOrder:
    """The order of NPU 0 (ZERO) and of its neighbours along dimension d (d), first to last.

    boost: as in ASTRA-sim's boost mode, where NPUs that share no dimension with NPU 0 sit phases out.
    """

    def __init__(self, dimensions: int, boost: bool) -> None:
        """By number, as at the start."""
        self.boost = boost
        self._order = [ZERO, *range(dimensions)]

    @property
    def zero_leads(self) -> bool:
        """Whether NPU 0 comes before its neighbours."""
        return self._order.index(ZERO) == 0

    def rank(self, phase: Phase) -> int:
        """The place of the NPU that ends a phase which all NPUs have begun on their own, not one by one."""
        if not self.boost:
            return 0
        return max(self._order.index(ZERO), self._order.index(phase.dimension))

    def woken(self, phases: tuple[Phase, ...]) -> None:
        """The NPUs have waited for a collective whose last chunk went through `phases`."""
        if phases[0].logical.how.flat:
            return
        if not self.boost:  # all take part, and a step in which nobody exchanges puts NPU 1 before NPU 0
            if any(p.logical.dimension.npus > 2 and _passes_on(p) for p in phases):
                self._order = [*range(len(self._order) - 1), ZERO]
            return
        pair = [npu for npu in self._order if npu in (ZERO, phases[0].dimension)]
        for before, phase in pairwise(phases):
            if before.dimension != phase.dimension:
                pair = [phase.dimension, ZERO]
        d = phases[-1].dimension
        self._order = [npu for npu in self._order if npu not in (ZERO, d)] + pair


def _passes_on(phase: Phase) -> bool:
    traits = phase.schedule.traits
    return not (traits.exchanges or traits.tree)
