"""An all-gather by matching shards with links on a time-expanded network, greedily and at random.

Whenever a link is free, it takes a shard that its sender has and its receiver neither has nor awaits: after Won et
al., "TACOS: Topology-Aware Collective Algorithm Synthesizer for Distributed Machine Learning" (MICRO 2024, arXiv
2304.05301), where links with other bandwidths and latencies are busy for as long as they take. Ours: of two rules for
which shard a link takes, and a link that stays free where a faster one brings the shard sooner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from astra_edu.explore.synthesis.ways import Way
from astra_edu.network.shortest import LinkName


class Planned(NamedTuple):
    """A shard on its way; all its links are its own from start_ns to end_ns."""

    way: Way
    shard: int
    start_ns: int
    end_ns: int

    def later(self, ns: int) -> Planned:
        """The same so much later."""
        return self._replace(start_ns=self.start_ns + ns, end_ns=self.end_ns + ns)


class Matching:
    """One try. ns: how long a shard takes on each way; parts: shards of each NPU. Shard p * npus + i is NPU i's."""

    def __init__(self, ways: Sequence[Way], ns: Mapping[Way, int], npus: int, parts: int, seed: str) -> None:
        """Every NPU has its own shards."""
        self.random = Random(seed)
        self.ns = ns
        self.shards = npus * parts
        self.has = [sum(1 << part * npus + npu for part in range(parts)) for npu in range(npus)]
        self.gets = list(self.has)
        self.copies = [0, (1 << self.shards) - 1, *[0] * npus]  # [k]: the shards that k NPUs have or await
        self.count = [1] * self.shards
        self.free: dict[LinkName, int] = defaultdict(int)
        self.out: defaultdict[int, list[Way]] = defaultdict(list)
        self.over: defaultdict[LinkName, list[Way]] = defaultdict(list)
        self.faster: dict[Way, list[Way]] = {}
        into: defaultdict[int, list[Way]] = defaultdict(list)
        for way in ways:
            self.out[way.source].append(way)
            into[way.destination].append(way)
            for link in way.links:
                self.over[link].append(way)
        for way in ways:
            self.faster[way] = [other for other in into[way.destination] if ns[other] < ns[way]]
        self.planned: list[Planned] = []

    def run(self, rarest: bool) -> list[Planned]:
        """The transfers by their start. rarest: whether what fewest NPUs have or await goes first; else any may."""
        ahead: list[tuple[int, int, Planned]] = []
        touched: Iterable[Way] = [way for ways in self.out.values() for way in ways]
        now = 0
        while True:
            for way in self._in_turn(touched):
                planned = self._match(way, now, rarest)
                if planned:
                    heappush(ahead, (planned.end_ns, len(self.planned), planned))
                    self.planned.append(planned)
            if not ahead:
                return self.planned
            now = ahead[0][0]
            freed: dict[Way, None] = {}
            while ahead and ahead[0][0] == now:
                *_, planned = heappop(ahead)
                self.has[planned.way.destination] |= 1 << planned.shard
                freed |= dict.fromkeys(self.out[planned.way.destination])
                for link in planned.way.links:
                    freed |= dict.fromkeys(self.over[link])
            touched = freed

    def _in_turn(self, ways: Iterable[Way]) -> list[Way]:
        """At random, the fastest first."""
        listed = list(ways)
        self.random.shuffle(listed)
        return sorted(listed, key=lambda way: self.ns[way])

    def _match(self, way: Way, now: int, rarest: bool) -> Planned | None:
        wanted = self.has[way.source] & ~self.gets[way.destination]
        if not wanted or any(self.free[link] > now for link in way.links):
            return None
        end = now + self.ns[way]
        lacks = self.shards - self.gets[way.destination].bit_count()
        for other in self.faster[way]:  # which brings the rest of what it has before this one would be there
            begin = max(now, *(self.free[link] for link in other.links))
            theirs = wanted & self.has[other.source]
            if theirs and begin + min(lacks, theirs.bit_count()) * self.ns[other] < end:
                wanted &= ~theirs
        if not wanted:
            return None
        shard = self._pick(wanted, rarest)
        self.gets[way.destination] |= 1 << shard
        for level in (0, 1):
            self.copies[self.count[shard] + level] ^= 1 << shard
        self.count[shard] += 1
        self.free |= dict.fromkeys(way.links, end)
        return Planned(way, shard, now, end)

    def _pick(self, wanted: int, rarest: bool) -> int:
        if rarest:
            wanted = next(wanted & level for level in self.copies if wanted & level)
        some = self.random.randrange(self.shards)
        ahead = wanted >> some
        return some + _lowest(ahead) if ahead else _lowest(wanted)


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def all_gather(
    ways: Sequence[Way], ns: Mapping[Way, int], npus: int, parts: int, seed: int, number: int
) -> list[Planned]:
    """One try at an all-gather. Three of four take the rarest shard, which more often is best; the others any."""
    return Matching(ways, ns, npus, parts, f"{seed} {number}").run(rarest=number % 4 != 3)


def backwards(planned: Sequence[Planned]) -> list[Planned]:
    """The same transfers the other way round in space and time: of an all-gather, a reduce-scatter."""
    last = max(each.end_ns for each in planned)
    turned = [
        Planned(each.way.back, each.shard, last - each.end_ns, last - each.start_ns) for each in reversed(planned)
    ]
    return sorted(turned, key=lambda each: each.start_ns)  # of those that take 0 ns, what was last stays first
