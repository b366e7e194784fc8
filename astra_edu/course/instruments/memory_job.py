"""What is computed of memory systems: a load or a store by private memories and by a pool, and a training iteration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from astra_edu.base.units import MIB
from astra_edu.course.instruments.setting import Values
from astra_edu.course.studies.memory_systems import (
    Fabric,
    HierarchicalPool,
    PrivateMemory,
    TrainingTime,
    Transfer,
    hiermem,
    packet_spans,
    zero_infinity,
)
from astra_edu.course.studies.memory_systems.case_study import GPU, MOE_1T

PRIVATE, POOL = "ZeRO-Infinity", "HierMem"
SIZE = 256 * MIB
"""What a GPU gets, or gives away."""
LOAD_SAME, LOAD_OWN, STORE_SUM, STORE_OWN = "load-same", "load-own", "store-sum", "store-own"
COPY, PASS = "compute", "pass"
CASE_STUDY, ALIKE = "case-study", "alike"
ZERO_REMOTE, ZERO_LINK = 100, 256
"""What ZeRO-Infinity has in the case study, in bytes/ns: each memory, and each GPU's link; unverified and ours."""
MOST_PIECES = 8


class Turn(NamedTuple):
    """A stage that a piece goes through, in ns. lane: of all stages of the way, in turn.

    begin: when the first packet of the piece enters it; start: when its last one has come, too, or the first has begun.
    """

    lane: int
    begin_ns: float
    start_ns: float
    end_ns: float


@dataclass(frozen=True)
class Way:
    """How the bytes go in one system: transfers one after the other, each in packets through its stages.

    joined: whether all GPUs need the same bytes, so that these are copied or added up on the way.
    """

    name: str
    transfers: tuple[Transfer, ...]
    joined: bool
    store: bool

    @property
    def ns(self) -> float:
        """Until all is there."""
        return sum(transfer.ns for transfer in self.transfers)

    @property
    def stages(self) -> tuple[str, ...]:
        """Of all transfers."""
        return tuple(stage.name for transfer in self.transfers for stage in transfer.stages)

    @property
    def packet_ns(self) -> tuple[float, ...]:
        """How long each stage takes for a packet."""
        return tuple(ns for transfer in self.transfers for ns in transfer.packet_ns)

    @property
    def slowest(self) -> Transfer:
        """The transfer that takes longest."""
        return max(self.transfers, key=lambda transfer: transfer.ns)

    @cached_property
    def turns(self) -> tuple[tuple[Turn, ...], ...]:
        """When each piece is in each stage: all packets in at most 8 pieces, which move on with their last packet."""
        pieces = min(MOST_PIECES, max(transfer.packets for transfer in self.transfers))
        found: list[list[Turn]] = [[] for _ in range(pieces)]
        begin, lane = 0.0, 0
        for transfer in self.transfers:
            spans = packet_spans(transfer.packet_ns, transfer.packets)
            for piece, turns in enumerate(found):
                first, last = spans[piece * len(spans) // pieces], spans[-(-(piece + 1) * len(spans) // pieces) - 1]
                there = 0.0
                for number, ((start, _), (_, end)) in enumerate(zip(first, last, strict=True)):
                    turns.append(Turn(lane + number, begin + start, begin + max(start, there), begin + end))
                    there = end
            begin, lane = begin + transfer.ns, lane + len(transfer.stages)
        return tuple(map(tuple, found))


def fabric(values: Values, link: float | None = None) -> Fabric:
    """The network of the GPUs. link: another bandwidth of a GPU's link."""
    return Fabric(
        nodes=values["nodes"],
        gpus_per_node=values["nodes"],
        in_bandwidth=link or values["link"],
        out_switches=values["switches"],
        out_bandwidth=values["out"],
        packet_bytes=values["packet"] * 1024,
    )


def pool(values: Values) -> HierarchicalPool:
    """HierMem."""
    return HierarchicalPool(fabric(values), values["groups"], values["remote"], in_switch=values["pool"] == COPY)


def private(values: Values) -> PrivateMemory:
    """ZeRO-Infinity, with the same bandwidths or with those of the case study."""
    if values["zero"] == ALIKE:
        return PrivateMemory(fabric(values), values["remote"])
    return PrivateMemory(fabric(values, ZERO_LINK), ZERO_REMOTE)


def ways(values: Values) -> tuple[Way, Way]:
    """The load or store that is set, in both systems."""
    return _ways(tuple(values.items()))


@lru_cache(maxsize=256)
def _ways(given: tuple[tuple[str, Any], ...]) -> tuple[Way, Way]:
    values = dict(given)
    joined = values["move"] in (LOAD_SAME, STORE_SUM)
    store = values["move"] in (STORE_SUM, STORE_OWN)
    found = []
    for name, memory in ((PRIVATE, private(values)), (POOL, pool(values))):
        moves = (memory.store if store else memory.load)(*_sizes(values))
        (chain,) = filter(None, moves)
        copied = joined and not (name == POOL and values["pool"] == PASS)
        found.append(Way(name, tuple(move.transfer for move in chain), copied, store))
    return found[0], found[1]


def slowest(transfer: Transfer) -> tuple[str, ...]:
    """The stages that take longest; several, if they take equally long to 1 %."""
    most = max(stage.ns for stage in transfer.stages)
    return tuple(stage.name for stage in transfer.stages if stage.ns >= 0.99 * most)


def iterations(values: Values) -> tuple[TrainingTime, TrainingTime]:
    """An iteration of the mixture of experts in both systems."""
    return _iterations(private(values), pool(values))


@lru_cache(maxsize=256)
def _iterations(one: PrivateMemory, other: HierarchicalPool) -> tuple[TrainingTime, TrainingTime]:
    return zero_infinity(MOE_1T, GPU, one), hiermem(MOE_1T, GPU, other)


def halved(values: Values) -> Transfer:
    """HierMem's transfer in packets half as large."""
    now = pool(values)
    smaller = replace(now, fabric=replace(now.fabric, packet_bytes=now.fabric.packet_bytes // 2))
    found = smaller.transfer(*_sizes(values))
    return found.reversed() if values["move"] in (STORE_SUM, STORE_OWN) else found


def _sizes(values: Values) -> tuple[int, int]:
    return (SIZE, 0) if values["move"] in (LOAD_SAME, STORE_SUM) else (0, SIZE)


def code(values: Values) -> str:
    """The same in Python."""
    shared, own = _sizes(values)
    zero = private(values)
    there = "store" if values["move"] in (STORE_SUM, STORE_OWN) else "load"
    copying = "" if values["pool"] == COPY else ", in_switch=False"
    other = "" if values["zero"] == ALIKE else f", in_bandwidth={zero.fabric.in_bandwidth:g}"
    return f"""from dataclasses import replace
from astra_edu.studies.memory_systems import Fabric, HierarchicalPool, PrivateMemory, hiermem, zero_infinity
from astra_edu.course.studies.memory_systems.case_study import GPU, MOE_1T
fabric = Fabric({values["nodes"]}, {values["nodes"]}, {values["link"]}, {values["switches"]}, {values["out"]}, \
packet_bytes={values["packet"]} * 1024)
private = PrivateMemory(replace(fabric{other}), {zero.bandwidth:g})
pool = HierarchicalPool(fabric, {values["groups"]}, {values["remote"]}{copying})
for memory in (private, pool):
    for chain in memory.{there}(shared={shared}, own={own}):
        for move in chain:
            print(move.transfer.ns, move.transfer.slowest)
print(zero_infinity(MOE_1T, GPU, private), hiermem(MOE_1T, GPU, pool))"""
