"""What a person sees, read back from a page: colours as painted, signs, places, and what a canvas was told to draw."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

COLOURS = {  # as a person calls them; (on light, on dark)
    "orange": ("rgb(213, 94, 0)", "rgb(240, 145, 63)"),
    "blue": ("rgb(0, 114, 178)", "rgb(86, 180, 233)"),
    "pale orange": ("rgb(253, 230, 211)", "rgb(253, 230, 211)"),
    "pale blue": ("rgb(220, 238, 249)", "rgb(220, 238, 249)"),
    "light orange": ("rgb(248, 207, 166)", "rgb(138, 74, 20)"),
    "light blue": ("rgb(201, 226, 243)", "rgb(31, 78, 110)"),
    "phase orange": ("rgb(253, 230, 211)", "rgb(138, 74, 20)"),
    "phase blue": ("rgb(220, 238, 249)", "rgb(31, 78, 110)"),
    "green": ("rgb(0, 105, 79)", "rgb(10, 127, 98)"),
    "paper": ("rgb(255, 255, 255)", "rgb(22, 24, 27)"),
    "ink": ("rgb(27, 27, 27)", "rgb(236, 236, 236)"),
    "soft": ("rgb(89, 89, 89)", "rgb(180, 180, 180)"),
    "faint": ("rgb(240, 240, 240)", "rgb(38, 41, 45)"),
}
SCHEMES = ("light", "dark")

READING = Path(__file__).parent / "reading"


class Later:
    """A widget, or its data, made when something of it is first asked for: who collects a test may not run it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def __getitem__(self, key: str) -> Any:
        return self._made[key]


def script(name: str) -> str:
    """A function or a script that runs in the page, of reading/."""
    return (READING / f"{name}.js").read_text(encoding="utf-8")


def saved(view: Any, moved: bool = False) -> str:
    """A widget's page. moved: with the other settings that it can be moved to, which take long to simulate."""
    with pytest.MonkeyPatch.context() as patch:
        if not moved:
            patch.setattr("astra_edu.course.instruments.instrument.grid", lambda settings, shown: [shown])
        return view.page()


def recording(html: str) -> str:
    """The page with recorder.js in it: every canvas keeps what is drawn on it, see there."""
    return html.replace("<head>", f"<head><script>{script('recorder')}</script>", 1)


def drawn(page: Any, canvas: str) -> list[dict[str, Any]]:
    """What is on the canvas that a selector finds: see recorder.js."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.evaluate("(selector) => document.querySelector(selector).astraDrawn", canvas)


def texts(entries: list[dict[str, Any]]) -> dict[str, list[float]]:
    """{text: its box} of a canvas."""
    return {entry["text"]: entry["box"] for entry in entries if entry["what"] == "text"}


def legend(page: Any, selector: str) -> dict[str, tuple[str, str, list[str]]]:
    """{name: (fill, hatch, texts on it)} of a legend whose keys are small canvases."""
    keys = page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((key) =>
          [key.textContent, key.querySelector("canvas").astraDrawn])""",
        selector,
    )
    found = {}
    for name, entries in keys:
        fills = [entry["style"] for entry in entries if entry["what"] == "fill" and entry["box"][2] > 25]
        written = [entry["text"] for entry in entries if entry["what"] == "text"]
        found[name] = (fills[0], fills[1] if len(fills) > 1 else "", written)
    return found


def numbers(text: str) -> list[float]:
    """All numbers in a text, such as an SVG path."""
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text)]


def colour(name: str, scheme: str) -> str:
    """A colour of COLOURS as the browser says it."""
    return COLOURS[name][SCHEMES.index(scheme)]


def shade(pair: tuple[str, str], scheme: str) -> str:
    """Of two colours such as "#d55e00", on light and on dark, one as the browser says it."""
    found = pair[SCHEMES.index(scheme)]
    return f"rgb({', '.join(str(int(found[k : k + 2], 16)) for k in (1, 3, 5))})"
