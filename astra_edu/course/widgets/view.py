"""What all widgets have in common in Python: the words in place of a view, and a page of their own."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import anywidget

from astra_edu.base.files import write_text
from astra_edu.course.paper import on_paper
from astra_edu.course.widgets import handout
from astra_edu.course.widgets.film import film

FILM = "Watch its steps without running anything"
MOST_OF_A_FILM = 170_000
"""Letters."""


class View(anywidget.AnyWidget):
    """A widget that says what it shows as text, too, and can be saved as a page."""

    _use = "use it"
    """What running its cell is for."""
    _shared: tuple[str, ...] = ("data",)
    """The traits that its view needs to draw."""

    def summary(self) -> str:
        """What the view shows, as plain text; "" where its name says enough."""
        return ""

    def instead(self) -> str:
        """The words that stand where no view runs."""
        return self.summary()

    def still(self) -> str:
        """What the view shows, as SVG text; "" where it has no picture."""
        return ""

    def frames(self) -> list[str]:
        """What it shows at each step, as SVG texts, for where no script runs."""
        return []

    def state(self) -> dict[str, Any]:
        """What the view needs to draw, by name; live says whether there is a Python to ask for more."""
        return {name: getattr(self, name) for name in self._shared} | {"live": False}

    def page(self) -> str:
        """The widget as an HTML page that needs no kernel and no network."""
        return handout.page([self])

    def save_html(self, path: str | Path) -> Path:
        """Write one HTML file with what is on show; it needs no kernel and no network. Returns its path.

        Raises ConfigError where it can't be written.
        """
        return write_text(path, self.page())

    def _name(self) -> str:
        """What stands before the summary where no view runs."""
        return repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        lines = [f"{self._name()}: run this cell (Shift+Enter) to {self._use}", self.instead()]
        picture = self.still()
        text = "\n".join(filter(None, lines))
        return data | {"text/plain": text} | (
            framed(picture, text, self._use, self.frames()) if picture else {}
        ), metadata


def framed(picture: str, alt: str, use: str = "use it", frames: Sequence[str] = ()) -> dict[str, str]:
    """A still picture (SVG text) for where no view runs, as an output that notebooks show before they are trusted.

    frames: its steps, which play where somebody opens them, if they aren't too large for a notebook.
    """
    caption = f"Run this cell (Shift+Enter) to {escape(use)}."
    played = film(frames) if len(frames) > 1 else ""
    if 0 < len(played) <= MOST_OF_A_FILM:
        caption += (
            f'<details><summary>{FILM}</summary><img alt="The steps, one after the other, again and again." '
            f'src="{_address(played)}" style="max-width:100%;background:white"></details>'
        )
    return {"text/html": on_paper(_address(picture), alt, caption)}


def _address(picture: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
