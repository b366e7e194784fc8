"""The second proof: replay a schedule on real NumPy arrays and look at the numbers.

NumPy is needed here and nowhere else in the package's core.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.collective import Collective, held_after, held_before
from astra_edu.collectives.schedule import Op, Schedule

Array = NDArray[Any]


def run(schedule: Schedule, inputs: Sequence[Array]) -> list[Array]:
    """Carry out `schedule` on one 1-D array an NPU and return one array an NPU: what it must end up with.

    inputs[i] is what NPU i brings: its whole buffer; in an all-gather or gather its own block; in a broadcast
    or scatter only the root's counts. Lengths need not divide: shards then differ by an element. An NPU that
    the collective promises nothing gets an empty array.

    Raises ConfigError when the number of arrays or their lengths don't fit.
    """
    if len(inputs) != schedule.npus:
        raise ConfigError(f"{len(inputs)} arrays for {schedule.npus} NPUs; give one for each.")
    held = _cut(schedule, inputs)
    for step in schedule.steps():
        arriving = [(t, held[t.source][t.shard]) for t in step.transfers]
        for t, data in arriving:
            row = held[t.destination]
            row[t.shard] = row[t.shard] + data if step.op is Op.REDUCE else data
    return [_joined(schedule, npu, held[npu], inputs) for npu in range(schedule.npus)]


def expected(schedule: Schedule, inputs: Sequence[Array]) -> list[Array]:
    """What `run` must return, by NumPy's own sum and concatenate: no schedule involved."""
    n, root = schedule.npus, schedule.root
    empty = inputs[0][:0]
    match schedule.collective:
        case Collective.ALL_REDUCE:
            return [np.sum(inputs, axis=0, dtype=inputs[0].dtype)] * n
        case Collective.REDUCE:
            total = np.sum(inputs, axis=0, dtype=inputs[0].dtype)
            return [total if npu == root else empty for npu in range(n)]
        case Collective.REDUCE_SCATTER:
            return list(np.array_split(np.sum(inputs, axis=0, dtype=inputs[0].dtype), n))
        case Collective.ALL_GATHER:
            return [np.concatenate(inputs)] * n
        case Collective.GATHER:
            return [np.concatenate(inputs) if npu == root else empty for npu in range(n)]
        case Collective.BROADCAST:
            return [inputs[root]] * n
        case Collective.SCATTER:
            return list(np.array_split(inputs[root], n))
        case Collective.ALL_TO_ALL:
            return [np.concatenate([np.array_split(mine, n)[npu] for mine in inputs]) for npu in range(n)]


def _cut(schedule: Schedule, inputs: Sequence[Array]) -> list[dict[int, Array]]:
    """held[npu][shard]: the arrays that every NPU starts with."""
    held: list[dict[int, Array]] = []
    for npu in range(schedule.npus):
        shards: dict[int, Array] = {}
        for block in range(schedule.blocks):
            if held_before(schedule.collective, schedule.npus, npu, block, schedule.root):
                pieces = np.array_split(_block(schedule, inputs[npu], npu, block), schedule.parts)
                shards |= {part * schedule.blocks + block: piece for part, piece in enumerate(pieces)}
        held.append(shards)
    return held


def _block(schedule: Schedule, mine: Array, npu: int, block: int) -> Array:
    """Where block number `block` lies in the array that `npu` brings."""
    match schedule.collective:
        case Collective.REDUCE_SCATTER | Collective.SCATTER:
            return np.array_split(mine, schedule.npus)[block]
        case Collective.ALL_TO_ALL:
            return np.array_split(mine, schedule.npus)[block % schedule.npus]
        case _:
            return mine


def _joined(schedule: Schedule, npu: int, held: dict[int, Array], inputs: Sequence[Array]) -> Array:
    """What the collective promises `npu`, block by block in order."""
    blocks = [
        block
        for block in range(schedule.blocks)
        if held_after(schedule.collective, schedule.npus, npu, block, schedule.root) is not None
    ]
    pieces = [held[part * schedule.blocks + block] for block in blocks for part in range(schedule.parts)]
    return np.concatenate(pieces) if pieces else inputs[npu][:0]
