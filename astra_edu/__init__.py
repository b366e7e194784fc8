"""astra_edu: learn and explore how distributed deep-learning training works on real platforms.

Three layers, as on the slides: workload (what an NPU computes and which collectives it asks for), system (how a
collective becomes chunks, phases and steps), network (how long a message takes). Importing this package loads
neither NumPy nor any plotting or widget library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from astra_edu import moved
from astra_edu.base.errors import ConfigError
from astra_edu.base.jitter import jitter
from astra_edu.base.run import Run
from astra_edu.base.span import Span
from astra_edu.collectives import (
    ALGORITHMS,
    Collective,
    ProofError,
    Schedule,
    counts,
    hierarchical,
    prove,
    register_algorithm,
    schedule,
)
from astra_edu.explain import Change
from astra_edu.formats import (
    load_astra_sim,
    load_infragraph,
    load_workload,
    save_astra_sim,
    save_infragraph,
    save_workload,
)
from astra_edu.network import Block, Dimension, GraphNetwork, Ns3, Packets, SwitchBuffers, Topology
from astra_edu.network.as_graph import as_graph
from astra_edu.network.varying import Varying
from astra_edu.run.presets import PRESETS, preset
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import Platform, RemoteMemory, SystemConfig, TracePlatform, TraceSystem, time_schedule
from astra_edu.traces import Trace
from astra_edu.workload import LOOPS, Workload

moved.install()

_LOADED_LATE = {
    name: module
    for module, names in {
        "collectives.msccl": ("from_msccl",),
        "collectives.msccl_write": ("to_msccl",),
        "network": ("topologies",),
        "network.credits": ("Credits", "load_latency"),
        "course.instruments": (
            "BandwidthSliders",
            "BuildATrace",
            "CaseStudies",
            "ChunksOverDimensions",
            "CutTheModel",
            "Explorer",
            "FeedTheNetwork",
            "Folds",
            "HeldAgainst",
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
        ),
        "course.widgets": ("DesignSpace", "LinkPlayer", "Player", "Timeline"),
        "workload.compute": ("DEVICES", "Device", "Folding", "Gemm", "SystolicArray", "device"),
        "workload.models": ("MODELS", "Model", "model", "transformer", "with_experts"),
        "workload.strategies": ("Strategy", "communications", "generate_workload", "memory"),
        "course.studies.clocks": ("clocks",),
        "explore.iteration": (
            "candidates",
            "estimate",
            "fastest",
            "fewest_npus",
            "fitting",
            "npus_needed",
            "plans",
        ),
        "explore.search": ("Range", "algorithms", "bandwidths", "placements", "search", "shapes"),
        "explore": ("sweep",),
        "explore.synthesis": ("synthesize",),
        "pipeline": ("ORDERS", "run_pipeline"),
        "reliability": ("TrainingJob", "goodput"),
    }.items()
    for name in names
}
__all__ = [
    "ALGORITHMS",
    "DEVICES",
    "LOOPS",
    "MODELS",
    "ORDERS",
    "PRESETS",
    "BandwidthSliders",
    "Block",
    "BuildATrace",
    "CaseStudies",
    "Change",
    "ChunksOverDimensions",
    "Collective",
    "ConfigError",
    "Credits",
    "CutTheModel",
    "DesignSpace",
    "Device",
    "Dimension",
    "Explorer",
    "FeedTheNetwork",
    "Folding",
    "Folds",
    "Gemm",
    "GraphNetwork",
    "HeldAgainst",
    "KeepTraining",
    "LinkPlayer",
    "LinksAndCongestion",
    "MemorySystems",
    "Model",
    "Ns3",
    "OrderTheSteps",
    "Packets",
    "Platform",
    "Player",
    "ProofError",
    "Range",
    "RemoteMemory",
    "Result",
    "Run",
    "Schedule",
    "Span",
    "SpendTheBudget",
    "Stages",
    "Strategy",
    "SwitchBuffers",
    "SystemConfig",
    "SystolicArray",
    "Timeline",
    "Topology",
    "Trace",
    "TracePlatform",
    "TraceResult",
    "TraceSystem",
    "TrainingIteration",
    "TrainingJob",
    "Varying",
    "WhatIf",
    "WhoWaits",
    "Workload",
    "algorithms",
    "as_graph",
    "bandwidths",
    "candidates",
    "check",
    "clocks",
    "communications",
    "counts",
    "device",
    "estimate",
    "fastest",
    "fewest_npus",
    "fitting",
    "from_msccl",
    "generate_workload",
    "goodput",
    "hierarchical",
    "jitter",
    "leaderboard",
    "load_astra_sim",
    "load_infragraph",
    "load_latency",
    "load_workload",
    "measured",
    "memory",
    "model",
    "npus_needed",
    "placements",
    "plans",
    "plots",
    "preset",
    "prove",
    "register_algorithm",
    "run_pipeline",
    "save_astra_sim",
    "save_infragraph",
    "save_workload",
    "schedule",
    "search",
    "shapes",
    "simulate",
    "studies",
    "sweep",
    "synthesize",
    "time_schedule",
    "to_msccl",
    "topologies",
    "traces",
    "transformer",
    "widgets",
    "with_experts",
]


__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    if name in _LOADED_LATE:
        return getattr(import_module(f"astra_edu.{_LOADED_LATE[name]}"), name)
    if name in moved.SHORT or name in moved.MOVED:
        return import_module(f"astra_edu.{name}")
    raise AttributeError(f"module 'astra_edu' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
