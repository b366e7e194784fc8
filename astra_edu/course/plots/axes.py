"""What the axes of many figures have in common."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.axis import Axis


def open_frame(axes: Axes) -> None:
    """Leave out the lines that frame nothing: those on top and on the right."""
    axes.spines[["top", "right"]].set_visible(False)


def in_full(*each: Axis) -> None:
    """Write the numbers of these axes in full, such as 10,000."""
    for axis in each:
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")


def grid(axes: Axes) -> None:
    """Thin lines behind the curves, and an open frame around them."""
    axes.grid(alpha=0.3)
    open_frame(axes)
