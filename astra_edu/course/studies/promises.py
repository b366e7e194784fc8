"""What each collective promises, as the buffers of a few NPUs before and after."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import whole
from astra_edu.collectives import Collective, Schedule, schedule
from astra_edu.collectives.collective import npus_in
from astra_edu.collectives.proof import Held, initial, replay


def promises(npus: int = 4) -> str:
    """Of every collective each NPU's buffer before | after, as the direct algorithm's steps leave it.

    A number i is data of NPU i, 0+1 a sum, "." nothing; in the all-to-all 0→1 is NPU 0's data for NPU 1. Raises
    ConfigError for fewer than 2 NPUs.

    >>> from astra_edu.course.studies.promises import promises
    >>> print(*promises(2).splitlines()[:3], sep="\\n")
    reduce-scatter:
       NPU 0:  0  0  |  0+1  0
       NPU 1:  1  1  |  1    0+1
    """
    npus = whole("npus", npus, at_least=2)
    lines = []
    for collective in Collective:
        lines += [f"{collective}:", *_buffers(schedule(collective, "direct", npus))]
    return "\n".join(lines)


def _buffers(made: Schedule) -> list[str]:
    npus, before = made.npus, initial(made)
    *_, (_, after) = replay(made)
    shards = range(made.shards)
    mine = theirs = [shards] * npus
    if made.collective is Collective.ALL_TO_ALL:  # shard i * npus + j is i's for j
        mine = [shards[npus * npu : npus * (npu + 1)] for npu in range(npus)]
        theirs = [shards[npu::npus] for npu in range(npus)]
    sides = zip(_columns(made, before, mine), _columns(made, after, theirs), strict=True)
    return [f"   NPU {npu}:  {one}  |  {other}".rstrip() for npu, (one, other) in enumerate(sides)]


def _columns(made: Schedule, held: Held, shards: Sequence[range]) -> list[str]:
    """For each NPU a line with what it holds of its own of these shards."""
    rows = [[_piece(made, held[npu][shard], shard) for shard in own] for npu, own in enumerate(shards)]
    width = max(len(piece) for row in rows for piece in row)
    return ["  ".join(piece.ljust(width) for piece in row) for row in rows]


def _piece(made: Schedule, mask: int, shard: int) -> str:
    whose = "+".join(map(str, npus_in(mask)))
    if made.collective is Collective.ALL_TO_ALL and whose:
        return f"{whose}→{shard % made.npus}"
    return whose or "."
