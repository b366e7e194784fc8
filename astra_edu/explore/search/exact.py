"""Searches that end with the optimum: all points, or all that a lower bound doesn't rule out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from astra_edu.explore.search.space import Place
from astra_edu.explore.search.trials import Trials

AT_ONCE = 64
"""Points that are given out together."""
FIRST = 8
"""So many are run by the order of their bounds before it is asked what is left."""


def every_point(trials: Trials) -> None:
    """Run all, or as many as the budget allows, in the order of a sweep."""
    places = trials.space.places()
    while trials.left > 0 and (some := list(islice(places, AT_ONCE))):
        trials.run(some)


class ByBound:
    """Points in the order of what they can't be below; which of them can still be better than the best."""

    def __init__(self, trials: Trials, bounds: Sequence[tuple[float, Place]]) -> None:
        """bounds: (what its objective can't be below, the place) of every point."""
        self.trials = trials
        self.bounds = sorted(bounds)

    @property
    def open(self) -> list[tuple[float, Place]]:
        """Those that haven't run and may be better than the best."""
        best = self.trials.best
        most = best.values[0] if best and best.values else float("inf")
        return [(bound, place) for bound, place in self.bounds if bound < most and place not in self.trials.known]

    @property
    def lower(self) -> float:
        """What no point can be below: the least bound of those that are open, or the best."""
        best = self.trials.best
        value = best.values[0] if best and best.values else float("inf")
        return min([value, *(bound for bound, _ in self.open[:1])])

    def run(self, most: int) -> None:
        """Up to `most` points, the lowest bound first."""
        end = len(self.trials.known) + most
        while (left := min(self.trials.left, end - len(self.trials.known))) > 0 and (some := self.open):
            self.trials.run(place for _, place in some[: min(left, FIRST)])

    @property
    def can_end(self) -> bool:
        """Whether the budget is enough for all that are open."""
        return len(self.open) <= self.trials.left
