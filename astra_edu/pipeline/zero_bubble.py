"""Orders that split the backward pass: B, the gradient that the stage before waits for, and W, that of the weights.

W can wait until a stage has nothing else to do, and fills the bubble (Qi et al., Zero Bubble Pipeline Parallelism,
arXiv 2401.10241). ZB-V, V-Half and V-Min have two parts of the model on each stage, folded: the first stage has the
first and the last part (Qi et al., Pipeline Parallelism with Controllable Memory, arXiv 2405.15362). They are made as
if F, B and W took equally long; any other times may be run in these orders. A stage keeps activations until W.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.pipeline.orders import ORDERS, Pass, Passes, one_forward_one_backward
from astra_edu.pipeline.places import FOLDED, folded, part_of


@ORDERS.add("zb-h1")
def zb_h1(stage: int, stages: int, micro_batches: int) -> Iterator[Pass]:
    """1F1B, its weight gradients later by a micro-batch for each stage before it (ZB-H1): no more memory than 1F1B."""
    back = 0
    for each in one_forward_one_backward(stage, stages, micro_batches):
        yield each
        if each.kind == "B":
            back += 1
            if back > stage:
                yield Pass("W", back - 1 - stage)
    for i in range(max(0, micro_batches - stage), micro_batches):
        yield Pass("W", i)


@ORDERS.add("zb-v")
@folded
def zb_v(stage: int, stages: int, micro_batches: int, virtual: int = 2) -> Iterator[Pass]:
    """Whatever is ready, backward before forward before weights, within 1F1B's memory (ZB-V): next to no bubble."""
    _check(virtual)
    yield from _greedy(stages, micro_batches)[stage]


@ORDERS.add("v-half")
@folded
def v_half(stage: int, stages: int, micro_batches: int, virtual: int = 2) -> Iterator[Pass]:
    """The same pattern every six passes, in which activations live half as long as 1F1B's longest (V-Half)."""
    _check(virtual)
    yield from _repeated(_pattern(stages, 3), stage, micro_batches)


@ORDERS.add("v-min")
@folded
def v_min(stage: int, stages: int, micro_batches: int, virtual: int = 2) -> Iterator[Pass]:
    """The same pattern every six passes, which follow each other at once: about a third of 1F1B's memory (V-Min)."""
    _check(virtual)
    yield from _repeated(_pattern(stages, 2), stage, micro_batches)


def _check(virtual: int) -> None:
    if virtual != 2:
        raise ConfigError(f"virtual is {virtual}; a folded order has 2 virtual stages on each stage.")


@lru_cache(maxsize=64)
def _greedy(stages: int, micro_batches: int) -> Passes:
    """All stages' passes: at every moment the stage that can begin first takes the most urgent pass that is ready.

    A stage keeps activations of 2 · stages parts at most, as 1F1B's first one does of `stages` micro-batches; the last
    of these places is for the second part, so that no forward pass of the first one can be in its way.
    """
    parts = 2 * stages
    arrived: dict[str, dict[tuple[int, int], int]] = {"F": {(0, i): 0 for i in range(micro_batches)}, "B": {}}
    following = {kind: [0] * parts for kind in "FB"}
    weights: list[list[tuple[int, int, int]]] = [[] for _ in range(stages)]
    free, kept = [0] * stages, [0] * stages
    passes: list[list[Pass]] = [[] for _ in range(stages)]

    def next_of(stage: int) -> tuple[int, int, int, str, int, int] | None:
        """(when it begins, how urgent it is, ..., kind, part, micro-batch)."""
        ready = []
        for v in (1, 0):
            part = part_of(stage, v, stages, FOLDED)
            for urgent, kind in enumerate("BF"):
                i = following[kind][part]
                room = kind == "B" or kept[stage] < parts - 1 + v
                if room and (part, i) in arrived[kind]:
                    ready.append((max(free[stage], arrived[kind][part, i]), urgent, -v, kind, part, i))
        ready += [(max(free[stage], at), 2, 0, "W", part, i) for at, part, i in weights[stage][:1]]
        return min(ready, default=None)

    for _ in range(3 * parts * micro_batches):
        begin, _, _, kind, part, i, stage = min(
            (*found, stage) for stage in range(stages) if (found := next_of(stage)) is not None
        )
        passes[stage].append(Pass(kind, i, int(part >= stages)))
        free[stage] = end = begin + 1
        if kind == "F":
            following["F"][part] += 1
            kept[stage] += 1
            arrived["B" if part == parts - 1 else "F"][min(part + 1, parts - 1), i] = end
        elif kind == "B":
            following["B"][part] += 1
            weights[stage].append((end, part, i))
            arrived["B"][part - 1, i] = end
        else:
            weights[stage].pop(0)
            kept[stage] -= 1
    return tuple(map(tuple, passes))


