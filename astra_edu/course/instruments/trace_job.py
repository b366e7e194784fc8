"""A small training step as an execution trace: its nodes, the edges that can be switched, and what its run says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from astra_edu.base.units import MIB, format_bytes
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.network import Block, Topology
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import Builder
from astra_edu.traces.operation import Operation
from astra_edu.traces.ran import Ran

NPUS, LATENCY_NS = 8, 500
COMPUTES = {"forward 1": 30, "forward 2": 20, "backward 2": 40, "backward 1": 60, "update 2": 10, "update 1": 15}
"""µs."""
REDUCES = {"all-reduce 2": MIB, "all-reduce 1": 3 * MIB // 2}
"""Bytes."""
NODES = ("forward 1", "forward 2", "backward 2", "backward 1", "all-reduce 2", "all-reduce 1", "update 2", "update 1")
"""In the order of their numbers: of those that could start, an NPU takes the lowest."""


class Edge(NamedTuple):
    """That `after` begins only once `first` is over."""

    first: str
    after: str

    def __str__(self) -> str:
        return f"{self.first} → {self.after}"


GIVEN = tuple(Edge(*pair) for pair in pairwise(NODES[:4]))
"""A layer needs what the one before has computed."""
EDGES = {
    "backward2_reduce2": Edge("backward 2", "all-reduce 2"),
    "backward1_reduce2": Edge("backward 1", "all-reduce 2"),
    "backward1_reduce1": Edge("backward 1", "all-reduce 1"),
    "reduce2_update2": Edge("all-reduce 2", "update 2"),
    "reduce1_update2": Edge("all-reduce 1", "update 2"),
    "reduce1_update1": Edge("all-reduce 1", "update 1"),
    "backward2_update2": Edge("backward 2", "update 2"),
}
"""{setting: the edge that it switches}."""
NEEDS = tuple(EDGES[name] for name in ("backward2_reduce2", "backward1_reduce1", "reduce2_update2", "reduce1_update1"))
"""What must be over first for the data's sake, by whichever way."""


@dataclass(frozen=True)
class Step:
    """A graph and its run. edges: those that are switched on. longer: {node: µs more than it takes}."""

    edges: frozenset[Edge]
    bandwidth: float
    longer: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def result(self) -> TraceResult:
        """Of ae.simulate. All NPUs do the same."""
        trace = Builder(NPUS)
        made: dict[str, Operation] = {}
        for name in NODES:
            after = [made[edge.first] for edge in (*GIVEN, *EDGES.values()) if edge.after == name and self.has(edge)]
            if name in REDUCES:
                made[name] = trace.all_reduce(name, REDUCES[name], after=after or None)
            else:
                made[name] = trace.compute(name, COMPUTES[name] + self.longer.get(name, 0), after=after or None)
        return simulate(trace.build(), platform(self.bandwidth), progress=False)

    @cached_property
    def ran(self) -> dict[str, Ran]:
        """When each node ran, in the order of their numbers."""
        found = {ran.node.name: ran for ran in self.result.ran_by(0)}
        return {name: found[name] for name in NODES}

    @property
    def us(self) -> float:
        """When the step ends."""
        return self.result.total_ns / 1000

    @property
    def path(self) -> list[str]:
        """The nodes on the critical path, first to last."""
        return [ran.node.name for ran in nodes_on_path(self.result)]

    @property
    def critical(self) -> tuple[Edge, ...]:
        """What follows what on it: an edge of the graph, or for want of one what kept the NPU busy."""
        path = self.path
        return tuple(Edge(*pair) for pair in pairwise(path))

    def has(self, edge: Edge) -> bool:
        """Whether it is in the graph."""
        return edge in GIVEN or edge in self.edges

    def waited_for(self, name: str) -> tuple[list[str], str]:
        """The nodes that its edges name, and what kept the NPU busy with its kind until it began, or ""."""
        parents = [edge.first for edge in (*GIVEN, *EDGES.values()) if edge.after == name and self.has(edge)]
        mine = self.ran[name]
        if mine.start_ns == max((self.ran[parent].end_ns for parent in parents), default=0):
            return parents, ""
        held = [name for name, other in self.ran.items() if (other.unit, other.end_ns) == (mine.unit, mine.start_ns)]
        return parents, held[0]

    def way(self, edge: Edge) -> list[str]:
        """The nodes by which the other edges lead from its beginning to its end; none if they don't."""
        there = [one for one in (*GIVEN, *self.edges) if one != edge]
        ways = [[edge.first]]
        while ways:
            way = ways.pop(0)
            if way[-1] == edge.after:
                return way
            ways += [[*way, one.after] for one in sorted(there) if one.first == way[-1]]
        return []

    @property
    def needless(self) -> list[Edge]:
        """Those on that others imply: they change nothing."""
        return [edge for edge in EDGES.values() if edge in self.edges and self.way(edge)]

    @property
    def missing(self) -> list[Edge]:
        """What the data need and the graph doesn't say."""
        return [need for need in NEEDS if need not in self.edges and not self.way(need)]

    def without(self, edge: Edge) -> Step:
        """The same, one edge less."""
        return step_of(self.edges - {edge}, self.bandwidth)

    def saves(self, edge: Edge) -> float:
        """µs by which the step ends sooner without it."""
        return self.us - self.without(edge).us


@lru_cache(maxsize=1024)
def step_of(edges: Collection[Edge], bandwidth: float) -> Step:
    """A graph with these edges on."""
    return Step(frozenset(edges), bandwidth)


def stretched(step: Step, name: str, us: int) -> float:
    """When the step ends, in µs, if a computation takes so much longer."""
    return Step(step.edges, step.bandwidth, {name: us}).us


@lru_cache
def fastest(bandwidth: float) -> float:
    """When a step ends at the earliest, in µs, of all graphs that are right."""
    steps = (step_of(frozenset(edges), bandwidth) for edges in _choices(EDGES.values()))
    return min(step.us for step in steps if not step.missing)


def _choices(edges: Iterable[Edge]) -> Iterable[tuple[Edge, ...]]:
    every = tuple(edges)
    return (some for count in range(len(every) + 1) for some in combinations(every, count))


def platform(bandwidth: float) -> TracePlatform:
    """A ring."""
    return TracePlatform((Block(Topology.RING, NPUS, bandwidth, LATENCY_NS),), TraceSystem.of("ring"))


def code(step: Step) -> str:
    """The same in Python."""
    lines = ["trace = ae.traces.Builder(npus=8)"]
    short = {name: name.replace("all-reduce ", "reduce").replace(" ", "") for name in NODES}
    for name in NODES:
        after = [short[e.first] for e in (*GIVEN, *EDGES.values()) if e.after == name and step.has(e)]
        waits = f", after=[{', '.join(after)}]" if after else ""
        what = f'all_reduce("{name}", "{format_bytes(REDUCES[name])}"' if name in REDUCES else ""
        what = what or f'compute("{name}", micros={COMPUTES[name]}'
        lines.append(f"{short[name]} = trace.{what}{waits})")
    ring = f'ae.Block("Ring", {NPUS}, bandwidth={step.bandwidth:g}, latency={LATENCY_NS})'
    lines += [f'platform = ae.TracePlatform({ring}, ae.TraceSystem.of("ring"))', "ae.simulate(trace.build(), platform)"]
    return "\n".join(lines)
