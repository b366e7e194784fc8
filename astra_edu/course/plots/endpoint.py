"""Figures: what an endpoint reads from memory and writes to it for what it sends, through memory and with ACE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.ticker import MaxNLocator

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Schedule
from astra_edu.course.plots.figure import Picture, text_table
from astra_edu.course.plots.looks import Look
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.course.studies.endpoint import Traffic, accesses, traffic

OWN = Look("reads its own data", "", "#93c8ee", "#0072b2", "\\\\")
RECEIVED = Look("reads what it received", "", "#f7b787", "#d55e00", "//")
ARRIVAL = Look("writes what arrives", "", "#ececec", "#707070", "..")
SUM = Look("writes a sum", "", "#9c7fd0", "#4b2a8c", "xx")
LOAD = Look("loads into its SRAM", "", "#57ad88", "#00694f")
STORE = Look("stores from its SRAM", "", "#f3e79b", "#8a7a00", "--")
LOOKS = {"own": OWN, "received": RECEIVED, "load": LOAD, "arrival": ARRIVAL, "sum": SUM, "store": STORE}
READING, WRITING = ("own", "received", "load"), ("arrival", "sum", "store")
READS, WRITES = OWN._replace(name="read"), SUM._replace(name="written")
ENDPOINTS = {"through memory": False, "ACE": True}
MOST_STEPS = 40
_THICK = 7
"""Points of line width for one byte a byte."""


def endpoint_steps(schedule: Schedule, npu: int = 0) -> Picture:
    """Draw what one NPU's endpoint does, through memory and with ACE: as a flow for one byte sent, and step by step.

    Reads from HBM point up, writes down, in chunks of the schedule. Raises ConfigError for another NPU than there is,
    and for more steps than a picture shows.

    >>> print(ae.plots.endpoint_steps(ae.schedule("all-reduce", "ring", 3)).table)
    chunks in step                          1  2  3  4  in all
    through memory: reads its own data      1  1  1  1       4
    through memory: reads what it received  0  1  1  0       2
    through memory: writes what arrives     1  1  1  1       4
    through memory: writes a sum            0  0  1  0       1
    ACE: loads into its SRAM                2  1  0  0       3
    ACE: stores from its SRAM               0  0  1  2       3
    sends                                   1  1  1  1       4
    """
    done = {name: list(accesses(schedule, on_chip)) for name, on_chip in ENDPOINTS.items()}
    if npu not in range(schedule.npus):
        raise ConfigError(f"npu is {npu!r}; NPUs are 0 to {schedule.npus - 1}.")
    if schedule.step_count > MOST_STEPS:
        raise ConfigError(f"{schedule!r} is too long for a picture; {MOST_STEPS} steps are the most.")
    sent = [sum(t.source == npu for t in step.transfers) for step in schedule.steps()]
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    grid = figure.subplots(2, 2, height_ratios=(1, 1.1), sharey="row")
    rows: list[list[object]] = []
    alt = [f"What the endpoint of NPU {npu} does in {repr(schedule).strip('<>')}."]
    for column, (name, found) in enumerate(done.items()):
        mine = [access for access in found if access.npu == npu]
        totals = Counter(access.what for access in mine)
        counted = Counter((access.what, access.step) for access in mine)
        rate = {what: totals[what] / max(1, sum(sent)) for what in LOOKS}
        _flow(grid[0, column], name, rate)
        _steps(grid[1, column], counted, schedule.step_count)
        each = ", ".join(f"{look.name} {totals[what]}" for what, look in LOOKS.items() if totals[what])
        read, written = (sum(rate[what] for what in kinds) for kinds in (READING, WRITING))
        alt.append(f"{name[0].upper()}{name[1:]}, in chunks: {each}.")
        alt.append(f"That is {read:.3f} bytes read and {written:.3f} written for each byte sent.")
        for what in (what for what in LOOKS if totals[what]):
            per_step = [counted[what, step] for step in range(schedule.step_count)]
            rows.append([f"{name}: {LOOKS[what].name}", *per_step, totals[what]])
    rows.append(["sends", *sent, sum(sent)])
    grid[1, 0].set_ylabel("chunks: read ↑, written ↓")
    kinds = {access.what for found in done.values() for access in found}
    handles = [look.patch() for what, look in LOOKS.items() if what in kinds]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    header = ["chunks in step", *map(str, range(1, schedule.step_count + 1)), "in all"]
    return Picture(figure, " ".join(alt), text_table(header, rows))


def _flow(axes: Axes, name: str, rate: Mapping[str, float]) -> None:
    """HBM on the left, the network on the right, and between them what moves the data; arrows as thick as the flow."""
    on_chip = ENDPOINTS[name]
    axes.set(xlim=(-0.1, 10.2), ylim=(-0.3, 3.9))
    axes.set_axis_off()
    axes.set_title(f"{name}: bytes for each byte sent", size=10, loc="left")
    middle = "ACE:\nSRAM and\nadders" if on_chip else "cores\n(SMs)"
    for x, low, text in ((0, -0.2, "HBM"), (4.1, 0.7, middle), (8.4, -0.2, "network")):
        axes.add_patch(Rectangle((x, low), 1.7, 3.7 - low, facecolor="#f4f4f4", edgecolor="0.3"))
        axes.text(x + 0.85, (3.7 + low) / 2, text, ha="center", va="center", size=10)
    sends = Look("sends", "", "white", "0.2")
    _arrow(axes, 5.8, 8.4, 2.6, 1, sends, "sends")
    if on_chip:
        _arrow(axes, 1.7, 4.1, 2.6, rate["load"], LOAD, "loads")
        _arrow(axes, 4.1, 1.7, 1.3, rate["store"], STORE, "stores")
        _arrow(axes, 8.4, 5.8, 1.3, 1, sends, "receives")
        return
    _arrow(axes, 1.7, 4.1, 3.1, rate["own"], OWN, "own")
    _arrow(axes, 1.7, 4.1, 2.1, rate["received"], RECEIVED, "received")
    _arrow(axes, 4.1, 1.7, 1.2, rate["sum"], SUM, "sum")
    _arrow(axes, 8.4, 1.7, 0.1, rate["arrival"], ARRIVAL, "arrives")


def _arrow(axes: Axes, start: float, end: float, height: float, rate: float, look: Look, word: str) -> None:
    if not rate:
        return
    width = max(1.0, _THICK * rate)
    shape = f"simple,tail_width={width},head_width={width + 7},head_length=9"
    arrow = FancyArrowPatch(
        (start, height), (end, height), arrowstyle=shape, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch,
        shrinkA=0, shrinkB=0,
    )  # fmt: skip
    axes.add_patch(arrow)
    text = f"{word} {rate:.2f}"
    at = ((start + end) / 2, height)
    axes.annotate(text, at, (0, width / 2 + 2), textcoords="offset points", ha="center", va="bottom", size=9)


def _steps(axes: Axes, counted: Mapping[tuple[str, int], int], steps: int) -> None:
    """A bar up and a bar down for each step, of what is read and what is written."""
    for step in range(steps):
        ends = {1: 0, -1: 0}
        for what, look in LOOKS.items():
            way = -1 if what in WRITING else 1
            if length := way * counted[what, step]:
                axes.bar(step + 1, length, 0.8, ends[way], fc=look.fill, ec=look.colour, hatch=look.hatch)
                ends[way] += length
    axes.axhline(0, color="black", lw=0.8)
    axes.set_xlabel("step")
    axes.set_xticks(range(1, steps + 1))
    axes.margins(y=0.1)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    axes.spines[["top", "right"]].set_visible(False)


def memory_traffic(schedules: Mapping[str, Schedule]) -> Picture:
    """Draw for each schedule the bytes read from HBM and written to it for each byte sent, through memory and with ACE.

    Raises ConfigError if there is none.

    >>> ring = ae.schedule("all-reduce", "ring", 8)
    >>> print(ae.plots.memory_traffic({"ring": ring}).table)
    bytes for each byte sent   read  written  ACE: read  written  less read  less in all
    ring                      1.500    1.071      0.571    0.571       2.62         2.25
    """
    schedules = by_name(schedules, Schedule, '{"ring": ae.schedule("all-reduce", "ring", 8)}')
    found = {name: [traffic(each, on_chip) for on_chip in ENDPOINTS.values()] for name, each in schedules.items()}
    bars = {f"{name}, {how}": each for name, both in found.items() for how, each in zip(ENDPOINTS, both, strict=True)}
    kinds = [
        (READS, [each.reads_per_byte for each in bars.values()]),
        (WRITES, [each.writes_per_byte for each in bars.values()]),
    ]
    notes = [f"{each.reads_per_byte:.3f} + {each.writes_per_byte:.3f}" for each in bars.values()]
    figure, axes = stacked(list(bars), kinds, notes)
    axes.set_xlabel("bytes of HBM traffic for each byte sent")
    rows: list[list[object]] = [
        [name, *(f"{rate:.3f}" for each in both for rate in _rates(each)), *_less(*both)]
        for name, both in found.items()
    ]
    header = ["bytes for each byte sent", "read", "written", "ACE: read", "written", "less read", "less in all"]
    alt = "Two bars for each schedule, through memory and with ACE, of bytes read and written for each byte sent. "
    alt += " ".join(
        f"{name}: {each.reads_per_byte:.3f} read and {each.writes_per_byte:.3f} written." for name, each in bars.items()
    )
    return Picture(figure, alt, text_table(header, rows), "Less: how many times as much without ACE as with it.")


def _rates(each: Traffic) -> tuple[float, float]:
    return each.reads_per_byte, each.writes_per_byte


def _less(memory: Traffic, ace: Traffic) -> tuple[str, str]:
    """How many times the reads, and all accesses, of ACE are those through memory."""
    return f"{memory.reads / ace.reads:.2f}", f"{(memory.reads + memory.writes) / (ace.reads + ace.writes):.2f}"
