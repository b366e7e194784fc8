"""Sheets for paper: all that a notebook has stored, its animations as steps, nothing from outside."""

import html
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import nbformat
import pytest
from bs4 import BeautifulSoup

import astra_edu as ae
from astra_edu.course.widgets.film import SVG, film, unreel
from tools import handout
from tools.handout import ROOT, lowest, sheet, shrink

NOTEBOOKS = [*sorted((ROOT / "notebooks").glob("*.ipynb"))]
NOTEBOOKS += [
    ROOT / folder / f"{name}.ipynb" for folder in ("exercises", "solutions") for name in ("ex5_themis", "ex10_async")
]


def drawn(picture: str) -> Counter[tuple[object, ...]]:
    """All that a picture draws: each element that isn't a group, with what it says and where it is."""
    silent = (f"{{{SVG}}}g", f"{{{SVG}}}title", f"{{{SVG}}}desc", f"{{{SVG}}}svg")
    elements = [element for element in ET.fromstring(picture).iter() if element.tag not in silent]
    return Counter((one.tag, *sorted(one.attrib.items()), one.text) for one in elements)


@pytest.mark.parametrize(
    "view",
    [
        lambda: ae.Player(ae.schedule("all-reduce", "ring", 4)),
        lambda: ae.Player(ae.schedule("all-reduce", "double-binary-tree", 8), topology="FullyConnected"),
        lambda: ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1 zero=0"),
    ],
)
def test_the_steps_of_a_film_are_the_frames_it_was_made_of(view):
    frames = view().frames()
    steps = unreel(film(frames))
    assert len(steps) == len(frames) > 5
    assert [drawn(step) for step in steps] == [drawn(frame) for frame in frames]
    assert not [step for step in steps if "animate" in step]


def test_an_animation_is_its_steps_with_their_words():
    made = BeautifulSoup(sheet(ROOT / "notebooks" / "01_collectives.ipynb"), "html.parser")
    steps = made.select_one(".steps").select("li")
    ring = ae.schedule("all-reduce", "ring", 4)
    assert len(steps) == ring.step_count
    assert steps[0].get_text().startswith("Step 1 of 6, reduce-scatter: every NPU sends one shard to the next NPU")
    assert "Run this cell (Shift" not in made.get_text()
    assert not [picture for picture in made.select("img") if "run this cell" in picture["alt"]]
    assert lowest(f'<svg xmlns="{SVG}"><text y="9">low</text><text y="2">high</text></svg>') == "low"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_sheet_has_all_that_is_stored_and_asks_for_nothing(path):
    text = sheet(path)
    made = BeautifulSoup(text, "html.parser")
    shown = " ".join(made.get_text().split())
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                assert " ".join(output.text.split()) in shown
        if cell.cell_type == "code":
            assert " ".join(cell.source.split()) in shown
    assert not [one for one in made.select("[src]") if not one["src"].startswith("data:")]
    assert not made.select("script, link, iframe")
    assert all(picture.has_attr("alt") for picture in made.select("img"))
    assert all(folded.has_attr("open") for folded in made.select("details"))
    assert ("This sheet has the answers" in text) is (path.parent.name == "solutions")
    for link in made.select("a[href]"):
        where = str(link["href"]).partition("#")[0]
        if where.endswith(".html") and "//" not in where:
            assert (path.parent / where).with_suffix(".ipynb").is_file(), where


def test_a_wide_table_is_printed_small_and_prose_is_broken():
    def size(text: str) -> str:
        tag = BeautifulSoup(f"<pre>{html.escape(text)}</pre>", "html.parser").pre
        shrink(tag)
        return tag.get("style", "")

    assert size("short\n" * 9) == ""
    assert size("x" * 150) == ""
    assert size(("x" * 120 + "\n") * 3) == "font-size: 6.9pt"
    assert size(("x" * 900 + "\n") * 3) == "font-size: 5.0pt"


def test_solutions_are_left_out_on_demand_and_exercises_are_in_order(tmp_path, capsys):
    assert handout.main(["--html", "--no-solutions", "--out", str(tmp_path), "ex1", "ex2"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", "exercises"}
    listed = re.findall(r'href="exercises/(ex\d+)', (tmp_path / "index.html").read_text(encoding="utf-8"))
    assert listed == ["ex1", "ex2", "ex10", "ex11", "ex12", "ex13", "ex14"]
    assert handout.main(["--html", "--out", str(tmp_path), "nothing"]) == 2
    assert "No notebook's name has nothing in it." in capsys.readouterr().err


def test_without_a_browser_the_pages_are_there_and_the_index_names_no_pdf(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(handout, "print_all", lambda sheets: "PDFs want a browser.")
    assert handout.main(["--out", str(tmp_path), "26_a"]) == 1
    assert capsys.readouterr().err == "PDFs want a browser.\n"
    assert "pdf" not in (tmp_path / "index.html").read_text(encoding="utf-8").partition("<body>")[2]
    assert Path(tmp_path, "notebooks", "26_a_budget.html").is_file()
