"""Measured rows as estimates: the same jobs as `predict`'s, by `ae.estimate` on calibrated devices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.measured.calibrated import device, platform
from astra_edu.measured.cells import records
from astra_edu.measured.estimated import strategy_of
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.step import HIDING
from astra_edu.system import Platform
from astra_edu.workload.compute import Device, Machine
from astra_edu.workload.compute.alike import kind_of
from astra_edu.workload.compute.operator import divisors
from astra_edu.workload.strategies import Precision, Strategy

if TYPE_CHECKING:
    from pandas import DataFrame

    from astra_edu.explore.iteration import Iteration


def estimates(rows: DataFrame) -> DataFrame:
    """What `ae.estimate` says of each row of measured runs, on the calibrated device and platform of its stack.

    Columns: estimated_ms, peak_ms (the same strategy on the device and links as their makers publish them), and
    refused: "" or why no strategy says it. Same index. The rows are those of `predict`, whose compute model is the
    same; see the README for how near both are.

    >>> from astra_edu import measured
    >>> some = measured.runs().query("source_id == 'simumax_b200'").head(3)
    >>> near = measured.estimates(some).estimated_ms / measured.predict(some).predicted_ms
    >>> bool(near.between(0.9, 1.1).all())
    True
    """
    import pandas as pd

    from astra_edu.explore.iteration import estimate

    instance_of("rows", rows, pd.DataFrame, "give a pandas DataFrame with a run in each row")
    found: list[tuple[float, float, str]] = []
    for row in records(rows):
        try:
            job = job_of(row)
            peak = estimate(job.model, as_its_stack_does(job), job.machine.device, _platform(job.machine, job.cut.npus))
            own = estimate_of(job)
            found.append(((own.bound_ns or own.total_ns) / 1e6, (peak.bound_ns or peak.total_ns) / 1e6, ""))
        except ConfigError as error:
            found.append((float("nan"), float("nan"), str(error)))
    made = pd.DataFrame(found, columns=["estimated_ms", "peak_ms", "refused"], index=rows.index)
    return made.astype({"estimated_ms": float, "peak_ms": float})


def estimate_of(job: Job) -> Iteration:
    """A job's estimate on its stack's calibrated device. Raises ConfigError where no strategy says it."""
    from astra_edu.explore.iteration import estimate

    strategy = as_its_stack_does(job)
    return estimate(
        job.model,
        strategy,
        _device(job.machine, job.stack.name),
        _calibrated(job.machine, strategy.npus, job.stack.name),
    )


def as_its_stack_does(job: Job) -> Strategy:
    """A job's strategy, with what its stack hides and in how many bits it sends gradients. Raises ConfigError."""
    if any(each.frozen for each in (job.first, *(kind for kind, _ in job.blocks), job.last)):
        raise ConfigError("there is no strategy in which weights are frozen and only adapters beside them are trained.")
    blocks = tuple(map(sum, job.stages)) if job.cut.pipeline > 1 and job.cut.virtual == 1 else None
    if blocks and not all(blocks):
        raise ConfigError("there is no strategy in which a stage has no block.")
    precision = Precision(products=job.bits, gradients=round(8 * job.stack.gradient_bytes))
    found = replace(strategy_of(job), overlap=tuple(_overlap(job)), precision=precision)
    return replace(found, stage_blocks=blocks) if blocks else found


def _overlap(job: Job) -> Iterator[str]:
    stack, cut = job.stack, job.cut
    if stack.overlap or cut.zero == 3 or (stack.ddp and not cut.zero):
        yield "gradients"
    if cut.zero == 3 or (cut.zero and stack.overlap):
        yield "parameters"
    if cut.tensor > 1 and stack.sequence_parallel and stack.hides_tensor and kind_of(job.machine.name) in HIDING:
        yield "tensor"
    if cut.expert > 1 and 0 < stack.hides_experts <= cut.virtual:
        yield "expert"


@lru_cache(maxsize=256)
def _device(machine: Machine, stack: str) -> Device:
    return device(machine, stack)


@lru_cache(maxsize=1024)
def _calibrated(machine: Machine, npus: int, stack: str) -> Platform:
    return platform(machine, npus, stack, _of_a_domain(machine, npus))


@lru_cache(maxsize=1024)
def _platform(machine: Machine, npus: int) -> Platform:
    return machine.platform(npus, _of_a_domain(machine, npus))


def _of_a_domain(machine: Machine, npus: int) -> int | None:
    """How many NPUs of each domain are used: as many as divide them."""
    if machine.wiring == "Torus" or npus <= machine.node:
        return None
    return max(each for each in divisors(npus) if each <= machine.node)
