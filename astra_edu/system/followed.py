"""ASTRA-sim 1.0: windowed phases message by message: `window` messages of an NPU are on their way at any moment.

Each NPU owns as many tokens as the window is wide (see exchange). An all-reduce adds a gate: no token may send in the
all-gather before all n - 1 messages of the reduce-scatter have arrived; the first token to come by after that opens it
for all that wait. An NPU takes a message in when it has sent its own in the same place, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from astra_edu.clock.events import Clock, Turns
from astra_edu.system.at_once import at_once, leaves_at_once
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful.kth_messages import Arrival, KthMessages, RowMessage
from astra_edu.system.moves import Moves


class Followed(NamedTuple):
    """total_ns: until all NPUs are done. spans: (start, end) of each NPU's messages. waits: of who is done last."""

    total_ns: float
    spans: list[list[tuple[float, float]]]
    waits: tuple[float, ...]


def follow(rows: Sequence[Sequence[RowMessage]], moves: Moves) -> Followed:
    """Follow NPUs through a phase with these moves.

    rows: for each NPU, its messages in the order of sending; where all NPUs are alike, one that sends to itself will
    do.
    """
    if len(rows) == 1 and leaves_at_once(moves):
        return _in_one_go(rows[0], moves)
    clock = Clock()

    messages = KthMessages(rows, lambda: clock.now, clock.schedule)
    ended: list[int] = []
    for npu, row in enumerate(rows):
        ahead = [message.destination for message in row]
        endpoint = OneEndpoint(npu, Turns(clock), messages)
        Exchange(endpoint, moves, 0, ahead, ahead, partial(ended.append, npu)).start()
    clock.run()
    return Followed(clock.now, messages.spans, _waits(messages.arrivals, ended[-1], moves))


def _in_one_go(row: Sequence[RowMessage], moves: Moves) -> Followed:
    """The same for an NPU that sends to itself, with all messages of a step on their way at once."""
    times = at_once(moves, [(message.request_ns, message.ns) for message in row])
    arrivals = [
        Arrival(0, came, message.request_ns + message.ns, sent)
        for came, sent, message in zip(times.came, times.sent, row, strict=True)
    ]
    spans = list(zip(times.sent, times.came, strict=True))
    return Followed(times.total_ns, [spans], _waits(arrivals, 0, moves))


def _waits(arrivals: Sequence[Arrival], npu: int, moves: Moves) -> tuple[float, ...]:
    """The last waits, last first, of the token that ends a phase: a message, the endpoint, perhaps a reduction."""

    def ends(arrival: tuple[int, Arrival]) -> tuple[float, float]:
        reduction = moves.reductions[arrival[0]]
        last = moves.endpoint_ns if reduction is None else reduction
        return arrival[1].at_ns + moves.endpoint_ns + (reduction or 0), -last

    own = sorted((arrival for arrival in arrivals if arrival.npu == npu), key=lambda arrival: arrival.at_ns)
    k, last = max(reversed(list(enumerate(own))), key=ends)
    reduction = moves.reductions[k]
    waits = (moves.endpoint_ns, last.way_ns)
    return waits if reduction is None else (reduction, *waits)
