"""Instruments: each shows one idea of the lectures, fed by the simulator, and asks for a prediction first."""

from astra_edu.course.instruments.bandwidths import BandwidthSliders
from astra_edu.course.instruments.budget import SpendTheBudget
from astra_edu.course.instruments.case import CaseStudies
from astra_edu.course.instruments.chunks import ChunksOverDimensions
from astra_edu.course.instruments.cut import CutTheModel
from astra_edu.course.instruments.explorer import Explorer
from astra_edu.course.instruments.feed import FeedTheNetwork
from astra_edu.course.instruments.folds import Folds
from astra_edu.course.instruments.held import HeldAgainst
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.keep import KeepTraining
from astra_edu.course.instruments.leaderboard import leaderboard
from astra_edu.course.instruments.links import LinksAndCongestion
from astra_edu.course.instruments.memory import MemorySystems
from astra_edu.course.instruments.order import OrderTheSteps
from astra_edu.course.instruments.runs import HeldAgainstRuns
from astra_edu.course.instruments.stages import Stages
from astra_edu.course.instruments.trace import BuildATrace
from astra_edu.course.instruments.training import TrainingIteration
from astra_edu.course.instruments.waits import WhoWaits
from astra_edu.course.instruments.what_if import WhatIf

__all__ = [
    "BandwidthSliders",
    "BuildATrace",
    "CaseStudies",
    "ChunksOverDimensions",
    "CutTheModel",
    "Explorer",
    "FeedTheNetwork",
    "Folds",
    "HeldAgainst",
    "HeldAgainstRuns",
    "Instrument",
    "KeepTraining",
    "LinksAndCongestion",
    "MemorySystems",
    "OrderTheSteps",
    "SpendTheBudget",
    "Stages",
    "TrainingIteration",
    "WhatIf",
    "WhoWaits",
    "leaderboard",
]
