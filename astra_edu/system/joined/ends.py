"""When a phase is over at an NPU, and the last waits before that: they decide what comes first in a ns."""

from __future__ import annotations

from typing import NamedTuple


class End(NamedTuple):
    """The end of a phase at one NPU.

    ns: when. reduction: ns for which the last data were added up, None where they aren't. taken_ns: when the NPU took
    the last message in. left_ns: when that message had left; where it had come before the NPU was ready for it, that is
    taken_ns itself, and ready_ns when the NPU's being ready was foreseen. sure: whether it is known which of the two
    it was.
    """

    ns: int
    reduction: int | None
    taken_ns: int
    left_ns: int
    ready_ns: int
    sure: bool = True

    @property
    def foreseen_ns(self) -> int:
        """When the end was foreseen: as the data began to be added up, or as the last message was taken in."""
        return self.taken_ns if self.reduction is None else self.ns - self.reduction

    @property
    def turn_ns(self) -> int:
        """When the NPU's turn in the ns of the end was foreseen for its sake."""
        return self.ns - self.reduction if self.reduction else self.taken_ns

    @property
    def order(self) -> tuple[int, int, int, int, int]:
        """What decides which of several ends at one NPU in one ns comes first; the least does."""
        return self.foreseen_ns, self.reduction or 0, self.taken_ns, self.left_ns, self.ready_ns

    def later(self, ns: int) -> End:
        """The same of a phase that begins `ns` later."""
        ready = self.ready_ns + ns if self.left_ns == self.taken_ns else 0
        return End(self.ns + ns, self.reduction, self.taken_ns + ns, self.left_ns + ns, ready, self.sure)


def end(left_ns: int, message_ns: int, own_ns: int, ready_ns: int, endpoint_ns: int, reduction: int | None) -> End:
    """The end after a last message that left at `left_ns`, at an NPU that is ready for it at `own_ns`.

    ready_ns: when it was foreseen that the NPU would be ready. A message that comes in the very ns in which the NPU
    becomes ready is taken in as it comes only if the NPU's turn is first.
    """
    arrives, sure = left_ns + message_ns, True
    if arrives == own_ns:
        sure = left_ns > ready_ns
    taken = arrives if arrives >= own_ns else own_ns
    over = taken + endpoint_ns + (reduction or 0)
    if arrives >= own_ns:
        return End(over, reduction, taken, left_ns, 0, sure)
    return End(over, reduction, taken, taken, ready_ns, sure)


def foreseen(ns: int, endpoint_ns: int, reduction: int | None) -> int:
    """When an NPU's being back at `ns` was foreseen, after an endpoint delay and perhaps a reduction."""
    return ns - endpoint_ns if reduction is None else ns - reduction
