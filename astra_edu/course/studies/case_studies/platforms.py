"""The systems of 512 NPUs that ASTRA-sim 2.0's case studies 1 and 2 compare (ISPASS 2023, arXiv 2303.14006).

The paper gives each dimension a bandwidth of an NPU, all of its links together; a network file of ASTRA-sim 2.x wants
one of a link. READINGS are the ways from the one to the other.

Shapes and bandwidths are recalled, not read in the paper: unverified. Latencies, splits and delays are our choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from astra_edu.base.errors import choice
from astra_edu.collectives import Collective
from astra_edu.network import Block, Topology
from astra_edu.system import Implementation, TracePlatform, TraceSystem

LATENCY = 1.0
"""ns of a link: that of the ASPLOS 2023 tutorial's exercise on Themis, so that bandwidth alone decides."""
DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {"splits": 64, "endpoint_delay": 1, "optimization": "localBWAware", "local_memory_bandwidth": None}
)
"""Settings of the case studies: that exercise's 64 chunks, hierarchical collectives that leave the next dimension less,
and endpoints that cost next to nothing."""


@dataclass(frozen=True)
class System:
    """One of the compared systems.

    dimensions: for each its topology, its NPUs, and the GB/s (2**30 bytes/s) that an NPU can send into it in all.

    >>> from astra_edu.studies.case_studies import SYSTEMS
    >>> conventional = SYSTEMS["Conv-3D"]
    >>> conventional.title, conventional.bandwidth
    ('conventional: ring of 16, fully connected 8, switch of 4', 350)
    """

    name: str
    title: str
    dimensions: tuple[tuple[Topology, int, float], ...]

    @property
    def bandwidth(self) -> float:
        """GB/s (2**30 bytes/s) that an NPU can send in all."""
        return sum(bandwidth for _, _, bandwidth in self.dimensions)


RING, CONNECTED, SWITCH = Topology.RING, Topology.FULLY_CONNECTED, Topology.SWITCH

SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        system.name: system
        for system in (
            System("W-1D-350", "a wafer: one switch of 512 NPUs", ((SWITCH, 512, 350),)),
            System("W-1D-500", "a wafer: one switch of 512 NPUs", ((SWITCH, 512, 500),)),
            System("W-1D-600", "a wafer: one switch of 512 NPUs", ((SWITCH, 512, 600),)),
            System("W-2D", "a wafer: switches of 32 and of 16 NPUs", ((SWITCH, 32, 250), (SWITCH, 16, 250))),
            System(
                "Conv-3D",
                "conventional: ring of 16, fully connected 8, switch of 4",
                ((RING, 16, 200), (CONNECTED, 8, 100), (SWITCH, 4, 50)),
            ),
            System(
                "Conv-4D",
                "conventional: ring of 2, fully connected 8, ring of 8, switch of 4",
                ((RING, 2, 250), (CONNECTED, 8, 200), (RING, 8, 100), (SWITCH, 4, 50)),
            ),
        )
    }
)
"""Each system by its name."""

EQUALS = (("W-1D-350", "Conv-3D"), ("W-1D-500", "W-2D"), ("W-1D-600", "Conv-4D"))
"""Systems whose NPUs have the same bandwidth in all."""

READINGS: Mapping[str, str] = MappingProxyType(
    {
        "in turn": "fully connected NPUs send to one peer after the other, with all of the dimension's bandwidth",
        "divided": "fully connected NPUs send to all peers at once; each link has its share of the bandwidth",
        "per link": "the bandwidth is every link's: an NPU in a fully connected dimension of n has n − 1 times as much",
    }
)
"""What the paper's GB/s of a fully connected dimension are in a network file; other topologies leave no choice."""


def case_study_platform(
    system: str | System, *, latency: float = LATENCY, reading: str = "in turn", **settings: Any
) -> TracePlatform:
    """One of SYSTEMS as a platform of ASTRA-sim 2.x, congestion-unaware, each dimension with the algorithm that suits.

    latency: of every link, in ns. reading: one of READINGS. settings: as TraceSystem's, by default DEFAULTS. Raises
    ConfigError for names that aren't there.

    >>> from astra_edu.studies.case_studies import case_study_platform
    >>> platform = case_study_platform("Conv-3D", splits=4)
    >>> platform.npus, platform.dims
    (512, (16, 8, 4))
    """
    system = system if isinstance(system, System) else SYSTEMS[choice("system", system, SYSTEMS)]
    choice("reading", reading, READINGS)
    blocks = tuple(
        Block(
            topology,
            npus,
            bandwidth / (npus - 1) if topology is CONNECTED and reading == "divided" else bandwidth,
            latency,
        )
        for topology, npus, bandwidth in system.dimensions
    )
    return suited(blocks, in_turn=reading == "in turn", **settings)


def suited(blocks: tuple[Block, ...], *, in_turn: bool = True, **settings: Any) -> TracePlatform:
    """A platform of these building blocks with the algorithms of the case studies: see case_study_platform.

    in_turn: whether fully connected NPUs send to one peer after the other. On a switch an all-to-all always does, since
    an NPU has one link there and this network knows of no queue for it.

    >>> from astra_edu.studies.case_studies import suited
    >>> platform = suited((ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 8, 25, 700)), splits=4)
    >>> [each.spelling for each in platform.system.implementations[ae.Collective.ALL_REDUCE]]
    ['ring', 'halvingDoubling']
    """
    direct = "direct1" if in_turn else "direct"
    own = {RING: "ring", CONNECTED: direct, SWITCH: "halvingDoubling"}
    pairwise = {RING: "ring", CONNECTED: direct, SWITCH: "direct1"}
    implementations = {
        collective: tuple(
            Implementation.parse((pairwise if collective is Collective.ALL_TO_ALL else own)[block.topology])
            for block in blocks
        )
        for collective in (
            Collective.ALL_REDUCE,
            Collective.ALL_GATHER,
            Collective.REDUCE_SCATTER,
            Collective.ALL_TO_ALL,
        )
    }
    return TracePlatform(blocks, TraceSystem(implementations, **{**DEFAULTS, **settings}))


def npu_bandwidths(platform: TracePlatform) -> tuple[float, ...]:
    """GB/s (2**30 bytes/s) that an NPU can send into each dimension, as an all-reduce uses its links.

    A ring's all-reduce goes one way round; a direct one uses as many links at once as its window allows.

    >>> from astra_edu.studies.case_studies import case_study_platform, npu_bandwidths
    >>> npu_bandwidths(case_study_platform("Conv-3D"))
    (200.0, 100.0, 50.0)
    """
    hows = platform.implementations(Collective.ALL_REDUCE)
    return tuple(
        block.bandwidth * (min(how.window or block.npus, block.npus - 1) if how.algorithm == "direct" else 1)
        for block, how in zip(platform.blocks, hows, strict=True)
    )
