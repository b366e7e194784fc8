"""The pages that need no kernel: the front, which plays at once, and one for each instrument."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import astra_edu as ae
from astra_edu.course.widgets.handout import page as page_of
from tools.site.wheels import ROOT

TITLE = "astra_edu: how distributed training works"
LAB = "lite/lab/index.html?path="
HERE = Path(__file__).parent
"""Where the pages' own style and worker are."""
KEEP = (HERE / "keep.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Page:
    """An instrument on a page of its own. name: of its file; says: what one moves and sees; notebook: where it is."""

    name: str
    says: str
    notebook: str
    make: Callable[[], Any]

    @property
    def path(self) -> str:
        """In the site."""
        return f"instruments/{self.name}.html"


ROW = re.compile(r"^\| `ae\.(\w+)\(\)` \| (.+?) \| (\d\d)[^|]*\|$", re.MULTILINE)


def instruments() -> list[Page]:
    """Those of README's table that need nothing to be given."""
    notebooks = {path.name[:2]: path.name for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    rows = ROW.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    return [Page(name, says.replace("`", ""), notebooks[number], getattr(ae, name)) for name, says, number in rows]


def build(site: Path, only: Collection[str] = ()) -> None:
    """Write them into the site's folder, with the worker that keeps them for when there is no network.

    only: names of instruments; all of them where there are none.
    """
    (site / "instruments").mkdir()
    pages = instruments()
    for page in (page for page in pages if page.name in only or not only):
        shown = page.make()
        (site / page.path).write_text(_with(shown.page(), _back(page), ""), encoding="utf-8")
    player = ae.Player(ae.schedule("all-reduce", "ring", 8))
    plain = page_of([player], TITLE).replace(f"<h1>{TITLE}</h1>\n", "", 1)  # the header has it, and shows it
    front = _with(plain, _front(), _list(pages))
    (site / "index.html").write_text(front, encoding="utf-8")
    for name in ("site.css", "sw.js"):
        (site / name).write_text((HERE / name).read_text(encoding="utf-8"), encoding="utf-8")


def _with(page: str, before: str, after: str) -> str:
    """A widget's page with something before and after it."""
    up = "" if after else "../"
    head = f'<link rel="stylesheet" href="{up}site.css">\n<link rel="icon" href="data:,">\n</head>'
    worker = f'<script type="module">navigator.serviceWorker?.register("{up}sw.js");\n{KEEP}</script>\n</body>'
    page = page.replace("</head>", head, 1).replace("<main>", f"{before}\n<main>", 1)
    return page.replace("</main>", f"</main>\n{after}", 1).replace("</body>", worker, 1)


def _front() -> str:
    return f"""<header>
<h1>{TITLE}</h1>
<p class="course">How does distributed deep-learning training work on real platforms? A course to watch, drag, break and
measure, on an exact simulator. Nothing to install: all of it runs in this tab.</p>
<p class="course links"><a class="go" href="{LAB}notebooks/00_start_here.ipynb">Open the course</a>
<a href="{LAB}exercises/ex1_getting_started.ipynb">Exercise 1</a> <a href="docs/index.html">Documentation</a></p>
<p class="narrow">The instruments on this page work on a screen as narrow as this; the course’s notebooks want a
wider one.</p>
<p>Press play: eight accelerators (NPUs) add up what each of them has, by a ring.</p>
</header>"""


def _list(pages: list[Page]) -> str:
    lines = "\n".join(
        f'<li><a href="{page.path}">{escape(page.name)}</a>: {escape(page.says)}. '
        f'<a href="{LAB}notebooks/{page.notebook}">notebook {page.notebook[:2]}</a></li>'
        for page in pages
    )
    return f"""<nav aria-labelledby="instruments">
<h2 id="instruments">Instruments to try at once, each on a page of its own</h2>
<ul>
{lines}
</ul></nav>"""


def _back(page: Page) -> str:
    return f"""<nav class="links"><a href="../index.html">← the course</a>
<a href="../{LAB}notebooks/{page.notebook}">the same, live, in notebook {page.notebook[:2]}</a></nav>"""
