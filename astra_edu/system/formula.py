"""The time of a schedule written out as a sum, and what the model behind it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import prod

from astra_edu.collectives import Schedule, counts
from astra_edu.collectives.collective import Collective
from astra_edu.network import Dimension, Topology
from astra_edu.system.timing import ScheduleTime, Stretch


def formula(time: ScheduleTime, network: Sequence[Dimension], endpoint_delay: int = 10) -> list[str]:
    """One line a phase: where its nanoseconds come from. Empty where NPUs differ and there is no such sum."""
    lines = []
    dimension = None
    for (phase, d), group in groupby(time.stretches, key=lambda s: (s.phase, s.dimension)):
        stretches = list(group)
        start = endpoint_delay if d != dimension else 0
        dimension = d
        total = start + sum(s.steps * s.step_ns for s in stretches)
        where = f" on dimension {d}" if len(network) > 1 else ""
        terms = ([f"{start:,} endpoint"] if start else []) + [_term(s) for s in stretches]
        lines.append(f"{phase}{where}: {' + '.join(terms)} = {total:,.0f} ns")
    return lines


def message_formula(dimension: Dimension, stretch: Stretch) -> str:
    """One line: where the nanoseconds of one message come from."""
    extra = 2 * dimension.nic + (dimension.router if dimension.topology is Topology.SWITCH else 0)
    return (
        f"one message: {stretch.hops} hop{'s' if stretch.hops > 1 else ''} × {dimension.latency:g} ns + "
        f"{stretch.message_bytes:,} B ÷ {dimension.message_bandwidth:.4g} B/ns"
        f"{f' + {extra:g} ns NIC and router' if extra else ''} = {stretch.message_ns:,.0f} ns"
    )


def bandwidth_bound_ns(schedule: Schedule, network: Sequence[Dimension], size: int) -> float:
    """A time that no network of these links can undercut, in ns.

    The busiest NPU's bytes must go over its own links, and everybody's bytes over all links, once a hop. Of
    several dimensions, the one that takes longest counts. The analytical model can undercut this, because to it
    every message has a bandwidth of its own; then messages meet, and the model is wrong. size as in
    `time_schedule`.
    """
    gathers = schedule.collective in (Collective.ALL_GATHER, Collective.GATHER)
    buffer = size * schedule.npus if gathers else size
    bounds = []
    for d, dimension in enumerate(network):
        part = replace(schedule, groups=tuple(group for group in schedule.groups if group.dimension == d))
        moved = counts(part, buffer)
        over_links = _chunk_hops(part, dimension, d) / schedule.npus * buffer / schedule.chunks_per_buffer
        bounds.append(max(moved.sent, moved.received, over_links) / dimension.injection_bandwidth)
    return max(bounds)


def _chunk_hops(schedule: Schedule, dimension: Dimension, d: int) -> int:
    """Chunks that all NPUs send, each counted once for every ring link on its way, once elsewhere.

    (A switch's two hops are an NPU's way out and another's way in, which the busiest NPU's bytes cover.)
    """
    stride = prod(schedule.dims[:d])
    ring = dimension.topology is Topology.RING
    total = 0
    for group in schedule.groups:
        steps = 1 if group.uniform else group.count
        npus = 1 if group.symmetric else schedule.npus
        transfers = (t for step in range(steps) for npu in range(npus) for t in group.transfers(step, npu))
        hops = sum(dimension.hops(abs(t.destination - t.source) // stride) if ring else 1 for t in transfers)
        total += hops * group.count // steps * schedule.npus // npus
    return total


def _term(stretch: Stretch) -> str:
    step = f"{stretch.message_ns:,.0f} message + {stretch.endpoint_ns:,} endpoint"
    if stretch.reduction_ns:
        step += f" + {stretch.reduction_ns:,} reduction"
    return f"{stretch.steps} × ({step})" if stretch.steps > 1 else f"({step})"
