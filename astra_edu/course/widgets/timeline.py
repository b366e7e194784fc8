"""The timeline: what the NPU and every dimension did when, to zoom into, in a notebook or in a page of its own."""

from __future__ import annotations

from array import array
from math import isfinite
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered
from astra_edu.base.units import format_ns
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.view import View
from astra_edu.run.chrome_trace import Span, lanes
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult

Payload = dict[str, Any]


class Timeline(View):
    """The spans of `result` in lanes: compute, exposed communication, and one lane for each dimension.

    Assigning another `result` shows it in place. window: (from, to) in ns, the part that is shown, None for all of
    it. highlight: a part of a layer's name; other layers' spans are pale. The view and Python share the last two.
    """

    _use = "zoom into it"
    _shared = ("data", "window", "highlight")
    _esm = script("timeline")
    _css = style("timeline")
    data = traitlets.Dict().tag(sync=True)
    window = traitlets.Any(None).tag(sync=True)
    highlight = traitlets.Unicode("").tag(sync=True)

    def __init__(self, result: Result, window: tuple[float, float] | None = None, highlight: str = "") -> None:
        """Draw `result`. Raises ConfigError for what is no result, and for a window that is no stretch of time."""
        if not isinstance(highlight, str):
            raise ConfigError(f'highlight is {highlight!r}; give a part of a layer\'s name, such as "conv4".')
        self._result = _checked(result)
        super().__init__(data=payload(result), window=window, highlight=highlight)

    @property
    def result(self) -> Result:
        """The run on show; assigning another one replaces it in place, with the same window and highlight."""
        return self._result

    @result.setter
    def result(self, result: Result) -> None:
        self._result = _checked(result)
        self.data = payload(result)

    def summary(self) -> str:
        """A line for each lane: its spans, how long it was busy, and the share of the whole run."""
        rows = [("lane", "spans", "busy", "of the run"), *_cells(self.data)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        )

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
            raise ConfigError(f"window is {window!r}; give (from, to) in ns, such as (0, 5000), or None for all of it.")
        return start, end


def payload(result: Result) -> Payload:
    """What the view draws, as columns: spans of one track (a row of a lane) stand together, by their start.

    spans: start, end, queued (float64 each), chunk (-1: none) and kind (int32 each), column after column. kinds: what
    many spans share, [layer, work, collective, phase, size]; tracks: [lane, row, first span, number of spans];
    lanes: [name, spans, busy ns].
    """
    found = lanes(result)
    kinds: dict[tuple[str | int | None, ...], int] = {}
    spans: list[Span] = []
    tracks, kind = [], array("i")
    for number, rows in enumerate(found.values()):
        for row, track in enumerate(rows):
            tracks.append([number, row, len(spans), len(track)])
            spans += track
            for _, layer, work, collective, _, phase, size, *_ in track:
                kind.append(kinds.setdefault((layer, work, collective and collective.value, phase, size), len(kinds)))
    times = [[s[8] for s in spans], [s[9] for s in spans], [s[7] for s in spans]]
    chunk = array("i", [-1 if span[4] is None else span[4] for span in spans])
    passes = "1 pass" if result.passes == 1 else f"{result.passes:,} passes"
    layers = "1 layer" if len(result.running) == 1 else f"{len(result.running):,} layers"
    return {
        "title": f"{passes} of a {result.workload.loop} workload with {layers} on {result.platform.npus:,} NPUs",
        "total_ns": float(result.total_ns),
        "total": format_ns(result.total_ns),
        "compute": format_ns(result.compute_ns),
        "exposed": format_ns(result.exposed_ns),
        "lanes": [_lane(name, rows) for name, rows in found.items()],
        "tracks": tracks,
        "kinds": [list(key) for key in kinds],
        "spans": b"".join([*(array("d", column) for column in times), chunk, kind]),
    }


def _lane(name: str, rows: list[list[Span]]) -> list[Any]:
    intervals = [(span[8], span[9]) for row in rows for span in row]
    return [name, len(intervals), covered(intervals)]


def _cells(data: Payload) -> list[tuple[str, ...]]:
    total = data["total_ns"]
    return [(name, f"{n:,}", format_ns(busy), f"{100 * busy / total:.1f} %") for name, n, busy in data["lanes"]]


def _checked(result: Result) -> Result:
    if not isinstance(result, Result):
        other = " For a trace's run there are plots.trace_timeline, ae.LinkPlayer and save_chrome_trace."
        raise ConfigError(
            f"a timeline shows what ae.simulate(workload, platform) returns, not {result!r}."
            + (other if isinstance(result, TraceResult) else "")
        )
    return result
