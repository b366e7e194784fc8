"""What a network of packets has to say after a run, and which links wait for each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from astra_edu.network.drops.flow import Counts, Delivered, Flow
from astra_edu.network.drops.port import Port
from astra_edu.network.shortest import LinkName, Node


class LinkUse(NamedTuple):
    """One direction of a link, headers included. utilisation: the share of the run in which it carried something."""

    link: LinkName
    utilisation: float
    bytes_sent: int
    packets_sent: int
    packets_dropped: int
    packets_marked: int
    pauses: int
    paused_ns: int
    peak_queue_bytes: int


def statistics(
    time_ns: int, ports: Sequence[Port], flows: Sequence[Flow], counts: Counts, messages: Sequence[Delivered]
) -> Mapping[str, Any]:
    """Totals by name; "links": a LinkUse each; "queues": by link, [(ns, bytes that wait)]; "messages": Delivered each.

    sent = arrived + dropped, once nothing is on its way: packets_sent counts data, those sent again included,
    acks_sent everything without data. peak_queue_bytes: in front of links out of switches, where buffers end.
    """
    last_ns = max((message.arrived_ns for message in messages), default=time_ns)
    return {
        "time_ns": last_ns,
        "packets_sent": counts.sent,
        "packets_arrived": counts.arrived,
        "packets_dropped": sum(port.dropped for port in ports),
        "acks_sent": counts.back_sent,
        "acks_arrived": counts.back_arrived,
        "packets_discarded": sum(flow.receiver.discarded for flow in flows),
        "retransmissions": sum(flow.sender.retransmitted for flow in flows),
        "timeouts": sum(flow.sender.timeouts for flow in flows),
        "ecn_marks": sum(port.marked for port in ports),
        "pauses": sum(port.pauses for port in ports),
        "paused_ns": sum(port.paused_ns for port in ports),
        "peak_queue_bytes": max((port.peak for port in ports if isinstance(port.name[0], str)), default=0),
        "links": [_link(port, last_ns) for port in ports],
        "queues": {port.name: list(port.series) for port in ports if port.series},
        "messages": list(messages),
    }


def _link(port: Port, time_ns: int) -> LinkUse:
    busy = port.bytes_sent / port.rate / time_ns if time_ns else 0.0
    return LinkUse(
        port.name,
        min(busy, 1.0),
        port.bytes_sent,
        port.packets_sent,
        port.dropped,
        port.marked,
        port.pauses,
        port.paused_ns,
        port.peak,
    )


def waiting_circle(paused: Iterable[LinkName]) -> list[LinkName]:
    """Links of which each waits for the next and the last for the first; [] where there is no such circle.

    >>> from astra_edu.network.drops.statistics import waiting_circle
    >>> waiting_circle([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    [('a', 'b'), ('b', 'c'), ('c', 'a')]
    """
    after: dict[Node, list[Node]] = {}
    for tail, head in paused:
        after.setdefault(tail, []).append(head)
    for start in after:
        way, seen = [start], set[Node]()
        stack = [iter(after[start])]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                way.pop()
            elif node == start:
                return list(zip(way, [*way[1:], start], strict=True))
            elif node in after and node not in seen:
                seen.add(node)
                way.append(node)
                stack.append(iter(after[node]))
    return []
