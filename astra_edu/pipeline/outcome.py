"""What a pipeline's run has brought: when every pass ran, the bubble, and what each stage had to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.deprecated import renamed_attributes
from astra_edu.base.intervals import gaps
from astra_edu.base.run import Run
from astra_edu.base.span import BUBBLE, COMPUTE, Span, idle
from astra_edu.base.units import format_ns, several
from astra_edu.pipeline.both_ways import pairs_of
from astra_edu.pipeline.orders import Pass, Passes
from astra_edu.pipeline.places import BOTH_WAYS, LOOPED, part_of, way_of

if TYPE_CHECKING:
    import pandas as pd


_WORK = {"F": "forward", "B": "backward", "W": "weight gradient"}


@renamed_attributes(chunk="virtual_stage")
class PassSpan(NamedTuple):
    """One pass as it ran: kind "F", "B" or "W" of a micro-batch through a virtual stage, from start to end.

    >>> run = ae.run_pipeline("1f1b", 2, 4, forward_ns=1000, backward_ns=2000)
    >>> span = run.spans[0]
    >>> span.stage, span.kind, span.micro_batch, span.start_ns, span.end_ns
    (0, 'F', 0, 0, 1000)
    """

    stage: int
    kind: str
    virtual_stage: int
    micro_batch: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class PipelineRun(Run):
    """One iteration of a pipeline. Times in whole ns.

    order: its name. virtual: how many virtual stages each stage holds. total_ns: until the last pass has ended.
    passes[stage]: in the order in which the stage ran them; starts_ns, ends_ns: when each began and ended.
    forward_ns, backward_ns: one micro-batch's time in each part of the model; p2p_ns: of the way from each part to the
    next; blocking: whether the sender waits for that. weight_ns: of backward_ns, what the weights take in an order that
    splits it, else 0; placement: of the parts, "looped", "folded" or "both ways". hidden_ns: both ways, of each part's
    forward pass with the backward pass beside it. With these run_pipeline does the same again.

    >>> run = ae.run_pipeline("1f1b", 4, 8, forward_ns=1000, backward_ns=2000)
    >>> run
    <1f1b, 4 stages, 8 micro-batches: 33.000 µs, bubble 27.3 %, at most 4 in flight>
    >>> run.total_ns, run.in_flight
    (33000, (4.0, 3.0, 2.0, 1.0))
    """

    order: str
    stages: int
    micro_batches: int
    virtual: int
    total_ns: int
    passes: Passes = field(repr=False)
    starts_ns: tuple[tuple[int, ...], ...] = field(repr=False)
    ends_ns: tuple[tuple[int, ...], ...] = field(repr=False)
    forward_ns: tuple[int, ...] = field(repr=False)
    backward_ns: tuple[int, ...] = field(repr=False)
    p2p_ns: tuple[int, ...] = field(repr=False)
    blocking: bool = field(repr=False)
    weight_ns: tuple[int, ...] = field(default=(), repr=False)
    placement: str = field(default=LOOPED, repr=False)
    hidden_ns: tuple[int, ...] = field(default=(), repr=False)

    @cached_property
    def spans(self) -> tuple[PassSpan, ...]:
        """Every pass, by stage and then by time; `pandas.DataFrame(run.spans)` is a table of them."""
        return tuple(
            PassSpan(stage, each.kind, each.virtual_stage, each.micro_batch, start, end)
            for stage, columns in enumerate(zip(self.passes, self.starts_ns, self.ends_ns, strict=True))
            for each, start, end in zip(*columns, strict=True)
        )

    def part(self, span: PassSpan) -> int:
        """The part of the model that a pass goes through."""
        return part_of(span.stage, span.virtual_stage or self.way(span.micro_batch), self.stages, self.placement)

    @property
    def both_ways(self) -> bool:
        """Whether micro-batches enter at both ends."""
        return self.placement == BOTH_WAYS

    def way(self, micro_batch: int) -> int:
        """1 for a micro-batch that goes up the stages, from the last to the first; 0 for all others."""
        return way_of(micro_batch, self.micro_batches, self.placement)

    @cached_property
    def pairs(self) -> Mapping[PassSpan, PassSpan]:
        """Of passes that run together, both ways: the other one of each. Both send on when both are done."""
        if not self.both_ways:
            return {}
        starts = accumulate(map(len, self.passes), initial=0)
        both = [
            (self.spans[start + place], self.spans[start + place + 1])
            for start, own in zip(starts, self.passes, strict=False)
            for place in pairs_of(own, self.micro_batches)
        ]
        return {a: b for pair in both for a, b in (pair, pair[::-1])}

    def sent_ns(self, span: PassSpan) -> int:
        """When a pass's result sets out: at its end, or that of the pass it runs together with."""
        return max(span.end_ns, self.pairs[span].end_ns) if span in self.pairs else span.end_ns

    @property
    def split(self) -> bool:
        """Whether the order splits backward passes into B and W."""
        return any(each.kind == "W" for own in self.passes for each in own)

    @cached_property
    def _weights(self) -> frozenset[tuple[int, int, int]]:
        return frozenset((span.stage, span.virtual_stage, span.micro_batch) for span in self.spans if span.kind == "W")

    def is_last(self, span: PassSpan) -> bool:
        """Whether a pass is its micro-batch's last one there: W, or B where that is a whole backward pass."""
        where = span.stage, span.virtual_stage, span.micro_batch
        return span.kind == "W" or (span.kind == "B" and where not in self._weights)

    @cached_property
    def timeline(self) -> tuple[Span, ...]:
        """Every pass as a span in the compute lane of its stage, by the time at which it ended.

        layer: the micro-batch; node: the part of the model.
        """
        spans = [
            Span(COMPUTE, f"micro-batch {i}", _WORK[kind], None, None, COMPUTE, 0, start, start, end, stage, part)
            for stage, kind, v, i, start, end in self.spans
            for part in [part_of(stage, v or self.way(i), self.stages, self.placement)]
        ]
        return tuple(sorted(spans, key=lambda span: span.end_ns))

    @cached_property
    def idle(self) -> tuple[Span, ...]:
        """The bubble: when each stage has nothing to compute."""
        stages = enumerate(zip(self.starts_ns, self.ends_ns, strict=True))
        return tuple(
            idle(BUBBLE, BUBBLE, stage, *gap)
            for stage, (starts, ends) in stages
            for gap in gaps(list(zip(starts, ends, strict=True)), 0, self.total_ns)
        )

    @property
    def own_lanes(self) -> tuple[str, ...]:
        """Compute and bubble."""
        return COMPUTE, BUBBLE

    @property
    def npu_names(self) -> Mapping[int, str]:
        """The stages."""
        return {stage: f"stage {stage}" for stage in range(self.stages)}

    @property
    def npus(self) -> int:
        """One for each stage."""
        return self.stages

    @property
    def title(self) -> str:
        """What has run on what."""
        return f"{several(self.micro_batches, 'micro-batch')} through {several(self.stages, 'stage')}, {self.order}"

    @property
    def times(self) -> str:
        """The bubble."""
        return f"bubble {100 * self.bubble:.1f} %"

    @cached_property
    def in_flight(self) -> tuple[float, ...]:
        """[stage]: for how many micro-batches at most it keeps activations at the same time.

        Activations are kept from the start of a forward pass to the end of its backward pass, or of W where the order
        splits that. Those of a virtual stage count as 1 / virtual of a micro-batch. Both ways a micro-batch's are those
        of one of the stage's two parts.
        """
        return tuple(most_in_flight(passes) / self.virtual for passes in self.passes)

    @cached_property
    def busy_ns(self) -> tuple[int, ...]:
        """How long each stage computes."""
        return tuple(sum(ends) - sum(starts) for starts, ends in zip(self.starts_ns, self.ends_ns, strict=True))

    @property
    def ideal_ns(self) -> float:
        """The time if the same work were shared out evenly and no stage ever waited: the mean of busy_ns."""
        return sum(self.busy_ns) / self.stages

    @property
    def idle_shares(self) -> tuple[float, ...]:
        """The share of the whole time in which each stage computes nothing."""
        return tuple(1 - busy / self.total_ns if self.total_ns else 0.0 for busy in self.busy_ns)

    @property
    def bubble(self) -> float:
        """The bubble as a share of the whole time: the mean of idle_shares."""
        return 1 - self.ideal_ns / self.total_ns if self.total_ns else 0.0

    @property
    def bubble_over_ideal(self) -> float:
        """The bubble as a share of ideal_ns, as arXiv 2104.04473 has it: (p - 1) / m for equal stages."""
        return self.total_ns / self.ideal_ns - 1 if self.ideal_ns else 0.0

    def table(self) -> pd.DataFrame:
        """A row a stage: busy and idle time in ns, the share of the time it is idle, micro-batches in flight."""
        pandas = import_module("pandas")
        rows = {
            "busy (ns)": self.busy_ns,
            "idle (ns)": [self.total_ns - busy for busy in self.busy_ns],
            "idle share": self.idle_shares,
            "in flight": self.in_flight,
        }
        table: pd.DataFrame = pandas.DataFrame(rows, index=pandas.RangeIndex(self.stages, name="stage"))
        return table

    def __repr__(self) -> str:
        virtual = f" of {self.virtual} virtual stages" if self.virtual > 1 else ""
        return (
            f"<{self.order}, {several(self.stages, 'stage')}{virtual}, {several(self.micro_batches, 'micro-batch')}: "
            f"{format_ns(self.total_ns)}, bubble {100 * self.bubble:.1f} %, "
            f"at most {max(self.in_flight):.4g} in flight>"
        )


def most_in_flight(passes: Iterable[Pass]) -> int:
    """How many forward passes, at most, a stage is ahead of its backward passes, if it runs `passes` in turn."""
    listed = tuple(passes)
    split = {each[1:] for each in listed if each.kind == "W"}
    ends = (each.kind == ("W" if each[1:] in split else "B") for each in listed)
    return max(accumulate((each.kind == "F") - end for each, end in zip(listed, ends, strict=True)))
