"""A whole training iteration of a model, by a strategy, on a device and a platform."""

from astra_edu.explore.iteration.candidates import candidates, described
from astra_edu.explore.iteration.estimate import estimate
from astra_edu.explore.iteration.groups import groups
from astra_edu.explore.iteration.plan_times import PlannedIteration
from astra_edu.explore.iteration.plans import Plan, Plans, plans
from astra_edu.explore.iteration.result import Iteration
from astra_edu.explore.iteration.search import fastest, fewest_npus, fitting, npus_needed
from astra_edu.explore.iteration.searched import Searched
from astra_edu.explore.iteration.stage_times import StageTimes
from astra_edu.explore.iteration.step_times import StepTimes, step_times

__all__ = [
    "Iteration",
    "Plan",
    "PlannedIteration",
    "Plans",
    "Searched",
    "StageTimes",
    "StepTimes",
    "candidates",
    "described",
    "estimate",
    "fastest",
    "fewest_npus",
    "fitting",
    "groups",
    "npus_needed",
    "plans",
    "step_times",
]
