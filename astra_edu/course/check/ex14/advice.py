"""What is wrong with a design of exercise 14: money left over, money in vain, a bottleneck, or its shape."""

from __future__ import annotations

from astra_edu.course.studies.case_studies.design import (
    JOB,
    MOST_PORTS,
    Design,
    design_cost,
    network,
    ports,
    train_design,
)
from astra_edu.course.studies.case_studies.training import samples_per_s
from astra_edu.network import Topology

LEFT = 0.05
"""The share of a budget that may be left over."""
LESS, MORE = 0.7, 1.1
"""A dimension's bandwidth is tried with these factors."""
VAIN = 0.01
"""Who loses no more than this share of the throughput with LESS of a dimension has paid for it in vain."""
UNEVEN = 2.5
"""How many times as much a dollar may bring in one dimension as in another."""


def samples(design: Design) -> float:
    """Samples a second."""
    return samples_per_s(JOB, train_design(design))


def advice(design: Design, budget: float) -> str:
    """The first thing to change, without saying what would be right."""
    cost = design_cost(design)
    if cost < (1 - LEFT) * budget:
        return f"${budget - cost:,.0f} of the budget are left over."
    now = samples(design)
    kept = [samples(_with(design, d, LESS)) / now for d in range(len(design))]
    dollars = paid(design)
    for d, share in enumerate(kept):
        if share > 1 - VAIN and dollars[d] > LEFT * budget:
            slower = f"only {1 - share:.1%} slower" if share < 0.9995 else "as fast"
            return (
                f"Dimension {d} is paid for in vain: it takes ${dollars[d]:,.0f}, and with {1 - LESS:.0%} less "
                f"bandwidth there training would be {slower}."
            )
    gains = [(samples(_with(design, d, MORE)) / now - 1) / dollars[d] for d in range(len(design))]
    most, least = max(range(len(gains)), key=gains.__getitem__), min(range(len(gains)), key=gains.__getitem__)
    if gains[most] > 0 >= gains[least]:
        return (
            f"Dimension {most} is the bottleneck: a dollar more there helps, and one more in dimension {least} brings "
            "nothing."
        )
    if gains[most] > max(0, UNEVEN * gains[least]):
        return (
            f"Dimension {most} is the bottleneck: a dollar more there brings {gains[most] / gains[least]:.1f} times as "
            f"much as in dimension {least}."
        )
    return f"The money is well shared out among these dimensions; it is their shape. {_shape(design, cost)}"


def _shape(design: Design, cost: float) -> str:
    """What the shape pays for, or leaves unused."""
    blocks = network(design)
    free = MOST_PORTS - sum(map(ports, blocks))
    switches = sum(
        dollars for dollars, block in zip(paid(design), blocks, strict=True) if block.topology is Topology.SWITCH
    )
    if switches > 0.3 * cost:
        return f"{switches / cost:.0%} of it goes to switches: for the same GB/s, what would links alone cost?"
    if free:
        return f"{free} of an NPU's {MOST_PORTS} ports are free: more links can carry a collective at once."
    return "All ports are used: are there more of them where a link is cheap, or where it is dear?"


def _with(design: Design, dimension: int, factor: float) -> Design:
    return [(t, n, b * factor if d == dimension else b) for d, (t, n, b) in enumerate(design)]


def paid(design: Design) -> list[float]:
    """What each dimension costs, in US dollars."""
    cost = design_cost(design)
    return [2 * (cost - design_cost(_with(design, d, 0.5))) for d in range(len(design))]
