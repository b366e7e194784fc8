"""A node as another NPU has it that does the same up to names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from astra_edu.traces.node import Attribute, Node, NodeType

MESSAGES = (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)
ENDS = ("comm_src", "comm_dst")


class Step(NamedTuple):
    """By how much a node's number, and the tag of its message, are larger for each further NPU."""

    number: int = 0
    tag: int = 0


def renamed(node: Node, groups: Mapping[str, str]) -> Node:
    """A node whose process group is called as another NPU calls it."""
    name = groups.get(node.group)
    if name is None:
        return node
    return replace(node, attributes={**node.attributes, "pg_name": node.attributes["pg_name"]._replace(value=name)})


def moved(node: Node, ends: int, by: int, steps: Mapping[int, Step], numbers: Mapping[int, int]) -> Node:
    """A node for an NPU `by` further than its template's. ends: by how much comm_src and comm_dst are larger."""
    attributes: Mapping[str, Attribute] = node.attributes
    if node.type in MESSAGES:
        step = steps.get(node.id)
        larger = dict.fromkeys(ENDS, ends) | {"comm_tag": step.tag * by if step else 0}
        attributes = {
            name: attribute._replace(value=attribute.value + larger[name]) if larger.get(name) else attribute
            for name, attribute in attributes.items()
        }
    data, control = (tuple(numbers.get(one, one) for one in deps) for deps in (node.data_deps, node.ctrl_deps))
    number = numbers.get(node.id, node.id)
    return replace(node, id=number, data_deps=data, ctrl_deps=control, attributes=attributes)
