"""Nodes from their fields, made quickly: a trace can have millions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from astra_edu.traces.node import Attribute, Node, NodeType, Tensors


class Open:
    """A node that is being filled; with all fields, and Node as its class, it is one."""

    __slots__ = Node.__slots__


def node_of_fields(
    id: int,
    name: str,
    type: NodeType,
    data_deps: tuple[int, ...],
    ctrl_deps: tuple[int, ...],
    duration_micros: int,
    start_time_micros: int,
    attributes: Mapping[str, Attribute],
    inputs: Tensors | None,
    outputs: Tensors | None,
) -> Node:
    """Node(...) in a fifth of the time: a frozen one takes its fields one by one, through object.__setattr__."""
    node: Any = Open()
    node.id, node.name, node.type = id, name, type
    node.data_deps, node.ctrl_deps = data_deps, ctrl_deps
    node.duration_micros, node.start_time_micros = duration_micros, start_time_micros
    node.attributes, node.inputs, node.outputs = attributes, inputs, outputs
    node.__class__ = Node
    made: Node = node
    return made
