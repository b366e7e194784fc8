"""JSON, read strictly: a sentence for what is none, and for keys that are there twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from typing import Any

from astra_edu.base.errors import ConfigError, text_of


@contextmanager
def json_errors(where: str, hint: str = "") -> Iterator[None]:
    """What the json module raises in here, as a ConfigError that begins with `where` and ends with `hint`.

    >>> import json
    >>> with json_errors("net.json"):
    ...     json.loads("[1,")
    Traceback (most recent call last):
    astra_edu.base.errors.ConfigError: net.json, line 1, column 4: no JSON (Expecting value).
    """
    try:
        yield
    except ConfigError:
        raise
    except JSONDecodeError as error:
        raise ConfigError(f"{where}, line {error.lineno}, column {error.colno}: no JSON ({error.msg}).{hint}") from None
    except RecursionError:
        raise ConfigError(f"{where}: its lists and objects are nested deeper than can be read.{hint}") from None
    except ValueError as error:
        raise ConfigError(f"{where}: no JSON ({error}).{hint}") from None


def keys_once(where: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """The json module's object_pairs_hook for objects in which no key is there twice."""

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        for key in found:
            text_of(f"{where}: a key", key)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise ConfigError(f"{where}: the key {max(keys, key=keys.count)!r:.60} is there twice in one object.")
        return found

    return checked
