"""The glossary is one: its table in notebook 00, and the words that notebooks explain where they first stand."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from astra_edu.course.glossary import GLOSSARY, PATTERN, meant
from tools.words import ROOT, main, marked, table

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TITLE = '<abbr title="An accelerator (a GPU, a TPU) with its memory. It computes and has links to others.">'


def markdown(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_explains_its_words_as_the_glossary_has_them(path, capsys):
    assert main(["--check", str(path)]) == 0, capsys.readouterr().out
    text = "\n".join(markdown(path))
    found = [
        (title, " ".join(form.split())) for title, form in re.findall(r'<abbr title="([^"]*)">([^<]*)</abbr>', text)
    ]
    meanings = {form: word.meaning for word in GLOSSARY for form in word.forms}
    assert found
    assert [unescape(title) for title, _ in found] == [
        meanings.get(form) or meanings[form.lower()] for _, form in found
    ]
    assert len({title for title, _ in found}) == len(found)  # each once


def test_notebook_00_has_every_word_in_its_table():
    (cell,) = (cell for cell in markdown(NOTEBOOKS[0]) if cell.startswith("## Words"))
    rows = [line.strip("| ").split(" | ") for line in cell.splitlines()[4:]]
    assert rows == [[word.name, word.meaning] for word in GLOSSARY]
    assert cell == table()


def test_a_word_is_explained_where_it_first_stands_and_nowhere_else():
    first, second = marked(["# An NPU\nof `NPU` and [NPUs](NPU.md), an **NPU**, an NPU", "An NPU"])
    assert first == f"# An NPU\nof `NPU` and [NPUs](NPU.md), an **{TITLE}NPU</abbr>**, an NPU"
    assert second == "An NPU"


@pytest.mark.parametrize(
    "text",
    [
        "```python\nNPU\n```",
        "$NPU$ and $$\nNPU\n$$",
        "https://example.org/NPU",
        '<img alt="NPU">',
        "non-NPU and NPU-like and NPUx",
    ],
)
def test_what_is_no_text_stays(text):
    assert marked([text]) == [text]


def test_to_write_twice_is_to_write_once():
    once = marked(["All-reduces of **chunks**", "chunks on an NPU: 3 | 4"])
    assert marked(once) == once
    assert once[0].startswith("<abbr")
    assert once[0].count("<abbr") == 2


def test_a_word_that_means_something_else_stays():
    assert marked(["two dimensions"], {"dimension"}) == ["two dimensions"]


def test_words_in_a_changed_notebook_are_missed(tmp_path, capsys):
    source = NOTEBOOKS[0].read_text(encoding="utf-8")
    path = tmp_path / NOTEBOOKS[0].name
    path.write_text(source.replace("Eight <abbr", "Eight NPU, <abbr", 1), encoding="utf-8")
    assert main(["--check", str(path)]) == 1
    assert "run python -m tools.words" in capsys.readouterr().out
    assert main([str(path)]) == 0
    assert main(["--check", str(path)]) == 0


def test_what_is_no_notebook_is_said(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text("{}", encoding="utf-8")
    assert main([str(tmp_path / "a.ipynb")]) == 2
    assert "not a notebook" in capsys.readouterr().err


def test_every_form_is_found_as_its_own_word():
    forms = [(word, form) for word in GLOSSARY for form in word.forms]
    assert len({form.lower() for _, form in forms}) == len(forms)
    for word, form in forms:
        found = re.search(PATTERN, f"a {form}, b")
        assert found is not None, form
        assert (found[0], meant(found[0])) == (form, word)


def test_meanings_are_plain_sentences():
    names = [word.name for word in GLOSSARY]
    assert len(set(names)) == len(names)
    for word in GLOSSARY:
        assert word.meaning.endswith("."), word.name
        assert len(word.meaning) < 190, word.name
        assert not re.search(r'["<>|`]', word.meaning), word.name
