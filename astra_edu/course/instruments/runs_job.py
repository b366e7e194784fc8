"""What is predicted of a setting, and what was measured of it: a row of measured runs, perhaps with other columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.runs_known import (
    COLUMNS,
    KINDS,
    Run,
    mfu,
    nearest,
    runs_like,
    varied,
)
from astra_edu.course.instruments.setting import Values
from astra_edu.measured.cells import Row
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.measured_time import kept_bytes
from astra_edu.measured.predicted import Predictor, prediction
from astra_edu.measured.spread import range_of
from astra_edu.measured.step import Step

MEASURED = ("iter_time_ms", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct", "hfu_pct", "mem_GB", "status", "note")
"""What was measured of a run, which says nothing of another one."""
SHARES = ("tensor", "pipeline", "context", "npus")


@dataclass(frozen=True, eq=False)
class Told:
    """What is said of a setting. runs: measured ones of just this job. base: else the one it was changed from.

    step: the predicted one's parts in s. low_s, high_s: within which two thirds of the runs of its kind would be, which
    `kind` names. memory_bytes: predicted, of the NPU that keeps most. mfu: predicted, in %.
    """

    job: Job
    step: Step
    low_s: float
    high_s: float
    kind: str
    memory_bytes: float
    fits: bool
    mfu: float
    runs: tuple[Run, ...]
    base: Run

    @property
    def measured_s(self) -> float | None:
        """The mean of what was measured of just this job, in s."""
        return sum(run.measured_s for run in self.runs) / len(self.runs) if self.runs else None

    @property
    def measured_bytes(self) -> float | None:
        """The largest peak of memory that was measured of it."""
        return max(filter(None, (kept_bytes(run.row) for run in self.runs)), default=None)


def changes(values: Values) -> dict[str, Any]:
    """Columns of the nearest measured run that a setting has otherwise; none where it was measured."""
    base = nearest(values)
    differ = [name for name in COLUMNS if values[name] != base.values[name]]
    found: dict[str, Any] = {COLUMNS[name]: values[name] for name in differ}
    inside = values["tensor"] * values["pipeline"] * values["context"]
    if any(name in differ for name in SHARES) and base.row.get("dp") is not None:
        found["dp"] = values["npus"] // inside if values["npus"] % inside == 0 else None
    if differ and base.row.get("gbs_seq") != values["batch"]:  # of some rows only the note says it
        found["gbs_seq"] = values["batch"]
    if differ and base.row.get("grad_acc") is not None:
        found |= {"gbs_seq": values["batch"], "grad_acc": None}
    return found


def row_of(values: Values) -> Row:
    """A row for `measured.predict`. Raises ConfigError where the model wasn't measured with this stack and machine."""
    if like := runs_like(values):
        return like[0].row
    return {**nearest(values).row, **dict.fromkeys(MEASURED), **changes(values)}


def possible(values: Values) -> None:
    """Raise ConfigError for a job that can't be."""
    _job(tuple(values.items()))


def job_for(values: Values) -> tuple[Row, Job]:
    """Its row and its job. Raises ConfigError for one that can't be."""
    row, job, _ = _job(tuple(values.items()))
    return row, job


def told(values: Values) -> Told:
    """What is predicted and what was measured. Raises ConfigError for a job that can't be."""
    return _told(tuple(values.items()))


def facts(run: Run) -> str:
    """A measured run's settings, those that its kind's runs differ in, in words."""
    kind = run.values["kind"]
    shown = [name for name in COLUMNS if name in varied(kind) and name != "npus"]
    return f"{run.values['npus']:,} NPUs, " + ", ".join(f"{in_words(name)} {run.values[name]}" for name in shown)


def in_words(name: str) -> str:
    """A setting's name."""
    return "NPUs" if name == "npus" else name.replace("_", "-")


def code(values: Values) -> str:
    """The same in Python."""
    base, differ = nearest(values), {} if runs_like(values) else changes(values)
    number = runs_like(values)[0].number if runs_like(values) else base.number
    lines = ["from astra_edu import measured", f"row = measured.runs().loc[[{number}]]"]
    if differ:
        given = ", ".join(f"{name}={value!r}" for name, value in differ.items())
        unknown = ", ".join(f"{name}=None" for name in MEASURED)
        lines.append(f"row = row.astype(object).assign({given}, {unknown})")
    lines += ["print(measured.predict(row).to_string())", "print(measured.ranges(row).to_string())"]
    return "\n".join(lines)


def called(values: Values) -> str:
    """Model, stack and machine in words."""
    return f"{values['model']}, {KINDS[values['kind']].called}"


@lru_cache(maxsize=4096)
def _job(items: tuple[tuple[str, Any], ...]) -> tuple[Row, Job, Step]:
    values = dict(items)
    row = row_of(values)
    try:
        job = job_of(row)
    except ConfigError as error:  # names columns
        if "no experts to share out" in str(error):
            raise ConfigError(
                f"expert is {values['expert']}, and {values['model']} has no experts to share out; 1 would do."
            ) from None
        raise ConfigError(str(error).replace("gbs_seq", "batch")) from None
    if not runs_like(values):
        _check(values, job)
    return row, job, Predictor().step(job)


def _check(values: Values, job: Job) -> None:
    """Raise ConfigError for what a prediction would not see: virtual stages where there are none, and a batch that
    copies and micro-batches don't divide."""
    cut, batch = job.cut, values["batch"]
    if values["virtual"] > 1 and values["pipeline"] == 1:
        raise ConfigError(
            f"virtual is {values['virtual']}, and pipeline is 1, so that there are no stages; 1 would do."
        )
    at_once = cut.data * cut.micro_batch
    if batch % at_once:
        near = batch // at_once * at_once
        raise ConfigError(
            f"batch is {batch}, and {cut.data} copies with micro-batches of {cut.micro_batch} take {at_once}; "
            f"{f'{near} or ' * (near > 0)}{near + at_once} would do."
        )


@lru_cache(maxsize=1024)
def _told(items: tuple[tuple[str, Any], ...]) -> Told:
    values = dict(items)
    row, job, step = _job(items)
    ms, gigabytes, fits, refused, _ = prediction(Predictor(), row)
    assert not refused
    low_ms, high_ms, kind = range_of(row, ms)
    return Told(
        job,
        step,
        low_ms / 1e3,
        high_ms / 1e3,
        kind,
        gigabytes * 1e9,
        fits,
        mfu(job, step.total),
        runs_like(values),
        nearest(values),
    )
