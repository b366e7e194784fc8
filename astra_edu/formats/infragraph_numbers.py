"""Bandwidths and latencies of InfraGraph's links, in the network's units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, not_negative, positive, shown
from astra_edu.base.files import FileName
from astra_edu.formats.infragraph_names import expanded

_GB = 1e9 / 2**30
_UNITS = {
    "bandwidth": {"gigabits_per_second": _GB / 8, "gigabytes_per_second": _GB, "Gbps": _GB / 8, "GBps": _GB},
    "latency": {"ms": 1e6, "us": 1e3, "ns": 1.0},
}
_TRANSFERS = ("gigatransfers_per_second", "GT/s")


def link_numbers(link: Mapping[str, Any], where: str, instead: Mapping[str, float]) -> dict[str, float]:
    """What a link's physical properties say: "bandwidth" in GB/s of 2**30 bytes/s, "latency" in ns, or neither.

    instead: what goes before them.
    """
    if strange := instead.keys() - _UNITS.keys():
        raise ConfigError(f"links: a link has bandwidth and latency, no {shown(min(strange), 40)}.")
    physical = link.get("physical") or {}
    if not isinstance(physical, Mapping):
        raise ConfigError(f"{where}: physical is {shown(physical, 60)}; an object is expected.")
    found = {}
    for name in _UNITS:
        said = physical.get(name) or {}
        if not isinstance(said, Mapping):
            raise ConfigError(f"{where}: {name} is {shown(said, 60)}; an object is expected.")
        unit = said.get("choice") or next((key for key in said if key != "choice"), None)
        if name in instead:
            found[name] = instead[name]
        elif unit is not None and said.get(unit) is not None:
            found[name] = converted(name, said[unit], unit, where)
    return found


def annotated(
    notes: Mapping[str, list[Any]], link: str, one: str, other: str, path: FileName | None
) -> dict[str, float]:
    """What an annotation says of a link, or of the edge between two nodes; the latter goes before."""
    found: dict[str, float] = {}
    for note in notes.get("links", ()):
        said = attributes_of(note, f"{path}: links")
        if note.get("name") == link:
            found |= _texts(said, f"{path}: link {link}")
    for note in notes.get("edges", ()):
        said = attributes_of(note, f"{path}: edges")
        ends = [expanded(str(note.get(end)), f"{path}: edges") for end in ("ep1", "ep2")]
        if (one in ends[0] and other in ends[1]) or (other in ends[0] and one in ends[1]):
            found |= _texts(said, f"{path}: the edge from {one} to {other}")
    return found


def attributes_of(note: Any, where: str) -> dict[str, Any]:
    """The attributes of an annotation by their names. Raises ConfigError for what is none."""
    listed = (note.get("attributes") or []) if isinstance(note, Mapping) else None
    if not isinstance(listed, list):
        raise ConfigError(f"{where}: {shown(note, 60)} is no annotation; it has a list of attributes.")
    for one in listed:
        if not isinstance(one, Mapping) or not isinstance(one.get("attribute"), str):
            raise ConfigError(f"{where}: {shown(one, 60)} is no attribute; it has an attribute (its name) and a value.")
    return {one["attribute"]: one.get("value") for one in listed}


def converted(name: str, value: object, unit: str, where: str) -> float:
    """A number in the network's unit. Raises ConfigError for units that have no rule."""
    if unit in _TRANSFERS:
        raise ConfigError(
            f"{where}: its bandwidth is in GT/s; how many bytes a transfer has isn't said. Give links= with its GB/s."
        )
    if unit not in _UNITS[name]:
        raise ConfigError(f"{where}: the unit {shown(unit, 40)} of its {name} isn't one of {', '.join(_UNITS[name])}.")
    number = (positive if name == "bandwidth" else not_negative)(f"{where}: {name}", value)
    return float(f"{number * _UNITS[name][unit]:.12g}")


def _texts(said: Mapping[str, Any], where: str) -> dict[str, float]:
    found = {}
    for name in _UNITS.keys() & said.keys():
        text = str(said[name])
        number, _, unit = text.partition(" ")
        try:
            value = float(number)
        except ValueError:
            raise ConfigError(
                f"{where}: {name} is {text!r:.40}; a number and a unit are read, such as 400 Gbps."
            ) from None
        found[name] = converted(name, value, unit.strip(), where)
    return found
