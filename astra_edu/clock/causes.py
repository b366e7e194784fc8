"""A clock that knows what has set off what, to tell which of two things happens first where many stand for others.

What happens in one ns happens in the order in which it was foreseen. An event here stands for one of each NPU of a
role (see network.folding), and of two events at one place, which come from different NPUs, it may not be the same that
comes first everywhere. It is, if one was foreseen in an earlier ns than the other; where both were foreseen in the same
ns, if what foresaw them came in the same order everywhere. That is looked up along the causes.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, TypeAlias

from astra_edu.clock.events import WATCH_EVERY, Action

FARTHEST = 200
"""So many causes are looked back; if they were all foreseen in the same ns, the order isn't known."""


Cause: TypeAlias = tuple[Any, ...]
"""An event: when it was foreseen, by which event (or None), and of which NPU that was, seen from this event's own.

An NPU's start is foreseen by no event; in place of the last number it has the NPU's.
"""


class CausalClock:
    """Runs actions at their time and keeps what has set them off. now: the time, in ns.

    cause: the event that happens now. shift: what moves the NPU at which it happens to the one at which something of it
    is done at the moment.
    """

    def __init__(self, move: Callable[[int, int], int], ahead_alike: Callable[[int, int], bool]) -> None:
        """move, ahead_alike: see Folding."""
        self.now = 0
        self.cause: Cause = (-1, None, 0)
        self.shift = 0
        self._blurred: dict[int, Cause] = {}
        self._move = move
        self._ahead_alike = ahead_alike
        self._times: list[int] = []
        self._lists: dict[int, list[tuple[Action, Any, Cause]]] = {}

    def starts(self, npu: int) -> None:
        """What is done from here on is what an NPU starts with."""
        self.cause = -1, None, npu
        self.shift = 0

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""
        happening = self._lists.get(at_ns)
        if happening is None:
            self._lists[at_ns] = happening = []
            heappush(self._times, at_ns)
        happening.append((do, what, (self.now, self.cause, self.shift)))

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        times, lists, events = self._times, self._lists, 0
        while times:
            self.now = time = heappop(times)
            happening = lists[time]
            for action, what, cause in happening:  # which may grow on the way
                self.cause = cause
                self.shift = 0
                action(what)
            del lists[time]
            events += len(happening)
            if watch and events > WATCH_EVERY:
                events = 0
                watch()

    def ordered(self, one: Cause, one_shift: int, other: Cause, other_shift: int) -> bool:
        """Whether two events of one ns come in the same order wherever they meet. *_shift: of which NPU each is."""
        move, blurred = self._move, self._blurred
        for _ in range(FARTHEST):
            if one is other:
                return one_shift == other_shift
            one_ns, one_by, one_of = one
            other_ns, other_by, other_of = other
            if one_ns != other_ns:
                return True
            one_shift = move(one_shift, one_of) if one_of else one_shift
            other_shift = move(other_shift, other_of) if other_of else other_shift
            if one_by is None or other_by is None:
                return self._ahead_alike(one_shift, other_shift)
            if id(one_by) in blurred or id(other_by) in blurred:
                return False
            one, other = one_by, other_by
        return False

    def blur(self, *causes: Cause) -> None:
        """What these events set off may elsewhere be set off by another of them."""
        self._blurred.update((id(cause), cause) for cause in causes)
