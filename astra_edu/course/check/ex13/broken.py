"""The broken simulations of exercise 13, as they are and as they were meant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from random import Random
from typing import Any

from astra_edu.base.units import MIB
from astra_edu.formats import parse_network_2, parse_system_2
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.network import Block
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import Attribute, from_nodes

Nodes = list[list[dict[str, Any]]]
"""For every NPU the list of its nodes, as ae.traces.from_nodes takes them."""

Groups = Mapping[str, list[int]]
"""The NPUs of every process group by its name."""

MEMBERS = {
    "is_cpu_op": "bool_val",
    "comm_type": "int64_val",
    "comm_size": "int64_val",
    "num_ops": "int64_val",
    "tensor_size": "uint64_val",
    "comm_tag": "int32_val",
    "comm_priority": "int32_val",
}
"""The member in which ASTRA-sim's reader of 2024 looks for an attribute."""


def read_in_2024(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """What the reader of 2024 makes of attributes: 0 of those that aren't in their member."""
    return {
        name: attribute if attribute.member == MEMBERS.get(name, attribute.member) else Attribute(0, MEMBERS[name])
        for name, attribute in attributes.items()
    }


def recorded_attributes() -> dict[str, Attribute]:
    """An all-reduce of 1 MiB, written by a program that took the most natural member for a size."""
    return {
        "is_cpu_op": Attribute(False, "bool_val"),
        "comm_type": Attribute(0, "int64_val"),
        "comm_size": Attribute(MIB, "uint64_val"),
    }


def _of_blocks(blocks: list[Block], how: str) -> TracePlatform:
    system = TraceSystem.of([how] * len(blocks), splits=4, local_memory_bandwidth=1600, optimization="localBWAware")
    return TracePlatform(tuple(blocks), system)


def eight(topology: str, gb_s: float = 50) -> TracePlatform:
    """8 NPUs in a "Ring" or "FullyConnected", with the algorithm that suits it."""
    return _of_blocks([Block(topology, 8, gb_s, 500)], "ring" if topology == "Ring" else "direct")  # type: ignore[arg-type]


def run_in_2024(attributes: Mapping[str, Attribute], topology: str, gb_s: float = 50) -> TraceResult:
    """8 NPUs with a collective of these attributes, as ASTRA-sim ran it in 2024."""
    nodes = [{"id": 0, "type": "COMM_COLL_NODE", "attr": read_in_2024(attributes)}]
    return simulate(from_nodes([nodes] * 8), eight(topology, gb_s))


PLATFORMS = {
    "DGX-H100": _of_blocks([Block("Switch", 8, 450, 500), Block("Switch", 4, 50, 500)], "halvingDoubling"),  # type: ignore[arg-type]
    "TPUv4": _of_blocks([Block("Ring", npus, 50, 500) for npus in (2, 4, 4)], "ring"),  # type: ignore[arg-type]
}
"""32 NPUs each."""

LAYERS = {
    "embedding": (9_412, 18_790),
    "dense 1": (14_206, 28_504),
    "dense 2": (14_206, 28_504),
    "dense 3": (14_206, 28_504),
    "output": (12_958, 25_916),
}
"""Computation of each layer in ns, forward and backward; they are followed by an all-reduce of LAYER_BYTES."""

LAYER_BYTES = 4 * MIB


def converted() -> Nodes:
    """The traces of LAYERS for 32 NPUs, converted by somebody who copied the durations."""
    steps = [(f"{layer} forward", times[0]) for layer, times in LAYERS.items()]
    steps += [(f"{layer} backward", times[1]) for layer, times in reversed(LAYERS.items())]
    nodes: list[dict[str, Any]] = []
    for name, duration in steps:
        number = len(nodes)
        before = [number - 1] if nodes else []
        nodes.append(_node(number, "COMP_NODE", before, name=name, duration_micros=duration))
        reduce = {"comm_type": 0, "comm_size": LAYER_BYTES}
        nodes.append(_node(number + 1, "COMM_COLL_NODE", [number], name=f"{name}: all-reduce", attr=reduce))
    return [deepcopy(nodes) for _ in range(32)]


def pipeline(stages: int, micro_batches: int, size: int, micros: int = 50) -> Nodes:
    """A stage on each NPU; micro-batches go forward (tag: their number) and back (tag: 100 more).

    size: bytes of a message. micros: of a computation forward; backward it takes twice as long.
    """
    listed: Nodes = []
    for stage in range(stages):
        nodes: list[dict[str, Any]] = []

        def add(kind: str, nodes: list[dict[str, Any]] = nodes, **values: Any) -> None:
            nodes.append(_node(len(nodes), kind, [len(nodes) - 1] if nodes else [], **values))

        for back in (False, True):
            source, target = (stage + 1, stage - 1) if back else (stage - 1, stage + 1)
            for batch in range(micro_batches):
                message = {"comm_tag": batch + 100 * back, "comm_size": size}
                if 0 <= source < stages:
                    add("COMM_RECV_NODE", attr={"comm_src": source, "comm_dst": stage} | message)
                add("COMP_NODE", duration_micros=micros * (1 + back))
                if 0 <= target < stages:
                    add("COMM_SEND_NODE", attr={"comm_src": stage, "comm_dst": target} | message)
        listed.append(nodes)
    return listed


def stuck() -> Nodes:
    """A pipeline with two slips."""
    nodes = pipeline(4, 3, 2 * MIB)
    messages(nodes[2], "COMM_RECV_NODE")[1]["attr"]["comm_size"] = MIB
    messages(nodes[3], "COMM_SEND_NODE")[2]["attr"]["comm_tag"] = 2
    return nodes


def messages(nodes: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The nodes of one kind, in their order."""
    return [node for node in nodes if node["type"] == kind]


GROUPS = {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7], "3": [0, 4], "4": [1, 5], "5": [2, 6], "6": [3, 7]}
"""Two groups of four NPUs that share layers, and four pairs that hold the same share."""


def grouped(groups: Groups, layers: int, size: int) -> Nodes:
    """Every NPU's collectives, one after the other: for each layer one in every group that it is in."""
    listed: Nodes = []
    for npu in range(1 + max(npu for members in groups.values() for npu in members)):
        nodes: list[dict[str, Any]] = []
        for layer in range(layers):
            for name, members in groups.items():
                if npu in members:
                    attributes = {"comm_type": 7 * (layer % 2), "comm_size": size << (layer // 2), "pg_name": name}
                    before = [len(nodes) - 1] if nodes else []
                    nodes.append(_node(len(nodes), "COMM_COLL_NODE", before, attr=attributes))
        listed.append(nodes)
    return listed


def quarrel() -> Nodes:
    """Collectives in GROUPS, with two slips."""
    nodes = grouped(GROUPS, 3, MIB)
    nodes[2][4]["attr"]["comm_size"] = MIB
    nodes[5][0]["attr"]["pg_name"] = "1"
    return nodes


SHEET = {"link inside a machine": 450, "link between machines": 25, "memory": 3350}
"""A data sheet, in 10⁹ bytes a second, for 4 machines of 8 NPUs."""

NETWORK = {"topology": ["Switch", "Switch"], "npus_count": [8, 4], "bandwidth": [450, 25], "latency": [500, 1000]}
SYSTEM = {
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 1,
    "preferred-dataset-splits": 16,
    "all-reduce-implementation": ["halvingDoubling"],
    "all-gather-implementation": ["halvingDoubling"],
    "reduce-scatter-implementation": ["halvingDoubling"],
    "all-to-all-implementation": ["direct"],
    "collective-optimization": "localBWAware",
    "local-mem-bw": 3350,
}


def platform(network: Mapping[str, Any], system: Mapping[str, Any]) -> TracePlatform:
    """The platform of two files, from their contents."""
    lines = "".join(f"{key}: {json.dumps(values)}\n" for key, values in network.items())
    custom = CustomTraces("system.json")
    return TracePlatform(parse_network_2(lines), parse_system_2(json.dumps(system), "system.json", custom))


def _node(number: int, kind: str, before: list[int], **values: Any) -> dict[str, Any]:
    return {"id": number, "type": kind, "data_deps": before, **values}


def shuffled(nodes: Nodes, random: Random) -> Nodes:
    """The same with every NPU's nodes in another order, as they may be in a file."""
    return [random.sample(listed, len(listed)) for listed in nodes]
