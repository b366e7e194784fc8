"""Settings that a view or Python moves: what is wanted of them, what is brought in line, what can't be and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import traitlets

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments import setting as of
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values, as_text, checked, from_text, only
from astra_edu.course.widgets.handout import as_json
from astra_edu.course.widgets.view import View

OF_THE_VIEW = {"sync": True, "echo_update": False}
"""What the view moves: an echo of it would be late, and move it back."""


@dataclass(frozen=True)
class Alike:
    """Of a setting: places of values that show what the present one shows, and why, a sentence. every: so that there
    is nothing to be chosen, as all values do that can be. foreign: of the places, those that aren't offered at all."""

    places: tuple[int, ...]
    why: str
    every: bool = False
    foreign: tuple[int, ...] = ()


class Adjustable(View):
    """A view of a setting, for Instrument. values: those that are wanted; wish: those that the view has moved;
    answered: the number of the wish that the data on show are an answer to.

    A subclass gives `settings`, `start`, `scene(values)` and `_data(scene)`, what the view needs to show it.
    """

    settings: ClassVar[tuple[Setting, ...]] = ()
    start: ClassVar[Values] = {}
    values = traitlets.Dict().tag(sync=True)
    data = traitlets.Dict().tag(sync=True, to_json=lambda data, widget: as_json(data))
    answered = traitlets.Unicode().tag(sync=True)
    wish = traitlets.Dict().tag(**OF_THE_VIEW)

    def __init__(self, values: Values, controls: Sequence[str]) -> None:
        """Show these values; controls: the settings that can be moved, by default all."""
        self._controls = tuple(controls)
        self._settling = False
        self._in_full = ""
        self._wanted = values  # others are in line with them, even if they can't be
        self._before: Values | None = None  # what a wish starts from
        self._last_greyed: tuple[Values, dict[str, dict[str, str]]] = {}, {}
        self._on_show = self.scene(values)
        super().__init__(values=values)
        self.data = self._data(self._on_show)
        self.observe(self._moved, "values")
        self.observe(self._wished, "wish")

    def scene(self, values: Values) -> Scene:
        """What is shown of a setting. Raises ConfigError for one that can't be."""
        raise NotImplementedError

    def check(self, values: Values) -> None:
        """Raise ConfigError for a setting that can't be, in less time than the whole scene takes."""
        self.scene(values)

    def settle(self, values: Values, before: Values) -> tuple[Values, str]:
        """Values that somebody wants, with others brought in line with them, and what is to be said of that."""
        return values, ""

    def in_full(self, values: Values) -> Values:
        """Values that all stay as somebody gave them, whatever `settle` would bring in line, with what names them."""
        return values

    def alike(self, values: Values) -> dict[str, Alike]:
        """Of settings that make no difference, all in all or in some of their values: which, and why."""
        return {}

    @property
    def text(self) -> str:
        """The setting in one line, to be shared: `ae.CutTheModel("model=gpt3 tensor=8")`."""
        return as_text(self.values)

    def set(self, **given: Any) -> None:
        """Change some settings. Raises ConfigError, and changes nothing, for what there isn't or can't be."""
        shown = self._values_on_show()
        wanted = checked(self.settings, given, shown)
        values, _ = self.settle(wanted, shown)
        asked = {name: wanted[name] for name in given}
        stays = values | asked == values
        values = values if stays else self.in_full(values | asked)
        self.check(values)
        before = self.values, self.data, self._wanted
        with self.hold_sync():
            self._take(wanted if stays else values, in_full=not stays)
            if (problem := self.data["problem"]) and self.data is not before[1]:  # no check has foreseen it
                self._settling = True
                self.values, self.data, self._wanted = before
                self._settling = False
                raise ConfigError(problem)

    def _data(self, scene: Scene) -> dict[str, Any]:
        raise NotImplementedError

    def _wished(self, change: Any = None) -> None:
        """The view asks for values; what it shows meanwhile may be older than what is on show here."""
        wish = self.wish.get("values") or {}
        asked = {s.name: wish[s.name] for s in self.settings if s.name in wish}
        with self.hold_sync():
            self._before = self._wanted
            try:
                self._take(self.values | asked, in_full=len(asked) == len(self.settings))
            finally:  # whatever goes wrong, nobody waits for an answer
                self._before = None
                self.answered = self.wish.get("number") or ""

    def _take(self, values: Values, in_full: bool) -> None:
        """Want these values. in_full: none of them is to be brought in line with another, as all were chosen."""
        if in_full:
            try:
                values = self.in_full(checked(self.settings, values, self._values_on_show()))
                self._in_full = as_text(values)
            except ConfigError:
                pass  # said where they are shown
        self.values = values
        self._in_full = ""

    def _moved(self, change: Any = None) -> None:
        if self._settling:
            return
        shown = self._values_on_show()
        try:
            values, note = checked(self.settings, self.values, shown), ""
            if as_text(values) != self._in_full:
                values, note = self.settle(values, self._before or shown)
            self._settling = True
            self.values = self._wanted = values  # some were left out, and stay as they were, or were brought in line
            self._settling = False
            self._on_show = self.scene(values)
        except ConfigError as error:
            self.data = self.data | {"problem": str(error), "nearest": self._nearest()}
            return
        self.data = self._data(self._on_show) | {"note": note}

    def _alike(self, values: Values) -> dict[str, dict[str, Any]]:
        return {name: asdict(one) for name, one in self.alike(values).items()}

    def _greyed(self, values: Values) -> dict[str, dict[str, str]]:
        matters = {s.name: values[s.name] for s in self.settings if not s.free}
        if self._last_greyed[0] == matters:
            return self._last_greyed[1]
        settings = [s for s in self._movable if not s.free and not s.always]
        found = of.greyed(settings, values, lambda wanted: self._impossible(self.settle(wanted, values)[0]))
        self._last_greyed = matters, found
        return found

    def _impossible(self, values: Values) -> str:
        try:
            self.check(values)
        except ConfigError as error:
            return str(error)
        return ""

    def _nearest(self) -> Values:
        on_show = self._values_on_show()
        wanted = {s.name: v if (v := self.values.get(s.name)) in s.values else on_show[s.name] for s in self.settings}
        return of.nearest(self._movable, wanted, lambda values: not self._impossible(values)) or on_show

    @property
    def _movable(self) -> tuple[Setting, ...]:
        return only(self.settings, self._controls)

    def _values_on_show(self) -> Values:
        return checked(self.settings, from_text(self.settings, self.data["text"]), self.start)
