"""The what-if view's parts: sliders over fixed values, menus, headings, and text that a browser can copy."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any

import anywidget
import ipywidgets
import traitlets

from astra_edu.base.units import format_bytes
from astra_edu.course.widgets.bundle import script, style


class Words(anywidget.AnyWidget):
    """A part of the page: html, the same said to a screen reader, and code that can be copied."""

    _esm = script("what_if")
    _css = style("what_if")
    html = traitlets.Unicode("").tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)
    code = traitlets.Unicode("").tag(sync=True)

    def put(self, **parts: str) -> None:
        """Replace some of them, in one message."""
        with self.hold_sync():
            for name, text in parts.items():
                setattr(self, name, text)


class Stepped(ipywidgets.SelectionSlider):  # type: ignore[misc]
    """A slider over fixed values, each written with its unit; a value between them becomes one of them."""

    options: Any
    value: Any

    def __init__(self, name: str, values: Iterable[float], value: Any, unit: str = "", help: str = "") -> None:
        """Start at `value`; `help` appears where the pointer rests."""
        self.steps, self.unit = tuple(values), unit
        super().__init__(options=self._options([value]), value=value, description=name, tooltip=help, **_look())
        self.add_class("astra-stepped")

    def put(self, value: float, *also: float) -> None:
        """Move to `value`; `also` are to be within reach as well."""
        options = self._options([value, *also])
        if [v for _, v in options] != [v for _, v in self.options]:
            self.options = options
        self.value = value

    def _options(self, more: Iterable[float]) -> list[tuple[str, float]]:
        values = list(self.steps)
        for value in more:
            if value not in values:
                insort(values, value)
        return [(format_bytes(v) if self.unit == "B" else f"{v:g} {self.unit}".strip(), v) for v in values]


def words(control: Any) -> str:
    """What a control says, with its unit."""
    return str(control.label if isinstance(control, ipywidgets.SelectionSlider) else control.value)


def menu(name: str, options: Iterable[Any], help: str = "") -> Any:
    """A menu whose first option is chosen."""
    return ipywidgets.Dropdown(options=list(options), description=name, tooltip=help, **_look())


def counter(name: str, value: int, most: int, help: str = "") -> Any:
    """A slider over the whole numbers from 1 on."""
    return ipywidgets.IntSlider(value, 1, max(value, most), description=name, tooltip=help, **_look())


def button(text: str, help: str, act: Callable[[], object]) -> Any:
    """A button that does something."""
    made = ipywidgets.Button(description=text, tooltip=help, layout=ipywidgets.Layout(width="auto"))
    made.on_click(lambda _: act())
    return made


def group(title: str, controls: Iterable[Any]) -> Any:
    """Controls under a heading."""
    heading = ipywidgets.HTML(f'<h4 style="margin:0.6em 0 0.2em;line-height:1.3">{title}</h4>')
    return ipywidgets.VBox([heading, *controls], layout=ipywidgets.Layout(overflow="visible", flex="0 0 auto"))


def _look() -> dict[str, Any]:
    return {"style": {"description_width": "8.3em"}, "layout": ipywidgets.Layout(width="auto")}
