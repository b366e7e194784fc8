"""How a total is said where messages share links, so that no headline is below what the links allow."""

from __future__ import annotations

from collections.abc import Callable

from astra_edu.base.units import format_ns

SHARED = "the messages share links; ASTRA-sim's contention-free model says"
"""Why a bound leads; ASTRA-sim's total follows."""
_CLEARLY = 1.01


def exceeds(needed_ns: float, total_ns: float, messages: int) -> bool:
    """Whether links need longer for their bytes than a run takes.

    Every message's time is truncated to whole ns, so `messages` ns don't count, nor does 1 %.
    """
    return needed_ns > _CLEARLY * total_ns + messages


def total_words(total_ns: float, bound_ns: float | None, text: Callable[[float], str] = format_ns) -> str:
    """The number that leads: what ASTRA-sim says, or the bound where its messages share links. text: prints a time.

    >>> from astra_edu.base.bound import total_words
    >>> total_words(2_508_517, None), total_words(2_508_517, 37_500_000)
    ('2,508.517 µs', 'at least 37,500.000 µs')
    """
    return text(total_ns) if bound_ns is None else f"at least {text(bound_ns)}"


def caveat(total_ns: float, bound_ns: float | None, text: Callable[[float], str] = format_ns) -> str:
    """Why there is a bound, and what ASTRA-sim says instead; "" where there is none.

    >>> from astra_edu.base.bound import caveat
    >>> caveat(2_508_517, 37_500_000)
    "the messages share links; ASTRA-sim's contention-free model says 2,508.517 µs"
    """
    if bound_ns is None:
        return ""
    if text(total_ns) == text(bound_ns):
        return "the messages share links, which ASTRA-sim's contention-free model doesn't see"
    return f"{SHARED} {text(total_ns)}"


def in_all(total_ns: float, bound_ns: float | None) -> str:
    """Both: "45.681 µs in all", or "at least ... in all: the messages share links; ..."."""
    said = f"{total_words(total_ns, bound_ns)} in all"
    return said if bound_ns is None else f"{said}: {caveat(total_ns, bound_ns)}"
