"""What is simulated of links and congestion: one all-reduce by two algorithms on a network whose links are recorded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random
from typing import Any

import networkx as nx

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import MIB
from astra_edu.course.instruments.setting import Values
from astra_edu.network import Block, Topology
from astra_edu.network.as_graph import as_graph
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.shortest import LinkName
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import Trace, from_nodes

GB_S, LATENCY_NS, TIMEOUT_NS = 50, 500, 100_000
"""Of every link but those between racks; and when a lost packet is sent again."""
DIMS = {"ring": (8,), "switch": (8,), "torus": (4, 4), "two-racks": (4, 2), "fat-tree": (4, 4)}
ROOMS = (32, 64, 128, 256, 512)
"""KiB in front of a port of a switch."""
HIERARCHICAL, ALIKE = "hierarchical", "two or more alike"


@dataclass(frozen=True)
class Flow:
    """An all-reduce that was simulated. algorithm: as the setting calls it."""

    algorithm: str
    result: TraceResult

    @property
    def look(self) -> str:
        """The look of its family of algorithms."""
        return "halving-doubling" if self.algorithm == "halvingDoubling" else self.algorithm

    @property
    def total_us(self) -> float:
        """How long it took."""
        return self.result.total_ns / 1e3

    @cached_property
    def busy_ns(self) -> Counter[LinkName]:
        """For how long each link carried something."""
        found: Counter[LinkName] = Counter()
        for use in self.result.uses:
            found[use.link] += use.free_ns - use.start_ns
        return found

    @cached_property
    def sent(self) -> Counter[LinkName]:
        """The bytes that went over each link."""
        found: Counter[LinkName] = Counter()
        for use in self.result.uses:
            found[use.link] += use.size
        return found

    def shares(self, kinds: dict[LinkName, str]) -> dict[str, float]:
        """{kind of link: the share of the run that the busiest of its links was busy}."""
        found = dict.fromkeys(kinds.values(), 0.0)
        for link, kind in kinds.items():
            found[kind] = max(found[kind], self.busy_ns[link] / self.result.total_ns)
        return found

    def busiest(self, kinds: dict[LinkName, str]) -> str:
        """The kind with the busiest links, as a choice: ALIKE where another is within 2 %."""
        shares = self.shares(kinds)
        best = [kind for kind, share in shares.items() if share >= 0.98 * max(shares.values())]
        return best[0] if len(best) == 1 else ALIKE


def graph(values: Values) -> nx.Graph[Any] | nx.DiGraph[Any]:
    """NPUs, switches and wires of a network."""
    kind = values["network"]
    if kind in ("ring", "switch"):
        return as_graph(Block(Topology(kind.capitalize()), 8, GB_S, LATENCY_NS))
    if kind == "torus":
        return as_graph([Block(Topology.RING, 4, GB_S, LATENCY_NS)] * 2)
    wires: nx.Graph[Any] = nx.Graph()
    racks = 2 if kind == "two-racks" else 4
    for npu in range(4 * racks):
        wires.add_edge(npu, f"rack {npu // 4}", bandwidth=GB_S, latency=LATENCY_NS)
    between = [("rack 0", "rack 1")]
    if kind == "fat-tree":
        between = [(f"rack {rack}", f"spine {spine}") for rack in range(racks) for spine in range(2)]
    wires.add_edges_from(between, bandwidth=values["between"], latency=LATENCY_NS)
    return wires


def kinds_of_links(values: Values) -> dict[LinkName, str]:
    """{link: of which kind it is}, in the order of the network's links."""
    wires = graph(values)
    both = [(a, b) for a, b in wires.edges] + ([] if wires.is_directed() else [(b, a) for a, b in wires.edges])
    return {link: _kind(link, values["network"]) for link in both}


def _kind(link: LinkName, network: str) -> str:
    tail, head = link
    if isinstance(tail, int) and isinstance(head, int):
        if network == "torus":
            return "along a row" if tail // 4 == head // 4 else "along a column"
        return "clockwise" if head == (tail + 1) % 8 else "the other way"
    return " → ".join("NPU" if isinstance(end, int) else end.split()[0] for end in link)


def check(values: Values) -> None:
    """Raise ConfigError for what the network doesn't have."""
    network, two = values["network"], (values["left"], values["right"])
    name = network.replace("-", " ")
    if two[0] == two[1]:
        raise ConfigError(f"Both are {two[0]}; take two algorithms that differ.")
    if HIERARCHICAL in two and len(DIMS[network]) == 1:
        raise ConfigError(f"A {name} has one dimension, so nothing is hierarchical there.")
    if values["room"] and network in ("ring", "torus"):
        raise ConfigError(f"A {name} has no switch whose room could end.")
    if values["room"] and values["size"] > 1:
        raise ConfigError("In packets, as with switches whose room ends, 1 MiB is the most.")


def flows(values: Values) -> tuple[Flow, Flow]:
    """The all-reduce by the left and by the right algorithm."""
    check(values)
    return flow(values["left"], values), flow(values["right"], values)


def flow(algorithm: str, values: Values) -> Flow:
    """The all-reduce by one algorithm."""
    others = tuple((name, value) for name, value in values.items() if name not in ("left", "right"))
    return _flow(algorithm, others)


@lru_cache(maxsize=128)
def _flow(algorithm: str, values: tuple[tuple[str, Any], ...]) -> Flow:
    named = dict(values)
    dims = DIMS[named["network"]] if algorithm == HIERARCHICAL else ()
    network = GraphNetwork(graph(named), dims=dims, ties="spread" if len(DIMS[named["network"]]) > 1 else "next")
    each = "ring" if named["network"] == "torus" else "direct"
    system = TraceSystem.of([each] * len(dims) if dims else algorithm, optimization="localBWAware")
    room = f"{named['room']} KiB"
    buffers = (
        SwitchBuffers(room, packet="8 KiB", flow_control=named["full"], timeout=TIMEOUT_NS) if named["room"] else None
    )
    platform = TracePlatform(network, system, congestion_aware=True, buffers=buffers)
    return Flow(algorithm, simulate(work(network.npus, named), platform, record=True, progress=False))


def work(npus: int, values: Values) -> Trace:
    """An all-reduce that every NPU enters a random time late, up to the setting's; the same in every run."""
    random, nodes, most = Random(1), [], values["late"]
    for _ in range(npus):
        compute = {"id": 1, "type": "COMP_NODE", "duration_micros": random.randint(0, most)}
        attr = {"comm_type": 0, "comm_size": round(values["size"] * MIB)}
        nodes.append([compute, {"id": 2, "type": "COMM_COLL_NODE", "data_deps": [1], "attr": attr}])
    return from_nodes(nodes)


def times_by_room(algorithm: str, values: Values) -> tuple[float, ...]:
    """How long (µs) it takes with each of ROOMS."""
    return tuple(flow(algorithm, values | {"room": room}).total_us for room in ROOMS)


def code(values: Values) -> str:
    """The same in Python."""
    given = {name: value for name, value in values.items() if name not in ("left", "right")}
    return f"""from astra_edu.course.instruments.links_job import flow
values = {given!r}
for algorithm in {(values["left"], values["right"])!r}:
    result = flow(algorithm, values).result  # a run of ae.simulate(..., record=True)
    print(result, len(result.lost), "packets lost")
    print(result.links)"""
