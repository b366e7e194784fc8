"""Direct collectives message by message: `window` messages of an NPU are on their way at any moment.

Each NPU owns as many tokens as the window is wide. A token sends a message, is held until the message that
arrives in its place has been taken in, and sends the next. An all-reduce adds a gate: no token may send in the
all-gather before all n - 1 messages of the reduce-scatter have arrived; the first token to come by after that
opens it for all that wait. Only NPU 0 is followed: its k-th message leaves when everybody's does, and takes as
long as the k-th message that arrives at NPU 0.

What happens in the same ns happens in the order in which it was foreseen; all tokens that get free in one ns
share the place of the first of them, as they are one event to ASTRA-sim.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count


def direct_spans(
    phases: Sequence[Sequence[tuple[float, float]]], window: int, endpoint_ns: float, charged: Sequence[bool]
) -> tuple[float, list[tuple[float, float]]]:
    """Follow NPU 0 through a direct collective: (ns until it is done, (start, end) of each of its messages).

    phases: for each phase, (time on the way, reduction time if charged) of every message, in ns and in the
    order of sending. charged[k]: whether the k-th message to arrive is charged for its reduction.
    """
    messages = [message for phase in phases for message in phase]
    gate = len(phases[0]) if len(phases) > 1 else 0
    spans: list[tuple[float, float]] = []
    order = count()
    events: list[tuple[float, int, float | None]] = []  # (ns, order, reduction time of an arrival; None: tokens)
    taken_in: dict[float, list[float]] = {}  # at that ns: a token each, and the reduction it still has to do
    waiting = arrived = 0
    now: float = 0

    def take_in(at: float, reduction_ns: float) -> None:
        if at not in taken_in:
            taken_in[at] = []
            heappush(events, (at, next(order), None))
        taken_in[at].append(reduction_ns)

    for _ in range(window):
        take_in(endpoint_ns, 0)
    while events:
        now, _, arriving = heappop(events)
        if arriving is not None:
            take_in(now + endpoint_ns, arriving if charged[arrived] else 0)
            arrived += 1
            continue
        for reduction_ns in taken_in[now]:  # an endpoint delay of 0 makes it grow on the way
            if reduction_ns:
                take_in(now + reduction_ns, 0)
                continue
            waiting += 1
            while waiting and len(spans) < len(messages) and not len(spans) >= gate > arrived:
                way_ns, reduction = messages[len(spans)]
                heappush(events, (now + way_ns, next(order), reduction))
                spans.append((now, now + way_ns))
                waiting -= 1
        del taken_in[now]
    return now, spans
