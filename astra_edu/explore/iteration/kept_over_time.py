"""What an NPU keeps as an iteration goes on: its state all the time, activations from each forward pass on, and during
passes what is there for a moment."""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.pipeline import PipelineRun
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import activations_of_parts, lost_bytes, memory_of


class Moment(NamedTuple):
    """From `ns` on an NPU keeps so many bytes of state (parameters, gradients, optimiser), and of activations; beside
    them, as `Memory` has it, activations that are recomputed, buffers, and what fragmentation takes of all that.
    """

    ns: int
    state: float
    activations: float
    recomputed: float = 0.0
    buffers: float = 0.0
    fragmentation: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self[1:])


def kept_over_time(model: Model, strategy: Strategy, run: PipelineRun, stage: int, total_ns: int) -> tuple[Moment, ...]:
    """The moments at which what a stage's NPU keeps changes, from 0 to total_ns, which is the last.

    A pass's activations are there from its begin until its backward pass is over, or its W where that is split; at the
    same ns what goes, goes first. Buffers are there during every pass, what is recomputed during backward passes, both
    at their most. Raises ConfigError for a stage that isn't there.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(pipeline=4, batch=8), "a100", pods)
    >>> most = max(took.memory_timeline(0), key=lambda moment: moment.total)
    >>> round(most.total) == round(ae.memory("gpt2", took.strategy, stage=0).total)
    True
    """
    about, stage = abridged(model), strategy.stage(stage)
    kept, each = memory_of(about, strategy, stage), activations_of_parts(about, strategy)
    changes: dict[int, list[tuple[float, int, int]]] = {0: [], total_ns: []}
    for span in run.spans:
        if span.stage != stage:
            continue
        size, back = each[run.part(span)], int(span.kind != "F")
        begins = (0.0 if back else size, 1, back)
        ends = (-size if run.is_last(span) else 0.0, -1, -back)
        for ns, change in ((span.start_ns, begins), (span.end_ns, ends)):
            changes.setdefault(ns, []).append(change)
    moments: list[Moment] = []
    activations, passes, backward = 0.0, 0, 0
    for ns in sorted(changes):
        for more, begun, back in sorted(changes[ns]):
            activations, passes, backward = activations + more, passes + begun, backward + back
        found = Moment(
            ns, kept.state, max(0.0, activations), kept.recomputed * (backward > 0), kept.buffers * (passes > 0)
        )
        found = found._replace(fragmentation=lost_bytes(found.total))
        if not moments or found[1:] != moments[-1][1:] or ns == total_ns:
            moments.append(found)
    return tuple(moments)
