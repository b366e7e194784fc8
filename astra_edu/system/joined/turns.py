"""What one NPU does in a ns, where phases are timed at once."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from itertools import combinations
from operator import attrgetter
from typing import Any

from astra_edu.clock.events import Action, Event, Ns, Turns, happen
from astra_edu.system.joined.clock import JoinedClock, Moment
from astra_edu.system.joined.ends import End
from astra_edu.system.joined.not_joined import OrderUnknownError


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


class Own(Moment):
    """An event of an NPU's own in its turn; where that has nothing else, it is what the NPU does at once."""

    __slots__ = ("event",)

    def __init__(self, npu: int, foreseen_ns: int, by: Moment, event: Event) -> None:
        """Until its turn, `followed` and `sure` aren't known."""
        self.npu = npu
        self.source = npu
        self.foreseen_ns = foreseen_ns
        self.by = by
        self.turn = True
        self.event = event

    def item(self) -> Item:
        """The same among others."""
        return Item((self.foreseen_ns,), self.by, happen, self.event)


class WholeItem(Item):
    """The end of a collective that was timed at once: `later_ns` later than `end` says, until it is settled."""

    __slots__ = ("later_ns",)

    def __init__(self, end: End, later_ns: int, action: Action, what: Any) -> None:
        """Not settled."""
        self.by = None
        self.end = end
        self.later_ns = later_ns
        self.action = action
        self.what = what

    def settle(self) -> None:
        """Have this ns, where something else is in the turn."""
        assert self.end is not None
        self.end = self.end.later(self.later_ns)
        self.order = self.end.order


_order = attrgetter("order")


class JoinedTurns(Turns):
    """What one NPU does, all of a ns in one turn.

    joined: its clock. open: how many phases it has begun that aren't over, so that it may have turns that nobody
    follows.
    """

    def __init__(self, npu: int, clock: JoinedClock, tell: Callable[[list[Item]], bool]) -> None:
        """tell(items): whether the order of these makes no difference."""
        super().__init__(clock)
        self.joined = clock
        self.npu = npu
        self.open = 0
        self._no_difference = tell
        self._own: dict[int, Own] = {}
        """Those that have a turn for themselves."""
        self._items: dict[int, list[Item]] = {}
        self._foreseen: dict[int, int] = {}
        self._taking = -1
        """The ns of an Own's turn while it is taken."""

    def add(self, delay: int, event: Event) -> None:
        """Let an event happen in `delay` ns, in this NPU's turn."""
        clock = self.joined
        now: Ns = clock.now
        ns = now + delay
        own = Own(self.npu, now, clock.moment, event)
        if ns in self._own or ns in self._items:
            self._add(ns, now, own.item())
        else:
            self._own[ns] = own
            clock.count += 1  # as `foresee`, which would be a call for each node
            heappush(clock.heap, (ns, now, clock.count, self._turn, ns, None))

    def over(self, end: End, action: Action, what: Any) -> None:
        """Do action(what) at the end of a phase."""
        self._add(end.ns, end.turn_ns, Item(end.order, None, action, what, end))

    def whole_over(self, ns: int, foreseen_ns: int, item: WholeItem) -> None:
        """Be at the end of a collective at `ns`."""
        self._add(ns, foreseen_ns, item)

    def expect(self, ns: int, foreseen_ns: int) -> None:
        """Raise OrderUnknownError where a turn at `ns` may be foreseen before `foreseen_ns`, or in the same ns."""
        if self.joined.strict:
            self.joined.foresee(ns, -1, self._expected, foreseen_ns)

    def _expected(self, foreseen_ns: int) -> None:
        now = self.joined.now
        own = self._own.get(now)
        there = self._foreseen.get(now) if own is None else own.foreseen_ns
        if self.open > 1 or (there is not None and there <= foreseen_ns):
            raise OrderUnknownError

    def _add(self, ns: int, foreseen_ns: int, item: Item) -> None:
        items = self._items.get(ns)
        if items is None:
            own = self._own.pop(ns, None)
            if own is None:
                self._items[ns] = [item]
            else:
                items = self._items[ns] = [own.item()]
                self._foreseen[ns] = -1 if self._taking == ns else own.foreseen_ns
        if items is not None:
            items.append(item)
            if foreseen_ns >= self._foreseen[ns]:
                return
        self._foreseen[ns] = foreseen_ns
        self.joined.foresee(ns, foreseen_ns, self._turn, ns)

    def _turn(self, ns: int) -> None:
        own = self._own.get(ns)
        if own is not None:
            self._taking = ns
            own.sure = sure = not self.open
            by = own.by
            own.followed = sure and by is not None and by.followed
            self.joined.meet(own)
            own.event.happen()
            self._taking = -1
            if self._own.pop(ns, None) is None:  # more has come meanwhile
                self._rest(ns)
            return
        items = self._items.get(ns)
        if items is None:  # it was foreseen earlier, and is over
            return
        foreseen = self._foreseen[ns]
        self._foreseen[ns] = -1
        first = items[0]
        if len(items) == 1 and first.end is not None:
            self.joined.meet(Moment(self.npu, foreseen, None, False, True, self.open == 1 and first.end.sure))
            for item in items:  # which may grow on the way
                item.action(item.what)
            del self._items[ns], self._foreseen[ns]
            return
        for item in items:
            if type(item) is WholeItem:
                item.settle()
        ends = [item.end for item in items if item.end is not None]
        if ends:
            self._with_ends(ns, foreseen, items, ends)
        else:
            sure = not self.open
            followed = sure and all(item.by is not None and item.by.followed for item in items)
            self.joined.meet(Moment(self.npu, foreseen, items[0].by, followed, True, sure))
            for item in items:  # which may grow on the way
                item.action(item.what)
        del self._items[ns], self._foreseen[ns]

    def _rest(self, ns: int) -> None:
        """What has come to an Own's turn, which may grow on the way."""
        items = self._items[ns]
        at = 1
        while at < len(items):
            items[at].action(items[at].what)
            at += 1
        del self._items[ns], self._foreseen[ns]

    def _with_ends(self, ns: int, foreseen: int, items: list[Item], ends: list[End]) -> None:
        clock = self.joined
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
                self.joined.count += 1
                found.update(dict.fromkeys(range(at, upto), self.joined.count))
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
