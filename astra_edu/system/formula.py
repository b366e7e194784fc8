"""ASTRA-sim 1.0: the time of a schedule written out as a sum."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from astra_edu.network import Dimension
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
    links = f"{dimension.links_to_one} links × " if dimension.links_to_one > 1 else ""
    extra = 2 * dimension.nic + (dimension.router * (stretch.hops - 1) if dimension.topology.switched else 0)
    return (
        f"one message: {stretch.hops} hop{'s' if stretch.hops > 1 else ''} × {dimension.latency:g} ns + "
        f"{stretch.message_bytes:,} B ÷ {dimension.message_bandwidth:.4g} B/ns "
        f"({links}{dimension.bandwidth:g} GB/s of 2³⁰ bytes)"
        f"{f' + {extra:g} ns NIC and router' if extra else ''} = {stretch.message_ns:,.0f} ns"
    )


def _term(stretch: Stretch) -> str:
    step = f"{stretch.message_ns:,.0f} message + {stretch.endpoint_ns:,} endpoint"
    if stretch.reduction_ns:
        step += f" + {stretch.reduction_ns:,} reduction"
    return f"{stretch.steps} × ({step})" if stretch.steps > 1 else f"({step})"
