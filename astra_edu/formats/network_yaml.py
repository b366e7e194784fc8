"""ASTRA-sim 2.x's network file (YAML): four lists with one entry a dimension."""

from __future__ import annotations

import warnings
from typing import Any

from astra_edu.errors import ConfigError
from astra_edu.network import Block

_KEYS = ("topology", "npus_count", "bandwidth", "latency")
_LARGEST = 2**20
MOST_DIMENSIONS = 16


def parse_network_2(text: str, name: str = "network file") -> tuple[Block, ...]:
    """The building blocks in a network file. Raises ConfigError naming file, key, value and what is allowed."""
    import yaml

    if len(text) > _LARGEST:
        raise ConfigError(f"{name} has over 1 MiB; a network file has a few lines.")
    try:
        for token in yaml.scan(text):
            if isinstance(token, (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)):
                line = token.start_mark.line + 1
                raise ConfigError(f"{name}, line {line}: tags, anchors and aliases have no place in a network file.")
        values = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place = getattr(error, "problem_mark", None)
        where = f", line {place.line + 1}" if place else ""
        raise ConfigError(f"{name}{where}: this is no YAML ({getattr(error, 'problem', None) or error}).") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{name}: it should have the keys {', '.join(_KEYS)}, each with a list.")
    for key in values:
        if key not in _KEYS:
            warnings.warn(
                f"{name}: ASTRA-sim 2.x doesn't read the key {key!r}; it reads {', '.join(_KEYS)}.", stacklevel=2
            )
    lists = {key: _list(values, key, name) for key in _KEYS}
    lengths = {key: len(entries) for key, entries in lists.items()}
    if len(set(lengths.values())) > 1:
        raise ConfigError(
            f"{name}: every list needs one entry a dimension; there are "
            f"{', '.join(f'{count} of {key}' for key, count in lengths.items())}."
        )
    if not 1 <= lengths["topology"] <= MOST_DIMENSIONS:
        raise ConfigError(f"{name} has {lengths['topology']} dimensions; 1 to {MOST_DIMENSIONS} are possible.")
    blocks = []
    for d, entry in enumerate(zip(*lists.values(), strict=True)):
        try:
            blocks.append(Block(*entry))
        except ConfigError as error:
            raise ConfigError(f"{name}, dimension {d}: {error}") from None
    return tuple(blocks)


def format_network_2(network: tuple[Block, ...]) -> str:
    """The network file's text for these building blocks."""
    columns: dict[str, list[object]] = {
        "topology": [block.topology.value for block in network],
        "npus_count": [block.npus for block in network],
        "bandwidth": [block.bandwidth for block in network],
        "latency": [block.latency for block in network],
    }
    comments = {"bandwidth": "  # GB/s (2**30 bytes/s)", "latency": "  # ns"}
    return "".join(
        f"{key}: [ {', '.join(map(str, column))} ]{comments.get(key, '')}\n" for key, column in columns.items()
    )


def _list(values: dict[Any, Any], key: str, name: str) -> list[Any]:
    if key not in values:
        raise ConfigError(f"{name}: the key {key!r} is missing; it needs {', '.join(_KEYS)}.")
    entries = values[key]
    if not isinstance(entries, list):
        raise ConfigError(f"{name}: {key} is {entries!r}; it should be a list with one entry a dimension.")
    return entries
