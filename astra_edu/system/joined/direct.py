"""A windowed phase at once: direct, whose tokens come back in whatever order messages arrive.

The k-th message of every NPU goes `ahead[k]` places on; its k-th receive is for the one that comes from as far behind,
and is ready when the NPU sends its own k-th. A token that comes back sends the next message. In an all-reduce nothing
of the second half is sent before all of the first have come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from astra_edu.system.joined.ends import End, end


class TimesDecideError(Exception):
    """Two things happen in one ns, and which is first decides when the phase ends."""


@dataclass(slots=True, eq=False)
class _Npu:
    """One NPU: how much it has sent, how many tokens are here, how many messages it has taken in, and the last.

    came: messages that it isn't ready for; ready: since when it waits for others. back: which tokens come back when.
    """

    sent: int = 0
    free: int = 0
    taken: int = 0
    last: End | None = None
    came: dict[int, tuple[int, int]] = field(default_factory=dict)
    ready: dict[int, tuple[int, int]] = field(default_factory=dict)
    back: dict[int, list[End]] = field(default_factory=dict)
    over: End | None = None


def direct_ends(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reductions: Sequence[int | None],
    window: int,
    gate: int,
    expects: list[tuple[int, int, int]],
) -> list[End]:
    """The ends by place. edges: for each message, for each sender's place, ns to its receiver.

    expects: is told of each (place, ns, foreseen_ns) where nothing may make that NPU's turn in this ns foreseen before
    foreseen_ns. Raises TimesDecideError where the order in one ns decides.

    >>> edges = [[50, 50, 50], [60, 60, 60]]
    >>> [one.ns for one in direct_ends([0, 0, 100], [1, 2], edges, 10, [None, None], 2, 0, [])]
    [170, 180, 120]
    """
    if window == len(ahead) and len(set(reductions)) == 1:
        return _all_at_once(starts, ahead, edges, endpoint_ns, reductions[0])
    return _token_by_token(starts, ahead, edges, endpoint_ns, reductions, window, gate, expects)


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
    expects: list[tuple[int, int, int]],
) -> list[End]:
    n, messages = len(starts), len(ahead)
    npus = [_Npu() for _ in starts]
    heap: list[tuple[int, bool, int, int, int, int, int]] = []
    """(ns, whether a token is back rather than a message taken in, place, ...): when the token's coming was foreseen;
    or when the message left, for how long it went, since when the NPU was ready, and when that was foreseen."""
    for i, start in enumerate(starts):
        heap += [(start + endpoint_ns, True, i, start, 0, 0, 0)] * window
    heapify(heap)

    def send(place: int, now: int, ready_ns: int) -> None:
        npu = npus[place]
        k = npu.sent
        npu.sent += 1
        npu.free -= 1
        to = (place + ahead[k]) % n
        ns, other = edges[k][place], npus[to]
        waits = other.ready.pop(k, None)
        if waits is None:
            other.came[k] = now, ns
        else:
            heappush(heap, (now + ns, False, to, now, ns, *waits))
        came = npu.came.pop(k, None)
        if came is None:
            npu.ready[k] = now, ready_ns
        else:
            left, took = came
            heappush(heap, (max(left + took, now), False, place, left, took, now, ready_ns))

    while heap:
        now, back, place, ready_ns, message_ns, own_ns, own_ready_ns = heappop(heap)
        npu = npus[place]
        if not back:
            found = end(ready_ns, message_ns, own_ns, own_ready_ns, endpoint_ns, reductions[npu.taken])
            npu.taken += 1
            npu.last = found
            heappush(heap, (found.ns, True, place, found.foreseen_ns, 0, 0, 0))
            npu.back.setdefault(found.ns, []).append(found)
            continue
        npu.free += 1
        if not gate or npu.sent < gate:
            if npu.sent < messages:
                send(place, now, ready_ns)
        elif npu.taken >= gate:
            if npu.sent == gate and npu.last is not None and npu.last.taken_ns == now:
                if not _came_first(npu.last, npu.back[now]):
                    continue
                expects.append((place, now, npu.last.left_ns))
            for _ in range(min(npu.free, messages - npu.sent)):
                send(place, now, ready_ns)
        if npu.sent == messages and npu.free == window:
            npu.over = latest(npu.back[now])
    return [npu.over for npu in npus if npu.over is not None]


def _came_first(last: End, back: Sequence[End]) -> bool:
    """Whether a message is taken in before the NPU's turn in the same ns, in which tokens are back."""
    turn = min(one.turn_ns for one in back)
    if last.left_ns == turn or not last.sure:
        raise TimesDecideError
    return last.left_ns < turn
