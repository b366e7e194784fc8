"""Figures: what waits in front of a link over time, and how much arrives when many send to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, percent, text_table, time_axis, time_unit
from astra_edu.network.shortest import LinkName
from astra_edu.run.link_times import link_name, uses_of
from astra_edu.run.trace_result import TraceResult


def queue_length(results: Mapping[str, TraceResult], link: LinkName) -> Picture:
    """Draw the bytes that are in front of a link or on their way out, over time, a chart for each run.

    results: recorded runs by their names. Packets that found no room are crosses on top; a dashed line is the size of
    the buffer. Raises ConfigError for runs without a record and for a link that none of their messages uses.

    >>> switch, direct = ae.Block("Switch", 4, 50, 500), ae.TraceSystem.of("direct")
    >>> platform = ae.TracePlatform(switch, direct, congestion_aware=True, buffers=ae.SwitchBuffers(None))
    >>> result = ae.simulate(ae.traces.collective("all_gather", "64 KiB", npus=4), platform, record=True)
    >>> print(ae.plots.queue_length({"all-gather": result}, ("switch 0.0", 0)).table)
    run         time (ns)  most in the queue  packets lost  link busy
    all-gather      4,744              4 KiB             0     76.9 %
    """
    if not results:
        raise ConfigError("results is empty; give at least one recorded run.")
    unit = time_unit(max(result.total_ns for result in results.values()))
    figure = Figure(figsize=(11, 1.9 * len(results) + 0.6), layout="constrained")
    grid = figure.subplots(len(results), 1, sharex=True, squeeze=False)[:, 0]
    rows: list[list[object]] = []
    for k, (axes, (name, result)) in enumerate(zip(grid, results.items(), strict=True)):
        times, lengths = waiting_bytes(result, link)
        lost = [packet.time_ns for packet in result.lost if packet.link == link]
        colour = COLOURS[k % len(COLOURS)]
        scaled = [time / unit.ns for time in (*times, result.total_ns)]
        axes.stairs([length / KIB for length in lengths], scaled, fill=True, color=colour, alpha=0.3)
        axes.stairs([length / KIB for length in lengths], scaled, color=colour, lw=0.8)
        room = None if result.platform.buffers is None else result.platform.buffers.room(link[0])
        if room is not None:
            axes.axhline(room / KIB, color="0.3", lw=1, ls="--")
        top = 1.15 * max(*lengths, room or 0) / KIB
        if lost:
            axes.plot([time / unit.ns for time in lost], [0.96 * top] * len(lost), "x", color="black", ms=4)
        axes.set(ylim=(0, top), ylabel="KiB")
        axes.set_title(f"{name}: {unit.named(result.total_ns)}, {len(lost):,} packets lost here", loc="left", size=10)
        axes.spines[["top", "right"]].set_visible(False)
        busy = sum(use.free_ns - use.start_ns for use in uses_of(result)[link]) / result.total_ns
        rows.append([name, unit.text(result.total_ns), format_bytes(max(lengths)), f"{len(lost):,}", percent(busy)])
    time_axis(grid[-1], unit)
    header = ["run", f"time ({unit.name})", "most in the queue", "packets lost", "link busy"]
    alt = f"Bytes in front of the link {link_name(link)} over time, a chart for each run. " + " ".join(
        f"{name}: {took} {unit.name}, at most {most}, {lost} packets lost, the link busy for {busy}."
        for name, took, most, lost, busy in rows
    )
    return Picture(figure, alt, text_table(header, rows))


def waiting_bytes(result: TraceResult, link: LinkName) -> tuple[list[int], list[int]]:
    """(times, bytes from each time on until the next) in front of a link: arrived there, and not all sent yet."""
    uses = uses_of(result)
    if link not in uses:
        raise ConfigError(f"no message uses the link {link!r}; there are {', '.join(map(repr, list(uses)[:6]))}, ...")
    changes: Counter[int] = Counter({0: 0})
    for use in uses[link]:
        changes[use.queued_ns] += use.size
        changes[use.free_ns] -= use.size
    times = sorted(time for time in changes if time < result.total_ns)
    return times, list(accumulate(changes[time] for time in times))


def goodput(senders: Sequence[int], curves: Mapping[str, Sequence[float]], capacity: float) -> Picture:
    """Plot what arrives in bytes per ns (10⁹ bytes/s) over the number of senders, a line for each name.

    capacity: of the link to the receiver, in the same unit. Raises ConfigError for lines of other lengths.

    >>> print(ae.plots.goodput([1, 2, 4], {"drop": [10, 5, 1], "credit": [10, 11, 12]}, capacity=12.5).table)
    senders   drop  credit
    1        10.00   10.00
    2         5.00   11.00
    4         1.00   12.00
    """
    for name, values in curves.items():
        if len(values) != len(senders):
            raise ConfigError(f"{name} has {len(values)} values for {len(senders)} numbers of senders.")
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots()
    for i, (name, values) in enumerate(curves.items()):
        colour, marker = COLOURS[i % 7], MARKERS[i % 7]
        wide, large = max(1.2, 4 - i), max(4, 11 - 3 * i)  # thinner ones on top, where lines lie on each other
        axes.plot(senders, values, color=colour, marker=marker, label=name, lw=wide, ms=large)
    axes.axhline(capacity, color="0.3", ls="--", lw=1, label=f"the link: {capacity:.4g}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(senders, [str(n) for n in senders])
    axes.minorticks_off()
    axes.set(xlabel="senders to one receiver", ylabel="goodput (× 10⁹ bytes/s)", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8)
    rows: list[list[object]] = [[n, *(f"{values[i]:.2f}" for values in curves.values())] for i, n in enumerate(senders)]
    alt = (
        f"Goodput over {senders[0]} to {senders[-1]} senders; the link carries {capacity:.4g} × 10⁹ bytes/s. "
        + " ".join(
            f"{name}: from {values[0]:.2f} to {values[-1]:.2f}, lowest {min(values):.2f}."
            for name, values in curves.items()
        )
    )
    return Picture(figure, alt, text_table(["senders", *curves], rows), "Goodput in 10⁹ bytes/s.")