class Pattern(NamedTuple):
    """When each stage begins its four passes of micro-batch 0, in units of a pass; the next one's are 6 later."""

    first_forward: tuple[int, ...]
    second_forward: tuple[int, ...]
    second_backward: tuple[int, ...]
    first_backward: tuple[int, ...]

    @property
    def fits(self) -> bool:
        """Whether no stage is to begin two passes at once, of whatever micro-batches."""
        return all(len({time % 6 for time in times}) == 4 for times in zip(*self, strict=True))

    @property
    def longest(self) -> int:
        """For how long, at most, a stage keeps the activations of both parts, added up."""
        return max(b - a + d - c for a, c, d, b in zip(*self, strict=True))


@lru_cache(maxsize=64)
def _pattern(stages: int, way: int) -> Pattern:
    """The pattern with the smallest bubble of those that keep activations for about the shortest time.

    way: what the four passes take from stage to stage: down with the first forward and up with the last backward pass
    so many units together, and as many with the other two, so that all stages keep as much. Where passes would collide,
    it waits where the parts change.
    """
    some = [(a, b, way - b, way - a) for a in range(1, way) for b in range(1, way)]
    waits = [(x, y, z) for x in range(4) for y in range(4) for z in range(4)]
    fit = [each for steps in some for w in waits if (each := _with(stages, steps, w)).fits]
    least = min(each.longest for each in fit)
    near = (each for each in fit if each.longest <= least + MORE[way])
    return min(near, key=lambda each: (_units(each, stages), each.longest))


MORE = {2: 0, 3: 4}
"""For how many units more than the least a pattern of each way may keep activations, for a smaller bubble."""


def _units(pattern: Pattern, stages: int) -> int:
    """How long as many micro-batches as stages take, every pass one unit and as soon as it can be."""
    listed = [list(_repeated(pattern, stage, stages)) for stage in range(stages)]
    ends: dict[tuple[str, int, int], int] = {}
    free, place, left = [0] * stages, [0] * stages, sum(map(len, listed))
    while left:
        for stage, passes in enumerate(listed):
            while place[stage] < len(passes):
                kind, i, v = passes[place[stage]]
                part = part_of(stage, v, stages, FOLDED)
                last = part == 2 * stages - 1
                needs = {
                    "F": ("F", i, part - 1),
                    "B": ("F", i, part) if last else ("B", i, part + 1),
                    "W": ("B", i, part),
                }
                needed = 0 if kind == "F" and part == 0 else ends.get(needs[kind])
                if needed is None:
                    break
                free[stage] = ends[kind, i, part] = max(free[stage], needed) + 1
                place[stage] += 1
                left -= 1
    return max(free)


def _with(stages: int, steps: tuple[int, int, int, int], waits: tuple[int, int, int]) -> Pattern:
    down, up = range(stages), range(stages - 1, -1, -1)
    times: list[tuple[int, ...]] = [tuple(steps[0] * i for i in down)]
    for step, wait, way in zip(steps[1:], waits, (up, down, up), strict=True):
        last = max(times[-1]) + 1 + wait
        times.append(tuple(last + step * i for i in way))
    return Pattern(*times)


def _repeated(pattern: Pattern, stage: int, micro_batches: int) -> Iterator[Pass]:
    """A stage's passes in the order in which the pattern has them, weights in the two places of six that are left."""
    times = [each[stage] for each in pattern]
    free = {0, 1, 2, 3, 4, 5} - {time % 6 for time in times}
    second = next(time for time in count(times[2] + 1) if time % 6 in free)
    first = next(time for time in count(times[3] + 1) if time % 6 in free - {second % 6})
    own = (*zip(times, "FFBB", (0, 1, 1, 0), strict=True), (second, "W", 1), (first, "W", 0))
    every = sorted((time + 6 * i, kind, i, v) for i in range(micro_batches) for time, kind, v in own)
    yield from (Pass(kind, i, v) for _, kind, i, v in every)
