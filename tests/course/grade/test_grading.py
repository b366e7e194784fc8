"""A class of forty-odd notebooks, most of them hostile: each gets its own result, and harms no other."""

import csv
import json
import os
import subprocess
import sys
import threading

import halves
import pytest
from click.testing import CliRunner
from course.grade import a_class

from astra_edu.__main__ import main
from astra_edu.base.errors import ConfigError
from astra_edu.course.check import ex1
from astra_edu.course.grade import grading, sandbox
from astra_edu.course.grade.grading import Settings, grade_all
from astra_edu.course.grade.marks import Graded, Mark
from astra_edu.course.grade.report import by_student, grades_table, mistakes, write_report
from astra_edu.course.grade.submissions import texts
from tools.exercises import ANSWER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="grading needs limits that Windows doesn't have")
QUICK = Settings(workers=2, minutes=1, seconds=6)
RIGHT = {
    *("much-output", "much-memory", "much-disk", "fork-bomb", "fork-bomb-in-c", "deletes", "deletes-inputs"),
    *("endless-cell", "endless-and-deaf", "exits", "kills-its-parent", "network", "talks-to-the-judge"),
    *("duplicated", "renamed", "reordered", "in-words", "last-year", "reads-solutions", "around-the-refusals"),
}
"""What somebody tries beside five right answers takes none of them away."""
STEPS_ONLY = {
    "endless-in-its-cell": ("not judged", "took too long: a question has 2 s, once its cell has run out of its time"),
    "endless-answer": ("not judged", "took too long"),
    "recursion": ("wrong", "RecursionError"),
    "much-memory-answered": ("wrong", "MemoryError"),
    "edits-the-checker": ("wrong", "two phases"),
    "fake-verdict": ("wrong", "two phases"),
    "huge-number": ("wrong", "no finite number"),
    "strange-answer": ("wrong", "ZeroDivisionError"),
    "syntax": ("wrong", "SyntaxError"),
}
"""Where only the answer to the first question is bad: what becomes of it, and a word of what is said."""
HELD = [
    *("endless-in-its-cell", "endless-answer", "much-memory-answered", "edits-the-checker", "fake-verdict"),
    *("deletes", "fork-bomb-in-c"),
]
"""What is held otherwise where nothing confines a notebook. What a value or a cell is, is judged alike there."""
FEW = {
    "confined": [
        *("endless-in-its-cell", "edits-the-checker", "fake-verdict", "deletes", "fork-bomb-in-c", "much-memory"),
        *("around-the-refusals", "network", "in-words", "broken", "empty"),
    ],
    "plain": ["edits-the-checker", "fake-verdict", "deletes"],
}
"""One of each kind, where not all is asked for."""
NOT_GRADED = {"broken": "can't be read as JSON", "not-a-notebook": "no list of cells", "other-kernel": "kernel of r"}
SAID = {
    "endless-cell": "took more than 6 s",
    "endless-and-deaf": "was ended: it took too long",
    "much-output": " characters; the first ones were kept",
    "much-memory": "MemoryError",
    "much-disk": "wrote more than 512 MiB",
    "fork-bomb": "start another process",
    "fork-bomb-in-c": "more than 32 processes",
    "network": "use the network",
    "exits": "process has ended",
    "last-year": "ex1.hops, which this release doesn't have",
    "deletes-inputs": "FileNotFoundError",
    "reads-solutions": "tried to read",
    "talks-to-the-judge": "otherwise than agreed",
}


@pytest.fixture(scope="module", params=["confined", "plain"])
def a_graded_class(request, tmp_path_factory):
    """({student: result}, where it was kept, the folder), with what confines notebooks here, and without."""
    folder = tmp_path_factory.mktemp(request.param)
    every = None if request.param == "confined" else HELD
    a_class.write(folder / "class", every if halves.thorough else FEW[request.param])
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            patch.setattr(grading, "works", lambda stage: False)
        results = grade_all(folder / "class", folder / "kept", QUICK)
    return {one.student: one for one in results}, folder / "kept", folder / "class"


