"""Remote memory: who shares one waits for the others, first come, first served."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, choice, whole

MEMORY_KINDS = ("NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL")


@dataclass(frozen=True)
class RemoteMemory:
    """The memory behind MEM_LOAD and MEM_STORE nodes: latency (ns) + bytes / bandwidth (10**9 bytes/s), both whole.

    kind: whether each NPU, each node of `npus_per_node` NPUs or all NPUs together have one; one that is shared serves
    one NPU after the other.

    >>> ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", latency=100, bandwidth=50).access_ns(2000)
    140
    """

    kind: str = "NO_MEMORY_EXPANSION"
    latency: int = 0
    bandwidth: int = 0
    npus_per_node: int = 1

    def __post_init__(self) -> None:
        choice("memory-type", self.kind, MEMORY_KINDS)
        object.__setattr__(self, "latency", whole("remote-mem-latency", self.latency, at_least=0))
        if self.kind != MEMORY_KINDS[0]:
            object.__setattr__(self, "bandwidth", whole("remote-mem-bw", self.bandwidth, at_least=1))
        object.__setattr__(self, "npus_per_node", whole("npus_per_node", self.npus_per_node, at_least=1))

    @renamed(size="tensor_bytes")
    def access_ns(self, tensor_bytes: int) -> int:
        """Time of one access of `tensor_bytes`, once it is its turn. Raises ConfigError where there is no memory."""
        if not self.bandwidth:
            raise ConfigError("memory-type is NO_MEMORY_EXPANSION: there is no remote memory to access.")
        return self.latency + int(whole("tensor_bytes", tensor_bytes, at_least=0) / self.bandwidth)


class Accesses:
    """When the accesses to the remote memories of a platform are over."""

    def __init__(self, memory: RemoteMemory) -> None:
        """All memories are idle."""
        self.memory = memory
        self._free_at: dict[int, int] = {}

    def end_ns(self, npu: int, tensor_bytes: int, now: int) -> int:
        """When an access of `tensor_bytes` that an NPU asks for now is over.

        Raises ConfigError where there is no remote memory.
        """
        kind = self.memory.kind
        if kind == "NO_MEMORY_EXPANSION":
            raise ConfigError(
                f"NPU {npu} has a memory node, but memory-type is NO_MEMORY_EXPANSION: there is no remote memory. "
                "Give a memory file of another type."
            )
        duration = self.memory.access_ns(tensor_bytes)
        if kind == "PER_NPU_MEMORY_EXPANSION":
            return now + duration
        shared = npu // self.memory.npus_per_node if kind == "PER_NODE_MEMORY_EXPANSION" else 0
        end = max(now, self._free_at.get(shared, 0)) + duration
        self._free_at[shared] = end
        return end
