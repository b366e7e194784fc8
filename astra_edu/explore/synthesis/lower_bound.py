"""The least time in which a graph's links allow a collective, whatever the algorithm, if it moves whole shards.

Four bounds, of which the largest counts. In ns, with the network's own rounding, so that no simulated time is less.

- An NPU's links: the shards that must come in (or out) one by one over them.
- A cut: what must get into a set of NPUs, over all links into it. The worst of all sets is found by maximum flows, as
  long as the graph isn't large; else the sets of single NPUs and of NPUs with fast links among them are looked at.
- An all-reduce: of each shard, n - 1 to be added up and n - 1 copies of the sum must arrive, 2 (n - 1) over the links
  of all NPUs together; and the same of groups of NPUs (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for
  clusters of workstations", 2009, for NPUs that are alike).
- The two NPUs that are farthest apart: a shard takes its time on each link of the fastest way between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from math import ceil, inf

from astra_edu.collectives import Collective
from astra_edu.network import Block, GraphNetwork
from astra_edu.network.shortest import LinkName, Node, ShortestWays

MOST_FLOWS = 50_000
"""NPUs times links up to which all cuts are looked at."""
Links = Mapping[LinkName, Block]


def lower_bound_ns(network: GraphNetwork, collective: Collective, shard_bytes: int, parts: int = 1) -> int:
    """Of an all-gather, reduce-scatter or all-reduce whose blocks (an all-reduce's: n-ths) are `parts` shards each.

    >>> ring = ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 8, bandwidth=50, latency=500)))
    >>> lower_bound_ns(ring, ae.Collective.ALL_GATHER, 2**20)  # four hops of 20,031 ns, and four shards over each link
    80124
    """
    there = network.links
    back = {(head, tail): block for (tail, head), block in there.items()}
    far = _farthest(there, network.npus, shard_bytes)
    if collective is Collective.ALL_REDUCE:
        found = max(_reduced(there, network.npus, shard_bytes, parts))
    else:
        links = there if collective is Collective.ALL_GATHER else back
        found = _gathered(links, network.npus, shard_bytes, parts)
    return max(far, ceil(found * (1 - 1e-12)))  # whole ns, though parts of ns are added up


def _farthest(links: Links, npus: int, shard_bytes: int) -> int:
    """The time of a shard between the two NPUs between which it takes longest."""
    costs = {name: (block.crossing_ns(shard_bytes), 0) for name, block in links.items()}
    ways = ShortestWays(costs, npus, spread=False)
    return max(
        max(cost for node, (cost, _) in ways.all_from(npu).items() if isinstance(node, int)) for npu in range(npus)
    )


def _gathered(links: Links, npus: int, shard_bytes: int, parts: int) -> float:
    """Everybody's shards to everybody."""
    into: defaultdict[Node, list[Block]] = defaultdict(list)
    out: defaultdict[Node, list[Block]] = defaultdict(list)
    for (tail, head), block in links.items():
        into[head].append(block)
        out[tail].append(block)
    found: float = max(_one_by_one(into[npu], (npus - 1) * parts, shard_bytes) for npu in range(npus))
    found = max(found, *(_one_by_one(out[npu], parts, shard_bytes) for npu in range(npus)))
    if npus * len(links) <= MOST_FLOWS:
        return _worst_cut(links, npus, shard_bytes, parts, found)
    for groups in _groups(links):
        for group in groups:
            inside = sum(isinstance(node, int) for node in group)
            if inside:
                found = max(found, _over_cut(links, group, (npus - inside) * parts, shard_bytes))
    return found


def _one_by_one(blocks: Iterable[Block], shards: int, shard_bytes: int) -> int:
    """When the last of so many shards is there, if each link takes the next as soon as it is free."""
    ends = [(block.crossing_ns(shard_bytes), block.occupied_ns(shard_bytes), k) for k, block in enumerate(blocks)]
    heapify(ends)
    end = 0
    for _ in range(shards):
        end, occupied, k = heappop(ends)
        if not occupied:
            return end
        heappush(ends, (end + occupied, occupied, k))
    return end


