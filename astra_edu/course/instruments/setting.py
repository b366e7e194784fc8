"""What can be set in an instrument: names, values, and a setting as one line of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from string import punctuation
from typing import Any
from urllib.parse import quote

from astra_edu.base.errors import ConfigError, choice, shown, text_of

Values = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One thing that can be set, by a slider through its values or by a menu of them.

    name: in code and text. label: beside the control. values: in the order of the slider. words: what each is called;
    as they are, with the unit, if not given. menu: whether it is a menu. stored: whether saved pages hold other values.
    group: the heading above it. applies: tells of all values whether it does; where not, it is hidden. free: whether
    it makes no difference to what can be set. always: whether each of its values can be set, whatever the others are.
    fixed: whether it has no control and stays as it is. fold: what it is folded into, in place of a group.

    >>> tensor = Setting("tensor", "tensor group", (1, 2, 4), "NPUs")
    >>> tensor.called(4)
    '4 NPUs'
    """

    name: str
    label: str
    values: tuple[Any, ...]
    unit: str = ""
    words: Callable[[Any], str] | None = None
    menu: bool = False
    stored: bool = True
    group: str = ""
    applies: Callable[[Values], bool] | None = None
    free: bool = False
    always: bool = False
    fixed: bool = False
    fold: str = ""

    def called(self, value: Any) -> str:
        """What stands beside the control for a value."""
        if self.words:
            return self.words(value)
        text = f"{value:g}" if isinstance(value, (int, float)) else str(value)
        one = (
            value == 1 and len(self.unit) > 2 and self.unit.isalpha() and self.unit.endswith("s")
        )  # a plural, not "ns"
        return f"{text} {self.unit[:-1] if one else self.unit}".strip()

    def shown(self, values: Values) -> bool:
        """Whether it has a control, as it applies and isn't fixed."""
        return not self.fixed and (self.applies is None or self.applies(values))

    def including(self, *values: float) -> Setting:
        """The same with these values, too, in ascending order."""
        return replace(self, values=tuple(sorted({*self.values, *values})))

    def checked(self, value: object) -> Any:
        """The value, if it is one of mine. Raises ConfigError naming the nearest."""
        for known in self.values:
            if (
                isinstance(value, (str, int, float))
                and value == known
                and isinstance(value, bool) == isinstance(known, bool)
            ):
                return known
        if all(isinstance(known, str) for known in self.values):
            return choice(self.name, value, self.values)
        if isinstance(value, Real) and not isinstance(value, bool):
            near = min(self.values, key=lambda known: abs(known - value))
            there = ", ".join(map(str, self.values))
            raise ConfigError(f"{self.name} is {shown(value)}; there are {there}; the nearest is {near}.")
        raise ConfigError(f"{self.name} is {shown(value)}; there are {', '.join(map(str, self.values))}.")


def only(settings: Sequence[Setting], names: Sequence[str]) -> tuple[Setting, ...]:
    """The settings, fixed but for those named; as they are, if none is. Raises ConfigError for a name there isn't."""
    for name in names:
        choice("a control", name, [setting.name for setting in settings])
    return tuple(replace(s, fixed=bool(names) and s.name not in names) for s in settings)


def checked(settings: Sequence[Setting], given: Mapping[str, object], start: Mapping[str, Any]) -> Values:
    """All values: those given, and `start`'s for the rest. Raises ConfigError for what there isn't."""
    names = [setting.name for setting in settings]
    for name in given:
        choice("setting", name, names)
    return {s.name: s.checked(given[s.name]) if s.name in given else start[s.name] for s in settings}


def described(settings: Sequence[Setting]) -> list[dict[str, Any]]:
    """What a view needs to know of them."""
    return [
        {"name": s.name, "label": s.label, "menu": s.menu, "group": s.group, "fold": s.fold, "values": list(s.values)}
        | {"words": [s.called(v) for v in s.values], "texts": [spelled(v) for v in s.values]}
        for s in settings
    ]


def greyed(settings: Sequence[Setting], values: Values, why: Callable[[Values], str]) -> dict[str, dict[str, str]]:
    """{setting: {place of a value: why it can't be chosen}}, everything else as it is. why: "" for what can be."""
    found: dict[str, dict[str, str]] = {}
    for setting in settings:
        for place, value in enumerate(setting.values if setting.shown(values) else ()):
            if said := why(values | {setting.name: value}):
                found.setdefault(setting.name, {})[str(place)] = said
    return found


def nearest(settings: Sequence[Setting], wanted: Values, possible: Callable[[Values], bool]) -> Values | None:
    """What differs from the wanted values in one that isn't fixed, by the fewest places, and is possible, if any is; in
    one that is folded away only where no other does.
    """
    for folded in (False, True):
        best: tuple[int, Values] | None = None
        for setting in settings:
            here = setting.values.index(wanted[setting.name])
            tried = bool(setting.fold) == folded and not setting.fixed
            for place, value in enumerate(setting.values if tried else ()):
                values = wanted | {setting.name: value}
                if (best is None or abs(place - here) < best[0]) and possible(values):
                    best = abs(place - here), values
        if best:
            return best[1]
    return None


def as_text(values: Mapping[str, Any]) -> str:
    """A setting in one line, to be shared.

    >>> as_text({"model": "gpt3", "tensor": 8})
    'model=gpt3 tensor=8'
    """
    return " ".join(f"{name}={spelled(value)}" for name, value in values.items())


@lru_cache(maxsize=8192, typed=True)
def spelled(value: object) -> str:
    """A value as it stands in a line of text: what would end it there is written as in an address, %20 for a space."""
    return quote(str(value), safe=_KEPT)


_KEPT = "".join(set(punctuation) - set("=%"))


def from_text(settings: Sequence[Setting], text: str) -> Values:
    """The values that a line of `as_text` names; those it leaves out aren't there. Raises ConfigError."""
    text = text_of("setting", text)
    by_name = {setting.name: setting for setting in settings}
    found: Values = {}
    for word in text.split():
        name, equals, said = word.partition("=")
        if not equals:
            raise ConfigError(f"{shown(word)} is no setting; one is written as in {as_text(_first(settings))!r}.")
        setting = by_name[choice("setting", name, by_name)]
        known = {spelled(value): value for value in setting.values}
        found[name] = known[choice(name, said, known)]
    return found


def _first(settings: Sequence[Setting]) -> Values:
    return {setting.name: setting.values[0] for setting in settings[:1]}
