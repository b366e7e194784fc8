"""The site of `make docs`: its pages exist, its modules too, and its links point to pages."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools import docs

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


def test_every_page_is_there_once_and_every_notebook_is_a_page(tmp_path):
    docs.gather(source=tmp_path / "source")
    there = {str(path.relative_to(tmp_path / "source")) for path in (tmp_path / "source").rglob("*.*")}
    assert sorted(navigation()) == sorted(there - {"site.css"})


def test_notebooks_link_to_pages(tmp_path):
    docs.gather(source=tmp_path / "source")
    for notebook in (tmp_path / "source").rglob("*.ipynb"):
        for link in re.findall(r"\]\(([^)\s:]+?\.(?:html|ipynb))", notebook.read_text(encoding="utf-8")):
            assert (notebook.parent / link).with_suffix(".ipynb").exists(), (notebook.name, link)
            assert link.endswith(".html")


def test_every_module_that_a_page_describes_exists():
    pages = (ROOT / "docs").rglob("*.md")
    named = {name for page in pages for name in re.findall(r"^::: ([\w.]+)", page.read_text(), re.MULTILINE)}
    files = {name: ROOT / name.replace(".", "/") for name in named}
    assert named
    assert [n for n, f in files.items() if not (f.with_suffix(".py").exists() or (f / "__init__.py").exists())] == []
