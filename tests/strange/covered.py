"""Which callables are public, and why some of them are not called with strange values."""

import inspect
from importlib import import_module

MODULES = (
    "astra_edu",
    "astra_edu.collectives",
    "astra_edu.network",
    "astra_edu.system",
    "astra_edu.traces",
    "astra_edu.workload",
    "astra_edu.workload.compute",
    "astra_edu.workload.models",
    "astra_edu.workload.strategies",
    "astra_edu.pipeline",
    "astra_edu.explain",
    "astra_edu.formats",
    "astra_edu.run",
)

_MADE = "what a run, a count or an algorithm gives back; nobody makes one by hand"
_ENUM = "an Enum: Python's own ValueError; functions that take its names as texts say which there are"
_ENGINE = "what the engines ask for each phase, with what was checked before"
_ERROR = "an exception"
_KIND = "a type in annotations only"
_OPERATOR = "an operator as Linear, which is called; its sizes are checked in the same place, Operator"
_TORCH = "needs PyTorch"
NOT_COVERED = {
    "leaderboard": "takes any number of files and nothing by name; tests/course/instruments/test_budget.py",
    "Collective": _ENUM,
    "ConfigError": _ERROR,
    "ProofError": _ERROR,
    "Interrupted": _ERROR,
    "Result": _MADE,
    "Run": _MADE,
    "Schedule": _MADE + ": ae.schedule and register_algorithm do",
    "Span": _MADE,
    "so_far": "takes nothing",
    "Topology": "a base class to write one's own from; it takes nothing itself",
    "TraceResult": _MADE,
    "collectives.Algorithm": _MADE + ": register_algorithm does",
    "collectives.Counts": _MADE,
    "collectives.Op": _ENUM,
    "collectives.Rounds": "what an algorithm of one's own gives back; looked at where it is used (check_groups)",
    "collectives.Step": _MADE,
    "collectives.Traits": _MADE,
    "collectives.Transfer": _MADE,
    "collectives.known_schedule": _ENGINE,
    "collectives.walk": _ENGINE,
    "explain.Explanation": _MADE,
    "explain.Segment": _MADE,
    "explain.shares": _ENGINE,
    "formats.parse_system_2": "takes what loads the traces of custom collectives; load_astra_sim stands for it",
    "network.Wires": _KIND,
    "pipeline.Order": _KIND,
    "pipeline.PassSpan": _MADE,
    "pipeline.PipelineRun": _MADE,
    "strategies.Communication": _MADE,
    "strategies.Memory": _MADE,
    "system.ScheduleTime": _MADE,
    "system.Stretch": _MADE,
    "traces.Attribute": _MADE + ": attribute_of does",
    "traces.CommType": _ENUM,
    "traces.NodeType": _ENUM,
    "traces.Operation": _MADE + ": a Builder does",
    "traces.Tensors": _MADE,
    "traces.TraceStatistics": _MADE + ": describe does",
    "traces.record_pytorch": _TORCH,
    "compute.Combine": _OPERATOR,
    "compute.Context": _OPERATOR,
    "compute.Convolution": _OPERATOR,
    "compute.Dispatch": _OPERATOR,
    "compute.Elementwise": _OPERATOR,
    "compute.Embedding": _OPERATOR,
    "compute.Experts": _OPERATOR,
    "compute.Fold": _MADE,
    "compute.Interaction": _OPERATOR,
    "compute.Loss": _OPERATOR,
    "compute.FlashAttention": _OPERATOR,
    "compute.Gated": _OPERATOR,
    "compute.Latent": _OPERATOR,
    "compute.LatentKeysValues": _OPERATOR,
    "compute.Lstm": _OPERATOR,
    "compute.QueryKeyNorm": _OPERATOR,
    "compute.QueryKeyValue": _OPERATOR,
    "compute.Rotary": _OPERATOR,
    "compute.StateSpace": _OPERATOR,
    "compute.Normalisation": _OPERATOR,
    "compute.Operator": "the base class of the operators",
    "compute.Pool": _OPERATOR,
    "compute.Scores": _OPERATOR,
    "compute.Shape": _KIND,
    "compute.Softmax": _OPERATOR,
    "compute.Split": _ENUM,
}
"""By public name. Of the classes that are called, those methods are left out that a run asks for every message (of
Block, Dimension, Topology, Schedule, reduction_ns): a check there would cost more than what it guards."""


def public_callables():
    """name -> callable, each once, by its shortest name."""
    found, seen = {}, set()
    for module in map(import_module, MODULES):
        short = module.__name__.rpartition(".")[2]
        for name in module.__all__:
            value = getattr(module, name)
            if not callable(value) or inspect.ismodule(value) or id(value) in seen:
                continue
            seen.add(id(value))
            found[name if short == "astra_edu" else f"{short}.{name}"] = value
    return found
