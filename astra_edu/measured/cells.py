"""Cells of a measured row: numbers that may be missing, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from astra_edu.base.errors import ConfigError, shown

if TYPE_CHECKING:
    from pandas import DataFrame

Row = Mapping[str, Any]

NOTHING = ("-", "n/a", "#n/a", "na", "<na>", "nan", "nat", "none", "null", "?", "unknown", "not given", "not known")
"""Words in a cell that say that nothing is known. "none" does say something in WORDS; "None" doesn't, which Python
writes."""
WORDS = ("sharding", "recompute")
"""Columns in which "none" says something."""
DASHES = re.compile("[\u2010-\u2015\u2212]")
"""What stands for a hyphen where a table was set in type."""
LONG, THOUSANDS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*k"), re.compile(r"\d{1,3}(,\d{3}){1,5}")
"""4K tokens, and 4,096."""
COUNTED = re.compile(r"(x|tp|pp|vp|dp|cp|ep)?[\s=]*(\d[\d.,]{0,24}k?)\s*([a-z]*)")
"""64 GPUs, TP=8, x16, 4k tokens."""
NPUS = re.compile("x|[gnt]pus?|chips?|devices?|accelerators?")
UNITS = {
    **dict.fromkeys(("gpus", "npus", "gpus_per_node", "tp", "dp", "cp", "ep"), NPUS),
    **dict.fromkeys(("pp", "vp"), re.compile(f"{NPUS.pattern}|stages?")),
    **dict.fromkeys(("gbs_seq", "mbs"), re.compile("samples?|seqs?|sequences?")),
    **{"seq": re.compile("tokens?"), "layers": re.compile("layers?")},
    **dict.fromkeys(("heads", "kv_heads"), re.compile("heads?")),
}
"""What is counted in a column; a number of something else is another number."""
BILLIONS = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(?:(b|m|t)|(b|m|tr)illion)")
"""1.5B parameters, 350M, 1 trillion."""
MOST = 1e18
"""The largest number that a cell may have; sizes that are made of some of them stay within what is computed with."""


def read_table(path: str | Path, what: str) -> DataFrame:
    """A CSV file with a line of column names. Raises ConfigError for what is none, and for rows that are longer: pandas
    would take their first cells for names of the rows, and the others for the columns before their own.
    """
    import pandas as pd

    try:
        rows = pd.read_csv(path)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read as a CSV file of {what}: {error}") from None
    if len(rows) and not isinstance(rows.index, pd.RangeIndex):
        raise ConfigError(
            f"{path} has {len(rows.columns)} columns, and rows with more cells. Leave out commas at their ends, and "
            "put cells that have commas into quotes."
        )
    return rows


def number(row: Row, name: str) -> float | None:
    """A number above 0, or None where the cell is empty. Raises ConfigError for anything else."""
    value: Any = row.get(name)
    if empty(value):
        return None
    if type(value).__name__ in ("bool", "bool_"):  # NumPy's, too
        raise ConfigError(f"{name} is {value}; it must be a number.")
    if isinstance(value, str):
        said = plain(value).lower()
        if said in NOTHING:
            return None
        if (counted := COUNTED.fullmatch(said)) and _of(name, counted[1], counted[3]):
            said = value = counted[2]
        if name == "seq" and (long := LONG.fullmatch(said)):
            value = float(long[1]) * 1024
        elif name == "params_B" and (size := BILLIONS.fullmatch(said)):
            value = float(size[1]) * {"m": 1e-3, "b": 1, "t": 1e3, "tr": 1e3}[size[2] or size[3]]
        elif THOUSANDS.fullmatch(said):
            value = said.replace(",", "")
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{name} is {shown(value)}; it must be a number.") from None
    if not isfinite(found) or found <= 0:
        raise ConfigError(f"{name} is {found:g}; it must be a number above 0.")
    if found > MOST:
        raise ConfigError(f"{name} is {found:g}; no run has more than {MOST:g} of anything.")
    return found


def empty(value: object) -> bool:
    """Whether a cell says nothing."""
    return value is None or (not value.strip() if isinstance(value, str) else isinstance(value, float) and isnan(value))


def _of(name: str, before: str | None, behind: str) -> bool:
    """Whether the words around a number are those of a column."""
    unit = UNITS.get(name)
    return before in (None, "x", name) and (not behind or (unit is not None and bool(unit.fullmatch(behind))))


def whole(row: Row, name: str, default: int | None = None) -> int:
    """A whole number, 1 or more. Raises ConfigError for anything else, and for an empty cell without a default."""
    found = number(row, name)
    if found is None:
        if default is None:
            raise ConfigError(f"{name} isn't given.")
        return default
    if found != int(found):
        raise ConfigError(f"{name} is {found:g}; it must be a whole number, 1 or more.")
    return int(found)


def text(row: Row, name: str) -> str:
    """What stands in a cell, in small letters; "" where it is empty, or says that nothing is known."""
    value = row.get(name)
    if empty(value):
        return ""
    said = plain(str(value))
    none = said == "None" or (said.lower() in NOTHING and not (said.lower() == "none" and name in WORDS))
    return "" if none else said.lower()


def plain(words: str) -> str:
    """Words with single spaces between them, and hyphens for dashes.

    >>> from astra_edu.measured.cells import plain
    >>> plain("  TPU\u00a0 v5\u2011e ")
    'TPU v5-e'
    """
    return DASHES.sub("-", " ".join(words.split()))


def records(rows: DataFrame) -> list[Row]:
    """The rows, one by one; None where a cell is empty. Raises ConfigError for two columns of one name."""
    if not rows.columns.is_unique:
        raise ConfigError(f"there are several columns {rows.columns[rows.columns.duplicated()][0]}; one is enough.")
    known = rows.astype(object).where(rows.notna(), None)
    return cast("list[Row]", known.to_dict("records"))
