"""Figures: how well systolic arrays are used, by products of awkward shapes and by arrays of several sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.figure import Picture, percent, text_table
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import irregular_foldings
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
    table = irregular_foldings(array)
    figure = Figure(figsize=(9, 0.75 * len(table) + 1), layout="constrained")
    axes = figure.subplots()
    names = [f"{row.workload}\n{row.gemm.m:,} × {row.gemm.n:,} × {row.gemm.k:,}" for row in table]
    high = _HIGH / len(DATAFLOWS)
    for i, (dataflow, look) in enumerate(zip(DATAFLOWS, _LOOKS, strict=False)):
        found = [by_dataflow[dataflow] for by_dataflow in table.values()]
        places = [group + (i - (len(DATAFLOWS) - 1) / 2) * high for group in range(len(table))]
        frames = [100 * folding.mapping_utilisation for folding in found]
        axes.barh(places, frames, high, facecolor="none", edgecolor=look["edgecolor"], lw=0.8)
        axes.barh(places, [100 * folding.compute_utilisation for folding in found], high, **look)
    axes.set_yticks(range(len(table)), names)
    axes.set(xlim=(0, 101), ylim=(len(table) - 0.5, -0.5), xlabel=f"utilisation of {array} (%)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    patches = [Patch(label=f"{name} stationary", **look) for name, look in zip(DATAFLOWS, _LOOKS, strict=False)]
    patches.append(Patch(facecolor="none", edgecolor="0.3", label="frame: PEs that hold something"))
    figure.legend(handles=patches, loc="outside upper center", ncols=4, frameon=False)
    rows: list[list[object]] = [
        [str(row), *(_both(by_dataflow[dataflow]) for dataflow in DATAFLOWS)] for row, by_dataflow in table.items()
    ]
    alt = f"Three bars for each product, the utilisation of {array} by dataflow. " + " ".join(
        f"{row}: "
        + ", ".join(f"{name} stationary {percent(f.compute_utilisation)}" for name, f in by_dataflow.items())
        + "."
        for row, by_dataflow in table.items()
    )
    note = "Share of the possible MACs that are done; in brackets, of the PEs that hold something, as a mean."
    header = ["M, N, K", *(f"{name} stationary" for name in DATAFLOWS)]
    return Picture(figure, alt, text_table(header, rows), note)


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
    figure = Figure(figsize=(10, 0.22 * len(arrays) * len(table) + 1.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    high = _HIGH / len(arrays)
    for i, look in zip(range(len(arrays)), _LOOKS, strict=False):
        places = [group + (i - (len(arrays) - 1) / 2) * high for group in range(len(table))]
        left.barh(places, [100 * found[i].compute_utilisation for found in table.values()], high, **look)
        right.barh(places, [_a_mac(found[i]) for found in table.values()], high, **look)
    left.set_yticks(range(len(table)), [_broken(name) for name in table])
    left.set(xlim=(0, 101), ylim=(len(table) - 0.5, -0.5), xlabel="possible MACs that are done (%)")
    right.set(xlabel="elements over the arrays' edges for each MAC")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
    patches = [Patch(label=str(array), **look) for array, look in zip(arrays, _LOOKS, strict=False)]
    figure.legend(handles=patches, loc="outside upper center", ncols=len(patches), frameon=False)
    rows: list[list[object]] = [
        [name, str(f.array), f"{f.fold_count:,}", f"{f.cycles:,}", percent(f.compute_utilisation), f"{_a_mac(f):.3f}"]
        for name, found in table.items()
        for f in found
    ]
    alt = (
        f"Bars for each product and array, {dataflow} stationary: the possible MACs that are done, and the elements "
        "over the arrays' edges for each MAC. MACs done, on "
        f"{', '.join(map(str, arrays))}: "
        + "; ".join(
            f"{name} " + ", ".join(percent(folding.compute_utilisation) for folding in found)
            for name, found in table.items()
        )
        + "."
    )
    header = ["product", "arrays", "folds", "cycles", "MACs done", "elements for each MAC"]
    return Picture(figure, alt, text_table(header, rows))


def _a_mac(folding: Folding) -> float:
    return folding.edge_elements / folding.macs


def _both(folding: Folding) -> str:
    return f"{percent(folding.compute_utilisation)} ({percent(folding.mapping_utilisation)})"


def _broken(name: str) -> str:
    """A name on two lines where it is long."""
    return name.replace(" ", "\n", 1) if len(name) > 16 else name


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
