"""What each collective promises, as the buffers of a few NPUs before and after."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import whole
from astra_edu.collectives import Collective, Schedule, schedule
from astra_edu.collectives.collective import npus_in
from astra_edu.collectives.proof import Held, initial, replay


def promises(npus: int = 4) -> str:
    """Of every collective each NPU's buffer before → after, as the direct algorithm's steps leave it.

    A number i is data of NPU i, 0+1 a sum, "." nothing. Raises ConfigError for fewer than 2 NPUs.

    >>> from astra_edu.course.studies.promises import promises
    >>> print(*promises(2).splitlines()[:3], sep="\\n")
    reduce-scatter:
       NPU 0:  0  0   →  0+1  0
       NPU 1:  1  1   →  1  0+1
    """
    npus = whole("npus", npus, at_least=2)
    lines = []
    for collective in Collective:
        lines += [f"{collective}:", *_buffers(schedule(collective, "direct", npus))]
    return "\n".join(lines)


def _buffers(whole_schedule: Schedule) -> list[str]:
    npus, before = whole_schedule.npus, initial(whole_schedule)
    *_, (_, after) = replay(whole_schedule)
    lines = []
    for npu in range(npus):
        mine: Sequence[int] = range(whole_schedule.shards)
        theirs: Sequence[int] = mine
        if whole_schedule.collective is Collective.ALL_TO_ALL:  # shard i * npus + j is i's for j
            mine, theirs = range(npus * npu, npus * npu + npus), range(npu, npus * npus, npus)
        lines.append(f"   NPU {npu}:  {_row(before, npu, mine):<{3 * npus}} →  {_row(after, npu, theirs)}")
    return lines


def _row(held: Held, npu: int, shards: Sequence[int]) -> str:
    return "  ".join("+".join(map(str, npus_in(held[npu][shard]))) or "." for shard in shards)
