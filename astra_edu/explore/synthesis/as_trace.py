"""A plan as an execution trace: sends and receives that wait for shards and links, and for nothing else.

That is how TACOS hands its algorithms to ASTRA-sim 2.x, too: as a custom collective.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from astra_edu.explore.synthesis.matching import Planned
from astra_edu.network.shortest import LinkName
from astra_edu.traces import Trace
from astra_edu.traces.make import from_nodes


def as_trace(planned: Sequence[Planned], npus: int, shard_bytes: int) -> Trace:
    """Transfers, sorted by their start, as a trace of all NPUs.

    A send is over when its message has arrived; then the link is free for the next of the same NPU.
    """
    nodes: list[list[dict[str, Any]]] = [[] for _ in range(npus)]
    came: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    last: dict[tuple[int, LinkName], int] = {}
    for tag, (way, shard, *_) in enumerate(planned):
        ends = {"is_cpu_op": False, "comm_src": way.source, "comm_dst": way.destination}
        message = ends | {"comm_tag": tag, "comm_size": shard_bytes}
        sends, receives = (len(nodes[npu]) for npu in (way.source, way.destination))
        nodes[way.source].append(
            {
                "id": sends,
                "name": f"send shard {shard} to NPU {way.destination}",
                "type": "COMM_SEND_NODE",
                "data_deps": list(came[way.source, shard]),
                "ctrl_deps": sorted({last[way.source, link] for link in way.links if (way.source, link) in last}),
                "attr": message,
            }
        )
        nodes[way.destination].append(
            {
                "id": receives,
                "name": f"receive shard {shard} from NPU {way.source}",
                "type": "COMM_RECV_NODE",
                "attr": message,
            }
        )
        came[way.destination, shard].append(receives)
        last |= {(way.source, link): sends for link in way.links}
    return from_nodes(nodes)
