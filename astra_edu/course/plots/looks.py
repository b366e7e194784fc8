"""How each kind of work looks in every figure: a colour, a hatch and a short name, so that no colour stands alone.

Fills, hatches and short names are those of the timeline in the browser; a reduce-scatter has the player's orange, an
all-gather its blue.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from matplotlib.patches import Patch

from astra_edu.base.span import WAITS
from astra_edu.course.algorithm_looks import family_of
from astra_edu.course.plots.figure import COLOURS, MARKERS


class Look(NamedTuple):
    """A kind of work as it is drawn. name: for people; short: as the field abbreviates it.

    fill: pale, so that hatch and black text stand out on it. colour: of edge and hatch.
    """

    name: str
    short: str
    fill: str
    colour: str
    hatch: str = ""

    @property
    def style(self) -> dict[str, Any]:
        """What a bar of it is drawn with."""
        return {"facecolor": self.fill, "edgecolor": self.colour, "hatch": self.hatch}

    def patch(self) -> Patch:
        """Its entry in a legend."""
        name = self.name if self.short in ("", self.name) else f"{self.name} ({self.short})"
        return Patch(facecolor=self.fill, edgecolor=self.colour, hatch=self.hatch * 2, label=name)


COMPUTE = Look("compute", "", "#57ad88", "#00694f")
EXPOSED = Look("exposed communication", "", "#c4c4c4", "#595959", "xx")
COMMUNICATION = Look("communication", "", "#d6e6f2", "#0072b2")
OTHER = Look("other collectives", "", "#ececec", "#a0a0a0")
WAITING = Look(WAITS, "", "#ffffff", "#a0a0a0", "..")
BACKWARD = Look("backward", "B", "#c3c9f2", "#3f4aa0", "//")
BUBBLE = Look("bubble", "", "#f1f1f1", "#a0a0a0")

LOOKS = {
    look.name: look
    for look in (
        Look("forward", "F", "#57ad88", "#00694f"),
        Look("input gradient", "IG", "#f3e79b", "#8a7a00", ".."),
        Look("weight gradient", "WG", "#e2b6d2", "#9c3f78", "--"),
        Look("reduce-scatter", "RS", "#f7b787", "#d55e00", "//"),
        Look("all-gather", "AG", "#93c8ee", "#0072b2", "\\\\"),
        Look("all-reduce", "AR", "#9c7fd0", "#4b2a8c", "xx"),
        Look("all-to-all", "A2A", "#4d9c92", "#12564e", "||"),
        EXPOSED,
        OTHER,
        COMPUTE,
        BACKWARD,
        Look("broadcast", "B", "#e6d5b8", "#6b5330", "++"),
        Look("send", "", "#e2b6d2", "#9c3f78", "--"),
        Look("receive", "", "#f8ecf4", "#9c3f78", ".."),
        Look("message", "", "#d6e6f2", "#0072b2"),
        Look("memory access", "", "#c3c9f2", "#3f4aa0", "oo"),
        Look("CPU", "", "#f3e79b", "#8a7a00", "|"),
        WAITING,
        BUBBLE,
        Look("note", "", "#ffffff", "#a0a0a0"),
    )
}
"""By the names that spans have for their `kind`."""


class LineLook(NamedTuple):
    """Of a line among others."""

    colour: str
    marker: str


def line_looks(names: Iterable[str]) -> dict[str, LineLook]:
    """A look for each series of a figure: an algorithm's own, if it is called like one, or else one that is left.

    Of two of a family, such as two trees, the second has what is left, too; more than there are looks begin again.
    """
    series = list(dict.fromkeys(names))
    found: dict[str, LineLook] = {}
    for name in series:
        family = family_of(name)
        if family and (look := LineLook(family.colour, family.marker)) not in found.values():
            found[name] = look
    every = list(map(LineLook, COLOURS, MARKERS))
    left = [look for look in every if look not in found.values()] or every
    others = [name for name in series if name not in found]
    found |= {name: left[i % len(left)] for i, name in enumerate(others)}
    return {name: found[name] for name in series}
