"""Figure: time over message size, on both linear and logarithmic axes, with the latency floor and the slope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from astra_edu.plots.figure import COLOURS, MARKERS, Picture, text_table
from astra_edu.units import MIB


def size_sweep(sizes: Sequence[int], times_ns: Mapping[str, Sequence[float]]) -> Picture:
    """Plot the times (ns) of each named series over the sizes (bytes, ascending, two or more).

    The floor and the slope that are written into the figure are those of the first series: the slope from its
    last two points, the floor from its first point and that slope.
    """
    mib = [size / MIB for size in sizes]
    first = next(iter(times_ns))
    us = [time / 1000 for time in times_ns[first]]
    slope = (us[-1] - us[-2]) / (mib[-1] - mib[-2])
    floor = us[0] - slope * mib[0]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    linear, logarithmic = figure.subplots(1, 2)
    for axes in (linear, logarithmic):
        for i, (name, series) in enumerate(times_ns.items()):
            axes.plot(mib, [t / 1000 for t in series], color=COLOURS[i], marker=MARKERS[i], ms=4, label=name)
        axes.set(xlabel="size (MiB)", ylabel="time (µs)")
        axes.grid(alpha=0.3)
    linear.set_title("linear axes: one straight line")
    logarithmic.set(xscale="log", yscale="log", title="logarithmic axes: two regimes")
    if floor > 0:
        grey = {"color": "0.35", "lw": 1}
        logarithmic.axhline(floor, linestyle="--", label=f"latency floor of {first}: {floor:.1f} µs", **grey)
        by_size = [slope * size for size in mib]
        logarithmic.plot(mib, by_size, linestyle=":", label=f"slope of {first}: {slope:.2f} µs/MiB", **grey)
        logarithmic.legend(handles=logarithmic.get_lines()[-2:], fontsize=8)
    linear.legend(fontsize=8)
    rows: list[list[object]] = [
        [f"{size:g}", *(f"{series[i] / 1000:,.3f}" for series in times_ns.values())] for i, size in enumerate(mib)
    ]
    table = text_table(["MiB", *(f"{name} (µs)" for name in times_ns)], rows)
    alt = (
        f"Time over size for {', '.join(times_ns)}, from {mib[0]:g} to {mib[-1]:g} MiB. "
        f"{first} starts at {us[0]:,.1f} µs, has a latency floor of {floor:.1f} µs "
        f"and grows by {slope:.2f} µs per MiB to {us[-1]:,.1f} µs."
    )
    return Picture(figure, alt, table)
