"""Figures: models of collectives beside what was measured, and the bus bandwidth that was reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, log2
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, percent, text_table
from astra_edu.course.studies.measured.models import bus_bandwidth
from astra_edu.course.studies.measured.tables import Sweep

DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
"""How the lines of models differ besides their colour and their marker."""

HALF, OTHER_HALF = "fitted", "held out"

Says = Callable[[int], float] | Mapping[int, float]
"""What a model says: µs for any size in bytes, or for some."""


def against_measured(sweep: Sweep, models: Mapping[str, Says], *, fitted: bool = True) -> Picture:
    """Draw time over size, measured and as each model has it, and below by how much each model is off.

    models: by name, up to five; fitted: whether the models were fitted to every other size, which are drawn full then
    and the others hollow. Raises ConfigError for other numbers of models, and for one that has none of the sizes.

    >>> sweep = ae.measured.sweep("hgx-h100-2")
    >>> picture = ae.plots.against_measured(sweep, {"one line": ae.measured.judged(sweep).model})
    >>> print(picture.table.splitlines()[0])
    size         half  measured (µs)  one line (µs)   error
    """
    _check(models)
    off = {name: dict(_errors(sweep, says)) for name, says in models.items()}
    for name, found in off.items():
        if not found:
            raise ConfigError(f"{name} says nothing about any size of {sweep.title}.")
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    times, errors = figure.subplots(2, 1, sharex=True, height_ratios=(5, 3))
    for i, (name, says) in enumerate(models.items()):
        look = {"color": COLOURS[i], "linestyle": DASHES[i]}
        drawn = sorted(says) if isinstance(says, Mapping) else _dense(sweep)
        marker = MARKERS[i + 1] if isinstance(says, Mapping) else ""
        times.plot(drawn, [_at(says, size) for size in drawn], label=name, marker=marker, ms=5, **look)
        errors.plot(list(off[name]), [100 * error for error in off[name].values()], marker=MARKERS[i + 1], ms=5, **look)
    _measured(times, sweep, fitted)
    errors.axhline(0, color="black", lw=0.8)
    errors.set(ylabel="model / measured − 1 (%)")
    times.set(yscale="log", ylabel="time (µs)", title=sweep.title)
    times.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    size_axis(errors, [point.size for point in sweep.points])
    for axes in (times, errors):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    times.legend(loc="upper left", frameon=False)
    header = ["size", *(["half"] if fitted else []), "measured (µs)"]
    header += [cell for name in models for cell in (f"{name} (µs)", "error")]
    alt = f"{sweep.title}: time over size, both axes logarithmic, and below the error of each model. " + " ".join(
        f"{name}: {_summary(found)}." for name, found in off.items()
    )
    return Picture(figure, alt, text_table(header, list(_rows(sweep, models, off, fitted))), sweep.note + ".")


def bus_bandwidths(sweeps: Sequence[Sweep], limits: Mapping[str, float] | None = None) -> Picture:
    """Draw the bus bandwidth over the size, a line for each sweep.

    limits: horizontal lines with names, such as the bandwidth of a link, in 10⁹ bytes/s. Raises ConfigError for none
    or more than seven sweeps.

    >>> picture = ae.plots.bus_bandwidths([ae.measured.sweep("hgx-h100-2")])
    >>> print(picture.table.splitlines()[-1])
    2 GiB                                         364.60
    """
    if not 1 <= len(sweeps) <= len(COLOURS):
        raise ConfigError(f"give 1 to {len(COLOURS)} sweeps to one figure, not {len(sweeps)}.")
    sizes = sorted({point.size for sweep in sweeps for point in sweep.points})
    reached = {sweep.title: dict(_reached(sweep)) for sweep in sweeps}
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    axes = figure.subplots()
    for i, (name, found) in enumerate(reached.items()):
        look = {"color": COLOURS[i], "linestyle": DASHES[i % len(DASHES)], "marker": MARKERS[i], "ms": 5}
        axes.plot(list(found), list(found.values()), label=name, **look)
    for name, limit in (limits or {}).items():
        axes.axhline(limit, color="0.35", lw=1, ls=":")
        axes.annotate(f"{name}: {limit:g}", (sizes[0], limit), (0, 3), textcoords="offset points", fontsize=9)
    size_axis(axes, sizes)
    axes.set(ylabel="bus bandwidth (10⁹ bytes/s)", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0.86), frameon=False)
    rows: list[list[object]] = [
        [format_bytes(size), *(f"{found[size]:,.2f}" if size in found else "" for found in reached.values())]
        for size in sizes
    ]
    drawn = "".join(f" A line at {limit:g}: {name}." for name, limit in (limits or {}).items())
    alt = "Bus bandwidth in 10⁹ bytes/s over the size, which is on a logarithmic axis. " + " ".join(
        f"{name}: {min(found.values()):,.2f} to {max(found.values()):,.2f}." for name, found in reached.items()
    )
    return Picture(figure, alt + drawn, text_table(["size: 10⁹ bytes/s", *reached], rows))


def size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Make the horizontal axis one of sizes: logarithmic, with KiB, MiB and GiB, not more than a dozen labels."""
    powers = [round(log2(size)) for size in sizes]
    step = ceil((max(powers) - min(powers) + 1) / 12)
    shown = [2**power for power in range(min(powers), max(powers) + 1, step)]
    axes.set(xscale="log", xlabel="size")
    axes.set_xticks(shown, [format_bytes(size) for size in shown])
    axes.minorticks_off()


