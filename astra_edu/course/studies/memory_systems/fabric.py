"""The network of the GPUs: nodes with a switch inside, and switches between the nodes."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import not_negative, positive, whole
from astra_edu.course.studies.memory_systems.transfer import Stage, Transfer, packets_of

IN_NODE, OUT_NODE, REMOTE = "in-node fabric", "out-node fabric", "remote memory"
PACKET_BYTES = 2**16


@dataclass(frozen=True)
class Fabric:
    """GPUs with a link to the in-node switch of their node, which has a link to each of the out-node switches.

    in_bandwidth, out_bandwidth: bytes/ns of one such link, in each direction. packet_bytes: what a link carries at
    once. Latencies are left out: here everything takes far longer than they do.

    >>> from astra_edu.studies.memory_systems import Fabric
    >>> fabric = Fabric(nodes=4, gpus_per_node=8, in_bandwidth=256, out_switches=4, out_bandwidth=64)
    >>> fabric.gpus, fabric.all_gather(2**20).ns
    (32, 4160.0)
    """

    nodes: int
    gpus_per_node: int
    in_bandwidth: float
    out_switches: int
    out_bandwidth: float
    packet_bytes: int = PACKET_BYTES

    def __post_init__(self) -> None:
        for name in ("nodes", "gpus_per_node", "out_switches", "packet_bytes"):
            object.__setattr__(self, name, whole(name, getattr(self, name), at_least=1))
        for name in ("in_bandwidth", "out_bandwidth"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))

    @property
    def gpus(self) -> int:
        """In all nodes."""
        return self.nodes * self.gpus_per_node

    def in_stage(self, size: float) -> Stage:
        """`size` bytes from or to every GPU."""
        return Stage(IN_NODE, size / self.in_bandwidth)

    def out_stage(self, size: float) -> Stage:
        """`size` bytes from or to every node."""
        return Stage(OUT_NODE, size / self.out_switches / self.out_bandwidth)

    def all_gather(self, size: int) -> Transfer:
        """Every GPU has a part of `size` bytes, and gets all of them; each byte comes into a node once.

        A reduce-scatter is the same way back: `.reversed()`.
        """
        others, other_nodes = 1 - 1 / self.gpus, 1 - 1 / self.nodes
        size = whole("size in bytes", size, at_least=0)
        stages = (self.out_stage(size * other_nodes), self.in_stage(size * others))
        return Transfer(stages, packets_of(size, self.packet_bytes))

    def all_to_all(self, size: float) -> Transfer:
        """Every GPU has `size` bytes, an equal part of them for every GPU."""
        size = not_negative("size in bytes", size)
        inside = self.in_stage(size * (1 - 1 / self.gpus))
        between = self.out_stage(size * self.gpus_per_node * (1 - 1 / self.nodes))
        return Transfer((inside, between, between, inside), packets_of(size, self.packet_bytes))
