"""The bars and sentences of measured runs: where a step's time goes, and how far off runs like it are."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from astra_edu.course.instruments.runs_job import Told, changes, in_words
from astra_edu.course.instruments.runs_known import COLUMNS, Run, crashed, nearest, runs_of, varied
from astra_edu.course.instruments.runs_stage import seconds
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.measured.runs import shipped_sources

LOOKS = {
    "compute": "compute",
    "host": "waits for the host",
    "sent": "groups’ collectives",
    "bubble": "bubble",
    "exchange": "exchange of copies",
    "rest": "update and other",
}
"""Of a step's parts."""
MEANINGS = {
    "host": "waits for the host: kernels end before it has launched the next",
    "sent": "groups’ collectives: within tensor, context and expert groups",
    "bubble": "bubble: a stage waits for others",
    "exchange": "exchange of copies: gradients and, with ZeRO, parameters, unless compute hides them",
    "rest": "update and other: the optimiser, and what no kernel accounts for",
}
NOT_MODELLED = "not modelled"
FEWEST = 4
"""Runs that a median is given of."""
GB = 1e9


def time_bars(told: Told) -> Bars:
    """The predicted step by its parts; what was measured, with what is more than that."""
    large = told.step.total >= 1
    scale = 1 if large else 1e3
    parts = tuple(Part(look, scale * at) for name, look in LOOKS.items() if (at := getattr(told.step, name)) > 0)
    bars = [Bar("predicted", parts, seconds(told.step.total))]
    for number, run in enumerate(told.runs, 1):
        as_predicted = min(run.measured_s, told.step.total)
        more = run.measured_s - as_predicted
        both = [Part("measured", scale * as_predicted)] + [Part(NOT_MODELLED, scale * more)] * (more > 0)
        label = "measured" if len(told.runs) == 1 else f"measured, run {number}"
        bars.append(Bar(label, tuple(both), f"{seconds(run.measured_s)}, {longer(run.ratio)}"))
    return Bars("Where a step’s time goes", tuple(bars), "s" if large else "ms")


def longer(ratio: float) -> str:
    """How a measured time is beside the predicted one, which stands above it."""
    percent = round(100 * (ratio - 1))
    return f"{abs(percent)} % {'longer' if percent > 0 else 'shorter'}" if percent else "as predicted"


def off(ratio: float) -> str:
    """By how many percent more than predicted, with a true minus."""
    percent = round(100 * (ratio - 1))
    return f"{percent:+d} %".replace("-", "−") if percent else "0 %"


def alike(values: Values) -> dict[str, tuple[Run, ...]]:
    """Runs of the kind that have a setting in common with this one, by what that is; none of very few runs."""
    found = {}
    for name in COLUMNS:
        same = tuple(run for run in runs_of(values["kind"]) if run.values[name] == values[name])
        if name in varied(values["kind"]) and len(same) >= FEWEST:
            found[f"{in_words(name)} {values[name] or 'by rule'}"] = same
    return found


def alike_bars(values: Values) -> Bars:
    """What was measured of them, in % of what is predicted, in the median."""
    rows = {"all of its kind": runs_of(values["kind"]), **alike(values)}
    bars = [_bar(name, runs) for name, runs in rows.items()]
    return Bars(
        "Runs with a setting in common (how many): measured in % of predicted time, median",
        tuple(bars),
        "%",
        "as predicted",
    )


def sentences(values: Values, told: Told) -> tuple[str, ...]:
    """The range, what was measured and where that is from, the memory, and where runs like it are furthest off."""
    found = [
        f"Two thirds of the runs of {told.kind} took {told.low_s / told.step.total:.2f} to "
        f"{told.high_s / told.step.total:.2f} times their predicted time: here {seconds(told.low_s)} to "
        f"{seconds(told.high_s)}.",
        _measured(values, told),
        f"Beside compute, {'; '.join(of for name, of in MEANINGS.items() if getattr(told.step, name) > 0)}.",
        _memory(values, told),
    ]
    if worst := _worst(alike(values)):
        found.append(worst)
    if source := _source(values, told):
        found.append(source)
    return tuple(found)


def _bar(name: str, runs: Sequence[Run]) -> Bar:
    share = 100 * median(run.ratio for run in runs)
    return Bar(f"{name} ({len(runs)})", (Part("measured", share),), f"{share:.0f} %", limit=100.0)


def _measured(values: Values, told: Told) -> str:
    if told.runs:
        times = ", ".join(seconds(run.measured_s) for run in told.runs)
        inside = sum(told.low_s <= run.measured_s <= told.high_s for run in told.runs)
        where = "within the range" if inside == len(told.runs) else f"{inside} of {len(told.runs)} within the range"
        if len(told.runs) == 1 and not inside:
            where = "outside the range"
        return f"Measured: {times}, {where}."
    differ = [name for name in COLUMNS if values[name] != told.base.values[name]]
    words = ", ".join(f"{in_words(name)} {told.base.values[name] or 'by rule'}" for name in differ)
    return f"Nothing was measured of just this job. The run most like it has {words}: {seconds(told.base.measured_s)}."


def _memory(values: Values, told: Told) -> str:
    room = told.job.machine.memory_bytes / GB
    known = f", {told.measured_bytes / GB:.1f} measured" if told.measured_bytes else ""
    fits = "it is said to fit" if told.fits else "it is said not to fit"
    failed = crashed(values)
    seen = f" Of just this job {failed} run{'s' * (failed > 1)} crashed, or ran out of memory." if failed else ""
    return (
        f"The NPU that keeps most has {told.memory_bytes / GB:.1f} × 10⁹ bytes by prediction{known}, of {room:.1f}: "
        f"{fits}.{seen}"
    )


def _worst(groups: dict[str, tuple[Run, ...]]) -> str:
    """Where runs that share one setting with it are furthest from their predictions."""
    medians = {name: median(run.ratio for run in runs) for name, runs in groups.items()}
    if not medians:
        return ""
    name = max(medians, key=lambda each: abs(medians[each] - 1))
    return f"Runs like it are furthest off with {name}: {off(medians[name])} in the median of {len(groups[name])} runs."


def _source(values: Values, told: Told) -> str:
    run = told.runs[0] if told.runs else nearest(values)
    known = shipped_sources()[run.row["source_id"]]
    words = f"{'Measured' if told.runs else 'Most like it'}: row {run.number} of measured.runs(), from {known['where']}"
    note = run.row.get("note")
    other = {} if told.runs else changes(values)
    changed = ", ".join(f"{name} {'not given' if value in (None, '') else value}" for name, value in other.items())
    return (
        f"{words} (licence: {known['licence']})."
        + (f" Note: {note}." if note else "")
        + (f" Changed: {changed}." if changed else "")
    )
