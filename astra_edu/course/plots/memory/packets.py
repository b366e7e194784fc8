"""Figure: packets in the stages that they go through, from a pool of memory to an NPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import WIDE, Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.memory.looks import LOOKS, STAGE
from astra_edu.course.plots.stacked import by_name
from astra_edu.course.studies.memory_systems import Transfer, packet_spans

_MOST_PACKETS = 64
_FILLED = 0.8  # of a lane's height
_LETTERS = 30  # packets at most that are numbered
_NARROW = 1 / 45  # of the time: cells that have no room for a number
_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}


@dataclass(frozen=True)
class _Transfers:
    """What is shown. unit: of all times."""

    by_name: Mapping[str, Transfer]
    unit: TimeUnit

    @property
    def longest_ns(self) -> float:
        """How long the longest transfer takes."""
        return max(transfer.ns for transfer in self.by_name.values())


def packet_stages(transfers: Transfer | Mapping[str, Transfer]) -> Picture:
    """Draw when each packet is in each stage, a lane for each stage; several transfers one above the other.

    The slowest stage is in bold: it rests only until the first packet comes, and after the last. Raises
    ConfigError for more packets than can be seen.

    >>> from astra_edu.studies.memory_systems import Stage, Transfer
    >>> load = Transfer((Stage("memory", 400), Stage("link", 800)), packets=4)
    >>> print(ae.plots.packet_stages(load).table)
    transfer   stage  a packet (ns)  all (ns)    busy  total (ns)
    transfer  memory            100       400  44.4 %         900
    transfer    link            200       800  88.9 %         900
    """
    named = {"transfer": transfers} if isinstance(transfers, Transfer) else transfers
    named = by_name(named, Transfer, '{"a load": pool.transfer(shared=0, own=2**20)}')
    for name, transfer in named.items():
        if transfer.packets > _MOST_PACKETS:
            raise ConfigError(
                f"{name} has {transfer.packets:,} packets; {_MOST_PACKETS} are the most that can be drawn: "
                "give larger packets, or fewer bytes."
            )
    shown = _Transfers(named, time_unit(max(transfer.ns for transfer in named.values())))
    return Picture(_drawn(shown), _alt(shown), _table(shown))


def _drawn(shown: _Transfers) -> Figure:
    counts = [len(transfer.stages) for transfer in shown.by_name.values()]
    figure = Figure(figsize=(WIDE, 0.45 * sum(counts) + 0.5 * len(counts) + 0.6), layout="constrained")
    grid = figure.subplots(len(counts), 1, sharex=True, squeeze=False, height_ratios=counts)[:, 0]
    for axes, (name, transfer) in zip(grid, shown.by_name.items(), strict=True):
        _cells(axes, transfer, shown.unit)
        _frame(axes, name, transfer, shown.unit)
    time_axis(grid[-1], shown.unit)
    grid[-1].set_xlim(0, 1.01 * shown.longest_ns / shown.unit.ns)
    return figure


def _cells(axes: Axes, transfer: Transfer, unit: TimeUnit) -> None:
    """A cell for each packet in each stage, numbered as far as there is room."""
    spans = packet_spans(transfer.packet_ns, transfer.packets)
    for lane, stage in enumerate(transfer.stages):
        look = LOOKS.get(stage.name.partition(",")[0], STAGE)
        cells = [(packet[lane][0] / unit.ns, (packet[lane][1] - packet[lane][0]) / unit.ns) for packet in spans]
        axes.broken_barh(cells, (lane - _FILLED / 2, _FILLED), lw=0.8, **look.style)
        for number, (start, width) in enumerate(cells if transfer.packets <= _LETTERS else ()):
            if width > transfer.ns / unit.ns * _NARROW:
                at = (start + width / 2, lane)
                axes.text(*at, str(number), size=9, ha="center", va="center", bbox=_PAPER)


def _frame(axes: Axes, name: str, transfer: Transfer, unit: TimeUnit) -> None:
    """A title, and the stages' names, that of the slowest in bold."""
    slow = [stage.name == transfer.slowest for stage in transfer.stages]
    names = [f"slowest: {s.name}" if slowest else s.name for s, slowest in zip(transfer.stages, slow, strict=True)]
    axes.set_yticks(range(len(names)), names)
    for label, slowest in zip(axes.get_yticklabels(), slow, strict=True):
        label.set_fontweight("bold" if slowest else "normal")
    axes.set(ylim=(len(names) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_title(f"{name}: {transfer.packets} packets, {unit.named(transfer.ns)}", loc="left", size=10)


def _alt(shown: _Transfers) -> str:
    named = shown.unit.named
    return "A lane for each stage, with a cell for each packet, over time. " + " ".join(
        f"{name}: {transfer.packets} packets through {len(transfer.stages)} stages take {named(transfer.ns)}; "
        f"the slowest stage, {transfer.slowest}, needs {named(max(transfer.packet_ns))} for one."
        for name, transfer in shown.by_name.items()
    )


def _table(shown: _Transfers) -> str:
    text, unit = shown.unit.text, shown.unit.name
    rows: list[list[object]] = [
        [name, stage.name, text(each), text(stage.ns), percent(stage.ns / transfer.ns), text(transfer.ns)]
        for name, transfer in shown.by_name.items()
        for stage, each in zip(transfer.stages, transfer.packet_ns, strict=True)
    ]
    return text_table(["transfer", "stage", f"a packet ({unit})", f"all ({unit})", "busy", f"total ({unit})"], rows)
