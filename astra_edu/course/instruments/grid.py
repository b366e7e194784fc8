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
"""How much of players."""


def grid(settings: Sequence[Setting], shown: Values) -> list[Values]:
    """All settings, if they aren't too many, or else the one on show and those one slider away."""
    moved = [setting for setting in settings if setting.stored and setting.shown(shown)]
    if prod(len(setting.values) for setting in moved) <= MOST_STORED:
        names = [setting.name for setting in moved]
        return [shown | dict(zip(names, v, strict=True)) for v in product(*(s.values for s in moved))]
    return [shown, *(shown | {s.name: v} for s in moved for v in s.values)][:MOST_STORED]


def once(stored: dict[str, Any]) -> list[Any]:
    """The players of stored settings, each once; what stands in their place is its number.

    A setting whose player would make the page too large isn't stored.
    """
    numbers: dict[str, int] = {}
    players: list[Any] = []
    size = 0
    for text, entry in list(stored.items()):
        player = entry["scene"]["player"]
        if not isinstance(player, dict):
            continue
        drawn = json.dumps(player)
        if drawn not in numbers:
            if players and size + len(drawn) > MOST_BYTES:
                del stored[text]
                continue
            size += len(drawn)
            numbers[drawn] = len(players)
            players.append(player)
        entry["scene"]["player"] = numbers[drawn]
    return players
