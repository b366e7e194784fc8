"""Figure: how the models and the operations of their training have grown over the years, and what a device offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, text_table
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
_LINE = {"color": "0.35", "linestyle": "--", "linewidth": 1}
_OF = {"textcoords": "offset points", "fontsize": 8, "color": "0.25"}
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


def model_growth(device: str = "v100") -> Picture:
    """Left: parameters, and how many fit on a `device` in training. Right: operations of the training, and its year.

    Both are counted from the shapes; the operations for the samples that are published. Raises ConfigError for an
    unknown device, and for one whose memory isn't given.

    >>> print(ae.plots.model_growth("a100").table.splitlines()[0])
    model               year  parameters (10⁹)  operations of the training
    """
    found, on = list(points()), named(device)
    if on.memory_bytes is None:
        raise ConfigError(f"{on.name} has no memory_bytes, so nothing can be said to fit or not.")
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    fit, year = on.memory_bytes / STATE_BYTES, on.flops_per_s * YEAR_S
    for kind in range(len(KINDS)):
        of = [point for point in found if point.kind == kind]
        _draw(left, kind, [(point.key, point.name, point.date, point.parameters) for point in of])
        _draw(right, kind, [(point.key, point.name, point.date, point.flops) for point in of if point.flops])
    left.axhline(fit, **_LINE)
    left.annotate(
        f"{on.name.upper()}: at {STATE_BYTES} bytes each, {fit / 1e9:.1f} × 10⁹ fit", (2013.7, fit), (0, 3), **_OF
    )
    right.axhline(year, **_LINE)
    right.annotate(f"{on.name.upper()}: {scientific(year)} in a year at its peak", (2013.7, year), (0, 3), **_OF)
    left.set(title="parameters", ylim=(8e6, 8e12))
    right.set(title="operations of the whole training", ylim=(1e16, 1e26))
    for axes in (left, right):
        axes.set(yscale="log", xlim=(2013.5, 2024), xlabel="year of the paper")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(KINDS), frameon=False)
    rows: list[list[object]] = [
        [p.name, f"{p.date:.1f}", f"{p.parameters / 1e9:,.3f}", scientific(p.flops) if p.flops else "not published"]
        for p in found
    ]
    first, last = min(found, key=lambda p: p.parameters), max(found, key=lambda p: p.parameters)
    counted = [point.flops for point in found if point.flops]
    alt = (
        f"Two charts with logarithmic axes over the years {int(found[0].date)} to {int(found[-1].date)}. Parameters: "
        f"from {first.name}, {first.parameters / 1e9:.3f} × 10⁹, to {last.name}, {last.parameters / 1e9:,.0f} × 10⁹; "
        f"{sum(p.parameters > fit for p in found)} of {len(found)} models are above the line of what fits on a "
        f"{on.name.upper()}. Operations: {sum(flops > year for flops in counted)} of {len(counted)} are above the line "
        f"of its year."
    )
    note = "Operations are counted where the number of samples is published; those of Transformer-1T are an assumption."
    columns = ["model", "year", "parameters (10⁹)", "operations of the training"]
    return Picture(figure, alt, text_table(columns, rows), note)


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
            fontsize=8,
            ha="right" if side < 0 else "left",
            va="center",
        )
