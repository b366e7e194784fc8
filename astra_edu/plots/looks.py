"""How each kind of work looks in every figure: a colour, a hatch and a short name, so that no colour stands alone."""

from __future__ import annotations

from typing import NamedTuple

from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

_TINT = 0.35


class Look(NamedTuple):
    """A kind of work as it is drawn. name: for people; short: as the field abbreviates it."""

    name: str
    short: str
    colour: str
    hatch: str

    @property
    def fill(self) -> tuple[float, float, float]:
        """The colour mixed with white, on which hatch, edge and black text stand out."""
        red, green, blue = (1 - _TINT * (1 - part) for part in to_rgb(self.colour))
        return red, green, blue

    def patch(self) -> Patch:
        """Its entry in a legend."""
        name = self.name if self.short in ("", self.name) else f"{self.name} ({self.short})"
        return Patch(facecolor=self.fill, edgecolor=self.colour, hatch=self.hatch * 2, label=name)


COMPUTE = Look("compute", "", "#0072B2", "")
EXPOSED = Look("exposed communication", "", "#D55E00", "xx")
COMMUNICATION = Look("communication", "", "#009E73", "")
OTHER = Look("other collectives", "", "#BBBBBB", "")

LOOKS = {
    look.name: look
    for look in (
        Look("forward", "F", "#56B4E9", ""),
        Look("input gradient", "IG", "#CC79A7", ".."),
        Look("weight gradient", "WG", "#E69F00", "--"),
        Look("reduce-scatter", "RS", "#0072B2", "//"),
        Look("all-gather", "AG", "#009E73", "\\\\"),
        Look("all-reduce", "AR", "#4D4D4D", "xx"),
        Look("all-to-all", "A2A", "#7A5C00", "o"),
        EXPOSED,
        OTHER,
    )
}
"""By the names that spans have in `work` (of compute) and in `phase` (of collectives)."""
