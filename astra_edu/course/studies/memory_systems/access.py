"""Memory as ASTRA-sim 2.x's analytical model has it: a latency, then the bytes at a bandwidth.

All bandwidths of this package are in bytes/ns, which are 10**9 bytes/s: what the makers of memory call GB/s.
"""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, not_negative, positive, whole
from astra_edu.system import RemoteMemory
from astra_edu.system.remote_memory import MEMORY_KINDS


@dataclass(frozen=True)
class LocalMemory:
    """The memory beside an NPU. bandwidth: bytes/ns. latency_ns: before the first byte.

    How long a kernel takes that computes with these bytes is the roofline's business: `ae.Device`.

    >>> from astra_edu.studies.memory_systems import LocalMemory
    >>> LocalMemory(bandwidth=2000, latency_ns=100).access_ns(2**20)
    624.288
    """

    bandwidth: float
    latency_ns: float = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "bandwidth", positive("bandwidth", self.bandwidth))
        object.__setattr__(self, "latency_ns", not_negative("latency_ns", self.latency_ns))

    def access_ns(self, size: int) -> float:
        """How long it takes to read or write `size` bytes."""
        return self.latency_ns + not_negative("size in bytes", size) / self.bandwidth


def together_ns(memory: RemoteMemory, size: int, npus: int) -> int:
    """When the last of `npus` NPUs has its `size` bytes, if all of them ask at once for bytes of their own.

    A memory that is shared serves one after the other: those of a node, or all. Raises ConfigError if there is none.

    >>> from astra_edu.studies.memory_systems import together_ns
    >>> own = ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", latency=100, bandwidth=50)
    >>> pool = ae.RemoteMemory("MEMORY_POOL", latency=100, bandwidth=50)
    >>> together_ns(own, 10_000, npus=8), together_ns(pool, 10_000, npus=8)
    (300, 2400)
    """
    npus = whole("npus", npus, at_least=1)
    if memory.kind == MEMORY_KINDS[0]:
        raise ConfigError(
            f"the memory is {memory.kind}: there is none to load from; kinds that have one: "
            f"{', '.join(MEMORY_KINDS[1:])}."
        )
    queue = {MEMORY_KINDS[1]: 1, MEMORY_KINDS[2]: min(npus, memory.npus_per_node), MEMORY_KINDS[3]: npus}
    return queue[memory.kind] * memory.access_ns(whole("size in bytes", size, at_least=0))
