"""Tables of named things: still mappings, shown as text and as HTML; some take entries of one's own."""

import re
from collections.abc import Mapping, MutableMapping

import pytest

import astra_edu as ae
from astra_edu.base.table import Registry, Table, first_sentence

TABLES = {
    name: getattr(ae, name) for name in ("ALGORITHMS", "DEVICES", "LOOPS", "MACHINES", "MODELS", "ORDERS", "PRESETS")
}


@pytest.mark.parametrize("name", TABLES)
def test_each_shows_a_row_for_each_entry(name):
    table = TABLES[name]
    title, header, *rows = repr(table).splitlines()
    assert isinstance(table, Mapping)
    assert title.startswith(f"{len(table)} ")
    assert re.split(r"\s{2,}", header) == list(table.columns)
    assert [row.split()[0] for row in rows] == list(table)
    page = table._repr_html_()
    assert " at 0x" not in repr(table) + page
    assert page.count("<tr>") == len(table) + 1
    assert page.count("</td>") == len(table) * len(table.columns)


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"LOOPS", "ORDERS"}))
def test_only_loops_and_orders_take_entries(name):
    assert not isinstance(TABLES[name], MutableMapping)
    with pytest.raises(TypeError):
        TABLES[name]["mine"] = 1


def test_a_registry_takes_entries_by_assignment_and_as_a_decorator():
    loops = Registry("loops", ["what"], lambda loop: [first_sentence(loop)], {"old": test_table_equals_dict})

    @loops.add("mine")
    def mine():
        """One. Two."""

    loops["other"] = mine
    assert list(loops) == ["old", "mine", "other"]
    assert loops["mine"] is mine
    del loops["other"]
    assert repr(loops).splitlines()[-1] == "mine  One. Two"


def test_table_equals_dict():
    """A table is equal to a dict of the same entries."""
    entries = {"a": 1, "b": 2}
    assert Table("numbers", ["value"], lambda value: [value], entries) == entries


def test_numbers_stand_to_the_right_and_html_is_escaped():
    table = Table("things", ["size", "word"], lambda thing: thing, {"a": (5, "<b>"), "bcd": (1234, "x")})
    assert repr(table).splitlines()[1:] == ["name  size  word", "a        5  <b>", "bcd   1234  x"]
    page = table._repr_html_()
    assert "&lt;b&gt;" in page
    assert '<td style="text-align: right">1234</td>' in page
