"""How long a measured step took, and whether that can be held against a prediction."""

from __future__ import annotations

from astra_edu.measured.cells import Row, number
from astra_edu.measured.jobs import Job


def usable(row: Row) -> bool:
    """Whether a run's time can be held against a prediction: it ran, and not below 5 % of the peak."""
    mfu = row.get("mfu_pct")
    return row.get("status") == "ok" and not (isinstance(mfu, float) and mfu < 5)


def seconds_of(row: Row, job: Job) -> float | None:
    """A step's measured time, from whatever the row says of it."""
    if (ms := number(row, "iter_time_ms")) is not None:
        return ms / 1e3
    if (rate := number(row, "tokens_per_s_per_gpu")) is not None:
        return job.step_tokens / rate / int(row["gpus"])
    return None
