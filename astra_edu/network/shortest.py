"""Shortest ways through a network of named links, always the same one of several that are equally short."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

Node = int | str
"""An NPU by its number, a switch by its name."""
LinkName = tuple[Node, Node]
Cost = tuple[int, int]


class ShortestWays:
    """The shortest ways to every node, found when first asked for.

    costs: of each link, two whole numbers of which the second decides where the first are equal. npus: how many.
    spread: whether ways to different NPUs take different ones of equally short ways. See GraphNetwork.
    """

    def __init__(self, costs: Mapping[LinkName, Cost], npus: int, spread: bool) -> None:
        """Nothing is known yet."""
        self._npus = npus
        self._spread = spread
        self._on: defaultdict[Node, dict[Node, Cost]] = defaultdict(dict)
        self._back: defaultdict[Node, dict[Node, Cost]] = defaultdict(dict)
        for (tail, head), cost in costs.items():
            self._on[tail][head] = self._back[head][tail] = cost
        self._distances: dict[Node, dict[Node, Cost]] = {}

    def way(self, source: int, destination: int) -> list[Node]:
        """The nodes from one NPU to another, both included."""
        found: list[Node] = [source]
        while found[-1] != destination:
            forks = self._forks(found[-1], destination)
            found.append(forks[destination % len(forks) if self._spread else 0])
        return found

    def unreachable(self, first: Node, nodes: Iterable[Node]) -> list[tuple[Node, Node]]:
        """(from, to) of the ways from `first` to `nodes` and back that don't exist."""
        there, back = self._all_from(first, self._on), self._all_from(first, self._back)
        return [(first, n) for n in nodes if n not in there] + [(n, first) for n in nodes if n not in back]

    def all_from(self, start: Node) -> dict[Node, Cost]:
        """What the shortest way from a node costs to each that can be reached."""
        return self._all_from(start, self._on)

    def _forks(self, here: Node, destination: int) -> list[Node]:
        """The next nodes on the shortest ways, in their order."""
        costs = self._distances.get(destination)
        if costs is None:
            costs = self._distances[destination] = self._all_from(destination, self._back)
        ahead = [
            node for node, cost in self._on[here].items() if node in costs and _add(cost, costs[node]) == costs[here]
        ]
        return sorted(ahead, key=lambda node: self._rank(here, node))

    def _rank(self, here: Node, node: Node) -> tuple[int, object]:
        if isinstance(node, str):
            return 1, natural(node)
        return 0, (node - here) % self._npus if isinstance(here, int) else node

    @staticmethod
    def _all_from(start: Node, links: Mapping[Node, Mapping[Node, Cost]]) -> dict[Node, Cost]:
        """What the shortest way from `start` to each node costs (Dijkstra's algorithm)."""
        found: dict[Node, Cost] = {}
        waiting: list[tuple[Cost, int, Node]] = [((0, 0), 0, start)]
        count = 0
        while waiting:
            cost, _, node = heappop(waiting)
            if node in found:
                continue
            found[node] = cost
            for following, more in links.get(node, {}).items():
                if following not in found:
                    count += 1
                    heappush(waiting, (_add(cost, more), count, following))
        return found


def natural(name: object) -> list[tuple[bool, int, str]]:
    """A key that sorts numbers in names by their value: "spine 2" before "spine 10"."""
    parts = re.split(r"(\d+)", str(name))
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts if part]


def _add(a: Cost, b: Cost) -> Cost:
    return a[0] + b[0], a[1] + b[1]
