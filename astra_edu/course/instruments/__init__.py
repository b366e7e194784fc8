"""Instruments: each shows one idea of the lectures, fed by the simulator, and asks for a prediction first."""

from astra_edu.course.instruments.budget import SpendTheBudget
from astra_edu.course.instruments.chunks import ChunksOverDimensions
from astra_edu.course.instruments.cut import CutTheModel
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.leaderboard import leaderboard
from astra_edu.course.instruments.order import OrderTheSteps
from astra_edu.course.instruments.stages import Stages
from astra_edu.course.instruments.training import TrainingIteration

__all__ = [
    "ChunksOverDimensions",
    "CutTheModel",
    "Instrument",
    "OrderTheSteps",
    "SpendTheBudget",
    "Stages",
    "TrainingIteration",
    "leaderboard",
]
