"""Every figure that notebooks and solutions print: as it is stored, and as it comes of each cell without a kernel.

`make test` runs the notebooks once, in kernels, and compares each output with the stored one, whose figures are these.
"""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from fingerprints import figures

from astra_edu.course.check import record

ROOT = Path(__file__).parents[2]
LONGEST_FIRST = ("14_", "22_", "24_", "21_", "15_", "ex10_")
NOTEBOOKS = sorted(
    [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("solutions/*.ipynb")],
    key=lambda path: (not path.name.startswith(LONGEST_FIRST), path.name),
)


def printed(path):
    """{cell's id: all text that it prints or shows}."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shown = []
    plain = shell.display_formatter.format

    def keep(value, *args, **kwargs):
        data, metadata = plain(value, include={"text/plain", "text/html", "text/markdown"})
        page = data.get("text/html", "")
        if 'class="astra-card' in page or "data:image/svg" in page:  # a card or a picture says what its text says
            page = ""
        shown.append(page or data.get("text/markdown") or data.get("text/plain", ""))
        return {}, metadata

    shell.display_formatter.format = keep
    shell.push({"display": lambda *values, **kwargs: [keep(value) for value in values]})  # else it's another shell's
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        shown.clear()
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
            ran = shell.run_cell("".join(cell["source"]), store_history=False)
        raises = "raises-exception" in cell["metadata"].get("tags", ())
        assert ran.success or raises, f"{path.name}, cell {cell['id']}: {ran.error_in_exec or ran.error_before_exec}"
        found[cell["id"]] = "\n".join([*shown, out.getvalue()])
    return found


def stored(path):
    """All text that a notebook has stored, output by output, pictures left out."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            texts = output.get("data", output)
            kinds = ("text/html", "text/markdown", "text/plain", "text", "evalue")
            yield from ("".join(texts[kind]) for kind in kinds if kind in texts)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_figures(path, fingerprint):
    fingerprint(f"{path.stem}, as it is stored", [figures(text) for text in stored(path)])


@pytest.mark.thorough
@pytest.mark.filterwarnings("error:.*the old name goes with release:DeprecationWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_figures(path, fingerprint, monkeypatch, registries):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(record, "_SESSION", record._Session())  # another notebook's answers are none of this one's
    for cell, text in printed(path).items():
        fingerprint(f"{path.stem}, cell {cell}", figures(text))
