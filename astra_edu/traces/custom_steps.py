"""What a trace is when it describes a collective: steps that send, receive or compute."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.system.custom import Act, CustomStep
from astra_edu.traces.node import Node, NodeType

_ACTS = {
    NodeType.COMM_SEND_NODE: (Act.SEND, "comm_dst"),
    NodeType.COMM_RECV_NODE: (Act.RECEIVE, "comm_src"),
    NodeType.COMP_NODE: (Act.COMPUTE, ""),
}


def custom_steps(nodes: Sequence[Node]) -> tuple[CustomStep, ...]:
    """One rank's nodes as steps. Raises ConfigError for nodes of other types."""
    return tuple(map(_step, nodes))


def _step(node: Node) -> CustomStep:
    if node.type not in _ACTS:
        raise ConfigError(
            f"{node.label} of a custom collective is a {node.type.name}; it can have sends, receives and computations."
        )
    act, other = _ACTS[node.type]
    rank = node.number(other) if other else 0
    tag, size = node.number("comm_tag", 0), node.number("comm_size", 0)
    return CustomStep(
        node.id, node.name, act, rank, tag, size, node.duration_micros * 1000 or 1, frozenset(node.parents)
    )
