"""Figures of memory systems: packets in their stages, where an iteration's time goes, and sweeps over a bandwidth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, TimeUnit, percent, text_table, time_axis, time_unit
from astra_edu.course.plots.looks import COMPUTE, Look
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.course.studies.memory_systems import TrainingTime, Transfer, packet_spans
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE

LOOKS = {
    look.name: look
    for look in (
        COMPUTE,
        Look(REMOTE, "", "#f7b787", "#d55e00", "//"),
        Look(OUT_NODE, "", "#e2b6d2", "#9c3f78", "--"),
        Look(IN_NODE, "", "#93c8ee", "#0072b2", "\\\\"),
    )
}
_OTHER = Look("stage", "", "#d9d9d9", "#595959")
_MOST_PACKETS = 64
_FILLED = 0.8  # of a lane's height
_LETTERS = 30  # packets at most that are numbered


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
    longest = max(transfer.ns for transfer in named.values())
    unit = time_unit(longest)
    counts = [len(transfer.stages) for transfer in named.values()]
    figure = Figure(figsize=(10.5, 0.45 * sum(counts) + 0.5 * len(counts) + 0.6), layout="constrained")
    grid = figure.subplots(len(counts), 1, sharex=True, squeeze=False, height_ratios=counts)[:, 0]
    for axes, (name, transfer) in zip(grid, named.items(), strict=True):
        _packets(axes, name, transfer, unit)
    time_axis(grid[-1], unit)
    grid[-1].set_xlim(0, 1.01 * longest / unit.ns)
    rows: list[list[object]] = [
        [name, stage.name, *map(unit.text, (each, stage.ns)), percent(stage.ns / transfer.ns), unit.text(transfer.ns)]
        for name, transfer in named.items()
        for stage, each in zip(transfer.stages, transfer.packet_ns, strict=True)
    ]
    header = ["transfer", "stage", f"a packet ({unit.name})", f"all ({unit.name})", "busy", f"total ({unit.name})"]
    alt = "A lane for each stage, with a cell for each packet, over time. " + " ".join(
        f"{name}: {transfer.packets} packets through {len(transfer.stages)} stages take {unit.named(transfer.ns)}; "
        f"the slowest stage, {transfer.slowest}, needs {unit.named(max(transfer.packet_ns))} for one."
        for name, transfer in named.items()
    )
    return Picture(figure, alt, text_table(header, rows))


def _packets(axes: Axes, name: str, transfer: Transfer, unit: TimeUnit) -> None:
    spans = packet_spans(transfer.packet_ns, transfer.packets)
    for lane, stage in enumerate(transfer.stages):
        look = LOOKS.get(stage.name.partition(",")[0], _OTHER)
        cells = [(packet[lane][0] / unit.ns, (packet[lane][1] - packet[lane][0]) / unit.ns) for packet in spans]
        box = (lane - _FILLED / 2, _FILLED)
        axes.broken_barh(cells, box, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, lw=0.8)
        for number, (start, width) in enumerate(cells if transfer.packets <= _LETTERS else ()):
            if width > transfer.ns / unit.ns / 45:
                paper = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
                axes.text(start + width / 2, lane, str(number), size=8, ha="center", va="center", bbox=paper)
    names = [f"slowest: {stage.name}" if stage.name == transfer.slowest else stage.name for stage in transfer.stages]
    axes.set_yticks(range(len(names)), names)
    for label, name_ in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name_.startswith("slowest") else "normal")
    axes.set(ylim=(len(transfer.stages) - 0.5, -0.5))
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_title(f"{name}: {transfer.packets} packets, {unit.named(transfer.ns)}", loc="left", size=10)


def training_parts(times: Mapping[str, TrainingTime]) -> Picture:
    """Draw a bar for each iteration: compute, and what is exposed of remote memory and fabrics.

    times: by names, the first on top; speed-ups are those over the first. Raises ConfigError if there is none.

    >>> from astra_edu.studies.memory_systems import case_study_3
    >>> print(ae.plots.training_parts(case_study_3()).table)
    ms                  compute  remote memory  out-node fabric  in-node fabric      total  times as fast
    ZeRO-Infinity       201.582      1,454.498            0.000          21.168  1,677.248           1.00
    HierMem, baseline   201.582      1,460.139            0.000          45.004  1,706.725           0.98
    HierMem, optimised  201.582        257.382            0.000          10.529    469.494           3.57
    """
    times = by_name(times, TrainingTime, '{"ZeRO-Infinity": zero_infinity(model, gpu, memory)}')
    unit = time_unit(max(time.total_ns for time in times.values()))
    first = next(iter(times.values()))
    faster = [first.total_ns / time.total_ns for time in times.values()]
    notes = [f"{unit.named(t.total_ns)}, {s:.2f} times as fast" for t, s in zip(times.values(), faster, strict=True)]
    notes[0] = unit.named(first.total_ns)
    kinds = [(look, [time.split[name] / unit.ns for time in times.values()]) for name, look in LOOKS.items()]
    figure, axes = stacked(list(times), kinds, notes)
    axes.set_xlim(0, 1.4 * first.total_ns / unit.ns if len(times) == 1 else axes.get_xlim()[1] * 1.05)
    time_axis(axes, unit, " of one iteration: all but compute is exposed")
    rows: list[list[object]] = [
        [name, *(unit.text(time.split[part]) for part in LOOKS), unit.text(time.total_ns), f"{more:.2f}"]
        for (name, time), more in zip(times.items(), faster, strict=True)
    ]
    alt = "A bar for each system, compute first and then what is exposed. " + " ".join(
        f"{name}: {note}, of which {', '.join(f'{part} {unit.named(time.split[part])}' for part in LOOKS)}."
        for (name, time), note in zip(times.items(), notes, strict=True)
    )
    return Picture(figure, alt, text_table([unit.name, *LOOKS, "total", "times as fast"], rows))


def bandwidth_sweep(
    bandwidths: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    of: str,
    what: str,
    marks: Mapping[str, tuple[float, float]] | None = None,
) -> Picture:
    """Draw each named series over bandwidths (bytes/ns, ascending), with its name at its end.

    of: whose bandwidth it is. what: what the series are, with their unit. marks: single points by name, such as the
    system that was chosen. Raises ConfigError for bandwidths that don't ascend and for series of another length.

    >>> bandwidths = [50, 100, 200]
    >>> print(ae.plots.bandwidth_sweep(bandwidths, {"load": [4, 2, 1]}, of="the pool", what="time (ms)").table)
    10⁹ bytes/s  load
    50              4
    100             2
    200             1
    """
    for bandwidth in bandwidths:
        positive("bandwidth", bandwidth)
    if len(bandwidths) < 2 or any(a >= b for a, b in pairwise(bandwidths)):
        raise ConfigError(f"bandwidths are {bandwidths!r}; give two or more, each larger than the one before.")
    if not series or len(series) > len(MARKERS):
        raise ConfigError(f"{len(series)} series can't be told apart in one figure; give 1 to {len(MARKERS)}.")
    for name, values in series.items():
        if len(values) != len(bandwidths):
            raise ConfigError(f"{name} has {len(values)} values for {len(bandwidths)} bandwidths; give one for each.")
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, (name, values) in enumerate(series.items()):
        size = 11 - 1.3 * i  # so that equal lines show one around the other
        axes.plot(bandwidths, values, color=COLOURS[i], marker=MARKERS[i], ms=size, mfc="none", mew=1.5, label=name)
    for name, (bandwidth, value) in (marks or {}).items():
        axes.plot([bandwidth], [value], "o", ms=18, mfc="none", mec="black", mew=1.5)
        axes.annotate(name, (bandwidth, value), (12, 12), textcoords="offset points", size=9, weight="bold")
    if bandwidths[-1] / bandwidths[0] > 20:
        axes.set_xscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.set(xlabel=f"bandwidth of {of} (10⁹ bytes/s)", ylabel=what, ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    rows: list[list[object]] = [
        [f"{bandwidth:,.10g}", *(f"{values[i]:,.4g}" for values in series.values())]
        for i, bandwidth in enumerate(bandwidths)
    ]
    alt = f"Lines over the bandwidth of {of}: {what}. " + " ".join(
        f"{name}: from {values[0]:,.4g} at {bandwidths[0]:,.10g} to {values[-1]:,.4g} at {bandwidths[-1]:,.10g}."
        for name, values in series.items()
    )
    alt += "".join(f" Marked, {name}: {value:,.4g} at {x:,.10g}." for name, (x, value) in (marks or {}).items())
    return Picture(figure, alt, text_table(["10⁹ bytes/s", *series], rows))
