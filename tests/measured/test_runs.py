"""The runs that ship, with pandas and without."""

from __future__ import annotations

from astra_edu import measured
from astra_edu.measured.cells import records
from astra_edu.measured.runs import COLUMNS, WORDS, shipped, shipped_sources


def test_both_ways_to_read_them_give_the_same():
    runs = measured.runs()
    assert list(shipped()) == records(runs)
    assert tuple(runs.columns) == COLUMNS
    assert {*WORDS} < {*COLUMNS}


def test_numbers_are_numbers_and_empty_cells_nothing():
    for row in shipped()[::50]:
        for name, cell in row.items():
            assert cell is None or isinstance(cell, str if name in WORDS else float), name


def test_sources_are_those_of_the_runs():
    assert {*shipped_sources()} == {*measured.sources().index} == {*measured.runs().source_id}
    for name, row in shipped_sources().items():
        assert row["licence"] == measured.sources().licence[name]
