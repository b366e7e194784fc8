"""Which of a dimension's queues a chunk of ASTRA-sim 2.x waits in, and which way round its phase goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class QueueTurns:
    """Whose turn it is among the queues of one dimension. The first half is for the way up, the second for down."""

    count: int
    any: int = 0
    up: int = 0
    down: int = 0

    def __post_init__(self) -> None:
        self.down = self.count // 2

    def next_any(self) -> tuple[int, bool]:
        """(queue, clockwise) for a phase of a collective that goes one way."""
        queue, half = self.any, self.count // 2
        self.any = (queue + 1) % self.count
        return queue, not (self.count > 1 and queue >= half)

    def next_up(self) -> tuple[int, bool]:
        """(queue, clockwise) for a phase on the way up."""
        queue = self.up
        self.up = queue + 1 if queue + 1 < self.count // 2 else 0
        return queue, True

    def next_down(self) -> tuple[int, bool]:
        """(queue, clockwise) for a phase on the way down."""
        queue = self.down
        self.down = queue + 1 if queue + 1 < self.count else self.count // 2
        return queue, False
