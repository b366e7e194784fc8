"""Data that goes in packets through stages, such as a memory, a switch and a link, like cars through traffic lights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, not_negative, whole

MOST_SPANS = 100_000


class Stage(NamedTuple):
    """A stage's name, and how long it takes for all packets together, in ns.

    >>> from astra_edu.studies.memory_systems import Stage
    >>> Stage("memory", ns=100).ns
    100
    """

    name: str
    ns: float


@dataclass(frozen=True)
class Transfer:
    """Equal packets through the stages in their order; a stage has one packet at a time, a packet is never split.

    >>> from astra_edu.studies.memory_systems import Stage, Transfer
    >>> load = Transfer((Stage("memory", 400), Stage("link", 800)), packets=4)
    >>> load.ns, load.slowest
    (900.0, 'link')
    """

    stages: tuple[Stage, ...]
    packets: int = 1

    def __post_init__(self) -> None:
        if not self.stages:
            raise ConfigError("a transfer without stages goes nowhere; give one Stage or more.")
        for stage in self.stages:
            not_negative(f"{stage.name}: ns", stage.ns)
        object.__setattr__(self, "packets", whole("packets", self.packets, at_least=1))

    @property
    def packet_ns(self) -> tuple[float, ...]:
        """How long each stage takes for one packet."""
        return tuple(stage.ns / self.packets for stage in self.stages)

    @property
    def ns(self) -> float:
        """Until the last packet has left the last stage."""
        return pipelined_ns(self.packet_ns, self.packets)

    @property
    def slowest(self) -> str:
        """The stage that all packets wait for; the first of several that are equally slow."""
        return max(self.stages, key=lambda stage: stage.ns).name

    def reversed(self) -> Transfer:
        """The same way back: a store in place of a load."""
        return Transfer(self.stages[::-1], self.packets)


def pipelined_ns(packet_ns: Sequence[float], packets: int) -> float:
    """How long equal packets take through stages, given each stage's time for one packet.

    The first packet takes the sum of all stages; every later one follows it by the slowest stage.

    >>> from astra_edu.studies.memory_systems import pipelined_ns
    >>> pipelined_ns([100, 200], packets=4)
    900
    """
    return sum(packet_ns) + (packets - 1) * max(packet_ns)


def packet_spans(packet_ns: Sequence[float], packets: int) -> list[list[tuple[float, float]]]:
    """From when to when each packet is in each stage: a list of spans for each packet.

    A packet enters a stage when it has left the stage before, and the packet before it has left this one.
    Raises ConfigError for more spans than anyone can draw.

    >>> from astra_edu.studies.memory_systems import packet_spans
    >>> packet_spans([100, 200], packets=2)
    [[(0.0, 100.0), (100.0, 300.0)], [(100.0, 200.0), (300.0, 500.0)]]
    """
    if packets * len(packet_ns) > MOST_SPANS:
        raise ConfigError(
            f"{packets:,} packets in {len(packet_ns)} stages are too many to list; "
            f"{MOST_SPANS // len(packet_ns):,} packets are the most."
        )
    free = [0.0] * len(packet_ns)
    spans = []
    for _ in range(packets):
        arrives, row = 0.0, []
        for stage, ns in enumerate(packet_ns):
            start = max(arrives, free[stage])
            arrives = free[stage] = start + ns
            row.append((start, arrives))
        spans.append(row)
    return spans


def packets_of(size: float, packet_bytes: int) -> int:
    """How many packets of at most packet_bytes hold `size` bytes; at least one."""
    return max(1, ceil(size / packet_bytes))
