"""No notebook shows the answer to a prediction before it is made."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tools.notebooks import read

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
TOLD = "(the stored output is folded until then)"
"""JupyterLab unfolds an output when its cell is run: nothing is left to be opened."""


def asked(notebook):
    """The code cells that stand directly below a prediction, and whether each is a widget, which asks by itself."""
    for cell, following in zip(notebook.cells, notebook.cells[1:], strict=False):
        if cell.cell_type == "markdown" and re.search(r"\*\*Predict\b", cell.source) and following.cell_type == "code":
            said = "".join(output.get("data", {}).get("text/plain", "") for output in following.outputs)
            yield following, "run this cell" in said


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_result_below_a_prediction_is_folded(path):
    notebook = read(path)
    below = [cell for cell, widget in asked(notebook) if cell.outputs and not widget]
    open_ = [cell.id for cell in below if not cell.metadata.get("jupyter", {}).get("outputs_hidden")]
    assert open_ == []
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    if below:
        assert any(TOLD in text for text in texts)
    assert not any("“…”" in text for text in texts)


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_a_notebook_opens_with_a_question_and_something_to_be_moved(path):
    first, *rest = read(path).cells
    assert re.search(r"\*\*[^*]*\?[^*]*\*\*", first.source, re.DOTALL), "no question in bold"
    code = next(cell for cell in rest if cell.cell_type == "code")
    lines = [line for line in code.source.splitlines() if line.strip()]
    assert lines[0] == "import astra_edu as ae"
    said = "".join(output.get("data", {}).get("text/plain", "") for output in code.outputs)
    assert "run this cell" in said
    assert len(lines) <= 8


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_said_of_a_folded_result_is_folded_too(path):
    cells = read(path).cells
    told = [
        after.id
        for cell, after in pairwise(cells)
        if cell.get("metadata", {}).get("jupyter", {}).get("outputs_hidden")
        and after.cell_type == "markdown"
        and not after.source.startswith(("<details><summary>What it shows", "#", "**Predict"))
    ]
    assert told == []
