"""Durations as traces have them: whole microseconds."""

from __future__ import annotations

from astra_edu.base.errors import choice

ROUNDINGS = ("carry", "nearest", "up")


class Rounding:
    """Times in ns, one after the other, as whole µs.

    how: "carry" passes what a time was rounded by on to the next one, so that times that follow each other are less
    than 1 µs off together, however many they are; "nearest" rounds each for itself, a half up; "up" leaves none out.
    """

    def __init__(self, how: str = "carry") -> None:
        """Nothing to carry yet."""
        self.how = choice("rounding", how, ROUNDINGS)
        self._time_ns = 0.0
        self._micros = 0

    def micros(self, time_ns: float) -> int:
        """The next time."""
        if self.how == "up":
            return int(-(-time_ns // 1000))
        if self.how == "nearest":
            return int((time_ns + 500) // 1000)
        self._time_ns += time_ns
        given, self._micros = self._micros, int((self._time_ns + 500) // 1000)
        return self._micros - given