def test_nobody_loses_a_mark_and_nobody_gains_one(a_graded_class):
    results, _, _ = a_graded_class
    wrong = {}
    for student, one in results.items():
        if student in NOT_GRADED:
            assert NOT_GRADED[student] in one.problem
            assert not one.marks
            continue
        assert one.problem == ""
        states = {mark.key: (mark.state, mark.message) for mark in one.marks}
        if student == "empty":
            assert {state for state, _ in states.values()} == {"not answered"}
        elif student in STEPS_ONLY:
            state, words = STEPS_ONLY[student]
            if states["ex1.steps"][0] != state or words not in states["ex1.steps"][1] or one.right != 4:
                wrong[student] = states
        elif one.right != 5:
            wrong[student] = (states, one.notes)
    assert wrong == {}
    assert results.keys() <= RIGHT | STEPS_ONLY.keys() | NOT_GRADED.keys() | {"empty"}


def test_what_happened_is_said(a_graded_class):
    results, _, _ = a_graded_class
    notes = {name: str(results[name].notes) for name in SAID if name in results}
    silent = {name: said for name, said in notes.items() if SAID[name] not in said}
    assert silent == {}


LATE = {
    "endless-cell": "code cell 1",
    "endless-and-deaf": "code cell 1",
    "endless-answer": "ex1.steps",
    "endless-in-its-cell": "code cell 7, ex1.steps",
}


def test_what_ran_out_of_time_is_named_wherever_somebody_looks_and_does_not_wait_as_long_again(
    a_graded_class, tmp_path
):
    results, _, _ = a_graded_class
    assert {name: one.late for name, one in results.items() if one.late} == {
        name: tuple(late.split(", ")) for name, late in LATE.items() if name in results
    }
    if "endless-in-its-cell" not in results:
        pytest.skip("where not all is asked for")
    late = results["endless-in-its-cell"]
    said = "Stopped by the limit on time: code cell 7, ex1.steps."
    write_report([late], tmp_path)
    (row,) = csv.DictReader((tmp_path / "grades.csv").open())
    assert row["problem"] == said
    assert grading.in_short(late).endswith(f" s. {said}")
    assert said in (tmp_path / "student-endless-in-its-cell.html").read_text()
    assert sum("took more than" in note for note in late.notes) == 1


def test_whoever_grades_sees_the_right_value_and_whoever_answers_does_not(a_graded_class):
    results, _, _ = a_graded_class
    (mark,) = [one for one in results["fake-verdict"].marks if one.key == "ex1.steps"]
    npus = int(dict(mark.compared)["for"].removeprefix("npus = "))
    assert dict(mark.compared)["expected"] == str(2 * (npus - 1))
    assert dict(ex1.steps(lambda npus: npus).compared)["expected"] == "more"


def test_those_who_make_the_same_mistake_are_told_what_one_of_them_was():
    words = ["you have 7.5e3 for n1 = 1,024", "you have 8 for n1 = 2", "you have 8 for n1 = 2", "You took 10⁹ for 2³⁰"]
    marks = [Mark("ex1.steps", "ex1.steps", "steps", False, "wrong", said) for said in words]
    found = [Graded(str(k), "a.ipynb", "ex1", "", (mark,)) for k, mark in enumerate(marks)]
    assert mistakes(found) == [("ex1.steps", 3, words[1]), ("ex1.steps", 1, words[3])]


def test_nothing_outlives_its_notebook(a_graded_class):
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.splitlines()
    assert [line for line in listed if "astra_edu.course.grade" in line and "pytest" not in line] == []


def test_what_is_kept_is_not_graded_again_and_half_a_file_is(a_graded_class, monkeypatch):
    results, kept, folder = a_graded_class
    files = sorted(kept.glob("*.json"))
    assert len(files) == sum(not one.problem for one in results.values())
    files[0].write_text('{"student": ')
    asked = []
    real = grading._ask_judge
    monkeypatch.setattr(grading, "_ask_judge", lambda order, settings: asked.append(order) or real(order, settings))
    again = grade_all(folder, kept, QUICK)
    assert len(asked) == 1
    assert [one.right for one in again] == [results[one.student].right for one in again]


