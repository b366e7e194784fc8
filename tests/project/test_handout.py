"""Sheets for paper: all that a notebook has stored, its animations as steps, nothing from outside."""

import html
import re
from base64 import b64decode
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import nbformat
import pytest
from bs4 import BeautifulSoup
from halves import half

import astra_edu as ae
from astra_edu.course.widgets.film import SVG, film, unreel
from tools import handout
from tools.exercises import ANSWER
from tools.handout import ROOT, sheet, shrink
from tools.handout_room import lines_of_solution
from tools.handout_steps import ADDRESS, alike, apart

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


def said(frame: str) -> str:
    """What a frame says to whoever doesn't see it."""
    root = ET.fromstring(frame)
    found = root.find(f"{{{SVG}}}desc")
    return root.find(f"{{{SVG}}}title").text if found is None else found.text


@pytest.mark.parametrize(
    "view",
    [
        lambda: ae.Player(ae.schedule("all-reduce", "bidirectional-ring", 4)),
        lambda: ae.Player(ae.schedule("all-reduce", "halving-doubling", 8), topology="Switch"),
        lambda: ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1 zero=0"),
    ],
)
def test_a_steps_words_stand_whole_below_its_picture_and_not_in_it(view):
    frames = view().frames()
    whole = film(frames)
    low = float(ET.fromstring(whole).get("viewBox").split()[3])
    for frame, step in zip(frames, unreel(whole), strict=True):
        picture, words = apart(step)
        assert words == said(frame)
        gone = {float(dict(found)["y"]): text for _, *found, text in (drawn(step) - drawn(picture)).elements()}
        heights = sorted(gone)
        assert " ".join(map(gone.get, heights)) == words
        bottom = float(ET.fromstring(picture).get("viewBox").split()[3])
        assert 0.8 * low < bottom <= heights[0] - 13 < heights[-1] < low


def pictures(made: BeautifulSoup) -> list[object]:
    return [alike(b64decode(one["src"].removeprefix(ADDRESS)).decode()) for one in made.select(".steps img")]


def test_steps_are_printed_once_a_sheet_and_pointed_at_from_then_on():
    made = BeautifulSoup(sheet(ROOT / "solutions" / "ex1_getting_started.ipynb"), "html.parser")
    assert len(pictures(made)) == len(set(pictures(made))) == ae.schedule("all-reduce", "ring", 8).step_count
    assert "Its 14 steps are printed above, under “Question 1: steps”." in made.get_text()
    other = BeautifulSoup(sheet(ROOT / "notebooks" / "01_collectives.ipynb"), "html.parser")
    assert "printed above" not in other.get_text()
    wires = [ae.Player(ae.schedule("all-reduce", "ring", 4), topology=one).frames()[1] for one in ("Ring", "Mesh")]
    assert alike(wires[0]) != alike(wires[1])


def test_an_exercise_leaves_room_where_something_is_to_be_written_and_nothing_else_does():
    path = ROOT / "exercises" / "ex4_new_training_loop.ipynb"
    made = BeautifulSoup(sheet(path), "html.parser")
    cells = nbformat.read(path, as_version=4).cells
    needed = lines_of_solution(path)
    assert len(made.select("pre .room")) == sum(cell.source.count("raise NotImplementedError") for cell in cells)
    for place in made.select("pre .room"):
        code = place.find_parent("pre")
        before = "".join(text for text in code.find_all(string=True) if id(place) in map(id, text.find_all_next()))
        last = before.rstrip("\n").rpartition("\n")[2]
        assert before.endswith("\n")
        assert last.lstrip().startswith("raise NotImplementedError(")
    lines = [len(one.select("span")) for one in made.select("pre .room")]
    assert sorted(lines) == sorted(count + 2 for count in needed.values())
    in_words = made.select("p + .room")
    assert len(in_words) == sum(cell.source == ANSWER for cell in cells) > 0
    assert {len(one.select("span")) for one in in_words} == {6}
    assert all(one.find_previous_sibling("p").get_text() == "Your answer:" for one in in_words)
    for other in ("solutions/ex4_new_training_loop", "notebooks/01_collectives"):
        assert 'class="room"' not in sheet(ROOT / f"{other}.ipynb")


@pytest.mark.parametrize("path", half(NOTEBOOKS), ids=lambda path: path.stem)
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
    assert listed == ["ex1", "ex2", "ex10", "ex11", "ex12", "ex13", "ex14", "ex15", "ex16", "ex17", "ex18"]
    assert handout.main(["--html", "--out", str(tmp_path), "nothing"]) == 2
    assert "No notebook's name has nothing in it." in capsys.readouterr().err


def test_without_a_browser_the_pages_are_there_and_the_index_names_no_pdf(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(handout, "print_all", lambda sheets: "PDFs want a browser.")
    assert handout.main(["--out", str(tmp_path), "33_a"]) == 1
    assert capsys.readouterr().err == "PDFs want a browser.\n"
    assert "pdf" not in (tmp_path / "index.html").read_text(encoding="utf-8").partition("<body>")[2]
    assert Path(tmp_path, "notebooks", "33_a_budget.html").is_file()
