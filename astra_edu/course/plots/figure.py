"""A still figure with its words: alt text for who can't see it, the numbers as a table, a caption."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogFormatter

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, path_of
from astra_edu.base.run import Run
from astra_edu.base.table import text_table as text_table
from astra_edu.course.paper import on_paper

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which people with any colour vision can tell apart; lines differ in marker as well."""

WIDE = 8.4
"""Inches, at most: then letters of 9 points are shown as large as that on a page of 1,280 px beside a list of files."""
DENSE = 11.0
"""Inches, for what would have no names with less, such as a pipeline of virtual stages."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")

_INSIDE = {".svg": ("Description", "Date"), ".png": ("Description", "Software"), ".pdf": ("Subject", "CreationDate")}
"""For each ending: what a file calls the words in it, and what would make the next file another one."""

_LONG = 12  # lines of a table that is folded away under the figure


def _powers(axes: Axes) -> list[Text]:
    """The numbers on its logarithmic axes: powers of ten, which are no names."""
    axises = [axis for axis in (axes.xaxis, axes.yaxis) if isinstance(axis.get_major_formatter(), LogFormatter)]
    return [label for axis in axises for label in axis.get_ticklabels(which="both")]


@dataclass(frozen=True)
class Picture:
    """A figure as a notebook shows it.

    table: the plotted numbers as text, one line a row; scrolls if wide, folded if long. note: what one
    must know to read the table, shown before it.

    >>> picture = ae.plots.all_reduce_costs([4, 8], ["ring", "direct"])
    >>> print(picture.table)
    algorithm  NPUs  steps  busiest NPU (buffers)  fan-in
    ring          4      6                  1.500       1
    ring          8     14                  1.750       1
    direct        4      2                  1.500       3
    direct        8      2                  1.750       7
    >>> picture.save("costs.svg")
    """

    figure: Figure = field(repr=False)
    alt: str
    table: str
    note: str = ""

    def __post_init__(self) -> None:
        powers = {label for axes in self.figure.axes for label in _powers(axes)}
        for text in self.figure.findobj(Text):
            text.set_parse_math(text in powers)  # names stand as they are, dollars and all

    def save(self, path: FileName) -> None:
        """Write the figure to a file of the kind that its name ends with, .svg, .png or .pdf, with its alt text inside.

        A figure made anew makes the same file. Raises ConfigError for other endings, and where nothing can be written.
        """
        path = path_of(path)
        known = _INSIDE.get(path.suffix.lower())
        if known is None:
            raise ConfigError(f"{path} must end with {', '.join(_INSIDE)}, which says what kind of file is made.")
        words, changes = known
        try:
            with rc_context({"svg.hashsalt": "astra_edu"}):
                self.figure.savefig(path, metadata={words: self.alt, changes: None})
        except OSError as error:
            raise ConfigError(f"{path} can't be written: {error.strerror or error}.") from None

    def _repr_html_(self) -> str:
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
        source = base64.b64encode(buffer.getvalue()).decode()
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        style = "font-family: monospace; white-space: pre; overflow-x: auto"
        table = f'{note}<pre tabindex="0" style="{style}">{escape(self.table)}</pre>'
        if self.table.count("\n") >= _LONG:
            table = f"<details><summary>The figures as a table</summary>{table}</details>"
        return on_paper(f"data:image/png;base64,{source}", self.alt, table)

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.alt, self.note, self.table)))


class TimeUnit(NamedTuple):
    """A unit for all times of a figure. ns: how long it is."""

    name: str
    ns: float

    def text(self, time_ns: float) -> str:
        """The time in this unit, with three decimals, without the unit's name."""
        return f"{time_ns / self.ns:,.3f}" if self.ns > 1 else f"{time_ns:,.10g}"

    def named(self, time_ns: float) -> str:
        """The same with the unit's name."""
        return f"{self.text(time_ns)} {self.name}"


def time_unit(longest_ns: float) -> TimeUnit:
    """The unit for times up to longest_ns, as units.format_ns chooses it."""
    if longest_ns < 10_000:
        return TimeUnit("ns", 1)
    return TimeUnit("µs", 1000) if longest_ns < 100_000_000 else TimeUnit("ms", 1_000_000)


def time_axis(axes: Axes, unit: TimeUnit, more: str = "") -> None:
    """Make the horizontal axis one of time, with `more` behind its name, and leave out the lines that frame nothing."""
    axes.set_xlabel(f"time ({unit.name}){more}")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.spines[["top", "right"]].set_visible(False)


def percent(share: float) -> str:
    """A share as text: 0.1234 -> "12.3 %"."""
    return f"{100 * share:.1f} %"


def checked(results: Mapping[str, Run]) -> Mapping[str, Run]:
    """`results` if there are some, by their names. Raises ConfigError otherwise."""
    if not isinstance(results, Mapping) or not results or not all(isinstance(r, Run) for r in results.values()):
        raise ConfigError(
            'results must give each run a name, such as {"DGX-2": ae.simulate(workload, dgx2), "TPU": '
            f"ae.simulate(workload, tpu)}}; they are {type(results).__name__} {results!r:.60}."
        )
    return results
