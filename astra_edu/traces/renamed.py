"""A node as another NPU has it that does the same up to names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from astra_edu.traces.node import Attribute, Node, NodeType
from astra_edu.traces.quick_node import node_of_fields

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
    attributes = node.attributes
    if node.type in MESSAGES:
        step = steps.get(node.id)
        attributes = dict(attributes)
        for end in ENDS if ends else ():
            if end in attributes:
                attributes[end] = _larger(attributes[end], ends)
        if step is not None and step.tag and "comm_tag" in attributes:
            attributes["comm_tag"] = _larger(attributes["comm_tag"], step.tag * by)
    data, control = node.data_deps, node.ctrl_deps
    if numbers:
        get = numbers.get
        data, control = tuple([get(one, one) for one in data]), tuple([get(one, one) for one in control])
    number = numbers.get(node.id, node.id)
    times = node.duration_micros, node.start_time_micros
    return node_of_fields(number, node.name, node.type, data, control, *times, attributes, node.inputs, node.outputs)


@lru_cache(maxsize=1000)
def _larger(attribute: Attribute, by: int) -> Attribute:
    """The attribute of a number that is larger by so much; many nodes have the same."""
    return Attribute(attribute.value + by, attribute.member, attribute.doc)
