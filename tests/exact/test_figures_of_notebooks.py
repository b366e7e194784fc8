"""Every figure that notebooks and solutions print: as it is stored, and as it comes of each cell without a kernel.

`make test` runs the notebooks once, in kernels, and compares each output with the stored one, whose figures are these.
"""

import json
from pathlib import Path

import pytest
from fingerprints import figures
from without_kernel import printed

ROOT = Path(__file__).parents[2]
LONGEST_FIRST = ("14_", "22_", "24_", "21_", "15_", "ex10_")
NOTEBOOKS = sorted(
    [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("solutions/*.ipynb")],
    key=lambda path: (not path.name.startswith(LONGEST_FIRST), path.name),
)


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
    for cell, text in printed(path, monkeypatch).items():
        fingerprint(f"{path.stem}, cell {cell}", figures(text))
