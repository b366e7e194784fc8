"""A clock for phases that are timed at once: what happens in a ns keeps its order, or it is noticed that it may not.

Everything happens in the order in which it was foreseen. The end of a phase whose messages nobody follows comes with
the times of its last waits, and takes its place by these. Between NPUs the order in a ns makes no difference, except
where two things meet at one NPU in one ns that other NPUs have foreseen in one ns: then that is noted as a doubt,
unless all that led to the two was followed.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from astra_edu.clock.events import WATCH_EVERY, Action, Clock, Event, happen
from astra_edu.network.way import Way


class Moment:
    """What an NPU does at once: its turn in a ns, or what a message sets off.

    foreseen_ns: when this was foreseen; by: while what. source: at which NPU that was, which may be another of the role
    of by.npu. followed: whether all that led here was followed.
    """

    __slots__ = ("by", "followed", "foreseen_ns", "npu", "source", "sure", "turn")

    def __init__(
        self,
        npu: int,
        foreseen_ns: int,
        by: Moment | None,
        followed: bool,
        turn: bool = False,
        sure: bool = True,
        source: int = -1,
    ) -> None:
        """sure: whether a turn isn't foreseen earlier for the sake of something that isn't followed."""
        self.npu = npu
        self.foreseen_ns = foreseen_ns
        self.by = by
        self.followed = followed
        self.turn = turn
        self.sure = sure
        self.source = npu if source < 0 else source


BEGIN = Moment(-1, 0, None, True)
"""The start of the run, in which every NPU begins, one after the other."""


class JoinedWay(Way):
    """Messages that take as long each time."""

    __slots__ = ("_clock", "_ns")

    def __init__(self, clock: JoinedClock, ns: int) -> None:
        """ns: how long."""
        self._clock = clock
        self._ns = ns

    def carry(self, message: Event) -> None:
        """See Way."""
        self._clock.schedule(self._clock.now + self._ns, happen, message)


class JoinedClock(Clock):
    """Runs what happens in the order in which it was foreseen. message_ns: of (source, destination, bytes).

    strict: whether to notice where an order isn't known, rather than go on in some order. doubts: (NPU, ns) of each.
    """

    def __init__(self, message_ns: Callable[[int, int, int], int], strict: bool = True) -> None:
        """Nothing has happened."""
        super().__init__()
        self.message_ns = message_ns
        self.strict = strict
        self.doubts: set[tuple[int, int]] = set()
        self.moment = BEGIN
        self.count = 0
        self.unordered = 0
        """Not 0: what happens now might as well happen after something else with this number."""
        self.heap: list[tuple[int, int, int, Action, Any, Moment | None]] = []
        self._foreseen_ns = 0
        self._by: Moment | None = BEGIN
        self._met: dict[int, list[Moment]] = {}
        self._met_ns = 0

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`; it is foreseen now."""
        self.count += 1
        heappush(self.heap, (at_ns, self.now, self.count, do, what, self.moment))

    def foresee(self, at_ns: int, foreseen_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, as if it had been foreseen at `foreseen_ns`."""
        self.count += 1
        heappush(self.heap, (at_ns, foreseen_ns, self.count, do, what, None))

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self.schedule(self.now + self.message_ns(source, destination, message_bytes), arrived, what)

    def way(self, source: int, destination: int, message_bytes: int) -> JoinedWay:
        """How messages go: they take as long each time."""
        return JoinedWay(self, self.message_ns(source, destination, message_bytes))

    def statistics(self) -> dict[str, Any]:
        """Nothing: no link is looked at."""
        return {}

    def blocked(self) -> str:
        """Nothing ever is."""
        return ""

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        heap, events = self.heap, 0
        while heap:
            self.now, self._foreseen_ns, _, do, what, self._by = heappop(heap)
            do(what)
            events += 1
            if watch and events > WATCH_EVERY:
                events = 0
                watch()

    def touch(self, npu: int, source: int) -> None:
        """Something that isn't part of its turn happens at an NPU; source: who sent it, or the NPU itself."""
        by = self._by
        self.meet(Moment(npu, self._foreseen_ns, by, by is not None and by.followed, source=source))

    def meet(self, moment: Moment) -> None:
        """Something happens at an NPU; it is in doubt if something else in this ns might come after it."""
        met = self._met
        if self._met_ns != self.now:
            met.clear()
            self._met_ns = self.now
        before = met.get(moment.npu)
        if before is None:
            met[moment.npu] = [moment]
        else:
            if self.strict and not all(_in_order(one, moment) for one in before):
                self.doubt(moment.npu)
            before.append(moment)
        self.moment = moment

    def doubt(self, npu: int) -> None:
        """Two things happen at an NPU now, and which is first isn't known."""
        self.doubts.add((npu, self.now))


def _in_order(first: Moment, second: Moment) -> bool:
    """Whether it is known that of two things at one NPU in one ns the first is first."""
    if first.turn and second.turn:  # the second was foreseen in this ns, by what came after the first
        return True
    if second.turn and not second.sure:
        return False
    if first.foreseen_ns < second.foreseen_ns:
        return True
    by, other = first.by, second.by
    if by is None or other is None:
        return False
    if first.source == second.source and (by is other or first.source == first.npu):
        return True
    return first.followed and second.followed
