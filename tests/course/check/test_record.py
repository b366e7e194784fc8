"""A learner's progress: what counts as a try, and a small file that no accident may lose and that disturbs no check."""

import json
import os
import subprocess
import sys
from errno import EROFS
from os import strerror
from pathlib import Path

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.base.locked import locked
from astra_edu.course.check import record
from astra_edu.course.check.question import Question
from astra_edu.course.check.record import Record, Standing, as_text, file_of_learner, from_text, known
from astra_edu.course.check.verdict import Verdict

ROOT = Path(__file__).parents[3]
OURS = '{"astra_edu progress": 1, "questions": %s, "read": []}'
HARMED = {
    "cut off": '{"astra_edu progress": 1, "questions": {"ex1.st',
    "empty": "",
    "something else": "Dear diary",
    "a notebook": '{"cells": [], "nbformat": 4}',
    "a list": "[1, 2]",
    "a newer release's": '{"astra_edu progress": 2, "questions": {}, "read": []}',
    "a wrong count": OURS % '{"a": {"tries": -1, "right": true, "hints": 0}}',
    "a wrong word": OURS % '{"a": {"tries": 1, "right": "yes", "hints": 0}}',
    "nested without end": "[" * 100_000,
    "not text": b"\xff\xfe\x00",
}


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr(record, "_SESSION", record._Session())


@pytest.fixture
def file(session, tmp_path, monkeypatch):
    """Where the progress is kept: as for a learner, not as in a test."""
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.setenv("ASTRA_EDU_PROGRESS", str(tmp_path / "mine" / "progress.json"))
    return tmp_path / "mine" / "progress.json"


def steps(answer):
    if answer is None:
        return Verdict(None, "Not answered yet")
    return Verdict(answer == 14, f"Right: {answer}" if answer == 14 else f"{answer} is wrong")


@pytest.fixture
def question():
    steps.__module__ = "astra_edu.course.check.ex1"
    return Question(steps)


def forgotten(monkeypatch):
    """A new session."""
    monkeypatch.setattr(record, "_SESSION", record._Session())


@pytest.mark.parametrize(
    ("answers", "standing", "at_once"),
    [
        ([14], Standing(1, True), True),
        ([None, None, 14], Standing(1, True), True),
        ([7, 14], Standing(2, True), False),
        ([7, 7, 7, 8, 14, 14, 9], Standing(3, True), False),
        ([7, None, 7], Standing(1, False), False),
        ([None], Standing(), False),
    ],
)
def test_what_counts_as_a_try(question, file, answers, standing, at_once):
    for answer in answers:
        question(answer)
    assert known()[0].of("ex1.steps") == standing
    assert standing.at_once == at_once


def test_a_file_keeps_it_for_another_day(question, file, monkeypatch):
    question(7)
    forgotten(monkeypatch)
    Question(steps)(14)
    assert known() == (Record({"ex1.steps": Standing(2, True)}), "")
    forgotten(monkeypatch)
    assert known()[0].of("ex1.steps") == Standing(2, True)
    assert json.loads(file.read_text()) == {
        "astra_edu progress": 1,
        "questions": {"ex1.steps": {"tries": 2, "right": True, "hints": 0}},
        "read": [],
    }
    assert os.listdir(file.parent) == ["progress.json"]


def test_it_is_the_same_after_writing_and_reading():
    full = Record({"ex1.a": Standing(3, True, 2), "ex2.b": Standing()}, frozenset({"10_why", "01_coll"}))
    assert from_text(as_text(full), "here") == full


@pytest.mark.parametrize("content", HARMED.values(), ids=HARMED)
def test_a_file_that_holds_something_else_is_left_alone(question, file, content):
    content = content if isinstance(content, bytes) else content.encode()
    file.parent.mkdir()
    file.write_bytes(content)
    assert question(14).ok
    assert file.read_bytes() == content
    standing, problem = known()
    assert standing.of("ex1.steps") == Standing(1, True)
    assert "progress.json" in problem


