"""Decks by rule: where a slide begins, and that nothing of a notebook is left out."""

import nbformat
from bs4 import BeautifulSoup

from tools.slides import ROOM, TEXT_LINES, Part, height, parts_of, pieces, slides


def test_a_heading_begins_a_column_and_what_does_not_fit_goes_below():
    parts = [Part("h1", 60, 1), Part("a", 300), Part("b", 300), Part("h2", 60, 2), Part("c", ROOM), Part("h3", 60, 3)]
    shown = [["".join(part.html for part in slide) for slide in column] for column in slides(parts)]
    assert shown == [["h1a", "b"], ["h2c", "h3"]]
    assert [part for column in slides(parts) for slide in column for part in slide] == parts


def test_a_long_output_goes_over_several_slides_and_no_line_is_lost():
    lines = [f"line {number}" for number in range(60)]
    output = BeautifulSoup(f"<div><pre>{chr(10).join(lines)}</pre></div>", "html.parser").div
    shown = list(pieces(output))
    assert len(shown) == -(-60 // TEXT_LINES)
    assert all(part.height <= ROOM for part in shown)
    assert "\n".join(BeautifulSoup(part.html, "html.parser").get_text() for part in shown).splitlines() == lines


def test_a_long_table_keeps_its_head_on_each_slide():
    rows = "".join(f"<tr><td>{number}</td></tr>" for number in range(40))
    table = f"<div><table><thead><tr><th>n</th></tr></thead><tbody>{rows}</tbody></table></div>"
    shown = [BeautifulSoup(part.html, "html.parser") for part in pieces(BeautifulSoup(table, "html.parser").div)]
    assert len(shown) == 3
    assert all(part.th.get_text() == "n" for part in shown)
    assert [cell.get_text() for part in shown for cell in part.select("td")] == [str(number) for number in range(40)]


def test_a_picture_takes_a_slide():
    assert height(BeautifulSoup("<figure><img></figure>", "html.parser").figure) == ROOM


def test_a_notebooks_own_long_table_goes_over_several_slides_too():
    words = ["| word | meaning |", "|---|---|", *(f"| word {number} | meaning |" for number in range(40))]
    cell = nbformat.v4.new_markdown_cell("\n".join(["## Words", "", *words]))
    heading, *tables = parts_of(cell, {})
    assert heading.level == 2
    assert len(tables) == 3
    assert all(part.height <= ROOM for part in tables)
