"""The pipeline of a cut as lanes: which stage takes which micro-batch when, and where it waits."""

from __future__ import annotations

from astra_edu.base.units import format_ns
from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.explore.iteration import Iteration

MOST_PASSES = 256
"""Of more than these no lanes are drawn: their blocks would be hairs."""
LOOKS = {"forward": "forward", "backward": "backward"}


def pipeline_lanes(run: Iteration) -> tuple[Lanes, ...]:
    """The passes of a pipeline, in ms; none without a pipeline, or where they are too many to be seen."""
    spans = [span for span in run.pipeline.timeline if span.lane == "compute"]
    if run.strategy.pipeline == 1 or len(spans) > MOST_PASSES:
        return ()
    blocks = []
    for span in spans:
        number = span.layer.rpartition(" ")[2]
        took = format_ns(span.end_ns - span.start_ns)
        name = f"stage {span.npu}, {span.work} of {number}"
        said = f"{span.work} pass of micro-batch {number} takes {took}"
        lane, look = f"stage {span.npu}", LOOKS[span.work]
        blocks.append(Block(name, lane, span.start_ns / 1e6, span.end_ns / 1e6, look, number, said))
    lanes = tuple(f"stage {stage}" for stage in range(run.strategy.pipeline))
    return (Lanes("The pipeline’s passes, micro-batch by micro-batch", "ms", lanes, tuple(blocks), run.total_ns / 1e6),)
