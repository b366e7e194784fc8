"""The exercises are what the solutions give, and a badly marked solution is refused with its place."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.exercises import ANSWER, exercise, main
from tools.notebooks import ROOT, ToolError, read

QUESTION = "How long is one message on its way? Think of hops, latency and bandwidth."
GOOD = '''def message_ns(bytes_: int) -> int:
    """Time of one message in ns."""
    # solution: How long is one message on its way?
    #   Think of hops, latency and bandwidth.
    # Two hops.
    return 2 * 500 + int(bytes_ / 53.687)
    # end solution


def steps(ranks: int) -> int:
    hops = ranks - 1
    # solution: How many steps?
    hops *= 2
    # end solution
    return hops'''
STUBBED = f'''def message_ns(bytes_: int) -> int:
    """Time of one message in ns."""
    # {QUESTION}
    raise NotImplementedError("your code for message_ns")


def steps(ranks: int) -> int:
    hops = ranks - 1
    # How many steps?
    raise NotImplementedError("your code for steps")
    return hops'''


def solution(*sources: str) -> NotebookNode:
    return new_notebook(cells=[new_code_cell(source) for source in sources])


def in_function(*lines: str) -> str:
    return "\n    ".join(["def answer():", *lines])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "solutions").mkdir()
    nbformat.write(solution("1 + 1", GOOD), tmp_path / "solutions" / "01.ipynb")
    return tmp_path


def test_the_project_exercises_are_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_a_solution_becomes_its_question() -> None:
    assert exercise(solution(GOOD), "01.ipynb").cells[0].source == STUBBED


def test_only_calling_a_stub_says_that_it_is_one() -> None:
    names: dict[str, Callable[[int], int]] = {}
    for cell in exercise(solution("bytes_ = 64", GOOD), "01.ipynb").cells:
        exec(cell.source, names)
    for name in ("message_ns", "steps"):
        with pytest.raises(NotImplementedError, match=f"^your code for {name}$"):
            names[name](64)


@pytest.mark.parametrize("text", ["word " * 60 + "end?", 'Why "ring"?', "A non-blocking one? " * 5 + "End?"])
def test_a_question_is_a_comment_that_fits_and_one_line_to_be_replaced(text: str) -> None:
    stub = in_function(f"# solution: {text}", "return 41 + 1", "# end solution")
    _, *comment, line = exercise(solution(stub), "x").cells[0].source.splitlines()
    assert all(len(one) <= 88 and one.startswith("    # ") for one in comment)
    assert " ".join(one.strip(" #") for one in comment) == text
    assert line == '    raise NotImplementedError("your code for answer")'


def test_a_stub_is_named_after_the_function_around_it() -> None:
    inner = ["def helper():", "    return 1", OPEN, CODE, CLOSE]
    assert "your code for answer" in exercise(solution(in_function(*inner)), "x").cells[0].source
    method = "class Loop:\n    " + in_function(OPEN, CODE, CLOSE).replace("\n", "\n    ")
    assert "your code for answer" in exercise(solution(method), "x").cells[0].source


@pytest.mark.parametrize("path", sorted((ROOT / "exercises").glob("*.ipynb")), ids=lambda path: path.stem)
def test_whoever_replaces_a_stubs_one_line_has_python(path: Path) -> None:
    """What was reported: of a call over several lines only the first was replaced."""
    for cell in read(path).cells:
        if cell.cell_type == "code" and "NotImplementedError" in cell.source:
            replaced = re.sub(r"^( +)raise NotImplementedError.*$", r"\1return 1", cell.source, flags=re.MULTILINE)
            assert "NotImplementedError" not in replaced
            ast.parse(replaced)


def test_cells_are_dropped_and_answers_emptied_by_tag() -> None:
    notebook = solution(GOOD)
    notebook.cells += [
        new_markdown_cell("Because.", metadata={"tags": ["answer"]}, attachments={"a.png": {"image/png": ""}}),
        new_code_cell("print(message_ns(1))", metadata={"tags": ["solution-only"]}),
        new_markdown_cell("Kept."),
    ]
    cells = exercise(notebook, "x").cells
    assert [cell.source for cell in cells[1:]] == [ANSWER, "Kept."]
    assert [cell.id for cell in cells] == [notebook.cells[index].id for index in (0, 1, 3)]
    assert "attachments" not in cells[1]


def test_nothing_of_the_run_is_left() -> None:
    notebook = solution(GOOD)
    notebook.metadata = nbformat.from_dict(
        {"widgets": {}, "kernelspec": {"name": "mine", "display_name": "Mine"}, "language_info": {"version": "3"}}
    )
    cell = notebook.cells[0]
    cell.execution_count, cell.outputs = 7, [new_output("stream", text="2")]
    cell.metadata = nbformat.from_dict({"execution": {"iopub.status.busy": "now"}, "tags": ["keep"]})
    made = exercise(notebook, "x")
    assert (made.cells[0].outputs, made.cells[0].execution_count) == ([], None)
    assert made.cells[0].metadata == {"tags": ["keep"]}
    assert made.metadata.kernelspec.name == "python3"
    assert made.metadata.language_info == {"name": "python"}
    assert "widgets" not in made.metadata


def test_magics_may_stand_beside_a_solution() -> None:
    made = exercise(solution("%matplotlib inline\n!true\n" + GOOD), "x")
    assert made.cells[0].source == "%matplotlib inline\n!true\n" + STUBBED


OPEN, CODE, CLOSE = "# solution: Why?", "return 41 + 1", "# end solution"
BROKEN = {
    "unclosed": (in_function(OPEN, CODE), 2, "has no '# end solution'"),
    "closed elsewhere": (in_function(OPEN, CODE) + f"\n{CLOSE}", 2, "same indentation"),
    "not opened": (in_function(CODE, CLOSE), 3, "has no '# solution: question'"),
    "no question": (in_function("# solution:", CODE, CLOSE), 2, "no question"),
    "no code": (in_function(OPEN, CLOSE), 2, "no code"),
    "nested": (in_function(OPEN, OPEN, CODE, CLOSE, CLOSE), 3, "inside another solution"),
    "top level": (f"{OPEN}\nx = 1\n{CLOSE}", 1, "isn't indented"),
    "not in a function": (f"if True:\n    {OPEN}\n    x = 1\n    {CLOSE}", 2, "statements of a function"),
    "in a text": (in_function('"""', OPEN, CODE, CLOSE, '"""'), 3, "statements of a function"),
    "in an expression": (in_function("return max(", OPEN, "1, 2", CLOSE, ")"), 3, "isn't Python"),
    "misspelt": (in_function("#Solution Why?", CODE), 2, "isn't a marker"),
}


@pytest.mark.parametrize(("source", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_badly_marked_solution_is_refused_with_its_place(source: str, line: int, message: str) -> None:
    with pytest.raises(ToolError, match=rf"^01\.ipynb, cell 2, line {line}: .*{re.escape(message)}"):
        exercise(solution("1 + 1", source), "01.ipynb")


def test_a_notebook_without_a_solution_is_refused() -> None:
    with pytest.raises(ToolError, match=r"^01\.ipynb: no cell has a solution"):
        exercise(solution("1 + 1"), "01.ipynb")


@pytest.mark.parametrize("again", [new_code_cell, new_markdown_cell])
def test_a_solution_left_over_in_another_cell_is_refused(again: Callable[[str], NotebookNode]) -> None:
    notebook = solution(GOOD)
    notebook.cells.append(again("Read this:\n# Two hops.\nreturn 2 * 500 + int(bytes_ / 53.687)\n"))
    with pytest.raises(ToolError, match=r"^01\.ipynb, cell 2, line 2: also the solution"):
        exercise(notebook, "01.ipynb")


def test_a_code_cell_is_no_place_for_an_answer() -> None:
    notebook = solution(GOOD)
    notebook.cells[0].metadata["tags"] = ["answer"]
    with pytest.raises(ToolError, match="only a text cell"):
        exercise(notebook, "01.ipynb")


def test_what_is_written_passes_the_check_and_is_the_same_again(project: Path) -> None:
    assert main(["--check"], project) == 1
    assert main([], project) == 0
    first = (project / "exercises" / "01.ipynb").read_bytes()
    assert main(["--check"], project) == 0
    assert main([], project) == 0
    assert (project / "exercises" / "01.ipynb").read_bytes() == first


def test_the_check_shows_the_lines_that_differ(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([], project)
    path = project / "exercises" / "01.ipynb"
    path.write_text(path.read_text().replace("How many steps?", "How few steps?"))
    assert main(["--check"], project) == 1
    shown = capsys.readouterr().out
    assert "-    # How few steps?" in shown
    assert "+    # How many steps?" in shown


def test_files_that_are_stale_or_broken_are_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([], project)
    stale = project / "exercises" / "02.ipynb"
    stale.write_text("{}")
    assert main([], project) == 1
    assert "exercises/02.ipynb: no solution has this name" in capsys.readouterr().err
    stale.rename(project / "solutions" / "02.ipynb").write_text("{\n broken")
    assert main([], project) == 1
    assert "solutions/02.ipynb, line 2: invalid JSON" in capsys.readouterr().err
