"""Figures: how well systolic arrays are used, by products of awkward shapes and by arrays of several sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.axes import open_frame
from astra_edu.course.plots.figure import WIDE, Picture, percent, text_table
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import Irregular, irregular_foldings
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

_LOOKS: tuple[dict[str, Any], ...] = (
    {"facecolor": "#93c8ee", "edgecolor": "#0072b2", "hatch": ""},
    {"facecolor": "#f7b787", "edgecolor": "#d55e00", "hatch": "//"},
    {"facecolor": "#8fd3bd", "edgecolor": "#00694f", "hatch": "xx"},
    {"facecolor": "#f3e79b", "edgecolor": "#8a7a00", "hatch": ".."},
    {"facecolor": "#e2b6d2", "edgecolor": "#9c3f78", "hatch": "--"},
)
_HIGH = 0.8
"""Of a group of bars; groups are 1 apart."""


@dataclass(frozen=True)
class _Irregular:
    """What is shown: each product on one array, by dataflow."""

    array: SystolicArray
    table: Mapping[Irregular, Mapping[str, Folding]]


def irregular_use(array: SystolicArray | None = None) -> Picture:
    """Draw the utilisation of `array` (128 × 128 if left out) by the slides' irregular GEMMs, by dataflow.

    The bar is the share of the possible MACs that are done, the frame around it the share of the PEs that hold
    something.

    >>> picture = ae.plots.irregular_use(ae.SystolicArray(128, 128))
    >>> print(*picture.table.splitlines()[:2], sep="\\n")
    M, N, K                      weight stationary  output stationary  input stationary
    GNMT 128, 2048, 4096          25.1 % (100.0 %)   94.2 % (100.0 %)  84.3 % (100.0 %)
    """
    array = array or SystolicArray(128, 128)
    shown = _Irregular(array, irregular_foldings(array))
    note = "Share of the possible MACs that are done; in brackets, of the PEs that hold something, as a mean."
    return Picture(_irregular_drawn(shown), _irregular_alt(shown), _irregular_table(shown), note)


def _irregular_drawn(shown: _Irregular) -> Figure:
    count = len(shown.table)
    figure = Figure(figsize=(WIDE, 0.75 * count + 1), layout="constrained")
    axes = figure.subplots()
    high = _HIGH / len(DATAFLOWS)
    for i, (dataflow, look) in enumerate(zip(DATAFLOWS, _LOOKS, strict=False)):
        found = [by_dataflow[dataflow] for by_dataflow in shown.table.values()]
        places = _places(count, i, len(DATAFLOWS))
        frames = [100 * folding.mapping_utilisation for folding in found]
        axes.barh(places, frames, high, facecolor="none", edgecolor=look["edgecolor"], lw=0.8)
        axes.barh(places, _macs_done(found), high, **look)
    names = [f"{row.workload}\n{row.gemm.m:,} × {row.gemm.n:,} × {row.gemm.k:,}" for row in shown.table]
    axes.set_yticks(range(count), names)
    axes.set(xlim=(0, 101), ylim=(count - 0.5, -0.5), xlabel=f"utilisation of {shown.array} (%)")
    _tidy(axes)
    patches = [*_patches(f"{name} stationary" for name in DATAFLOWS)]
    patches.append(Patch(facecolor="none", edgecolor="0.3", label="frame: PEs that hold something"))
    figure.legend(handles=patches, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _irregular_alt(shown: _Irregular) -> str:
    sentences = [
        f"{row}: "
        + ", ".join(f"{name} stationary {percent(f.compute_utilisation)}" for name, f in by_dataflow.items())
        + "."
        for row, by_dataflow in shown.table.items()
    ]
    return f"Three bars for each product, the utilisation of {shown.array} by dataflow. {' '.join(sentences)}"


def _irregular_table(shown: _Irregular) -> str:
    rows: list[list[object]] = [
        [str(row), *(_both(by_dataflow[dataflow]) for dataflow in DATAFLOWS)]
        for row, by_dataflow in shown.table.items()
    ]
    return text_table(["M, N, K", *(f"{name} stationary" for name in DATAFLOWS)], rows)


def _both(folding: Folding) -> str:
    return f"{percent(folding.compute_utilisation)} ({percent(folding.mapping_utilisation)})"


@dataclass(frozen=True)
class _Arrays:
    """What is shown: each product by its name, on each of the arrays."""

    arrays: Sequence[SystolicArray]
    dataflow: str
    table: Mapping[str, Sequence[Folding]]


def large_and_small(gemms: Mapping[str, Gemm], arrays: Sequence[SystolicArray], dataflow: str = "weight") -> Picture:
    """Draw for each product how fast each of `arrays` is beside the first, and what goes over its edges.

    gemms: products by their names. Raises ConfigError for arrays that don't have equally many PEs in all.

    >>> arrays = ae.SystolicArray(128, 128), ae.SystolicArray(32, 32, count=16)
    >>> print(ae.plots.large_and_small({"square": ae.Gemm(1024, 1024, 1024)}, arrays).table)
    product            arrays  folds  cycles  MACs done  elements for each MAC
    square      128 × 128 PEs     64  89,983     72.8 %                  0.017
    square   16 × 32 × 32 PEs  1,024  71,551     91.6 %                  0.063
    """
    _check(gemms, arrays)
    table = {name: [Folding(gemm, array, dataflow) for array in arrays] for name, gemm in gemms.items()}
    shown = _Arrays(arrays, dataflow, table)
    return Picture(_arrays_drawn(shown), _arrays_alt(shown), _arrays_table(shown))


def _check(gemms: Mapping[str, Gemm], arrays: Sequence[SystolicArray]) -> None:
    if not isinstance(gemms, Mapping) or not gemms:
        raise ConfigError(f'give products by name, such as {{"layer 1": Gemm(64, 48, 40)}}, not {gemms!r:.60}.')
    if not 1 <= len(arrays) <= len(_LOOKS):
        raise ConfigError(f"{len(arrays)} arrays are too many or too few for one figure: give 1 to {len(_LOOKS)}.")
    odd = [array for array in arrays if array.pes != arrays[0].pes]
    if odd:
        raise ConfigError(
            f"{odd[0]} are {odd[0].pes:,} PEs and {arrays[0]} are {arrays[0].pes:,}: only equally many can be compared."
        )


def _arrays_drawn(shown: _Arrays) -> Figure:
    count = len(shown.table)
    figure = Figure(figsize=(WIDE, 0.22 * len(shown.arrays) * count + 1.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    high = _HIGH / len(shown.arrays)
    for i, look in zip(range(len(shown.arrays)), _LOOKS, strict=False):
        found = [foldings[i] for foldings in shown.table.values()]
        places = _places(count, i, len(shown.arrays))
        left.barh(places, _macs_done(found), high, **look)
        right.barh(places, [_a_mac(folding) for folding in found], high, **look)
    left.set_yticks(range(count), [_broken(name) for name in shown.table])
    left.set(xlim=(0, 101), ylim=(count - 0.5, -0.5), xlabel="possible MACs that are done (%)")
    right.set(xlabel="elements over the arrays' edges for each MAC")
    for axes in (left, right):
        _tidy(axes)
    patches = _patches(map(str, shown.arrays))
    figure.legend(handles=patches, loc="outside upper center", ncols=len(patches), frameon=False)
    return figure


def _a_mac(folding: Folding) -> float:
    return folding.edge_elements / folding.macs


def _broken(name: str) -> str:
    """A name on two lines where it is long."""
    return name.replace(" ", "\n", 1) if len(name) > 16 else name


def _arrays_alt(shown: _Arrays) -> str:
    done = "; ".join(
        f"{name} " + ", ".join(percent(folding.compute_utilisation) for folding in found)
        for name, found in shown.table.items()
    )
    return (
        f"Bars for each product and array, {shown.dataflow} stationary: the possible MACs that are done, and the "
        "elements over the arrays' edges for each MAC. MACs done, on "
        f"{', '.join(map(str, shown.arrays))}: {done}."
    )


def _arrays_table(shown: _Arrays) -> str:
    rows: list[list[object]] = [
        [name, str(f.array), f"{f.fold_count:,}", f"{f.cycles:,}", percent(f.compute_utilisation), f"{_a_mac(f):.3f}"]
        for name, found in shown.table.items()
        for f in found
    ]
    return text_table(["product", "arrays", "folds", "cycles", "MACs done", "elements for each MAC"], rows)


def _places(groups: int, bar: int, bars: int) -> list[float]:
    """Where the how-manieth of so many bars is drawn in each group."""
    return [group + (bar - (bars - 1) / 2) * (_HIGH / bars) for group in range(groups)]


def _macs_done(foldings: Sequence[Folding]) -> list[float]:
    return [100 * folding.compute_utilisation for folding in foldings]


def _patches(names: Iterable[str]) -> list[Patch]:
    return [Patch(label=name, **look) for name, look in zip(names, _LOOKS, strict=False)]


def _tidy(axes: Axes) -> None:
    open_frame(axes)
    axes.tick_params(axis="y", length=0)
