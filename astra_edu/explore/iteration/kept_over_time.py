"""What an NPU keeps as an iteration goes on: its state all the time, activations from each forward pass on."""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.pipeline import PipelineRun
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import activations_of_parts, memory_of


class Moment(NamedTuple):
    """From `ns` on an NPU keeps so many bytes of state (parameters, gradients, optimiser), and of activations."""

    ns: int
    state: float
    activations: float

    @property
    def total(self) -> float:
        """Both."""
        return self.state + self.activations


def kept_over_time(model: Model, strategy: Strategy, run: PipelineRun, stage: int, total_ns: int) -> tuple[Moment, ...]:
    """The moments at which what a stage's NPU keeps changes, from 0 to total_ns, which is the last.

    A pass's activations are there from its begin until its backward pass is over, or its W where that is split; at the
    same ns what goes, goes first. Raises ConfigError for a stage that isn't there.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(pipeline=4, batch=8), "a100", pods)
    >>> most = max(took.memory_timeline(0), key=lambda moment: moment.total)
    >>> round(most.total) == round(ae.memory("gpt2", took.strategy, stage=0).total)
    True
    """
    about, stage = abridged(model), strategy.stage(stage)
    state, each = memory_of(about, strategy, stage).state, activations_of_parts(about, strategy)
    changes: dict[int, list[float]] = {0: [], total_ns: []}
    for span in run.spans:
        if span.stage == stage and (span.kind == "F" or run.is_last(span)):
            size = each[run.part(span)]
            ns, more = (span.start_ns, size) if span.kind == "F" else (span.end_ns, -size)
            changes.setdefault(ns, []).append(more)
    moments, kept = [], 0.0
    for ns in sorted(changes):
        for more in sorted(changes[ns]):
            kept += more
        moments.append(Moment(ns, state, max(0.0, kept)))
    return tuple(moments)
