"""The pipeline of a cut as lanes: which stage takes which micro-batch when, and where it waits."""

from __future__ import annotations

from astra_edu.base.units import format_ns
from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.course.instruments.stages_bars import KINDS, called, look
from astra_edu.explore.iteration import Iteration

MOST_PASSES = 256
"""Of more than these no lanes are drawn: their blocks would be hairs."""


def not_drawn(run: Iteration) -> tuple[str, ...]:
    """A sentence where passes are too many to be seen."""
    passes = len(run.pipeline.spans)
    if run.strategy.pipeline == 1 or passes <= MOST_PASSES:
        return ()
    return (f"The pipeline’s {passes:,} passes are too many to be drawn as lanes; {MOST_PASSES} are the most.",)


def pipeline_lanes(run: Iteration) -> tuple[Lanes, ...]:
    """The passes of a pipeline, in ms; none without a pipeline, or where they are too many to be seen."""
    pipeline = run.pipeline
    if run.strategy.pipeline == 1 or len(pipeline.spans) > MOST_PASSES:
        return ()
    blocks = []
    for span in pipeline.spans:
        number = called(pipeline, span.micro_batch, span.virtual_stage)
        kind, lane = KINDS[span.kind], f"stage {span.stage}"
        said = f"{kind} pass of micro-batch {number} takes {format_ns(span.end_ns - span.start_ns)}"
        times = span.start_ns / 1e6, span.end_ns / 1e6
        blocks.append(Block(f"{lane}, {kind} of {number}", lane, *times, look(pipeline, span), number, said))
    lanes = tuple(f"stage {stage}" for stage in range(run.strategy.pipeline))
    return (Lanes("The pipeline’s passes, micro-batch by micro-batch", "ms", lanes, tuple(blocks), run.total_ns / 1e6),)
