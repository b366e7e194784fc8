"""The work folder: copies to write in, and what is new arrives without losing an answer."""

import os
import subprocess
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import work
from tools.work import merged, originals, prepare, pull

EXERCISE = Path("exercises") / "ex1.ipynb"


def notebook(*sources):
    """Cells a, b, c, ... with these sources; None leaves one out."""
    cells = [(new_code_cell(source), "abcdefgh"[k]) for k, source in enumerate(sources) if source is not None]
    return [type(cell)(cell | {"id": name}) for cell, name in cells]


def sources(cells):
    return [cell["source"] for cell in cells]


@pytest.fixture
def project(tmp_path):
    """A project of one notebook, one exercise and one input."""
    for path, cells in ((Path("notebooks") / "00.ipynb", notebook("read")), (EXERCISE, notebook("q", "...", "end"))):
        save(tmp_path / path, cells)
    (tmp_path / "exercises" / "inputs").mkdir()
    (tmp_path / "exercises" / "inputs" / "ring.txt").write_text("1 MiB")
    return tmp_path


def save(path, cells):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), path)


def read(path):
    return sources(nbformat.read(path, as_version=4).cells)


def test_every_notebook_exercise_and_input_is_copied_as_it_is_and_solutions_are_not(tmp_path):
    assert prepare(work=tmp_path / "work") == []
    files = [path for path in (tmp_path / "work").rglob("*") if path.is_file()]
    copied = {path.relative_to(tmp_path / "work"): path.read_bytes() for path in files}
    expected = {path: (work.ROOT / path).read_bytes() for path in originals()}
    assert {path: content for path, content in copied.items() if ".from" not in path.parts} == expected
    assert {path.parts[0] for path in expected} == {"notebooks", "exercises"}
    assert len(expected) > 60
    assert prepare(work=tmp_path / "work") == []


def test_git_doesn_t_see_it():
    assert "work/\n" in (work.ROOT / ".gitignore").read_text()


def test_a_new_notebook_comes_an_old_one_is_replaced_and_what_was_deleted_comes_back(project):
    folder = project / "work"
    prepare(project, folder)
    save(project / EXERCISE, notebook("q2", "...", "end"))
    save(project / "notebooks" / "01.ipynb", notebook("more"))
    (folder / "exercises" / "inputs" / "ring.txt").unlink()
    assert prepare(project, folder) == ["notebooks/01.ipynb is new.", "exercises/ex1.ipynb is a newer one."]
    assert read(folder / EXERCISE) == ["q2", "...", "end"]
    assert (folder / "exercises" / "inputs" / "ring.txt").read_text() == "1 MiB"
    assert not (folder / "older").exists()


def test_answers_are_carried_over_and_the_notebook_is_kept_as_it_was(project):
    folder = project / "work"
    prepare(project, folder)
    mine = notebook("q", "lambda n: 2 * n", "end")
    mine[1]["outputs"] = [nbformat.v4.new_output("stream", text="✓ Right")]
    save(folder / EXERCISE, mine)
    before = (folder / EXERCISE).read_bytes()
    save(project / EXERCISE, notebook("q, said better", "...", "end"))
    told = "exercises/ex1.ipynb is a newer one, with what you wrote; as it was: older/ex1.1.ipynb."
    assert prepare(project, folder) == [told]
    assert read(folder / EXERCISE) == ["q, said better", "lambda n: 2 * n", "end"]
    assert nbformat.read(folder / EXERCISE, as_version=4).cells[1].outputs[0].text == "✓ Right"
    assert (folder / "older" / "ex1.1.ipynb").read_bytes() == before
    assert prepare(project, folder) == []
    save(project / EXERCISE, notebook("q", "...", "end"))
    assert "older/ex1.2.ipynb" in prepare(project, folder)[0]


def test_who_only_ran_a_notebook_gets_the_newest(project):
    folder = project / "work"
    prepare(project, folder)
    ran = notebook("q", "...", "end")
    ran[0]["execution_count"] = 7
    save(folder / EXERCISE, ran)
    save(project / EXERCISE, notebook("q2", "...", "end"))
    assert prepare(project, folder) == ["exercises/ex1.ipynb is a newer one."]
    assert read(folder / EXERCISE) == ["q2", "...", "end"]


def test_half_a_file_is_kept_and_the_newest_stands_in_its_place(project):
    folder = project / "work"
    prepare(project, folder)
    (folder / EXERCISE).write_text('{"cells": [')
    save(project / EXERCISE, notebook("q2", "...", "end"))
    told = "exercises/ex1.ipynb can't be read as a notebook: it is kept as older/ex1.1.ipynb."
    assert prepare(project, folder) == [told]
    assert (folder / "older" / "ex1.1.ipynb").read_text() == '{"cells": ['
    assert read(folder / EXERCISE) == ["q2", "...", "end"]


def test_an_input_that_was_changed_stays(project):
    folder = project / "work"
    prepare(project, folder)
    (folder / "exercises" / "inputs" / "ring.txt").write_text("2 MiB")
    (project / "exercises" / "inputs" / "ring.txt").write_text("4 MiB")
    told = "exercises/inputs/ring.txt: you changed it, so it stays yours; delete it and start again for the newest."
    assert prepare(project, folder) == [told]
    assert (folder / "exercises" / "inputs" / "ring.txt").read_text() == "2 MiB"


