"""What is left of a long training when NPUs fail: checkpoints, restarts, and the goodput.

A TrainingJob says what trains and what fails; `goodput` follows it over days, event by event, `formulas` say the same
on average. Published reports of long trainings stand in `published`.
"""

from astra_edu.reliability.formulas import best_every, daly_s, goodput_share, young_s
from astra_edu.reliability.job import TrainingJob
from astra_edu.reliability.result import KINDS, Goodput, JobSpan
from astra_edu.reliability.run import goodput
from astra_edu.reliability.seeds import Intervals, OverSeeds, intervals, over_seeds

__all__ = [
    "KINDS",
    "Goodput",
    "Intervals",
    "JobSpan",
    "OverSeeds",
    "TrainingJob",
    "best_every",
    "daly_s",
    "goodput",
    "goodput_share",
    "intervals",
    "over_seeds",
    "young_s",
]
