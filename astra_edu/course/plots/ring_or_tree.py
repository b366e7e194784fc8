"""Figures: what adding up in the switch brings, and where a tree is faster than a ring."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, text_table
from astra_edu.course.plots.measured_collectives import DASHES
from astra_edu.course.studies.measured.models import in_switch, ring
from astra_edu.course.studies.measured.nccl_model import ALGORITHMS, PROTOCOLS, cost, crossover
from astra_edu.course.studies.measured.tables import table

ON, OFF = "on (10^9 bytes/s)", "off (10^9 bytes/s)"


def in_switch_gain() -> Picture:
    """Draw how many times as fast an all-reduce in the switch is as a ring, measured and at best, by GPUs.

    >>> print(ae.plots.in_switch_gain().table)
    GPUs  H200  B200  model: up and down at once  model: first up, then down
    4     1.00  1.00                        1.50                        0.75
    5     1.14  1.00                        1.60                        0.80
    6     1.19  1.15                        1.67                        0.83
    7     1.26  1.19                        1.71                        0.86
    8     1.29  1.23                        1.75                        0.88
    """
    rows = [row for row in table("in_switch").rows if row["bytes"] == str(2**33)]
    measured = {
        system: {int(row["gpus"]): float(row[ON]) / float(row[OFF]) for row in rows if row["system"] == system}
        for system in ("H200", "B200")
    }
    npus = sorted({n for series in measured.values() for n in series})
    at_best = {
        "up and down at once": {n: _gain(n, pipelined=True) for n in npus},
        "first up, then down": {n: _gain(n, pipelined=False) for n in npus},
    }
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for i, (name, series) in enumerate({**measured, **at_best}.items()):
        marks = {"linestyle": "", "marker": MARKERS[i], "ms": 8 + 3 * i, "markerfacecolor": "none", "mew": 2}
        kind = marks if name in measured else {"linestyle": DASHES[i - 1]}
        label = f"{name}, measured" if name in measured else f"model: {name}"
        axes.plot(list(series), list(series.values()), color=COLOURS[i], label=label, **kind)
    axes.axhline(1, color="black", lw=0.8)
    axes.set(xlabel="GPUs", ylabel="times as fast as the ring", ylim=(0.7, 2), xticks=npus)
    _tidy(axes)
    axes.legend(loc="upper left", ncols=2, frameon=False)
    named = {**measured, **{f"model: {name}": series for name, series in at_best.items()}}
    lines: list[list[object]] = [[n, *(f"{series[n]:.2f}" for series in named.values())] for n in npus]
    alt = "How many times as fast as a ring an all-reduce of 8 GiB in the switch is, over the GPUs. " + " ".join(
        f"{name}: {series[npus[0]]:.2f} with {npus[0]}, {series[npus[-1]]:.2f} with {npus[-1]}."
        for name, series in named.items()
    )
    note = "Where NCCL doesn't take the switch by itself, up to 4 and 5 GPUs, the measured gain is 1."
    return Picture(figure, alt, text_table(["GPUs", *named], lines), note)


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
    latency = {
        (algorithm, protocol): [cost(algorithm, protocol, node_npus * n, bandwidth, n).latency_us for n in nodes]
        for algorithm in ALGORITHMS
        for protocol in PROTOCOLS
    }
    equal = {protocol: [crossover(node_npus * n, bandwidth, n, protocol) for n in nodes] for protocol in PROTOCOLS}
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i, protocol in enumerate(PROTOCOLS):
        look = {"color": COLOURS[i], "marker": MARKERS[i], "ms": 5}
        for algorithm, dash in zip(ALGORITHMS, DASHES[:2], strict=True):
            left.plot(nodes, latency[algorithm, protocol], linestyle=dash, label=f"{algorithm}, {protocol}", **look)
        right.plot(nodes, equal[protocol], label=protocol, **look)
    left.set(yscale="log", ylabel="latency (µs)", title="before the first byte is there")
    left.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    right.set(yscale="log", ylabel="size", title="below the line the tree is faster, above it the ring")
    _size_ticks(right, [size for sizes in equal.values() for size in sizes])
    for axes in (left, right):
        axes.set(xscale="log", xlabel="machines")
        axes.set_xticks(nodes, [str(n) for n in nodes])
        axes.minorticks_off()
        _tidy(axes)
        axes.legend(frameon=False, handlelength=4)
    header = ["machines", *(f"{algorithm} {protocol} (µs)" for algorithm, protocol in latency)]
    header += [f"equal at, {protocol}" for protocol in PROTOCOLS]
    rows: list[list[object]] = [
        [n, *(f"{series[i]:,.0f}" for series in latency.values()), *(_short(equal[p][i]) for p in PROTOCOLS)]
        for i, n in enumerate(nodes)
    ]
    ends = (0, -1)
    grows = "; ".join(
        f"{algorithm}, {protocol}: " + " to ".join(f"{series[i]:,.0f} µs" for i in ends)
        for (algorithm, protocol), series in latency.items()
    )
    meets = "; ".join(f"{p}: " + " to ".join(_short(equal[p][i]) for i in ends) for p in PROTOCOLS)
    alt = (
        f"Two log-log charts over {nodes[0]} to {nodes[-1]} machines of {node_npus} NPUs. Latency: that of the ring "
        f"grows in proportion, that of the tree with the logarithm. {grows}. Size from which on the ring is faster: "
        f"{meets}."
    )
    return Picture(figure, alt, text_table(header, rows))


def _gain(npus: int, pipelined: bool) -> float:
    """In the switch over the ring on the same links, for large sizes."""
    return ring(npus, 1).us_per_byte / in_switch(1, pipelined=pipelined).us_per_byte


def _size_ticks(axes: Axes, sizes: Sequence[float]) -> None:
    ticks = [KIB * 8**power for power in range(14) if min(sizes) / 8 < KIB * 8**power < max(sizes) * 8]
    axes.set_yticks(ticks, [format_bytes(size) for size in ticks])


def _short(size: float) -> str:
    """As format_bytes, with one decimal."""
    number, unit = format_bytes(size).split()
    return f"{float(number):,.1f} {unit}"


def _tidy(axes: Axes) -> None:
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
