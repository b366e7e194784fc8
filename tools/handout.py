"""Notebooks, exercises and solutions as sheets: HTML and PDF, with nothing from the network (`make handout`).

python -m tools.handout [--html] [--no-solutions] [--out FOLDER] [name ...]: those with a word in their name, else all.
What is printed is what the notebooks have stored; nothing is run. Animations become their steps, side by side. PDFs are
made by Chromium or Chrome, through Playwright.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

from astra_edu.base.printable import never_fails
from tools.handout_room import leave_room, lines_of_solution
from tools.handout_steps import still

ROOT = Path(__file__).resolve().parent.parent
STYLE = Path(__file__).with_suffix(".css")
FOLDERS = {"notebooks": "Notebooks", "exercises": "Exercises", "solutions": "Solutions: these have the answers"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
ANSWERS = '<p class="answers">This sheet has the answers in it.</p>'
TEXT_PT, SIGN = 500, 0.602
"""Points between the margins, and the width of a sign as a share of its size."""
FOOT = (
    '<div style="font-size:8px;width:100%;padding:0 14mm;display:flex;justify-content:space-between">'
    '<span class="title"></span><span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>'
)


def sheet(path: Path) -> str:
    """A notebook as one HTML page."""
    notebook = nbformat.read(path, as_version=4)
    exporter = HTMLExporter(template_name="basic", exclude_anchor_links=True)
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    body = BeautifulSoup(exporter.from_notebook_node(notebook)[0], "html.parser")
    for link in body.select("a[href]"):
        link["href"] = re.sub(r"\.ipynb(?=$|#)", ".html", str(link["href"]))
    printed: dict[object, str] = {}
    for figure in body.select("figure"):
        still(figure, printed)
    for folded in body.select("details"):
        folded["open"] = ""
    for text in body.select(".output pre"):
        shrink(text)
    if path.parent.name == "exercises":
        leave_room(body, lines_of_solution(path))
    return page(title_of(notebook), (ANSWERS if path.parent.name == "solutions" else "") + str(body))


def title_of(notebook: Any) -> str:
    """The first heading."""
    return next(line.lstrip("# ") for cell in notebook.cells for line in cell.source.splitlines() if line[:1] == "#")


def page(title: str, body: str) -> str:
    """An HTML page with the styles in it."""
    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark"))
    colours = f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{colours}\n{STYLE.read_text(encoding='utf-8')}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def shrink(text: Tag) -> None:
    """Make a table as small as its long lines ask for, but not under 5 points. Prose is broken instead."""
    lengths = sorted(map(len, text.get_text().splitlines()))
    most = int(TEXT_PT / (SIGN * 8.5))
    if len([length for length in lengths if length > most]) > 2:
        text["style"] = f"font-size: {max(TEXT_PT / (SIGN * lengths[-1]), 5):.1f}pt"


def index(made: dict[str, list[tuple[str, str]]], pdf: bool) -> str:
    """The page with links to all sheets. made: (file, title) by folder."""
    lines = ["<h1>astra_edu: sheets</h1>"]
    for folder, sheets in made.items():
        lines.append(f"<h2>{FOLDERS[folder]}</h2><ul>")
        for name, title in sheets:
            paper = f' (<a href="{folder}/{name}.pdf">PDF</a>)' if pdf else ""
            lines.append(f'<li><a href="{folder}/{name}.html">{html.escape(title)}</a>{paper}</li>')
        lines.append("</ul>")
    return page("astra_edu: sheets", "\n".join(lines))


def print_all(sheets: list[Path]) -> str:
    """Make a PDF beside each HTML page. Returns what kept it from that, in a sentence, or ""."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return 'The HTML is there; PDFs want Playwright: pip install -e ".[handout]".'
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        except Error:
            return (
                "The HTML is there; PDFs want a browser: python -m playwright install chromium "
                "(or sudo apt install chromium)."
            )
        tab = chromium.new_page()
        for path in sheets:
            tab.goto(path.resolve().as_uri())
            tab.pdf(
                path=path.with_suffix(".pdf"),
                prefer_css_page_size=True,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=FOOT,
                outline=True,
                tagged=True,
            )
        chromium.close()
    return ""


def main(words: list[str]) -> int:
    never_fails(sys.stdout)
    parser = argparse.ArgumentParser(prog="python -m tools.handout", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="words in the names of notebooks; without one, all")
    parser.add_argument("--html", action="store_true", help="no PDF")
    parser.add_argument("--no-solutions", action="store_true", help="what students may have")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "handout")
    given = parser.parse_args(words)
    made: dict[str, list[tuple[str, str]]] = {}
    sheets: list[Path] = []
    for folder in [name for name in FOLDERS if not (given.no_solutions and name == "solutions")]:
        for path in sorted((ROOT / folder).glob("*.ipynb"), key=in_order):
            if given.names and not any(name in f"{folder}/{path.stem}" for name in given.names):
                continue
            out = given.out / folder / f"{path.stem}.html"
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(sheet(path), encoding="utf-8")
            made.setdefault(folder, []).append((path.stem, title_of(nbformat.read(path, as_version=4))))
            sheets.append(out)
    if not sheets:
        print(f"No notebook's name has {' or '.join(given.names)} in it.", file=sys.stderr)
        return 2
    (given.out / "index.html").write_text(index(made, pdf=not given.html), encoding="utf-8")
    wrong = "" if given.html else print_all(sheets)
    if wrong:
        (given.out / "index.html").write_text(index(made, pdf=False), encoding="utf-8")
    print(f"{given.out / 'index.html'}: {len(sheets)} sheets.")
    if wrong:
        print(wrong, file=sys.stderr)
    return 1 if wrong else 0


def in_order(path: Path) -> tuple[int, str]:
    """ex2 before ex10."""
    number = re.search(r"\d+", path.stem)
    return int(number[0]) if number else 0, path.stem


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
