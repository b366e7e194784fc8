"""The NPU's shared bus: the LogGP model that ASTRA-sim offers instead of a fixed endpoint delay.

Every piece of data that an NPU sends or receives crosses a bus between the NPU and the network's memory agent; on the
NPU's side each crossing is followed or preceded by one of an inner bus, to the NPU's memory. A bus carries one piece
at a time in each direction of its two sides, and both sides take turns. Nothing here knows of collectives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from astra_edu.base.units import float32
from astra_edu.clock.events import Action, Ns
from astra_edu.collectives import Collective, Traits
from astra_edu.system.settings import Bus


class Time(Protocol):
    """Something that knows the time."""

    @property
    def now(self) -> Ns:
        """The time in ns: a bus knows whole ones only."""


class InTurn(Protocol):
    """An NPU's turns."""

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns."""


INNER_G = 0.0038
"""ns per byte on the inner bus, whatever the outer one's G is."""
TURNS = 8
"""After more than this many pieces in a row a side lets the other one go first, if that has something to send."""


FREE, SENDING, RECEIVING = range(3)
"""What a side of a bus is doing."""


@dataclass(slots=True, eq=False)
class Piece:
    """Some data that cross. adds_up: on arrival they are added to others; returns: then they cross back.

    done(what, ns) is called when all is over, at that time.
    """

    size: int
    adds_up: bool
    returns: bool
    done: Callable[[Any, Ns], object]
    what: Any


class Side:
    """One end of a bus. Its methods are told the time, now."""

    __slots__ = (
        "L", "add_ns", "adding", "before", "g", "in_a_row", "inner", "is_received", "is_sent", "last_ns", "ns_per_byte",
        "o", "partner", "receives", "sends", "state", "to_add", "turns",
    )  # fmt: skip
    partner: Side

    def __init__(self, bus: Bus, ns_per_byte: float, turns: InTurn) -> None:
        """A free side; `inner` is set where another bus lies behind it."""
        self.L, self.o, self.g, self.add_ns = bus.L, bus.o, bus.g, bus.reduction_delay
        self.ns_per_byte = ns_per_byte
        self.turns = turns
        self.is_sent, self.is_received = self._sent, self._received  # bound once, not for every piece
        self.inner: SharedBus | None = None
        self.state = self.before = FREE
        self.last_ns: Ns = 0
        self.in_a_row = 0
        self.adding = False
        self.sends: deque[Piece] = deque()
        self.receives: deque[Piece] = deque()
        self.to_add: deque[Piece] = deque()

    def request(self, piece: Piece, now: Ns) -> None:
        """Send a piece over to the partner; piece.done is called when all is over."""
        if self.inner:
            self.inner.far.send(Piece(piece.size, False, False, self.send, piece), now)
        else:
            self.send(piece, now)

    def send(self, piece: Piece, now: Ns) -> None:
        """Send a piece that has crossed what lies behind."""
        self.sends.append(piece)
        self._go_on(now)

    def would_end(self, size: int, now: Ns) -> tuple[int, int]:
        """In how many ns both ends would be done with a piece of this size that is sent now."""
        ns = self._offset(now) + self.ns_per_byte * (size - 1)
        return int(ns), int(ns + self.L + self.o)

    def _offset(self, now: Ns) -> int:
        if self.before == SENDING and 0 <= self.o + (now - self.last_ns) <= self.g:
            return int(self.g - (now - self.last_ns))
        return self.o

    def _go_on(self, now: Ns) -> None:
        if self.state or not self.sends:
            return
        other = self.partner
        if self.in_a_row > TURNS and other.sends and other.in_a_row <= TURNS:
            other._go_on(now)
            return
        offset = self._offset(now) if self.before == SENDING else self.o
        piece = self.sends.popleft()
        sent = offset + self.ns_per_byte * (piece.size - 1)
        other.receives.append(piece)
        other.before, other.state = other.state, RECEIVING
        other.in_a_row = 0
        after = self.turns.after
        delay = int(sent + self.L + self.o)
        after(delay, other.is_received, now + delay)
        self.state = SENDING
        delay = int(sent)
        after(delay, self.is_sent, now + delay)

    def _sent(self, now: Ns) -> None:
        self.last_ns = now
        self.before, self.state = self.state, FREE
        self.in_a_row += 1
        if self.sends:
            self._go_on(now)

    def _received(self, now: Ns) -> None:
        self.last_ns = now
        receives = self.receives
        self.before = self.state
        if len(receives) < 2:
            self.state = FREE
        piece = receives[0]
        if piece.adds_up:
            piece.adds_up = False
            if self.inner:
                self.inner.near.send(Piece(piece.size, False, True, self._add_later, piece), now)
            else:
                self.to_add.append(piece)
            self._add(now)
        else:
            self._pass_on(piece, now)
        receives.popleft()
        if self.sends:
            self._go_on(now)

    def _pass_on(self, piece: Piece, now: Ns) -> None:
        if piece.returns:
            piece.returns = False
            if self.inner:
                self.inner.near.send(Piece(piece.size, False, True, self.send, piece), now)
            else:
                self.sends.append(piece)
        elif self.inner:
            self.inner.near.send(Piece(piece.size, False, False, self._retire, piece), now)
        else:
            piece.done(piece.what, now)

    def _retire(self, piece: Piece, now: Ns) -> None:
        piece.done(piece.what, now)
        self._go_on(now)

    def _add_later(self, piece: Piece, now: Ns) -> None:
        self.to_add.append(piece)
        self._add(now)
        self._go_on(now)

    def _add(self, now: Ns) -> None:
        if self.to_add and not self.adding:
            self.adding = True
            delay = self.to_add[0].size // 100 * self.add_ns + 50
            self.turns.after(delay, self._added, now + delay)

    def _added(self, now: Ns) -> None:
        self.adding = False
        self._pass_on(self.to_add[0], now)
        self.to_add.popleft()
        self._add(now)
        self._go_on(now)


