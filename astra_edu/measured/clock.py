"""How long a machine takes: a pass's kernels from their shapes, collectives and messages from the links."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.measured.parameters import Parameters
from astra_edu.measured.reached import reached
from astra_edu.measured.work import Work
from astra_edu.workload.compute import Gemm, Machine
from astra_edu.workload.compute.alike import kind_of

CAST_BYTES = 4
"""Of a number that a product in 8 bits or fewer reads: 2 to read it, and 1 each to write it by rows and by columns, as
the backward pass multiplies the other way round (Transformer Engine). Where a tensor has one scale (FP8 on Hopper,
NVFP4), another kernel reads it first, for its largest number."""


@dataclass(frozen=True)
class Group:
    """NPUs of one collective: how many, and how many of them are in each node."""

    npus: int
    near: int

    @property
    def nodes(self) -> int:
        """Over how many nodes they are spread."""
        return -(-self.npus // self.near)


def group(machine: Machine, npus: int, apart: int) -> Group:
    """A group of so many NPUs, each `apart` from the next."""
    return Group(npus, min(npus, max(1, machine.node // apart)))


class Clock:
    """Times in s on one machine, by one set of parameters, of products in so many bits.

    >>> from astra_edu.measured.clock import Clock, Group
    >>> from astra_edu.workload.compute import machine
    >>> from astra_edu.measured.parameters import Parameters
    >>> clock = Clock(machine("h100"), Parameters(), bits=16)
    >>> within, beyond = (clock.ring(Group(npus, 8), 2**30) * 1e3 for npus in (8, 16))
    >>> f"{within:.2f} ms within a node, {beyond:.2f} ms on two"
    '2.82 ms within a node, 3.43 ms on two'
    """

    def __init__(self, machine: Machine, given: Parameters, bits: int) -> None:
        """Raises ConfigError where the machine doesn't compute in so many bits."""
        self.machine, self.given = machine, given
        self.device = reached(machine.device, given)
        self.device.peak(bits)
        self.bits, self.element_bytes = bits, max(8, bits) / 8
        self.scans = int(bits == 4 or kind_of(machine.name) == "Hopper")
        self.memory = machine.memory_bytes_per_s * given.memory
        self.link = machine.link_bytes_per_s * given.link
        self.exchange_link = machine.link_bytes_per_s * given.exchange
        self.exchange_nic = machine.nic_bytes_per_s * given.exchange
        self.nic = machine.nic_bytes_per_s * given.nic
        self._products: dict[tuple[Gemm, str, int], float] = {}

    def product(self, gemm: Gemm, bits: int, element_bytes: float = 2) -> float:
        """One of so many bits, without its launch."""
        key = (gemm, gemm.kernel, bits)
        if key not in self._products:
            self._products[key] = self.device.product_ns(gemm, element_bytes, bits) * 1e-9
        return self._products[key]

    def computes(self, work: Work) -> float:
        """A pass on the device, if the host is ahead of it."""
        own, wide, device = self.bits, max(16, self.bits), self.device
        took = sum(self.product(gemm, own, self.element_bytes) for gemm in (*work.gemms, *work.experts))
        took += sum(self.product(gemm, wide) for gemm in (*work.wide, *work.attention))
        moved, launches = work.elements * 2, float(work.launches)
        if self.element_bytes < 2:
            moved += work.cast * (CAST_BYTES + 2 * self.scans)
            launches += work.casts * (1 + self.scans)
        took += (device.softmax_ns(work.softmax) + device.memory_ns(moved)) * 1e-9
        return took + launches * self.given.launch_us * 1e-6

    def ring(self, among: Group, size: float) -> float:
        """A reduce-scatter or an all-gather of `size` bytes by a ring, which goes through one node after the other."""
        npus, nodes = among.npus, among.nodes
        if npus == 1 or not size:
            return 0.0
        rate = self.link if nodes == 1 else min(self.link, self.nic * among.near)
        return (npus - 1) / npus * size / rate + self.latency(among)

    def latency(self, among: Group) -> float:
        """Of a collective that goes from each NPU to the next."""
        if among.npus == 1:
            return 0.0
        steps = (among.npus - among.nodes) * self.given.link_us + (among.nodes - 1) * self.given.nic_us
        return (steps + self.given.collective_us) * 1e-6

    def exchange(self, among: Group, size: float, copies: float = 1) -> float:
        """An all-to-all of `size` bytes for each NPU: the part for other nodes goes through its own network card.

        copies: of each token, for as many experts, any of them as likely, that go to another node as one and are handed
        out there, as by DeepEP (https://github.com/deepseek-ai/DeepEP) and Megatron's HybridEP; 1 sends each by itself.
        """
        near, nodes = among.near, among.nodes
        if among.npus == 1 or not size:
            return 0.0
        met: float = 1 - (1 - 1 / nodes) ** copies
        far = (nodes - 1) * met * size / copies / self.exchange_nic
        within = size if copies > 1 else size / nodes
        latency = self.given.nic_us if far else self.given.link_us
        return max((near - 1) / near * within / self.exchange_link, far) + (latency + self.given.collective_us) * 1e-6

    def message(self, size: float, far: bool) -> float:
        """From one stage to the next."""
        return size / (self.nic if far else self.link) + (self.given.nic_us if far else self.given.link_us) * 1e-6
