"""The training loops' clock where every message is followed: one turn for everything that an NPU does in a ns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import simpy

from astra_edu.clock.events import Action
from astra_edu.clock.lookback import Happening, LoopClock

Done = Callable[[], object]


class TurnsClock(LoopClock):
    """A clock that takes events of the same ns in the order in which they were foreseen, NPU by NPU.

    All that one NPU does in a ns is one event to ASTRA-sim; it stands where the first of it was foreseen.
    """

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        super().__init__()
        self._turns: dict[object, list[tuple[Action, Any]]] = {}

    def timeout(self, delay: float) -> simpy.Event:
        """An event that comes in `delay` ns, in NPU 0's turn."""
        event = self.env.event()
        self.after_for(0, delay, self.wake, event)
        return event

    def after(self, delay: float, action: Done) -> None:
        """Do `action` for NPU 0 in `delay` ns."""
        self.after_for(0, delay, lambda _: action())

    def after_for(self, npu: object, delay: float, action: Action, what: Any = None) -> None:
        """Do action(what) for an NPU in `delay` ns."""
        key = npu, self.env.now + delay
        actions = self._turns.get(key)
        if actions is not None:
            actions.append((action, what))
            return
        self._turns[key] = [(action, what)]
        event = Happening(self.env, self._take_turn, 1, key)
        self.env.schedule(event, 1, delay)  # type: ignore[arg-type]

    def on_the_network(self, delay: float, action: Done) -> None:
        """Do `action` in `delay` ns, as an event of its own."""
        event = Happening(self.env, lambda _: action(), 1, None)
        self.env.schedule(event, 1, delay)  # type: ignore[arg-type]

    def _take_turn(self, event: Happening) -> None:
        """One action after the other, and between them, what the last one woke."""
        key = event.what
        actions = self._turns[key]
        action, what = actions.pop(0)
        action(what)
        if actions:
            event = Happening(self.env, self._take_turn, 0, key)
            self.env.schedule(event, 0)  # type: ignore[arg-type]
        else:
            del self._turns[key]


class LoopTurns:
    """What one NPU does, all of a ns in one turn of a TurnsClock."""

    def __init__(self, clock: TurnsClock, npu: object) -> None:
        """Nothing to do yet."""
        self._turns = clock
        self._npu = npu

    def after(self, delay: int, action: Callable[[Any], object], what: Any = None) -> None:
        """Do action(what) in `delay` ns, in this NPU's turn."""
        self._turns.after_for(self._npu, delay, action, what)
