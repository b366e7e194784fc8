"""Planned transfers put in steps, in which schedules are said, and what these take.

An NPU sends all of a step at once and goes on when all that comes to it in this step is there. So a step's number
decides who waits for whom: where links differ, a plan can have more freedom than steps can say, and then takes longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from astra_edu.explore.synthesis.matching import Planned
from astra_edu.network import Block
from astra_edu.network.shortest import LinkName

PASSES = 12
"""So often the steps of a plan are mended, at most."""
Links = Mapping[LinkName, Block]


def in_steps(planned: Sequence[Planned], links: Links, shard_bytes: int) -> tuple[int, list[list[Planned]]]:
    """(ns that they take, the steps) of the best way found to put transfers, sorted by their start, in steps.

    In a step no link has two shards, and no NPU sends on what comes in the same step.
    """
    return min(
        ((stepped_ns(steps, links, shard_bytes), steps) for steps in _candidates(planned)), key=lambda found: found[0]
    )


def _candidates(planned: Sequence[Planned]) -> Iterator[list[list[Planned]]]:
    floors = [0] * len(planned)
    for _ in range(PASSES):
        numbers = _numbers(planned, floors)
        order = sorted(range(len(planned)), key=lambda k: numbers[k])
        yield [[planned[k] for k in step] for _, step in groupby(order, key=lambda k: numbers[k])]
        raised = _floors(planned, numbers)
        if all(number >= floor for number, floor in zip(numbers, raised, strict=True)):
            return
        floors = list(map(max, raised, floors))


def _numbers(planned: Sequence[Planned], floors: Sequence[int]) -> list[int]:
    """A step for each: after what came to its sender of its shard, after what its links had before, none too early."""
    arrived: defaultdict[tuple[int, int], int] = defaultdict(int)
    used: defaultdict[LinkName, int] = defaultdict(int)
    numbers = []
    for each, floor in zip(planned, floors, strict=True):
        way = each.way
        number = max(floor, arrived[way.source, each.shard], *(used[link] for link in way.links))
        numbers.append(number)
        there = way.destination, each.shard
        arrived[there] = max(arrived[there], number + 1)
        used |= dict.fromkeys(way.links, number + 1)
    return numbers


def _floors(planned: Sequence[Planned], numbers: Sequence[int]) -> list[int]:
    """What comes in later than an NPU sends something must not be awaited before: its step is no earlier."""
    moments: defaultdict[int, list[tuple[int, bool, int]]] = defaultdict(list)
    for k, each in enumerate(planned):
        moments[each.way.destination].append((each.end_ns, False, k))
        moments[each.way.source].append((each.start_ns, True, k))
    floors = [0] * len(planned)
    for own in moments.values():
        sent = 0
        for _, sends, k in sorted(own):
            if sends:
                sent = max(sent, numbers[k])
            else:
                floors[k] = sent
    return floors


def stepped_ns(steps: Sequence[Sequence[Planned]], links: Links, shard_bytes: int) -> int:
    """How long steps take if messages wait for their links and nothing else takes time."""
    ready: defaultdict[int, int] = defaultdict(int)
    free: defaultdict[LinkName, int] = defaultdict(int)
    for step in steps:
        after = dict(ready)
        for each in step:
            now = ready[each.way.source]
            for link in each.way.links:
                now = max(now, free[link])
                free[link] = now + links[link].occupied_ns(shard_bytes)
                now += links[link].crossing_ns(shard_bytes)
            after[each.way.destination] = max(after.get(each.way.destination, 0), now)
        ready.update(after)
    return max(ready.values())
