"""How many messages a run would follow one by one, so that nothing is begun that never ends."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import ALGORITHMS, Algorithm, Collective, known_schedule, walk
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import COLLECTIVES, Node, NodeType, Trace

MOST_MESSAGES = 20_000_000
"""A few minutes."""


def messages_of(trace: Trace, platform: TracePlatform) -> int:
    """About how many messages all NPUs send for their collectives; an upper bound, without custom collectives."""
    if platform.system.replay_only:
        return 0
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
    """What one NPU sends for a collective: its phases' messages, read off their schedules, for each chunk."""
    collective = COLLECTIVES.get(node.comm_type)
    hows = platform.system.implementations.get(collective, ()) if collective is not None else ()
    custom = platform.system.custom_nodes.get(node.id) or platform.system.custom.get(collective) if collective else None
    if collective is None or not hows or custom is not None:
        return 0
    members = trace.groups.get(node.group)
    if members is not None and len(members) < platform.npus:
        how = hows[0] if len(hows) == 1 else Implementation.parse("ring")
        rings = [(how, len(members))]
    elif hows[0].flat:
        rings = [(hows[0], platform.npus)]
    else:
        rings = list(zip(hows, platform.dims, strict=False))
    halves = kind_of(platform.system.inter_dimension).halves
    steps = walk(collective, range(len(rings)), halves, platform.system.optimization == "baseline")
    each = sum(_of_phase(what, ALGORITHMS[rings[d][0].algorithm], rings[d][1]) for what, d in steps if rings[d][1] > 1)
    return each * (platform.system.splits + 1)


@lru_cache(maxsize=1000)
def _of_phase(what: Collective, algorithm: Algorithm, npus: int) -> int:
    """The messages of the NPU that sends most of a phase; a tree's is asked for by whatever name."""
    try:
        plan = known_schedule(Collective.ALL_REDUCE if algorithm.traits.tree else what, algorithm.name, npus)
    except ConfigError:  # if it is really asked for, the run says so, and where
        return 0
    first = range(1) if plan.symmetric else range(npus)
    sent: Counter[int] = Counter()
    for group in plan.groups:
        for step in range(1 if group.uniform else group.count):
            for npu in first:
                sent[npu] += len({to for to, _ in group.rule(step, npu)}) * (group.count if group.uniform else 1)
    return max(sent.values())
