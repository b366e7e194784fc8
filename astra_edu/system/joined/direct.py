"""A windowed phase at once: direct, whose tokens come back in whatever order messages arrive.

The k-th message of every NPU goes `ahead[k]` places on; its k-th receive is for the one that comes from as far behind,
and is ready when the NPU sends its own k-th. A token that comes back sends the next message. In an all-reduce nothing
of the second half is sent before all of the first have come.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from operator import add

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
    if window == gate == len(ahead) - gate and len(set(reductions[:gate])) == len(set(reductions[gate:])) == 1:
        found = _in_halves(starts, ahead, edges, endpoint_ns, reductions)
        if found is not None:
            return found
    return _token_by_token(starts, ahead, edges, endpoint_ns, reductions, window, gate, expects)


def _all_at_once(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reduction: int | None,
) -> list[End]:
    """All messages leave together: the last to come decides."""
    begun = [start + endpoint_ns for start in starts]
    left = [_moved(begun, distance) for distance in ahead]
    took = [_moved(ns, distance) for ns, distance in zip(edges, ahead, strict=True)]
    return _last(left, took, [begun] * len(ahead), [starts] * len(ahead), endpoint_ns, reduction)


def _in_halves(
    starts: Sequence[int],
    ahead: Sequence[int],
    edges: Sequence[Sequence[int]],
    endpoint_ns: int,
    reductions: Sequence[int | None],
) -> list[End] | None:
    """All messages of the first half leave together, and those of the second as their tokens come back.

    None where a token may come back from the second half before all have from the first, or in the ns in which the
    last message of the first half is taken in.
    """
    gate = len(ahead) // 2
    first, second = reductions[0], reductions[gate]
    begun = [start + endpoint_ns for start in starts]
    came = [_moved(list(map(add, begun, ns)), distance) for ns, distance in zip(edges[:gate], ahead, strict=False)]
    sends = []
    for own, arrived in zip(begun, zip(*came, strict=True), strict=True):
        taken = sorted([max(ns, own) for ns in arrived])
        back = [ns + endpoint_ns + (first or 0) for ns in taken]
        opened = back[bisect_left(back, taken[-1])]
        if opened - taken[-1] <= max(0, (first or 0) - (second or 0)):
            return None
        sends.append([max(ns, opened) for ns in back])
    wait = endpoint_ns if first is None else first
    leave = list(map(list, zip(*sends, strict=True)))
    ready = [[ns - wait for ns in own] for own in leave]
    left = [_moved(own, distance) for own, distance in zip(leave, ahead[gate:], strict=True)]
    took = [_moved(ns, distance) for ns, distance in zip(edges[gate:], ahead[gate:], strict=True)]
    return _last(left, took, leave, ready, endpoint_ns, second)


def _moved(by_source: Sequence[int], distance: int) -> Sequence[int]:
    """What the NPUs have by their places, by the places of those to whom they send."""
    first = -distance % len(by_source)
    return [*by_source[first:], *by_source[:first]]


def _last(
    left: Sequence[Sequence[int]],
    took: Sequence[Sequence[int]],
    own: Sequence[Sequence[int]],
    ready: Sequence[Sequence[int]],
    endpoint_ns: int,
    reduction: int | None,
) -> list[End]:
    """The last end of each NPU's messages. All by message and the receiver's place; see ends.end."""
    found = []
    columns = (zip(*rows, strict=True) for rows in (left, took, own, ready))
    for lefts, tooks, owns, readies in zip(*columns, strict=True):
        taken = list(map(max, map(add, lefts, tooks), owns))
        last = max(taken)
        waits = {wait[1:] for wait in zip(taken, lefts, tooks, owns, readies, strict=True) if wait[0] == last}
        found.append(latest([end(*wait, endpoint_ns, reduction) for wait in waits]))
    return found


def latest(ends: Sequence[End]) -> End:
    """The last end of several tokens. It isn't sure where one in the same ns isn't."""
    if len(ends) == 1:
        return ends[0]
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
