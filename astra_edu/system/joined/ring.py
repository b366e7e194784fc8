"""A ring's phase at once: nothing can disturb it, so its steps are a recurrence, and that has a closed form.

The NPU in place i is ready for its step s at T_s(i). T_0 is its start and an endpoint delay; then it takes a message
in when it has come and the NPU itself is ready: T_{s+1}(i) = max(T_s(i - 1) + message, T_s(i)) + endpoint + reduction.
Without what every NPU waits for in every step, T_s(i) is the largest, over k = 0 .. s, of the start k places before and
the k messages from there to here. Going round once more only adds messages, so of all k that lead to the same place
the last one counts: the largest of a window of n starts or fewer, which slides round the ring.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from astra_edu.system.joined.ends import End, end, foreseen


def ring_ends(
    starts: Sequence[int], edges: Sequence[int], endpoint_ns: int, reductions: Sequence[int | None]
) -> list[End]:
    """The ends of a ring's phase, by place.

    starts: ns at which each NPU begins. edges: ns of the message to each place from the one before. reductions: of each
    step, ns to add the data up, or None.

    >>> [one.ns for one in ring_ends([0, 0, 100], [50, 50, 50], 10, [0, None])]
    [180, 230, 130]
    """
    steps, n = len(reductions), len(starts)
    waits = sum(endpoint_ns + (reduction or 0) for reduction in reductions[:-1])
    begun = [start + endpoint_ns for start in starts]
    own = [latest + waits for latest in latest_after(begun, edges, steps - 1)]
    ready = starts if steps == 1 else [foreseen(ns, endpoint_ns, reductions[-2]) for ns in own]
    last = reductions[-1]
    return [end(own[i - 1], edges[i], own[i], ready[i], endpoint_ns, last) for i in range(n)]


def latest_after(begun: Sequence[int], edges: Sequence[int], steps: int) -> list[int]:
    """For each place the latest of what began 0 .. steps places before and then went on from place to place.

    edges: ns to each place from the one before.

    >>> latest_after([0, 100, 0], [1, 2, 3], 1), latest_after([0, 100, 0], [1, 2, 3], 4)
    ([1, 100, 103], [104, 106, 109])
    """
    n = len(begun)
    if not steps:
        return list(begun)
    ways = [0]
    for q in range(1, 2 * n):
        ways.append(ways[-1] + edges[q % n])
    width, rounds, rest = min(n, steps + 1), steps // n, steps % n
    round_ns = sum(edges)
    relative = [begun[q % n] - ways[q] for q in range(2 * n)]
    best: deque[int] = deque()
    found = [0] * n
    for q in range(n + width - 1):
        value = relative[q]
        while best and relative[best[-1]] <= value:
            best.pop()
        best.append(q)
        first = q - width + 1
        if first >= 0:
            if best[0] < first:
                best.popleft()
            found[(first + steps) % n] = rounds * round_ns + ways[first + rest] + relative[best[0]]
    return found
