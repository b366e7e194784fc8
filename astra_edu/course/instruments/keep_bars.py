"""The lanes, the bars, the curves and the sentences of a training that fails."""

from __future__ import annotations

from collections.abc import Iterator

from astra_edu.course.instruments.charts import Block, Curve, Curves, Lanes
from astra_edu.course.instruments.keep_job import DAYS, MINUTES, job_of, optima, run_of, shares
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.reliability import Goodput

LOOK = {"useful": "useful", "checkpoint": "checkpoint", "lost": "lost", "restart": "restart"}
LOOK["waiting"] = "waits for a spare"
DOES = {
    "useful": "trains; this is kept",
    "checkpoint": "stands still for a checkpoint",
    "lost": "trains; this is lost with the next failure",
    "restart": "finds out what failed, and starts again",
    "waiting": "waits for a spare node",
}
ROW_H, ROWS = 4, 6
"""The first day, in rows of four hours."""


def first_day(run: Goodput, open: bool) -> Lanes:
    """What all NPUs do in the first day, from the left to the right and row by row. open: see Lanes."""
    rows = tuple(f"{row * ROW_H}–{(row + 1) * ROW_H} h" for row in range(ROWS))
    return Lanes("The first day", "h", rows, tuple(_blocks(run, rows)), ROW_H, open)


def _blocks(run: Goodput, rows: tuple[str, ...]) -> Iterator[Block]:
    for number, span in enumerate(run.spans):
        start, end = span.start_s / 3600, span.end_s / 3600
        for row, lane in enumerate(rows):
            left, right = max(start, row * ROW_H), min(end, (row + 1) * ROW_H)
            if left < right:
                minutes = (span.end_s - span.start_s) / 60
                title = f"{minutes:,.1f} min from {start:.2f} h on: {DOES[span.kind]}"
                name = f"{number}, row {row}"
                yield Block(name, lane, left - row * ROW_H, right - row * ROW_H, LOOK[span.kind], "", title)
        if end > ROW_H * ROWS:
            return


def time_bars(values: Values) -> Bars:
    """What the time goes to, with this interval and with the slider's best."""
    best = best_minutes(values)
    chosen = {f"every {values['every']} min": run_of(values), f"every {best} min, the best": run_of(values, best)}
    bars = []
    for name, run in chosen.items():
        parts = tuple(Part(look, 100 * run.share_of(kind)) for kind, look in LOOK.items() if run.seconds[kind])
        bars.append(Bar(name, parts, f"{100 * run.share:.1f} % useful"))
    return Bars(f"Where {DAYS} days go, with the same failures", tuple(bars), "%")


def best_minutes(values: Values) -> int:
    """The interval of the slider with the largest goodput by the formula."""
    found = shares(values)
    return max(found, key=found.__getitem__)


def interval_curves(values: Values) -> Curves:
    """The goodput over the interval between two checkpoints."""
    formula = tuple((float(minutes), 100 * share) for minutes, share in shares(values).items())
    simulated = tuple((float(minutes), 100 * run_of(values, minutes).share) for minutes in MINUTES)
    both = (Curve("by the formula", formula), Curve("simulated failures", simulated))
    return Curves("Goodput over the interval", "minutes between checkpoints", "goodput (%)", both, log_x=True)


def sentences(values: Values) -> tuple[str, ...]:
    """How often something fails, what a failure costs, and what Young and Daly say."""
    job, run = job_of(values), run_of(values)
    hours, failed = job.mtbf_s / 3600, len(run.failures_s)
    one = f"{values['mtbf']:,} h for one NPU / {values['npus']:,} NPUs"
    found = [f"The job fails every {hours:.2g} h on average ({one}); here {failed} times in {DAYS} days."]
    if failed:
        lost, restart = (run.seconds[kind] / 60 / failed for kind in ("lost", "restart"))
        found.append(
            f"A failure costs {lost:.1f} min of work that was not stored, on average nearly half an interval where "
            f"failures are rare, and {restart:.1f} min until training goes on."
        )
    young, daly = optima(values)
    found.append(
        f"Best interval: {young:.0f} min by Young, √(2 × checkpoint × MTBF); {daly:.0f} min by Daly; of the slider’s, "
        f"{best_minutes(values)} min."
    )
    if run.seconds["waiting"]:
        found.append(
            f"Spare nodes run out: for {run.seconds['waiting'] / 3600:,.1f} h all wait until one is repaired, which "
            "takes a day. The formula knows nothing of that."
        )
    return tuple(found)
