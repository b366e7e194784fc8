"""What the points of a space can't be below: a cheap function of their settings, asked of all of them at once."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from time import monotonic
from typing import Any

from astra_edu.base.errors import ConfigError, function, shown
from astra_edu.explore.given import arguments
from astra_edu.explore.iteration import estimate
from astra_edu.explore.search.bounds_known import estimated_ns, simulated_ns
from astra_edu.explore.search.goals import Goals
from astra_edu.explore.search.space import Place, Space
from astra_edu.run.simulate import simulate

MOST_BOUNDED = 100_000
"""Points whose bounds are looked at one by one."""
KNOWN: dict[Any, tuple[Callable[..., float | None], tuple[str, ...]]] = {
    simulate: (simulated_ns, ("workload", "passes", "platform")),
    estimate: (estimated_ns, ("model", "strategy", "device", "platform")),
}
"""run: (its bound of "at_least_ns", the settings that the bound reads)."""


@dataclass(frozen=True)
class Bound:
    """run: gives what the objective can't be below, or None where it can't say. reads: the settings it depends on.

    checked: whether it is somebody's own, of which a run may show that it is none.
    """

    run: Callable[..., Any]
    reads: tuple[str, ...]
    given: Mapping[str, Any]
    checked: bool = False

    def of_places(self, space: Space, until: float | None = None) -> dict[Place, float] | None:
        """For each way to choose those of the axes that it reads; None where there are too many.

        until: of `monotonic`, in s; None, too, where they aren't ready by then.
        """
        axes = self.axes(space)
        part = space.only([space.axes[k] for k in axes])
        if part.size is None or part.size > MOST_BOUNDED:
            return None
        found = {}
        for place in part.places():
            if until is not None and monotonic() >= until:
                return None
            found[place] = self._of(part.point(place))
        return found

    def axes(self, space: Space) -> list[int]:
        """The numbers of the axes that it reads."""
        return [k for k, axis in enumerate(space.axes) if any(_meet(axis.name, name) for name in self.reads)]

    def _of(self, point: dict[str, Any]) -> float:
        """-inf where nothing is known: the settings don't fit, or the function has no answer."""
        try:
            made = arguments(self.given, point)
            value = self.run(**{name: each for name, each in made.items() if name in self._takes()})
        except ConfigError:
            return -math.inf
        except Exception as problem:  # whatever a stranger's function raises
            if self.checked:
                raise ConfigError(f"bound fails with {type(problem).__name__}: {problem}") from problem
            raise
        if value is None:
            return -math.inf
        if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
            raise ConfigError(f"bound gives {shown(value)}; let it give a number that the objective can't be below.")
        return float(value)

    def _takes(self) -> list[str]:
        return list(inspect.signature(self.run).parameters)


def bound_of(run: Any, given: Mapping[str, Any], goals: Goals, own: Any) -> Bound | None:
    """A bound of one's own, or the one known of a run and "at_least_ns"; None where there is none."""
    if own is not None:
        try:
            parameters = inspect.signature(function("bound", own, "give a function of settings")).parameters
        except ValueError:
            raise ConfigError(f"bound is {shown(own)}, whose parameters can't be read; give a function.") from None
        if len(goals.objectives) > 1:
            raise ConfigError("bound is for one objective; leave it out where there are several.")
        if loose := [each.name for each in parameters.values() if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]:
            raise ConfigError(f"bound takes any settings as {loose[0]!r}; let it take those that it reads by name.")
        return Bound(own, tuple(parameters), given, checked=True)
    known = next((about for function, about in KNOWN.items() if function is run), None)
    if known is None or goals.objectives != ("at_least_ns",):
        return None
    most = goals.limits.get("memory_bytes")
    limit = {"memory_bytes": most} if run is estimate and isinstance(most, int | float) else {}
    return Bound(*known, {**given, **limit})


def _meet(one: str, other: str) -> bool:
    """Whether one of two settings is inside of the other, or the same."""
    short, long = sorted((one, other), key=len)
    return long == short or (long.startswith(short) and long[len(short)] in ".[")
