"""The timeline: what NPUs, dimensions and links did when, to zoom into, in a notebook or in a page of its own."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, list_of, shown
from astra_edu.base.run import Run
from astra_edu.base.units import format_ns, several
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.timeline_data import MOST_NPUS, Payload, payload
from astra_edu.course.widgets.view import View
from astra_edu.run.lanes import chosen_npus

_LISTED = 8
"""Groups of lanes that are listed in words."""


class Timeline(View):
    """The spans of a run in lanes: for each NPU compute, the time without it, and what it communicates; then links.

    result: what ae.simulate or ae.run_pipeline returns; assigning another one shows it in place. Where NPUs differ,
    each has lanes of its own, closed to one until they are opened (click its name, or key o). window: (from, to) in
    ns, the part that is shown, None for all of it. highlight: a part of a layer's (a node's, a micro-batch's) name;
    other spans are pale. The view and Python share the last two.

    >>> import astra_edu as ae
    >>> run = ae.run_pipeline("gpipe", stages=2, micro_batches=2, forward_ns=10, backward_ns=20)
    >>> print(Timeline(run).summary())
    lane              spans   busy  of the run
    stage 0, compute      4  60 ns      66.7 %
    stage 0, bubble       1  30 ns      33.3 %
    stage 1, compute      4  60 ns      66.7 %
    stage 1, bubble       2  30 ns      33.3 %
    """

    _use = "zoom into it"
    _shared = ("data", "window", "highlight")
    _esm = script("timeline")
    _css = style("timeline")
    data = traitlets.Dict().tag(sync=True)
    window = traitlets.Any(None).tag(sync=True)
    highlight = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        result: Run,
        window: tuple[float, float] | None = None,
        highlight: str = "",
        npus: Iterable[int] | None = None,
    ) -> None:
        """Draw `result`; npus: which NPUs (stages) to show, by default all, the first 128 of them.

        Raises ConfigError for what is no run, for a window that is no stretch of time, and for NPUs that aren't there.
        """
        if not isinstance(highlight, str):
            raise ConfigError(f'highlight is {shown(highlight)}; give a part of a layer\'s name, such as "conv4".')
        self._result = _checked(result)
        self._npus = None if npus is None else list_of("npus", npus, "list the NPUs to show, such as [0, 1]")
        super().__init__(data=self._payload(result), window=window, highlight=highlight)

    @property
    def result(self) -> Run:
        """The run on show; assigning another one replaces it in place, with the same window, highlight and NPUs."""
        return self._result

    @result.setter
    def result(self, result: Run) -> None:
        data = self._payload(_checked(result))
        self._result, self.data = result, data

    def _payload(self, result: Run) -> Payload:
        return payload(result, chosen_npus(result, self._npus, MOST_NPUS))

    def summary(self) -> str:
        """A line for each lane: its spans, how long it was busy, and the share of the whole run."""
        rows = [("lane", "spans", "busy", "of the run"), *_cells(self.data)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        cells = (
            [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in rows
        )
        return "\n".join("  ".join(row).rstrip() for row in cells)

    def __repr__(self) -> str:
        return f"Timeline({self._result!r})"

    @traitlets.validate("window")
    def _valid_window(self, proposal: dict[str, Any]) -> tuple[float, float] | None:
        window = proposal["value"]
        if window is None:
            return None
        try:
            start, end = map(float, window)
        except (TypeError, ValueError):
            start, end = 0.0, 0.0
        if not (0 <= start < end and isfinite(end)):
            raise ConfigError(
                f"window is {shown(window)}; give (from, to) in ns, such as (0, 5000), or None for all of it."
            )
        return start, end


def _cells(data: Payload) -> list[tuple[str, ...]]:
    """A row for each lane; of more groups than a few, only of the first ones."""
    total, listed = data["total_ns"], [lane for lane in data["lanes"] if lane[3] < _LISTED]
    rows = [(name, f"{n:,}", format_ns(busy), f"{100 * busy / total:.1f} %") for name, n, busy, *_ in listed]
    more = len(data["lanes"]) - len(listed)
    return [*rows, *([(f"and {several(more, 'more lane')}", "", "", "")] if more else [])]


def _checked(result: Run) -> Run:
    if not isinstance(result, Run):
        what = "ae.simulate(workload, platform) or ae.run_pipeline(...)"
        raise ConfigError(f"a timeline shows what {what} returns, not {shown(result, 80)}.")
    return result
