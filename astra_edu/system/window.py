"""Direct collectives message by message: `window` messages of an NPU are on their way at any moment.

Each NPU owns as many tokens as the window is wide. A token sends a message, is held until the message that
arrives in its place has been taken in, and sends the next. An all-reduce adds a gate: no token may send in the
all-gather before all n - 1 messages of the reduce-scatter have arrived; the first token to come by after that
opens it for all that wait. Only NPU 0 is followed: its k-th message leaves when everybody's does, and takes as
long as the k-th message that arrives at NPU 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush


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
    arriving: list[tuple[float, float]] = []
    free = [(endpoint_ns, token) for token in range(window)]
    waiting = arrived = 0
    now = endpoint_ns
    while free or arriving:
        if arriving and (not free or arriving[0][0] <= free[0][0]):
            now, reduction_ns = heappop(arriving)
            heappush(free, (now + endpoint_ns + (reduction_ns if charged[arrived] else 0), arrived + window))
            arrived += 1
            continue
        now, _ = heappop(free)
        waiting += 1
        while waiting and len(spans) < len(messages) and not (len(spans) >= gate > arrived):
            way_ns, reduction_ns = messages[len(spans)]
            heappush(arriving, (now + way_ns, reduction_ns))
            spans.append((now, now + way_ns))
            waiting -= 1
    return now, spans
