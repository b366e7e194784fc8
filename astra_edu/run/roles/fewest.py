"""How many roles there are at least, found before it is looked at more closely who plays which.

Only what costs little is looked at: how NPUs' nodes look at first sight, and who exchanges messages with whom. Whoever
differs in that plays another role. The partition is refined class by class, the smaller ones first (Hopcroft 1971), as
the middle of a long pipeline is far from its ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter

from astra_edu.run.roles.parts import sketch
from astra_edu.run.roles.refine import numbered
from astra_edu.traces import Node, NodeType, Trace

LOOKS: tuple[Callable[[Sequence[Node]], Hashable], ...] = (len, sketch)
"""What is equal for NPUs of a role, the cheapest first."""


def too_many(trace: Trace, most: int) -> bool:
    """Whether it is seen at once that there are more than `most` roles. The trace's communication must be checked.

    >>> trace = ae.traces.from_pipeline("gpipe", 8, 2, forward_micros=10, backward_micros=20, bytes=4096)
    >>> from astra_edu.run.roles.fewest import too_many
    >>> too_many(trace, 4), too_many(trace, 8)
    (True, False)
    """
    shared = trace.templates
    met: list[list[tuple[int, int]]] = []
    for look in LOOKS:
        looks, count = numbered(map(look, shared.templates))
        if count <= most:
            met = met or _met(trace)
            count = _refined([looks[template] for template in shared.of], met, most)
        if count > most:
            return True
    return False


def _met(trace: Trace) -> list[list[tuple[int, int]]]:
    """For each NPU those that it exchanges messages with, and for each of these the bit of the number it has there."""
    shared = trace.templates
    found: list[list[tuple[int, int]]] = [[] for _ in range(trace.npus)]
    for nodes, first, members in zip(shared.templates, shared.first, shared.members, strict=True):
        peers: dict[int, int] = {}
        for node in sorted(nodes, key=attrgetter("id")):  # numbers are those of parts_of
            if node.type is NodeType.COMM_SEND_NODE:
                peers.setdefault(int(node.attributes["comm_dst"].value), 1 << len(peers))
            elif node.type is NodeType.COMM_RECV_NODE:
                peers.setdefault(int(node.attributes["comm_src"].value), 1 << len(peers))
        for peer, bit in peers.items():
            for npu in members:
                found[peer + (npu - first) * shared.shifts].append((npu, bit))
    return found


def _refined(looks: Sequence[int], met: Sequence[Sequence[tuple[int, int]]], most: int) -> int:
    """How many classes there are when NPUs of a class have peers of the same; or just more than `most`."""
    classes: defaultdict[int, set[int]] = defaultdict(set)
    of = list(looks)
    for npu, look in enumerate(of):
        classes[look].add(npu)
    left = list(classes)
    while left and len(classes) <= most:
        peers: defaultdict[int, int] = defaultdict(int)
        for npu in classes[left.pop()]:
            for one, bit in met[npu]:
                peers[one] |= bit
        groups: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        for npu, bits in peers.items():
            groups[of[npu], bits].add(npu)
        split: defaultdict[int, list[set[int]]] = defaultdict(list)
        for (old, _), group in groups.items():
            split[old].append(group)
        for old, parts in split.items():
            rest = len(classes[old]) - sum(map(len, parts))
            parts.sort(key=len)
            if rest < len(parts[-1]):  # the largest stays
                stays = parts.pop()
                if rest:
                    parts.append(classes[old].difference(stays, *parts))
                classes[old] = stays
            else:
                classes[old].difference_update(*parts)
            for part in parts:
                new = len(classes)
                classes[new] = part
                left.append(new)
                for npu in part:
                    of[npu] = new
    return len(classes)
