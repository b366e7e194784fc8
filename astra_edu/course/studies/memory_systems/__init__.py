"""Memory beyond the NPU: local and remote, private and pooled, and what training from it takes."""

from astra_edu.course.studies.memory_systems.access import LocalMemory, together_ns
from astra_edu.course.studies.memory_systems.case_study import case_study_3
from astra_edu.course.studies.memory_systems.experts import BlockWork, MixtureOfExperts
from astra_edu.course.studies.memory_systems.fabric import Fabric
from astra_edu.course.studies.memory_systems.in_switch import in_switch_bytes, in_switch_ns, ring_ns
from astra_edu.course.studies.memory_systems.intensity import (
    activation_intensity,
    efficiency,
    needed_bandwidth,
    optimiser_intensity,
    parameter_intensity,
)
from astra_edu.course.studies.memory_systems.pool import HierarchicalPool, PrivateMemory
from astra_edu.course.studies.memory_systems.training import TrainingTime, hiermem, zero_infinity
from astra_edu.course.studies.memory_systems.transfer import Stage, Transfer, packet_spans, pipelined_ns

__all__ = [
    "BlockWork",
    "Fabric",
    "HierarchicalPool",
    "LocalMemory",
    "MixtureOfExperts",
    "PrivateMemory",
    "Stage",
    "TrainingTime",
    "Transfer",
    "activation_intensity",
    "case_study_3",
    "efficiency",
    "hiermem",
    "in_switch_bytes",
    "in_switch_ns",
    "needed_bandwidth",
    "optimiser_intensity",
    "packet_spans",
    "parameter_intensity",
    "pipelined_ns",
    "ring_ns",
    "together_ns",
    "zero_infinity",
]
