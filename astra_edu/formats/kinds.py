"""Which of ASTRA-sim's files a text is, told by the keys that only this one has."""

from __future__ import annotations

import re

NETWORK, SYSTEM = "a network file of ASTRA-sim 1.0", "a system file of ASTRA-sim 1.0"
NETWORK_2, SYSTEM_2 = "a network file of ASTRA-sim 2.x", "a system file of ASTRA-sim 2.x"
MEMORY_2 = "a remote memory file of ASTRA-sim 2.x"
GRAPH = "a network that is a graph"
OF_2 = (NETWORK_2, SYSTEM_2, MEMORY_2, GRAPH)

_MARKS = {
    NETWORK_2: ("npus_count",),
    NETWORK: ("units-count", "topologies-per-dim", "dimensions-count", "link-bandwidth"),
    GRAPH: ('"multigraph"', '"nodes"'),
    MEMORY_2: ("memory-type", "remote-mem-"),
    SYSTEM: ("scheduling-policy", "preferred-dataset-splits", "-implementation", "endpoint-delay"),
}
_START = 2**16
_ONE_TOPOLOGY = re.compile(r"^topology: *[^\s\[#-]", re.MULTILINE)


def kinds_of(network: str, system: str) -> tuple[str, str]:
    """What two texts are that should be a network and a system file.

    One without any known key is taken for what goes with the other, or else for what its first character says: a
    network is JSON in 1.0, a system file in 2.x.
    """
    first, second = _kind(network), _kind(system)
    if first is None and second is None:
        return (NETWORK if _is_json(network) else NETWORK_2), (SYSTEM_2 if _is_json(system) else SYSTEM)
    return first or (NETWORK_2 if second in OF_2 else NETWORK), second or (SYSTEM_2 if first in OF_2 else SYSTEM)


def is_graph(network: str) -> bool:
    """Whether a network file is a graph."""
    return _kind(network) == GRAPH


def has_one_topology(network: str) -> bool:
    """Whether a YAML network file names its topology alone, not in a list: ASTRA-sim 1.0's congestion-aware one."""
    return bool(_ONE_TOPOLOGY.search(network[:_START]))


def looks_like(text: str) -> str:
    """The end of an error sentence for a file that is another kind of ASTRA-sim's files; empty if it is none."""
    start = text.lstrip()[:1]
    if start == "{":
        return " It looks like a network file."
    if "scheduling-policy:" in text:
        return " It looks like a system file."
    if "ALLREDUCE" in text or "ALLTOALL" in text:
        return " It looks like a workload file."
    return ""


def _kind(text: str) -> str | None:
    start = text[:_START]
    found = next((kind for kind, marks in _MARKS.items() if any(mark in start for mark in marks)), None)
    return SYSTEM_2 if found == SYSTEM and _is_json(text) else found


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")
