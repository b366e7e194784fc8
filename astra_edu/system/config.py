"""The system layer's settings (ASTRA-sim 1.0's system file as one frozen object) and the platform they are for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import prod

from astra_edu.base.errors import ConfigError, choice, flag, instance_of, positive, shown, whole
from astra_edu.base.notice import notice
from astra_edu.base.units import float32
from astra_edu.collectives import Collective
from astra_edu.network import Dimension, dimensions
from astra_edu.system.implementation import Implementation
from astra_edu.system.settings import Bus as Bus
from astra_edu.system.settings import Settings

OF_SPLITS = (
    "SystemConfig.of cuts every collective into 4 chunks unless you say otherwise. Over one dimension they go one "
    "after the other and each pays the latency, so it counts 4 times; one fitted to measurements wants splits=1. "
    "Over several dimensions chunks overlap, and more of them may be faster. splits=4 keeps it."
)
"""What the default of `splits` costs."""


@dataclass(frozen=True)
class SystemConfig(Settings):
    """How the endpoints run collectives in ASTRA-sim 1.0; see Settings for what it shares with 2.x.

    The four implementations: one entry a dimension. scheduling: LIFO (later collectives first) or FIFO.
    gap_denominator: Themis takes loads for equal that differ by less than a chunk's size divided by it. boost: follow
    only the NPUs that share a dimension with NPU 0, as ASTRA-sim's boost-mode does (it shows with
    a bus and with Themis).

    >>> SystemConfig.of("ring_halvingDoubling", splits=16).all_reduce[1].algorithm
    'halving-doubling'
    """

    all_reduce: tuple[Implementation, ...]
    all_gather: tuple[Implementation, ...]
    reduce_scatter: tuple[Implementation, ...]
    all_to_all: tuple[Implementation, ...]
    splits: int = field(default=4, kw_only=True)
    optimization: str = field(default="localBWAware", kw_only=True)
    gap_denominator: int = field(default=16, kw_only=True)
    boost: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        set_ = object.__setattr__
        set_(self, "gap_denominator", whole("gap-denominator", self.gap_denominator, at_least=1))
        flag("boost", self.boost)
        for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
            how = getattr(self, name)
            if not isinstance(how, (tuple, list)) or not all(isinstance(i, Implementation) for i in how) or not how:
                raise ConfigError(f"{name} is {shown(how)}; give an Implementation for each dimension.")
            set_(self, name, tuple(how))

    @classmethod
    def of(cls, implementation: str, **settings: object) -> SystemConfig:
        """The same implementation for all collectives but the all-to-all, which is direct as in the tutorials.

        Without `splits` a collective is cut into 4 chunks; a warning says once what that costs.
        """
        if "splits" not in settings:
            notice(OF_SPLITS)
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
        wanted = Collective(choice("collective", collective, Collective))
        how: tuple[Implementation, ...] | None = getattr(self, wanted.name.lower(), None)
        if how is None:
            raise ConfigError(f"a system file has no implementation for {collective}.")
        return how


@dataclass(frozen=True)
class Platform:
    """What a workload runs on: the network's dimensions and how the endpoints use them.

    congestion_aware: whether messages wait for each other on the links, as in the second of ASTRA-sim 1.0's programs,
    which knows one dimension, a switch or fully connected links (see system.congested).

    >>> network = ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Switch", 8, 25, 700)
    >>> ae.Platform(network, ae.SystemConfig.of("ring_halvingDoubling")).npus
    32
    """

    network: tuple[Dimension, ...]
    system: SystemConfig
    congestion_aware: bool = False

    def __post_init__(self) -> None:
        instance_of("system", self.system, SystemConfig, 'give a SystemConfig, such as SystemConfig.of("ring")')
        object.__setattr__(self, "network", dimensions(self.network))
        flag("congestion_aware", self.congestion_aware)
        if self.congestion_aware:
            from astra_edu.system.congested import check_congested

            check_congested(self.network, self.system)

    @property
    def npus(self) -> int:
        """How many NPUs there are."""
        return prod(dimension.npus for dimension in self.network)
