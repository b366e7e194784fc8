"""The training loops' clock, with ASTRA-sim's order of what happens in the same nanosecond.

ASTRA-sim takes the events of one ns in the order in which they were foreseen: who began to wait earlier is first.
Among those who began in the same ns, the order was settled by the same rule then, and so on back. We look back three
waits: an event's place within its ns is one large number, made of the last three times at which its coming was
foreseen, and of a rank for where even these are equal.

An example: at 100 ns, A has waited 30 ns, 20 before that and 10 before that, so its coming was foreseen at 70, before
that at 50, before that at 40. B has waited 30, 25, 5: foreseen at 70, 45, 40. A's place is the digits (70, 50, 40) of a
number, B's (70, 45, 40): B is first, as of two that began to wait at 70, its turn had been foreseen earlier. (A digit
has 64 bits, so that comparing two whole numbers compares their digits from the left.) A phase knows its last waits
before it begins, but not yet when; `lookback` packs the waits' sums (30, 50, 60 for A) so that its place is "100, 100,
100" minus them: one subtraction when the phase starts, instead of following every step of it.

>>> a, b = (100 * _EVERY_TIME - lookback(waits) for waits in ((30, 20, 10), (30, 25, 5)))
>>> [a >> _SHIFT * place & 2**_SHIFT - 1 for place in (2, 1, 0)], b < a
([70, 50, 40], True)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Ns
from astra_edu.clock.generators import Environment, Event

_SHIFT = 64
_WAITS = 3
_RANKS = 8
_EVERY_TIME = sum(1 << _SHIFT * place for place in range(_WAITS))


def lookback(waits: Sequence[Ns]) -> int:
    """What the place of an event that comes after these waits, last first, is short of its time repeated."""
    total, number = 0.0, 0
    for place in range(_WAITS):
        total += waits[place] if place < len(waits) else 0
        number = number << _SHIFT | int(total)
    return number


class Happening(Event):
    """An event that will certainly come. foreseen: its place within its ns; what: anything its callback needs."""

    __slots__ = ("foreseen", "what")

    def __init__(self, callback: Callable[[Happening], object], foreseen: int, what: object) -> None:
        """To be scheduled at once."""
        self.callbacks = [callback]
        self.triggered = True
        self.foreseen = foreseen
        self.what = what


@mypyc_attr(allow_interpreted_subclasses=True)
class LoopClock:
    """Runs actions at their time. env: what training loops run in, and `now`."""

    def __init__(self) -> None:
        """A clock at 0 ns with nothing to do."""
        self.env = Environment()
        self._foreseen = 0

    @property
    def now(self) -> int:
        """The time in whole ns, as ASTRA-sim reads it, also where messages end in between."""
        return int(self.env.now)

    def run(self) -> None:
        """Go on until nothing is left to do."""
        self.env.run()

    def timeout(self, delay: Ns) -> Event:
        """An event that comes in `delay` ns."""
        foreseen = self._foreseen_now()
        event = Happening(self.came, foreseen, None)
        self.env.schedule(event, foreseen, delay)
        return event

    def after(self, delay: Ns, action: Callable[[], object]) -> None:
        """Do `action` in `delay` ns."""
        foreseen = self._foreseen_now()
        self.env.schedule(Happening(self._act, foreseen, action), foreseen, delay)

    def after_waits(
        self, delay: Ns, lookback: int, rank: int, callback: Callable[[Happening], object], what: object
    ) -> None:
        """Call callback(event), with event.what = what, in `delay` ns, at the end of several waits.

        lookback: of these waits, see there. rank: what decides where all of them are equal, lower first. The callback
        must begin with `clock.came(event)`.
        """
        foreseen = (int(self.env.now + delay) * _EVERY_TIME - lookback) << _RANKS | rank
        self.env.schedule(Happening(callback, foreseen, what), foreseen, delay)

    def came(self, event: Happening) -> None:
        """What follows now follows from this event."""
        self._foreseen = event.foreseen

    def wake(self, event: Event) -> None:
        """Let what waits for `event` go on at once, before anything else happens in this ns."""
        self.env.schedule(event, -1)

    def _foreseen_now(self) -> int:
        """The place of an event that is foreseen now, by what happens now."""
        return (int(self.env.now) << _SHIFT * (_WAITS - 1) | self._foreseen >> _SHIFT + _RANKS) << _RANKS

    def _act(self, event: Happening) -> None:
        self._foreseen = event.foreseen
        event.what()  # type: ignore[operator]
