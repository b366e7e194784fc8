"""A whole training iteration of a model, by a strategy, on a device and a platform."""

from astra_edu.course.studies.iteration.candidates import candidates, described
from astra_edu.course.studies.iteration.estimate import Iteration, estimate
from astra_edu.course.studies.iteration.groups import groups
from astra_edu.course.studies.iteration.search import fastest, fewest_npus, fitting, npus_needed
from astra_edu.course.studies.iteration.stage_times import StageTimes

__all__ = [
    "Iteration",
    "StageTimes",
    "candidates",
    "described",
    "estimate",
    "fastest",
    "fewest_npus",
    "fitting",
    "groups",
    "npus_needed",
]