def test_a_file_that_another_program_has_open_waits_for_the_next_start(project, monkeypatch):
    """As on Windows, where Excel lets nobody replace what it shows."""
    folder = project / "work"
    prepare(project, folder)
    (project / "exercises" / "inputs" / "ring.txt").write_text("2 MiB")
    save(project / "notebooks" / "01.ipynb", notebook("more"))
    real = os.replace

    def replace(part, path):
        if path.name == "ring.txt":
            raise PermissionError(13, "Access is denied")
        real(part, path)

    monkeypatch.setattr(os, "replace", replace)
    told = "exercises/inputs/ring.txt couldn't be written (Access is denied); the next start tries it again."
    assert prepare(project, folder) == ["notebooks/01.ipynb is new.", told]
    monkeypatch.undo()
    assert prepare(project, folder) == ["exercises/inputs/ring.txt is a newer one."]
    assert (folder / "exercises" / "inputs" / "ring.txt").read_text() == "2 MiB"


def test_before_the_installation_an_update_only_gets_the_course(project, monkeypatch, capsys):
    monkeypatch.setattr(work, "pull", lambda: "")
    monkeypatch.setattr(work, "WORK", project / "work")
    monkeypatch.setattr(work, "find_spec", lambda name: None)
    assert work.main(["--pull"]) == 0
    assert capsys.readouterr().out == "Nothing is installed yet: the first start brings the notebooks.\n"
    assert not (project / "work").exists()


def test_what_git_says_in_other_letters_than_the_terminal_s_is_said(project, monkeypatch):
    """As on Windows, where git writes UTF-8 and Python expects cp1252."""
    (project / ".git").mkdir()
    (project / "bin").mkdir()
    (project / "bin" / "git").write_text("#!/bin/sh\nprintf 'Łódź \\377' >&2\nexit 1\n", encoding="utf-8")
    (project / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(project / "bin"), prepend=os.pathsep)
    assert pull(project).endswith("It says:\nŁódź \ufffd")


def test_what_both_changed_stands_there_twice_the_student_s_second():
    cells = merged(notebook("q", "..."), notebook("q", "mine"), notebook("q", "other"))
    assert sources(cells) == ["q", "other", "# Yours, as it was before the update:\nmine"]
    again = merged(notebook("q", "other"), [*cells[:1], cells[1] | {"source": "mine 2"}, cells[2]], notebook("q", "3"))
    assert [source.splitlines()[-1] for source in sources(again)] == ["q", "3", "mine 2", "mine"]
    assert len({cell["id"] for cell in again}) == 4
    text = merged([new_markdown_cell("a", id="x")], [new_markdown_cell("b", id="x")], [new_markdown_cell("c", id="x")])
    assert sources(text) == ["c", "*Yours, as it was before the update:*\n\nb"]


def test_long_ids_stay_apart():
    was, mine, new = ([new_code_cell(source, id="x" * 60 + end) for end in "ab"] for source in ("...", "mine", "other"))
    assert len({cell["id"] for cell in merged(was, mine, new)}) == 4


def test_what_was_added_stays_behind_what_it_stood_behind():
    mine = notebook("q", "mine", "end")
    mine.insert(2, new_code_cell("tried", id="new"))
    mine.insert(0, new_code_cell("first", id="top"))
    assert sources(merged(notebook("q", "...", "end"), mine, notebook("q", "...", "END", "more"))) == [
        "first",
        "q",
        "mine",
        "tried",
        "END",
        "more",
    ]


def test_an_answer_to_a_question_that_has_gone_is_kept():
    cells = merged(notebook("q", "...", "end"), notebook("q", "mine", "end"), notebook("q", None, "end"))
    assert sources(cells) == ["q", "# Yours, as it was before the update:\nmine", "end"]
    assert sources(merged(notebook("q", "...", "end"), notebook("q", "...", "end"), notebook("q"))) == ["q"]


texts = st.lists(st.sampled_from([None, "1", "2", "3", "4"]), max_size=6)


@given(texts, texts, texts, st.permutations("abcdef"))
def test_nothing_that_a_student_wrote_and_nothing_new_is_lost(base, mine, new, order):
    was, yours, newest = notebook(*base), notebook(*mine), notebook(*new)
    yours.sort(key=lambda cell: order.index(cell["id"]))
    cells = merged(was, yours, newest)
    assert len({cell["id"] for cell in cells}) == len(cells)
    begun = {cell["id"]: cell["source"] for cell in was}
    for cell in yours:
        if begun.get(cell["id"]) != cell["source"]:
            assert any(source.endswith(cell["source"]) for source in sources(cells))
    for cell in newest:
        if begun.get(cell["id"]) != cell["source"]:
            assert cell["source"] in sources(cells)


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_pulling_gets_the_newest_and_what_git_can_t_do_is_said(project, tmp_path_factory):
    assert "isn't a clone: unzip the newest course over it" in pull(project)
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "one")
    clone = tmp_path_factory.mktemp("clone") / "course"
    git(project, "clone", str(project), str(clone))
    prepare(clone, clone / "work")
    save(clone / "work" / EXERCISE, notebook("q", "mine", "end"))
    save(project / EXERCISE, notebook("q2", "...", "end"))
    git(project, "commit", "-am", "two")
    assert pull(clone) == ""
    assert prepare(clone, clone / "work") != []
    assert read(clone / "work" / EXERCISE) == ["q2", "mine", "end"]
    (clone / EXERCISE).write_text("mine")
    save(project / EXERCISE, notebook("q3"))
    git(project, "commit", "-am", "three")
    assert "git couldn't get the newest version, and nothing was changed. It says:\n" in pull(clone)
    assert (clone / EXERCISE).read_text() == "mine"
