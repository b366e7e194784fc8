"""What ns-3 has to say after a run: its links, its connections, and sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astra_edu.network.ns3.wiring import PS, Wiring


def statistics_of(
    built: Wiring, ports: Sequence[Sequence[int]], connections: Sequence[Sequence[int]], events: int, now_ns: int
) -> dict[str, Any]:
    """Sums, and a row for each direction of a link and for each TCP connection, as `pandas.DataFrame(rows)` takes them.

    links: what was sent on it, headers included, its share of the time until now_ns, packets that its queue dropped or
    marked, and the most bytes that were ever in it; the sum peak_queue_bytes is of links out of switches, where there
    are any. connections: payload bytes; segments sent again, fast recoveries and timeouts of its TCP. ns3_events: how
    many events ns-3 had.
    """
    ends = [(*way, bits) for wire in built.wires for way, bits in zip(_both(wire.ends), wire.bits_per_s, strict=True)]
    links: list[dict[str, Any]] = [
        {
            "from": source,
            "to": destination,
            "utilisation": sent * 8e9 / bits / now_ns if now_ns else 0.0,
            "bytes_sent": sent,
            "packets_sent": packets,
            "packets_dropped": dropped,
            "packets_marked": marked,
            "peak_queue_bytes": most,
        }
        for (source, destination, bits), (packets, sent, dropped, marked, most) in zip(ends, ports, strict=True)
    ]
    streams: list[dict[str, Any]] = [
        {
            "from": source,
            "to": destination,
            "bytes_received": received,
            "opened_ns": -(-opened // PS),
            "last_read_ns": -(-last // PS),
            "retransmissions": again,
            "fast_recoveries": recoveries,
            "timeouts": timeouts,
        }
        for source, destination, received, opened, last, again, recoveries, timeouts, _, _ in connections
    ]
    return {
        "packets_dropped": sum(row["packets_dropped"] for row in links),
        "ecn_marks": sum(row["packets_marked"] for row in links),
        "retransmissions": sum(row["retransmissions"] for row in streams),
        "timeouts": sum(row["timeouts"] for row in streams),
        "peak_queue_bytes": max((row["peak_queue_bytes"] for row in _stored(links)), default=0),
        "ns3_events": events,
        "links": links,
        "connections": streams,
    }


def _stored(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those out of a switch; without switches all."""
    return [row for row in links if isinstance(row["from"], str)] or links


def _both(ends: tuple[Any, Any]) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    return ends, (ends[1], ends[0])
