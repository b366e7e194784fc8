"""An NPU's shared bus as a phase sees it, and the clock it needs where NPUs have turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from astra_edu.clock.events import Action, Turns
from astra_edu.system.faithful.bus import Crossing, Piece, SharedBus


class NpuBus:
    """An NPU's shared bus; see exchange.CrossedBus."""

    def __init__(self, shared: SharedBus) -> None:
        """shared: the bus itself."""
        self._bus = shared

    def cross(self, how: Crossing, message_bytes: int, action: Action, what: Any) -> None:
        """Do action(what) when `message_bytes` have crossed the bus."""
        side = self._bus.near if how.outwards else self._bus.far
        side.request(Piece(message_bytes, how.adds_up, how.returns, lambda: action(what)))


class TurnsBusClock:
    """The clock of a bus in the turns of one NPU; see bus.BusClock."""

    def __init__(self, turns: Turns) -> None:
        """turns: of the NPU."""
        self.env = turns.clock
        self._turns = turns

    def after_for(self, npu: object, delay: float, action: Callable[[], object]) -> None:
        """Do `action` in `delay` ns."""
        self._turns.after(int(delay), lambda _: action())
