"""What is simulated of the case studies: an all-reduce or an iteration on a platform, by the baseline or by Themis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import astra_edu.course.studies.case_studies as studies
from astra_edu.base.units import GIB
from astra_edu.course.studies.case_studies import JOBS, SYSTEMS, Job
from astra_edu.workload.models import model, transformer
from astra_edu.workload.strategies import Strategy

ALL_REDUCE = "all-reduce"
BASELINE, THEMIS = "baseline", "Themis, SCF"
SPLITS = 16
NEAR = 3
"""Platforms whose times differ by less, in %, are about alike."""


@dataclass(frozen=True)
class Time:
    """How long it takes, in ns: compute, and the rest, which is exposed communication."""

    total_ns: int
    compute_ns: float

    @property
    def exposed_ns(self) -> float:
        """What isn't hidden behind compute."""
        return self.total_ns - self.compute_ns


@lru_cache(maxsize=8)
def job(name: str) -> Job:
    """What is trained; of the large transformers an eighth of the blocks, which are all alike."""
    if name == "gpt3":
        return Job("GPT-3, 12 of 96 blocks", studies.gpt3(12), JOBS["GPT-3"].strategy)
    if name == "transformer-1t":
        part = transformer("Transformer-1T", hidden=25_600, heads=128, blocks=16, sequence=2048, vocabulary=51_200)
        return Job("Transformer-1T, 16 of 128 blocks", part, JOBS["Transformer-1T"].strategy)
    if name == "gpt2":
        return Job("GPT-2, data-parallel", model("gpt2"), Strategy(data=512))
    return JOBS["DLRM"]


def called(name: str) -> str:
    """The job in words."""
    return "all-reduce of 1 GiB" if name == ALL_REDUCE else job(name).name


@lru_cache(maxsize=256)
def time(system: str, name: str, scheduler: str) -> Time:
    """A run of the exact simulator."""
    if name == ALL_REDUCE:
        platform = studies.scheduled(studies.case_study_platform(system), scheduler)
        return Time(studies.all_reduce(platform, GIB).total_ns, 0)
    result = studies.train(job(name), studies.scheduled(studies.case_study_platform(system, splits=SPLITS), scheduler))
    return Time(result.total_ns, result.total_ns - result.exposed_ns[0])


def gain(system: str, name: str) -> float:
    """By how many % Themis shortens it; negative where it takes longer."""
    one, other = (time(system, name, scheduler).total_ns for scheduler in (BASELINE, THEMIS))
    return 100 * (one - other) / one


def group(name: str) -> int:
    """How many NPUs share out a copy of the model: a tensor group; 1, if each has a copy, or there is none."""
    return 1 if name == ALL_REDUCE else job(name).strategy.tensor


def dimensions(system: str, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(dimensions that a tensor group's collectives use, those of the copies), as the platform has them."""
    count, size = len(SYSTEMS[system].dimensions), group(name)
    if size == 1:
        return (), tuple(range(count))
    inside, before = 0, 1
    for d, (_, npus, _) in enumerate(SYSTEMS[system].dimensions):
        if before < size:
            inside = d + 1
        before *= npus
    cut, _ = studies.grouped(studies.case_study_platform(system), size)
    shared = len(cut.blocks) > count  # a group ends inside a switch, which serves both
    return tuple(range(inside)), tuple(range(inside - shared, count))


def rates(system: str, dims: tuple[int, ...]) -> float:
    """GB/s of an NPU in these dimensions together."""
    return sum(SYSTEMS[system].dimensions[d][2] for d in dims)


def code(one: str, other: str, name: str, scheduler: str) -> str:
    """The same in Python."""
    head = "from astra_edu.studies.case_studies import all_reduce, case_study_platform, scheduled, train\n"
    if name == ALL_REDUCE:
        splits, run = "", "all_reduce(platform, 2**30).total_ns"
    else:
        head += "from astra_edu.course.instruments.case_job import job\n"
        splits, run = f", splits={SPLITS}", f'train(job("{name}"), platform).total_ns'
    return f"""{head}for system in ("{one}", "{other}"):
    platform = scheduled(case_study_platform(system{splits}), "{scheduler}")
    print(system, {run}, "ns")"""
