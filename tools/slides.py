"""Decks of the notebooks for a projector, with live instruments and nothing from the network (`make slides`).

python -m tools.slides [--out FOLDER] [name ...]: those with a word in their name, else all. A deck is one HTML file,
which opens from a folder; its instruments are pages beside it, which play without Python. Slides follow from the
headings: one of the first or second level begins a column, what doesn't fit goes below it. The notebooks are run for
that.
"""

from __future__ import annotations

import argparse
import html
import os
import shutil
import struct
import sys
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
from bs4 import BeautifulSoup, Tag
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

from astra_edu.base.printable import never_fails
from astra_edu.course.widgets.view import View
from tools.handout import ROOT, title_of
from tools.handout_steps import still
from tools.slides_live import LIVE, only_shows

STYLE, START = (Path(__file__).with_suffix(suffix) for suffix in (".css", ".js"))
ROOM = 600
"""Pixels of a slide that parts may fill."""
TABLE_ROWS, TEXT_LINES = 15, 24
COLUMNS, WIDEST, LETTERS = 115, 160, 17
"""Letters in a line; in one that is printed smaller and not broken; their height in pixels."""


@dataclass(frozen=True)
class Part:
    """A piece of a slide. level: of the heading that it is, else 0; height: about how many pixels it takes; fresh: it
    begins a slide. live: it is an instrument."""

    html: str
    height: int
    level: int = 0
    fresh: bool = False
    live: bool = False


def reveal() -> Path:
    """The folder of reveal.js, which the package sphinx-revealjs brings as files. Raises FileNotFoundError."""
    found = find_spec("sphinx_revealjs")
    if not found or not found.submodule_search_locations:
        raise FileNotFoundError('Slides want reveal.js: pip install -e ".[handout]".')
    return Path(found.submodule_search_locations[0], "_static", "revealjs", "dist")


def views_of(notebook: Any, folder: Path) -> list[list[View]]:
    """The widgets that each cell shows when the notebook runs in a folder."""
    shown: list[View] = []
    original = View._repr_mimebundle_

    def noted(self: View, **kwargs: Any) -> Any:
        shown.append(self)
        return original(self, **kwargs)

    found: list[list[View]] = []
    shell, home = InteractiveShell.instance(), Path.cwd()
    shell.reset()
    os.chdir(folder)
    View._repr_mimebundle_ = noted  # type: ignore[method-assign]
    try:
        for cell in notebook.cells:
            shown.clear()
            if cell.cell_type == "code":
                with capture_output():
                    shell.run_cell(cell.source)
            found.append(list(shown))
    finally:
        View._repr_mimebundle_ = original  # type: ignore[method-assign]
        os.chdir(home)
    return found


def parts_of(cell: Any, pages: Mapping[str, str]) -> Iterator[Part]:
    """What a cell puts on slides. pages: the addresses of its instruments' pages, and what they are."""
    exporter = HTMLExporter(template_name="basic", exclude_anchor_links=True)
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    one = nbformat.v4.new_notebook(cells=[cell])
    made = BeautifulSoup(exporter.from_notebook_node(one)[0], "html.parser")
    for folded in made.select(".text_cell_render details"):
        folded.unwrap()
    for summary in made.select(".text_cell_render summary"):
        summary.name = "h4"
    if cell.cell_type == "markdown":
        for block in made.select(".text_cell_render > *"):
            if block.name in ("h1", "h2", "h3", "h4"):
                yield Part(str(block), height(block), int(block.name[1]), fresh=block.name < "h4")
            else:
                yield from pieces(block)
        return
    for wide in made.select("pre"):
        if COLUMNS < (longest := max(map(len, wide.get_text().splitlines()), default=0)) <= WIDEST:
            wide["style"] = f"font-size: {LETTERS * COLUMNS / longest:.1f}px"
    folded = cell.metadata.get("jupyter", {})
    for code in [] if folded.get("source_hidden") or only_shows(cell.source) else made.select(".highlight"):
        yield Part(str(code), height(code))
    for address, name in pages.items():
        yield Part(
            f'<iframe data-src="{address}" title="{html.escape(name)}, live"></iframe>'
            '<p class="keys">Click into it to use it; Esc: back to the slides.</p>',
            ROOM,
            live=True,
        )
    predicted = folded.get("outputs_hidden", False)
    for output in [] if pages else made.select(".output_subarea"):
        for figure in output.select("figure"):
            for more in figure.select("details"):
                more.decompose()
            still(figure, {})
        for part in pieces(output):
            yield replace(part, fresh=predicted)
            predicted = False


