"""What runs of this package can't be shorter than: compute, and the fewest bytes over all links they may go by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast
from warnings import catch_warnings, simplefilter

from astra_edu.collectives import Collective
from astra_edu.explore.iteration.stage_times import stage_times
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform
from astra_edu.system.logical import logical_dimensions
from astra_edu.workload import Workload
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import model as named_model
from astra_edu.workload.npu import Task
from astra_edu.workload.parallelism import involved, options
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import memory_of

TOLD_FROM = 1.01
"""A run says only where links need clearly longer than it takes; see base.bound."""

FRUGAL = ("ring", "direct", "halving-doubling")
"""Algorithms of which every NPU sends what it has to, and nothing twice."""

NEVER_NS = 1e200
"""Longer than anything."""

MOST_SEEN = 1024
"""Workloads whose collectives are kept."""

Asked = dict[tuple[Collective, tuple[bool, ...]], tuple[int, int]]
"""A collective and the logical dimensions that it runs over -> how often, and of how many bytes in all."""


def simulated_ns(workload: Workload, platform: Platform, passes: int = 1) -> float | None:
    """What `at_least_ns` of simulate(workload, platform, passes) can't be below.

    The NPU's compute; and with ring, direct and halving-doubling, which send nothing twice, the bytes of all
    collectives that run over the same dimensions by all links there; by each dimension's own links, where chunks go
    through dimensions in order ("baseline"). None for a trace.

    >>> from astra_edu.explore.search.bounds_known import simulated_ns
    >>> simulated_ns(ae.Workload.micro("all-reduce", 2**30), ae.preset("3d-switch")) > 10_000_000
    True
    """
    if not isinstance(workload, Workload) or not isinstance(platform, Platform):
        return None
    system = platform.system
    dims, boundary = logical_dimensions(platform.network, options(workload).group)
    compute, asked = _asked(workload, passes, platform, len(dims), boundary)
    lost_ns = lost_bytes = 0
    sent: dict[tuple[int, ...], float] = defaultdict(float)
    for (collective, places), (often, size) in asked.items():
        if any(one.flat or one.algorithm not in FRUGAL for one in system.implementations(collective)):
            return compute
        own = [dim for dim, there in zip(dims, places, strict=True) if there]
        sizes = [dim.npus for dim in own]
        lost_ns += often * system.splits * 2 * sum(sizes)
        lost_bytes += often * system.splits * 2 * prod(sizes)
        together, each = least_bytes(collective, sizes)
        sent[tuple(sorted({dim.physical for dim in own}))] += together * size
        if len(own) > 1 and system.inter_dimension == "baseline":
            for dim, part in zip(own, each, strict=True):
                sent[(dim.physical,)] += part * size
    bounds = [float(compute)]
    for those, whole in sent.items():
        if those:
            links = sum(platform.network[d].injection_bandwidth for d in those)
            bounds.append(((whole - lost_bytes) / links - lost_ns) / TOLD_FROM)
    return max(bounds)


def least_bytes(collective: Collective, npus: Sequence[int]) -> tuple[float, list[float]]:
    """(what an NPU sends at least over all dimensions, what over each if they are gone through in order).

    For each byte that it puts in, by algorithms that send nothing twice; all-to-all's order says nothing.

    >>> from astra_edu.explore.search.bounds_known import least_bytes
    >>> least_bytes(ae.Collective.ALL_REDUCE, [4, 2])
    (1.75, [1.5, 0.25])
    """
    whole = prod(npus)
    if collective is Collective.ALL_GATHER:
        return whole - 1, [(n - 1) * prod(npus[k + 1 :]) for k, n in enumerate(npus)]
    often = 2 if collective is Collective.ALL_REDUCE else 1
    parts = [often * (n - 1) / prod(npus[: k + 1]) for k, n in enumerate(npus)]
    if collective is Collective.ALL_TO_ALL:
        parts = [0.0] * len(npus)
    return often * (whole - 1) / whole, parts


def estimated_ns(
    model: object, strategy: object, device: object, platform: object, memory_bytes: float | None = None
) -> float | None:
    """What `at_least_ns` of estimate can't be below: the busiest stage, and the way through the others.

    memory_bytes: a limit; a strategy that keeps more is put behind all that keep less. None for a plan.
    """
    if not isinstance(strategy, Strategy) or not isinstance(platform, Platform):
        return None
    about = abridged(named_model(model))  # type: ignore[arg-type]
    if memory_bytes and (kept := memory_of(about, strategy).total) > memory_bytes:
        return NEVER_NS * kept / memory_bytes
    return stage_times(about, strategy, named_device(device), platform).bound_ns  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Loop:
    """What a workload asks for in some passes. together: by (dimensions, boundary), as _asked gives it."""

    compute_ns: int
    often: Counter[tuple[str, str]]
    together: dict[tuple[int, int], Asked] = field(default_factory=dict)


_SEEN: dict[tuple[Workload, int], _Loop] = {}


def _asked(workload: Workload, passes: int, platform: Platform, dims: int, boundary: int) -> tuple[int, Asked]:
    """(ns of compute, what is asked for): the loop's own, on whatever platform of so many dimensions it is run."""
    key = workload, passes
    if (loop := _SEEN.get(key)) is None:
        if len(_SEEN) >= MOST_SEEN:
            _SEEN.pop(next(iter(_SEEN)))
        loop = _SEEN[key] = _simulated(workload, passes, platform)
    if (dims, boundary) not in loop.together:
        sums: dict[tuple[Collective, tuple[bool, ...]], list[int]] = defaultdict(lambda: [0, 0])
        for layer, over in zip(workload.layers, involved(workload, dims, boundary), strict=True):
            for kind, work, places in (
                ("forward", layer.forward, over.activations),
                ("input gradient", layer.input_gradient, over.activations),
                ("weight gradient", layer.weight_gradient, over.gradients),
            ):
                if (often := loop.often[layer.name, kind]) and work.collective is not None:
                    sums[work.collective, places][0] += often
                    sums[work.collective, places][1] += often * work.size
        loop.together[dims, boundary] = {each: (often, size) for each, (often, size) in sums.items()}
    return loop.compute_ns, loop.together[dims, boundary]


def _simulated(workload: Workload, passes: int, platform: Platform) -> _Loop:
    with catch_warnings():
        simplefilter("ignore")  # it is run again as a point
        result = simulate(workload, platform, passes, progress=False)
    issued = {id(stay.issued): cast(Task, stay.what) for stay in result.stays}
    return _Loop(result.compute_ns, Counter((what.layer, what.kind) for what in issued.values()))
