"""What runs of this package can't be shorter than: compute, and the fewest bytes over all links they may go by."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod
from typing import cast

from astra_edu.collectives import Collective
from astra_edu.explore.iteration.stage_times import compute_bound_ns
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

TOLD_FROM = 1.01
"""A run says only where links need clearly longer than it takes; see base.bound."""

Asked = tuple[str, str]
"""A layer and one of its phases."""


def simulated_ns(workload: Workload, platform: Platform, passes: int = 1) -> float | None:
    """What `at_least_ns` of simulate(workload, platform, passes) can't be below.

    The NPU's compute; and for the collectives that run over the same dimensions the fewest bytes that an NPU has to
    send for them, by any algorithm, over all its links there. None for a trace.

    >>> from astra_edu.explore.search.bounds_known import simulated_ns
    >>> simulated_ns(ae.Workload.micro("all-reduce", 2**30), ae.preset("3d-switch")) > 10_000_000
    True
    """
    if not isinstance(workload, Workload) or not isinstance(platform, Platform):
        return None
    compute, asked = _asked(workload, passes, platform)
    dims, boundary = logical_dimensions(platform.network, options(workload).group)
    sent: dict[tuple[bool, ...], float] = defaultdict(float)
    lost: dict[tuple[bool, ...], int] = defaultdict(int)
    for layer, over in zip(workload.layers, involved(workload, len(dims), boundary), strict=True):
        for kind, work, places in (
            ("forward", layer.forward, over.activations),
            ("input gradient", layer.input_gradient, over.activations),
            ("weight gradient", layer.weight_gradient, over.gradients),
        ):
            npus = prod(dim.npus for dim, there in zip(dims, places, strict=True) if there)
            often = asked[layer.name, kind]
            if often and work.collective is not None:
                sent[places] += often * (
                    _least_bytes(work.collective, npus, work.size) - 2 * npus * platform.system.splits
                )
                lost[places] += often * platform.system.splits * sum(2 * dim.npus for dim in dims)
    bound = float(compute)
    for places, size in sent.items():
        own = {dim.physical for dim, there in zip(dims, places, strict=True) if there}
        together = sum(platform.network[d].injection_bandwidth for d in own)
        if together:
            bound = max(bound, (size / together - lost[places]) / TOLD_FROM)
    return bound


def estimated_ns(model: object, strategy: object, device: object) -> float | None:
    """What `at_least_ns` of estimate(model, strategy, device, ...) can't be below: stages that compute all the time."""
    if not isinstance(strategy, Strategy):
        return None
    return compute_bound_ns(abridged(named_model(model)), strategy, named_device(device))  # type: ignore[arg-type]


def _least_bytes(collective: Collective, npus: int, size: int) -> float:
    """What an NPU sends at least, where nothing is added up or copied in the network."""
    parts = {Collective.ALL_REDUCE: 2 * (npus - 1) / npus, Collective.ALL_GATHER: npus - 1}
    return size * parts.get(collective, (npus - 1) / npus)


_SEEN: dict[tuple[Workload, int], tuple[int, Counter[Asked]]] = {}


def _asked(workload: Workload, passes: int, platform: Platform) -> tuple[int, Counter[Asked]]:
    """(ns of compute, how often each collective is asked for): the loop's own, on whatever platform it is run."""
    key = workload, passes
    if key not in _SEEN:
        if len(_SEEN) > 64:
            _SEEN.clear()
        result = simulate(workload, platform, passes, progress=False)
        issued = {id(stay.issued): cast(Task, stay.what) for stay in result.stays}
        _SEEN[key] = result.compute_ns, Counter((what.layer, what.kind) for what in issued.values())
    return _SEEN[key]
