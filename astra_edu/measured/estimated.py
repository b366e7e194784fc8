"""Measured training steps beside what `ae.estimate` says of them, by kinds: what its ranges are made from.

The runs are those that ship, of 16-bit training whose recomputation is known, not below 5 % of the peak.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.beside import BELOW_MS, BITS, FILE, Beside
from astra_edu.measured.cells import records
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.measured_time import seconds_of, usable
from astra_edu.measured.spread import FEWEST, two_thirds
from astra_edu.measured.words import recompute_of
from astra_edu.system import Platform
from astra_edu.workload.compute import Machine
from astra_edu.workload.compute.alike import kind_of
from astra_edu.workload.strategies import Strategy

if TYPE_CHECKING:
    from pandas import DataFrame


def strategy_of(job: Job) -> Strategy:
    """A measured row's job as a strategy. Raises ConfigError where there is none."""
    cut = job.cut
    if cut.repeats < 1:
        raise ConfigError("there is no strategy in which some blocks are recomputed and others aren't.")
    return Strategy(
        data=cut.data,
        tensor=cut.tensor,
        pipeline=cut.pipeline,
        virtual=cut.virtual,
        context=cut.context,
        expert=cut.expert,
        zero=cut.zero,
        micro_batch=cut.micro_batch,
        batch=cut.data * cut.micro_batch * cut.micro_batches,
        recompute=cut.recompute,
        sequence_parallel=job.stack.sequence_parallel and cut.tensor > 1,
        pipeline_order="interleaved" if cut.virtual > 1 else "1f1b",
        stage_blocks="uneven" if cut.pipeline > 1 else "even",
    )


def measured_beside(rows: DataFrame, say: Callable[[str], None] = print) -> list[Beside]:
    """The lines that `python -m astra_edu.measured estimates` stores, from the runs of a table."""
    from astra_edu.explore.iteration import estimate

    @cache
    def platform(machine: Machine, npus: int) -> Platform:
        return machine.platform(npus)

    ratios: dict[tuple[str, float], list[float]] = {}
    for row in records(rows):
        try:
            job = job_of(row)
            seconds = seconds_of(row, job) if usable(row) else None
            known = recompute_of(row) or job.stack.recompute == "none"
            if not seconds or job.bits != BITS or not known:
                continue
            strategy = strategy_of(job)
            took = estimate(job.model, strategy, job.machine.device, platform(job.machine, strategy.npus))
        except ConfigError:
            continue
        compute_ms = took.compute_ns / job.cut.micro_batches / 1e6
        below = next(limit for limit in BELOW_MS if compute_ms < limit)
        total_ns = took.bound_ns or took.total_ns
        ratios.setdefault((kind_of(job.machine.name), below), []).append(seconds * 1e9 / total_ns)
    if not ratios:
        raise ConfigError("none of these runs has both a measured time and an estimate.")
    found = [
        Beside(*key, len(some), *(round(each, 3) for each in two_thirds(sorted(some))))
        for key, some in sorted(ratios.items())
        if len(some) >= FEWEST
    ]
    for each in found:
        ratios_of = f"{each.low:.2f} {each.middle:.2f} {each.high:.2f}"
        say(f"{each.runs:>6,} runs, {ratios_of}: {each.machines}, below {each.below_ms:g} ms")
    return found


def store(found: list[Beside]) -> None:
    """Write them to the file that ships."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Beside._fields)
        writer.writerows(found)
