"""A clock for phases that are timed at once: what happens in a ns keeps its order, or it is noticed that it may not.

Everything happens in the order in which it was foreseen. The end of a phase whose messages nobody follows comes with
the times of its last waits, and takes its place by these. Between NPUs the order in a ns makes no difference, except
where two things meet at one NPU in one ns that other NPUs have foreseen in one ns: then `OrderUnknownError` is raised,
unless all that led to the two was followed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from itertools import combinations
from operator import attrgetter
from typing import Any

from astra_edu.clock.events import WATCH_EVERY, Action, Clock, Turns
from astra_edu.network.messages import Handler, Messages
from astra_edu.network.protocol import Network
from astra_edu.system.joined.ends import End


class NotJoinedError(Exception):
    """Phases can't be timed at once here; every message has to be followed."""


class OrderUnknownError(NotJoinedError):
    """Two things happen at an NPU in one ns, and which is first isn't known."""


class Moment:
    """What an NPU does at once: its turn in a ns, or what a message sets off.

    foreseen_ns: when this was foreseen; by: while what. followed: whether all that led here was followed.
    """

    __slots__ = ("by", "followed", "foreseen_ns", "npu", "sure", "turn")

    def __init__(
        self, npu: int, foreseen_ns: int, by: Moment | None, followed: bool, turn: bool = False, sure: bool = True
    ) -> None:
        """sure: whether a turn isn't foreseen earlier for the sake of something that isn't followed."""
        self.npu = npu
        self.foreseen_ns = foreseen_ns
        self.by = by
        self.followed = followed
        self.turn = turn
        self.sure = sure


BEGIN = Moment(-1, 0, None, True)
"""The start of the run, in which every NPU begins, one after the other."""


