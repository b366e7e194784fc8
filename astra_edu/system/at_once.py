"""Direct with all messages of a step on their way at once, where nothing delays them: the times follow in one go.

All of a step leave together, each comes when its way is over, and a token is back an endpoint delay (and a reduction)
later. In an all-reduce the tokens that are back before all have come wait for the first that is back after that (the
gate, see exchange). From then on, each sends a message of the second step as soon as it is back, until all are sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace
from typing import NamedTuple

from astra_edu.system.moves import Moves


class AtOnce(NamedTuple):
    """When each message is sent and has come, in the order of sending, and when the phase is over."""

    sent: list[float]
    came: list[float]
    total_ns: float


def leaves_at_once(moves: Moves) -> bool:
    """Whether all messages of a step may be on their way at once."""
    peers = moves.schedule.npus - 1
    if not moves.schedule.traits.windowed or moves.window != peers:
        return False
    second = len(moves.sizes) == 2 * moves.gate and not any(moves.reductions[peers:])
    return second or len(moves.sizes) == peers


def at_once(moves: Moves, ways: Sequence[tuple[float, float]]) -> AtOnce:
    """The times of an NPU that stands for all. ways: how many ns the request for each of its messages and it take.

    >>> from astra_edu.collectives import schedule
    >>> from astra_edu.system.moves import moves
    >>> at_once(moves(schedule("all-reduce", "direct", 3), 30, 10, None, lambda size: 1), [(0, 5), (0, 9)] * 2)
    AtOnce(sent=[10, 10, 26, 30], came=[15, 19, 31, 39], total_ns=49)
    """
    endpoint, peers = moves.endpoint_ns, moves.window
    sent: list[float] = [endpoint] * peers
    came = [endpoint + request + ns for request, ns in ways[:peers]]
    back = _back(moves, came)
    if len(ways) > peers:
        last = max(came)
        opens = min(ns for ns in back if ns >= last)
        for request, ns in ways[peers:]:  # nothing is added up here
            leaves = max(back[0], opens)
            comes = leaves + request + ns
            sent.append(leaves)
            came.append(comes)
            heapreplace(back, comes + endpoint)
    return AtOnce(sent, came, max(back))


def _back(moves: Moves, came: Sequence[float]) -> list[float]:
    """When the tokens of the first step are back, in that order."""
    reductions = moves.reductions[: len(came)]
    return sorted(
        ns + moves.endpoint_ns + (reduction or 0) for ns, reduction in zip(sorted(came), reductions, strict=True)
    )
