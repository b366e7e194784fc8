"""Figure: when each stage of a pipeline runs which pass, as the cells F(part, micro-batch) and B(part, micro-batch).

Any other run is drawn the same way: when each NPU is in which computation.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from astra_edu.base.run import Run
from astra_edu.base.units import several
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.plots.timelines.cells import Cells, cells_of
from astra_edu.course.plots.timelines.stages_drawn import drawn
from astra_edu.pipeline import PipelineRun

_LISTED = 200  # cells at most that are listed in the table
_PASSES = "without a pass. Keeps: for how many micro-batches, at most, the stage holds activations at the same time."


def stages(runs: Run | Mapping[str, Run]) -> Picture:
    """Draw a lane for each stage, with a cell for each pass, over time; several runs one above the other.

    runs: what run_pipeline returns, one or several by their names. Cells are labelled where all labels fit. Of several
    virtual stages, the later ones are paler. At a lane's end stands for how much of the time the stage is
    idle, and for how many micro-batches it keeps activations. Raises ConfigError if there is no run.

    Of any other run there is a lane for each NPU, the first 32 of them, with a cell for each computation, so that a
    pipeline can stand above the trace that was made of it.

    >>> run = ae.run_pipeline("1f1b", 2, 4, forward_ns=1000, backward_ns=2000)
    >>> print(*ae.plots.stages(run).table.splitlines()[:3], sep="\\n")
    run   stage  busy (µs)  idle (µs)    idle  keeps
    1f1b      0     12.000      3.000  20.0 %      2
    1f1b      1     12.000      3.000  20.0 %      1
    """
    shown = cells_of(runs)
    unit = time_unit(max(1, *(each.total_ns for each in shown.values())))
    listed = _turns(shown, unit)
    table = "\n".join([_table(shown, unit), *listed])
    return Picture(drawn(shown, unit), _alt(shown, unit), table, _note(shown, unit, bool(listed)))


def _alt(shown: Mapping[str, Cells], unit: TimeUnit) -> str:
    words = []
    if any(each.passes for each in shown.values()):
        words.append("A lane for each stage of a pipeline, with a cell for each forward and backward pass, over time.")
    if not all(each.passes for each in shown.values()):
        words.append("A lane for each NPU, with a cell for each computation, over time.")
    return " ".join([*words, *(_sentence(name, each, unit) for name, each in shown.items())])


def _sentence(name: str, shown: Cells, unit: TimeUnit) -> str:
    run, took = shown.run, unit.named(shown.total_ns)
    if not isinstance(run, PipelineRun):
        left = f" {shown.left} more NPUs are not drawn." if shown.left else ""
        return f"{name}, {several(run.npus, 'NPU')}: {took}, {percent(shown.idle)} without computations.{left}"
    last = run.stages - 1
    return (
        f"{name}, {several(run.stages, 'stage')} and {run.micro_batches} "
        f"{'micro-batch' if run.micro_batches == 1 else 'micro-batches'}: {took}, bubble "
        f"{percent(run.bubble)}; stage 0 keeps activations for {run.in_flight[0]:.4g}"
        + (f", stage {last} for {run.in_flight[last]:.4g}." if last else ".")
    )


def _table(shown: Mapping[str, Cells], unit: TimeUnit) -> str:
    """A row for each lane; stages by their numbers."""
    pipelines = all(each.passes for each in shown.values())
    rows: list[list[object]] = [
        [
            name,
            number if pipelines else lane,
            unit.text(each.busy_ns[number]),
            unit.text(each.total_ns - each.busy_ns[number]),
            percent(each.idle_shares[number]),
            f"{each.keeps[number]:.4g}" if each.keeps else "-",
        ]
        for name, each in shown.items()
        for number, lane in enumerate(each.lanes)
    ]
    heads = ["run", "stage" if pipelines else "lane", f"busy ({unit.name})", f"idle ({unit.name})", "idle", "keeps"]
    return text_table(heads, rows)


def _turns(shown: Mapping[str, Cells], unit: TimeUnit) -> list[str]:
    """Each lane's cells in a line, unless they are too many."""
    if sum(len(each.cells) for each in shown.values()) > _LISTED:
        return []
    return [
        f"{name}, {each.lanes[lane]}: " + ", ".join(f"{cell.full} at {unit.text(cell.start_ns)}" for cell in cells)
        for name, each in shown.items()
        for lane, cells in groupby(each.cells, lambda cell: cell.lane)
    ]


def _note(shown: Mapping[str, Cells], unit: TimeUnit, listed: bool) -> str:
    pipelines = any(each.passes for each in shown.values())
    words = [f"Idle: the share of the time {_PASSES if pipelines else 'without a computation.'}"]
    if listed:
        what = "passes of each stage" if pipelines else "computations of each NPU"
        words.append(f"Below: the {what} in their order, each with the time ({unit.name}) at which it begins.")
    return " ".join(words)