def test_words_are_collected_beside_the_model_answer_and_shown_as_text(a_graded_class, tmp_path):
    results, _, _ = a_graded_class
    if "in-words" not in results:
        pytest.skip("only in the whole class")
    (text,) = results["in-words"].texts
    assert text.under == "What if?"
    assert text.words.startswith("I think <script>")
    assert len(text.model) > 50
    write_report(list(results.values()), tmp_path)
    page = (tmp_path / "student-in-words.html").read_text()
    assert "<script" not in page
    assert "I think &lt;script&gt;" in page


def test_words_inside_a_place_for_an_answer_are_kept():
    printed, notebook = a_class.exercise(), a_class.exercise()
    (cell,) = (cell for cell in notebook["cells"] if "answer" in cell["metadata"].get("tags", []))
    for place in (ANSWER, "*Your answer:*"):
        cell["source"] = f"{place[:-1]} the ring is slower*"
        assert [text.words for text in texts(notebook, printed, a_class.solution())] == ["the ring is slower*"]


@pytest.mark.parametrize("place", [ANSWER, "*Your answer:*"])  # the second: of earlier exercises
@pytest.mark.parametrize("own", ["", "Latency: *it* stays."])
def test_what_a_place_for_an_answer_says_is_no_answer(place, own):
    printed, notebook = a_class.exercise(), a_class.exercise()
    (cell,) = (cell for cell in notebook["cells"] if "answer" in cell["metadata"].get("tags", []))
    cell["source"] = f"{place}\n\n{own}"
    assert [text.words for text in texts(notebook, printed, a_class.solution())] == [own] * bool(own)


def test_the_report_counts_what_was_graded(a_graded_class, tmp_path):
    results, _, _ = a_graded_class
    write_report(list(results.values()), tmp_path)
    rows = {row["student"]: row for row in csv.DictReader((tmp_path / "grades.csv").open())}
    assert {name: int(row["right"]) for name, row in rows.items()} == {n: one.right for n, one in results.items()}
    said = {(key, words): count for key, count, words in mistakes(list(results.values()))}
    assert max(said.values()) == sum("two phases" in words for _, words in STEPS_ONLY.values())
    for student in by_student(results.values()):
        page = (tmp_path / student.page).read_text()
        for one in student.notebooks:
            assert page.count("astra-is-right") - 1 == one.right  # once in the style
            assert all(mark.key in page for mark in one.marks)


def test_a_killed_grader_loses_at_most_the_notebooks_in_work(tmp_path):
    a_class.write(tmp_path / "class", ["renamed", "endless-cell"])
    command = [sys.executable, "-m", "astra_edu", "grade", str(tmp_path / "class"), "--workers", "1"]
    path = os.pathsep.join([str(a_class.ROOT), os.environ.get("PYTHONPATH", "")])
    run = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    threading.Timer(60, run.kill).start()
    (tmp_path / "class" / "renamed").rename(tmp_path / "class" / "a-first")
    for line in run.stdout:
        if line.startswith("1 of 2"):
            run.kill()
            break
    run.wait()
    assert len(list((tmp_path / "class-graded" / "kept").glob("*.json"))) == 1


