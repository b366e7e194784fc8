"""Figure: where a tree is faster than a ring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.course.plots.axes import grid, in_full
from astra_edu.course.plots.collectives.sizes import DASHES
from astra_edu.course.plots.figure import MARKERS, WIDE, Picture, text_table
from astra_edu.course.plots.looks import line_looks
from astra_edu.measured.nccl_model import ALGORITHMS, PROTOCOLS, cost, crossover


@dataclass(frozen=True)
class _Compared:
    """What is shown, each for all numbers of machines.

    latency: µs by algorithm and protocol. equal: by protocol, the size in bytes up to which the tree is faster.
    """

    nodes: Sequence[int]
    node_npus: int
    latency: Mapping[tuple[str, str], Sequence[float]]
    equal: Mapping[str, Sequence[float]]

    @classmethod
    def of(cls, nodes: Sequence[int], node_npus: int, bandwidth: float) -> _Compared:
        latency = {
            (algorithm, protocol): [cost(algorithm, protocol, node_npus * n, bandwidth, n).latency_us for n in nodes]
            for algorithm in ALGORITHMS
            for protocol in PROTOCOLS
        }
        equal = {protocol: [crossover(node_npus * n, bandwidth, n, protocol) for n in nodes] for protocol in PROTOCOLS}
        return cls(nodes, node_npus, latency, equal)


def ring_or_tree(
    nodes: Sequence[int] = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), node_npus: int = 8, bandwidth: float = 200
) -> Picture:
    """Left: the latency of ring and tree over the machines, by protocol. Right: up to which size the tree is faster.

    By NCCL's cost model. nodes: ascending, two or more; node_npus: of a machine, joined by NVLink; bandwidth: of the
    bus, in 10⁹ bytes/s. Raises ConfigError for fewer numbers of machines.

    >>> table = ae.plots.ring_or_tree(nodes=(2, 16)).table
    >>> print(*[line[:66].rstrip() for line in table.splitlines()], sep="\\n")
    machines  ring LL (µs)  ring LL128 (µs)  ring Simple (µs)  tree LL
    2                   29               75               132
    16                 222              560             1,190
    """
    if len(nodes) < 2:
        raise ConfigError(f"give two numbers of machines or more, not {list(nodes)}.")
    compared = _Compared.of(nodes, node_npus, bandwidth)
    return Picture(_drawn(compared), _alt(compared), _table(compared))


def _drawn(compared: _Compared) -> Figure:
    figure = Figure(figsize=(WIDE, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_latency(left, compared)
    _draw_equal(right, compared)
    for axes in (left, right):
        axes.set(xscale="log", xlabel="machines")
        axes.set_xticks(compared.nodes, [str(n) for n in compared.nodes])
        axes.minorticks_off()
        grid(axes)
        axes.legend(frameon=False, handlelength=4)
    return figure


def _draw_latency(axes: Axes, compared: _Compared) -> None:
    looks = line_looks(ALGORITHMS)
    for i, protocol in enumerate(PROTOCOLS):
        for algorithm, dash in zip(ALGORITHMS, DASHES[:2], strict=True):
            latency = compared.latency[algorithm, protocol]
            label, colour, marker = f"{algorithm}, {protocol}", looks[algorithm].colour, MARKERS[i]
            axes.plot(compared.nodes, latency, linestyle=dash, label=label, color=colour, marker=marker, ms=5)
    axes.set(yscale="log", ylabel="latency (µs)")
    axes.set_title("before the first byte is there", size=9)
    in_full(axes.yaxis)


def _draw_equal(axes: Axes, compared: _Compared) -> None:
    for i, protocol in enumerate(PROTOCOLS):
        sizes = compared.equal[protocol]
        axes.plot(compared.nodes, sizes, label=protocol, color="0.35", marker=MARKERS[i], ms=5)
    axes.set(yscale="log", ylabel="size")
    axes.set_title("below the line the tree is faster, above it the ring", size=9)
    every = [size for sizes in compared.equal.values() for size in sizes]
    ticks = [KIB * 8**power for power in range(14) if min(every) / 8 < KIB * 8**power < max(every) * 8]
    axes.set_yticks(ticks, [format_bytes(size) for size in ticks])


def _alt(compared: _Compared) -> str:
    grows = "; ".join(
        f"{algorithm}, {protocol}: {series[0]:,.0f} µs to {series[-1]:,.0f} µs"
        for (algorithm, protocol), series in compared.latency.items()
    )
    meets = "; ".join(f"{name}: {_short(sizes[0])} to {_short(sizes[-1])}" for name, sizes in compared.equal.items())
    return (
        f"Two log-log charts over {compared.nodes[0]} to {compared.nodes[-1]} machines of {compared.node_npus} NPUs. "
        "Latency: that of the ring grows in proportion, that of the tree with the logarithm. "
        f"{grows}. Size from which on the ring is faster: {meets}."
    )


def _table(compared: _Compared) -> str:
    header = ["machines", *(f"{algorithm} {protocol} (µs)" for algorithm, protocol in compared.latency)]
    header += [f"equal at, {protocol}" for protocol in compared.equal]
    rows: list[list[object]] = []
    for i, n in enumerate(compared.nodes):
        latency = [f"{series[i]:,.0f}" for series in compared.latency.values()]
        rows.append([n, *latency, *(_short(sizes[i]) for sizes in compared.equal.values())])
    return text_table(header, rows)


def _short(size: float) -> str:
    """As format_bytes, with one decimal."""
    number, unit = format_bytes(size).split()
    return f"{float(number):,.1f} {unit}"
