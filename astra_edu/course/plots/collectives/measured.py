"""Figure: models of collectives beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.axes import grid, in_full
from astra_edu.course.plots.collectives.sizes import DASHES, size_axis
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, percent, text_table
from astra_edu.measured.tables import Sweep

HALF, OTHER_HALF = "fitted", "held out"

Says = Callable[[int], float] | Mapping[int, float]
"""What a model says: µs for any size in bytes, or for some."""


@dataclass(frozen=True)
class _Model:
    """What a model says, and by which share it is off, by size."""

    says: Says
    errors: Mapping[int, float]

    @classmethod
    def of(cls, says: Says, sweep: Sweep) -> _Model:
        known = [point for point in sweep.points if not isinstance(says, Mapping) or point.size in says]
        return cls(says, {size: _at(says, size) / us - 1 for size, us in known})

    def curve(self, sweep: Sweep) -> tuple[list[int], list[float]]:
        """Sizes and µs of a line through all that it says."""
        sizes = sorted(self.says) if isinstance(self.says, Mapping) else _dense(sweep)
        return sizes, [_at(self.says, size) for size in sizes]

    def cells(self, size: int) -> list[object]:
        """What the table says about a size: µs, and the error."""
        return [f"{_at(self.says, size):,.1f}", signed(self.errors[size])] if size in self.errors else ["", ""]


@dataclass(frozen=True)
class _Compared:
    """What is shown. fitted: whether the models were fitted to every other size."""

    sweep: Sweep
    models: Mapping[str, _Model]
    fitted: bool


def against_measured(sweep: Sweep, models: Mapping[str, Says], *, fitted: bool = True) -> Picture:
    """Draw time over size, measured and as each model has it, and below by how much each model is off.

    models: by name, up to five; fitted: whether the models were fitted to every other size, which are drawn full then
    and the others hollow. Raises ConfigError for other numbers of models, and for one that has none of the sizes.

    >>> sweep = ae.measured.sweep("hgx-h100-2")
    >>> picture = ae.plots.against_measured(sweep, {"one line": ae.measured.judged(sweep).model})
    >>> print(picture.table.splitlines()[0])
    size         half  measured (µs)  one line (µs)   error
    """
    if not isinstance(models, Mapping) or not 1 <= len(models) <= len(DASHES):
        raise ConfigError(f'give 1 to {len(DASHES)} models by name, such as {{"alpha-beta": fit_line(points)}}.')
    compared = _Compared(sweep, {name: _Model.of(says, sweep) for name, says in models.items()}, fitted)
    for name, model in compared.models.items():
        if not model.errors:
            raise ConfigError(f"{name} says nothing about any size of {sweep.title}.")
    return Picture(_drawn(compared), _alt(compared), _table(compared), sweep.note + ".")


def _drawn(compared: _Compared) -> Figure:
    figure = Figure(figsize=(WIDE, 6.4), layout="constrained")
    times, errors = figure.subplots(2, 1, sharex=True, height_ratios=(5, 3))
    for i, (name, model) in enumerate(compared.models.items()):
        look = {"color": COLOURS[i], "linestyle": DASHES[i]}
        marker = MARKERS[i + 1] if isinstance(model.says, Mapping) else ""
        times.plot(*model.curve(compared.sweep), label=name, marker=marker, ms=5, **look)
        off = [100 * error for error in model.errors.values()]
        errors.plot(list(model.errors), off, marker=MARKERS[i + 1], ms=5, **look)
    _measured(times, compared.sweep, compared.fitted)
    errors.axhline(0, color="black", lw=0.8)
    errors.set(ylabel="model / measured − 1 (%)")
    times.set(yscale="log", ylabel="time (µs)", title=compared.sweep.title)
    in_full(times.yaxis)
    size_axis(errors, [point.size for point in compared.sweep.points])
    for axes in (times, errors):
        grid(axes)
    times.legend(loc="upper left", frameon=False)
    return figure


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


def _alt(compared: _Compared) -> str:
    title = compared.sweep.title
    return f"{title}: time over size, both axes logarithmic, and below the error of each model. " + " ".join(
        f"{name}: {_summary(model.errors)}." for name, model in compared.models.items()
    )


def _summary(errors: Mapping[int, float]) -> str:
    off = [abs(error) for error in errors.values()]
    return f"mean error {percent(_mean(off))}, at most {percent(max(off))}"


def _table(compared: _Compared) -> str:
    header = ["size", *(["half"] if compared.fitted else []), "measured (µs)"]
    header += [cell for name in compared.models for cell in (f"{name} (µs)", "error")]
    return text_table(header, [*_sizes(compared), *_summaries(compared)])


def _sizes(compared: _Compared) -> Iterator[list[object]]:
    """A row for each size that was measured."""
    for place, (size, us) in enumerate(compared.sweep.points):
        half = [(HALF, OTHER_HALF)[place % 2]] if compared.fitted else []
        cells = [cell for model in compared.models.values() for cell in model.cells(size)]
        yield [format_bytes(size), *half, f"{us:,.10g}", *cells]


def _summaries(compared: _Compared) -> Iterator[list[object]]:
    """Mean and worst errors: of each half of the sizes if the models were fitted to one, else of all."""
    sizes = [point.size for point in compared.sweep.points]
    halves = [([HALF], sizes[0::2]), ([OTHER_HALF], sizes[1::2])] if compared.fitted else [([], sizes)]
    for label, chosen in halves:
        for what, pick in (("mean", _mean), ("worst", max)):
            yield [what, *label, "", *(cell for model in compared.models.values() for cell in _of(model, chosen, pick))]


def _of(model: _Model, sizes: Sequence[int], pick: Callable[[list[float]], float]) -> tuple[str, str]:
    """Two cells: none for a time, and what `pick` makes of the errors for these sizes."""
    off = [abs(model.errors[size]) for size in sizes if size in model.errors]
    return "", percent(pick(off)) if off else ""


def _mean(errors: list[float]) -> float:
    return sum(errors) / len(errors)


def signed(share: float) -> str:
    """A difference as text: -0.071 -> "−7.1 %"."""
    return f"{100 * share:+.1f} %".replace("-", "−")
