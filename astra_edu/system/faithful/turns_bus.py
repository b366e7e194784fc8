"""An NPU's shared bus in the turns of its NPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from astra_edu.clock.events import Action
from astra_edu.system.faithful.bus import Crossing, Piece, SharedBus, Time
from astra_edu.system.settings import Bus


class BusTurns(Protocol):
    """The turns of an NPU: what they do, and the clock that they follow."""

    @property
    def clock(self) -> Time:
        """The time in ns."""

    def after(self, delay: int, action: Action, what: Any = None) -> None:
        """Do action(what) in `delay` ns."""


class TurnsBus:
    """An NPU's shared bus (see bus.py) in its turns."""

    def __init__(self, bus: Bus, turns: BusTurns) -> None:
        """An idle bus."""
        self.env = turns.clock
        self.turns = turns
        self._bus = SharedBus.with_memory(bus, self, None)

    def after_for(self, npu: object, delay: float, action: Callable[[], object]) -> None:
        """Do `action` in `delay` ns. See bus.BusClock."""
        self.turns.after(int(delay), lambda _: action())

    def cross(self, how: Crossing, size: int, action: Action, what: Any) -> None:
        """Do action(what) when `size` bytes have crossed the bus."""
        side = self._bus.near if how.outwards else self._bus.far
        side.request(Piece(size, how.adds_up, how.returns, lambda: action(what)))
