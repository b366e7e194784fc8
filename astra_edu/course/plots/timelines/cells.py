"""What each stage of a pipeline, or NPU of another run, computes: its passes or computations as cells over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered
from astra_edu.base.run import Run
from astra_edu.base.span import COMPUTE, Span
from astra_edu.course.plots.looks import LOOKS, Look
from astra_edu.pipeline import PassSpan, PipelineRun
from astra_edu.run.lanes import chosen_npus, interval, short_name

MOST_NPUS = 32
"""NPUs that are drawn; a pipeline's stages are drawn all."""


class Cell(NamedTuple):
    """Something that is computed in the how-manieth lane. full, short: what can be written in it.

    virtual_stage: of a pass, which one of its stage's it is in, or 1 for one on the way up in an order that goes both
    ways; None for any other computation.
    """

    lane: int
    look: Look
    virtual_stage: int | None
    start_ns: float
    end_ns: float
    full: str
    short: str


@dataclass(frozen=True)
class Cells:
    """A run as lanes of cells. lanes: what they are called. cells: by lane, then by time.

    keeps: for how many micro-batches each stage keeps activations, at most; None for what is no pipeline. virtual: how
    many virtual stages a stage holds, or ways it is gone through. left: NPUs that are not drawn. pairs: (lane, from,
    to) of passes that run together.
    """

    run: Run
    lanes: Sequence[str]
    cells: Sequence[Cell]
    busy_ns: Sequence[float]
    keeps: Sequence[float] | None
    virtual: int
    left: int
    pairs: Sequence[tuple[int, float, float]] = ()

    @property
    def both_ways(self) -> bool:
        """Whether micro-batches enter at both ends."""
        return isinstance(self.run, PipelineRun) and self.run.both_ways

    @classmethod
    def of(cls, run: Run) -> Cells:
        """Those of any run."""
        return _of_pipeline(run) if isinstance(run, PipelineRun) else _of_npus(run)

    @property
    def passes(self) -> bool:
        """Whether they are those of a pipeline."""
        return self.keeps is not None

    @property
    def total_ns(self) -> float:
        """The end of the run."""
        return self.run.total_ns

    @property
    def idle_shares(self) -> list[float]:
        """The share of the whole time in which each lane has nothing to compute."""
        return [1 - busy / self.total_ns if self.total_ns else 0.0 for busy in self.busy_ns]

    @property
    def idle(self) -> float:
        """The same of all lanes together: of a pipeline, the bubble."""
        ideal_ns = sum(self.busy_ns) / len(self.lanes)
        return 1 - ideal_ns / self.total_ns if self.total_ns else 0.0


def _of_pipeline(run: PipelineRun) -> Cells:
    names = [f"stage {stage}" for stage in range(run.stages)]
    cells = [_pass(span, run) for span in run.spans]
    pairs = [(a.stage, a.start_ns, b.end_ns) for a, b in run.pairs.items() if a.kind == "F"]
    virtual = 2 if run.both_ways else run.virtual
    return Cells(run, names, cells, run.busy_ns, run.in_flight, virtual, 0, pairs)


def _pass(span: PassSpan, run: PipelineRun) -> Cell:
    look = LOOKS[{"F": "forward", "B": "backward", "W": "weight gradient"}[span.kind]]
    way = run.way(span.micro_batch)
    arrow = "↓↑"[way] if run.both_ways else ""
    full, short = f"{span.kind} {run.part(span)},{span.micro_batch}{arrow}", f"{span.micro_batch}{arrow}"
    return Cell(span.stage, look, span.virtual_stage or way, span.start_ns, span.end_ns, full, short)


def _of_npus(run: Run) -> Cells:
    npus = chosen_npus(run, None, MOST_NPUS)
    lane = {npu: number for number, npu in enumerate(npus)}
    spans = [span for span in run.timeline if span.lane == COMPUTE and span.npu in lane]
    cells = sorted((_computation(span, lane) for span in spans), key=lambda cell: (cell.lane, cell.start_ns))
    busy = [covered([interval(span) for span in spans if span.npu == npu]) for npu in npus]
    names = [short_name(run, npu) for npu in npus]
    return Cells(run, names, cells, busy, None, 1, len(run.npu_names) - len(npus))


def _computation(span: Span, lane: Mapping[int, int]) -> Cell:
    assert span.npu is not None
    short = LOOKS[span.kind].short if span.node is None else str(span.node)
    return Cell(lane[span.npu], LOOKS[span.kind], None, span.start_ns, span.end_ns, span.layer, short)


def cells_of(runs: Run | Mapping[str, Run]) -> Mapping[str, Cells]:
    """The cells of one run or several by their names. Raises ConfigError for what is none."""
    if isinstance(runs, Run):
        runs = {runs.order if isinstance(runs, PipelineRun) else "computations": runs}
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(run, Run) for run in runs.values()):
        raise ConfigError(
            'runs must be what run_pipeline or simulate returns, or several of that by name, such as {"GPipe": '
            f'run_pipeline("gpipe", 4, 8, 10, 20)}}; they are {type(runs).__name__} {runs!r:.60}.'
        )
    return {name: Cells.of(run) for name, run in runs.items()}
