"""On which dimension does twice the bandwidth help most? What is asked of it, and what is true."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.course.instruments.question import Answer, Question

NONE = "none of them by 1 %"
MORE = "several as much"

Time = tuple[float, str]
"""A time in ns, and the same in words."""


def asked(about: str, dimensions: int) -> Question:
    """Where twice the bandwidth helps most; of one dimension, how much it helps."""
    if dimensions == 1:
        return Question(f"{about}. Links of twice the bandwidth: how many times as fast is it then?", "times")
    names = tuple(f"dimension {d}" for d in range(dimensions))
    text = f"{about}. Twice the bandwidth on one dimension: on which one does it help most?"
    return Question(text, choices=(*names, MORE, NONE), places={name: name for name in names})


def answered(now: Time, found: Sequence[Time]) -> Answer:
    """The answer. found: the time with twice the bandwidth on each of the dimensions.

    >>> answered((100, "100 ns"), [(60, "60 ns"), (90, "90 ns")]).value
    'dimension 0'
    """
    first = f"Now it takes {now[1]}"
    if len(found) == 1:
        return Answer(round(now[0] / found[0][0], 3), f"{first}, then {found[0][1]}.", near=1.1)
    times = "; ".join(f"on dimension {d}: {said}" for d, (_, said) in enumerate(found))
    best = min(time for time, _ in found)
    equal = [f"dimension {d}" for d, (time, _) in enumerate(found) if time <= 1.001 * best]
    name = NONE if best > 0.99 * now[0] else equal[0] if len(equal) == 1 else MORE
    return Answer(name, f"{first}. With twice the bandwidth {times}.")
