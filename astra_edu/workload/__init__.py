"""The workload layer: what one NPU computes and which collectives it asks for."""

from astra_edu.workload import loops as loops  # fills LOOPS
from astra_edu.workload.layer import LOOPS, Layer, Work, Workload

__all__ = ["LOOPS", "Layer", "Work", "Workload"]
