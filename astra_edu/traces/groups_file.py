"""Process groups: ASTRA-sim's JSON file, {"1": [0, 1], "2": [2, 3]}, and what PyTorch's recorder notes in a trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, read_text, write_text
from astra_edu.base.json_text import json_errors, keys_once
from astra_edu.traces.node import Node, NodeType

Groups = Mapping[str, tuple[int, ...]]

_WHAT = "a file of process groups (JSON)"


def read_groups(path: FileName) -> dict[str, tuple[int, ...]]:
    """The process groups in a file: name to NPUs, in the order of the group's ring.

    Raises ConfigError naming the file and the group. Whether the NPUs exist is checked when a Trace is made.
    """
    text = read_text(path, _WHAT)
    with json_errors(str(path)):
        return groups_from(json.loads(text, object_pairs_hook=keys_once(str(path))), str(path))


def write_groups(path: FileName, groups: Groups) -> None:
    """Write process groups for ASTRA-sim's --comm-group-configuration."""
    lines = ",\n".join(f"  {json.dumps(name)}: {list(members)}" for name, members in groups.items())
    write_text(path, f"{{\n{lines}\n}}\n" if groups else "{}\n")


def groups_from(content: Any, where: str) -> dict[str, tuple[int, ...]]:
    """Groups from a mapping of names to lists of NPUs. Raises ConfigError beginning with where."""
    if not isinstance(content, Mapping):
        raise ConfigError(f'{where}: groups are {content!r:.60}; an object such as {{"1": [0, 1]}} is expected.')
    groups: dict[str, tuple[int, ...]] = {}
    for name, members in content.items():
        number = _number(name)
        if number is None or not number:
            raise ConfigError(
                f"{where}: a process group is called {name!r:.60}; it must be a whole number, 1 or more "
                "(0 means all NPUs)."
            )
        if not isinstance(members, (list, tuple)) or not all(type(member) is int for member in members):
            raise ConfigError(f"{where}: process group {name} is {members!r:.60}; it should be a list of NPUs.")
        if str(number) in groups:
            raise ConfigError(f"{where}: process group {number} is there twice.")
        groups[str(number)] = tuple(members)
    return groups


def recorded_groups(nodes: Iterable[Node], npus: int, where: str) -> dict[str, tuple[int, ...]]:
    """The process groups in the METADATA nodes of a PyTorch trace; an empty list of ranks there means all NPUs.

    Group 0, all NPUs by definition, is left out. Raises ConfigError where the groups can't be read.
    """
    groups: dict[str, tuple[int, ...]] = {}
    for node in nodes:
        if node.type is not NodeType.METADATA_NODE or node.inputs is None or '"pg_name"' not in node.inputs.values:
            continue
        place = f"{where}, {node.label}"
        for item in _items(node.inputs.values, place):
            name, members = item.get("pg_name"), item.get("ranks")
            number = _number(name)
            if number is None or not isinstance(members, list) or not all(type(one) is int for one in members):
                raise ConfigError(
                    f"{place}: a process group needs a pg_name that is a whole number, and ranks; it is {item!r:.80}."
                )
            found = tuple(members) or tuple(range(npus))
            if groups.get(str(number), found) != found:
                raise ConfigError(
                    f"{place}: process group {number} is {list(groups[str(number)])} first and {list(found)} later."
                )
            groups[str(number)] = found
    groups.pop("0", None)
    return groups


def _items(text: str, where: str) -> list[Mapping[str, Any]]:
    """The recorder writes a list with one text, which is JSON: ['[{...}, {...}]']."""
    try:
        items = json.loads(text[2:-2])
    except (RecursionError, ValueError):
        raise ConfigError(f"{where}: its process groups are no JSON: {text!r:.80}.") from None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ConfigError(f"{where}: its process groups are {text!r:.80}; a list of objects is expected.")
    return items


def _number(name: object) -> int | None:
    """The number that a group is called by, as ASTRA-sim reads it."""
    text = str(name) if type(name) in (int, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
