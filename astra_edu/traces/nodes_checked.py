"""Whether nodes can be an NPU's: fields of the right kinds, numbers that occur once, no circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from numbers import Integral

from astra_edu.base.errors import ConfigError, list_of, shown, text_of
from astra_edu.traces.node import Attribute, Node, NodeType


def check_nodes(nodes: object, where: str) -> None:
    """Whether these are nodes, with fields that can be one's. Raises ConfigError naming the first that isn't."""
    for node in list_of(f"{where}: its nodes", nodes, "give a tuple of Node"):
        if _is_plain(node):
            continue
        if not isinstance(node, Node):
            raise ConfigError(f"{where}: {shown(node, 60)} is no Node.")
        if not isinstance(node.name, str) or not node.name.isascii():
            text_of(f"{where}: name of node {shown(node.id)}", node.name)
        for name, kind, right in _FIELDS:
            value = getattr(node, name)
            if not isinstance(value, kind) or (isinstance(value, int) and not 0 <= value < 2**64):
                raise ConfigError(f"{where}, node {shown(node.id)}: {name} is {shown(value, 60)}; it must be {right}.")
        for name, attribute in node.attributes.items():
            if not isinstance(attribute, Attribute):
                raise ConfigError(
                    f"{where}, {node.label}: attribute {shown(name, 60)} is {shown(attribute, 60)}; give it as "
                    f"ae.traces.attribute_of({shown(name, 60)}, {shown(attribute, 60)})."
                )


def _is_plain(node: object) -> bool:
    """Whether the fields of a node are of the very types that they should be, as they mostly are."""
    return (
        type(node) is Node
        and type(node.id) is type(node.duration_micros) is type(node.start_time_micros) is int
        and 0 <= node.id < 2**64
        and 0 <= node.duration_micros < 2**64
        and 0 <= node.start_time_micros < 2**64
        and type(node.type) is NodeType
        and type(node.data_deps) is type(node.ctrl_deps) is tuple
        and type(node.attributes) is dict
        and _ONLY.issuperset(map(type, node.attributes.values()))
        and type(node.name) is str
        and node.name.isascii()
    )


_ONLY = frozenset({Attribute})
_FIELDS = (
    ("id", int, "a whole number from 0 to 2**64 - 1"),
    ("type", NodeType, "a NodeType"),
    ("data_deps", (tuple, list), "the numbers of nodes"),
    ("ctrl_deps", (tuple, list), "the numbers of nodes"),
    ("duration_micros", int, "whole µs from 0 to 2**64 - 1"),
    ("start_time_micros", int, "whole µs from 0 to 2**64 - 1"),
    ("attributes", Mapping, "a mapping from names to Attribute(...)"),
)


def check_graph(nodes: Sequence[Node], where: str) -> None:
    """Raise ConfigError for numbers that occur twice or are none, missing parents, circles. where: "NPU 3" or file."""
    with suppress(TypeError):  # what no set can have is no number either
        if _in_order(nodes):
            return
    for node in nodes:
        for parent in (*node.data_deps, *node.ctrl_deps):
            if not isinstance(parent, Integral):
                raise ConfigError(f"{where}: {node.label} waits for {shown(parent, 60)}, which is no node's number.")
    by_id: dict[int, Node] = {}
    for node in nodes:
        if node.id in by_id:
            raise ConfigError(f"{where}: two nodes have the number {node.id} ({by_id[node.id].name}, {node.name}).")
        by_id[node.id] = node
    for node in nodes:
        for parent in node.parents:
            if parent not in by_id:
                only = parent not in node.data_deps
                hint = " Chakra's converter leaves such nodes out: missing_parents='ignore' loads its files."
                raise ConfigError(
                    f"{where}: {node.label} waits for node {parent}, which isn't there.{hint if only else ''}"
                )
    try:
        TopologicalSorter({node.id: node.parents for node in nodes}).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        start = circle.index(min(circle))
        told = [*circle[start:-1], *circle[: start + 1]]
        more = " and so on" if len(told) > 7 else ""
        words = " waits for ".join(map(str, told[:6] if more else told))
        raise ConfigError(f"{where}: nodes wait for each other in a circle: {words}{more}.") from None


def _in_order(nodes: Sequence[Node]) -> bool:
    """Whether every node has a number of its own and comes after its parents, so that there are no circles."""
    seen: set[int] = set()
    for node in nodes:
        for parent in node.data_deps:
            if parent not in seen:
                return False
        for parent in node.ctrl_deps:
            if parent not in seen:
                return False
        seen.add(node.id)
    return len(seen) == len(nodes)
