"""Decks by rule: where a slide begins, and that nothing of a notebook is left out."""

import struct
from base64 import b64encode

import nbformat
from bs4 import BeautifulSoup

from tools.slides import ROOM, TEXT_LINES, Part, height, parts_of, pieces, slides


def test_a_heading_begins_a_column_and_what_does_not_fit_goes_below():
    third = Part("h3", 60, 3, fresh=True)
    parts = [Part("h1", 60, 1), Part("a", 300), Part("b", 300), Part("h2", 60, 2), Part("c", ROOM), third]
    shown = [["".join(part.html for part in slide) for slide in column] for column in slides(parts)]
    assert shown == [["h1a", "b"], ["h2c", "h3"]]
    assert [part for column in slides(parts) for slide in column for part in slide] == parts


def test_above_an_instrument_stands_the_heading_of_its_section_and_takes_no_room():
    live = Part("live", ROOM, live=True)
    parts = [
        Part("<h2>First &amp; second</h2>", 60, 2),
        live,
        Part("a", 300),
        live,
        Part("<h3>Third</h3>", 60, 3),
        live,
    ]
    shown = [["".join(part.html for part in slide) for slide in column] for column in slides(parts)]
    under = '<p class="under">First &amp; second</p>live'
    assert shown == [["<h2>First &amp; second</h2>live", "a", under, "<h3>Third</h3>live"]]
    assert sum(part.height for column in slides(parts) for slide in column for part in slide) == 3 * ROOM + 420


def test_code_that_only_shows_an_instrument_is_left_out_and_all_other_code_is_not():
    for code in ("import astra_edu as ae", 'import astra_edu as ae\n\nae.Explorer("all-reduce", size=2**20)'):
        cell = nbformat.v4.new_code_cell(code)
        assert [part.live for part in parts_of(cell, {"a.html": "Explorer"})] == [True]
    for code in (
        "import a\na.b()",
        "ring = 3\nae.Explorer(ring)",
        "ae.Player(ae.schedule('a', 'ring', 4))",
        "ae.Player(",
    ):
        cell = nbformat.v4.new_code_cell(code)
        assert [part.live for part in parts_of(cell, {"a.html": "Explorer"})] == [False, True]


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


def png(wide, high):
    """The start of a picture of that size, as a notebook has it."""
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", wide, high)
    return f'<img src="data:image/png;base64,{b64encode(data).decode()}">'


def test_a_picture_takes_the_room_that_it_is_shown_in():
    def taken(picture):
        return height(BeautifulSoup(f"<figure>{picture}</figure>", "html.parser").figure)

    assert taken(png(600, 400)) == 400
    assert taken(png(2400, 800)) == 400
    assert taken(png(600, 4000)) == ROOM
    assert taken("<svg></svg>") == taken('<img src="data:image/svg+xml;base64,">') == ROOM


def test_a_figures_table_is_a_part_of_its_own():
    words = f"<div><figure>{png(600, 500)}<figcaption><p>caption</p><pre>a b\n1 2</pre></figcaption></figure></div>"
    figure, table = pieces(BeautifulSoup(words, "html.parser").div)
    assert "caption" in figure.html
    assert "<pre>" not in figure.html
    assert table.html == "<pre>a b\n1 2</pre>"
    assert len(slides([figure, table])[0]) == 2


def test_a_heading_goes_with_what_it_heads():
    parts = [Part("h1", 60, 1), Part("a", 400), Part("h4", 60, 4), Part("b", 300)]
    assert [[part.html for part in slide] for slide in slides(parts)[0]] == [["h1", "a"], ["h4", "b"]]


def test_what_was_to_be_predicted_comes_on_the_next_slide():
    printed = nbformat.v4.new_output("stream", text="42\n")
    for hidden in (False, True):
        cell = nbformat.v4.new_code_cell(
            "answer()", outputs=[printed, printed], metadata={"jupyter": {"outputs_hidden": hidden}}
        )
        (shown,) = slides(list(parts_of(cell, {})))
        assert [len(slide) for slide in shown] == ([1, 2] if hidden else [3])


def test_hidden_code_is_not_shown_and_a_summary_is_a_heading():
    cell = nbformat.v4.new_code_cell("secret()", metadata={"jupyter": {"source_hidden": True}})
    assert list(parts_of(cell, {})) == []
    text = "<details><summary>What it shows</summary>\n\nIt is right.\n\n</details>"
    summary, said = parts_of(nbformat.v4.new_markdown_cell(text), {})
    assert (summary.html, summary.level, summary.fresh) == ("<h4>What it shows</h4>", 4, False)
    assert said.html == "<p>It is right.</p>"


def test_a_wide_table_is_printed_smaller_and_not_broken():
    for letters, size in ((100, None), (150, "font-size: 13.0px"), (300, None)):
        cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("stream", text="w" * letters)])
        *_, output = parts_of(cell, {})
        assert BeautifulSoup(output.html, "html.parser").pre.get("style") == size


def test_a_notebooks_own_long_table_goes_over_several_slides_too():
    words = ["| word | meaning |", "|---|---|", *(f"| word {number} | meaning |" for number in range(40))]
    cell = nbformat.v4.new_markdown_cell("\n".join(["## Words", "", *words]))
    heading, *tables = parts_of(cell, {})
    assert heading.level == 2
    assert len(tables) == 3
    assert all(part.height <= ROOM for part in tables)