class SharedBus:
    """A bus with its near side (the NPU's) and its far side (the network's)."""

    __slots__ = ("far", "near", "time")

    def __init__(self, bus: Bus, ns_per_byte: float, turns: InTurn, time: Time) -> None:
        """A bus of one NPU with nothing behind it."""
        self.near, self.far = (Side(bus, ns_per_byte, turns) for _ in range(2))
        self.near.partner, self.far.partner = self.far, self.near
        self.time = time

    @classmethod
    def with_memory(cls, bus: Bus, turns: InTurn, time: Time) -> SharedBus:
        """The outer bus, with the inner one behind its near side. turns, time: of its NPU."""
        outer = cls(bus, float32(bus.G), turns, time)
        outer.near.inner = cls(bus, INNER_G, turns, time)
        return outer

    def cross(self, how: Crossing, message_bytes: int, action: Action, what: Any) -> None:
        """Do action(what) when `message_bytes` have crossed the bus."""
        side = self.near if how.outwards else self.far
        side.request(Piece(message_bytes, how.adds_up, how.returns, _act, (action, what)), self.time.now)

    def may_begin(self, message_bytes: int) -> bool:
        """Whether data may as well begin to go outwards now as after what the outer sides are about to send.

        All begin in the order in which they were handed in; only what ends in the same ns ends in another order.
        """
        assert self.near.inner
        now, begins = self.time.now, self.near.inner.far
        about = [side for side in (self.near, self.far) if not side.state and side.sends]
        if begins.state or not about:
            return True
        first = begins.sends[0].size if begins.sends else message_bytes
        ends = _ends(begins, first, now)
        return all(ends.isdisjoint(_ends(side, side.sends[0].size, now)) for side in about)


def _act(what: tuple[Action, Any], _: Ns) -> None:
    what[0](what[1])


def _ends(side: Side, size: int, now: Ns) -> set[int]:
    """In how many ns a piece that is sent now would be done at both ends, or one of the other side's in its place."""
    ends = {*side.would_end(size, now)}
    if side.in_a_row > TURNS and side.partner.sends:
        ends |= {*side.partner.would_end(side.partner.sends[0].size, now)}
    return ends


class Crossing(NamedTuple):
    """How the data of a token cross the bus: in which direction, whether they are added up and come back."""

    outwards: bool
    adds_up: bool
    returns: bool


def crossing(
    collective: Collective, traits: Traits, npus: int, window: int, k: int, in_group: bool = False
) -> Crossing:
    """The k-th crossing (from 0) of a phase: lots of `window` go outwards, lots of others come in, in turn.

    in_group: whether it is a process group's, where ASTRA-sim 2.x takes larger lots in the direct algorithm.
    """
    others = traits.others(npus) if traits.others else window * (npus - 1) if in_group else window
    turn, place = divmod(k, window + others)
    if place < window:
        return Crossing(True, False, False)
    all_reduces = collective is Collective.ALL_REDUCE and turn % 2 == 0
    adds_up = collective is Collective.REDUCE_SCATTER or all_reduces
    return Crossing(False, adds_up, window + others - place > window)
