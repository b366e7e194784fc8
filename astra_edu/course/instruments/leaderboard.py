"""A class's designs in one file, and their ranking. Each is simulated again, so that nobody need be believed."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, shown, text_of
from astra_edu.base.files import FileName, read_text, what_is_at, write_text
from astra_edu.base.units import several

if TYPE_CHECKING:
    from pandas import DataFrame

HEAD = ["name", "design"]
WHAT = "a leaderboard's file"
RULES = ("model", "budget", "price", "device")
"""Designs with other values of these settings aren't compared."""


def enter(file: FileName, name: str, design: str, said: str) -> str:
    """Add a line to the file, or make it; the same twice is there once. Raises ConfigError for an empty name."""
    name = " ".join(text_of("name", name).split())
    if not name:
        raise ConfigError("a name is empty; give the one under which the design is to be known.")
    rows = list(dict.fromkeys([*(_rows(file) if what_is_at(file, WHAT) else []), (name, design)]))
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEAD, *rows])
    write_text(file, text.getvalue())
    return f"{name}: {said}, one of {several(len(rows), 'design')} in {file}"


def _rows(file: FileName) -> list[tuple[str, str]]:
    lines = list(csv.reader(StringIO(read_text(file, WHAT))))
    if not lines or lines[0] != HEAD:
        raise ConfigError(f"{file} is no leaderboard's file: its first line is to be {','.join(HEAD)!r}.")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(HEAD):
            raise ConfigError(f"{file}, line {number}: {shown(','.join(line))}; a name and a design are wanted.")
    return [(name, design) for name, design in lines[1:]]


def leaderboard(*files: FileName) -> DataFrame:
    """The designs of one or several files, the one that trains on most sequences a second first.

    Each is simulated again from its setting. Of a name's designs only the best is kept. Designs by other rules (model,
    budget, price of an NPU, device) are ranked by themselves. One that can't be had is last, with the reason. Columns:
    place, name, sequences/s, dollars, the rules, why_not, design. Raises ConfigError for what is no leaderboard's file.

    >>> design = ae.SpendTheBudget("npus=64 inside=Ring between=Ring tensor=4 pipeline=16")
    >>> _ = design.enter("Ada", "class.csv")
    >>> ae.leaderboard("class.csv")[["place", "name", "dollars"]].to_dict("records")
    [{'place': 1, 'name': 'Ada', 'dollars': 248640.0}]
    """
    import pandas as pd

    if not files:
        raise ConfigError('no files are given; give one or several, such as "leaderboard.csv".')
    rows = [_judged(name, design) for file in files for name, design in _rows(file)]
    rows.sort(key=lambda row: (bool(row["why_not"]), -row["sequences/s"]))
    best = {(row["name"], *(row[rule] for rule in RULES)): row for row in reversed(rows)}
    kept = [row for row in rows if best[row["name"], *(row[rule] for rule in RULES)] is row]
    places: dict[Any, int] = {}
    for row in kept:
        rules = tuple(row[rule] for rule in RULES)
        places[rules] = places.get(rules, 0) + 1
        row["place"] = None if row["why_not"] else places[rules]
    columns = ["place", "name", "sequences/s", "dollars", *RULES, "why_not", "design"]
    table = pd.DataFrame(kept, columns=columns)
    return table.sort_values([*RULES], kind="stable", ignore_index=True).astype({"place": "Int64"})


def _judged(name: str, design: str) -> dict[str, Any]:
    from astra_edu.course.instruments.budget import SpendTheBudget, entry

    row = {"name": name, "design": design, "sequences/s": 0.0, "dollars": float("nan"), "why_not": ""}
    try:
        values = SpendTheBudget.values_of(design)
        row |= {rule: values[rule] for rule in RULES}
        return row | entry(values)
    except ConfigError as error:
        return dict.fromkeys(RULES, "") | row | {"why_not": str(error)}