def test_folders_as_they_come(tmp_path):
    solved = json.dumps(a_class.solution())
    for name in (
        "submitted/anna/ex1/ex1.ipynb",
        "release/ex1/ex1.ipynb",
        "submitted/bo/ex1/.ipynb_checkpoints/x.ipynb",
    ):
        file = tmp_path / "nbgrader" / name
        file.parent.mkdir(parents=True)
        file.write_text(solved)
    (tmp_path / "flat").mkdir()
    for name in ("ex1_getting_started_anna.ipynb", "bo.ipynb", "ex4_cleo.ipynb"):
        (tmp_path / "flat" / name).write_text(solved if "ex4" not in name else json.dumps(a_class.solution("ex4")))
    (anna,) = grade_all(tmp_path / "nbgrader", tmp_path / "kept", QUICK)
    assert (anna.student, anna.right) == ("anna", 5)
    found = grade_all(tmp_path / "flat", tmp_path / "kept", Settings(exercises=("ex1",)))
    assert {one.student: one.exercise for one in found} == {"anna": "ex1", "bo": "ex1"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["nowhere"], "nowhere is no folder"),
        (["."], "has no notebooks"),
        ([".", "--exercises", "99"], "There is no ex99; the exercises are ex1, ex2"),
        ([".", "--course", "."], "has no exercises"),
    ],
)
def test_what_cannot_be_graded_is_said(options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(main, ["grade", *options])
    assert said.exit_code == 1
    assert words in said.output


def test_a_name_is_no_formula():
    one = next(iter(grading.Graded(student="=1+1", file="-x.ipynb", exercise="ex1", digest="") for _ in range(1)))
    assert "'=1+1" in grades_table([one])


def test_windows_is_told_to_use_wsl(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ConfigError, match="WSL"):
        grade_all(tmp_path, tmp_path, QUICK)


def test_a_judge_goes_on_where_memory_can_t_be_limited(tmp_path, monkeypatch):
    """As on macOS, whose kernel refuses this limit."""
    refusing = (
        "import resource, runpy\n"
        "def no(kind, most):\n    raise ValueError('current limit exceeds maximum limit')\n"
        "resource.setrlimit = no\n"
        "runpy.run_module('astra_edu.course.grade.outside', run_name='__main__')\n"
    )
    real = subprocess.run

    def run(command, **rest):
        judge = command[-1] == "astra_edu.course.grade.outside"
        return real([sys.executable, "-P", "-c", refusing] if judge else command, **rest)

    monkeypatch.setattr(grading.subprocess, "run", run)
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ex1_anna.ipynb").write_text(json.dumps(a_class.solution()))
    (anna,) = grade_all(tmp_path / "class", tmp_path / "kept", QUICK)
    assert (anna.problem, anna.right) == ("", 5)


def test_names_as_zips_from_windows_and_macos_leave_them(tmp_path):
    """Letters in Windows' old code, and the files that macOS puts beside each."""
    (tmp_path / "class" / "__MACOSX").mkdir(parents=True)
    for name in (b"__MACOSX/._ex1_anna.ipynb", b"._ex1_anna.ipynb"):
        (tmp_path / "class" / os.fsdecode(name)).write_bytes(b"\0\5\26\7")
    try:
        (tmp_path / "class" / os.fsdecode(b"ex1_M\x81ller.ipynb")).write_text(json.dumps(a_class.exercise()))
    except OSError:
        pytest.skip("a file system that has no such names")
    said = CliRunner().invoke(main, ["grade", str(tmp_path / "class")])
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader((tmp_path / "class-graded" / "grades.csv").open(encoding="utf-8")))
    assert [(row["student"], row["problem"]) for row in rows] == [("M\\udc81ller", "")]


def test_what_is_hidden_stays_so_where_capitals_don_t_count_and_no_folder_is_known_by_its_number(tmp_path):
    """As on macOS, which also has no /proc."""
    for name in ("Solutions", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "Solutions" / "ex1.txt").write_text("answer")
    code = f"""
import os
from pathlib import Path
from astra_edu.course.grade.limits import refuse
noted, at = [], os.open({str(tmp_path / "mine")!r}, os.O_RDONLY)
def gone(path):
    raise FileNotFoundError(path)
os.readlink = gone
refuse(Path({str(tmp_path / "mine")!r}), [{str(tmp_path / "solutions")!r}], noted)
for tried in (lambda: open({str(tmp_path / "Solutions" / "ex1.txt")!r}), lambda: os.mkdir("new", dir_fd=at)):
    try:
        tried()
    except PermissionError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [line.partition(": ")[2].split()[0] for line in done.stdout.splitlines()] == ["read", "change"]


def test_limits_that_bubblewrap_gives_are_there(a_graded_class):
    results, _, _ = a_graded_class
    if sandbox.CONFINED[True] != next(iter(results.values())).confined:
        pytest.skip("no bubblewrap here")
    assert "RuntimeError: -1 -1" in str(results["around-the-refusals"].notes)  # neither opened nor connected
