"""Where remote memory stands: a private one behind every GPU, or a pool behind the switches that all GPUs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from astra_edu.base.errors import not_negative, positive, whole
from astra_edu.course.studies.memory_systems.fabric import OUT_NODE, REMOTE, Fabric
from astra_edu.course.studies.memory_systems.transfer import Stage, Transfer, packets_of


class Move(NamedTuple):
    """A transfer, and the lane that it keeps busy: lanes work at the same time, one lane's transfers in turn."""

    lane: str
    transfer: Transfer


Moves = tuple[tuple[Move, ...], ...]
"""Chains of moves: one after the other within a chain, the chains beside each other as far as their lanes allow."""


@dataclass(frozen=True)
class PrivateMemory:
    """Every GPU has a remote memory of its own, over a link of `bandwidth` bytes/ns, as in ZeRO-Infinity.

    What all GPUs need is kept in equal parts, one behind each GPU, and gathered over the fabric.

    >>> from astra_edu.studies.memory_systems import Fabric, PrivateMemory
    >>> fabric = Fabric(nodes=4, gpus_per_node=8, in_bandwidth=256, out_switches=4, out_bandwidth=64)
    >>> memory = PrivateMemory(fabric, bandwidth=100)
    >>> [(move.lane, move.transfer.slowest) for turn in memory.load(2**20, 0) for move in turn]
    [('remote', 'remote memory'), ('fabric', 'in-node fabric')]
    """

    fabric: Fabric
    bandwidth: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "bandwidth", positive("bandwidth", self.bandwidth))

    def load(self, shared: int, own: int) -> Moves:
        """Every GPU gets the same `shared` bytes, and `own` bytes that nobody else needs.

        Of the shared bytes each GPU fetches its part, and an all-gather follows.
        """
        part, gather = self.link(shared / self.fabric.gpus), self.fabric.all_gather(shared)
        together = (Move("remote", part), Move("fabric", gather)) if shared else ()
        return together, ((Move("remote", self.link(own)),) if own else ())

    def store(self, shared: int, own: int) -> Moves:
        """The same way back: the sum of every GPU's `shared` bytes is stored once, after a reduce-scatter."""
        return tuple(
            tuple(Move(move.lane, move.transfer.reversed()) for move in reversed(chain))
            for chain in reversed(self.load(shared, own))
        )

    def link(self, size: float) -> Transfer:
        """`size` bytes from or to the memory of every GPU."""
        size = not_negative("size in bytes", size)
        return Transfer((Stage(REMOTE, size / self.bandwidth),), packets_of(size, self.fabric.packet_bytes))


@dataclass(frozen=True)
class HierarchicalPool:
    """Groups of remote memory behind the out-node switches of a fabric: HierMem of ASTRA-sim 2.0 (ISPASS 2023).

    group_bandwidth: bytes/ns of one group. link_bandwidth: bytes/ns of a group's link to its out-node switch, by
    default as much as the fabric's out-node links. All groups work at once, each with a packet of fabric.packet_bytes.

    in_switch: switches copy and add, so what all GPUs need leaves a memory once and is copied on its way (load +
    broadcast), and what all GPUs have is added up on its way (reduce + store). Otherwise each GPU's copy goes all the
    way by itself.

    >>> from astra_edu.studies.memory_systems import Fabric, HierarchicalPool
    >>> fabric = Fabric(nodes=4, gpus_per_node=8, in_bandwidth=256, out_switches=4, out_bandwidth=64)
    >>> pool = HierarchicalPool(fabric, groups=16, group_bandwidth=100)
    >>> [move.transfer.slowest for turn in pool.load(2**20, 0) for move in turn]
    ['out-node fabric, GPU side']
    """

    fabric: Fabric
    groups: int
    group_bandwidth: float
    link_bandwidth: float | None = None
    in_switch: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", whole("groups", self.groups, at_least=1))
        object.__setattr__(self, "group_bandwidth", positive("group_bandwidth", self.group_bandwidth))
        if self.link_bandwidth is not None:
            object.__setattr__(self, "link_bandwidth", positive("link_bandwidth", self.link_bandwidth))

    def transfer(self, shared: int, own: int) -> Transfer:
        """The way from the memories to the GPUs, for the same `shared` bytes to all and `own` bytes to each."""
        shared, own = whole("shared bytes", shared, at_least=0), whole("own bytes", own, at_least=0)
        fabric = self.fabric
        if not self.in_switch:
            shared, own = 0, shared + own
        each_group = (shared + fabric.gpus * own) / self.groups
        link = self.link_bandwidth or fabric.out_bandwidth
        stages = (
            Stage(REMOTE, each_group / self.group_bandwidth),
            Stage(f"{OUT_NODE}, memory side", each_group / link),
            Stage(f"{OUT_NODE}, GPU side", fabric.out_stage(shared + fabric.gpus_per_node * own).ns),
            fabric.in_stage(shared + own),
        )
        return Transfer(stages, packets_of(each_group, fabric.packet_bytes))

    def load(self, shared: int, own: int) -> Moves:
        """Every GPU gets the same `shared` bytes, and `own` bytes that nobody else needs."""
        return ((Move("pool", self.transfer(shared, own)),),) if shared or own else ()

    def store(self, shared: int, own: int) -> Moves:
        """The same way back: the sum of every GPU's `shared` bytes is stored once."""
        return ((Move("pool", self.transfer(shared, own).reversed()),),) if shared or own else ()
