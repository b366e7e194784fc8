"""Direct collectives message by message: `window` messages of an NPU are on their way at any moment.

Each NPU owns as many tokens as the window is wide. A token sends a message, is held until the message that
arrives in its place has been taken in, and sends the next. An all-reduce adds a gate: no token may send in the
all-gather before all n - 1 messages of the reduce-scatter have arrived; the first token to come by after that
opens it for all that wait. An NPU takes a message in when it has sent its own in the same place, not before.

What happens in the same ns happens in the order in which it was foreseen; all tokens of an NPU that get free in one
ns share the place of the first of them, as they are one event to ASTRA-sim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple


class Message(NamedTuple):
    """One message: to whom, ns on its way, ns to add it up if that is charged, and of the request it waits for."""

    destination: int
    way_ns: float
    reduction_ns: float
    request_ns: float = 0


class _Token(NamedTuple):
    """A token that gets free: the reduction it still has to do, and how long it waited before, last first."""

    reduction_ns: float | None
    waits: tuple[float, ...]


class _Arrival(NamedTuple):
    way_ns: float
    reduction_ns: float


class Followed(NamedTuple):
    """total_ns: until all NPUs are done. spans: (start, end) of each NPU's messages. waits: of who is done last."""

    total_ns: float
    spans: list[list[tuple[float, float]]]
    waits: tuple[float, ...]


@dataclass
class _Npu:
    sent: list[tuple[float, float]] = field(default_factory=list)
    tokens: int = 0
    arrived: int = 0
    early: dict[int, tuple[float, Message]] = field(default_factory=dict)
    taken_in: dict[float, list[_Token]] = field(default_factory=dict)


def follow(
    messages: Sequence[Sequence[Message]], gate: int, window: int, endpoint_ns: float, charged: Sequence[bool]
) -> Followed:
    """Follow NPUs through a direct collective.

    messages: for each NPU, its messages in the order of sending; where all NPUs are alike, one that sends to itself
    will do. gate: how many messages must have arrived before more than these are sent (0: none). charged[k]:
    whether the k-th message to arrive is charged for its reduction.
    """
    npus = [_Npu() for _ in messages]
    order = count()
    events: list[tuple[float, int, int, _Arrival | None]] = []  # (ns, order, NPU, what arrives; None: tokens)
    now: float = 0
    waits: tuple[float, ...] = ()

    def take_in(i: int, at: float, token: _Token) -> None:
        if at not in npus[i].taken_in:
            npus[i].taken_in[at] = []
            heappush(events, (at, next(order), i, None))
        npus[i].taken_in[at].append(token)

    def send(i: int) -> None:
        npu, k = npus[i], len(npus[i].sent)
        to, way_ns, reduction_ns, request_ns = messages[i][k]
        arrival = _Arrival(request_ns + way_ns, reduction_ns)
        npu.sent.append((now, now + request_ns + way_ns))
        if len(npus[to].sent) > k:
            at = max(now, npus[to].sent[k][0] + request_ns) + way_ns
            heappush(events, (at, next(order), to, arrival))
        else:
            npus[to].early[k] = now, messages[i][k]
        if k in npu.early:
            left, early = npu.early.pop(k)
            at = (max(left, now + early.request_ns) if early.request_ns else left) + early.way_ns
            came = _Arrival(early.request_ns + early.way_ns, early.reduction_ns)
            heappush(events, (max(now, at), next(order), i, came))

    for i in range(len(npus)):
        for _ in range(window):
            take_in(i, endpoint_ns, _Token(None, (endpoint_ns,)))
    while events:
        now, _, i, arrival = heappop(events)
        npu = npus[i]
        if arrival is not None:
            reduction = arrival.reduction_ns if charged[npu.arrived] else None
            take_in(i, now + endpoint_ns, _Token(reduction, (endpoint_ns, arrival.way_ns)))
            npu.arrived += 1
            continue
        for token in npu.taken_in[now]:  # 0 ns make it grow on the way
            if token.reduction_ns is not None:
                done = _Token(None, (token.reduction_ns, *token.waits))
                take_in(i, now + token.reduction_ns, done)
                continue
            waits = token.waits
            npu.tokens += 1
            while npu.tokens and len(npu.sent) < len(messages[i]) and not len(npu.sent) >= gate > npu.arrived:
                npu.tokens -= 1
                send(i)
        del npu.taken_in[now]
    return Followed(now, [npu.sent for npu in npus], waits)
