"""What a sweep's run is given beside its point, and settings inside it: "platform.network[1].bandwidth"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from typing import Any

from astra_edu.base.errors import ConfigError, shown, suggestion

PART = re.compile(r"(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]")
WAY = re.compile(r"[^.\[\]]+(\.[^.\[\]]+|\[\d+\])*")
UNITS = {
    "bandwidth": "GB/s of 2**30",
    "latency": "ns",
    "nic": "ns",
    "router": "ns",
    "endpoint_delay": "ns",
    "hbm_latency": "ns",
}
"""Of the fields of platforms."""


def arguments(given: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is called with: what is given, with the point's settings in it.

    Raises ConfigError for a setting inside something that isn't given or hasn't it.

    >>> from astra_edu.explore.given import arguments
    >>> made = arguments({"platform": ae.preset("dgx2")}, {"platform.network[1].bandwidth": 12.5, "passes": 2})
    >>> made["platform"].network[1].bandwidth, made["passes"]
    (12.5, 2)
    """
    made = {name: _own(value) for name, value in given.items()}
    ways = {name: parts_of(name) for name in point}
    for name in sorted(ways, key=lambda name: len(ways[name])):  # a whole before its parts
        parts, value = ways[name], _own(point[name])
        if len(parts) == 1:
            made[name] = value
            continue
        first = str(parts[0])
        if first not in made:
            known = f"given are {', '.join(made)}" if made else f"give it: given={{{first!r}: ...}}"
            raise ConfigError(f"{name}: there is no {first}; {known}.")
        made[first] = _inside(made[first], parts[1:], value, name)
    return made


def _own(value: Any) -> Any:
    """A copy for one run, which may change it; of what can't be copied, itself."""
    if isinstance(value, str | int | float | None) or type(value).__module__.partition(".")[0] == "astra_edu":
        return value
    try:
        return deepcopy(value)
    except Exception:  # whatever a stranger's object raises
        return value


def parts_of(name: str) -> list[str | int]:
    """The steps of a way: names of fields, and numbers of places. Raises ConfigError for anything else."""
    if not WAY.fullmatch(name):
        raise ConfigError(f"{name!r} is no name of a setting; write it like platform.network[1].bandwidth.")
    return [int(each["index"]) if each["index"] else each["name"] for each in PART.finditer(name)]


def _inside(whole: Any, way: list[str | int], value: Any, name: str) -> Any:
    """The same with another value at the end of the way."""
    if not way:
        return value
    here, *further = way
    if hasattr(whole, "is_multigraph"):
        return _with_edge(whole, way, value, name)
    if isinstance(here, int):
        if not isinstance(whole, tuple | list) or here >= len(whole):
            raise ConfigError(f"{name}: there is no [{here}]; {shown(whole, 80)} has {_places(whole)}.")
        changed = _inside(whole[here], further, value, name)
        return _like(whole, [*whole[:here], changed, *whole[here + 1 :]])
    if isinstance(whole, Mapping) and here in whole:
        return {**whole, here: _inside(whole[here], further, value, name)}
    if here in getattr(whole, "_fields", ()):  # a named tuple
        return whole._replace(**{here: _inside(getattr(whole, here), further, value, name)})
    known = [each.name for each in fields(whole) if each.init] if is_dataclass(whole) else []
    known = known or list(getattr(whole, "_fields", ())) or list(whole if isinstance(whole, Mapping) else ())
    if here not in known or isinstance(whole, type):
        places = isinstance(whole, tuple | list) and whole
        has = suggestion(here, known) if known else f"It has {_places(whole) if places else 'nothing that can be set'}."
        raise ConfigError(f"{name}: {shown(whole, 80)} has no {here}. {has}")
    return replace(whole, **{here: _inside(getattr(whole, here), further, value, name)})


def _with_edge(graph: Any, way: list[str | int], value: Any, name: str) -> Any:
    """A NetworkX graph with another attribute of an edge, as "graph[0][1].bandwidth" has it."""
    match way:
        case [int(one), int(other), str(attribute)] if graph.has_edge(one, other):
            changed = graph.copy()
            changed.edges[one, other][attribute] = value
            return changed
    raise ConfigError(f"{name} is no edge of the graph; write the two nodes that it joins, like graph[0][1].bandwidth.")


def _like(whole: Any, values: list[Any]) -> Any:
    return whole._make(values) if hasattr(whole, "_make") else type(whole)(values)


def _places(whole: Any) -> str:
    if not isinstance(whole, tuple | list) or not whole:
        return "no places"
    return "1 place, [0]" if len(whole) == 1 else f"{len(whole)} places, [0] to [{len(whole) - 1}]"


def column(name: str) -> str:
    """What a setting's column is called: with its unit, where it is one of a platform's.

    >>> from astra_edu.explore.given import column
    >>> column("platform.network[0].latency"), column("latency")
    ('platform.network[0].latency (ns)', 'latency')
    """
    parts = parts_of(name)
    unit = UNITS.get(str(parts[-1])) if len(parts) > 1 else None
    return f"{name} ({unit})" if unit else name


def check(given: Any) -> dict[str, Any]:
    """What is given, checked. Raises ConfigError if it isn't name -> value."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ConfigError(f"given is {shown(given)}; give what the run needs by name, such as {{'platform': ...}}.")
    return dict(given)
