"""A phase of any algorithm that goes step by step (see steps.StepExchange), at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from astra_edu.system.joined.direct import latest
from astra_edu.system.joined.ends import End, end
from astra_edu.system.steps import StepMoves


def step_ends(starts: Sequence[int], moves: StepMoves, message_ns: Callable[[int, int, int], int]) -> list[End]:
    """The ends by place. message_ns(source, destination, bytes), by places. Every NPU must wait for somebody."""
    endpoint = moves.endpoint_ns
    begins = [start + endpoint for start in starts]
    ready = list(starts)
    last: list[End | None] = [None] * len(starts)
    for k in range(max(map(len, moves.of))):
        following, then = list(begins), list(ready)
        for i, own in enumerate(moves.of):
            if k >= len(own) or not own[k].receives:
                continue
            step = own[k]
            ends = [
                end(begins[source], message_ns(source, i, size), begins[i], ready[i], endpoint, reduction)
                for (source, size), reduction in zip(step.receives, step.reductions, strict=True)
            ]
            if step.own:
                to, size = step.sends[0]
                ends.append(end(begins[i], message_ns(i, to, size), begins[i], ready[i], endpoint, None))
            over = latest(ends)
            last[i], following[i], then[i] = over, over.ns, over.foreseen_ns
        begins, ready = following, then
    return [over for over in last if over is not None]


def all_wait_for_all(moves: StepMoves) -> bool:
    """Whether no NPU can be through before every other has begun."""
    n = len(moves.of)
    known = [1 << i for i in range(n)]
    for k in range(max(map(len, moves.of), default=0)):
        before = list(known)
        for i, own in enumerate(moves.of):
            for source, _ in own[k].receives if k < len(own) else ():
                known[i] |= before[source]
    return all(one == (1 << n) - 1 for one in known)