def _check(models: Mapping[str, Says]) -> None:
    if not isinstance(models, Mapping) or not 1 <= len(models) <= len(DASHES):
        raise ConfigError(f'give 1 to {len(DASHES)} models by name, such as {{"alpha-beta": fit_line(points)}}.')


def _measured(axes: Axes, sweep: Sweep, fitted: bool) -> None:
    look: dict[str, Any] = {"color": "black", "linestyle": "", "marker": MARKERS[0], "ms": 6, "zorder": 3}
    if not fitted:
        axes.plot(*zip(*sweep.points, strict=True), label="measured", **look)
        return
    half, other = sweep.halves
    axes.plot(*zip(*half, strict=True), label="measured, fitted to", **look)
    axes.plot(*zip(*other, strict=True), label="measured, held out", **look, markerfacecolor="white")


def _dense(sweep: Sweep) -> list[int]:
    """Sizes from the smallest to the largest, sixteen for each doubling."""
    low, high = sweep.points[0].size, sweep.points[-1].size
    steps = round(16 * log2(high / low))
    return [round(low * 2 ** (step / 16)) for step in range(steps + 1)]


def _at(says: Says, size: int) -> float:
    return says[size] if isinstance(says, Mapping) else says(size)


def _errors(sweep: Sweep, says: Says) -> Iterator[tuple[int, float]]:
    for size, us in sweep.points:
        if not isinstance(says, Mapping) or size in says:
            yield size, _at(says, size) / us - 1


def _rows(
    sweep: Sweep, models: Mapping[str, Says], off: Mapping[str, Mapping[int, float]], fitted: bool
) -> Iterator[list[object]]:
    for place, (size, us) in enumerate(sweep.points):
        row: list[object] = [format_bytes(size), *([(HALF, OTHER_HALF)[place % 2]] if fitted else []), f"{us:,.10g}"]
        for name, says in models.items():
            known = size in off[name]
            row += [f"{_at(says, size):,.1f}", signed(off[name][size])] if known else ["", ""]
        yield row
    for start, label in ((0, HALF), (1, OTHER_HALF)) if fitted else ((None, ""),):
        chosen = [size for size, _ in (sweep.points if start is None else sweep.points[start::2])]
        for what, pick in (("mean", lambda errors: sum(errors) / len(errors)), ("worst", max)):
            row = [what, *([label] if fitted else []), ""]
            for found in off.values():
                sizes = [abs(found[size]) for size in chosen if size in found]
                row += ["", percent(pick(sizes)) if sizes else ""]
            yield row


def _summary(found: Mapping[int, float]) -> str:
    off = [abs(error) for error in found.values()]
    return f"mean error {percent(sum(off) / len(off))}, at most {percent(max(off))}"


def _reached(sweep: Sweep) -> Iterator[tuple[int, float]]:
    for size, us in sweep.points:
        yield size, bus_bandwidth("all-reduce", sweep.npus, size, us)


def signed(share: float) -> str:
    """A difference as text: -0.071 -> "−7.1 %"."""
    return f"{100 * share:+.1f} %".replace("-", "−")
