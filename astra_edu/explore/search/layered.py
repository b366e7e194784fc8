"""A strategy for each layer group: the best plan is found without running the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration import estimate
from astra_edu.explore.iteration.plan_search import fastest_plan
from astra_edu.explore.iteration.plans import Plans
from astra_edu.explore.search.axis import Axis
from astra_edu.explore.search.goals import Goals
from astra_edu.explore.search.result import Search
from astra_edu.explore.search.space import Space
from astra_edu.explore.search.trials import Trials
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import model as named_model

TIMES = ("at_least_ns", "total_ns")


def applies(space: Any, run: Any, goals: Goals) -> bool:
    """Whether dynamic programming answers it: ae.plans alone, ae.estimate, a time, and at most a limit of memory."""
    if not isinstance(space, Mapping) or list(space) != ["strategy"] or not isinstance(space["strategy"], Plans):
        return False
    one_time = len(goals.objectives) == 1 and goals.objectives[0] in TIMES
    limits = all(name == "memory_bytes" and isinstance(most, int | float) for name, most in goals.limits.items())
    return run is estimate and one_time and limits


def best_of(plans: Plans, given: Mapping[str, Any], goals: Goals) -> Space:
    """The plan of the shortest iteration, as a space of one point.

    Raises ConfigError where none keeps the limit of memory, with the least that is needed.
    """
    missing = [name for name in ("model", "device", "platform") if name not in given]
    if missing:
        raise ConfigError(
            "a plan is estimated for a model on a device and a platform; give "
            f"{missing[0]}: given={{{missing[0]!r}: ...}}."
        )
    plans.check_model(named_model(given["model"]))
    most: Any = goals.limits.get("memory_bytes")
    plan = fastest_plan(plans, named_device(given["device"]), given["platform"], most)
    return Space((Axis("strategy", (plan,), ({"strategy": repr(plan)[1:-1]},)),))


def layered(trials: Trials, plans: Plans) -> Search:
    """Run that plan, and say what is known of it."""
    trials.run([(0,)])
    best = trials.best
    lower = best.values[0] if best and best.values else None
    count = f"{plans.size:,}" if plans.size < 10**9 else f"{plans.size:.1e}"
    kinds = "plans without pipelines or sequence parallelism"
    how = f"by dynamic programming over {len(plans.starts)} layer groups, of {count} {kinds}"
    return Search(trials.goals, tuple(trials.known.values()), plans.size, best is not None, how, lower)
