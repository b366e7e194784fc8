"""Where a chunk is put in a queue: ASTRA-sim 1.0's policies (system.policies), one of which 2.x has changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from astra_edu.system.policies import Policy, alternate, fewest_phases_first, fifo_only

if TYPE_CHECKING:
    from astra_edu.system.queues import Chunk


def smallest_chunk_first(queue: Sequence[Chunk], running: int, new: Chunk) -> int:
    """The smaller chunk first, before or after its phase; who has just one phase more to go, last."""
    if new.phases_left == 2:
        return len(queue)
    size = max(new.phase.size, new.phase.final_size)
    for place in range(running, len(queue)):
        phase = queue[place].phase
        if max(phase.size, phase.final_size) >= size:
            return place
    return len(queue)


POLICIES: dict[str, Policy] = {
    "FIFO": fifo_only,
    "SCF": smallest_chunk_first,
    "RG": alternate,
    "lessRemainingPhaseFirst": fewest_phases_first,
}
