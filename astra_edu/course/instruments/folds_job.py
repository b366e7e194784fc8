"""What is folded: a product, its arrays and a dataflow as an instrument's setting, checked; and what is done when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import LARGEST_WHOLE, ConfigError, choice
from astra_edu.base.units import several
from astra_edu.course.instruments.setting import Values
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import DATAFLOWS, Fold, Folding, SystolicArray

START: Values = {
    **{"m": 64, "n": 48, "k": 40, "products": 1},
    **{"rows": 16, "columns": 16, "count": 1, "dataflow": "weight"},
}
OF_GEMM = {"m": "m", "n": "n", "k": "k", "products": "count"}
"""Setting: the field of a Gemm."""
OF_ARRAY = ("rows", "columns", "count")
"""Settings that are called as the fields of a SystolicArray."""
MOST_ARRAYS = 256
NUMBER = re.compile(r"\d+(\.\d+)?")


def valid(given: Mapping[str, Any]) -> Values:
    """What is given, checked by itself. Raises ConfigError for what is no product, array or dataflow."""
    found = dict(given)
    gemm = Gemm(**{"m": 1, "n": 1, "k": 1} | {field: found[name] for name, field in OF_GEMM.items() if name in found})
    array = SystolicArray(**{"rows": 1, "columns": 1} | {name: found[name] for name in OF_ARRAY if name in found})
    if array.count > MOST_ARRAYS:
        raise ConfigError(f"{array.count:,} arrays are too many to draw; {MOST_ARRAYS} are the most.")
    if "dataflow" in found:
        choice("dataflow", found["dataflow"], DATAFLOWS)
    whole = {name: getattr(gemm, field) for name, field in OF_GEMM.items()}
    whole |= {name: getattr(array, name) for name in OF_ARRAY}
    return found | {name: number for name, number in whole.items() if name in found}


def numbers(text: str) -> Values:
    """The numbers that a line of text gives. Raises ConfigError for those that are no size."""
    words = dict(word.partition("=")[::2] for word in text.split())
    said = {name: float(word) for name, word in words.items() if NUMBER.fullmatch(word)}
    exact = {name: int(words[name]) if words[name].isdigit() else number for name, number in said.items()}
    return valid({name: number for name, number in exact.items() if name in (*OF_GEMM, *OF_ARRAY)})


def given_as(gemm: Any, array: Any, dataflow: Any) -> Values:
    """What is given of the three, None being nothing, as settings. Raises ConfigError for what is none of them."""
    first = folding_of(START)
    values = values_of(
        Folding(
            first.gemm if gemm is None else gemm,
            first.array if array is None else array,
            first.dataflow if dataflow is None else dataflow,
        )
    )
    names = {**dict.fromkeys(OF_GEMM, gemm), **dict.fromkeys(OF_ARRAY, array), "dataflow": dataflow}
    return {name: values[name] for name, of in names.items() if of is not None}


def values_of(folding: Folding) -> Values:
    """A folding as a setting."""
    gemm = {name: getattr(folding.gemm, field) for name, field in OF_GEMM.items()}
    return gemm | {name: getattr(folding.array, name) for name in OF_ARRAY} | {"dataflow": folding.dataflow}


def folding_of(values: Values) -> Folding:
    """A setting as a folding. Raises ConfigError for more folds than numbers can count."""
    return _folding(tuple(values[name] for name in START))


@lru_cache(maxsize=256)
def _folding(numbers: tuple[Any, ...]) -> Folding:
    m, n, k, products, rows, columns, count, dataflow = numbers
    found = Folding(Gemm(m, n, k, products), SystolicArray(rows, columns, count), dataflow)
    if found.fold_count > LARGEST_WHOLE:
        raise ConfigError(f"{found.fold_count:.3g} folds are too many to count.")
    return found


def by_dataflow(folding: Folding) -> dict[str, Folding]:
    """The same product on the same arrays with each dataflow."""
    return {dataflow: Folding(folding.gemm, folding.array, dataflow) for dataflow in DATAFLOWS}


def all_cycles(folding: Folding) -> int:
    """The cycles of all rounds, one more than the number of the last."""
    return folding.rounds * folding.fold_cycles


def of_round(folding: Folding, number: int) -> list[Fold]:
    """The folds of a round, counted from 1."""
    first = (number - 1) * folding.array.count
    return [folding.fold(i) for i in range(first, min(first + folding.array.count, folding.fold_count))]


def held_before(folding: Folding, number: int) -> int:
    """PEs that hold something, added up over the folds before fold `number`."""
    down, across = folding.grid
    product, place = divmod(number, down * across)
    column, row = divmod(place, down)
    rows, columns = folding.spatial_rows, folding.spatial_columns
    before = min(column * folding.array.columns, columns)
    wide = min(folding.array.columns, columns - before)
    return product * rows * columns + before * rows + row * folding.array.rows * wide


def done_after(folding: Folding, number: int) -> float:
    """The share of the MACs possible until the end of a round, counted from 1, that are done."""
    folds = min(number * folding.array.count, folding.fold_count)
    return held_before(folding, folds) * folding.temporal / (number * folding.fold_cycles * folding.array.pes)


def counted(number: int) -> str:
    """A number in full, or in short where it would take too much room."""
    return f"{number:,}" if number < 10**9 else f"{number:.4g}"


def arrays_said(array: SystolicArray) -> str:
    """ "an array of 16 × 16 PEs"."""
    of = f"of {counted(array.rows)} × {counted(array.columns)} PEs"
    return f"an array {of}" if array.count == 1 else f"{several(array.count, 'array')} {of}"


def code(values: Values) -> str:
    """The same in Python."""
    products = f", count={values['products']}" if values["products"] > 1 else ""
    arrays = f", count={values['count']}" if values["count"] > 1 else ""
    return f"""product = ae.Gemm({values["m"]}, {values["n"]}, {values["k"]}{products})
array = ae.SystolicArray({values["rows"]}, {values["columns"]}{arrays})
folding = ae.Folding(product, array, "{values["dataflow"]}")
print(folding)
print(folding.cycles, folding.mapping_utilisation, folding.compute_utilisation)"""
