"""Ways to share a model out among NPUs, and what each of them sends, keeps and writes into a workload file."""

from astra_edu.workload.strategies.communication import communications
from astra_edu.workload.strategies.generate import generate_workload
from astra_edu.workload.strategies.memory import Memory, memory
from astra_edu.workload.strategies.precision import PRECISIONS, Precision
from astra_edu.workload.strategies.sent import Communication
from astra_edu.workload.strategies.stages import stages
from astra_edu.workload.strategies.strategy import Strategy

__all__ = [
    "PRECISIONS",
    "Communication",
    "Memory",
    "Precision",
    "Strategy",
    "communications",
    "generate_workload",
    "memory",
    "stages",
]
