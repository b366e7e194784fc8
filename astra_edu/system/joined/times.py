"""When a phase is over at each of its NPUs, by its algorithm."""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.system.joined.direct import TimesDecideError, direct_ends
from astra_edu.system.joined.ends import End
from astra_edu.system.joined.not_joined import NotJoinedError, OrderUnknownError
from astra_edu.system.joined.paired import paired_ends
from astra_edu.system.joined.ring import ring_ends
from astra_edu.system.joined.rings import Ring
from astra_edu.system.moves import Moves

Expects = list[tuple[int, int, int]]
"""(place, ns, foreseen_ns): this NPU's turn in this ns must not be foreseen before foreseen_ns."""


class Times(NamedTuple):
    """The ends of a phase by place, and what they take for granted of turns that aren't followed."""

    ends: list[End]
    expects: Expects

    def later(self, ns: int) -> Times:
        """The same of a phase that begins `ns` later."""
        expects = [(place, at + ns, foreseen + ns) for place, at, foreseen in self.expects]
        return Times([end.later(ns) for end in self.ends], expects)


def times(moves: Moves, ring: Ring, starts: list[int], clockwise: bool) -> Times:
    """The times of a phase of tokens. starts: when each place begins."""
    if not moves.endpoint_ns:  # what happens in the ns of a message's coming would have to be put in order
        raise NotJoinedError
    if moves.schedule.traits.exchanges:
        return Times(_exchanged(moves, ring, starts), [])
    if clockwise:
        return _round(moves, ring, starts, 1)
    n = len(starts)
    ends, expects = _round(moves, ring, [starts[-place] for place in range(n)], -1)
    return Times([ends[-place] for place in range(n)], [(-place % n, ns, foreseen) for place, ns, foreseen in expects])


def _exchanged(moves: Moves, ring: Ring, starts: list[int]) -> list[End]:
    places = range(len(starts))
    sources = [[place ^ distance for place in places] for distance in moves.ahead]
    edges = [ring.exchanged(distance, size) for distance, size in zip(moves.ahead, moves.sizes, strict=True)]
    return paired_ends(starts, sources, edges, moves.endpoint_ns, moves.reductions)


def _round(moves: Moves, ring: Ring, starts: list[int], way: int) -> Times:
    """Places counted in direction `way`, from place 0 on."""
    n, endpoint = len(starts), moves.endpoint_ns
    ahead, sizes, reductions = moves.ahead, moves.sizes, moves.reductions
    if moves.schedule.traits.windowed:
        edges = [ring.apart(distance, size, way) for distance, size in zip(ahead, sizes, strict=True)]
        expects: Expects = []
        try:
            ends = direct_ends(starts, ahead, edges, endpoint, reductions, moves.window, moves.gate, expects)
        except TimesDecideError:
            raise OrderUnknownError from None
        return Times(ends, expects)
    if len(set(sizes)) == 1 and set(ahead) == {1}:
        sent = ring.apart(1, sizes[0], way)
        return Times(ring_ends(starts, [sent[place - 1] for place in range(n)], endpoint, reductions), [])
    sources = [[(place - distance) % n for place in range(n)] for distance in ahead]
    sent_by = [ring.apart(distance, size, way) for distance, size in zip(ahead, sizes, strict=True)]
    edges = [[ns[source] for source in comes] for comes, ns in zip(sources, sent_by, strict=True)]
    return Times(paired_ends(starts, sources, edges, endpoint, reductions), [])
