"""What widgets with a text summary have in common: the words in place of a view, and a file of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget

from astra_edu.base.errors import ConfigError


class View(anywidget.AnyWidget):
    """A widget that says what it shows as text, too, and can be saved as a page."""

    _use = "use it"
    """What running its cell is for."""

    def summary(self) -> str:
        """What the view shows, as plain text."""
        raise NotImplementedError

    def page(self) -> str:
        """The widget as an HTML page that needs no kernel and no network."""
        raise NotImplementedError

    def save_html(self, path: str | Path) -> Path:
        """Write one HTML file with what is on show; it needs no kernel and no network. Returns its path.

        Raises ConfigError where it can't be written.
        """
        target = Path(path)
        try:
            target.write_text(self.page(), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{target} can't be written: {error.strerror}.") from error
        return target

    def _name(self) -> str:
        """What stands before the summary where no view runs."""
        return repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        text = f"{self._name()}: run this cell (Shift+Enter) to {self._use}\n{self.summary()}"
        return data | {"text/plain": text}, metadata