def test_a_folder_that_is_none_disturbs_no_check(question, file):
    file.parent.write_text("a file where a folder should be")
    assert question(14).ok
    assert known()[0].of("ex1.steps").at_once
    assert "a folder for the progress" in known()[1]


def test_a_folder_that_can_only_be_read_disturbs_no_check(question, file, monkeypatch):
    opened = Path.open

    def refused(path, mode="r", *more, **named):
        if "x" in mode:
            raise OSError(EROFS, strerror(EROFS))  # as any user has it, root too
        return opened(path, mode, *more, **named)

    question(7)
    before = file.read_bytes()
    monkeypatch.setattr(Path, "open", refused)
    assert question(14).ok
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["progress.json"]
    assert known()[0].of("ex1.steps") == Standing(2, True)
    assert "can't be written: Read-only file system" in known()[1]


def test_a_full_disk_disturbs_no_check(question, file, monkeypatch):
    def full(*_):
        raise ConfigError("progress.json can't be written: No space left on device.")

    question(7)
    monkeypatch.setattr(record, "write_text", full)
    assert question(14).ok
    assert known() == (
        Record({"ex1.steps": Standing(2, True)}),
        "progress.json can't be written: No space left on device.",
    )


def test_who_else_writes_is_not_waited_for_long(question, file, monkeypatch):
    monkeypatch.setattr(record, "PATIENCE_S", 0.05)
    file.parent.mkdir()
    with locked(file.parent):
        assert question(14).ok
    assert "another process has been writing" in known()[1]
    record._SESSION.verdicts.clear()
    assert question(14).ok
    assert known() == (Record({"ex1.steps": Standing(1, True)}), "")


def test_many_at_once_lose_nothing(file):
    code = (
        "import sys; from astra_edu.course.check import record; who = sys.argv[1]\n"
        "for k in range(15): record.change(lambda known: known.changed(f'ex1.q{who}{k}', lambda s: s.tried(True)))\n"
        "for k in range(15): record.change(lambda known: known.changed('ex1.all', lambda s: s.tried(False)))\n"
        "assert not record.known()[1], record.known()[1]"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    writers = [subprocess.Popen([sys.executable, "-c", code, who], env=environment) for who in "abcd"]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    kept = known()[0]
    assert {name for name, one in kept.questions.items() if one.at_once} == {
        f"ex1.q{w}{k}" for w in "abcd" for k in range(15)
    }
    assert kept.of("ex1.all") == Standing(60)


def test_where_it_is_kept(monkeypatch, tmp_path):
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    monkeypatch.delenv("ASTRA_EDU_PROGRESS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setattr(sys, "platform", "linux")
    assert file_of_learner() == tmp_path / ".local/share/astra_edu/progress.json"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert file_of_learner() == tmp_path / "data/astra_edu/progress.json"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert file_of_learner() == tmp_path / "Library/Application Support/astra_edu/progress.json"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert file_of_learner() == tmp_path / "local/astra_edu/progress.json"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASTRA_EDU_PROGRESS", "here.json")
    assert file_of_learner() == tmp_path / "here.json"
    for off in ("off", "OFF"):
        monkeypatch.setenv("ASTRA_EDU_PROGRESS", off)
        assert file_of_learner() is None


def test_tests_and_solutions_are_nobodys_progress(monkeypatch, tmp_path):
    monkeypatch.setenv("ASTRA_EDU_PROGRESS", str(tmp_path / "mine.json"))
    assert file_of_learner() is None
    monkeypatch.delenv("PYTEST_VERSION")
    assert file_of_learner() == tmp_path / "mine.json"
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path / "solutions")
    assert file_of_learner() is None


def test_what_two_know_is_put_together():
    file = Record({"a": Standing(2, True, 1), "b": Standing(1), "c": Standing(3)}, frozenset("x"))
    session = Record({"a": Standing(1, True), "b": Standing(1, True, 3), "d": Standing(1)}, frozenset("y"))
    assert file.beside(session) == Record(
        {"a": Standing(2, True, 1), "b": Standing(1, True, 3), "c": Standing(3), "d": Standing(1)}, frozenset("xy")
    )
