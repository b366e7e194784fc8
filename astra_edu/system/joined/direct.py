"""A windowed phase at once: direct, whose tokens come back in whatever order messages arrive.

The k-th message of every NPU goes `ahead[k]` places on; its k-th receive is for the one that comes from as far behind,
and is ready when the NPU sends its own k-th. A token that comes back sends the next message. In an all-reduce nothing
of the second half is sent before all of the first have come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from astra_edu.system.joined.ends import End, end


class TimesDecideError(Exception):
    """Two things happen in one ns, and which is first decides when the phase ends."""


@dataclass(slots=True, eq=False)
class _Npu:
    """One NPU: how much it has sent; when the messages come that it isn't ready for; its tokens."""

    sent: int
    free: int
    back: int
    taken: int
    last_taken: int
    came: dict[int, tuple[int, int]]
    ready: dict[int, tuple[int, int]]
    over: End | None


def direct_ends(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reductions: Sequence[int | None],
    window: int,
    gate: int,
) -> list[End]:
    """The ends by place. edges: for each message, for each sender's place, ns to its receiver.

    Raises TimesDecideError where the order in one ns decides.

    >>> edges = [[50, 50, 50], [60, 60, 60]]
    >>> [one.ns for one in direct_ends([0, 0, 100], [1, 2], edges, 10, [None, None], 2, 0)]
    [170, 180, 120]
    """
    if window == len(ahead):
        return _all_at_once(starts, ahead, edges, endpoint_ns, reductions[0])
    return _token_by_token(starts, ahead, edges, endpoint_ns, reductions, window, gate)


def _all_at_once(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reduction: int | None,
) -> list[End]:
    """All messages leave together: the last to come decides."""
    n = len(starts)
    found = []
    for i, start in enumerate(starts):
        left = [(starts[(i - distance) % n], ns[(i - distance) % n]) for distance, ns in zip(ahead, edges, strict=True)]
        ends = [end(begun + endpoint_ns, ns, start + endpoint_ns, start, endpoint_ns, reduction) for begun, ns in left]
        found.append(latest(ends))
    return found


def latest(ends: Sequence[End]) -> End:
    """The last end of several tokens. It isn't sure where one in the same ns isn't."""
    last = max(ends, key=lambda one: (one.ns, one.order))
    sure = all(one.sure and one.turn_ns == last.turn_ns for one in ends if one.ns == last.ns)
    return last if sure else last._replace(sure=False)


def _token_by_token(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reductions: Sequence[int | None],
    window: int,
    gate: int,
) -> list[End]:
    n, messages = len(starts), len(ahead)
    npus = [_Npu(0, 0, 0, 0, 0, {}, {}, None) for _ in starts]
    heap: list[tuple[int, int, int]] = []  # (ns, place, ns at which that was foreseen)
    for i, start in enumerate(starts):
        heap += [(start + endpoint_ns, i, start)] * window
    heap.sort()
    pending: dict[tuple[int, int], list[End]] = {}

    def take(place: int, k: int, left_ns: int, message_ns: int, own_ns: int, ready_ns: int) -> None:
        npu = npus[place]
        reduction = reductions[k]
        found = end(left_ns, message_ns, own_ns, ready_ns, endpoint_ns, reduction)
        npu.taken += 1
        if k < gate and found.taken_ns > npu.last_taken:
            npu.last_taken = found.taken_ns
        heappush(heap, (found.ns, place, found.foreseen_ns))
        pending.setdefault((place, found.ns), []).append(found)

    def send(place: int, now: int, ready_ns: int) -> None:
        npu = npus[place]
        k = npu.sent
        npu.sent += 1
        npu.free -= 1
        to = (place + ahead[k]) % n
        ns, other = edges[k][place], npus[to]
        own = other.ready.pop(k, None)
        if own is None:
            other.came[k] = now, ns
        else:
            take(to, k, now, ns, *own)
        came = npu.came.pop(k, None)
        if came is None:
            npu.ready[k] = now, ready_ns
        else:
            take(place, k, *came, now, ready_ns)

    while heap:
        now, place, ready_ns = heappop(heap)
        npu = npus[place]
        npu.free += 1
        npu.back += 1
        if gate and npu.sent >= gate:
            if npu.taken < gate or npu.last_taken > now:
                continue
            if npu.last_taken == now and npu.sent == gate:
                raise TimesDecideError
            for _ in range(min(npu.free, messages - npu.sent)):
                send(place, now, ready_ns)
        elif npu.sent < messages:
            send(place, now, ready_ns)
        if npu.sent == messages and npu.free == window:
            npu.over = latest(pending[place, now])
    return [npu.over for npu in npus if npu.over is not None]
