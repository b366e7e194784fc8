"""The stage of measured runs: each a mark by its predicted and its measured share of the peak, and one's own job."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from astra_edu.course.instruments.runs_job import Told, facts
from astra_edu.course.instruments.runs_known import Run, apart, by_model, key_of, runs_of
from astra_edu.course.instruments.scene import Box, Frame, Label, Link, Piece, Stage
from astra_edu.course.instruments.setting import Values

WIDE, LEFT, RIGHT, TOP, HIGH, BELOW = 640.0, 32.0, 16.0, 20.0, 190.0, 38.0
MOST = 160
"""Marks on the stage, at most."""
OWN, OTHER, HERE, BAND, SAID = (
    "run of this model", "run of another model", "this run, measured", "two thirds of such runs", "predicted",
)  # fmt: skip
AGREE = "measured as predicted"
STEPS = 3
TICK = 10


def marks(values: Values, most: int = MOST) -> tuple[Run, ...]:
    """The runs on the stage: those of the kind with most in common with a setting, of the same model first."""
    same = by_model(values["kind"])[values["model"]]
    alike = sorted(same, key=lambda run: apart(run.key, key_of(values)))
    others = [run for run in runs_of(values["kind"]) if run.values["model"] != values["model"]]
    return (*alike, *others)[:most]


class _Plot:
    """Where shares of the peak stand. most: the largest, in %."""

    def __init__(self, most: float) -> None:
        self.most = TICK * ceil(most / TICK)

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = (WIDE - LEFT - RIGHT) * min(x, self.most) / self.most
        return LEFT + across, TOP + HIGH * (1 - min(y, self.most) / self.most)

    def box(self, x: float, y: float, side: float) -> Box:
        middle = self.at(x, y)
        return (middle[0] - side / 2, middle[1] - side / 2, side, side)

    def ray(self, ratio: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where what was measured took `ratio` times as long as predicted."""
        x = min(self.most, self.most * ratio)
        return self.at(0, 0), self.at(x, x / ratio)


def runs_stage(title: str, values: Values, told: Told, most: int = MOST) -> Stage:
    """First the runs of the kind, then what is predicted of the job, then what was measured of it, if anything was."""
    shown, here = marks(values, most), {run.number for run in told.runs}
    shares = [share for run in shown for share in run.mfu]
    low, high = (told.mfu * told.step.total / seconds for seconds in (told.high_s, told.low_s))
    plot = _Plot(max(*shares, high))
    pieces = [
        _mark(plot, run, OWN if run.values["model"] == values["model"] else OTHER)
        for run in reversed(shown)
        if run.number not in here
    ]
    pieces += [_range(plot, told, low, high), _predicted(plot, told)]
    pieces += [_here(plot, run) for run in told.runs if run in shown]
    return Stage(
        title, (WIDE, TOP + HIGH + BELOW), _steps(values, told, shown),
        (Frame("plot", (LEFT, TOP, WIDE - LEFT - RIGHT, HIGH)),), tuple(pieces),
        links=_rays(plot, told), labels=_labels(plot), hidden=True,
    )  # fmt: skip


def says(run: Run) -> str:
    """What is to be said of a measured run."""
    return (
        f"{run.values['model']} on {facts(run)}: measured {seconds(run.measured_s)} a step, {run.mfu[1]:.1f} % of the "
        f"peak; predicted {seconds(run.predicted.total)}, {run.mfu[0]:.1f} %. "
        f"{run.row['source_id']}: {run.row['system']}."
    )


def seconds(time: float) -> str:
    """A time in s or ms."""
    return f"{time:,.2f} s" if time >= 1 else f"{1e3 * time:,.0f} ms"


def _mark(plot: _Plot, run: Run, look: str) -> Piece:
    side = 7 if look == OWN else 5
    return Piece(f"run {run.number}", (plot.box(*run.mfu, side),) * STEPS, (look,) * STEPS, title=says(run))


def _here(plot: _Plot, run: Run) -> Piece:
    small, large = plot.box(*run.mfu, 7), plot.box(*run.mfu, 9)
    return Piece(f"run {run.number}", (small, small, large), (OWN, OWN, HERE), title=says(run))


def _range(plot: _Plot, told: Told, low: float, high: float) -> Piece:
    (x, top), (_, bottom) = plot.at(told.mfu, high), plot.at(told.mfu, low)
    box = (x - 3, top, 6.0, max(1.0, bottom - top))
    title = f"two thirds of the runs of {told.kind} would be within {low:.1f} and {high:.1f} % of the peak"
    return Piece("range", (None, box, box), (BAND,) * STEPS, title=title)


def _predicted(plot: _Plot, told: Told) -> Piece:
    box = plot.box(told.mfu, told.mfu, 15)
    title = f"predicted: {seconds(told.step.total)} a step, {told.mfu:.1f} % of the peak"
    return Piece("predicted", (None, box, box), (SAID,) * STEPS, title=title)


def _labels(plot: _Plot) -> tuple[Label, ...]:
    """Both axes: what they count, and their ticks."""
    found = [
        Label("y", (LEFT, TOP - 7), "↑ measured share of the peak (MFU, %)"),
        Label("x", (WIDE - RIGHT, TOP + HIGH + 32), "predicted share of the peak (MFU, %) →", "end"),
    ]
    for tick in range(0, plot.most + 1, TICK):
        (x, _), (_, y) = plot.at(tick, 0), plot.at(0, tick)
        found.append(Label(f"x {tick}", (x, TOP + HIGH + 15), f"{tick}", "middle"))
        found.append(Label(f"y {tick}", (LEFT - 6, y + 4), f"{tick}", "end"))
    return tuple(found)


def _rays(plot: _Plot, told: Told) -> tuple[Link, ...]:
    """The line on which both agree, and the two between which two thirds of the runs are."""
    found = [Link("agree", plot.ray(1), (AGREE,) * STEPS, (1.2,) * STEPS, title=AGREE)]
    for name, at in (("low", told.low_s), ("high", told.high_s)):
        ratio = at / told.step.total
        title = f"measured took {ratio:.2f} times as long as predicted: two thirds of {told.kind} are between these"
        found.append(Link(name, plot.ray(ratio), (BAND,) * STEPS, (1.0,) * STEPS, title=title))
    return tuple(found)


def _steps(values: Values, told: Told, shown: Sequence[Run]) -> tuple[str, ...]:
    every, same = len(runs_of(values["kind"])), len(by_model(values["kind"])[values["model"]])
    drawn = f"; drawn are the {len(shown)} with most in common" if len(shown) < every else ""
    first = (
        f"{every} measured runs of this stack and machine, {same} of them of this model{drawn}. On the line measured "
        "and predicted agree; two thirds of such runs are between the dashed lines."
    )
    second = f"Predicted of this job: {told.mfu:.1f} % of the peak, {seconds(told.step.total)} a step."
    if told.runs:
        found = " and ".join(f"{run.mfu[1]:.1f} %" for run in told.runs[:3])
        more = f" and {len(told.runs) - 3} more" if len(told.runs) > 3 else ""
        return first, second, f"Measured of it: {found}{more} of the peak."
    return first, second, "Nothing was measured of just this job; click a mark to take a measured one."
