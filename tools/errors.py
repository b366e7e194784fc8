"""What README says of the measured runs that ship: the figure docs/errors.svg, and the tables of errors below it.

    python -m tools.errors

makes both anew, as is due when parameters.json or a run has changed; a test holds them against the predictions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.course.plots import prediction_errors
from astra_edu.measured.goals import agreement
from astra_edu.measured.runs import runs, sources
from astra_edu.measured.table import compared, error_table

if TYPE_CHECKING:
    from pandas import DataFrame, Series

ROOT = Path(__file__).parents[1]
README, FIGURE = ROOT / "README.md", ROOT / "docs" / "errors.svg"
COLUMNS = (
    "source",
    "predicted",
    "error of time: median; mean",
    "of memory: median; mean",
    "ran, said to fit",
    "failed, said not to",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"
GOALS = "| kind of runs, and what of them | runs | median error; to reach | mean error; to reach |\n|---|---|---|---|\n"
SHOWN = re.compile(r"!\[[^\]]*\]\(docs/errors\.svg\)\n\n(?:\|.*\n)+\n(?:\|.*\n)+")
"""README's figure and tables."""


def section(found: DataFrame, alt: str) -> str:
    """The figure and the tables below it. found: what `compared` says of the runs; alt: what the figure shows."""
    lines = [_line(str(name), row) for name, row in error_table(found).iterrows()]
    kinds = [_kind(str(name), row) for name, row in agreement(found).iterrows()]
    return f"![{alt}](docs/errors.svg)\n\n{HEAD}{''.join(lines)}\n{GOALS}{''.join(kinds)}"


def _line(name: str, row: Series[float]) -> str:
    errors = (_errors(row[f"{what}, median"], row[f"{what}, mean"]) for what in ("time", "memory"))
    fits = (_percent(row[column]) for column in ("ran, said to fit", "failed, said not to"))
    where = f"{name}: {sources().machines[name]}"
    return f"| {' | '.join([where, f'{row.predicted:,.0f} of {row.runs:,.0f}', *errors, *fits])} |\n"


def _kind(name: str, row: Series[Any]) -> str:
    errors = (f"{_percent(row[what])}; {100 * row[f'{what} to reach']:.0f} %" for what in ("median", "mean"))
    return f"| {' | '.join([name, f'{row.runs:,}', *errors])} |\n"


def _errors(median: float, mean: float) -> str:
    return "-" if median != median else f"{100 * median:.1f}; {_percent(mean)}"


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.1f} %"


def main() -> None:
    """Make both anew."""
    found = compared(runs())
    picture = prediction_errors(found)
    picture.save(FIGURE)
    text, made = SHOWN.subn(lambda _: section(found, picture.alt), README.read_text(encoding="utf-8"))
    if made != 1:
        raise SystemExit(f"{README.name} shows the figure of errors with its table {made} times, not once.")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
