"""A clock that knows what has set off what, to tell which of two things happens first where many stand for others.

What happens in one ns happens in the order in which it was foreseen. An event here stands for one of each NPU of a
role (see network.folding), and of two events at one place, which come from different NPUs, it may not be the same that
comes first everywhere. It is, if one was foreseen in an earlier ns than the other; where both were foreseen in the same
ns, if what foresaw them came in the same order everywhere. That is looked up along the causes.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from astra_edu.clock.events import WATCH_EVERY, Action

FARTHEST = 200
"""So many causes are looked back; if they were all foreseen in the same ns, the order isn't known."""


class Cause:
    """An event. foreseen_ns: when it was set off; by: by which event. shift: of which NPU, seen from this event's own.

    blurred: whether what it sets off may elsewhere be set off by another event of the same ns, and the other way round.
    npu: who starts, where nothing sets it off.
    """

    __slots__ = ("blurred", "by", "foreseen_ns", "npu", "shift")

    def __init__(self, foreseen_ns: int, by: Cause | None, shift: int, npu: int = 0) -> None:
        """Nothing is blurred."""
        self.foreseen_ns = foreseen_ns
        self.by = by
        self.shift = shift
        self.npu = npu
        self.blurred = False


class CausalClock:
    """Runs actions at their time and keeps what has set them off. now: the time, in ns.

    cause: the event that happens now. shift: what moves the NPU at which it happens to the one at which something of it
    is done at the moment.
    """

    def __init__(self, move: Callable[[int, int], int], ahead_alike: Callable[[int, int], bool]) -> None:
        """move, ahead_alike: see Folding."""
        self.now = 0
        self.cause = Cause(-1, None, 0)
        self.shift = 0
        self._move = move
        self._ahead_alike = ahead_alike
        self._times: list[int] = []
        self._lists: dict[int, list[tuple[Action, Any, Cause]]] = {}

    def starts(self, npu: int) -> None:
        """What is done from here on is what an NPU starts with."""
        self.cause = Cause(-1, None, 0, npu)
        self.shift = 0

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, after everything else that is to happen then."""
        happening = self._lists.get(at_ns)
        if happening is None:
            self._lists[at_ns] = happening = []
            heappush(self._times, at_ns)
        happening.append((do, what, Cause(self.now, self.cause, self.shift)))

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
        move = self._move
        for _ in range(FARTHEST):
            if one is other:
                return one_shift == other_shift
            if one.foreseen_ns != other.foreseen_ns:
                return True
            if one.by is None or other.by is None:
                return self._ahead_alike(move(one.npu, one_shift), move(other.npu, other_shift))
            one_shift = move(one_shift, one.shift) if one.shift else one_shift
            other_shift = move(other_shift, other.shift) if other.shift else other_shift
            one, other = one.by, other.by
            if one.blurred or other.blurred:
                return False
        return False
