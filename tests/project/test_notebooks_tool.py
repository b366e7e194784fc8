"""The notebooks keep the rules that make stored outputs comparable, and each rule finds what it is for."""

import json
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.notebooks import ToolError, main, normalised, parse, problems, text_of

FIGURE = new_output("display_data", {"image/png": "aGk=", "text/plain": "<Figure size 640x480 with 1 Axes>"})
TABLE = new_output("stream", text="ranks  time\n    4   3.2\n")
VIEW = "application/vnd.jupyter.widget-view+json"


def notebook(*outputs: NotebookNode, source: str = "1") -> NotebookNode:
    """A normalised notebook of one text cell and one code cell."""
    code = new_code_cell(source, execution_count=1, outputs=list(outputs))
    return normalised(new_notebook(cells=[new_markdown_cell("Read."), code]))


def printed(text: str) -> NotebookNode:
    return new_output("stream", text=text)


def test_the_project_notebooks_keep_the_rules() -> None:
    assert main(["check"]) == 0


@pytest.mark.parametrize(
    "outputs",
    [
        [TABLE],
        [TABLE, FIGURE],
        [FIGURE, new_output("display_data", {"text/html": "<table></table>", "text/plain": "<Table>"})],
        [new_output("display_data", {"image/png": "/tmp/0xabcdef", "text/plain": "3 ranks"})],
        [printed("see https://example.org/home/page and work/a.py and 0x2a")],
        [new_output("display_data", {"text/html": '<img src="data:image/png;base64,/tmp/aa+/home/">'})],
    ],
    ids=["table", "figure and table", "figure and html", "picture data", "urls", "embedded picture"],
)
def test_a_good_notebook_has_no_problems(outputs: list[NotebookNode]) -> None:
    assert list(problems(notebook(*outputs))) == []


@pytest.mark.parametrize(
    "outputs",
    [
        [FIGURE],
        [new_output("execute_result", {"text/plain": "[<Line2D at 1>]"}, execution_count=1), FIGURE],
        [new_output("stream", name="stderr", text="a warning"), FIGURE],
    ],
    ids=["alone", "repr", "warning"],
)
def test_a_picture_needs_numbers_beside_it(outputs: list[NotebookNode]) -> None:
    (problem,) = problems(notebook(*outputs))
    assert problem.startswith("cell 2: shows a picture with no numbers")


@pytest.mark.parametrize(
    "source",
    [
        "interact(draw, n=3)",
        "@interact\ndef draw(): ...",
        "@widgets.interact(n=3)\ndef draw(n): ...",
        "interactive_output(draw, {})",
        "out = widgets.Output()",
        "clear_output(wait=True)",
    ],
)
def test_code_that_cannot_be_compared_is_found(source: str) -> None:
    (problem,) = problems(notebook(source=source))
    assert problem.startswith("cell 2: uses ")


def test_ordinary_code_is_not_mistaken() -> None:
    assert not list(problems(notebook(source="interactions(3)\nself.output(2)")))


@pytest.mark.parametrize("text", ["/home/me/x", "in '/work/x.py'", "/tmp/a", "/Users/me", "C:\\me", "file:///tmp/a"])
def test_an_absolute_path_is_found(text: str) -> None:
    (problem,) = problems(notebook(printed(text)))
    assert problem.startswith("cell 2: output holds an absolute path")


def test_a_path_in_a_coloured_error_is_found() -> None:
    error = new_output("error", ename="E", evalue="e", traceback=["\x1b[32m/tmp/x.py\x1b[0m"])
    assert any("an absolute path" in problem for problem in problems(notebook(error)))


def test_a_memory_address_is_found() -> None:
    (problem,) = problems(notebook(printed("<object at 0x7f00aa11bb>")))
    assert problem.startswith("cell 2: output holds a memory address")


def test_outputs_without_a_count_are_found() -> None:
    made = notebook(TABLE)
    made.cells[1].execution_count = None
    assert list(problems(made)) == ["cell 2: has outputs but no execution count"]


def test_what_is_not_normalised_is_found() -> None:
    made = notebook(TABLE)
    made.metadata["widgets"] = {}
    made.cells[1].execution_count = 5
    first, second = problems(made)
    assert first.startswith("metadata is not normalised (widgets)")
    assert second.startswith("cell 2: metadata, counts or widget views")


def test_normalising_keeps_the_work_and_drops_the_machine() -> None:
    view = new_output("execute_result", {VIEW: {"model_id": "a1"}, "text/plain": "Ring()"}, execution_count=9)
    made = notebook(TABLE)
    made.metadata["language_info"] = {"name": "python", "version": "3.11.1"}
    made.cells[1].metadata = nbformat.from_dict({"execution": {"iopub.status.busy": "now"}, "tags": ["t"]})
    made.cells += [new_code_cell("x"), new_code_cell("Ring()", execution_count=9, outputs=[view])]
    once = normalised(made)
    assert once.metadata.language_info == {"name": "python"}
    assert once.cells[1].metadata == {"tags": ["t"]}
    assert [cell.execution_count for cell in once.cells[1:]] == [1, None, 2]
    assert once.cells[3].outputs[0].data == {"text/plain": "Ring()"}
    assert once.cells[3].outputs[0].execution_count == 2
    assert normalised(once) == once


def test_cells_without_an_id_get_the_same_one_each_time() -> None:
    raw = json.loads(text_of(notebook(TABLE)))
    for cell in raw["cells"]:
        del cell["id"]
    raw["nbformat_minor"] = 4
    assert [cell.id for cell in parse(json.dumps(raw), "x").cells] == ["cell-1", "cell-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n]", "01.ipynb, line 2: invalid JSON"),
        ('{"nbformat": 4, "cells": 3}', "01.ipynb: not a notebook of format 4"),
        ("[]", "01.ipynb: not a notebook of format 4"),
        ('{"nbformat": 4, "cells": [{}], "metadata": {}}', "01.ipynb: not a valid notebook"),
    ],
)
def test_a_file_that_is_no_notebook_is_named(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        parse(text, "01.ipynb")


def test_running_stores_outputs_the_same_way_twice(tmp_path: Path) -> None:
    path = tmp_path / "01.ipynb"
    (tmp_path / "beside.txt").write_text("here")
    cells = [new_code_cell("print(open('beside.txt').read())"), new_code_cell("6 * 7")]
    nbformat.write(new_notebook(cells=cells), path)
    assert main(["run", str(path)]) == 0
    first = path.read_text()
    assert main(["run", str(path)]) == 0
    assert path.read_text() == first
    assert first.endswith("}\n")
    read = nbformat.read(path, as_version=4)
    assert read.cells[0].outputs[0].text == "here\n"
    assert read.cells[1].outputs[0].data == {"text/plain": "42"}
    assert main(["check", str(tmp_path)]) == 0


def test_outputs_know_nobodys_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRA_EDU_PROGRESS", str(tmp_path / "mine.json"))
    path = tmp_path / "01.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("import os; os.environ['ASTRA_EDU_PROGRESS']")]), path)
    assert main(["run", str(path)]) == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data == {"text/plain": "'off'"}


def test_a_cell_that_fails_is_named_and_the_file_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "01.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1"), new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    assert main(["run", str(path)]) == 1
    said = capsys.readouterr().err
    assert "01.ipynb, cell 2: " in said
    assert "ZeroDivisionError" in said
    assert path.read_bytes() == before


def test_a_missing_path_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "none.ipynb")]) == 1
    assert "no such notebook or folder" in capsys.readouterr().err
