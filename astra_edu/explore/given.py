"""What a sweep's run is given beside its point, and settings inside it: "platform.network[1].bandwidth"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from astra_edu.base.errors import ConfigError, shown, suggestion

PART = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]")
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
    made = dict(given)
    ways = {name: parts_of(name) for name in point}
    for name in sorted(ways, key=lambda name: len(ways[name])):  # a whole before its parts
        parts, value = ways[name], point[name]
        if len(parts) == 1:
            made[name] = value
            continue
        first = str(parts[0])
        if first not in made:
            known = f"given are {', '.join(made)}" if made else f"give it: given={{{first!r}: ...}}"
            raise ConfigError(f"{name}: there is no {first}; {known}.")
        made[first] = _inside(made[first], parts[1:], value, name)
    return made


def parts_of(name: str) -> list[str | int]:
    """The steps of a way: names of fields, and numbers of places. Raises ConfigError for anything else."""
    found = list(PART.finditer(name))
    if "".join(each[0] for each in found) != name or name.startswith((".", "[")):
        raise ConfigError(f"{name!r} is no name of a setting; write it like platform.network[1].bandwidth.")
    return [int(each["index"]) if each["index"] else each["name"] for each in found]


def _inside(whole: Any, way: list[str | int], value: Any, name: str) -> Any:
    """The same with another value at the end of the way."""
    if not way:
        return value
    here, *further = way
    if isinstance(here, int):
        if not isinstance(whole, tuple | list) or here >= len(whole):
            has = f"has {len(whole)} places, from 0 on" if isinstance(whole, tuple | list) else "has no places"
            raise ConfigError(f"{name}: there is no [{here}]; {shown(whole, 80)} {has}.")
        changed = _inside(whole[here], further, value, name)
        return type(whole)([*whole[:here], changed, *whole[here + 1 :]])
    if isinstance(whole, Mapping) and here in whole:
        return {**whole, here: _inside(whole[here], further, value, name)}
    known = [each.name for each in fields(whole) if each.init] if is_dataclass(whole) else []
    if here not in known or isinstance(whole, type):
        has = suggestion(here, known) if known else "It has nothing that can be set."
        raise ConfigError(f"{name}: {shown(whole, 80)} has no {here}. {has}")
    return replace(whole, **{here: _inside(getattr(whole, here), further, value, name)})


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
