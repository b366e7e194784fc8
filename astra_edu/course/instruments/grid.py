"""What a saved page holds: the settings that can be reached on it, and what they share only once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

from astra_edu.course.instruments.setting import Setting, Values

MOST_STORED = 240
"""How many settings a saved page holds, at most."""
MOST_BYTES = 2_000_000
"""How much of what their views draw."""


def holds_all(settings: Sequence[Setting], shown: Values) -> bool:
    """Whether a page holds every setting that can be reached."""
    return prod(len(setting.values) for setting in _moved(settings, shown)) <= MOST_STORED


def grid(settings: Sequence[Setting], shown: Values) -> list[Values]:
    """All settings, if they aren't too many, or else the one on show and those one slider away."""
    moved = _moved(settings, shown)
    if holds_all(settings, shown):
        names = [setting.name for setting in moved]
        return [shown | dict(zip(names, v, strict=True)) for v in product(*(s.values for s in moved))]
    return [shown, *(shown | {s.name: v} for s in moved for v in s.values)][:MOST_STORED]


def _moved(settings: Sequence[Setting], shown: Values) -> list[Setting]:
    return [setting for setting in settings if setting.stored and setting.shown(shown)]


def once(stored: dict[str, Any]) -> list[Any]:
    """What the views of stored settings draw, each once; what stands in its place is its number.

    A setting whose view would make the page too large isn't stored.
    """
    numbers: dict[str, int] = {}
    views: list[Any] = []
    size = 0
    for text, entry in list(stored.items()):
        view = entry["scene"]["view"]
        if not isinstance(view, dict):
            continue
        drawn = json.dumps(view, default=bytes.hex)
        if drawn not in numbers:
            if views and size + len(drawn) > MOST_BYTES:
                del stored[text]
                continue
            size += len(drawn)
            numbers[drawn] = len(views)
            views.append(view)
        entry["scene"]["view"] = numbers[drawn]
    return views
