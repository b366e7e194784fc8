"""Widgets in a web page of their own: their module, their styles and their data in one file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from astra_edu.course.widgets.bundle import STATIC

if TYPE_CHECKING:
    from astra_edu.course.widgets.view import View

_START = """
window.astraWidget = widget;
window.astraModels = JSON.parse(document.getElementById("astra-states").textContent).map((state) => stubModel(state));
document.querySelectorAll(".astra-handout").forEach((el, i) => widget.render({ model: window.astraModels[i], el }));
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem auto; padding: 0 1rem; max-width: 1100px; font-family: system-ui, sans-serif; }}
.astra-handout {{ margin-bottom: 2rem; }}
h1 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }} /* widgets show it */
{css}
.astra-widget {{ color-scheme: inherit; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{places}
</main>
<script type="application/json" id="astra-states">{states}</script>
<script type="module">
{module}
{{
{stub}{start}}}
</script>
</body>
</html>
"""


def page(views: Sequence[View], title: str = "") -> str:
    """An HTML page with one or more widgets of a kind; for browsers without scripts, their pictures and words."""
    return document(
        title or views[0].data["title"],
        str(views[0]._css),
        str(views[0]._esm),
        [view.state() for view in views],
        [view.still() + (f"<pre>{escape(view.instead())}</pre>" if view.instead() else "") for view in views],
    )


def document(title: str, css: str, module: str, states: Sequence[dict[str, Any]], instead: Sequence[str]) -> str:
    """An HTML page with a widget for each of `states`, and what stands `instead` of it where no scripts run."""
    return _PAGE.format(
        title=escape(title),
        css=css,
        places="\n".join(f'<div class="astra-handout"></div><noscript>{still}</noscript>' for still in instead),
        states=as_json(list(states)).replace("<", "\\u003c"),
        module=module.replace("export default", "const widget ="),
        stub=(STATIC / "frame/stub.js").read_text(encoding="utf-8").replace("export ", ""),
        start=_START,
    )


def as_json(data: Any) -> str:
    """What a view gets, as text; columns of numbers in base64."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_base64)


def _base64(columns: bytes) -> str:
    return b64encode(columns).decode()
