"""Fits the parameters of each device and stack to measured runs; `python -m astra_edu.measured fit` stores them.

Half of the runs are fitted to, the other half says how good that is. What is minimised is the logarithm of predicted
over measured, where runs that are far off count less (arctangent), and a weak pull to where the fit begins keeps those
parameters from wandering that the runs say nothing about. scipy.optimize.least_squares does the work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import exp, log
from random import Random
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, TypeVar

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import records
from astra_edu.measured.clock import Clock
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.kept import logged_of
from astra_edu.measured.measured_time import kept_bytes, seconds_of, usable
from astra_edu.measured.parameters import MEMORY_TABLE, TABLE, Meaning, MemoryParameters, Parameters
from astra_edu.measured.step import step_of
from astra_edu.measured.stored import FILE, Fitted, every
from astra_edu.workload.compute import Machine

if TYPE_CHECKING:
    from pandas import DataFrame

Some = TypeVar("Some", Parameters, MemoryParameters)

FAR = 0.2
"""Of a logarithm: an error beyond which a run counts less."""

PULL = 0.1
"""What a parameter that is e times its first value costs, as such an error of one run: little where runs are many."""

LATE_HOST = {"host_tensor_us": 150.0, "host_tensor_grows": 0.8, "host_pipeline": 4.0, "host_us": 20.0}
"""Another place to begin: where the host is never late, nothing would say that it should be."""


@dataclass(frozen=True)
class Run:
    """A measured job: its step in s and what it kept in bytes, where that is known."""

    job: Job
    seconds: float | None
    kept: float | None


@dataclass(frozen=True)
class Set:
    """Runs that one set of parameters is fitted to."""

    stack: str
    machines: tuple[str, ...]
    sources: tuple[str, ...]


SETS = (
    Set("Megatron-DeepSpeed", ("a100",), ("vtrain_single", "vtrain_multi")),
    Set("nanotron", ("h100",), ("nanotron",)),
    Set("llm-foundry", ("a100-40",), ("mpt",)),
    Set("llm-foundry", ("a100",), ("mpt",)),
    Set("llm-foundry", ("h100",), ("mpt",)),
    Set("InternEvo", ("a100",), ("internevo",)),
    Set("TorchTitan", ("h100-96", "h200"), ("torchtitan",)),
    Set("Megatron-LM", ("b200",), ("simumax_b200",)),
    Set("Megatron-Bridge", ("h100",), ("megatron_bridge",)),
    Set("Megatron-Bridge", ("b200", "gb200"), ("megatron_bridge",)),
    Set("Megatron-Bridge", ("b300", "gb300"), ("megatron_bridge",)),
    Set("MLPerf", ("b200", "gb200", "gb300"), ("mlperf",)),
    Set("MLPerf", ("mi350x", "mi355x"), ("mlperf",)),
    Set("MaxText", ("tpu-v5p", "tpu-v6e", "ironwood"), ("tpu_recipes", "maxtext")),
)


def runs_of(rows: DataFrame, some: Set) -> list[Run]:
    """The runs of a set that can be predicted."""
    found = []
    for row in records(rows[rows.source_id.isin(some.sources)]):
        try:
            job = job_of(row)
        except ConfigError:
            continue
        if job.machine.name in some.machines and usable(row) and job.stack.name == some.stack:
            found.append(Run(job, seconds_of(row, job), kept_bytes(row)))
    return found


def errors(predicted: Iterable[float], measured: Iterable[float]) -> list[float]:
    """Predicted over measured, less 1."""
    return [ours / theirs - 1 for ours, theirs in zip(predicted, measured, strict=True)]


def step_seconds(runs: Sequence[Run], given: Parameters) -> list[float]:
    """What is predicted."""
    clocks: dict[tuple[Machine, int], Clock] = {}
    found = []
    for run in runs:
        key = (run.job.machine, run.job.bits)
        if key not in clocks:
            clocks[key] = Clock(run.job.machine, given, run.job.bits)
        found.append(step_of(run.job, clocks[key]).total)
    return found


def fit_time(runs: Sequence[Run]) -> Parameters:
    """The parameters that suit the runs best."""
    timed = [run for run in runs if run.seconds]
    starts = [Parameters(), replace(Parameters(), **LATE_HOST)]
    measured = [run.seconds or 0 for run in timed]
    return _fit(starts, TABLE, lambda given: step_seconds(timed, given), measured)


def fit_memory(runs: Sequence[Run]) -> MemoryParameters | None:
    """The same for what is kept; None where no run says."""
    known = [run for run in runs if run.kept]
    if not known:
        return None
    measured = [run.kept or 0 for run in known]
    return _fit(
        [MemoryParameters()], MEMORY_TABLE, lambda given: [logged_of(run.job, given).total for run in known], measured
    )


def _fit(
    starts: Sequence[Some],
    table: dict[str, Meaning],
    predicted: Callable[[Some], Sequence[float]],
    measured: Sequence[float],
) -> Some:
    import numpy as np
    from scipy.optimize import least_squares

    kind, names = type(starts[0]), [each.name for each in fields(starts[0])]
    least, most = (np.log([getattr(table[name], side) for name in names]) for side in ("least", "most"))
    truth = np.array(measured)

    def of(x: Any) -> Some:
        return kind(**{name: exp(value) for name, value in zip(names, x, strict=True)})

    def begin(start: Some) -> Any:
        return np.clip([log(getattr(start, name)) for name in names], least + 1e-3, most - 1e-3)

    first = begin(starts[0])

    def lost(x: Any) -> Any:
        off = np.arctan(np.log(np.array(predicted(of(x))) / truth) / FAR) * FAR
        return np.concatenate([off, PULL * (x - first)]) / np.sqrt(len(truth))

    best = min((begin(start) for start in starts), key=lambda x: float((lost(x) ** 2).sum()))
    found = of(least_squares(lost, best, bounds=(least, most), max_nfev=25).x)
    return kind(**{name: float(f"{value:.4g}") for name, value in asdict(found).items()})


def halves(runs: Sequence[Run]) -> tuple[list[Run], list[Run]]:
    """Half of the runs and the rest, at random but always the same."""
    mixed = list(runs)
    Random(0).shuffle(mixed)
    return mixed[::2], mixed[1::2]


def fit_all(file: str, only: Sequence[str], store: bool, say: Callable[[str], object]) -> list[Fitted]:
    """Fit each set of runs; say for each how far off the other half is, in the median and on average.

    What is stored is then fitted to all of them.
    """
    from astra_edu.measured.table import load

    rows, found = load(file), {(each.stack, each.machines): each for each in every()}
    if "source_id" not in rows:
        raise ConfigError(f"{file} has no column source_id, by which runs are told apart.")
    for some in SETS:
        if only and not any(word in f"{some.stack} {' '.join(some.machines)}" for word in only):
            continue
        runs = runs_of(rows, some)
        half, rest = halves(runs)
        if not any(run.seconds for run in half):
            say(f"{some.stack} on {', '.join(some.machines)}: no runs")
            continue
        time, memory = fit_time(half), fit_memory(half)
        say(f"{some.stack} on {', '.join(some.machines)}: {_how_far(rest, time, memory)}")
        if store:
            time, memory = fit_time(runs), fit_memory(runs)
        found[some.stack, some.machines] = Fitted(some.stack, some.machines, some.sources, time, memory)
    fitted = list(found.values())
    if store:
        FILE.write_text(json.dumps([asdict(each) for each in fitted], indent=1) + "\n", encoding="utf-8")
        every.cache_clear()
    return fitted


def _how_far(runs: Sequence[Run], time: Parameters, memory: MemoryParameters | None) -> str:
    timed, known = [run for run in runs if run.seconds], [run for run in runs if run.kept]
    words = []
    if timed:
        off = errors(step_seconds(timed, time), [run.seconds or 0 for run in timed])
        words.append(f"{len(timed)} times off by {_middle(off)}")
    if known and memory:
        off = errors([logged_of(run.job, memory).total for run in known], [run.kept or 0 for run in known])
        words.append(f"{len(known)} memories off by {_middle(off)}")
    return "; ".join(words)


def _middle(off: Sequence[float]) -> str:
    sizes = [abs(each) for each in off]
    return f"{median(sizes):.1%} in the median, {fmean(sizes):.1%} on average"
