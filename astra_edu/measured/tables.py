"""Measured collectives: a small CSV file for each setting in collectives/, its source above the numbers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from astra_edu.base.errors import choice
from astra_edu.measured.models import bus_factor

FOLDER = Path(__file__).parent / "collectives"
TABLES = tuple(sorted(path.stem for path in FOLDER.glob("*.csv")))
"""The names of all tables."""

ALGBW = "algbw (10^9 bytes/s)"


class Point(NamedTuple):
    """A collective of `size` bytes that took `us` µs.

    >>> ae.measured.Point(size=2**20, us=45.7)
    Point(size=1048576, us=45.7)
    """

    size: int
    us: float


@dataclass(frozen=True)
class Table:
    """A table as published. rows: by the names of the columns, as text; an empty cell is not known.

    >>> measured = ae.measured.table("in_switch")
    >>> measured.title
    'All-reduce in the switch (NVLS), on and off, by the number of GPUs'
    >>> list(measured.rows[0])
    ['system', 'gpus', 'bytes', 'on (10^9 bytes/s)', 'off (10^9 bytes/s)']
    """

    title: str
    source: str
    note: str
    nodes: int | None
    rows: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class Sweep:
    """All-reduces of ascending sizes on one system. nodes: machines.

    simulated: what ASTRA-sim was published to say of the same, by size; empty if nothing was.

    >>> for name in ae.measured.SWEEPS:
    ...     sweep = ae.measured.sweep(name)
    ...     print(name, sweep.npus, len(sweep.points))
    hgx-h100-2 2 7
    hgx-h100-4 4 6
    hgx-h100-8 8 7
    hpe-v100-2 2 3
    hpe-v100-4 4 3
    hpe-v100-8 8 3
    v100-64 64 9
    a100-8 8 20
    h200-8 8 20
    h100-16 16 31
    a100-16 16 31
    """

    name: str
    title: str
    npus: int
    nodes: int
    points: tuple[Point, ...]
    simulated: Mapping[int, float]
    source: str
    note: str

    @property
    def factor(self) -> float:
        """Bus bandwidth / algorithm bandwidth."""
        return bus_factor("all-reduce", self.npus)

    @property
    def halves(self) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
        """Every other point, to fit a model to, and the points between them, to judge it on."""
        return self.points[::2], self.points[1::2]


SWEEPS = {
    **{f"hgx-h100-{npus}": ("hgx_h100", npus) for npus in (2, 4, 8)},
    **{f"hpe-v100-{npus}": ("hpe_v100", npus) for npus in (2, 4, 8)},
    "v100-64": ("v100_64", 64),
    "a100-8": ("a100_8", 8),
    "h200-8": ("h200_8", 8),
    "h100-16": ("h100_16", 16),
    "a100-16": ("a100_16", 16),
}
"""By name: the table and the number of GPUs."""


@cache
def table(name: str) -> Table:
    """A table by its name, see TABLES. Raises ConfigError for any other name."""
    lines = (FOLDER / f"{choice('table', name, TABLES)}.csv").read_text(encoding="utf-8").splitlines()
    head = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("# "))
    rows = tuple(csv.DictReader(line for line in lines if not line.startswith("# ")))
    nodes = int(head["nodes"]) if "nodes" in head else None
    return Table(head["title"], head["source"], head["note"], nodes, rows)


@cache
def sweep(name: str) -> Sweep:
    """A sweep by its name, see SWEEPS. Raises ConfigError for any other name."""
    of, npus = SWEEPS[choice("sweep", name, SWEEPS)]
    found = table(of)
    rows = [row for row in found.rows if int(row["gpus"]) == npus]
    several = len({row["gpus"] for row in found.rows}) > 1
    title = f"{found.title}, {npus} GPUs" if several else found.title
    simulated = {int(row["bytes"]): float(row["astra_sim_us"]) for row in rows if row.get("astra_sim_us")}
    return Sweep(name, title, npus, found.nodes or 1, _points(rows), simulated, found.source, found.note)


def _points(rows: Sequence[Mapping[str, str]]) -> tuple[Point, ...]:
    return tuple(Point(int(row["bytes"]), _us(row)) for row in rows)


def _us(row: Mapping[str, str]) -> float:
    return float(row["us"]) if "us" in row else int(row["bytes"]) / float(row[ALGBW]) / 1000