class JoinedClock(Clock):
    """Runs what happens in the order in which it was foreseen. message_ns: of (source, destination, bytes).

    strict: whether to raise OrderUnknownError, rather than go on in some order.
    """

    def __init__(self, message_ns: Callable[[int, int, int], int], strict: bool = True) -> None:
        """Nothing has happened."""
        super().__init__()
        self.message_ns = message_ns
        self.strict = strict
        self.moment = BEGIN
        self.count = 0
        self.unordered = 0
        """Not 0: what happens now might as well happen after something else with this number."""
        self._heap: list[tuple[int, int, int, Action, Any, Moment | None]] = []
        self._foreseen_ns = 0
        self._by: Moment | None = BEGIN
        self._met: dict[int, list[Moment]] = {}
        self._met_ns = 0

    def schedule(self, at_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`; it is foreseen now."""
        self.count += 1
        heappush(self._heap, (at_ns, self.now, self.count, do, what, self.moment))

    def foresee(self, at_ns: int, foreseen_ns: int, do: Action, what: Any) -> None:
        """Do do(what) at `at_ns`, as if it had been foreseen at `foreseen_ns`."""
        self.count += 1
        heappush(self._heap, (at_ns, foreseen_ns, self.count, do, what, None))

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """See Network."""
        self.schedule(self.now + self.message_ns(source, destination, message_bytes), arrived, what)

    def statistics(self) -> dict[str, Any]:
        """Nothing: no link is looked at."""
        return {}

    def blocked(self) -> str:
        """Nothing ever is."""
        return ""

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: called now and then."""
        heap, events = self._heap, 0
        while heap:
            self.now, self._foreseen_ns, _, do, what, self._by = heappop(heap)
            do(what)
            events += 1
            if watch and events > WATCH_EVERY:
                events = 0
                watch()

    def touch(self, npu: int) -> None:
        """Something that isn't part of its turn happens at an NPU."""
        by = self._by
        self.meet(Moment(npu, self._foreseen_ns, by, by is not None and by.followed))

    def meet(self, moment: Moment) -> None:
        """Something happens at an NPU; it is in doubt if something else in this ns might come after it."""
        if self._met_ns != self.now:
            self._met.clear()
            self._met_ns = self.now
        before = self._met.setdefault(moment.npu, [])
        if before and self.strict and not all(_in_order(one, moment) for one in before):
            self.doubt(moment.npu)
        before.append(moment)
        self.moment = moment

    def doubt(self, npu: int) -> None:
        """Two things happen at an NPU now, and which is first isn't known."""
        raise OrderUnknownError


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
    return by is other or by.npu == other.npu == first.npu or (first.followed and second.followed)


class Item:
    """Something in an NPU's turn. end: of the phase that is over with it, if it is one's end."""

    __slots__ = ("action", "by", "end", "order", "what")

    def __init__(
        self, order: tuple[int, ...], by: Moment | None, action: Action, what: Any, end: End | None = None
    ) -> None:
        """order: what decides which comes first."""
        self.order = order
        self.by = by
        self.action = action
        self.what = what
        self.end = end


_order = attrgetter("order")


class JoinedTurns(Turns):
    """What one NPU does, all of a ns in one turn.

    open: how many phases it has begun that aren't over, so that it may have turns that nobody follows.
    """

    clock: JoinedClock

    def __init__(self, npu: int, clock: JoinedClock, tell: Callable[[list[Item]], bool]) -> None:
        """tell(items): whether the order of these makes no difference."""
        super().__init__(clock)
        self.npu = npu
        self.open = 0
        self._no_difference = tell
        self._items: dict[int, list[Item]] = {}
        self._foreseen: dict[int, int] = {}

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        clock = self.clock
        self._add(clock.now + delay, clock.now, Item((clock.now,), clock.moment, action, what))

    def over(self, end: End, action: Action, what: Any) -> None:
        """Do action(what) at the end of a phase."""
        self._add(end.ns, end.turn_ns, Item(end.order, None, action, what, end))

    def _add(self, ns: int, foreseen_ns: int, item: Item) -> None:
        items = self._items.get(ns)
        if items is None:
            self._items[ns] = [item]
        else:
            items.append(item)
            if foreseen_ns >= self._foreseen[ns]:
                return
        self._foreseen[ns] = foreseen_ns
        self.clock.foresee(ns, foreseen_ns, self._turn, ns)

    def _turn(self, ns: int) -> None:
        items = self._items.get(ns)
        if items is None:  # it was foreseen earlier, and is over
            return
        foreseen = self._foreseen[ns]
        self._foreseen[ns] = -1
        ends = [item.end for item in items if item.end is not None]
        if ends:
            self._with_ends(ns, foreseen, items, ends)
        else:
            sure = not self.open
            followed = sure and all(item.by is not None and item.by.followed for item in items)
            self.clock.meet(Moment(self.npu, foreseen, items[0].by, followed, True, sure))
            for item in items:  # which may grow on the way
                item.action(item.what)
        del self._items[ns], self._foreseen[ns]

    def _with_ends(self, ns: int, foreseen: int, items: list[Item], ends: list[End]) -> None:
        clock = self.clock
        unordered: dict[int, int] = {}
        if len(items) > 1:
            items.sort(key=_order)
            if clock.strict:
                unordered = self._unordered(items)
        sure = self.open == len(ends) and all(end.sure for end in ends)
        first = items[0]
        by = None if first.end or any(end.turn_ns == foreseen for end in ends) else first.by
        clock.meet(Moment(self.npu, foreseen, by, False, True, sure))
        at_once = max((k for k, item in enumerate(items) if item.end and item.end.reduction == 0), default=-1)
        planned = len(items)
        for k, item in enumerate(items):  # which may grow on the way
            clock.unordered = unordered.get(k, 0)
            item.action(item.what)
            if k < at_once and len(items) > planned and clock.strict and not (item.end and item.end.reduction == 0):
                raise OrderUnknownError
        clock.unordered = 0

    def _unordered(self, items: list[Item]) -> dict[int, int]:
        """Which of sorted items may as well come in another order: a number for those that belong together.

        Raises OrderUnknownError where the order isn't known and makes a difference.
        """
        found: dict[int, int] = {}
        at = 0
        while at < len(items):
            upto = at + 1
            while upto < len(items) and items[upto].order[0] == items[at].order[0]:
                upto += 1
            group = items[at:upto]
            if not all(_known(one, other) for one, other in combinations(group, 2)):
                if not self._no_difference(group):
                    raise OrderUnknownError
                self.clock.count += 1
                found.update(dict.fromkeys(range(at, upto), self.clock.count))
            at = upto
        return found


def _known(first: Item, second: Item) -> bool:
    """Whether it is known that of two items foreseen in one ns and sorted the first is first."""
    one, other = first.end, second.end
    if one is None or other is None:
        return one is other
    if first.what.phase.in_step_with(second.what.phase):
        return True
    if one.reduction != other.reduction:
        return False
    if one.taken_ns != other.taken_ns:
        return True
    return one.sure and other.sure and first.order != second.order


class JoinedMessages(Messages):
    """Messages that tell the clock at which NPU something happens as they arrive."""

    def __init__(self, network: Network, clock: JoinedClock) -> None:
        """Nothing is on the way."""
        super().__init__(network)
        self.clock = clock

    def send(
        self, source: int, destination: int, tag: int, message_bytes: int, sent: Handler | None = None, what: Any = None
    ) -> None:
        """See Messages."""
        told = None if sent is None else partial(self._tell, source, sent)
        super().send(source, destination, tag, message_bytes, told, what)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Handler, what: Any = None) -> None:
        """See Messages."""
        super().receive(npu, source, tag, message_bytes, partial(self._tell, npu, received), what)

    def _tell(self, npu: int, handler: Handler, what: Any) -> None:
        self.clock.touch(npu)
        handler(what)
