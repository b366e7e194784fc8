"""What ns-3 has to say after a run: its links, its connections, and sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astra_edu.network.ns3.wiring import PS, Wiring


def statistics_of(
    built: Wiring, ports: Sequence[Sequence[int]], connections: Sequence[Sequence[int]], events: int, now_ns: int
) -> dict[str, Any]:
    """Sums, and a table of each direction of a link and one of the TCP connections; the rows as engine.Driver has them.

    links: what was sent on it, headers included, its share of the time until now_ns, packets that its queue dropped or
    marked, and the most bytes that were ever in it; the sum most_queued_bytes is of links out of switches, where there
    are any. connections: payload bytes; segments sent again, fast recoveries and
    timeouts of its TCP.
    """
    import pandas as pd

    ends = [(*way, bits) for wire in built.wires for way, bits in zip(_both(wire.ends), wire.bits_per_s, strict=True)]
    links = [
        {
            "from": source,
            "to": destination,
            "sent_packets": packets,
            "sent_bytes": sent,
            "utilisation": sent * 8e9 / bits / now_ns if now_ns else 0.0,
            "dropped_packets": dropped,
            "marked_packets": marked,
            "most_queued_bytes": most,
        }
        for (source, destination, bits), (packets, sent, dropped, marked, most) in zip(ends, ports, strict=True)
    ]
    streams = [
        {
            "from": source,
            "to": destination,
            "received_bytes": received,
            "opened_ns": -(-opened // PS),
            "last_read_ns": -(-last // PS),
            "retransmitted_segments": again,
            "fast_recoveries": recoveries,
            "timeouts": timeouts,
        }
        for source, destination, received, opened, last, again, recoveries, timeouts, _, _ in connections
    ]
    return {
        "dropped_packets": sum(row["dropped_packets"] for row in links),
        "marked_packets": sum(row["marked_packets"] for row in links),
        "retransmitted_segments": sum(row["retransmitted_segments"] for row in streams),
        "timeouts": sum(row["timeouts"] for row in streams),
        "most_queued_bytes": max((row["most_queued_bytes"] for row in _stored(links)), default=0),
        "sent_packets": sum(row["sent_packets"] for row in links),
        "ns3_events": events,
        "links": pd.DataFrame(links),
        "connections": pd.DataFrame(streams),
    }


def _stored(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those out of a switch; without switches all."""
    return [row for row in links if isinstance(row["from"], str)] or links


def _both(ends: tuple[Any, Any]) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return ends, (ends[1], ends[0])
