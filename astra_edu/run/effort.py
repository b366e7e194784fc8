"""How many messages a run would follow one by one, so that nothing is begun that never ends."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.system.config import TREES
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import COLLECTIVES, Node, NodeType, Trace

MOST_MESSAGES = 20_000_000
"""A few minutes."""


def messages_of(trace: Trace, platform: TracePlatform) -> int:
    """About how many messages all NPUs send for their collectives; an upper bound, without custom collectives."""
    count = 0
    for nodes, npus in _kinds(trace):
        per_npu = sum(_messages(node, trace, platform) for node in nodes if node.type is NodeType.COMM_COLL_NODE)
        count += npus * per_npu
    return count


def check_effort(count: int) -> None:
    """Raise ConfigError where these are more messages than can be followed."""
    if count > MOST_MESSAGES:
        raise ConfigError(
            f"about {count:,} messages would have to be followed one by one, as the NPUs don't all do the same; "
            f"{MOST_MESSAGES:,} are the most. Take fewer NPUs, fewer chunks (preferred-dataset-splits), or another "
            "algorithm."
        )


def _kinds(trace: Trace) -> list[tuple[tuple[Node, ...], int]]:
    """(nodes, how many NPUs share them)."""
    found: dict[int, tuple[tuple[Node, ...], int]] = {}
    for nodes in trace.nodes:
        _, npus = found.get(id(nodes), (nodes, 0))
        found[id(nodes)] = nodes, npus + 1
    return list(found.values())


def _messages(node: Node, trace: Trace, platform: TracePlatform) -> int:
    collective = COLLECTIVES.get(node.comm_type)
    if collective is None:
        return 0
    hows = platform.system.implementations.get(collective, ())
    members = trace.groups.get(node.group)
    if members is not None and len(members) < platform.npus:
        sizes = [len(members)]
    else:
        sizes = list(platform.dims) if not (hows and hows[0].flat) else [platform.npus]
    each = sum(_steps(collective, how.algorithm, n) for how, n in zip(hows, sizes, strict=False))
    return each * (platform.system.splits + 1)


def _steps(collective: Collective, algorithm: str, npus: int) -> int:
    if algorithm in TREES:
        return 3
    if algorithm == "halving-doubling":
        return 2 * npus.bit_length()
    if algorithm == "ring" and collective is Collective.ALL_TO_ALL:
        return npus * (npus - 1) // 2
    return 2 * (npus - 1)
