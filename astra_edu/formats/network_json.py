"""ASTRA-sim 1.0's network file: one JSON object, lists with an entry a dimension."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of, shown, text_of, whole
from astra_edu.formats.json_objects import parse_object
from astra_edu.formats.kinds import looks_like
from astra_edu.formats.notices import notice_unknown
from astra_edu.network import Dimension, dimensions
from astra_edu.network.dimension import KINDS

_KEYS = {
    "topologies-per-dim": "topology",
    "units-count": "npus",
    "links-count": "links",
    "link-bandwidth": "bandwidth",
    "link-latency": "latency",
    "nic-latency": "nic",
    "router-latency": "router",
    "hbm-latency": "hbm_latency",
    "hbm-bandwidth": "hbm_bandwidth",
    "hbm-scale": "hbm_scale",
    "dimension-type": "kind",
}
_REQUIRED = ("topologies-per-dim", "units-count", "links-count", "link-bandwidth", "link-latency")
_OTHERS = ("dimensions-count", "topology-name", "use-fast-version")


def parse_network(text: str, name: str = "network file") -> tuple[Dimension, ...]:
    """The dimensions that a network file describes. Raises ConfigError naming file, key, value and what is allowed.

    >>> from astra_edu.formats import format_network, parse_network
    >>> (ring,) = parse_network(format_network((ae.Dimension.of("Ring", 8, 50, 500),)))
    >>> ring.npus, ring.links, ring.bandwidth, ring.latency
    (8, 2, 50.0, 500.0)
    """
    instance_of(text_of("name", name), text, str, "give the file's text")
    content = parse_object(text, name, (*_KEYS, *_OTHERS), hint=looks_like(text))
    for key in _REQUIRED:
        if key not in content:
            raise ConfigError(
                f"{name}: the key {shown(key)} is missing; every network file needs {', '.join(_REQUIRED)}."
            )
    if content.get("topology-name", "Hierarchical") != "Hierarchical":
        raise ConfigError(f"{name}: topology-name is {content['topology-name']!r}; only 'Hierarchical' exists.")
    count = _dimension_count(content, name)
    lists = {key: _list(content, key, count, name) for key in _KEYS if key in content}
    if "dimension-type" in lists:  # ASTRA-sim takes what it doesn't know for a node
        lists["dimension-type"] = [kind if kind in KINDS else "Node" for kind in lists["dimension-type"]]
    return tuple(_dimension(lists, d, name) for d in range(count))


def format_network(network: tuple[Dimension, ...]) -> str:
    """The network file's text for these dimensions; optional keys only where they are not the defaults.

    Warns of topologies that ASTRA-sim doesn't know.

    >>> from astra_edu.formats import format_network
    >>> print(format_network((ae.Dimension.of("Ring", 8, 50, 500),))[:60])
    {
      "dimensions-count": 1,
      "topologies-per-dim": ["Ring"],
    """
    network = dimensions(network)
    notice_unknown(dimension.topology for dimension in network)
    content: dict[str, Any] = {"dimensions-count": len(network)}
    for key, attribute in _KEYS.items():
        values = [getattr(dimension, attribute) for dimension in network]
        default = Dimension.__dataclass_fields__[attribute].default
        if key in _REQUIRED or any(value != default for value in values):
            content[key] = [_plain(value) for value in values]
    lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    return f"{{\n{lines}\n}}\n"


def _dimension_count(content: Mapping[str, Any], name: str) -> int:
    topologies = content["topologies-per-dim"]
    default = len(topologies) if isinstance(topologies, list) else 0
    return whole(f"{name}: dimensions-count", content.get("dimensions-count", default), at_least=1)


def _list(content: Mapping[str, Any], key: str, count: int, name: str) -> list[Any]:
    values = content[key]
    if not isinstance(values, list):
        raise ConfigError(f"{name}: {key} is {shown(values)}; it must be a list with one entry a dimension.")
    if len(values) != count:
        raise ConfigError(
            f"{name}: {key} has {len(values)} entries for dimensions-count = {count}; give one a dimension."
        )
    return values


def _dimension(lists: Mapping[str, list[Any]], d: int, name: str) -> Dimension:
    try:
        return Dimension(**{_KEYS[key]: values[d] for key, values in lists.items()})
    except ConfigError as error:
        raise ConfigError(f"{name}, dimension {d}: {_in_file_words(str(error))}") from error


def _in_file_words(message: str) -> str:
    """Say "link-bandwidth is -5" where the Python object's error says "bandwidth is -5"."""
    for key, attribute in _KEYS.items():
        if message.startswith(f"{attribute} is"):
            return key + message.removeprefix(attribute)
    return message


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    return int(value) if value == int(value) else value
