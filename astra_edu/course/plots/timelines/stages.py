"""Figure: when each stage of a pipeline runs which pass, as the cells F(part, micro-batch) and B(part, micro-batch)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import groupby, product

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import BACKWARD, BUBBLE, LOOKS
from astra_edu.pipeline import PassSpan, PipelineRun

FORWARD = LOOKS["forward"]
_LOOKS = {"F": FORWARD, "B": BACKWARD}
_FILLED = 0.86  # of a lane's height
_SIZES = (8, 7, 6)  # of letters, in points
_LETTER = 0.58  # of its size: how wide a letter is
_HAIR = 1 / 900  # of an inch: no gap narrower than this is seen
_NARROW = 1 / 28  # of an inch: no edges around what is narrower
_LABELLED = 1000  # passes at most that are labelled in the picture
_HATCHED = 5000  # passes at most that are hatched
_LISTED = 200  # passes at most that are listed in the table
_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.6}
_MEANINGS = {
    "full": "F k,n: forward pass of micro-batch n through part k of the model; B k,n: its backward pass",
    "short": "a cell is a forward or backward pass; its number is the micro-batch's",
    "virtual": "a cell is a forward or backward pass; its number is the micro-batch's, its letter the virtual stage's",
    "": "a cell is a micro-batch's forward or backward pass (too narrow here for their numbers)",
}
_NOTE = (
    "Idle: the share of the time without a pass. Keeps: for how many micro-batches, at most, the stage holds "
    "activations at the same time."
)
_TURNS = "Below: the passes of each stage in their order, each with the {} at which it begins."


def stages(runs: PipelineRun | Mapping[str, PipelineRun]) -> Picture:
    """Draw a lane for each stage, with a cell for each pass, over time; several runs one above the other.

    runs: what run_pipeline returns, one or several by their names. Cells are labelled where all labels fit. Of several
    virtual stages, the later ones are paler. At a lane's end stands for how much of the time the stage is
    idle, and for how many micro-batches it keeps activations. Raises ConfigError if there is no run.

    >>> run = ae.run_pipeline("1f1b", 2, 4, forward_ns=1000, backward_ns=2000)
    >>> print(*ae.plots.stages(run).table.splitlines()[:3], sep="\\n")
    run   stage  busy (µs)  idle (µs)    idle  keeps
    1f1b      0     12.000      3.000  20.0 %      2
    1f1b      1     12.000      3.000  20.0 %      1
    """
    runs = _checked(runs)
    longest = max(1, *(run.total_ns for run in runs.values()))
    unit = time_unit(longest)
    counts = [run.stages for run in runs.values()]
    lane = max(0.11, min(0.42, 9 / sum(counts)))  # inches
    figure = Figure(figsize=(11, lane * sum(counts) + 0.55 * len(counts) + 1), layout="constrained")
    figure.suptitle(_MEANINGS["full"], size=10)
    grid = figure.subplots(len(counts), 1, sharex=True, squeeze=False, height_ratios=counts)[:, 0]
    for axes, (name, run) in zip(grid, runs.items(), strict=True):
        _frame(axes, name, run, unit, every=1 if lane > 0.16 else 8)
    time_axis(grid[-1], unit)
    grid[-1].set_xlim(0, longest / unit.ns)
    handles = [look.patch() for look in (FORWARD, BACKWARD, BUBBLE._replace(name="bubble: nothing to compute"))]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    figure.draw_without_rendering()  # now the axes have their place
    inches_per_ns = grid[0].get_window_extent().width / figure.dpi / longest
    label, size = _room(runs.values(), 72 * inches_per_ns, 72 * lane)
    for axes, run in zip(grid, runs.values(), strict=True):
        _draw(axes, run, unit, inches_per_ns)
        for span in run.spans if label else ():
            x = (span.start_ns + span.end_ns) / 2 / unit.ns
            paper = _PAPER if span.kind == "B" else None
            axes.text(x, span.stage, _label(span, run, label), size=size, ha="center", va="center", bbox=paper)
    figure.suptitle(_MEANINGS[label], size=10)
    listed = _turns(runs, unit)
    note = f"{_NOTE} {_TURNS.format(f'time ({unit.name})')}" if listed else _NOTE
    return Picture(figure, _alt(runs, unit), "\n".join([_table(runs, unit), *listed]), note)


def _frame(axes: Axes, name: str, run: PipelineRun, unit: TimeUnit, every: int) -> None:
    """Empty lanes, all bubble so far; words at every how-manieth of them."""
    axes.set_title(f"{name}: {unit.named(run.total_ns)}, bubble {percent(run.bubble)}", loc="left", size=10)
    end = run.total_ns / unit.ns
    axes.barh(range(run.stages), end, _FILLED, facecolor=BUBBLE.fill, edgecolor=BUBBLE.colour, lw=0.5)
    axes.set(ylim=(run.stages - 0.4, -0.6))
    named = range(0, run.stages, every)
    axes.set_yticks(named, [f"stage {stage}" for stage in named])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    for stage in named:
        text = f"idle {percent(run.idle_shares[stage])}, keeps {run.in_flight[stage]:.4g}"
        at = (1.01, stage)
        axes.annotate(text, at, xycoords=("axes fraction", "data"), va="center", size=8.5, annotation_clip=False)


def _draw(axes: Axes, run: PipelineRun, unit: TimeUnit, inches_per_ns: float) -> None:
    """Draw the passes; where they are narrow, without edges, and as one if nothing is seen between them."""
    narrow = min(span.end_ns - span.start_ns for span in run.spans) * inches_per_ns < _NARROW
    gap_ns = _HAIR / inches_per_ns if narrow else -1
    for (stage, kind, v), spans in groupby(sorted(run.spans, key=_look_of), _look_of):
        look = _LOOKS[kind]
        axes.broken_barh(
            [(a / unit.ns, (b - a) / unit.ns) for a, b in _together(spans, gap_ns)],
            (stage - _FILLED / 2, _FILLED),
            facecolor=_paler(look.fill, v, run.virtual),
            edgecolor=look.colour,
            hatch=look.hatch if len(run.spans) <= _HATCHED else "",
            lw=0 if narrow else 0.7,
        )


def _look_of(span: PassSpan) -> tuple[int, str, int]:
    return span.stage, span.kind, span.virtual_stage


def _together(spans: Iterable[PassSpan], gap_ns: float) -> list[tuple[float, float]]:
    """From when to when a bar goes, if gaps of up to gap_ns are drawn over."""
    bars: list[tuple[float, float]] = []
    for span in spans:
        if bars and span.start_ns - bars[-1][1] <= gap_ns:
            bars[-1] = (bars[-1][0], span.end_ns)
        else:
            bars.append((span.start_ns, span.end_ns))
    return bars


def _paler(fill: str, virtual_stage: int, virtual: int) -> str:
    share = 0.6 * virtual_stage / max(1, virtual - 1)
    red, green, blue = (value + share * (1 - value) for value in to_rgb(fill))
    return to_hex((red, green, blue))


def _name(span: PassSpan, run: PipelineRun) -> str:
    return f"{span.kind} {span.virtual_stage * run.stages + span.stage},{span.micro_batch}"


def _label(span: PassSpan, run: PipelineRun, label: str) -> str:
    if label == "full":
        return _name(span, run)
    return f"{span.micro_batch}{chr(ord('a') + span.virtual_stage)}" if label == "virtual" else str(span.micro_batch)


def _room(runs: Collection[PipelineRun], points_per_ns: float, height: float) -> tuple[str, float]:
    """How all cells can be labelled, and in which size; "" if there is no room for it."""
    spans = [(run, span) for run in runs for span in run.spans]
    short = "virtual" if any(run.virtual > 1 for run in runs) else "short"
    for label, size in product(("full", short), _SIZES):
        if (
            len(spans) <= _LABELLED
            and 1.3 * size < height
            and all(
                _LETTER * size * (len(_label(span, run, label)) + 0.6) < (span.end_ns - span.start_ns) * points_per_ns
                for run, span in spans
            )
        ):
            return label, size
    return "", 0


def _alt(runs: Mapping[str, PipelineRun], unit: TimeUnit) -> str:
    words = ["A lane for each stage of a pipeline, with a cell for each forward and backward pass, over time."]
    for name, run in runs.items():
        last = run.stages - 1
        words.append(
            f"{name}, {run.stages} {'stage' if last == 0 else 'stages'} and {run.micro_batches} "
            f"{'micro-batch' if run.micro_batches == 1 else 'micro-batches'}: {unit.named(run.total_ns)}, bubble "
            f"{percent(run.bubble)}; stage 0 keeps activations for {run.in_flight[0]:.4g}"
            + (f", stage {last} for {run.in_flight[last]:.4g}." if last else ".")
        )
    return " ".join(words)


def _table(runs: Mapping[str, PipelineRun], unit: TimeUnit) -> str:
    rows: list[list[object]] = [
        [
            name,
            stage,
            unit.text(run.busy_ns[stage]),
            unit.text(run.total_ns - run.busy_ns[stage]),
            percent(run.idle_shares[stage]),
            f"{run.in_flight[stage]:.4g}",
        ]
        for name, run in runs.items()
        for stage in range(run.stages)
    ]
    return text_table(["run", "stage", f"busy ({unit.name})", f"idle ({unit.name})", "idle", "keeps"], rows)


def _turns(runs: Mapping[str, PipelineRun], unit: TimeUnit) -> list[str]:
    """Each stage's passes in a line, unless they are too many."""
    if sum(len(run.spans) for run in runs.values()) > _LISTED:
        return []
    return [
        f"{name}, stage {stage}: " + ", ".join(f"{_name(span, run)} at {unit.text(span.start_ns)}" for span in spans)
        for name, run in runs.items()
        for stage, spans in groupby(run.spans, lambda span: span.stage)
    ]


def _checked(runs: PipelineRun | Mapping[str, PipelineRun]) -> Mapping[str, PipelineRun]:
    if isinstance(runs, PipelineRun):
        return {runs.order: runs}
    if not isinstance(runs, Mapping) or not runs or not all(isinstance(run, PipelineRun) for run in runs.values()):
        raise ConfigError(
            'runs must be what run_pipeline returns, or several of that by name, such as {"GPipe": '
            f'run_pipeline("gpipe", 4, 8, 10, 20)}}; they are {type(runs).__name__} {runs!r:.60}.'
        )
    return runs
