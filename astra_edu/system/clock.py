"""SimPy's clock with ASTRA-sim's order of what happens in the same nanosecond.

ASTRA-sim takes the events of one ns in the order in which they were foreseen: who began to wait earlier is first.
Among those who began in the same ns, the order was settled by the same rule then, and so on back. We look back three
waits: an event's place within its ns is a number made of the last three times at which its coming was foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import simpy

_SHIFT = 64
_WAITS = 3
_RANKS = 8


class Happening(simpy.Event):
    """An event that will certainly come, and its place among those of the same ns."""

    def __init__(self, env: simpy.Environment, action: Callable[[], object], foreseen: int) -> None:
        """action: what to do when it comes."""
        super().__init__(env)
        self._ok = True
        self._value = None
        self.action = action
        self.foreseen = foreseen


class Clock:
    """Runs actions at their time. env: the SimPy environment, for training loops and for `now`."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        self.env = simpy.Environment()
        self._foreseen = 0

    @property
    def now(self) -> float:
        """The time in ns."""
        return self.env.now

    def after(self, delay: float, action: Callable[[], object], waits: Sequence[float] = (), rank: int = 0) -> None:
        """Do `action` in `delay` ns.

        waits: the last waits on the way there, last first, where there are several. rank: what decides where all of
        them are equal, lower first.
        """
        if waits:
            time = int(self.env.now + delay)
            foreseen = 0
            for wait in waits[:_WAITS]:
                time -= int(wait)
                foreseen = foreseen << _SHIFT | max(time, 0)
            foreseen <<= _SHIFT * (_WAITS - len(waits[:_WAITS]))
        else:
            foreseen = int(self.env.now) << _SHIFT * (_WAITS - 1) | self._foreseen >> _SHIFT + _RANKS
        foreseen = foreseen << _RANKS | rank
        event = Happening(self.env, action, foreseen)
        event.callbacks.append(self._happen)
        self.env.schedule(event, foreseen, delay)  # type: ignore[arg-type]

    def wake(self, event: simpy.Event) -> None:
        """Let what waits for `event` go on at once, before anything else happens in this ns."""
        event._ok = True
        event._value = None
        self.env.schedule(event, 0)  # type: ignore[arg-type]

    def _happen(self, event: simpy.Event) -> None:
        assert isinstance(event, Happening)
        self._foreseen = event.foreseen
        event.action()
