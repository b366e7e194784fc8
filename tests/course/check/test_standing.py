"""How far the learner has come, in words, as a table and as the map of notebook 00."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.check import EXERCISES, course, ex1, progress, record
from astra_edu.course.check import read as has_read
from astra_edu.course.check.question import QUESTIONS
from astra_edu.course.check.standing import NOTEBOOKS, PATHS, score
from tools.notebooks import read

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def session(monkeypatch):
    """Nobody has tried anything."""
    monkeypatch.setattr(record, "_SESSION", record._Session())


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_questions_are_those_that_are_tried(exercise):
    answers = import_module(f"answers.{exercise}")
    score(exercise, record.Record())
    assert {one.__name__ for one in QUESTIONS[exercise]} == {*answers.QUESTIONS, *answers.GUESSES}
    assert {one.__name__ for one in QUESTIONS[exercise] if one.guess} >= set(answers.GUESSES)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_what_a_question_calls_itself_is_what_a_notebook_calls(exercise):
    [path] = (ROOT / "solutions").glob(f"{exercise}_*.ipynb")
    source = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    score(exercise, record.Record())
    for question in QUESTIONS[exercise]:
        assert f"{question.name}(" in source
    assert f'progress("{exercise}")' in source


def test_an_exercise_in_a_line():
    assert repr(progress("ex1")) == (
        "Exercise 1: 0 of 5 right, 0 at first try; 0 of 1 prediction made. "
        "Still open: steps, message_bytes, message_ns, total_ns, sent_mib."
    )
    ex1.predicted_time(lambda: 40)
    ex1.steps(lambda npus: npus)
    ex1.steps(lambda npus: 2 * npus - 2)
    ex1.sent_mib(lambda npus, size_mib: 2 * (npus - 1) * size_mib / npus)
    ex1.message_ns.hint()
    assert "2 of 5 right, 1 at first try; 1 of 1 prediction made; 1 hint seen. Still" in repr(progress("ex1"))
    assert progress("ex1").html.count("2 of 5 right, 1 at first try") == 1
    assert progress()["ex1"].words == "2 of 5 right, 1 at first try"


def test_a_table_of_all():
    ex1.steps(lambda npus: 2 * npus - 2)
    lines = repr(progress()).splitlines()
    assert lines[1].split() == ["name", "right", "at", "first", "try", "predictions", "hints", "seen"]
    assert re.split(r"\s{2,}", lines[2]) == ["ex1", "1 of 5", "1", "0 of 1", "0"]
    assert len(lines) == 2 + len(EXERCISES)
    assert "<td" in progress()._repr_html_()


def test_who_asks_for_what_isnt_there_is_told_what_is():
    with pytest.raises(ConfigError, match="no exercise 'ex99'; there are ex1, "):
        progress("ex99")
    with pytest.raises(ConfigError, match="no notebook 'x'; they are 10, "):
        has_read("x")


def test_the_map_shows_what_is_read_and_tried():
    plain = repr(course())
    assert "read\n" not in plain.replace("read, or", "")
    ex1.steps(lambda npus: npus)
    assert repr(has_read("10")) == "→ 10_why_distributed is read."
    has_read("01_collectives")
    lines = [line.strip() for line in repr(course()).splitlines()]
    assert "✓ 10_why_distributed: read" in lines
    assert "✓ 01_collectives: read" in lines
    assert "→ exercise 1: 0 of 5 right, 0 at first try" in lines
    assert "· exercise 2" in lines
    page = course()._repr_html_()
    assert '<li class="astra-is-right"><span class="astra-sign" aria-hidden="true">✓</span>01_collectives: read' in page


def test_all_right_is_right():
    known = record.Record({f"ex1.{q}": record.Standing(1, True) for q in [one.__name__ for one in QUESTIONS["ex1"]]})
    assert score("ex1", known).kind.word == "Right"
    assert score("ex1", known).words == "5 of 5 right, 5 at first try"


def test_why_it_is_not_kept_is_said(monkeypatch):
    monkeypatch.setattr(record, "known", lambda: (record.Record(), "it can't be written."))
    for told in (progress("ex1"), course()):
        assert "in this session only: it can't be written." in repr(told)
        assert "in this session only: it can&#x27;t be written." in told.html


def test_the_map_is_in_the_order_of_notebook_00():
    source = "\n".join(cell.source for cell in read(ROOT / "notebooks" / "00_start_here.ipynb").cells)
    source = re.sub(r"</?abbr[^>]*>", "", source)
    assert re.findall(r"^\*\*(.*?)\*\*, ", source, re.MULTILINE) == list(PATHS)
    links = re.findall(r"^\| \[.*?\]\((?:\.\./exercises/)?(\w+)\.ipynb\)", source, re.MULTILINE)
    assert [re.sub(r"^(ex\d+)_.*", r"\1", link) for link in links] == [stop for path in PATHS.values() for stop in path]
    assert set(NOTEBOOKS) == {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} - {"00_start_here"}
