"""One path: 00's tables, the map with its progress, and what each notebook and exercise leads on to."""

import re
from itertools import chain, pairwise
from pathlib import Path

import pytest

from astra_edu.course.check.standing import PATHS
from tools.notebooks import read

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| \[([^\]]+)\]\((\S+)\) \| (.+) \| \d+ \|$", re.MULTILINE)
ONWARD = re.compile(r"^(?:This path ends here\. )?Next: .*$", re.MULTILINE)


def texts(path):
    return [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]


def stop(link):
    """The name of a notebook or exercise on the map."""
    name = Path(link).stem
    return name.split("_")[0] if name.startswith("ex") else name


def file(name):
    """Where a stop is; exercises are made from solutions, texts included."""
    if name.startswith("ex"):
        return next((ROOT / "exercises").glob(f"{name}_*.ipynb"))
    return ROOT / "notebooks" / f"{name}.ipynb"


TABLE = [
    (label, ROOT / "notebooks" / link, re.sub(r"<[^>]+>", "", question))
    for text in texts(ROOT / "notebooks" / "00_start_here.ipynb")
    for label, link, question in ROW.findall(text)
]
STOPS = list(chain.from_iterable(PATHS.values()))


def test_the_tables_of_the_first_notebook_are_the_map():
    assert [stop(path) for _, path, _ in TABLE] == STOPS


@pytest.mark.parametrize(("here", "onward"), list(pairwise(STOPS)))
def test_each_leads_on_to_the_next_by_its_name_and_question(here, onward):
    [line] = [line for text in texts(file(here)) for line in ONWARD.findall(text)]
    label, link, question = re.fullmatch(r".*Next: \[([^\]]+)\]\((\S+)\)\. (.+)", line).groups()
    assert stop(link) == onward
    assert ((file(here).parent / link).resolve(), (label, re.sub(r"<[^>]+>", "", question))) == (
        file(onward).resolve(),
        next((label, question) for label, path, question in TABLE if stop(path) == onward),
    )
    assert line.startswith("This path ends here.") == any(here == stops[-1] for stops in PATHS.values())


def test_the_last_leads_back_to_the_map():
    [line] = [line for text in texts(file(STOPS[-1])) for line in ONWARD.findall(text)]
    assert "(00_start_here.ipynb)" in line
