"""JSON files that are one object with known keys."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from astra_edu.base.errors import ConfigError, instance_of, shown, suggestion, text_of, whole
from astra_edu.base.json_text import json_errors, keys_once

LARGEST = 2**20
_LONGEST_NUMBER = 400


def parse_object(text: str, name: str, keys: Iterable[str], largest: int = LARGEST, hint: str = "") -> dict[str, Any]:
    """The object in a JSON text. Raises ConfigError where it isn't one, and for unknown keys or keys given twice.

    hint: the end of the sentence for what is no JSON.
    """
    known = list(keys)
    instance_of(text_of("name", name), text, str, "give the file's text")
    if len(text) > largest:
        raise ConfigError(f"{name} has over {largest >> 20} MiB; it should have a few lines such as {known[0]!r}: ...")

    def constant(word: str) -> NoReturn:
        raise ConfigError(f"{name}: {word} is no number in JSON; a finite one is needed.")

    def integer(digits: str) -> int:
        if len(digits) > _LONGEST_NUMBER:
            raise ConfigError(f"{name}: there is a number of {len(digits):,} digits.")
        return int(digits)

    with json_errors(name, hint):
        values = json.loads(text, object_pairs_hook=keys_once(name), parse_constant=constant, parse_int=integer)
    if not isinstance(values, dict):
        raise ConfigError(f'{name}: a JSON object is expected, as in {{ "{known[0]}": ... }}.')
    for key in values:
        if key not in known:
            raise ConfigError(f"{name}: unknown key {shown(key, 60)}; {suggestion(key, known)}")
    return values


def whole_within(key: str, value: object, least: int, most: int) -> int:
    """A whole number from `least` to `most`, the largest of those that ASTRA-sim's integers hold."""
    number = whole(key, value, least)
    if number > most:
        bits = 32 if most < 2**32 else 64
        raise ConfigError(f"{key} is {number!s:.30}; ASTRA-sim's {bits} bits hold at most {most:,}.")
    return number
