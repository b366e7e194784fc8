"""The time of a schedule written out as a sum, and what the model behind it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

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
    hops = 2 if dimension.topology is Topology.SWITCH else 1
    extra = 2 * dimension.nic + (dimension.router if dimension.topology is Topology.SWITCH else 0)
    return (
        f"one message: {hops} hop{'s' if hops > 1 else ''} × {dimension.latency:g} ns + "
        f"{stretch.message_bytes:,} B ÷ {dimension.message_bandwidth:.4g} B/ns"
        f"{f' + {extra:g} ns NIC and router' if extra else ''} = {stretch.message_ns:,.0f} ns"
    )


def port_bound_ns(schedule: Schedule, network: Sequence[Dimension], size: int) -> float:
    """A time no network can undercut: the bytes of the busiest NPU over all of its links, in ns.

    Of several dimensions, the one that takes longest counts. The analytical model can undercut it, because to
    it every message has a bandwidth of its own; then messages meet, and the model is wrong. size as in
    `time_schedule`.
    """
    gathers = schedule.collective in (Collective.ALL_GATHER, Collective.GATHER)
    buffer = size * schedule.npus if gathers else size
    bounds = []
    for d, dimension in enumerate(network):
        groups = tuple(group for group in schedule.groups if group.dimension == d)
        moved = counts(replace(schedule, groups=groups), buffer)
        bounds.append(max(moved.sent, moved.received) / dimension.injection_bandwidth)
    return max(bounds)


def _term(stretch: Stretch) -> str:
    step = f"{stretch.message_ns:,.0f} message + {stretch.endpoint_ns:,} endpoint"
    if stretch.reduction_ns:
        step += f" + {stretch.reduction_ns:,} reduction"
    return f"{stretch.steps} × ({step})" if stretch.steps > 1 else f"({step})"