def _rate(block: Block, shard_bytes: int) -> float:
    """Shards per ns over a link."""
    occupied = block.occupied_ns(shard_bytes)
    return 1 / occupied if occupied else inf


def _over_cut(links: Links, group: Iterable[Node], shards: float, shard_bytes: int) -> float:
    """The least time for so many shards over the links into a group."""
    inside = set(group)
    crossing = [block for (tail, head), block in links.items() if head in inside and tail not in inside]
    return _over(crossing, shards, shard_bytes)


def _over(crossing: list[Block], shards: float, shard_bytes: int) -> float:
    if not crossing or shards <= 0:
        return 0
    rate = sum(_rate(block, shard_bytes) for block in crossing)
    return shards / rate + min(block.crossing_ns(shard_bytes) - block.occupied_ns(shard_bytes) for block in crossing)


def _worst_cut(links: Links, npus: int, shard_bytes: int, parts: int, found: float) -> float:
    """The largest bound of any cut, if it is more than `found`: cuts that flows in the time known so far can't pass."""
    import networkx as nx

    rates = {name: _rate(block, shard_bytes) for name, block in links.items()}
    lags = [block.crossing_ns(shard_bytes) - block.occupied_ns(shard_bytes) for block in links.values()]
    least = min(lags)
    for npu in range(npus):
        while True:
            graph: nx.DiGraph[Node] = nx.DiGraph()
            for (tail, head), rate in rates.items():
                if rate < inf:
                    graph.add_edge(tail, head, capacity=rate * (found - least))
                else:
                    graph.add_edge(tail, head)
            for other in range(npus):
                graph.add_edge("all", other, capacity=parts)
            passed, (_, inside) = nx.minimum_cut(graph, "all", npu)
            shards = sum(parts for other in range(npus) if other not in inside)
            more = _over_cut(links, inside, shards, shard_bytes)
            if passed >= npus * parts * (1 - 1e-9) or more <= found * (1 + 1e-9):
                break
            found = more
    return found


def _groups(links: Links) -> Iterator[list[set[Node]]]:
    """Nodes that only links of more than a certain bandwidth hold together, for each bandwidth; and single ones."""
    nodes = list(dict.fromkeys(node for link in links for node in link))
    for limit in sorted({block.bandwidth for block in links.values()}):
        neighbours: defaultdict[Node, list[Node]] = defaultdict(list)
        for (tail, head), block in links.items():
            if block.bandwidth > limit:
                neighbours[tail].append(head)
                neighbours[head].append(tail)
        groups: list[set[Node]] = []
        seen: set[Node] = set()
        for node in nodes:
            if node in seen:
                continue
            group, ahead = {node}, [node]
            while ahead:
                for other in neighbours[ahead.pop()]:
                    if other not in group:
                        group.add(other)
                        ahead.append(other)
            seen |= group
            groups.append(group)
        if len(groups) > 1:
            yield groups


def _reduced(links: Links, npus: int, shard_bytes: int, parts: int) -> Iterator[float]:
    """Everybody's sum to everybody."""
    shards = npus * parts
    for groups in _groups(links):
        with_npus = [group for group in groups if any(isinstance(node, int) for node in group)]
        of = {node: k for k, group in enumerate(with_npus) for node in group}
        into: defaultdict[int, list[Block]] = defaultdict(list)
        out: defaultdict[int, list[Block]] = defaultdict(list)
        for (tail, head), block in links.items():
            if of.get(tail) != of.get(head):
                if head in of:
                    into[of[head]].append(block)
                if tail in of:
                    out[of[tail]].append(block)
        if len(with_npus) > 1:
            every = [block for blocks in into.values() for block in blocks]
            yield _over(every, 2 * (len(with_npus) - 1) * shards, shard_bytes)
            for crossing in (*into.values(), *out.values()):
                yield _over(crossing, shards, shard_bytes)
