"""The NPUs that run a phase together, and how long their messages take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from astra_edu.system.joined.not_joined import NotJoinedError

if TYPE_CHECKING:
    from astra_edu.system.joined.times import Times
    from astra_edu.system.joined.wholes import Known

MessageNs = Callable[[int, int, int], int]
"""ns of a message, by its source, destination and bytes."""


class Ring:
    """The NPUs that run a phase together, by place, and how long their messages take."""

    __slots__ = ("_edges", "_places", "message_ns", "npus", "same", "wholes")

    def __init__(self, npus: Sequence[int], message_ns: MessageNs) -> None:
        """npus: who is at each place."""
        self.npus = npus
        self.message_ns = message_ns
        self._places = {npu: place for place, npu in enumerate(npus)}
        self._edges: dict[tuple[int, int, int], list[int]] = {}
        self.same: dict[object, Times] = {}
        """The ends of phases that all begin at 0 ns."""
        self.wholes: dict[object, Known] = {}
        """The ends of collectives, by what they are and how late each of their NPUs is."""

    def place(self, npu: int) -> int:
        """The place of an NPU."""
        return self._places[npu]

    def ns(self, source: int, destination: int, message_bytes: int) -> int:
        """ns of a message between two places."""
        found = self.message_ns(self.npus[source], self.npus[destination], message_bytes)
        if found <= 0:  # what happens in the ns of its sending would have to be put in order
            raise NotJoinedError
        return found

    def apart(self, distance: int, message_bytes: int, way: int) -> list[int]:
        """ns of the message that each place, counted in direction `way` (1 or -1), sends so many places on."""
        key = distance, message_bytes, way
        found = self._edges.get(key)
        if found is None:
            n = len(self.npus)
            places = range(0, way * n, way)
            ends = [(place % n, (place + way * distance) % n) for place in places]
            found = self._edges[key] = [self.ns(source, to, message_bytes) for source, to in ends]
        return found

    def exchanged(self, distance: int, message_bytes: int) -> list[int]:
        """ns of the message that comes to each place from its partner."""
        key = distance, message_bytes, 0
        found = self._edges.get(key)
        if found is None:
            places = range(len(self.npus))
            found = self._edges[key] = [self.ns(place ^ distance, place, message_bytes) for place in places]
        return found
