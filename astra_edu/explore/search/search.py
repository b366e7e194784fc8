"""A search: which settings make a run's numbers smallest, within limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from math import inf
from time import monotonic
from typing import Any

from astra_edu.base.errors import ConfigError, choice, flag, function, positive, shown, whole
from astra_edu.base.files import FileName
from astra_edu.base.progress import Bar
from astra_edu.explore.given import check
from astra_edu.explore.search.bounds import Bound, bound_of
from astra_edu.explore.search.exact import ByBound, every_point
from astra_edu.explore.search.goals import Limit, Objective, goals_of
from astra_edu.explore.search.heuristic import sampled
from astra_edu.explore.search.layered import applies, best_of, layered
from astra_edu.explore.search.result import Search
from astra_edu.explore.search.space import Place, space_of
from astra_edu.explore.search.trials import Trials
from astra_edu.explore.store import opened
from astra_edu.explore.task import Task
from astra_edu.run.simulate import simulate

METHODS = ("auto", "exact", "heuristic")
BOUNDED_FIRST = 4
"""A part of the budget, one in so many, goes to the points with the lowest bounds before others are sampled."""
BOUNDED_TIME = 4
"""A part of the time, one in so many, may go to bounds; if they take longer, points are run without."""


def search(
    space: Mapping[str, Any],
    objective: Objective | Sequence[Objective] = "at_least_ns",
    constraints: Mapping[str, Limit] | None = None,
    budget: int = 1000,
    *,
    run: Callable[..., Any] = simulate,
    given: Mapping[str, Any] = {},
    bound: Callable[..., float] | None = None,
    seconds: float | None = None,
    method: str = "auto",
    executor: Executor | None = None,
    store: FileName | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Search:
    """The settings for which a run's number is smallest.

    space: name -> values, as a sweep's, a Range of numbers, or what ae.bandwidths, ae.shapes, ae.algorithms,
    ae.placements, ae.candidates and ae.plans give. objective: the name of one of the run's numbers, or a function of a
    row (settings and numbers, by name); several give a frontier. constraints: name -> the most, (the least, the most),
    or a function of a row that says whether it is kept. budget: points that are run at most. run, given, executor,
    store, seed, progress: as in ae.sweep; a search that was stopped goes on from its store. bound: takes some of the
    settings that a run takes, and gives what the objective can't be below; known for "at_least_ns" of ae.simulate and
    ae.estimate. seconds: no point but the first begins later, and bounds take a quarter of it at most. method: "exact"
    refuses a space that the budget isn't enough for; "heuristic" samples any.

    A space of no more points than the budget is searched exactly: all points, or those that their bounds don't rule
    out. ae.plans are searched exactly by dynamic programming, whatever their number, for "at_least_ns" of ae.estimate
    with no limit but one of "memory_bytes". Larger spaces: those with the lowest bounds, then by Optuna's samplers,
    then what lies beside the best. Everything follows from the seed, unless `seconds` ends it.

    A point that fails is a row with a sentence, and one whose objective is no finite number is never the best. Raises
    ConfigError for a space, names or limits that make no sense.

    >>> work = ae.Workload.micro("all-reduce", 2**26)
    >>> platforms = ae.bandwidths(ae.preset("conv-3d"), total=350, steps=7)
    >>> ae.search({"platform": platforms}, given={"workload": work}).best["platform"].network[0].bandwidth
    250.0
    """
    goals = goals_of(objective, constraints)
    function("run", run, "give a function of the settings")
    choice("method", method, METHODS)
    flag("progress", progress)
    most, seed = whole("budget", budget, at_least=1), whole("seed", seed, at_least=0)
    if isinstance(executor, type) or (executor is not None and not hasattr(executor, "submit")):
        raise ConfigError(f"executor is {shown(executor)}; give one such as concurrent.futures.ProcessPoolExecutor().")
    deadline = None if seconds is None else monotonic() + positive("seconds", seconds)
    task = Task(run, check(given), progress)
    by_plan = method != "heuristic" and applies(space, run, goals)
    places = best_of(space["strategy"], task.given, goals) if by_plan else space_of(space)
    limit = bound_of(run, task.given, goals, bound)
    with opened(store, task.whose if store is not None else "") as kept, Bar("search", " points", most) as bar:
        trials = Trials(places, task, goals, seed, most, deadline, executor, kept, bar if progress else None)
        return layered(trials, space["strategy"]) if by_plan else _searched(trials, limit, method)


def _searched(trials: Trials, bound: Bound | None, method: str) -> Search:
    """By the method that the space's size and bound allow."""
    space, size = trials.space, trials.space.size
    if method == "exact" and (size is None or (size > trials.budget and bound is None)):
        count = "uncountably many" if size is None else f"{size:,}"
        raise ConfigError(
            f"the space has {count} points, and the budget is {trials.budget:,}; raise it, give fewer values, or take "
            "method='auto'."
        )
    known = bound.of_places(space, _bounds_until(trials, method)) if bound is not None else None
    by_bound = _by_bound(trials, bound, known) if bound is not None and known is not None else None
    how = ""
    if by_bound is not None and method != "heuristic":
        by_bound.run(trials.budget if trials.complete or method == "exact" else trials.budget // BOUNDED_FIRST)
        if by_bound.can_end:
            by_bound.run(trials.budget)
    elif method == "exact" or (trials.complete and method != "heuristic"):
        every_point(trials)
    if not _ended(trials, by_bound) and method != "exact" and trials.left:
        how = sampled(trials)
    if by_bound is not None and method != "heuristic" and by_bound.can_end:
        by_bound.run(trials.budget)
    exact = _ended(trials, by_bound)
    if exact:
        how = _exactly(trials)
    elif not how:
        how = "until its budget was spent" if len(trials.known) >= trials.budget else "until its time was over"
    lower = _lower(trials, by_bound, known, exact)
    return Search(trials.goals, tuple(trials.known.values()), size, exact, how, lower)


def _bounds_until(trials: Trials, method: str) -> float | None:
    """When there have to be bounds; "exact" can't do without."""
    if trials.deadline is None or method == "exact":
        return trials.deadline
    now = monotonic()
    return now + (trials.deadline - now) / BOUNDED_TIME


def _by_bound(trials: Trials, bound: Bound, known: Mapping[Place, float]) -> ByBound | None:
    """The bounds of all points, if they aren't too many."""
    from astra_edu.explore.search.bounds import MOST_BOUNDED

    size = trials.space.size
    if size is None or size > MOST_BOUNDED or len(trials.goals.objectives) > 1:
        return None
    axes = bound.axes(trials.space)
    bounds = [(known[tuple(place[k] for k in axes)], place) for place in trials.space.places()]
    return ByBound(trials, bounds, bound.checked)


def _ended(trials: Trials, by_bound: ByBound | None) -> bool:
    """Whether nothing that could be better is left."""
    return len(trials.known) == trials.space.size or (by_bound is not None and not by_bound.open)


def _exactly(trials: Trials) -> str:
    done, size = len(trials.known), trials.space.size
    if done == size:
        return f"as all {size:,} points were run" if size > 1 else "as there is but one point"
    return f"as {done:,} of {size:,} points were run and the bounds of the others are no better"


def _lower(trials: Trials, by_bound: ByBound | None, known: Mapping[Place, float] | None, exact: bool) -> float | None:
    """What no point can be below."""
    best = trials.best
    if len(trials.goals.objectives) > 1:
        return None
    if exact:
        return best.values[0] if best and best.values else None
    if by_bound is not None:
        return by_bound.lower if abs(by_bound.lower) < inf else None
    lower = min(known.values()) if known else -inf
    return lower if abs(lower) < inf else None
