"""What the nodes of an NPU have to do with other NPUs: whom it exchanges messages with, and in which groups it is.

Peers, groups and channels get the numbers of their first appearance, nodes being taken in the order of their ids. So
two NPUs that do the same up to names have the same numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from astra_edu.traces import Node, NodeType

Channel = tuple[int, int]
"""Tag and bytes of messages; those of one channel between two NPUs find each other in their order."""
_MESSAGES = (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)
_NAMES = {"comm_src", "comm_dst", "comm_tag", "pg_name"}


@dataclass(slots=True)
class Parts:
    """What a template has to do with others, as its first NPU has it.

    peers: whom it sends to or receives from. sends, receives: for each peer the channels. steps: by how much the
    tags of each peer's messages are larger for each further NPU. groups: names of its process groups. involved: the
    dimensions of its collectives over all NPUs (None: all of them), each different one.
    """

    peers: dict[int, int] = field(default_factory=dict)
    sends: list[dict[Channel, int]] = field(default_factory=list)
    receives: list[dict[Channel, int]] = field(default_factory=list)
    steps: list[set[int]] = field(default_factory=list)
    groups: dict[str, int] = field(default_factory=dict)
    involved: set[tuple[bool, ...] | None] = field(default_factory=set)

    def slot(self, peer: int) -> int:
        """The number of a peer."""
        found = self.peers.get(peer)
        if found is None:
            found = self.peers[peer] = len(self.peers)
            self.sends.append({})
            self.receives.append({})
            self.steps.append(set())
        return found


def parts_of(nodes: Iterable[Node], tag_steps: Mapping[int, int]) -> Parts:
    """What these nodes have to do with others. tag_steps: of nodes by their numbers, as SharedNodes has them."""
    parts = Parts()
    for node in sorted(nodes, key=lambda node: node.id):
        if node.type in _MESSAGES:
            sending = node.type is NodeType.COMM_SEND_NODE
            slot = parts.slot(node.number("comm_dst" if sending else "comm_src"))
            channels = (parts.sends if sending else parts.receives)[slot]
            channels.setdefault((node.number("comm_tag", 0), node.number("comm_size")), len(channels))
            parts.steps[slot].add(tag_steps.get(node.id, 0))
        elif node.type is NodeType.COMM_COLL_NODE and node.collective is not None:
            if group := node.group:
                parts.groups.setdefault(group, len(parts.groups))
            else:
                parts.involved.add(node.involved)
    return parts


def essence(nodes: Sequence[Node], parts: Parts) -> Hashable:
    """What counts of nodes, in the order in which they are tried; equal for NPUs that do the same up to names.

    parts: of these nodes. What can't be compared is like nothing else.
    """
    ordered = sorted(nodes, key=lambda node: node.id)
    places = {node.id: place for place, node in enumerate(ordered)}
    found = tuple(
        (
            node.type,
            tuple(sorted(places[parent] for parent in node.parents)),
            node.duration_micros,
            _partners(node, parts),
            tuple(sorted((name, one.value) for name, one in node.attributes.items() if name not in _NAMES)),
        )
        for node in ordered
    )
    try:
        hash(found)
    except TypeError:
        return object()
    return found


def sketch(nodes: Sequence[Node]) -> Hashable:
    """What is looked at first, as it costs little: equal for nodes with equal essences."""
    sends = NodeType.COMM_SEND_NODE
    return (
        len(nodes),
        sum(node.duration_micros for node in nodes),
        sum(len(node.data_deps) for node in nodes) + sum(len(node.ctrl_deps) for node in nodes),
        sum(node.type is sends for node in nodes),
        sum(node.type for node in nodes),
    )


def _partners(node: Node, parts: Parts) -> Hashable:
    """With whom a node communicates, by the numbers of parts."""
    if node.type in _MESSAGES:
        sending = node.type is NodeType.COMM_SEND_NODE
        slot = parts.peers[node.number("comm_dst" if sending else "comm_src")]
        channels = (parts.sends if sending else parts.receives)[slot]
        return slot, channels[node.number("comm_tag", 0), node.number("comm_size")]
    if node.type is NodeType.COMM_COLL_NODE:
        return parts.groups.get(node.group, -1)
    return None
