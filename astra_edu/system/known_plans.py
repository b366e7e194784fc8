"""Plans of collectives that were made before: NPUs whose queues have the same turns plan the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from astra_edu.system.queue_turns import QueueTurns

Plans = TypeVar("Plans")
_Turns = tuple[tuple[int, int, int], ...]


class KnownPlans(Generic[Plans]):
    """What was planned, and how that left the queues."""

    def __init__(self) -> None:
        """Nothing was planned."""
        self._known: dict[tuple[Hashable, _Turns], tuple[Plans, _Turns]] = {}

    def plans(self, asked: Hashable, queues: Sequence[QueueTurns], make: Callable[[], Plans]) -> Plans:
        """What make() plans, which lets the queues have their turns; asked: all that it depends on besides these."""
        turns = _turns(queues)
        found = self._known.get((asked, turns))
        if found is None:
            made = make()
            self._known[asked, turns] = made, _turns(queues)
            return made
        made, then = found
        if then != turns:
            for queue, (any_way, up, down) in zip(queues, then, strict=True):
                queue.any, queue.up, queue.down = any_way, up, down
        return made


def _turns(queues: Sequence[QueueTurns]) -> _Turns:
    """Whose turn it is; () where each dimension has one queue only, whose turn it always is."""
    if queues[0].count == 1:
        return ()
    return tuple((queue.any, queue.up, queue.down) for queue in queues)
