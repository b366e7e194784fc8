"""Players in a web page of their own: the widget's module, its styles and its data in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from astra_edu.course.widgets import picture

STATIC = Path(__file__).parent / "static"

STUB = """
const stub = (state) => {
  const heard = {};
  return {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      (heard["change:" + name] ?? []).forEach((hear) => hear());
    },
    save_changes() {},
    on(name, hear) { (heard[name] ??= []).push(hear); },
    off(name, hear) { heard[name] = (heard[name] ?? []).filter((other) => other !== hear); },
  };
};
window.astraWidget = widget;
window.astraModels = JSON.parse(document.getElementById("astra-states").textContent).map(stub);
document.querySelectorAll(".astra-handout").forEach((el, i) => widget.render({ model: window.astraModels[i], el }));
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem auto; padding: 0 1rem; max-width: 1100px; font-family: system-ui, sans-serif; }}
.astra-handout {{ margin-bottom: 2rem; }}
{css}
.astra-player {{ color-scheme: inherit; }}
</style>
</head>
<body>
{places}
<script type="application/json" id="astra-states">{states}</script>
<script type="module">
{module}
{stub}
</script>
</body>
</html>
"""


def page(states: Sequence[dict[str, Any]], title: str) -> str:
    """An HTML page with one player for each of `states` (see Player.state)."""
    module = (STATIC / "player.js").read_text(encoding="utf-8")
    return PAGE.format(
        title=escape(title),
        css=(STATIC / "player.css").read_text(encoding="utf-8"),
        places="\n".join(
            f'<div class="astra-handout"></div><noscript>{picture.svg(s["data"], s["step"])}</noscript>' for s in states
        ),
        states=json.dumps(list(states), ensure_ascii=False, sort_keys=True).replace("<", "\\u003c"),
        module=module.replace("export default", "const widget ="),
        stub=STUB,
    )
