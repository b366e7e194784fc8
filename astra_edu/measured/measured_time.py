"""What was measured of a step, and whether that can be held against a prediction."""

from __future__ import annotations

from astra_edu.measured.cells import Row, number, text
from astra_edu.measured.jobs import Job


def usable(row: Row) -> bool:
    """Whether a run's time can be held against a prediction: it ran, and not below 5 % of the peak."""
    mfu = row.get("mfu_pct")
    return ran(row) and not (isinstance(mfu, int | float) and mfu < 5)


RAN = ("", "ok", "time_to_target_only")
"""How runs ended well; where a status isn't given, they are taken to have. Of the last kind no step's time is known."""


def ran(row: Row) -> bool:
    """Whether a run ended well."""
    return text(row, "status") in RAN


def seconds_of(row: Row, job: Job) -> float | None:
    """A step's measured time, from whatever the row says of it."""
    if (ms := number(row, "iter_time_ms")) is not None:
        return ms / 1e3
    if (rate := number(row, "tokens_per_s_per_gpu")) is not None:
        return job.step_tokens / rate / job.cut.npus
    return None


def kept_bytes(row: Row) -> float | None:
    """The measured peak of memory in bytes: mem_GB is in 10⁹ bytes, or in GiB where the note says so."""
    size = number(row, "mem_GB")
    return size * (2**30 if "gib" in text(row, "note") else 1e9) if size else None
