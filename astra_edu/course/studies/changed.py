"""A platform with one thing changed, and how long a dimension runs dry: what "what if?" is asked with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from astra_edu.base.errors import ConfigError, positive, shown
from astra_edu.run.result import Result
from astra_edu.system import Platform


def faster(platform: Platform, d: int, times: float) -> Platform:
    """The platform with `times` the bandwidth on dimension d. Raises ConfigError for a dimension that it hasn't.

    >>> from astra_edu.course.studies.changed import faster
    >>> [dimension.bandwidth for dimension in faster(ae.preset("dgx2"), 1, 4).network]
    [25.0, 25.0]
    """
    known = range(len(platform.network))
    if isinstance(d, bool) or d not in known:
        raise ConfigError(f"d is {shown(d)}; the platform has the dimensions {', '.join(map(str, known))}.")
    network = list(platform.network)
    network[d] = replace(network[d], bandwidth=positive("times", times) * network[d].bandwidth)
    return replace(platform, network=tuple(network))


def nearer(platform: Platform, times: float = 2) -> Platform:
    """The platform with links of a `times`-th of the latency, on all dimensions.

    >>> from astra_edu.course.studies.changed import nearer
    >>> [dimension.latency for dimension in nearer(ae.preset("ring")).network]
    [250.0]
    """
    share = positive("times", times)
    return replace(platform, network=tuple(replace(each, latency=each.latency / share) for each in platform.network))


def with_system(platform: Platform, **settings: Any) -> Platform:
    """The platform with other settings of its system, as ae.SystemConfig has them.

    >>> from astra_edu.course.studies.changed import with_system
    >>> with_system(ae.preset("dgx2"), splits=16).system.splits
    16
    """
    return replace(platform, system=replace(platform.system, **settings))


def runs_dry(result: Result, d: int) -> float:
    """How long (ns) dimension d is idle between its first chunk and its last, though there is work to come.

    >>> from astra_edu.course.studies.changed import runs_dry
    >>> runs_dry(ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring")), 0)
    0.0
    """
    spans = [span for span in result.timeline if span.dimension == d]
    if not spans:
        return 0.0
    used = max(span.end_ns for span in spans) - min(span.start_ns for span in spans)
    return float(max(0.0, used - result.dimensions["busy"][d] * result.total_ns))
