"""Cells that no run can have: named with their row, and its line in the file that it is from."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, shown
from astra_edu.measured.cells import Row, empty, number, records, text, whole
from astra_edu.measured.machine_rows import machine_of
from astra_edu.measured.measured_time import RAN, kept_bytes
from astra_edu.measured.runs import COLUMNS, WORDS

if TYPE_CHECKING:
    from pandas import DataFrame

FILE = "file of measured runs"
"""Under which a table keeps the file that it was loaded from, in its attrs."""
RATES = ("iter_time_ms", "tokens_per_s_per_gpu", "tflops_per_gpu", "mem_GB")
SHARES = ("mfu_pct", "hfu_pct")
"""Measured columns: numbers above 0, and percentages of the peak."""
COUNTED = tuple(name for name in COLUMNS if name not in (*WORDS, *RATES, *SHARES, "params_B"))
FAILED = re.compile(r"crash|oom|memory|fail|error|kill|time|abort|stop|cancel|nan|diverge")
"""Words of a status for a run that didn't end well."""
TOO_MUCH = 2.0
"""Times the memory of a machine; a little more may be another variant of it."""
SAID = 3
"""Cells that a warning names; of the others it says how many there are."""


def check_measured(row: Row) -> None:
    """Raises ConfigError for a measured value that no run has."""
    for name in RATES:
        number(row, name)
    for name in SHARES:
        _check_share(row, name)
    _check_memory(row)


def _check_share(row: Row, name: str) -> None:
    if row.get(name) == 0:  # less than half a percent
        return
    share = number(row, name)
    if share is not None and share > 100:
        raise ConfigError(f"{name} is {share:g}; it is a percentage of the peak, 100 at most.")


def _check_memory(row: Row) -> None:
    kept = kept_bytes(row)
    try:
        there = machine_of(row)
    except ConfigError:
        return
    if kept and kept > TOO_MUCH * there.memory_bytes:
        raise ConfigError(
            f"mem_GB is {number(row, 'mem_GB'):g}, and {there.name} has {there.memory_bytes / 1e9:.1f}; it is in 10⁹ "
            "bytes, of one NPU."
        )


def place(rows: DataFrame, label: Hashable) -> str:
    """Where a row is: its line in the file, or what the table calls it."""
    path = rows.attrs.get(FILE)
    return f"{path}, line {label + 2}" if path and isinstance(label, int) else f"row {label}"


def wrong_cells(rows: DataFrame) -> Iterator[str]:
    """A sentence for each cell that no run can have, behind where it is."""
    for label, row in zip(rows.index, records(rows), strict=True):
        for sentence in _wrong(row):
            yield f"{place(rows, label)}: {sentence}"


def _wrong(row: Row) -> Iterator[str]:
    checks: list[tuple[Any, ...]] = [(whole, row, name, 1) for name in COUNTED if _doubtful(row.get(name))]
    checks += [(number, row, name) for name in ("params_B", *RATES) if _doubtful(row.get(name))]
    checks += [*((_check_share, row, name) for name in SHARES), (_check_memory, row)]
    found = dict.fromkeys(sentence for check, *given in checks if (sentence := _refused(check, *given)))
    status = text(row, "status")
    if status not in RAN and not FAILED.search(status):
        found[f"status is {shown(row.get('status'))}; ok is a run that ended well, crash_or_oom one that didn't."] = (
            None
        )
    yield from found


def _refused(check: Callable[..., object], *given: Any) -> str:
    try:
        check(*given)
    except ConfigError as error:
        return str(error)
    return ""


def _doubtful(value: Any) -> bool:
    """Whether a cell is no plain whole number above 0."""
    return not empty(value) and not (isinstance(value, int | float) and value > 0 and value == int(value))
