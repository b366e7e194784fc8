"""Figure: how the models and the operations of their training have grown over the years, and what a device offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, text_table
from astra_edu.workload.compute import device as named
from astra_edu.workload.models import model
from astra_edu.workload.models.history import HISTORY, training_flops

KINDS = {
    "images": ("vgg16", "resnet50"),
    "translation": ("gnmt",),
    "recommendation": ("dlrm",),
    "language": ("bert-large", "gpt2", "megatron-8.3b", "turing-nlg", "gpt3", "transformer-1t", "mt-nlg-530b", "22b"),
}
"""What the models of HISTORY are for: a colour and a marker each."""

STATE_BYTES = 16
"""For each parameter: 2 of itself, 2 of its gradient, 12 of Adam's state (ZeRO, arXiv 1910.02054)."""

YEAR_S = 365 * 86_400
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LINE: dict[str, Any] = {"color": "0.35", "linestyle": "--", "linewidth": 1}
_OF: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9, "color": "0.25"}
_LEFT = {"gpt2", "megatron-8.3b", "gpt3", "dlrm", "transformer-1t"}  # named on the left, where there is room
_LOWER = {"turing-nlg": 7}  # points


class Point(NamedTuple):
    """A model as it is drawn. flops: of its whole training, None if that isn't known."""

    key: str
    name: str
    kind: int
    date: float
    parameters: int
    flops: float | None


def points() -> Iterator[Point]:
    """All models of HISTORY, from the first one on."""
    kinds = {key: i for i, keys in enumerate(KINDS.values()) for key in keys}
    for key, published in HISTORY.items():
        of = model(key)
        yield Point(key, of.name, kinds[key], published.date, of.parameters, training_flops(key))


@dataclass(frozen=True)
class _Growth:
    """What is shown. device: its name. fit: how many parameters fit on it in training. year: operations of its year."""

    points: Sequence[Point]
    device: str
    fit: float
    year: float

    @property
    def counted(self) -> list[float]:
        """Operations of the trainings that are known."""
        return [point.flops for point in self.points if point.flops]


def model_growth(device: str = "v100") -> Picture:
    """Left: parameters, and how many fit on a `device` in training. Right: operations of the training, and its year.

    Both are counted from the shapes; the operations for the samples that are published. Raises ConfigError for an
    unknown device, and for one whose memory isn't given.

    >>> table = ae.plots.model_growth("a100").table.splitlines()
    >>> print(table[0], table[-1], sep="\\n")
    model                          year  parameters (10⁹)  operations of the training
    A100: what fits, and a year                     5.369                 9.84 × 10²¹
    """
    on = named(device)
    if on.memory_bytes is None:
        raise ConfigError(f"{on.name} has no memory_bytes, so nothing can be said to fit or not.")
    growth = _Growth(list(points()), on.name.upper(), on.memory_bytes / STATE_BYTES, on.flops_per_s * YEAR_S)
    note = "Operations are counted where the number of samples is published; those of Transformer-1T are an assumption."
    return Picture(_drawn(growth), _alt(growth), _table(growth), note)


def _drawn(growth: _Growth) -> Figure:
    figure = Figure(figsize=(WIDE, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    for kind in range(len(KINDS)):
        of = [point for point in growth.points if point.kind == kind]
        _draw(left, kind, [(point.key, point.name, point.date, point.parameters) for point in of])
        _draw(right, kind, [(point.key, point.name, point.date, point.flops) for point in of if point.flops])
    fit = f"at {STATE_BYTES} bytes each, {growth.fit / 1e9:.1f} × 10⁹ fit"
    _line(left, growth.fit, f"{growth.device}: {fit}")
    _line(right, growth.year, f"{growth.device}: {scientific(growth.year)} in a year at its peak")
    left.set(title="parameters", ylim=(8e6, 8e12))
    right.set(title="operations of the whole training", ylim=(1e16, 1e26))
    for axes in (left, right):
        axes.set(yscale="log", xlim=(2013.5, 2024), xlabel="year of the paper")
        grid(axes)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(KINDS), frameon=False)
    return figure


def _line(axes: Axes, height: float, words: str) -> None:
    axes.axhline(height, **_LINE)
    axes.annotate(words, (2013.7, height), (0, 3), **_OF)


def _alt(growth: _Growth) -> str:
    found, counted = growth.points, growth.counted
    first, last = min(found, key=lambda p: p.parameters), max(found, key=lambda p: p.parameters)
    large, long = sum(p.parameters > growth.fit for p in found), sum(flops > growth.year for flops in counted)
    return (
        f"Two charts with logarithmic axes over the years {int(found[0].date)} to {int(found[-1].date)}. Parameters: "
        f"from {first.name}, {first.parameters / 1e9:.3f} × 10⁹, to {last.name}, {last.parameters / 1e9:,.0f} × 10⁹; "
        f"{large} of {len(found)} models are above the line of what fits on a {growth.device}, "
        f"{growth.fit / 1e9:,.1f} × 10⁹. Operations: {long} of {len(counted)} are above the line of its year, "
        f"{scientific(growth.year)}."
    )


def _table(growth: _Growth) -> str:
    rows: list[list[object]] = [
        [p.name, f"{p.date:.1f}", f"{p.parameters / 1e9:,.3f}", scientific(p.flops) if p.flops else "not published"]
        for p in growth.points
    ]
    rows.append([f"{growth.device}: what fits, and a year", "", f"{growth.fit / 1e9:,.3f}", scientific(growth.year)])
    return text_table(["model", "year", "parameters (10⁹)", "operations of the training"], rows)


def scientific(number: float) -> str:
    """The number with a power of ten: 3.14e23 -> "3.14 × 10²³"."""
    digits, power = f"{number:.2e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(_SUPERSCRIPTS)}"


def _draw(axes: Axes, kind: int, models: list[tuple[str, str, float, float]]) -> None:
    axes.scatter(
        [date for *_, date, _ in models],
        [number for *_, number in models],
        color=COLOURS[kind],
        marker=MARKERS[kind],
        label=list(KINDS)[kind],
        zorder=3,
    )
    for key, name, date, number in models:
        side = -1 if key in _LEFT else 1
        axes.annotate(
            name,
            (date, number),
            (6 * side, -_LOWER.get(key, 0)),
            textcoords="offset points",
            fontsize=9,
            ha="right" if side < 0 else "left",
            va="center",
        )