def pieces(output: Tag) -> Iterator[Part]:
    """A block or an output; a figure and its table apart; what no slide has room for, in pieces."""
    under = [table.extract() for table in output.select("figcaption pre")]
    tall = height(output)
    text, table = output.find("pre"), output.find("tbody")
    if tall <= ROOM or output.find("img"):
        yield Part(str(output), tall)
    elif isinstance(table, Tag):
        rows = table.find_all("tr")
        for start in range(0, len(rows), TABLE_ROWS):
            for row in rows:
                row.extract()
            table.extend(rows[start : start + TABLE_ROWS])
            yield Part(str(output), height(output))
    elif isinstance(text, Tag):
        lines = text.get_text().strip("\n").splitlines()
        for start in range(0, len(lines), TEXT_LINES):
            text.string = "\n".join(lines[start : start + TEXT_LINES])
            yield Part(str(output), min(height(output), ROOM))
    for one in under:
        yield from pieces(one)


def height(block: Tag) -> int:
    """About how many pixels a block takes on a slide."""
    if block.select("svg"):
        return ROOM
    if pictures := block.select("img"):
        return min(ROOM, sum(map(drawn, pictures)) + sum(height(words) for words in block.select("figcaption p")))
    if block.name == "pre" or block.select("pre"):
        return sum(23 * (1 + len(line) // COLUMNS) for line in block.get_text().strip().splitlines()) + 16
    rows = len(block.select("tr"))
    items = block.select("li") or [block]
    return rows * 32 if rows else sum(37 * (1 + len(item.get_text()) // 88) for item in items) + 16


def drawn(picture: Tag) -> int:
    """The height in which a picture is shown; a PNG says its size near its start."""
    kind, _, data = str(picture["src"]).partition(",")
    if "png" not in kind:
        return ROOM
    wide, high = struct.unpack(">II", b64decode(data)[16:24])
    return round(high * min(1, 1200 / wide))


def slides(parts: Sequence[Part]) -> list[list[list[Part]]]:
    """Columns of slides: a heading of level 1 or 2 begins a column; a slide is full when nothing more fits, and never
    ends with a heading. Above an instrument without one stands, small, that of its section."""
    columns: list[list[list[Part]]] = []
    under = ""
    for part in parts:
        if part.level in (1, 2, 3):
            under = BeautifulSoup(part.html, "html.parser").get_text()
        if not columns or part.level in (1, 2):
            columns.append([[]])
        slide = columns[-1][-1]
        full = sum(one.height for one in slide) + part.height > ROOM
        if (full or part.fresh) and not all(one.level for one in slide):
            columns[-1].append([])
            while slide[-1].level:
                columns[-1][-1].insert(0, slide.pop())
        if part.live and not any(one.level for one in columns[-1][-1]):
            columns[-1][-1].insert(0, Part(f'<p class="under">{html.escape(under)}</p>', 0))
        columns[-1][-1].append(part)
    return columns


def deck(title: str, columns: Sequence[Sequence[Sequence[Part]]]) -> str:
    """The HTML of a deck."""
    body = "\n".join(
        "<section>"
        + "\n".join(f"<section><div class='fit'>{''.join(p.html for p in s)}</div></section>" for s in column)
        + "</section>"
        for column in columns
    )
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    links = "".join(f'<link rel="stylesheet" href="reveal/{name}.css">' for name in ("reset", "reveal", "theme/white"))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{links}'
        f"<style>{colours}\n{STYLE.read_text(encoding='utf-8')}</style></head><body>"
        f'<div class="reveal"><div class="slides">\n{body}\n</div></div>'
        f'<script src="reveal/reveal.js"></script><script>{START.read_text(encoding="utf-8")}</script></body></html>\n'
    )


def make(path: Path, out: Path) -> str:
    """Write a notebook's deck and its instruments' pages. Returns its title."""
    notebook = nbformat.read(path, as_version=4)
    live = out / path.stem
    live.mkdir(parents=True, exist_ok=True)
    parts: list[Part] = []
    for number, (cell, views) in enumerate(zip(notebook.cells, views_of(notebook, path.parent), strict=True)):
        pages = {f"{path.stem}/{number}-{k}.html": type(view).__name__ for k, view in enumerate(views)}
        for address, view in zip(pages, views, strict=True):
            (out / address).write_text(view.page().replace("</body>", f"{LIVE}</body>"), encoding="utf-8")
        parts += parts_of(cell, pages)
    title = title_of(notebook)
    (out / f"{path.stem}.html").write_text(deck(title, slides(parts)), encoding="utf-8")
    return title


def main(words: list[str]) -> int:
    never_fails(sys.stdout)
    parser = argparse.ArgumentParser(prog="python -m tools.slides", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="words in the names of notebooks; without one, all")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "slides")
    given = parser.parse_args(words)
    os.environ["ASTRA_EDU_PROGRESS"] = "off"
    found = sorted((ROOT / "notebooks").glob("*.ipynb"))
    chosen = [path for path in found if not given.names or any(name in path.stem for name in given.names)]
    if not chosen:
        print(f"No notebook's name has {' or '.join(given.names)} in it.", file=sys.stderr)
        return 2
    try:
        shutil.copytree(reveal(), given.out / "reveal", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.map"))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    for path in chosen:
        print(f"{given.out / path.stem}.html: {make(path, given.out)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
