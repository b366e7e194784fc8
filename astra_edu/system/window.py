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
    """One message: to whom, ns on its way, and ns to add it up if that is charged."""

    destination: int
    way_ns: float
    reduction_ns: float


@dataclass
class _Npu:
    sent: list[tuple[float, float]] = field(default_factory=list)
    tokens: int = 0
    arrived: int = 0
    early: dict[int, float] = field(default_factory=dict)
    taken_in: dict[float, list[float]] = field(default_factory=dict)


def direct_spans(
    messages: Sequence[Sequence[Message]], gate: int, window: int, endpoint_ns: float, charged: Sequence[bool]
) -> tuple[float, list[list[tuple[float, float]]]]:
    """Follow NPUs through a direct collective: (ns until all are done, (start, end) of each NPU's messages).

    messages: for each NPU, its messages in the order of sending; where all NPUs are alike, one that sends to itself
    will do. gate: how many messages must have arrived before more than these are sent (0: none). charged[k]:
    whether the k-th message to arrive is charged for its reduction.
    """
    npus = [_Npu() for _ in messages]
    order = count()
    events: list[tuple[float, int, int, float | None]] = []  # (ns, order, NPU, reduction of an arrival; None: tokens)
    now: float = 0

    def take_in(i: int, at: float, reduction_ns: float) -> None:
        if at not in npus[i].taken_in:
            npus[i].taken_in[at] = []
            heappush(events, (at, next(order), i, None))
        npus[i].taken_in[at].append(reduction_ns)

    def send(i: int) -> None:
        npu, k = npus[i], len(npus[i].sent)
        to, way_ns, reduction_ns = messages[i][k]
        npu.sent.append((now, now + way_ns))
        if len(npus[to].sent) > k:
            heappush(events, (now + way_ns, next(order), to, reduction_ns))
        else:
            npus[to].early[k] = now + way_ns
        if k in npu.early:
            heappush(events, (max(now, npu.early.pop(k)), next(order), i, reduction_ns))

    for i in range(len(npus)):
        for _ in range(window):
            take_in(i, endpoint_ns, 0)
    while events:
        now, _, i, arriving = heappop(events)
        npu = npus[i]
        if arriving is not None:
            take_in(i, now + endpoint_ns, arriving if charged[npu.arrived] else 0)
            npu.arrived += 1
            continue
        for reduction_ns in npu.taken_in[now]:  # an endpoint delay of 0 makes it grow on the way
            if reduction_ns:
                take_in(i, now + reduction_ns, 0)
                continue
            npu.tokens += 1
            while npu.tokens and len(npu.sent) < len(messages[i]) and not len(npu.sent) >= gate > npu.arrived:
                npu.tokens -= 1
                send(i)
        del npu.taken_in[now]
    return now, [npu.sent for npu in npus]
