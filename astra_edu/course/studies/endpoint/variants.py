"""Endpoints: what feeds the network, and what that takes from the computation beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, not_negative, positive, whole
from astra_edu.collectives import Schedule
from astra_edu.course.studies.endpoint.traffic import memory_reads_per_network_byte
from astra_edu.workload.compute import DEVICES, Device

NPU = DEVICES["v100"]
"""What computes. Unverified: that the ACE paper's NPU is much like it."""

SMS = 80
"""Streaming multiprocessors, the cores of a V100 (its datasheet)."""

SM_BYTES_PER_S = 80e9
"""What one of them reads from HBM at most, in bytes/s. Unverified: recalled from the ACE paper.

Of bytes read, not of bytes sent: so 450 × 10⁹ bytes/s take 6 of them and 128 × 10⁹ take 2, as in its variants.
"""


@dataclass(frozen=True)
class Endpoint:
    """What is reserved for communication, whether or not there is some.

    memory_bytes_per_s: of HBM's bandwidth, for reading; None: an endpoint that costs nothing. sms: cores. on_chip: it
    has an engine and an SRAM of its own (ACE). overlap: the rest computes meanwhile; otherwise the two take turns.

    >>> from astra_edu.studies.endpoint import ACE, COMM_OPT
    >>> left = COMM_OPT.remaining(ae.device("v100"))
    >>> f"{left.flops_per_s / 1e12:.0f} × 10¹² operations/s, {left.memory_bytes_per_s / 1e9:.0f} × 10⁹ bytes/s"
    '116 × 10¹² operations/s, 450 × 10⁹ bytes/s'
    >>> ACE.remaining(ae.device("v100")).flops_per_s / 1e12
    125.0
    """

    name: str
    memory_bytes_per_s: float | None
    sms: int = 0
    on_chip: bool = False
    overlap: bool = True

    def __post_init__(self) -> None:
        whole(f"{self.name}: sms", self.sms, at_least=0)
        if self.memory_bytes_per_s is None:
            return
        positive(f"{self.name}: memory_bytes_per_s", self.memory_bytes_per_s)
        if not self.on_chip and not self.sms:
            raise ConfigError(
                f"{self.name}: sms is 0, but without an engine of its own (on_chip=True) cores have to move the data; "
                f"give it 1 to {SMS - 1}."
            )

    def reads(self, schedule: Schedule) -> float:
        """Bytes that it reads from HBM for each byte that it sends."""
        return memory_reads_per_network_byte(schedule, self.on_chip)

    def bytes_per_s(self, reads: float) -> float:
        """The network's bytes/s that it can feed, when each takes `reads` bytes from HBM."""
        if self.memory_bytes_per_s is None or not reads:
            return inf
        cores = inf if self.on_chip else self.sms * SM_BYTES_PER_S
        return min(self.memory_bytes_per_s, cores) / not_negative("reads", reads)

    def step_ns(self, size: float, network_bytes_per_s: float, reads: float) -> float:
        """ns of a step that sends `size` bytes: as long as network, memory or cores take, whichever is slowest."""
        slowest = min(positive("network_bytes_per_s", network_bytes_per_s), self.bytes_per_s(reads))
        return not_negative("size", size) / slowest * 1e9

    @renamed(npu="device")
    def remaining(self, device: Device = NPU, sms: int = SMS) -> Device:
        """What is left for computing. Raises ConfigError if nothing is, or if the device's memory isn't known."""
        if not self.overlap or self.memory_bytes_per_s is None:
            return device
        memory = device.memory_bytes_per_s
        if memory is None:
            raise ConfigError(f"{device.name} has no memory_bytes_per_s of which {self.name} could reserve something.")
        if self.memory_bytes_per_s >= memory or self.sms >= sms:
            raise ConfigError(
                f"{self.name} reserves {self.memory_bytes_per_s / 1e9:g} of {memory / 1e9:g} × 10⁹ bytes/s and "
                f"{self.sms} of {sms} cores, which leaves nothing to compute with; reserve less, or use overlap=False."
            )
        return replace(
            device,
            name=f"{device.name} beside {self.name}",
            flops_per_s=device.flops_per_s * (sms - self.sms) / sms,
            memory_bytes_per_s=memory - self.memory_bytes_per_s,
        )


NO_OVERLAP = Endpoint("NoOverlap", NPU.memory_bytes_per_s, SMS, overlap=False)
COMM_OPT = Endpoint("CommOpt", 450e9, 6)
COMP_OPT = Endpoint("CompOpt", 128e9, 2)
ACE = Endpoint("ACE", 128e9, on_chip=True)
IDEAL = Endpoint("Ideal", None)

BASELINES = (NO_OVERLAP, COMM_OPT, COMP_OPT)
"""Endpoints as they are today: compute and communicate in turn, reserve much for communication, or little."""

ENDPOINTS = (*BASELINES, ACE, IDEAL)
"""The ACE paper's variants. Unverified: what they reserve is recalled, not read there."""
