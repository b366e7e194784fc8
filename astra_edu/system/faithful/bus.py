"""The NPU's shared bus: the LogGP model that ASTRA-sim offers instead of a fixed endpoint delay.

Every piece of data that an NPU sends or receives crosses a bus between the NPU and the network's memory agent; on the
NPU's side each crossing is followed or preceded by one of an inner bus, to the NPU's memory. A bus carries one piece
at a time in each direction of its two sides, and both sides take turns. Nothing here knows of collectives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, Protocol

from astra_edu.base.units import float32
from astra_edu.clock.events import Action
from astra_edu.collectives import Collective, Traits
from astra_edu.system.settings import Bus


class Time(Protocol):
    """Something that knows the time."""

    @property
    def now(self) -> float:
        """The time in ns."""


class InTurn(Protocol):
    """An NPU's turns."""

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns."""


INNER_G = 0.0038
"""ns per byte on the inner bus, whatever the outer one's G is."""
TURNS = 8
"""After more than this many pieces in a row a side lets the other one go first, if that has something to send."""


class State(Enum):
    """What a side of a bus is doing."""

    FREE = 0
    SENDING = 1
    RECEIVING = 2


@dataclass(eq=False)
class Piece:
    """Some data that cross. adds_up: on arrival they are added to others; returns: then they cross back."""

    size: int
    adds_up: bool
    returns: bool
    done: Callable[[], object]


class Side:
    """One end of a bus."""

    partner: Side

    def __init__(self, bus: Bus, ns_per_byte: float, turns: InTurn, time: Time) -> None:
        """A free side; `inner` is set where another bus lies behind it."""
        self.bus = bus
        self.ns_per_byte = ns_per_byte
        self.turns = turns
        self.time = time
        self.inner: SharedBus | None = None
        self.state = self.before = State.FREE
        self.last_ns: float = 0
        self.in_a_row = 0
        self.adding = False
        self.sends: deque[Piece] = deque()
        self.receives: deque[Piece] = deque()
        self.to_add: deque[Piece] = deque()

    def request(self, piece: Piece) -> None:
        """Send a piece over to the partner; piece.done is called when all is over."""
        if self.inner:
            self.inner.far.request(Piece(piece.size, False, False, lambda: self._send(piece)))
        else:
            self.sends.append(piece)
            self._go_on()

    def _send(self, piece: Piece) -> None:
        self.sends.append(piece)
        self._go_on()

    def _go_on(self) -> None:
        if self.state is not State.FREE or not self.sends:
            return
        other = self.partner
        if self.in_a_row > TURNS and other.sends and other.in_a_row <= TURNS:
            other._go_on()
            return
        offset = self.bus.o
        since = self.time.now - self.last_ns
        if self.before is State.SENDING and self.bus.o + since <= self.bus.g:
            offset = int(self.bus.g - since)
        piece = self.sends.popleft()
        crossing = self.ns_per_byte * (piece.size - 1)
        other._receive(offset + crossing + self.bus.L + self.bus.o, piece)
        self.state = State.SENDING
        self.turns.after(int(offset + crossing), self._sent)

    def _sent(self, _: object) -> None:
        self._turn(State.FREE)
        self.in_a_row += 1
        self._go_on()

    def _receive(self, delay: float, piece: Piece) -> None:
        self.receives.append(piece)
        self.before, self.state = self.state, State.RECEIVING
        self.in_a_row = 0
        self.turns.after(int(delay), self._received)

    def _turn(self, state: State) -> None:
        self.last_ns = self.time.now
        self.before, self.state = self.state, state

    def _received(self, _: object) -> None:
        self._turn(State.FREE if len(self.receives) < 2 else self.state)
        piece = self.receives[0]
        if piece.adds_up:
            piece.adds_up = False
            if self.inner:
                self._through_inner(piece, True, lambda: self._add_later(piece))
            else:
                self.to_add.append(piece)
            self._add()
        else:
            self._pass_on(piece)
        self.receives.popleft()
        self._go_on()

    def _pass_on(self, piece: Piece) -> None:
        if piece.returns:
            piece.returns = False
            if self.inner:
                self._through_inner(piece, True, lambda: self._send(piece))
            else:
                self.sends.append(piece)
        elif self.inner:
            self._through_inner(piece, False, lambda: self._retire(piece))
        else:
            piece.done()

    def _through_inner(self, piece: Piece, and_back: bool, then: Callable[[], object]) -> None:
        assert self.inner
        self.inner.near.request(Piece(piece.size, False, and_back, then))

    def _retire(self, piece: Piece) -> None:
        piece.done()
        self._go_on()

    def _add_later(self, piece: Piece) -> None:
        self.to_add.append(piece)
        self._add()
        self._go_on()

    def _add(self) -> None:
        if self.to_add and not self.adding:
            self.adding = True
            self.turns.after(self.to_add[0].size // 100 * self.bus.reduction_delay + 50, self._added)

    def _added(self, _: object) -> None:
        self.adding = False
        self._pass_on(self.to_add[0])
        self.to_add.popleft()
        self._add()
        self._go_on()


class SharedBus:
    """A bus with its near side (the NPU's) and its far side (the network's)."""

    def __init__(self, bus: Bus, ns_per_byte: float, turns: InTurn, time: Time) -> None:
        """A bus of one NPU with nothing behind it."""
        self.near, self.far = (Side(bus, ns_per_byte, turns, time) for _ in range(2))
        self.near.partner, self.far.partner = self.far, self.near

    @classmethod
    def with_memory(cls, bus: Bus, turns: InTurn, time: Time) -> SharedBus:
        """The outer bus, with the inner one behind its near side. turns: of its NPU; time: also between two ns."""
        outer = cls(bus, float32(bus.G), turns, time)
        outer.near.inner = cls(bus, INNER_G, turns, time)
        return outer

    @property
    def settled(self) -> bool:
        """Whether neither side is about to send what it could have sent already."""
        return all(side.state is not State.FREE or not side.sends for side in (self.near, self.far))

    def cross(self, how: Crossing, message_bytes: int, action: Action, what: Any) -> None:
        """Do action(what) when `message_bytes` have crossed the bus."""
        side = self.near if how.outwards else self.far
        side.request(Piece(message_bytes, how.adds_up, how.returns, lambda: action(what)))


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
