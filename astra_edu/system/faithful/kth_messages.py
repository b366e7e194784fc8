"""ASTRA-sim 1.0's messages within a phase: the k-th that an NPU sends meets the k-th that its receiver waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from astra_edu.clock.events import Action, Ns


class RowMessage(NamedTuple):
    """One of the messages that an NPU sends: to whom, its bytes, its ns on its way, and those of the request for it."""

    destination: int
    size: int
    ns: Ns
    request_ns: Ns


class Arrival(NamedTuple):
    """A message that comes to an NPU: when, how long it and its request take, and since when it is waited for."""

    npu: int
    at_ns: Ns
    way_ns: Ns
    since_ns: Ns


@dataclass(eq=False)
class KthMessages:
    """The messages of one phase. rows: each NPU's, in the order of sending; of NPU 0 alone where it stands for all.

    now(): the time in ns. at(ns, action, what): do action(what) then, as an event of the network's. spans: when each
    NPU's messages were sent and have arrived, if nobody kept them waiting. arrivals: of all that will be received.
    """

    rows: Sequence[Sequence[RowMessage]]
    now: Callable[[], Ns]
    at: Callable[[Ns, Action, Any], object]
    spans: list[list[tuple[Ns, Ns]]] = field(init=False)
    arrivals: list[Arrival] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spans = [[] for _ in self.rows]
        self._received = [0] * len(self.rows)
        self._sent: list[dict[int, tuple[Ns, RowMessage]]] = [{} for _ in self.rows]
        self._ready: list[dict[int, tuple[Ns, Action]]] = [{} for _ in self.rows]

    def send(self, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """An NPU sends its next message now."""
        k, now = len(self.spans[source]), self.now()
        message = self.rows[source][k]
        self.spans[source].append((now, now + message.request_ns + message.ns))
        ready = self._ready[destination].pop(k, None)
        if ready is None:
            self._sent[destination][k] = now, message
        else:
            self._arrive(destination, now, now, message, *ready)

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Action) -> None:
        """An NPU is ready for its next message; received(None) is called when that is there."""
        k, now = self._received[npu], self.now()
        self._received[npu] = k + 1
        sent = self._sent[npu].pop(k, None)
        if sent is None:
            self._ready[npu][k] = now, received
        else:
            self._arrive(npu, now, *sent, now, received)

    def _arrive(self, npu: int, now: Ns, sent_ns: Ns, message: RowMessage, ready_ns: Ns, received: Action) -> None:
        """A message whose two ends are known arrives when it has been sent, asked for and carried."""
        leaves = sent_ns
        if message.request_ns:
            leaves = _no_sooner(ready_ns + message.request_ns, now) if ready_ns != now else now + message.request_ns
        at = leaves + message.ns
        if leaves != now:
            at = _no_sooner(at, now)
        self.arrivals.append(Arrival(npu, at, message.request_ns + message.ns, ready_ns))
        if message.request_ns:
            self.at(leaves, self._leave, (message.ns, received))
        else:
            self.at(at, received, None)

    def _leave(self, what: tuple[float, Action]) -> None:
        """A message whose request has come sets off: that it arrives is foreseen only now."""
        ns, received = what
        self.at(self.now() + ns, received, None)


def _no_sooner(ns: Ns, now: Ns) -> Ns:
    """When what was foreseen for `ns` comes, as ASTRA-sim adds it up at `now`: the difference, which may be rounded."""
    return now + (ns - now) if ns > now else now
