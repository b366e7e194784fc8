"""Figure: what one endpoint reads from memory and writes to it in each step, through memory and with ACE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.ticker import MaxNLocator

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Schedule
from astra_edu.course.plots.axes import open_frame
from astra_edu.course.plots.endpoints.looks import (
    ARRIVAL,
    ENDPOINTS,
    LOAD,
    LOOKS,
    OWN,
    READING,
    RECEIVED,
    STORE,
    SUM,
    WRITING,
)
from astra_edu.course.plots.figure import WIDE, Picture, text_table
from astra_edu.course.plots.looks import Look
from astra_edu.course.studies.endpoint import Access, accesses

MOST_STEPS = 40
_THICK = 7
"""Points of line width for one byte a byte."""


@dataclass(frozen=True)
class _Endpoint:
    """What one NPU's endpoint does. counted: shards by (what, step). kinds: what any NPU's endpoint does."""

    name: str
    counted: Mapping[tuple[str, int], int]
    sent: int
    kinds: frozenset[str]

    @classmethod
    def of(cls, name: str, found: Sequence[Access], npu: int, sent: int) -> _Endpoint:
        counted = Counter((access.what, access.step) for access in found if access.npu == npu)
        return cls(name, counted, sent, frozenset(access.what for access in found))

    @property
    def totals(self) -> Mapping[str, int]:
        """Shards of all steps, of what it does at all."""
        totals = Counter[str]()
        for (what, _), count in self.counted.items():
            totals[what] += count
        return {what: totals[what] for what in LOOKS if totals[what]}

    def rate(self, *kinds: str) -> float:
        """Bytes of these kinds together, for each byte sent."""
        return sum(self.totals.get(what, 0) / max(1, self.sent) for what in kinds)

    def by_step(self, what: str, steps: int) -> list[int]:
        """Shards in each step."""
        return [self.counted.get((what, step), 0) for step in range(steps)]


@dataclass(frozen=True)
class _Steps:
    """What is shown. sent: shards that the NPU sends in each step."""

    title: str
    npu: int
    sent: Sequence[int]
    endpoints: Sequence[_Endpoint]

    @classmethod
    def of(cls, schedule: Schedule, found: Mapping[str, Sequence[Access]], npu: int) -> _Steps:
        sent = [sum(t.source == npu for t in step.transfers) for step in schedule.steps()]
        endpoints = [_Endpoint.of(name, each, npu, sum(sent)) for name, each in found.items()]
        return cls(repr(schedule).strip("<>"), npu, sent, endpoints)


def endpoint_steps(schedule: Schedule, npu: int = 0) -> Picture:
    """Draw what one NPU's endpoint does, through memory and with ACE: as a flow for one byte sent, and step by step.

    Reads from HBM point up, writes down, in shards of the schedule. Raises ConfigError for another NPU than there is,
    and for more steps than a picture shows.

    >>> print(ae.plots.endpoint_steps(ae.schedule("all-reduce", "ring", 3)).table)
    shards in step                          1  2  3  4  in all
    through memory: reads its own data      1  1  1  1       4
    through memory: reads what it received  0  1  1  0       2
    through memory: writes what arrives     1  1  1  1       4
    through memory: writes a sum            0  0  1  0       1
    ACE: loads into its SRAM                2  1  0  0       3
    ACE: stores from its SRAM               0  0  1  2       3
    sends                                   1  1  1  1       4
    """
    found = {name: list(accesses(schedule, on_chip)) for name, on_chip in ENDPOINTS.items()}
    _check(schedule, npu)
    steps = _Steps.of(schedule, found, npu)
    return Picture(_drawn(steps), " ".join(_sentences(steps)), _table(steps))


def _check(schedule: Schedule, npu: int) -> None:
    if npu not in range(schedule.npus):
        raise ConfigError(f"npu is {npu!r}; NPUs are 0 to {schedule.npus - 1}.")
    if schedule.step_count > MOST_STEPS:
        raise ConfigError(f"{schedule!r} is too long for a picture; {MOST_STEPS} steps are the most.")


def _drawn(steps: _Steps) -> Figure:
    figure = Figure(figsize=(WIDE, 5.2), layout="constrained")
    grid = figure.subplots(2, 2, height_ratios=(1, 1.1), sharey="row")
    for column, endpoint in enumerate(steps.endpoints):
        _flow(grid[0, column], endpoint)
        _bars(grid[1, column], endpoint, len(steps.sent))
    grid[1, 0].set_ylabel("shards: read ↑, written ↓")
    kinds = frozenset[str]().union(*(endpoint.kinds for endpoint in steps.endpoints))
    handles = [look.patch() for what, look in LOOKS.items() if what in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _flow(axes: Axes, endpoint: _Endpoint) -> None:
    """HBM on the left, the network on the right, and between them what moves the data; arrows as thick as the flow."""
    on_chip = ENDPOINTS[endpoint.name]
    axes.set(xlim=(-0.1, 10.2), ylim=(-0.3, 3.9))
    axes.set_axis_off()
    axes.set_title(f"{endpoint.name}: bytes for each byte sent", size=10, loc="left")
    middle = "ACE:\nSRAM and\nadders" if on_chip else "cores\n(SMs)"
    for x, low, text in ((0, -0.2, "HBM"), (4.1, 0.7, middle), (8.4, -0.2, "network")):
        axes.add_patch(Rectangle((x, low), 1.7, 3.7 - low, facecolor="#f4f4f4", edgecolor="0.3"))
        axes.text(x + 0.85, (3.7 + low) / 2, text, ha="center", va="center", size=9)
    sends = Look("sends", "", "white", "0.2")
    _arrow(axes, 5.8, 8.4, 2.6, 1, sends, "sends")
    if on_chip:
        _arrow(axes, 1.7, 4.1, 2.6, endpoint.rate("load"), LOAD, "loads")
        _arrow(axes, 4.1, 1.7, 1.3, endpoint.rate("store"), STORE, "stores")
        _arrow(axes, 8.4, 5.8, 1.3, 1, sends, "receives")
        return
    _arrow(axes, 1.7, 4.1, 3.1, endpoint.rate("own"), OWN, "own")
    _arrow(axes, 1.7, 4.1, 2.1, endpoint.rate("received"), RECEIVED, "received")
    _arrow(axes, 4.1, 1.7, 1.2, endpoint.rate("sum"), SUM, "sum")
    _arrow(axes, 8.4, 1.7, 0.1, endpoint.rate("arrival"), ARRIVAL, "arrives")


def _arrow(axes: Axes, start: float, end: float, height: float, rate: float, look: Look, word: str) -> None:
    if not rate:
        return
    width = max(1.0, _THICK * rate)
    shape = f"simple,tail_width={width},head_width={width + 7},head_length=9"
    arrow = FancyArrowPatch((start, height), (end, height), arrowstyle=shape, shrinkA=0, shrinkB=0, **look.style)
    axes.add_patch(arrow)
    text = f"{word} {rate:.2f}"
    at = ((start + end) / 2, height)
    axes.annotate(text, at, (0, width / 2 + 2), textcoords="offset points", ha="center", va="bottom", size=9)


def _bars(axes: Axes, endpoint: _Endpoint, steps: int) -> None:
    """A bar up and a bar down for each step, of what is read and what is written."""
    for step in range(steps):
        ends = {1: 0, -1: 0}
        for what, look in LOOKS.items():
            way = -1 if what in WRITING else 1
            if length := way * endpoint.counted.get((what, step), 0):
                axes.bar(step + 1, length, 0.8, ends[way], **look.style)
                ends[way] += length
    axes.axhline(0, color="black", lw=0.8)
    axes.set_xlabel("step")
    axes.set_xticks(range(1, steps + 1))
    axes.margins(y=0.1)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    open_frame(axes)


def _sentences(steps: _Steps) -> Iterator[str]:
    yield f"What the endpoint of NPU {steps.npu} does in {steps.title}."
    for endpoint in steps.endpoints:
        each = ", ".join(f"{LOOKS[what].name} {shards}" for what, shards in endpoint.totals.items())
        yield f"{endpoint.name[0].upper()}{endpoint.name[1:]}, in shards: {each}."
        read, written = endpoint.rate(*READING), endpoint.rate(*WRITING)
        yield f"That is {read:.3f} bytes read and {written:.3f} written for each byte sent."


def _table(steps: _Steps) -> str:
    count = len(steps.sent)
    rows: list[list[object]] = [
        [f"{endpoint.name}: {LOOKS[what].name}", *endpoint.by_step(what, count), total]
        for endpoint in steps.endpoints
        for what, total in endpoint.totals.items()
    ]
    rows.append(["sends", *steps.sent, sum(steps.sent)])
    return text_table(["shards in step", *map(str, range(1, count + 1)), "in all"], rows)
