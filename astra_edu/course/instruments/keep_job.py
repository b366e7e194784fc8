"""What is simulated of a training that fails: days of one job, for every interval between its checkpoints."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from astra_edu.course.instruments.setting import Values
from astra_edu.reliability import Goodput, TrainingJob, daly_s, goodput, goodput_share, young_s

DAYS = 7
ITERATION_S = 10.0
STORAGE_GB_S = 100.0
MINUTES = (5, 10, 20, 30, 60, 120, 240)
MTBF_H = (10_000, 20_000, 50_000, 100_000, 200_000)
NODE_NPUS = 8
DETECT_S = 60.0


def job_of(values: Values, minutes: float | None = None) -> TrainingJob:
    """The job of a setting, perhaps with other minutes between two checkpoints."""
    every = round((values["every"] if minutes is None else minutes) * 60 / ITERATION_S)
    spares = None if values["spares"] == "enough" else values["spares"]
    return TrainingJob(
        values["npus"],
        ITERATION_S,
        values["mtbf"],
        every,
        round(values["stands"] * STORAGE_GB_S * 1e9),
        STORAGE_GB_S,
        detect_s=DETECT_S,
        restart_s=60.0 * values["restart"] - DETECT_S,
        node_npus=NODE_NPUS,
        spares=spares,
    )


def run_of(values: Values, minutes: float | None = None) -> Goodput:
    """A week of it."""
    return _run(job_of(values, minutes), values["seed"])


@lru_cache(maxsize=512)
def _run(job: TrainingJob, seed: int) -> Goodput:
    return goodput(job, DAYS, seed)


def shares(values: Values) -> dict[int, float]:
    """The goodput by the formula, for every interval of the slider in minutes."""
    return {minutes: goodput_share(job_of(values, minutes)) for minutes in MINUTES}


def optima(values: Values) -> tuple[float, float]:
    """Young's interval and Daly's, in minutes."""
    job = replace(job_of(values), spares=None)
    return young_s(job.blocked_s, job.mtbf_s) / 60, daly_s(job.blocked_s, job.mtbf_s) / 60


def code(values: Values) -> str:
    """The same in Python."""
    job, spares = job_of(values), values["spares"]
    more: dict[str, Any] = {} if spares == "enough" else {"spares": spares}
    given = "".join(f", {name}={value}" for name, value in more.items())
    return f"""from astra_edu.reliability import daly_s, goodput_share, young_s
job = ae.TrainingJob(npus={job.npus}, iteration_s={job.iteration_s:g}, npu_mtbf_h={job.npu_mtbf_h:g},
                     checkpoint_every={job.checkpoint_every}, checkpoint_bytes={job.checkpoint_bytes},
                     storage_gb_s={job.storage_gb_s:g}, detect_s={job.detect_s:g}, restart_s={job.restart_s:g},
                     node_npus={job.node_npus}{given})
print(ae.goodput(job, days={DAYS}, seed={values["seed"]}))
print(goodput_share(job), young_s(job.blocked_s, job.mtbf_s), daly_s(job.blocked_s, job.mtbf_s))"""
