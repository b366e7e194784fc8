"""What a trace runs on: the network's building blocks, how the endpoints use them, and the memory behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError, choice, flag, instance_of, list_of, positive, shown
from astra_edu.collectives import ALGORITHMS, Collective
from astra_edu.network import Block, Dimension, GraphNetwork, SwitchBuffers
from astra_edu.network.block import checked_blocks
from astra_edu.network.dimension import LARGEST, SMALLEST
from astra_edu.system.adds_up import check_trace_platform
from astra_edu.system.config import Platform, SystemConfig
from astra_edu.system.custom import CustomTrace
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.remote_memory import RemoteMemory
from astra_edu.system.settings import Settings
from astra_edu.system.themis import Themis

MOST_NPUS = 2**16

CARRIED_OUT = (Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_TO_ALL)
"""The collectives that a system has implementations for."""
_HALVES = {Collective.REDUCE_SCATTER, Collective.ALL_GATHER}


@dataclass(frozen=True)
class TraceSystem(Settings):
    """ASTRA-sim 2.x's system file as one frozen object; see Settings for what it shares with 1.0.

    implementations: for each collective one Implementation a dimension; what a trace doesn't use may be missing.
    scheduling: which of two collectives goes first; it makes no difference, as an NPU has one at a time.
    custom: for a collective the trace (of sends, receives and computations) that carries it out instead; custom_nodes:
    the same for single nodes of the workload by their number. splits: into how many chunks a collective is cut.
    active_chunks: how many may be in a phase of one dimension at once, over its `queues`. endpoint_delay: ns for
    each message at the NPU. local_memory_bandwidth: in 10**9 bytes/s, for reductions and the roofline (None: reducing
    costs nothing). peak_performance: in 10**12 operations/s, for the roofline, if there is one. replay_only: every node
    just takes its recorded time. everywhere: the one implementation of each collective is for every dimension of the
    platform. intra_dimension, inter_dimension: as in ASTRA-sim 1.0; no release of 2.x reads them.

    >>> system = ae.TraceSystem.of("ring", splits=4)
    >>> system.splits, system.scheduling, system.endpoint_delay
    (4, 'LIFO', 10)
    """

    SCHEDULING: ClassVar[tuple[str, ...]] = ("LIFO", "FIFO", "EXPLICIT")

    implementations: dict[Collective, tuple[Implementation, ...]] = field(default_factory=dict)
    local_memory_bandwidth: float | None = field(default=None, kw_only=True)
    peak_performance: float | None = field(default=None, kw_only=True)
    roofline: bool = field(default=False, kw_only=True)
    replay_only: bool = field(default=False, kw_only=True)
    custom: Mapping[Collective, CustomTrace] = field(default_factory=dict, kw_only=True)
    custom_nodes: Mapping[int, CustomTrace] = field(default_factory=dict, kw_only=True)
    everywhere: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_ = object.__setattr__
        right = 'give Implementations by their collective, or use TraceSystem.of("ring")'
        given = instance_of("implementations", self.implementations, Mapping, right)
        set_(self, "implementations", dict(given))  # what becomes of the caller's changes nothing here
        for collective, hows in given.items():
            if (
                not isinstance(hows, (tuple, list))
                or collective not in CARRIED_OUT
                or not hows
                or not all(isinstance(how, Implementation) for how in hows)
            ):
                raise ConfigError(
                    f"implementations[{collective!r}] is {shown(hows, 80)}; give Implementations, a dimension "
                    "each, or use "
                    'TraceSystem.of("ring").'
                )
        for name in ("roofline", "replay_only", "everywhere"):
            flag(name, getattr(self, name))
        for name in ("custom", "custom_nodes"):
            found = instance_of(name, getattr(self, name), Mapping, "give traces by what they carry out, or {}")
            set_(self, name, dict(found))
            for trace in found.values():
                if not hasattr(trace, "custom_steps"):
                    raise ConfigError(f"{name} has {shown(trace)}; give a Trace of sends, receives and computations.")
        for name, spelling in (("local_memory_bandwidth", "local-mem-bw"), ("peak_performance", "peak-perf")):
            value = getattr(self, name)
            if value is not None:
                number = positive(spelling, value)
                if not SMALLEST <= number <= LARGEST:
                    raise ConfigError(f"{spelling} is {number:g}; {SMALLEST:g} to {LARGEST:g} can be calculated with.")
                set_(self, name, number)
        if self.roofline and (self.local_memory_bandwidth is None or self.peak_performance is None):
            raise ConfigError(
                "roofline-enabled needs local-mem-bw (10**9 bytes/s) and peak-perf (10**12 operations/s)."
            )

    @classmethod
    def of(cls, implementations: str | Sequence[str], **settings: Any) -> TraceSystem:
        """All collectives carried out the same way: "ring" on every dimension, or ["ring", "halvingDoubling"] on two.

        What halving-doubling and trees can't do, the all-to-all, is direct there. optimization is "localBWAware" unless
        given: over several dimensions an all-reduce leaves each next one less, as everybody wants it. In files, and in
        ASTRA-sim, it is "baseline" unless they say so, and here where an algorithm knows no reduce-scatter and
        all-gather: each dimension all-reduces all of it in turn.

        >>> network = ae.Block("Ring", 8, 100, 500), ae.Block("Switch", 16, 50, 500)
        >>> sums = ae.traces.collective("all_reduce", "64 MiB", npus=128)
        >>> for said in ({}, {"optimization": "baseline"}):
        ...     platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring", "halvingDoubling"], **said))
        ...     print(ae.simulate(sums, platform).total)
        1,401.966 µs
        3,452.740 µs
        """
        right = 'give a name such as "ring", or a list with one for each dimension'
        given = [implementations] if isinstance(implementations, str) else implementations
        spellings = list_of("implementations", given, right)
        if not spellings:
            raise ConfigError(f"implementations is {shown(implementations)}; {right}.")
        own = tuple(Implementation.parse(spelling) for spelling in spellings)
        if all(ALGORITHMS[how.algorithm].keys() >= _HALVES for how in own):
            settings = {"optimization": "localBWAware"} | settings
        direct = Implementation.parse("direct")
        pairwise = tuple(how if Collective.ALL_TO_ALL in ALGORITHMS[how.algorithm] else direct for how in own)
        every = {collective: pairwise if collective is Collective.ALL_TO_ALL else own for collective in CARRIED_OUT}
        allowed = [f.name for f in fields(cls) if f.name not in ("implementations", "everywhere")]
        for name in settings:
            choice("setting", name, allowed)
        return cls(implementations=every, everywhere=isinstance(implementations, str), **settings)

    def reduction_ns(self, message_bytes: int) -> int:
        """Memory time of adding up a received message: it and the NPU's own data are read, the sum is written.

        Each of the three is truncated to whole ns.
        """
        if self.local_memory_bandwidth is None:
            return 0
        return 3 * int(message_bytes / (self.local_memory_bandwidth * 1e9) * 1e9)


@dataclass(frozen=True)
class TracePlatform:
    """What a trace runs on.

    network: its building blocks; NPU numbers count along the first one first. Or a GraphNetwork. congestion_aware:
    whether messages wait for each other on links (then each hop stores a message before it forwards it), or know
    nothing of each other. buffers: how much a switch can store; without them, everything.

    >>> network = ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 8, 25, 700)
    >>> ae.TracePlatform(network, ae.TraceSystem.of(["ring", "halvingDoubling"])).dims
    (4, 8)
    """

    network: tuple[Block, ...] | GraphNetwork
    system: TraceSystem = field(default_factory=TraceSystem)
    memory: RemoteMemory = field(default_factory=RemoteMemory)
    congestion_aware: bool = False
    buffers: SwitchBuffers | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.system, TraceSystem):
            old = " A SystemConfig is of ASTRA-sim 1.0." if isinstance(self.system, SystemConfig) else ""
            raise ConfigError(f'system is {shown(self.system, 80)}; give ae.TraceSystem.of("ring"), for example.{old}')
        instance_of("memory", self.memory, RemoteMemory, "give ae.RemoteMemory(...)")
        flag("congestion_aware", self.congestion_aware)
        if self.buffers is not None and not (self.congestion_aware and isinstance(self.buffers, SwitchBuffers)):
            raise ConfigError(
                f"buffers is {shown(self.buffers)}; give SwitchBuffers(...), and congestion_aware=True, as without "
                "congestion nothing is stored."
            )
        if not isinstance(self.network, GraphNetwork):
            object.__setattr__(self, "network", _blocks(self.network))
        elif issubclass(kind_of(self.system.inter_dimension), Themis):
            raise ConfigError("Themis weighs dimensions by their bandwidth; those of a graph have none of their own.")
        if self.system.everywhere:
            every = {
                collective: hows if hows[0].flat else hows * len(self.dims)
                for collective, hows in self.system.implementations.items()
            }
            object.__setattr__(self, "system", replace(self.system, implementations=every, everywhere=False))
        if self.npus > MOST_NPUS:
            raise ConfigError(f"the network has {self.npus:,} NPUs; {MOST_NPUS:,} is the most.")

    @cached_property
    def npus(self) -> int:
        """How many NPUs there are."""
        return prod(self.dims)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The building blocks, a dimension each; none if the network is a graph."""
        return () if isinstance(self.network, GraphNetwork) else self.network

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """How many NPUs each dimension has; of a graph, each logical dimension."""
        if isinstance(self.network, GraphNetwork):
            return self.network.dims
        return tuple(block.npus for block in self.network)

    def implementations(self, collective: Collective) -> tuple[Implementation, ...]:
        """How `collective` is carried out, a dimension each. Raises ConfigError where that doesn't fit the network."""
        if not isinstance(collective, Collective):
            choice("collective", collective, Collective)
        found = self.system.implementations.get(collective)
        if not found:
            raise ConfigError(
                f"the trace has an {collective}, but the system has no implementation for it: give "
                f'{collective}-implementation in the system file, or in Python ae.TraceSystem.of("ring").'
            )
        if found[0].flat:
            return found[:1]
        if any(how.flat for how in found):
            raise ConfigError(
                f"{collective}-implementation is {[how.spelling for how in found]}; one with 'one' in front takes all "
                "NPUs at once and must come first."
            )
        if len(found) > len(self.dims):
            raise ConfigError(
                f"the network has {len(self.dims)} dimensions, but {collective}-implementation has {len(found)} "
                f"entries: {[how.spelling for how in found]}."
            )
        for d, how in enumerate(found):
            if how.traits.in_switch:
                check_trace_platform(self, how.algorithm, d)
        return found


def _blocks(network: Block | Sequence[Block]) -> tuple[Block, ...]:
    old = ". A Platform and a Dimension are of ASTRA-sim 1.0" if isinstance(network, (Platform, Dimension)) else ""
    return checked_blocks(network, f"give a Block for each dimension, or a GraphNetwork{old}")
