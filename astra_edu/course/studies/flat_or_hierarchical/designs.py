"""Four networks for the same 64 NPUs, and what of them is published.

Their names are from ASTRA-sim's tutorials, which show switches' buffers against time for them, as a study with ns-3 and
TCP. No table or parameter of it is in the public text that we could read: the tutorials' repository
(github.com/astra-sim/tutorials) names none of the four, and of the paper on ASTRA-sim with ns-3's TCP/IP (S. Rashidi et
al., "Scalable Distributed Training of Recommendation Models: An ASTRA-SIM + NS3 case-study with TCP/IP transport", IEEE
Symposium on High-Performance Interconnects 2020) only the abstract, which has no figures. So all numbers here are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from astra_edu.base.errors import choice, whole
from astra_edu.network import Block
from astra_edu.network.topologies import find
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces.make import from_nodes

if TYPE_CHECKING:
    from astra_edu.traces import Trace

NPUS, SERVER = 64, 8
MESSAGE_BYTES = 2**20
GBIT = 1e9 / 8 / 2**30
"""10**9 bit/s in "GB/s" of 2**30 bytes/s."""


@dataclass(frozen=True)
class Parameter:
    """What a design is made of. published: whether a source says so; all others are ours.

    >>> from astra_edu.course.studies.flat_or_hierarchical import design
    >>> design("Hier").parameters[0]
    Parameter(what='name', value='Hier', published=True)
    """

    what: str
    value: str
    published: bool = False


@dataclass(frozen=True)
class Design:
    """One of the four. network: the first dimension is inside of a server. optimization: see TraceSystem.

    >>> from astra_edu.course.studies.flat_or_hierarchical import DESIGNS
    >>> [(one.name, len(one.network)) for one in DESIGNS]
    [('Flat100G', 1), ('Flat800G', 1), ('Hier', 2), ('HierOpt', 2)]
    """

    name: str
    network: tuple[Block, ...]
    optimization: str
    said: str

    @property
    def platform(self) -> TracePlatform:
        """Direct algorithms on each dimension.

        >>> from astra_edu.course.studies.flat_or_hierarchical import design
        >>> design("HierOpt").platform.dims
        (8, 8)
        """
        system = TraceSystem.of(["direct"] * len(self.network), optimization=self.optimization)
        return TracePlatform(self.network, system, congestion_aware=True)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter, and which are published: the name alone."""
        links = [
            f"{block.npus} NPUs on a switch, {block.bandwidth / GBIT:g} Gb/s and {block.latency:g} ns for each link"
            for block in self.network
        ]
        return (
            Parameter("name", self.name, published=True),
            *(Parameter(f"dimension {d}", text) for d, text in enumerate(links)),
            Parameter("algorithm", self.said),
            Parameter("job", f"an all-reduce of {MESSAGE_BYTES:,} bytes, which NPUs enter up to some µs late"),
        )


_SWITCH = find("Switch")
_FAST, _SLOW = 800 * GBIT, 100 * GBIT
_SERVERS = (Block(_SWITCH, SERVER, _FAST, 250), Block(_SWITCH, NPUS // SERVER, _SLOW, 500))
_ALL = "direct: everybody sends each of the 63 others its 64th, then the sums"
_WHOLE = "direct: all-reduce of everything in the server, then of everything between servers"
_EIGHTH = "direct: reduce-scatter in the server, all-reduce of an eighth between servers, all-gather in the server"
DESIGNS = (
    Design("Flat100G", (Block(_SWITCH, NPUS, _SLOW, 500),), "localBWAware", _ALL),
    Design("Flat800G", (Block(_SWITCH, NPUS, _FAST, 500),), "localBWAware", _ALL),
    Design("Hier", _SERVERS, "baseline", _WHOLE),
    Design("HierOpt", _SERVERS, "localBWAware", _EIGHTH),
)


def design(name: str) -> Design:
    """One of the four by its name. Raises ConfigError for another.

    >>> from astra_edu.course.studies.flat_or_hierarchical import design
    >>> design("Flat800G").parameters[1].value
    '64 NPUs on a switch, 800 Gb/s and 500 ns for each link'
    """
    choice("design", name, [one.name for one in DESIGNS])
    return next(one for one in DESIGNS if one.name == name)


def job(late_us: int, seed: int = 1) -> Trace:
    """An all-reduce that each NPU enters after computing for 0 to `late_us` µs, by chance.

    >>> from astra_edu.course.studies.flat_or_hierarchical import job
    >>> job(late_us=20).npus
    64
    """
    late_us, random = whole("late_us", late_us, at_least=0), Random(seed)
    nodes = []
    for _ in range(NPUS):
        compute = {"id": 1, "type": "COMP_NODE", "duration_micros": random.randint(0, late_us)}
        attr = {"comm_type": 0, "comm_size": MESSAGE_BYTES}
        nodes.append([compute, {"id": 2, "type": "COMM_COLL_NODE", "data_deps": [1], "attr": attr}])
    return from_nodes(nodes)
