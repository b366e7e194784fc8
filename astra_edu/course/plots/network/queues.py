"""Figures: what waits in front of a link over time, and how much arrives when many send to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.course.plots.axes import grid, open_frame
from astra_edu.course.plots.figure import (
    COLOURS,
    MARKERS,
    WIDE,
    Picture,
    TimeUnit,
    percent,
    text_table,
    time_axis,
    time_unit,
)
from astra_edu.course.plots.network.recorded import recorded
from astra_edu.network.shortest import LinkName
from astra_edu.run.link_times import link_name, uses_of
from astra_edu.run.trace_result import TraceResult


@dataclass(frozen=True)
class _Queue:
    """What is shown of a run. lengths: bytes in front of the link from each of `times` on, which end with the run.

    lost: when packets found no room. room: bytes, if there are buffers. busy: the share of the run.
    """

    times: Sequence[int]
    lengths: Sequence[int]
    lost: Sequence[int]
    room: int | None
    busy: float

    @classmethod
    def of(cls, result: TraceResult, link: LinkName) -> _Queue:
        times, lengths = waiting_bytes(result, link)
        lost = [packet.time_ns for packet in result.lost if packet.link == link]
        room = _room(result, link)
        busy = sum(use.free_ns - use.start_ns for use in uses_of(result)[link]) / result.total_ns
        return cls([*times, result.total_ns], lengths, lost, room, busy)

    def cells(self, unit: TimeUnit) -> tuple[str, str, str, str]:
        """How long the run takes, the most that waits, the packets lost, and how much of it the link is busy."""
        return unit.text(self.times[-1]), format_bytes(max(self.lengths)), f"{len(self.lost):,}", percent(self.busy)


def queue_length(results: Mapping[str, TraceResult] | TraceResult, link: LinkName) -> Picture:
    """Draw the bytes that are in front of a link or on their way out, over time, a chart for each run.

    results: recorded runs by their names, or one. Packets that found no room are crosses on top; a dashed line is the
    size of the buffer. With ae.Packets what is on its way out has no place in the buffer, so that there may be a packet
    more. Raises ConfigError for runs without a record and for a link that none of their messages uses.

    >>> switch, direct = ae.Block("Switch", 4, 50, 500), ae.TraceSystem.of("direct")
    >>> platform = ae.TracePlatform(switch, direct, congestion_aware=True, buffers=ae.SwitchBuffers(None))
    >>> result = ae.simulate(ae.traces.collective("all_gather", "64 KiB", npus=4), platform, record=True)
    >>> print(ae.plots.queue_length({"all-gather": result}, ("switch 0.0", 0)).table)
    run         time (ns)  most in the queue  packets lost  link busy
    all-gather      4,744              4 KiB             0     76.9 %
    """
    runs = recorded(results, "queue_length")
    unit = time_unit(max(run.total_ns for run in runs.values()))
    queues = {name or "the queue": _Queue.of(run, link) for name, run in runs.items()}
    return Picture(_drawn(queues, unit), _alt(queues, unit, link), _table(queues, unit))


def _room(result: TraceResult, link: LinkName) -> int | None:
    """Bytes in front of a link, by the platform or by a network of its own."""
    if result.platform.buffers is not None:
        return result.platform.buffers.room(link[0])
    said = result.statistics.get("buffer_bytes")
    return int(said) if said and isinstance(link[0], str) else None


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


def _drawn(queues: Mapping[str, _Queue], unit: TimeUnit) -> Figure:
    figure = Figure(figsize=(WIDE, 1.9 * len(queues) + 0.6), layout="constrained")
    charts = figure.subplots(len(queues), 1, sharex=True, squeeze=False)[:, 0]
    for k, (axes, (name, queue)) in enumerate(zip(charts, queues.items(), strict=True)):
        _stairs(axes, queue, unit, COLOURS[k % len(COLOURS)])
        took, _, lost, _ = queue.cells(unit)
        axes.set_title(f"{name}: {took} {unit.name}, {lost} packets lost here", loc="left", size=10)
    time_axis(charts[-1], unit)
    return figure


def _stairs(axes: Axes, queue: _Queue, unit: TimeUnit, colour: str) -> None:
    times = [time / unit.ns for time in queue.times]
    lengths = [length / KIB for length in queue.lengths]
    axes.stairs(lengths, times, fill=True, color=colour, alpha=0.3)
    axes.stairs(lengths, times, color=colour, lw=0.8)
    if queue.room is not None:
        axes.axhline(queue.room / KIB, color="0.3", lw=1, ls="--")
    top = 1.15 * max(*queue.lengths, queue.room or 0) / KIB
    if queue.lost:
        axes.plot([time / unit.ns for time in queue.lost], [0.96 * top] * len(queue.lost), "x", color="black", ms=4)
    axes.set(ylim=(0, top), ylabel="KiB")
    open_frame(axes)


def _alt(queues: Mapping[str, _Queue], unit: TimeUnit, link: LinkName) -> str:
    sentences = []
    for name, queue in queues.items():
        took, most, lost, busy = queue.cells(unit)
        sentences.append(f"{name}: {took} {unit.name}, at most {most}, {lost} packets lost, the link busy for {busy}.")
    return f"Bytes in front of the link {link_name(link)} over time, a chart for each run. {' '.join(sentences)}"


def _table(queues: Mapping[str, _Queue], unit: TimeUnit) -> str:
    header = ["run", f"time ({unit.name})", "most in the queue", "packets lost", "link busy"]
    return text_table(header, [[name, *queue.cells(unit)] for name, queue in queues.items()])


@dataclass(frozen=True)
class _Goodput:
    """What is shown. curves: what arrives, in bytes/ns, for each number of senders. capacity: the link's."""

    senders: Sequence[int]
    curves: Mapping[str, Sequence[float]]
    capacity: float


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
    shown = _Goodput(senders, curves, capacity)
    return Picture(_goodput_drawn(shown), _goodput_alt(shown), _goodput_table(shown), "Goodput in 10⁹ bytes/s.")


def _goodput_drawn(shown: _Goodput) -> Figure:
    figure = Figure(figsize=(WIDE, 3.6), layout="constrained")
    axes = figure.subplots()
    for i, (name, values) in enumerate(shown.curves.items()):
        colour, marker = COLOURS[i % 7], MARKERS[i % 7]
        wide, large = max(1.2, 4 - i), max(4, 11 - 3 * i)  # thinner ones on top, where lines lie on each other
        axes.plot(shown.senders, values, color=colour, marker=marker, label=name, lw=wide, ms=large)
    axes.axhline(shown.capacity, color="0.3", ls="--", lw=1, label=f"the link: {shown.capacity:.4g}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(shown.senders, [str(n) for n in shown.senders])
    axes.minorticks_off()
    axes.set(xlabel="senders to one receiver", ylabel="goodput (× 10⁹ bytes/s)", ylim=(0, None))
    grid(axes)
    axes.legend(fontsize=9)
    return figure


def _goodput_alt(shown: _Goodput) -> str:
    first, last = shown.senders[0], shown.senders[-1]
    sentences = " ".join(
        f"{name}: from {values[0]:.2f} to {values[-1]:.2f}, lowest {min(values):.2f}."
        for name, values in shown.curves.items()
    )
    return f"Goodput over {first} to {last} senders; the link carries {shown.capacity:.4g} × 10⁹ bytes/s. {sentences}"


def _goodput_table(shown: _Goodput) -> str:
    rows: list[list[object]] = [
        [n, *(f"{values[i]:.2f}" for values in shown.curves.values())] for i, n in enumerate(shown.senders)
    ]
    return text_table(["senders", *shown.curves], rows)
