"""What the design space in the browser draws: the columns of a table, as numbers, with their units and roles."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, list_of, shown, suggestion
from astra_edu.base.units import several

if TYPE_CHECKING:
    import pandas as pd

MOST = 100_000
"""Points."""
MOST_WORDS = 200
"""Different texts that a column may have to be drawn."""
OWN = ("error", "seconds")
"""Columns of a sweep's own."""
UNIT = re.compile(r" \((?P<said>[^()]+)\)$|_(?P<short>ns|us|ms|bytes)$")
SHORT = {"us": "µs"}
KNOWN = {"network_cost": "US$"}
"""Units of measures of this package whose names say none."""


@dataclass(frozen=True)
class Column:
    """A column. values: a number for each row, NaN for none; of texts, the number of one in `words`."""

    name: str
    unit: str
    setting: bool
    values: Sequence[float]
    words: Sequence[str] | None


def columns_of(table: pd.DataFrame, settings: Sequence[str], units: Mapping[str, str]) -> list[Column]:
    """The columns that can be drawn: all settings, and measures that are numbers."""
    found = []
    for name in table.columns:
        if name in OWN:
            continue
        values, words = _numbers(table[name].tolist())
        setting = name in settings
        if words is not None and (not setting or len(words) > MOST_WORDS):
            continue
        found.append(Column(name, units.get(name, unit_of(name)), setting, values, words))
    return found


def unit_of(name: str) -> str:
    """What a column's name says of its unit: "total_ns" has ns, "bandwidth (GB/s of 2**30)" what is in brackets.

    >>> from astra_edu.course.widgets.design_table import unit_of
    >>> unit_of("total_ns"), unit_of("bandwidth (GB/s of 2**30)"), unit_of("npus")
    ('ns', 'GB/s of 2**30', '')
    """
    found = UNIT.search(name)
    if not found:
        return KNOWN.get(name, "")
    return found["said"] or SHORT.get(found["short"], found["short"])


def _numbers(values: Iterable[Any]) -> tuple[list[float], list[str] | None]:
    """A column's numbers; where one of its values is none, each as the number of a text, texts in order of numbers."""
    listed = list(values)
    if all(_missing(value) or (isinstance(value, Real) and not isinstance(value, bool)) for value in listed):
        return [math.nan if _missing(value) else _float(value) for value in listed], None
    distinct = {str(value): value for value in listed if not _missing(value)}
    words = sorted(distinct, key=lambda word: _order(distinct[word]))
    number = {word: float(k) for k, word in enumerate(words)}
    return [math.nan if _missing(value) else number[str(value)] for value in listed], words


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if int(value) > 0 else -math.inf


def _missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _order(value: Any) -> tuple[bool, float, str]:
    """Numbers before texts, each in order."""
    number = isinstance(value, Real)
    return not number, _float(value) if number else 0.0, str(value)


def checked(table: pd.DataFrame) -> pd.DataFrame:
    """The table. Raises ConfigError for what is none, or has no rows, too many, or two columns of a name."""
    if not (hasattr(table, "columns") and hasattr(table, "iloc")):
        raise ConfigError(f"table is {shown(table, 80)}; give a pandas DataFrame, such as ae.sweep returns.")
    if not 0 < len(table) <= MOST:
        raise ConfigError(f"the table has {several(len(table), 'row')}; 1 to {MOST:,} can be looked at.")
    if wrong := [name for name in table.columns if not isinstance(name, str)]:
        raise ConfigError(f"{shown(wrong[0])} is no name of a column here; names are texts.")
    if not table.columns.is_unique or not table.index.is_unique:
        what = "index has a label" if table.columns.is_unique else "table has a column's name"
        raise ConfigError(
            f"the {what} twice; table.reset_index(drop=True) or table.loc[:, ~table.columns.duplicated()]."
        )
    return table


def settings_of(table: pd.DataFrame, settings: Iterable[str] | None) -> list[str]:
    """The columns that are settings: those given, or those that a sweep says.

    Raises ConfigError where nobody says, and for a column that isn't there.
    """
    if settings is None:
        settings = [name for name in table.attrs.get("settings", []) if name in table.columns]
        if not settings:
            raise ConfigError(
                "which columns are settings? The table doesn't say, so give them: settings=["
                f"{', '.join(map(repr, table.columns[:2]))}]. What ae.sweep returns says it itself."
            )
    names = list_of("settings", settings, 'list the columns that are settings, such as ["npus"]')
    return [there(name, table.columns, "settings") for name in names]


def there(name: Any, names: Iterable[str], what: str) -> str:
    """The name of a column, or a sentence that says which ones there are."""
    known = list(names)
    if isinstance(name, str) and name in known:
        return name
    raise ConfigError(f"{what} is {shown(name)}; {suggestion(name, known)}")


def payload(table: pd.DataFrame, columns: Sequence[Column]) -> dict[str, Any]:
    """What the view draws: numbers as float64, column after column; errors as (row, sentence)."""
    errors = table["error"].tolist() if "error" in table.columns else []
    kinds = [each.setting for each in columns]
    title = (
        f"{several(len(table), 'point')}, {several(sum(kinds), 'setting')}, {several(kinds.count(False), 'measure')}"
    )
    return {
        "title": title,
        "rows": len(table),
        "labels": [str(label) for label in table.index],
        "columns": [
            {"name": each.name, "unit": each.unit, "setting": each.setting, "words": each.words} for each in columns
        ],
        "numbers": b"".join(array("d", each.values) for each in columns),
        "errors": [[row, str(error)] for row, error in enumerate(errors) if not _missing(error) and error],
    }
