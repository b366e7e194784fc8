"""What is said in the same words of every kind of run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from astra_edu.base.units import format_ns
from astra_edu.explain.facts import Tried

NO_HOPS = (
    "All latencies are 0, and without congestion messages share links for free: how many hops a topology has makes no "
    "difference."
)
MATTERS = 1.01
"""A change that makes a run this many times as fast is worth a word."""


def percent(part: float, whole: float = 1) -> str:
    """A share in per cent."""
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def speed(total: float, before: float) -> str:
    """How a changed run's total time compares with what it was before."""
    if before >= MATTERS * total:
        return f"{before / total:.2f} times as fast"
    return f"{total / before:.2f} times as long" if total >= MATTERS * before else "the same within 1 %"


def dimensions(numbers: Sequence[int]) -> str:
    """Some dimensions in a sentence.

    >>> dimensions([1]), dimensions([0, 1, 3])
    ('dimension 1', 'dimensions 0, 1 and 3')
    """
    *others, last = map(str, numbers)
    return f"dimensions {', '.join(others)} and {last}" if others else f"dimension {last}"


def with_changes(tried: Tried) -> Iterator[str]:
    """A sentence for each change that was simulated."""
    for change, total in tried.totals:
        yield f"With {change.description} it would take {format_ns(total)}, {speed(total, tried.before_ns)}."
