"""What runs of this package can't be shorter than: compute, and the fewest bytes over all links they may go by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
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

Asked = tuple[str, str]
"""A layer and one of its phases."""


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
    compute, asked = _asked(workload, passes, platform)
    system = platform.system
    dims, boundary = logical_dimensions(platform.network, options(workload).group)
    lost_ns = lost_bytes = 0
    sent: dict[tuple[int, ...], float] = defaultdict(float)
    for layer, over in zip(workload.layers, involved(workload, len(dims), boundary), strict=True):
        for kind, work, places in (
            ("forward", layer.forward, over.activations),
            ("input gradient", layer.input_gradient, over.activations),
            ("weight gradient", layer.weight_gradient, over.gradients),
        ):
            often, own = asked[layer.name, kind], [dim for dim, there in zip(dims, places, strict=True) if there]
            if not often or work.collective is None:
                continue
            if any(one.flat or one.algorithm not in FRUGAL for one in system.implementations(work.collective)):
                return compute
            sizes = [dim.npus for dim in own]
            lost_ns += often * system.splits * 2 * sum(sizes)
            lost_bytes += often * system.splits * 2 * prod(sizes)
            together, each = least_bytes(work.collective, sizes)
            sent[tuple(sorted({dim.physical for dim in own}))] += often * together * work.size
            if len(own) > 1 and system.inter_dimension == "baseline":
                for dim, part in zip(own, each, strict=True):
                    sent[(dim.physical,)] += often * part * work.size
    bounds = [float(compute)]
    for those, size in sent.items():
        if those:
            links = sum(platform.network[d].injection_bandwidth for d in those)
            bounds.append(((size - lost_bytes) / links - lost_ns) / TOLD_FROM)
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


_SEEN: dict[tuple[Workload, int], tuple[int, Counter[Asked]]] = {}


def _asked(workload: Workload, passes: int, platform: Platform) -> tuple[int, Counter[Asked]]:
    """(ns of compute, how often each collective is asked for): the loop's own, on whatever platform it is run."""
    key = workload, passes
    if key not in _SEEN:
        if len(_SEEN) > 64:
            _SEEN.clear()
        with catch_warnings():
            simplefilter("ignore")  # it is run again as a point
            result = simulate(workload, platform, passes, progress=False)
        issued = {id(stay.issued): cast(Task, stay.what) for stay in result.stays}
        _SEEN[key] = result.compute_ns, Counter((what.layer, what.kind) for what in issued.values())
    return _SEEN[key]
