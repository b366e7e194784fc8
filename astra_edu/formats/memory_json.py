"""ASTRA-sim 2.x's remote memory file (JSON)."""

from __future__ import annotations

import json

from astra_edu.errors import ConfigError, whole
from astra_edu.execution import RemoteMemory
from astra_edu.formats.json_objects import parse_object

_KEYS = ("memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node")


def parse_memory(text: str, name: str = "memory file") -> RemoteMemory:
    """The memory in a remote memory file. Raises ConfigError naming file, key, value and what is allowed."""
    values = parse_object(text, name, _KEYS)
    if "memory-type" not in values:
        raise ConfigError(f"{name}: the key 'memory-type' is missing.")
    try:
        memory = RemoteMemory(
            values["memory-type"],
            values.get("remote-mem-latency", 0),
            values.get("remote-mem-bw", 0),
            values.get("num-npus-per-node", 1),
        )
        if memory.kind == "PER_NODE_MEMORY_EXPANSION":
            whole("num-nodes", values.get("num-nodes", 0), at_least=1)
            whole("num-npus-per-node", values.get("num-npus-per-node", 0), at_least=1)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None
    return memory


def format_memory(memory: RemoteMemory, npus: int) -> str:
    """The remote memory file's text. npus: of the platform."""
    values: dict[str, object] = {"memory-type": memory.kind}
    if memory.bandwidth:
        values |= {"remote-mem-latency": memory.latency, "remote-mem-bw": memory.bandwidth}
    if memory.kind == "PER_NODE_MEMORY_EXPANSION":
        values |= {"num-nodes": -(-npus // memory.npus_per_node), "num-npus-per-node": memory.npus_per_node}
    return json.dumps(values, indent=2) + "\n"
