"""Exercise 14's task: a network for 64 NPUs under a budget, for a transformer shared out in groups of 8.

A design lists its dimensions from the inside out, each as (topology, NPUs, GB/s of one link).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType

from astra_edu.base.errors import ConfigError, choice, whole
from astra_edu.course.studies.case_studies.cost import blocks_cost, kinds
from astra_edu.course.studies.case_studies.groups import grouped
from astra_edu.course.studies.case_studies.platforms import suited
from astra_edu.course.studies.case_studies.training import Job, train
from astra_edu.network import Block, Topology
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform
from astra_edu.workload.models import transformer
from astra_edu.workload.strategies import Strategy

Design = Sequence[tuple[str, int, float]]

NPUS = 64
NODE_NPUS = 8
"""The first so many NPUs are a node, and a tensor group."""
MOST_PORTS = 6
"""Links that an NPU can have."""
MOST_DIMENSIONS = 4
LATENCIES: Mapping[str, float] = MappingProxyType({"Node": 100, "Pod": 500})
"""ns of a link within a node, and between nodes."""

JOB = Job(
    "two blocks of the 22B model",
    transformer("22B, 2 blocks", hidden=6144, heads=64, blocks=2, sequence=2048, vocabulary=51_200),
    Strategy(tensor=NODE_NPUS, data=NPUS // NODE_NPUS),
)
"""Two of the 48 blocks of the model in arXiv 2205.05198, one sequence for each of the 8 copies."""


def network(design: Design) -> tuple[Block, ...]:
    """The design's building blocks. Raises ConfigError for a design that breaks a rule, saying which."""
    if not isinstance(design, Sequence) or isinstance(design, str) or not design:
        raise ConfigError(f'a design is a list such as [("Ring", 8, 100), ("Ring", 8, 50)], not {design!r:.60}.')
    if len(design) > MOST_DIMENSIONS:
        raise ConfigError(f"the design has {len(design)} dimensions; {MOST_DIMENSIONS} is the most.")
    for d, dimension in enumerate(design):
        if not isinstance(dimension, Sequence) or isinstance(dimension, str) or len(dimension) != 3:
            raise ConfigError(f"dimension {d} is {dimension!r:.60}; give (topology, NPUs, GB/s of one link).")
    counts = [whole(f"dimension {d}: NPUs", npus, at_least=2) for d, (_, npus, _) in enumerate(design)]
    if prod(counts) != NPUS:
        raise ConfigError(f"{' × '.join(map(str, counts))} = {prod(counts)} NPUs; there are {NPUS}.")
    reach = [prod(counts[: d + 1]) for d in range(len(counts))]
    kinds_of = ("Node" if npus <= NODE_NPUS else "Pod" for npus in reach)
    blocks = tuple(
        Block(Topology(choice(f"dimension {d}: topology", topology, list(Topology))), npus, bandwidth, LATENCIES[kind])
        for d, ((topology, npus, bandwidth), kind) in enumerate(zip(design, kinds_of, strict=True))
    )
    if sum(map(ports, blocks)) > MOST_PORTS:
        each = " + ".join(str(ports(block)) for block in blocks)
        raise ConfigError(f"an NPU would need {each} = {sum(map(ports, blocks))} ports; it has {MOST_PORTS}.")
    platform(blocks)
    return blocks


def ports(block: Block) -> int:
    """Links that each of its NPUs has."""
    return block.topology.links_needed(block.npus)


def platform(blocks: tuple[Block, ...]) -> TracePlatform:
    """What it is trained on. Fully connected NPUs send to all peers at once. Raises ConfigError if no group fits."""
    return grouped(suited(blocks, in_turn=False, splits=4, endpoint_delay=10), NODE_NPUS)[0]


def design_cost(design: Design) -> float:
    """US dollars for it, by ASTRA-sim 1.0's prices."""
    blocks = network(design)
    return blocks_cost(blocks, kinds(blocks, NODE_NPUS))


def train_design(design: Design) -> TraceResult:
    """One iteration of JOB on it."""
    return train(JOB, platform(network(design)))
