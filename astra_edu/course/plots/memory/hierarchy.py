"""Figure: a pool of remote memory, from its groups through the switches to the GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import WIDE, Picture, text_table
from astra_edu.course.studies.memory_systems import HierarchicalPool

_WIDE, _HIGH = 0.66, 0.32  # of a box, in columns and rows
_SPACE = 2.35  # between columns
_ROW = 1.8  # between switches
_SHOWN = 3  # switches at most that are drawn of a column: the first ones and the last
_MEMBERS = 2  # groups or GPUs at most that are drawn behind a switch: the first and the last

_Place = tuple[int, float]
"""The number of a box, and its height in the figure."""


@dataclass(frozen=True)
class _Column:
    """Boxes of one kind. letter: what they are called by, with their number. note: a second line below the column."""

    name: str
    letter: str
    count: int
    fill: str
    edge: str
    places: Sequence[_Place]
    note: str = ""


@dataclass(frozen=True)
class _Hierarchy:
    """What is shown. behind: groups of memory behind each out-node switch. groups, outs, ins, gpus: what is drawn."""

    pool: HierarchicalPool
    behind: int
    groups: Sequence[_Place]
    outs: Sequence[_Place]
    ins: Sequence[_Place]
    gpus: Sequence[_Place]

    @classmethod
    def of(cls, pool: HierarchicalPool) -> _Hierarchy:
        """Raises ConfigError if the groups can't be shared out equally among the out-node switches."""
        behind = _behind(pool)
        outs, ins = _switches(pool.fabric.out_switches), _switches(pool.fabric.nodes)
        return cls(pool, behind, _members(outs, behind), outs, ins, _members(ins, pool.fabric.gpus_per_node))

    @property
    def columns(self) -> Sequence[_Column]:
        """The boxes from left to right."""
        each = f"{self.pool.group_bandwidth:,.10g} × 10⁹\nbytes/s each"
        fabric = self.pool.fabric
        return (
            _Column("groups of memory", "M", self.pool.groups, "#f7b787", "#d55e00", self.groups, each),
            _Column("out-node switches", "O", fabric.out_switches, "#e2b6d2", "#9c3f78", self.outs),
            _Column("in-node switches", "I", fabric.nodes, "#93c8ee", "#0072b2", self.ins),
            _Column("GPUs", "G", fabric.gpus, "#57ad88", "#00694f", self.gpus),
        )

    @property
    def joined(self) -> Sequence[Sequence[tuple[float, float]]]:
        """For each column the heights of the lines from it to the next one."""
        each = self.pool.fabric.gpus_per_node
        return (
            [(y, out) for which, y in self.groups for switch, out in self.outs if which // self.behind == switch],
            [(out, y) for _, out in self.outs for _, y in self.ins],
            [(y, gpu) for node, y in self.ins for which, gpu in self.gpus if which // each == node],
        )


def memory_hierarchy(pool: HierarchicalPool) -> Picture:
    """Draw the groups of memory, the out-node and in-node switches and the GPUs, with the bandwidth of every link.

    Of many alike the first ones and the last are drawn. Raises ConfigError if the groups can't be shared out equally
    among the out-node switches.

    >>> from astra_edu.studies.memory_systems import Fabric, HierarchicalPool
    >>> fabric = Fabric(nodes=2, gpus_per_node=2, in_bandwidth=256, out_switches=2, out_bandwidth=64)
    >>> print(ae.plots.memory_hierarchy(HierarchicalPool(fabric, groups=4, group_bandwidth=100)).table)
    bandwidths in 10⁹ bytes/s           how many  each  all together
    groups of memory                           4   100           400
    links to the out-node switches             4    64           256
    links out-node to in-node switches         4    64           256
    links in-node switches to GPUs             4   256         1,024
    """
    hierarchy = _Hierarchy.of(pool)
    return Picture(_drawn(hierarchy), _alt(pool, hierarchy.behind), _table(pool))


def _drawn(hierarchy: _Hierarchy) -> Figure:
    most = max(len(hierarchy.outs), len(hierarchy.ins))
    figure = Figure(figsize=(WIDE, 0.7 + 1.15 * most), layout="constrained")
    axes = figure.subplots()
    for number, column in enumerate(hierarchy.columns):
        _draw(axes, number * _SPACE, column)
    for number, pairs in enumerate(hierarchy.joined):
        _join(axes, number, pairs)
    for number, (_, bandwidth, _) in enumerate(_links(hierarchy.pool)[1:]):
        _write(axes, (number + 0.5) * _SPACE, f"each link\n{bandwidth:,.10g} × 10⁹\nbytes/s")
    top = max(y for column in hierarchy.columns for _, y in column.places)
    axes.set(xlim=(-0.75, 3 * _SPACE + 0.6), ylim=(-1.75, top + 0.3))
    axes.set_axis_off()
    return figure


def _behind(pool: HierarchicalPool) -> int:
    """How many groups are behind each out-node switch."""
    switches = pool.fabric.out_switches
    behind, left = divmod(pool.groups, switches)
    if left or not behind:
        raise ConfigError(
            f"{pool.groups} groups can't be shared out equally among {switches} out-node switches; "
            f"{max(1, behind) * switches} or {(max(1, behind) + 1) * switches} can."
        )
    return behind


def _some(count: int, shown: int) -> list[int]:
    """The first ones and the last of `count`."""
    return list(range(count)) if count <= shown else [*range(shown - 1), count - 1]


def _switches(count: int) -> list[_Place]:
    """The switches that are drawn, the first on top."""
    shown = _some(count, _SHOWN)
    return [(which, _ROW * (len(shown) - 1 - place)) for place, which in enumerate(shown)]


def _members(switches: Sequence[_Place], each: int) -> list[_Place]:
    """What is drawn behind the switches, of `each` that every switch has."""
    shown = _some(each, _MEMBERS)
    heights = (0.0,) if len(shown) == 1 else (0.42, -0.42)
    return [(switch * each + i, y + up) for switch, y in switches for i, up in zip(shown, heights, strict=True)]


def _draw(axes: Axes, x: float, column: _Column) -> None:
    for which, y in column.places:
        corner = (x - _WIDE / 2, y - _HIGH / 2)
        box = FancyBboxPatch(
            corner, _WIDE, _HIGH, "round,pad=0.03", facecolor=column.fill, edgecolor=column.edge, zorder=2
        )
        axes.add_patch(box)
        axes.text(x, y, f"{column.letter}{which}", ha="center", va="center", size=9)
    for (a, above), (b, below) in pairwise(column.places):
        if b - a > 1:
            axes.text(x, (above + below) / 2, "⋮", ha="center", va="center", size=13)
    _write(axes, x, f"{column.count} {column.name}", bold=True)
    _write(axes, x, f"\n{column.note}")


def _write(axes: Axes, x: float, text: str, bold: bool = False) -> None:
    weight = "bold" if bold else "normal"
    axes.text(x, -0.85, text, ha="center", va="top", size=9, weight=weight, linespacing=1.4)


def _join(axes: Axes, column: int, pairs: Sequence[tuple[float, float]]) -> None:
    """Lines from a column to the next one."""
    xs = (column * _SPACE + _WIDE / 2, (column + 1) * _SPACE - _WIDE / 2)
    for pair in pairs:
        axes.plot(xs, pair, color="0.45", lw=1, zorder=1)


def _links(pool: HierarchicalPool) -> list[tuple[str, float, int]]:
    """Name, bandwidth of each, and how many there are, from the memories to the GPUs."""
    fabric = pool.fabric
    return [
        ("groups of memory", pool.group_bandwidth, pool.groups),
        ("links to the out-node switches", pool.link_bandwidth or fabric.out_bandwidth, pool.groups),
        ("links out-node to in-node switches", fabric.out_bandwidth, fabric.out_switches * fabric.nodes),
        ("links in-node switches to GPUs", fabric.in_bandwidth, fabric.gpus),
    ]


def _alt(pool: HierarchicalPool, behind: int) -> str:
    fabric = pool.fabric
    return (
        f"Four columns joined by links. {pool.groups} groups of memory, M, {behind} behind each of "
        f"{fabric.out_switches} out-node switches, O. Every out-node switch has a link to each of {fabric.nodes} "
        f"in-node switches, I, one for each node, and each of these has links to the {fabric.gpus_per_node} GPUs, "
        "G, of its node. Where there are many, the first and the last are drawn."
    )


def _table(pool: HierarchicalPool) -> str:
    rows: list[list[object]] = [
        [name, count, f"{each:,.10g}", f"{count * each:,.10g}"] for name, each, count in _links(pool)
    ]
    return text_table(["bandwidths in 10⁹ bytes/s", "how many", "each", "all together"], rows)
