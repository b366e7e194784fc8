"""How many messages a run would follow one by one, so that nothing is begun that never ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import ALGORITHMS, Algorithm, Collective, known_schedule, walk
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.plan_2 import cut
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import COLLECTIVES, Node, NodeType, Trace

MOST_MESSAGES = 20_000_000
"""A few minutes."""
_MATTER = ("comm_type", "comm_size", "pg_name")
"""The attributes of a collective that decide how many messages it has, besides those of which `involved` makes one."""
GROUPS = (
    " With process groups they don't; where groups are whole dimensions of the network, as "
    "ae.traces.from_strategy(..., network=) makes them, one NPU stands for all. Without congestion_aware, NPUs that do "
    "the same in their groups are followed once."
)
UNALIKE = (
    " NPUs that do the same, in equal places of their groups and of the network, are followed once; here more than "
    "half of them differ, or wait for each other in a shared bus, memory or rendezvous."
)


def messages_of(trace: Trace, platform: TracePlatform) -> int:
    """How many messages all NPUs send, without custom collectives; about as many where Themis cuts the chunks."""
    return _count(trace, platform, _of_phase)


def check_hops(trace: Trace, platform: TracePlatform, once: bool) -> None:
    """Raise ConfigError where one NPU's messages cross more congested links than can be followed.

    That is so where direct sends round a large ring: half of its messages go a quarter of the way or further. once:
    whether equal phases are followed once, as nothing disturbs them.
    """
    if not platform.congestion_aware:
        return
    kinds = {node.comm_type for own in trace.templates.templates for node in own if "comm_type" in node.attributes}
    used = [platform.system.implementations.get(COLLECTIVES[kind], ()) for kind in kinds if kind in COLLECTIVES]
    rings = [
        block.npus
        for hows in used
        for how, block in zip(hows, platform.blocks, strict=False)
        if how.traits.windowed and block.topology.goes_round
    ]
    if not rings:
        return
    npus = max(rings)
    sent = 2 * npus if once else messages_of(trace, platform) // platform.npus
    crossings = sent * npus // 4
    if crossings > MOST_MESSAGES:
        nearest = int(npus * (MOST_MESSAGES / crossings) ** 0.5)
        raise ConfigError(
            f"NPU 0's messages cross about {crossings:,} links round a ring of {npus:,} NPUs, which would have to be "
            f"followed one by one on the congestion-aware network; {MOST_MESSAGES:,} are the most. Take {nearest:,} "
            "NPUs in that dimension, ring in place of direct, or congestion_aware=False."
        )


def steps_of(trace: Trace, platform: TracePlatform) -> int:
    """How many things happen where phases are timed at once: messages of the trace itself, and NPUs in phases.

    An algorithm whose steps are still gone through costs about a quarter of its messages.
    """
    return _count(trace, platform, _steps_of_phase)


def check_effort(count: int, keyword: str = "", congestion_aware: bool = True) -> None:
    """Raise ConfigError where these are more messages than can be followed. keyword: what asks for it, if any does."""
    if count > MOST_MESSAGES:
        why = f"{keyword} asks for it" if keyword else "the NPUs don't all do the same"
        raise ConfigError(
            f"about {count:,} messages would have to be followed one by one, as {why}; {MOST_MESSAGES:,} are the most. "
            f"{f'Leave out {keyword}, or take' if keyword else 'Take'} fewer NPUs, fewer chunks "
            "(preferred-dataset-splits), or another algorithm."
            f"{'' if keyword else GROUPS if congestion_aware else UNALIKE}"
        )


def _count(trace: Trace, platform: TracePlatform, of_phase: Callable[[Collective, Algorithm, int], float]) -> int:
    if platform.system.replay_only:
        return 0
    count = 0
    own = platform.system.custom_nodes
    known: dict[Hashable, float] = {}
    for nodes, npus in _kinds(trace):
        per_npu: float = 0
        for node in nodes:
            if node.type is NodeType.COMM_COLL_NODE:
                custom = node.id if node.id in own else None
                shared = id(node.attributes), custom  # equal ones are one, as a rule
                sent = known.get(shared)
                if sent is None:
                    key = (*map(node.attributes.get, _MATTER), node.involved, custom)
                    sent = known.get(key)
                    if sent is None:
                        sent = known[key] = _messages(node, trace, platform, of_phase)
                    known[shared] = sent
                per_npu += sent
            elif node.type is NodeType.COMM_SEND_NODE:
                per_npu += 1
        count += round(npus * per_npu)
    return count


def _steps_of_phase(what: Collective, algorithm: Algorithm, npus: int) -> float:
    """What an NPU costs in a phase that is timed at once."""
    return 1 + (0 if algorithm.name == "ring" else _of_phase(what, algorithm, npus) / 4)


def _kinds(trace: Trace) -> list[tuple[tuple[Node, ...], int]]:
    """(nodes, how many NPUs have such, in groups as large)."""
    shared = trace.templates
    if not shared.names:
        return list(zip(shared.templates, shared.counts, strict=True))
    found: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
    for npu, template in enumerate(shared.of):
        key = template, tuple(len(trace.groups.get(name, ())) for name in shared.names[npu])
        first, npus = found.get(key, (npu, 0))
        found[key] = first, npus + 1
    return [(shared[first], npus) for first, npus in found.values()]


def _messages(
    node: Node, trace: Trace, platform: TracePlatform, of_phase: Callable[[Collective, Algorithm, int], float]
) -> float:
    """What an NPU sends for a collective: its phases' messages, read off their schedules, for each chunk."""
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
    involved = node.involved if members is None else None
    use = [(n > 1 and (involved is None or (d < len(involved) and involved[d]))) for d, (_, n) in enumerate(rings)]
    each = sum(of_phase(what, ALGORITHMS[rings[d][0].algorithm], rings[d][1]) for what, d in steps if use[d])
    return each * _chunks(collective, node.number("comm_size"), platform)


def _chunks(collective: Collective, size: int, platform: TracePlatform) -> int:
    try:
        chunk_bytes, left_bytes = cut(collective, size, platform.system.splits, platform.npus)
    except ConfigError:  # the run says so, and where
        return 0
    return -(-left_bytes // chunk_bytes)


@lru_cache(maxsize=1000)
def _of_phase(what: Collective, algorithm: Algorithm, npus: int) -> float:
    """The messages of an NPU in a phase, in the mean; a tree's is asked for by whatever name."""
    try:
        plan = known_schedule(Collective.ALL_REDUCE if algorithm.traits.tree else what, algorithm.name, npus)
    except ConfigError:  # if it is really asked for, the run says so, and where
        return 0
    senders = range(1) if plan.symmetric else range(npus)
    sent = 0
    for group in plan.groups:
        for step in range(1 if group.uniform else group.count):
            receivers = sum(len({to for to, _ in group.rule(step, npu)}) for npu in senders)
            sent += receivers * (group.count if group.uniform else 1)
    return sent / len(senders)
