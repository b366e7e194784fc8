"""ASTRA-sim 1.0's messages within a phase: the k-th that an NPU sends meets the k-th that its receiver waits for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class RowMessage(NamedTuple):
    """One of the messages that an NPU sends: to whom, its bytes, its ns on its way, and those of the request for it."""

    destination: int
    size: int
    ns: float
    request_ns: float


class Arrival(NamedTuple):
    """A message that has come: the k-th of an NPU, when, and how long it and its request took."""

    npu: int
    k: int
    at_ns: float
    way_ns: float


@dataclass(eq=False, slots=True)
class _Posted:
    """A message of which one end is known: when it was sent, or when its receiver was ready for it."""

    sent_ns: float = 0
    message: RowMessage | None = None
    ready_ns: float | None = None
    received: Callable[[Any], object] | None = None


@dataclass(eq=False)
class KthMessages:
    """The messages of one phase. rows: each NPU's, in the order of sending; of NPU 0 alone where it stands for all.

    now(): the time in ns. at(ns, action): do an action then, as an event of the network's. spans: when each NPU's
    messages were sent and have arrived, if nobody kept them waiting. arrivals: as they were received.
    """

    rows: Sequence[Sequence[RowMessage]]
    now: Callable[[], float]
    at: Callable[[float, Callable[[], object]], object]
    spans: list[list[tuple[float, float]]] = field(init=False)
    arrivals: list[Arrival] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spans = [[] for _ in self.rows]
        self._received = [0] * len(self.rows)
        self._posted: defaultdict[tuple[int, int], _Posted] = defaultdict(_Posted)

    def send(self, source: int, destination: int, tag: int, size: int) -> None:
        """An NPU sends its next message now."""
        k, now = len(self.spans[source]), self.now()
        message = self.rows[source][k]
        self.spans[source].append((now, now + message.request_ns + message.ns))
        posted = self._posted[destination, k]
        posted.sent_ns, posted.message = now, message
        self._arrive_if_both(destination, k, posted)

    def receive(self, npu: int, source: int, tag: int, size: int, received: Callable[[Any], object]) -> None:
        """An NPU is ready for its next message; received(None) is called when that is there."""
        k = self._received[npu]
        self._received[npu] = k + 1
        posted = self._posted[npu, k]
        posted.ready_ns, posted.received = self.now(), received
        self._arrive_if_both(npu, k, posted)

    def _arrive_if_both(self, npu: int, k: int, posted: _Posted) -> None:
        message, ready, received = posted.message, posted.ready_ns, posted.received
        if message is None or ready is None or received is None:
            return
        del self._posted[npu, k]
        leaves = max(posted.sent_ns, ready + message.request_ns) if message.request_ns else posted.sent_ns
        at = max(leaves + message.ns, self.now())
        way = message.request_ns + message.ns

        def arrive() -> None:
            self.arrivals.append(Arrival(npu, k, at, way))
            received(None)

        self.at(at, arrive)
