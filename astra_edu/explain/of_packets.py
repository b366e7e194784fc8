"""What a network of packets or flits, or ns-3, says of a run: drops, marks, pauses and the busiest link, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from astra_edu.base.units import format_ns, several
from astra_edu.explain.phrases import percent
from astra_edu.run.link_times import link_name

_TIMEOUT = "who waits for one sends nothing meanwhile, so that is where the time may go"


def of_packets(said: Mapping[str, Any]) -> Iterator[str]:
    """Sentences of statistics by the names that ae.Packets, ae.Ns3 and ae.Credits use; none of others.

    >>> from astra_edu.explain.of_packets import of_packets
    >>> said = {"packets_dropped": 2, "retransmissions": 3, "timeouts": 0, "ecn_marks": 0}
    >>> list(of_packets(said))
    ['2 packets were dropped; 3 were sent again, after no timeout.']
    """
    links = [row for row in map(_row, _list(said.get("links"))) if row is not None]
    yield from _of_drops(said, links)
    if marks := _count(said, "ecn_marks"):
        yield f"{several(marks, 'packet')} {_were(marks)} marked (ECN)."
    if pauses := _count(said, "pauses"):
        yield f"Links were paused {several(pauses, 'time')} (PFC), for {format_ns(_count(said, 'paused_ns'))} in all."
    if links:
        busiest = max(links, key=lambda row: row["utilisation"])
        yield f"The link {_name(busiest)} is busiest: it sends for {percent(busiest['utilisation'])} of the time."
    stalled = [row for row in links if _count(row, "stalled_cycles")]
    if stalled:
        most = max(stalled, key=lambda row: row["stalled_cycles"])
        yield (
            f"Flits waited in the buffers of {len(stalled)} of {several(len(links), 'link')}, most behind "
            f"{_name(most)}, for {several(most['stalled_cycles'], 'cycle')}."
        )
    if "flit_hops" in said:
        yield "No flit is lost where credits are, and there was no deadlock."


def _of_drops(said: Mapping[str, Any], links: list[dict[str, Any]]) -> Iterator[str]:
    if not isinstance(said.get("packets_dropped"), int):
        return
    dropped, again, timeouts = (_count(said, name) for name in ("packets_dropped", "retransmissions", "timeouts"))
    if not dropped and not again and not timeouts:
        yield "No packet was dropped or sent again."
        return
    most = max(links, key=lambda row: _count(row, "packets_dropped"), default=None)
    where = f", {_count(most, 'packets_dropped'):,} of them in front of {_name(most)}" if dropped and most else ""
    after = several(timeouts, "timeout") if timeouts else "no timeout"
    yield (
        f"{several(dropped, 'packet')} {_were(dropped)} dropped{where}; {again:,} {_were(again)} sent again, after "
        f"{after}{f': {_TIMEOUT}' if timeouts else ''}."
    )


def _count(said: Mapping[str, Any], name: str) -> int:
    value = said.get(name, 0)
    return value if isinstance(value, int) else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _row(link: Any) -> dict[str, Any] | None:
    """A link's numbers and its two ends, whether it is a LinkUse or a dict; None for what is neither."""
    if hasattr(link, "_asdict"):
        link = link._asdict()
    if not isinstance(link, Mapping) or not isinstance(link.get("utilisation"), float):
        return None
    ends = link.get("link", (link.get("from"), link.get("to")))
    return {**link, "ends": ends} if isinstance(ends, tuple) and len(ends) == 2 else None


def _name(row: Mapping[str, Any]) -> str:
    return link_name(row["ends"])


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
