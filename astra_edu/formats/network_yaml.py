"""ASTRA-sim 2.x's network file (YAML): four lists with one entry a dimension."""

from __future__ import annotations

import re
from typing import Any

from astra_edu.base.errors import ConfigError, shown, suggestion, whole
from astra_edu.formats.notices import notice, notice_unknown
from astra_edu.formats.yaml_mapping import WHOLE, Entry, parse_mapping
from astra_edu.network import Block, Dimension, dimensions
from astra_edu.network.block import checked_blocks

_KEYS = ("topology", "npus_count", "bandwidth", "latency")
_QUOTES = "'\""
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
MOST_DIMENSIONS = 16


def parse_network_2(text: str, name: str = "network file") -> tuple[Block, ...]:
    """The building blocks in a network file. Raises ConfigError naming file, key, value and what is allowed.

    Warns of keys that ASTRA-sim doesn't read.

    >>> from astra_edu.formats import parse_network_2
    >>> parse_network_2("topology: [Ring]\\nnpus_count: [8]\\nbandwidth: [50.0]\\nlatency: [500.0]\\n")
    (Block(topology='Ring', npus=8, bandwidth=50.0, latency=500.0),)
    """
    return _blocks(parse_mapping(text, name, "a network file"), name, "ASTRA-sim 2.x")


def parse_congested_network(text: str, name: str = "network file") -> Block:
    """The network of ASTRA-sim 1.0's congestion-aware program: 2.x's file with one topology, not in a list.

    Raises ConfigError naming file, key, value and what is allowed. Warns of keys that ASTRA-sim doesn't read.

    >>> from astra_edu.formats import parse_congested_network
    >>> parse_congested_network("topology: Switch\\nnpus_count: [64]\\nbandwidth: [50]\\nlatency: [500]\\n")
    Block(topology='Switch', npus=64, bandwidth=50.0, latency=500.0)
    """
    entries = parse_mapping(text, name, "a network file")
    line, topology = entries.get("topology", Entry(0, []))
    if isinstance(topology, str):
        entries["topology"] = Entry(line, [topology])
    (block, *more) = _blocks(entries, name, "ASTRA-sim 1.0")
    if more:
        raise ConfigError(f"{name} has {len(more) + 1} dimensions; ASTRA-sim 1.0's congestion-aware program knows one.")
    return block


def _blocks(entries: dict[str, Entry], name: str, reader: str) -> tuple[Block, ...]:
    if unknown := [key for key in entries if key not in _KEYS]:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        notice(f"{name}: {reader} doesn't read the key {unknown[0]!r:.60}{more}; {suggestion(unknown[0], _KEYS)}")
    lists = {key: _list(entries, key, name) for key in _KEYS}
    lengths = {key: len(words) for key, words in lists.items()}
    if len(set(lengths.values())) > 1:
        raise ConfigError(
            f"{name}: every list needs one entry a dimension; there are "
            f"{', '.join(f'{count} of {key}' for key, count in lengths.items())}."
        )
    if not 1 <= lengths["topology"] <= MOST_DIMENSIONS:
        raise ConfigError(f"{name} has {lengths['topology']} dimensions; 1 to {MOST_DIMENSIONS} are possible.")
    return tuple(
        _block(dict(zip(_KEYS, words, strict=True)), f"{name}, dimension {d}")
        for d, words in enumerate(zip(*lists.values(), strict=True))
    )


def format_network_2(network: tuple[Block, ...]) -> str:
    """The network file's text for these building blocks. Warns of topologies that ASTRA-sim doesn't know.

    >>> from astra_edu.formats import format_network_2
    >>> print(format_network_2((ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 8, 25, 700))), end="")
    topology: [ Ring, Switch ]
    npus_count: [ 4, 8 ]
    bandwidth: [ 50.0, 25.0 ]  # GB/s (2**30 bytes/s)
    latency: [ 500.0, 700.0 ]  # ns
    """
    network = checked_blocks(network)
    notice_unknown(block.topology for block in network)
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


def format_congested_network(network: tuple[Dimension, ...]) -> str:
    """The text for the one dimension of a congestion-aware Platform.

    >>> from astra_edu.formats import format_congested_network
    >>> print(format_congested_network((ae.Dimension.of("Switch", 64, 50, 500),)), end="")
    topology: Switch
    npus_count: [ 64 ]
    bandwidth: [ 50.0 ]  # GB/s (2**30 bytes/s)
    latency: [ 500.0 ]  # ns
    """
    network = dimensions(network)
    if len(network) != 1:
        raise ConfigError(f"network has {len(network)} dimensions; a congestion-aware one of ASTRA-sim 1.0 has one.")
    only = network[0]
    first, *others = format_network_2((Block(only.topology, only.npus, only.bandwidth, only.latency),)).splitlines(True)
    return "".join([first.replace("[ ", "").replace(" ]", ""), *others])


def _list(entries: dict[str, Entry], key: str, name: str) -> list[str]:
    if key not in entries:
        there = f" There are: {shown(', '.join(entries)).strip(_QUOTES)}."
        raise ConfigError(f"{name}: the key {key!r} is missing; it needs {', '.join(_KEYS)}.{there}")
    line, value = entries[key]
    if isinstance(value, str):
        raise ConfigError(
            f"{name}, line {line}: {key} is {value!r:.60}; it should be a list with one entry a dimension, as in "
            f"{key}: [ {value[:20] or '...'} ]."
        )
    return value


def _block(words: dict[str, str], where: str) -> Block:
    values: dict[str, Any] = {"topology": words["topology"][:60], "npus_count": words["npus_count"]}
    if not WHOLE.fullmatch(words["npus_count"]):
        raise ConfigError(f"{where}: npus_count is {words['npus_count']!r:.60}; it must be a whole number, 2 or more.")
    values["npus_count"] = int(words["npus_count"])
    if values["npus_count"] == 1:
        raise ConfigError(f"{where}: npus_count is 1; a dimension has 2 NPUs or more. Leave this one out.")
    whole(f"{where}: npus_count", values["npus_count"], at_least=2)
    for key, unit in (("bandwidth", "GB/s (2**30 bytes/s)"), ("latency", "ns")):
        if not _NUMBER.fullmatch(words[key]):
            raise ConfigError(f"{where}: {key} is {words[key]!r:.60}; it must be a number alone, meant in {unit}.")
        values[key] = float(words[key])
    try:
        return Block(*values.values())
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
