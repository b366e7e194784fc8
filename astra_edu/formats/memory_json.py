"""ASTRA-sim 2.x's remote memory file (JSON)."""

from __future__ import annotations

import json

from astra_edu.base.errors import ConfigError, choice, instance_of
from astra_edu.formats.json_objects import parse_object, whole_within
from astra_edu.system import RemoteMemory
from astra_edu.system.remote_memory import MEMORY_KINDS

_NO_MEMORY, _PER_NODE = MEMORY_KINDS[0], MEMORY_KINDS[2]
_NUMBERS = {"remote-mem-latency": "latency", "remote-mem-bw": "bandwidth", "num-npus-per-node": "npus_per_node"}
LARGEST = 2**64 - 1
"""ASTRA-sim holds these numbers in 64 bits."""

_KEYS = ("memory-type", *_NUMBERS, "num-nodes")


def parse_memory(text: str, name: str = "memory file", npus: int | None = None) -> RemoteMemory:
    """The memory in a remote memory file. Raises ConfigError naming file, key, value and what is allowed.

    npus: of the platform; all of them must be in a node that has a memory.

    >>> from astra_edu.formats import parse_memory
    >>> text = '{"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 50}'
    >>> parse_memory(text).access_ns(2000)
    140
    """
    values = parse_object(text, name, _KEYS)
    if "memory-type" not in values:
        raise ConfigError(f"{name}: the key 'memory-type' is missing; there are {', '.join(MEMORY_KINDS)}.")
    kind = values["memory-type"]
    try:
        choice("memory-type", kind, MEMORY_KINDS)
        needed: tuple[str, ...] = () if kind == _NO_MEMORY else ("remote-mem-bw",)
        needed += ("num-nodes", "num-npus-per-node") if kind == _PER_NODE else ()
        for key in needed:
            if key not in values:
                raise ConfigError(f"the key {key!r} is missing; {kind} needs {', '.join(needed)}.")
        found = {key: whole_within(key, values[key], int(key in needed), LARGEST) for key in _KEYS[1:] if key in values}
        numbers = {attribute: found[key] for key, attribute in _NUMBERS.items() if found.get(key)}
        memory = RemoteMemory(kind, **numbers)
        if kind == _PER_NODE and npus and found["num-nodes"] * memory.npus_per_node < npus:
            raise ConfigError(
                f"num-nodes is {found['num-nodes']} and num-npus-per-node {memory.npus_per_node}; these nodes hold "
                f"{found['num-nodes'] * memory.npus_per_node} of the network's {npus} NPUs."
            )
    except ConfigError as error:
        raise ConfigError(f"{name}: {error}") from None
    return memory


def format_memory(memory: RemoteMemory, npus: int) -> str:
    """The remote memory file's text. npus: of the platform.

    >>> from astra_edu.formats import format_memory
    >>> print(format_memory(ae.RemoteMemory("PER_NPU_MEMORY_EXPANSION", 100, 50), npus=8), end="")
    {
      "memory-type": "PER_NPU_MEMORY_EXPANSION",
      "remote-mem-latency": 100,
      "remote-mem-bw": 50,
      "num-npus-per-node": 1
    }
    """
    instance_of("memory", memory, RemoteMemory, "give an ae.RemoteMemory")
    values: dict[str, object] = {"memory-type": memory.kind}
    default = RemoteMemory()
    for key, attribute in _NUMBERS.items():
        if memory.kind != _NO_MEMORY or getattr(memory, attribute) != getattr(default, attribute):
            values[key] = getattr(memory, attribute)
    if memory.kind == _PER_NODE:
        values["num-nodes"] = -(-npus // memory.npus_per_node)
    return json.dumps(values, indent=2) + "\n"
