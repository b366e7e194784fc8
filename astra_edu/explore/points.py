"""The points of a sweep: which settings are run, and what each is called."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from itertools import islice, product
from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError, shown

Point = dict[str, Any]
"""The settings of one run: name -> value."""
TAKEN = ("point", "found", "error", "seconds")
"""Columns of a sweep's own, in its table or its file."""
MOST_POINTS = 4_000_000
"""Of a grid; more don't fit into memory."""
LONGEST = 2000
"""Letters of a value in a column; of a longer one a digest stands there."""


def points_of(grid_or_points: Any) -> list[Point]:
    """All points, in order: of a grid, every combination of its values, the last name's changing fastest.

    grid_or_points: name -> values; or the points themselves, as mappings or named tuples with the same names, or a
    DataFrame. Raises ConfigError where there are none, where names differ, and for the same point twice.

    >>> from astra_edu.explore.points import points_of
    >>> points_of({"npus": [4, 8], "topology": ["Ring"]})
    [{'npus': 4, 'topology': 'Ring'}, {'npus': 8, 'topology': 'Ring'}]
    """
    if hasattr(grid_or_points, "to_dict"):
        points: list[Point] = grid_or_points.to_dict("records")
    elif isinstance(grid_or_points, Mapping):
        values = [_values(name, each) for name, each in grid_or_points.items()]
        if (many := prod(map(len, values))) > MOST_POINTS:
            raise ConfigError(
                f"the grid has {many:,} points; {MOST_POINTS:,} is the most. Give fewer values, or take ae.search."
            )
        points = [dict(zip(grid_or_points, row, strict=True)) for row in product(*values)] if values else []
    elif isinstance(grid_or_points, Iterable) and not isinstance(grid_or_points, str):
        points = [dict(_mapping(each)) for each in grid_or_points]
    else:
        raise ConfigError(f"grid_or_points is {shown(grid_or_points)}; give name -> values, or a list of points.")
    if not points:
        raise ConfigError('there is no point to run; give values such as {"npus": [4, 8]}.')
    _check(points)
    return points


def _values(name: str, values: Any) -> Sequence[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ConfigError(f"{name} is {shown(values)}; give a list of its values, such as [{shown(values)}].")
    some = list(islice(values, MOST_POINTS + 1))
    if len(some) > MOST_POINTS:
        raise ConfigError(f"{name} has more than {MOST_POINTS:,} values; give fewer.")
    return some


def _mapping(point: Any) -> Mapping[str, Any]:
    if isinstance(point, Mapping):
        return point
    if hasattr(point, "_asdict"):  # a named tuple
        return dict(point._asdict())
    raise ConfigError(f'a point is {shown(point)}; give its settings by name, such as {{"npus": 8}}.')


def _check(points: Sequence[Point]) -> None:
    names, seen = points[0].keys(), dict[str, int]()
    for number, point in enumerate(points):
        if point.keys() != names:
            raise ConfigError(f"point {number} has {', '.join(point)}, the first one {', '.join(names)}.")
        if wrong := [name for name in point if not isinstance(name, str)]:
            raise ConfigError(f"{shown(wrong[0])} is no name of a setting; names are texts.")
        for name in point:
            letters(name)
        not_taken(point, "a setting")
        if (before := seen.setdefault(key_of(point), number)) != number:
            raise ConfigError(f"points {before} and {number} are the same: {shown(point)}.")


def not_taken(names: Iterable[str], what: str, own: Sequence[str] = TAKEN) -> None:
    """Raise ConfigError where a name is one of a sweep's own columns."""
    if both := [name for name in names if name in own]:
        raise ConfigError(f"{both[0]} is the name of {what}; a sweep has a column of that name, so take another one.")


def key_of(point: Mapping[str, Any]) -> str:
    """What tells a point from all others, in this process and in any other.

    >>> from astra_edu.explore.points import key_of
    >>> key_of({"npus": 8.0}) == key_of({"npus": 8})
    True
    """
    return json.dumps({name: plain(point[name]) for name in sorted(point)}, ensure_ascii=False)


def plain(value: Any) -> Any:
    """A value as a column of a table has it: numbers, texts and None as they are, what else there is as its parts.

    Raises ConfigError for something that can't be told from others of its kind, or whose letters no file can hold.
    """
    if type(value).__module__.partition(".")[0] == "numpy" and not value.ndim:
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return int(value) if type(value) is not bool and isinstance(value, int) else value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else value
    if isinstance(value, str):
        return letters(value)
    try:
        text = letters(_parts(value))
    except RecursionError:
        raise ConfigError(f"{shown(value, 80)} has itself in it, so it can't be told from others.") from None
    return text if len(text) <= LONGEST else f"{type(value).__name__}: {_digest(text.encode())}"


def _parts(value: Any) -> str:
    """What a value consists of, also where its repr doesn't say all: the same in every process."""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "numpy" and value.ndim:
        return f"array of {value.dtype}, {value.shape}: {_digest(value.tobytes())}"
    if hasattr(kind, "to_numpy"):  # tables show no more than their ends
        return f"{kind.__name__}: {_digest(pickle.dumps(value))}"
    if hasattr(value, "is_multigraph") and not isinstance(value, type):  # of NetworkX
        ends = [f"{node!r} {_parts(about)}" for node, about in value.nodes(data=True)]
        edges = [f"{one!r} {other!r} {_parts(about)}" for one, other, about in value.edges(data=True)]
        return f"{kind.__name__}: {_digest(repr((ends, edges)).encode())}"
    if is_dataclass(value) and not isinstance(value, type):
        held = [f"{each.name}={_parts(getattr(value, each.name))}" for each in fields(value) if each.init]
        return f"{kind.__qualname__}({', '.join(held)})"
    if kind in (tuple, list):
        inside = ", ".join(map(_parts, value))
        return f"[{inside}]" if kind is list else f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_parts(key)}: {_parts(held)}' for key, held in value.items())}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_parts, value)))}}}"
    try:
        text = repr(value)
    except Exception:  # whatever a stranger's repr raises
        text = " at 0x"
    if " at 0x" in text:
        raise ConfigError(f"{shown(value)} can't be told from others of its kind; give it a __repr__, or a name.")
    return text


def letters(text: str) -> str:
    """A text that a file can hold. Raises ConfigError for half of a pair of surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ascii(text[error.start])
        raise ConfigError(
            f"{ascii(text)[:80]} can't be kept: {half} is half of a letter, which no file holds."
        ) from None
    return text


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]
