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
    """Dimension `dimension` with `factor` times its bandwidth, and the iteration that it makes."""

    dimension: int
    factor: float
    result: TraceResult


def with_bandwidths(platform: TracePlatform, factors: Sequence[float]) -> TracePlatform:
    """The platform with each dimension's bandwidth multiplied. Raises ConfigError if there aren't as many factors."""
    if len(factors) != len(platform.blocks):
        raise ConfigError(f"there are {len(platform.blocks)} dimensions and {len(factors)} factors; give one for each.")
    blocks = zip(platform.blocks, factors, strict=True)
    network = tuple(
        replace(block, bandwidth=block.bandwidth * positive("a factor", factor)) for block, factor in blocks
    )
    return replace(platform, network=network)


def one_changes(job: Job, platform: TracePlatform, factors: Sequence[float] = (2, 0.5)) -> tuple[Change, ...]:
    """An iteration with each dimension by itself faster or slower."""
    count = len(platform.blocks)
    return tuple(
        Change(d, factor, train(job, with_bandwidths(platform, [factor if d == k else 1 for k in range(count)])))
        for d in range(count)
        for factor in factors
    )
