"""Instruments on slides: as large as their frame allows, with a way to what lies below it, and without their call."""

from __future__ import annotations

import ast

LEAST_ZOOM = 0.7
"""Text of an instrument is 9 pixels high then, of a slide's 720."""
LIVE = f"""<style>
#more {{ position: fixed; right: 8px; bottom: 8px; padding: 4px 12px; font: 600 18px system-ui, sans-serif;
  color: #fff; background: #0057a3; border: 2px solid #fff; border-radius: 6px; }}
#more[hidden] {{ display: none; }}
</style>
<button id="more" hidden>more below ↓</button>
<script>
addEventListener("keydown", (event) => {{
  if (event.key === "Escape") parent.postMessage("back to the slides", "*");
}}, true);
const page = document.documentElement, more = document.getElementById("more");
const below = () => {{ more.hidden = page.scrollHeight - page.clientHeight - page.scrollTop < 3; }};
const fit = () => {{
  let zoom = 1.15;
  do page.style.zoom = zoom; while (page.scrollHeight > page.clientHeight && (zoom -= 0.05) > {LEAST_ZOOM - 0.01});
  below();
}};
more.onclick = () => scrollBy(0, 0.8 * page.clientHeight);
addEventListener("scroll", below);
new ResizeObserver(fit).observe(document.body);
</script>"""


def only_shows(source: str) -> bool:
    """Whether code does nothing but import, or show an instrument with its settings as they are written."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    return bool(body) and all(isinstance(node, ast.Import | ast.ImportFrom) or _shows(node) for node in body)


def _shows(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="ae"), attr=name)) as call):
            return name[:1].isupper() and not any(
                isinstance(one, ast.Call) for one in ast.walk(call) if one is not call
            )
    return False
