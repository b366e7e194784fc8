"""Collectives synthesized for a graph: the schedule is made for the links that there are.

It stands here and not beside the other algorithms, which know no network: it needs the network's links, and the
engines to compare what it makes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from astra_edu.base.errors import ConfigError, choice, whole
from astra_edu.base.units import parse_bytes
from astra_edu.collectives import Collective, Op, Rounds
from astra_edu.explore.synthesis.lower_bound import lower_bound_ns
from astra_edu.explore.synthesis.matching import Planned, all_gather, backwards
from astra_edu.explore.synthesis.stepped import in_steps, stepped_ns
from astra_edu.explore.synthesis.synthesized import Synthesized
from astra_edu.explore.synthesis.ways import Way, check_shards, one_dimension, ways_of, with_ways
from astra_edu.network import Block, GraphNetwork

__all__ = ["Synthesized", "lower_bound_ns", "synthesize"]

DOES = (Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_REDUCE)
MOST_SHARDS = 4_000_000
MOST_TRIES = 100_000
STEPPED = 3
"""Of all tries, the fastest that are put in steps."""
Steps = list[list[Planned]]


def synthesize(
    collective: str,
    network: Block | Sequence[Block] | GraphNetwork,
    collective_bytes: int | str = "64 MiB",
    parts: int = 1,
    tries: int = 16,
    seed: int = 0,
) -> Synthesized:
    """A schedule for one collective, made for one network by matching shards with free links; the best of some tries.

    collective: all-gather, reduce-scatter (an all-gather backwards) or all-reduce (both, one after the other).
    collective_bytes: what an NPU brings, for which times are planned; a size such as "64 MiB", too. parts: into how
    many shards each NPU's block (an n-th of an all-reduce) is cut; more keep links busy, and pay their latency more
    often. TACOS calls them chunks. seed: of all tries; the same seed gives the same schedule.

    A link is busy with a shard until it has arrived, and a shard that passes switches has all its links that long.
    planned_ns goes step by step, as schedules do. Where links differ much, all wait for the slowest of each step, and
    the same transfers as a trace, made.simulated_ns(steps=False), may take less than half: made.compared() has both.

    Raises ConfigError for what is no network or another collective, and for more shards than can be matched.

    >>> import networkx as nx
    >>> graph = nx.DiGraph()
    >>> graph.add_edges_from([(0, 1), (1, 2), (2, 0)], bandwidth=50, latency=500)
    >>> graph.add_edge(0, 2, bandwidth=25, latency=700)
    >>> made = ae.synthesize("all-reduce", ae.GraphNetwork(graph), "3 MiB")
    >>> print(made)  # doctest: +NORMALIZE_WHITESPACE
    <synthesized all-reduce on 3 NPUs: 4 steps, 3 shards; 119.586 µs (efficiency 0.56) in steps,
     80.124 µs (efficiency 0.84) without>
    >>> ae.prove(made)
    >>> made.planned_ns, made.simulated_ns()
    (119586, 119586)
    """
    wanted = Collective(choice("collective", collective, list(DOES)))
    graph = one_dimension(network)
    npus = graph.npus
    parts, tries = whole("parts", parts, at_least=1), whole("tries", tries, at_least=1)
    if tries > MOST_TRIES:
        raise ConfigError(f"tries is {tries:,}; {MOST_TRIES:,} is the most.")
    collective_bytes = parse_bytes(collective_bytes)
    check_shards(npus, parts, MOST_SHARDS)
    gathers = wanted is Collective.ALL_GATHER
    shard_bytes = collective_bytes // (parts if gathers else npus * parts)
    if not shard_bytes:
        raise ConfigError(f"collective_bytes is {collective_bytes}; that makes shards of less than a byte.")
    seed = whole("seed", seed, at_least=0)
    ways = ways_of(graph)
    graph = with_ways(graph, ways)
    matched: list[Planned] = []
    every: Steps = []
    since = 0
    groups: list[Rounds] = []
    for op in (Op.REDUCE, Op.COPY):
        if (op is Op.REDUCE and gathers) or (op is Op.COPY and wanted is Collective.REDUCE_SCATTER):
            continue
        steps = _best(graph, ways, op, shard_bytes, parts, tries, seed)
        every += steps
        matched += [each.later(since) for step in steps for each in step]
        since = max(each.end_ns for each in matched)
        groups.append(_rounds(op, steps))
    planned_ns = stepped_ns(every, graph.links, shard_bytes)
    if not planned_ns:
        raise ConfigError(
            f"collective_bytes is {collective_bytes}: shards of {shard_bytes} bytes take less than a ns over each link "
            "of this network, and there is no latency; give more bytes."
        )
    return Synthesized(
        wanted,
        "synthesized",
        npus,
        npus * parts,
        tuple(groups),
        network=graph,
        collective_bytes=collective_bytes,
        matched=tuple(sorted(matched, key=lambda each: each.start_ns)),
        planned_ns=planned_ns,
    )


def _best(
    graph: GraphNetwork, ways: Sequence[Way], op: Op, shard_bytes: int, parts: int, tries: int, seed: int
) -> Steps:
    """The steps of the try that is the fastest in steps."""
    ns = {way: sum(graph.links[link].crossing_ns(shard_bytes) for link in way.links) for way in ways}
    if op is Op.REDUCE:
        ns = {way.back: time for way, time in ns.items()}
    found = [all_gather(list(ns), ns, graph.npus, parts, seed, number) for number in range(tries)]
    if op is Op.REDUCE:
        found = list(map(backwards, found))
    found.sort(key=lambda planned: max(each.end_ns for each in planned))
    stepped = (in_steps(planned, graph.links, shard_bytes) for planned in found[:STEPPED])
    return min(stepped, key=lambda each: each[0])[1]


def _rounds(op: Op, steps: Steps) -> Rounds:
    tables: list[dict[int, list[tuple[int, int]]]] = []
    for step in steps:
        table: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for way, shard, *_ in step:
            table[way.source].append((way.destination, shard))
        tables.append(dict(table))

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        return tables[step].get(npu, [])

    phase = "reduce-scatter" if op is Op.REDUCE else "all-gather"
    return Rounds(phase, op, len(tables), rule, symmetric=False, uniform=False)
