"""The system layer's settings (ASTRA-sim 1.0's system file as one frozen object) and the platform they are for."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from math import prod

from astra_edu.base.errors import ConfigError, choice, not_negative, positive, whole
from astra_edu.base.units import float32
from astra_edu.collectives import Collective
from astra_edu.network import Dimension, dimensions

INTRA_DIMENSION = ("FIFO", "SCF", "RG", "lessRemainingPhaseFirst")
INTER_DIMENSION = ("baseline", "roundRobin", "themis", "themisFlex")
MOST_SPLITS = 100_000
MOST_QUEUES = 10_000
OPTIMIZATIONS = ("baseline", "localBWAware")

TREES = ("tree-root-last", "tree-root-first")
"""The algorithms behind "doubleBinaryTree": its two trees, which take every other chunk."""

_IMPLEMENTATIONS = {
    "ring": "ring",
    "oneRing": "ring",
    "direct": "direct",
    "oneDirect": "direct",
    "halvingDoubling": "halving-doubling",
    "oneHalvingDoubling": "halving-doubling",
    "doubleBinaryTree": TREES[0],
}


@dataclass(frozen=True)
class Implementation:
    """How one collective is carried out on one dimension: an algorithm and, for direct, its window.

    spelling: as in the system file, e.g. "halvingDoubling", "direct4", or with "one" in front: on all NPUs at once,
    whatever dimensions there are.
    """

    spelling: str
    algorithm: str
    window: int | None = None

    @property
    def flat(self) -> bool:
        """Whether it takes all NPUs of the network as one dimension."""
        return self.spelling.startswith("one")

    @classmethod
    def parse(cls, spelling: str, where: str = "implementation") -> Implementation:
        """Read a spelling of the system file. Raises ConfigError naming `where` and the spellings there are."""
        match = re.fullmatch(r"([A-Za-z]+)([0-9]{0,9})", spelling)
        name, window = (match[1], match[2]) if match else (spelling, "")
        base = _IMPLEMENTATIONS[choice(where, name, _IMPLEMENTATIONS)]
        if window and base != "direct":
            raise ConfigError(f"{where} is {spelling!r}; only direct takes a window, as in direct4.")
        if window:
            return cls(spelling, base, whole(f"{where}: the window", int(window), at_least=1))
        return cls(spelling, base)

    @classmethod
    def parse_all(cls, joined: str, where: str = "implementation") -> tuple[Implementation, ...]:
        """Read one implementation a dimension, joined by underscores: "ring_halvingDoubling"."""
        return tuple(cls.parse(spelling, where) for spelling in joined.split("_"))


@dataclass(frozen=True)
class Bus:
    """The NPU's shared bus in the LogGP model, instead of a fixed endpoint delay ("model-shared-bus: 1").

    L: latency, o: overhead, g: gap between messages, all in ns. G: ns per byte. reduction_delay: ns per 100 bytes
    that are added up on the bus.
    """

    L: int = 0
    o: int = 0
    g: int = 0
    G: float = 0.0
    reduction_delay: int = 1

    def __post_init__(self) -> None:
        for name in ("L", "o", "g", "reduction_delay"):
            object.__setattr__(self, name, whole(name, getattr(self, name), at_least=0))
        object.__setattr__(self, "G", not_negative("G", self.G))


@dataclass(frozen=True)
class SystemConfig:
    """How the endpoints run collectives.

    splits: into how many chunks a collective's data are cut. active_chunks: how many of them may be in a phase
    of one dimension at once, over its `queues`. endpoint_delay: ns for each message at the NPU. scheduling: LIFO
    (later collectives first) or FIFO. The four implementations: one entry a dimension. gap_denominator: Themis
    takes loads for equal that differ by less than a chunk's size divided by it. rendezvous: every message waits
    for a request of 8 KiB from its receiver. bus: the shared bus, if it is modelled. boost: follow only the NPUs
    that share a dimension with NPU 0, as ASTRA-sim's boost-mode does (it shows only with a bus).

    >>> system = ae.SystemConfig.of("ring_direct", splits=8)
    >>> system.splits, [each.algorithm for each in system.all_reduce]
    (8, ['ring', 'direct'])
    """

    all_reduce: tuple[Implementation, ...]
    all_gather: tuple[Implementation, ...]
    reduce_scatter: tuple[Implementation, ...]
    all_to_all: tuple[Implementation, ...]
    scheduling: str = "LIFO"
    endpoint_delay: int = 10
    splits: int = 4
    active_chunks: int = 1
    optimization: str = "localBWAware"
    intra_dimension: str = "FIFO"
    inter_dimension: str = "baseline"
    gap_denominator: int = 16
    queues: int = 1
    rendezvous: bool = False
    bus: Bus | None = None
    boost: bool = True

    def __post_init__(self) -> None:
        choice("scheduling-policy", self.scheduling, ("LIFO", "FIFO"))
        choice("collective-optimization", self.optimization, OPTIMIZATIONS)
        choice("intra-dimension-scheduling", self.intra_dimension, INTRA_DIMENSION)
        choice("inter-dimension-scheduling", self.inter_dimension, INTER_DIMENSION)
        set_ = object.__setattr__
        set_(self, "endpoint_delay", whole("endpoint-delay", self.endpoint_delay, at_least=0))
        set_(self, "splits", whole("preferred-dataset-splits", self.splits, at_least=1))
        set_(self, "active_chunks", whole("active-chunks-per-dimension", self.active_chunks, at_least=1))
        set_(self, "gap_denominator", whole("gap-denominator", self.gap_denominator, at_least=1))
        if self.splits > MOST_SPLITS:
            raise ConfigError(
                f"preferred-dataset-splits is {self.splits}; {MOST_SPLITS:,} is the most, as every chunk is followed."
            )
        set_(self, "queues", whole("num_queues_per_dim", self.queues, at_least=1))
        if self.queues > MOST_QUEUES:
            raise ConfigError(f"num_queues_per_dim is {self.queues}; {MOST_QUEUES:,} is the most.")
        for name in ("rendezvous", "boost"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} is {getattr(self, name)!r}; it must be True or False.")
        for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
            how = getattr(self, name)
            if not isinstance(how, (tuple, list)) or not all(isinstance(i, Implementation) for i in how) or not how:
                raise ConfigError(f"{name} is {how!r}; give an Implementation for each dimension.")
            set_(self, name, tuple(how))

    @classmethod
    def of(cls, implementation: str, **settings: object) -> SystemConfig:
        """The same implementation for all collectives but the all-to-all, which is direct as in the tutorials."""
        own = Implementation.parse_all(implementation)
        pairwise = tuple(Implementation.parse("direct") for _ in own)
        allowed = [f.name for f in fields(cls) if f.name not in ("all_reduce", "all_gather", "reduce_scatter")]
        for name in settings:
            choice("setting", name, allowed)
        return cls(**({"all_to_all": pairwise} | settings), all_reduce=own, all_gather=own, reduce_scatter=own)  # type: ignore[arg-type]

    def with_injection_scale(self, scale: float) -> SystemConfig:
        """The same with ASTRA-sim's injection scale applied: it multiplies the endpoint delay."""
        factor = float32(positive("injection_scale", scale))
        return replace(self, endpoint_delay=int(float32(float32(self.endpoint_delay) * factor)))

    def implementations(self, collective: Collective) -> tuple[Implementation, ...]:
        """Per dimension, how `collective` is carried out. Raises ConfigError where the system file has none."""
        match collective:
            case Collective.ALL_REDUCE:
                return self.all_reduce
            case Collective.ALL_GATHER:
                return self.all_gather
            case Collective.REDUCE_SCATTER:
                return self.reduce_scatter
            case Collective.ALL_TO_ALL:
                return self.all_to_all
        raise ConfigError(f"a system file has no implementation for {collective}.")


@dataclass(frozen=True)
class Platform:
    """What a workload runs on: the network's dimensions and how the endpoints use them.

    >>> network = ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 8, 25, 700)
    >>> ae.Platform(network, ae.SystemConfig.of("ring_halvingDoubling")).npus
    32
    """

    network: tuple[Dimension, ...]
    system: SystemConfig

    def __post_init__(self) -> None:
        if not isinstance(self.system, SystemConfig):
            raise ConfigError(f'system is {self.system!r}; give a SystemConfig, such as SystemConfig.of("ring").')
        object.__setattr__(self, "network", dimensions(self.network))

    @property
    def npus(self) -> int:
        """How many NPUs there are."""
        return prod(dimension.npus for dimension in self.network)
