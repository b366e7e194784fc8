"""The bars of a budget and what is said about it: the money, the time, the memory."""

from __future__ import annotations

from astra_edu.base.units import format_ns
from astra_edu.course.instruments.budget_job import Money
from astra_edu.course.instruments.cut_bars import GIB, times
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.explore.iteration import Iteration
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Memory


def dollars(amount: float) -> str:
    """In words.

    >>> dollars(1e6)
    '$1,000,000'
    """
    return f"${amount:,.0f}"


def money_bars(spent: Money, budget: float) -> Bars:
    """What the design costs, against the budget."""
    parts = (
        Part("links in a node", spent.in_nodes / 1e3),
        Part("links between nodes", spent.between / 1e3),
        Part("NPUs", spent.npus / 1e3),
    )
    shown = tuple(part for part in parts if part.size)
    bar = Bar("the design", shown, dollars(spent.total), budget / 1e3)
    return Bars("Money", (bar,), "thousand dollars", f"the budget, {dollars(budget)}")


def verdict(spent: Money, budget: float, kept: Memory, on: Device) -> str:
    """Why a design can't be entered; "" if it can."""
    found = []
    if spent.total > budget:
        found.append(f"it costs {dollars(spent.total - budget)} more than there is")
    if not kept.fits(on):
        there = (on.memory_bytes or 0) / GIB
        found.append(f"an NPU needs {kept.total / GIB:,.1f} GiB and has {there:,.0f}")
    return " and ".join(found)


def sentences(spent: Money, budget: float, run: Iteration, kept: Memory, on: Device) -> tuple[str, ...]:
    """Where money and time go, and whether the design can be entered."""
    why = verdict(spent, budget, kept, on)
    left = budget - spent.total
    said = [f"Not a design yet: {why}." if why else f"It can be entered; {dollars(left)} are left."]
    name, longest = max(times(run), key=lambda part: part[1])
    said.append(
        f"Most of an iteration goes to {name}: {format_ns(round(longest))}, {longest / run.total_ns:.0%} of it."
    )
    if spent.npus:
        said.append("The price of an NPU is an assumption; the network’s are ASTRA-sim 1.0’s, years old.")
    else:
        said.append("The NPUs are lent; the network’s prices are ASTRA-sim 1.0’s, years old.")
    return tuple(said)


CHOICES = ("compute", "tensor group", "bubble and transfers", "data group", "something else")


def longest_part(run: Iteration) -> tuple[str, float]:
    """What takes most of an iteration, as one of CHOICES, and its ns."""
    name, ns = max(times(run), key=lambda part: part[1])
    return (name if name in CHOICES else CHOICES[-1]), ns
