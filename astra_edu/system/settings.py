"""The settings of the system layer that ASTRA-sim 1.0 and 2.x share, checked in one place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import NoneType
from typing import ClassVar

from astra_edu.base.errors import ConfigError, choice, flag, instance_of, not_negative, whole
from astra_edu.system import themis as themis  # puts itself into INTER_DIMENSION
from astra_edu.system.inter_dimension import INTER_DIMENSION, OrderMaker
from astra_edu.system.policies import QUEUE_POLICIES, Policy

MOST_SPLITS = 100_000
MOST_QUEUES = 10_000
OPTIMIZATIONS = ("baseline", "localBWAware")


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


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What both versions' systems say of chunks, queues and endpoints.

    scheduling: which of two collectives goes first. endpoint_delay: ns for each message at the NPU. splits: into how
    many chunks a collective's data are cut. active_chunks: how many of them may be in a phase of one dimension at
    once, over its `queues`. optimization: "localBWAware", where each dimension leaves the next less, or "baseline".
    intra_dimension: a name of QUEUE_POLICIES, or a function like them. inter_dimension: a name of INTER_DIMENSION, or a
    function or class like them. rendezvous: every message waits for a request of 8 KiB from its receiver. bus: the
    shared bus, if it is modelled.
    """

    SCHEDULING: ClassVar[tuple[str, ...]] = ("LIFO", "FIFO")

    scheduling: str = "LIFO"
    endpoint_delay: int = 10
    splits: int = 1
    active_chunks: int = 1
    queues: int = 1
    optimization: str = "baseline"
    intra_dimension: str | Policy = "FIFO"
    inter_dimension: str | OrderMaker = "baseline"
    rendezvous: bool = False
    bus: Bus | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        choice("scheduling-policy", self.scheduling, self.SCHEDULING)
        choice("collective-optimization", self.optimization, OPTIMIZATIONS)
        for key, value, known in self._policies():
            if not callable(value):
                choice(key, value, known)
            elif isinstance(value, type) and not hasattr(value, "order"):
                raise ConfigError(
                    f"{key} is the class {value.__name__}; give a function, or a class with a method order."
                )
        set_(self, "endpoint_delay", whole("endpoint-delay", self.endpoint_delay, at_least=0))
        set_(self, "splits", whole("preferred-dataset-splits", self.splits, at_least=1))
        set_(self, "active_chunks", whole("active-chunks-per-dimension", self.active_chunks, at_least=1))
        set_(self, "queues", whole("num_queues_per_dim", self.queues, at_least=1))
        if self.splits > MOST_SPLITS:
            raise ConfigError(
                f"preferred-dataset-splits is {self.splits}; {MOST_SPLITS:,} is the most, as every chunk is followed."
            )
        if self.queues > MOST_QUEUES:
            raise ConfigError(f"num_queues_per_dim is {self.queues}; {MOST_QUEUES:,} is the most.")
        flag("rendezvous", self.rendezvous)
        instance_of("bus", self.bus, (Bus, NoneType), "give one such as astra_edu.system.Bus(L=10, o=5), or None")

    def check_names(self) -> None:
        """Raise ConfigError for a policy that has no name, as a file can't hold a function."""
        for key, value, _ in self._policies():
            if callable(value):
                raise ConfigError(
                    f"{key} is {getattr(value, '__name__', value)}, which a file can't hold; register it in "
                    "QUEUE_POLICIES or INTER_DIMENSION and give its name."
                )

    def _policies(self) -> tuple[tuple[str, object, Iterable[str]], ...]:
        return (
            ("intra-dimension-scheduling", self.intra_dimension, QUEUE_POLICIES),
            ("inter-dimension-scheduling", self.inter_dimension, INTER_DIMENSION),
        )

    @property
    def places(self) -> int:
        """How many chunks each queue lets go at once."""
        return -(-self.active_chunks // self.queues)
