"""The site of `make docs`: its pages exist, its modules too, and its links point to pages."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tools import docs
from tools.docs_nav import there

ROOT = Path(__file__).resolve().parents[2]


def pages(entries: list[object]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                yield from pages(value)
            else:
                yield value


def navigation() -> list[str]:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return list(pages(yaml.safe_load(text)["nav"]))


@pytest.fixture(scope="module")
def gathered(tmp_path_factory):
    """The folder from which the site is built."""
    folder = tmp_path_factory.mktemp("docs") / "source"
    docs.gather(source=folder)
    return folder


def test_every_page_is_there_once_and_every_notebook_is_a_page(gathered):
    there = {str(path.relative_to(gathered)) for path in gathered.rglob("*.*")}
    assert sorted(navigation()) == sorted(there - {"site.css", "growth.svg", "errors.svg"})


def test_an_instructor_s_page_links_to_the_notebooks_it_names(gathered):
    plan = (gathered / "instructor" / "three_hours.md").read_text(encoding="utf-8")
    links = re.findall(r"\[(\w+)\]\((\S+)\)", plan)
    assert ("00_start_here", "../notebooks/00_start_here.ipynb") in links
    assert [name for name, link in links if not (gathered / "instructor" / link).is_file()] == []
    assert len(links) == len(
        re.findall(r"\b(?:ex\d|\d\d)\w*_\w+", (ROOT / "docs/instructor/three_hours.md").read_text())
    )


def test_the_course_s_site_has_no_page_with_answers(tmp_path):
    source = tmp_path / "source"
    docs.gather(source=source, answers=False)
    assert [path.name for path in (source / "instructor").iterdir()] == ["index.md"]
    assert "45.681" not in (source / "instructor" / "index.md").read_text(encoding="utf-8")
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    assert {"For instructors": ["instructor/index.md"]} in there(nav, source)
    assert len(list(pages(there(nav, source)))) == len(navigation()) - 7
    assert there(nav, tmp_path) == []


def test_notebooks_link_to_pages(gathered):
    for notebook in gathered.rglob("*.ipynb"):
        for link in re.findall(r"\]\(([^)\s:]+?\.(?:html|ipynb))", notebook.read_text(encoding="utf-8")):
            assert (notebook.parent / link).with_suffix(".ipynb").exists(), (notebook.name, link)
            assert link.endswith(".html")


def test_every_module_that_a_page_describes_exists():
    pages = (ROOT / "docs").rglob("*.md")
    named = {name for page in pages for name in re.findall(r"^::: ([\w.]+)", page.read_text(), re.MULTILINE)}
    files = {name: ROOT / name.replace(".", "/") for name in named}
    assert named
    assert [n for n, f in files.items() if not (f.with_suffix(".py").exists() or (f / "__init__.py").exists())] == []
