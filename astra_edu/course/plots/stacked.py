"""Stacked horizontal bars: several kinds of the same quantity one after the other, a bar for each name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TypeVar

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import WIDE
from astra_edu.course.plots.looks import Look

Kinds = Sequence[tuple[Look, Sequence[float]]]
"""How each kind looks, and how long it is in each bar."""

T = TypeVar("T")
_WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 1}

ROW = 95
"""Letters of names that fit beside each other above a figure, with PATCH for what stands before each."""
PATCH = 6


def stacked(
    names: Sequence[str], kinds: Kinds, notes: Sequence[str], legend: Sequence[Artist] = ()
) -> tuple[Figure, Axes]:
    """Draw the bars, the first name on top, and a legend of their kinds. Kinds that no bar has are left out.

    notes: what stands behind each bar. legend: more entries for it.
    """
    kinds = [(look, lengths) for look, lengths in kinds if any(lengths)]
    figure = Figure(figsize=(WIDE, 0.48 * len(names) + 1.4), layout="constrained")
    axes, places, ends = figure.subplots(), range(len(names)), [0.0] * len(names)
    for look, lengths in kinds:
        axes.barh(places, lengths, 0.66, ends, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch)
        ends = [end + length for end, length in zip(ends, lengths, strict=True)]
    for place, (end, note) in enumerate(zip(ends, notes, strict=True)):
        axes.annotate(note, (end, place), (5, 0), textcoords="offset points", va="center", size=9, bbox=_WHITE)
    axes.set_yticks(places, names)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, 1.25 * max(ends)))
    axes.spines[["top", "right"]].set_visible(False)
    entries = [*(look.patch() for look, _ in kinds), *legend]
    rows = ceil(sum(len(str(entry.get_label())) + PATCH for entry in entries) / ROW)
    figure.legend(handles=entries, loc="outside upper center", ncols=ceil(len(entries) / rows), frameon=False)
    return figure, axes


def by_name(things: Mapping[str, T], kind: type[T], example: str) -> Mapping[str, T]:
    """`things` if there are some of this kind, by their names. Raises ConfigError, with the example, otherwise."""
    if isinstance(things, Mapping) and things and all(isinstance(thing, kind) for thing in things.values()):
        return things
    raise ConfigError(f"each bar needs a name, such as {example}; given is {type(things).__name__} {things!r:.60}.")
