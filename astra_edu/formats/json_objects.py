"""JSON files that are one object with known keys."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from astra_edu.errors import ConfigError, suggestion


def parse_object(text: str, name: str, keys: Iterable[str]) -> dict[str, Any]:
    """The object in a JSON text. Raises ConfigError where it isn't one, and for unknown keys or keys given twice."""
    known = list(keys)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise ConfigError(f"{name}: the key {key!r} is there twice.")
            found[key] = value
        return found

    try:
        values = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{name}, line {error.lineno}, column {error.colno}: no JSON ({error.msg}).") from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{name}: this is no JSON ({error}).") from None
    if not isinstance(values, dict):
        raise ConfigError(f'{name}: a JSON object is expected, as in {{ "{known[0]}": ... }}.')
    for key in values:
        if key not in known:
            raise ConfigError(f"{name}: unknown key {key!r}; {suggestion(key, known)}")
    return values
