"""Searches that end with the optimum: all points, or all that a lower bound doesn't rule out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from astra_edu.base.errors import ConfigError
from astra_edu.explore.search.space import Place
from astra_edu.explore.search.trials import Trials, Tried

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

    def __init__(self, trials: Trials, bounds: Sequence[tuple[float, Place]], checked: bool = False) -> None:
        """bounds: (what its objective can't be below, the place) of every point. checked: whether runs are to show."""
        self.trials = trials
        self.of = {place: bound for bound, place in bounds} if checked else {}
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
            for each in self.trials.run(place for _, place in some[: min(left, FIRST)]):
                self._check(each)

    def _check(self, tried: Tried) -> None:
        """Raise ConfigError where a point has less than its bound."""
        bound = self.of.get(tried.place)
        if bound is not None and tried.values and tried.values[0] < bound - 1e-9 * abs(bound):
            raise ConfigError(
                f"bound gives {bound:,} for {tried.words}, and {self.trials.goals.names[0]} is {tried.values[0]:,} "
                "there; let it give what no run can be below."
            )

    @property
    def can_end(self) -> bool:
        """Whether the budget is enough for all that are open."""
        return len(self.open) <= self.trials.left
