"""Remote memory: who shares one waits for the others, first come, first served."""

from __future__ import annotations

from astra_edu.errors import ConfigError
from astra_edu.execution.config import RemoteMemory


class Accesses:
    """When the accesses to the remote memories of a platform are over."""

    def __init__(self, memory: RemoteMemory) -> None:
        """All memories are idle."""
        self.memory = memory
        self._free_at: dict[int, int] = {}

    def end_ns(self, npu: int, size: int, now: int) -> int:
        """When an access of `size` bytes that an NPU asks for now is over.

        Raises ConfigError where there is no remote memory.
        """
        kind = self.memory.kind
        if kind == "NO_MEMORY_EXPANSION":
            raise ConfigError(
                f"NPU {npu} has a memory node, but memory-type is NO_MEMORY_EXPANSION: there is no remote memory. "
                "Give a memory file of another type."
            )
        duration = self.memory.access_ns(size)
        if kind == "PER_NPU_MEMORY_EXPANSION":
            return now + duration
        shared = npu // self.memory.npus_per_node if kind == "PER_NODE_MEMORY_EXPANSION" else 0
        end = max(now, self._free_at.get(shared, 0)) + duration
        self._free_at[shared] = end
        return end
