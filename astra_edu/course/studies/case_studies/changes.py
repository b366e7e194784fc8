"""What if one dimension were faster? Every answer simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, positive
from astra_edu.course.studies.case_studies.training import Job, train
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform


class Change(NamedTuple):
    """Dimension `dimension` with `factor` times its bandwidth, and the iteration that it makes.

    >>> from astra_edu.studies.case_studies import Job, one_changes, suited
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8))
    >>> (twice,) = one_changes(job, suited((ae.Block("Ring", 8, 50, 500),)), factors=(2,))
    >>> twice.dimension, twice.factor, twice.result.total_ns
    (0, 2, 8842661)
    """

    dimension: int
    factor: float
    result: TraceResult


def with_bandwidths(platform: TracePlatform, factors: Sequence[float]) -> TracePlatform:
    """The platform with each dimension's bandwidth multiplied. Raises ConfigError if there aren't as many factors.

    >>> from astra_edu.studies.case_studies import case_study_platform, with_bandwidths
    >>> twice = with_bandwidths(case_study_platform("W-2D"), [2, 1])
    >>> [block.bandwidth for block in twice.network]
    [500.0, 250.0]
    """
    if len(factors) != len(platform.blocks):
        raise ConfigError(f"there are {len(platform.blocks)} dimensions and {len(factors)} factors; give one for each.")
    blocks = zip(platform.blocks, factors, strict=True)
    network = tuple(
        replace(block, bandwidth=block.bandwidth * positive("a factor", factor)) for block, factor in blocks
    )
    return replace(platform, network=network)


def one_changes(job: Job, platform: TracePlatform, factors: Sequence[float] = (2, 0.5)) -> tuple[Change, ...]:
    """An iteration with each dimension by itself faster or slower.

    >>> from astra_edu.studies.case_studies import Job, case_study_platform, gpt3, one_changes
    >>> job = Job("two blocks of GPT-3", gpt3(blocks=2), ae.Strategy(tensor=32, data=16))
    >>> for change in one_changes(job, case_study_platform("W-2D"), factors=(2,)):
    ...     print(f"dimension {change.dimension} × {change.factor}: {change.result.total_ns:,} ns")
    dimension 0 × 2: 9,759,104 ns
    dimension 1 × 2: 10,034,784 ns
    """
    count = len(platform.blocks)
    return tuple(
        Change(d, factor, train(job, with_bandwidths(platform, [factor if d == k else 1 for k in range(count)])))
        for d in range(count)
        for factor in factors
    )
