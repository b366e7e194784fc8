"""Collectives as data: algorithms that make schedules, and what can be read off a schedule.

One module an algorithm. Each function takes the number of NPUs (and a root, where there is one) and gives the
schedule's groups of rounds; `schedule()` looks it up by name.
"""

from astra_edu.collectives.algorithm import Algorithm
from astra_edu.collectives.build import algorithms_for, hierarchical, known_schedule, schedule
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.counts import Counts, counts
from astra_edu.collectives.hierarchical import walk
from astra_edu.collectives.proof import ProofError, prove
from astra_edu.collectives.registry import ALGORITHMS, register_algorithm
from astra_edu.collectives.schedule import Op, Rounds, Schedule, Step, Traits, Transfer

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Collective",
    "Counts",
    "Op",
    "ProofError",
    "Rounds",
    "Schedule",
    "Step",
    "Traits",
    "Transfer",
    "algorithms_for",
    "counts",
    "hierarchical",
    "known_schedule",
    "prove",
    "register_algorithm",
    "schedule",
    "walk",
]
