"""The player's table: a row for each NPU, a column for each shard, and what each cell must end with."""

from __future__ import annotations

from typing import Any

from astra_edu.collectives import Collective, Schedule
from astra_edu.collectives.collective import held_after
from astra_edu.course.widgets.words import Sets

DETAIL_NPUS, TEXT_COLUMNS = 16, 20  # up to here tokens and cells have texts


def table(schedule: Schedule, sets: Sets) -> dict[str, Any]:
    """For row r and column c: the shard it is about, the set it must end with (0: anything will do).

    In an all-to-all, column c is the peer: the cell shows the block that leaves, until its block has come.
    """
    n = schedule.npus
    if schedule.collective is Collective.ALL_TO_ALL:
        columns = [f"NPU {c}" if n <= 8 else str(c) for c in range(n)]
        shard = [[c * n + r for c in range(n)] for r in range(n)]
        leaving = [[r * n + c for c in range(n)] for r in range(n)]
    else:
        columns = [schedule.shard_name(c) for c in range(schedule.shards)]
        shard, leaving = [list(range(schedule.shards))] * n, None

    def wanted(npu: int, c: int) -> int:
        return sets.number(held_after(schedule.collective, n, npu, c % schedule.blocks, schedule.root) or 0)

    return {
        "texts": n <= DETAIL_NPUS and len(columns) <= TEXT_COLUMNS,
        "columns": columns,
        "shard": shard,
        "leaving": leaving,
        "tick": " ✓" if n <= 8 else "",  # more than two numbers have no room for it
        "wanted": [[wanted(r, c) for c in row] for r, row in enumerate(shard)],
    }
