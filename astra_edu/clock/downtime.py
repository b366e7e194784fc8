"""When an NPU is down: what it does goes on afterwards, where it stopped, and what comes to it waits until then."""

from __future__ import annotations

from itertools import pairwise
from math import inf

from astra_edu.base.errors import ConfigError, list_of, shown, whole
from astra_edu.clock.events import Event, Schedules, Turns


class Downtime:
    """The times at which an NPU is down. spans: (from_ns, until_ns), in order; until_ns may be infinity.

    >>> from astra_edu.clock.downtime import Downtime
    >>> down = Downtime(3, [(100, 150), (400, float("inf"))])
    >>> down.up(120), down.after(90, 50), down.after(90, 290)
    (150, 190, inf)
    """

    def __init__(self, npu: int, spans: object) -> None:
        """spans: what down(npu) gave. Raises ConfigError where that is nothing of the kind."""
        self.npu = npu
        right = "give (from_ns, until_ns) of each time at which it is down, or ()"
        found = [self._span(span) for span in list_of(f"down({npu})", spans, right)]
        for before, after in pairwise(found):
            if after[0] <= before[1]:
                raise ConfigError(f"down({npu}) has {before} and then {after}; give them in order, with time between.")
        self.spans: tuple[tuple[int, float], ...] = tuple(found)

    def _span(self, span: object) -> tuple[int, float]:
        right = "give (from_ns, until_ns), until_ns after from_ns, or math.inf"
        if not isinstance(span, (tuple, list)) or len(span) != 2:
            raise ConfigError(f"down({self.npu}) has {shown(span)}; {right}.")
        start = whole(f"from_ns of down({self.npu})", span[0], at_least=0)
        end = inf if span[1] == inf else whole(f"until_ns of down({self.npu})", span[1], at_least=0)
        if end <= start:
            raise ConfigError(f"down({self.npu}) has {shown(span)}; {right}.")
        return start, end

    def up(self, ns: float) -> float:
        """The first time from `ns` on at which it isn't down."""
        for start, end in self.spans:
            if start <= ns < end:
                return end
        return ns

    def after(self, now: int, delay: int) -> float:
        """When it has been up for `delay` ns from now on."""
        end: float = now + delay
        for start, until in self.spans:
            if until > now and start <= end:
                end += until - max(start, now)
        return end

    @property
    def for_ever_ns(self) -> int | None:
        """From when on it never comes back; None where it always does."""
        return self.spans[-1][0] if self.spans and self.spans[-1][1] == inf else None


class PausedTurns(Turns):
    """The turns of an NPU that is down at times."""

    def __init__(self, clock: Schedules, downtime: Downtime) -> None:
        """Nothing to do yet."""
        super().__init__(clock)
        self.downtime = downtime

    def add(self, delay: int, event: Event) -> None:
        """Let an event happen after `delay` ns of being up; never, where it doesn't come back."""
        end = self.downtime.after(self.clock.now, delay)
        if end < inf:
            super().add(int(end) - self.clock.now, event)
