"""Ring: every NPU talks only to its neighbours. Bandwidth-optimal, but n - 1 steps a phase."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from astra_edu.collectives.algorithm import Algorithm, shard_per_npu, two_per_npu
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.collectives.traits import Traits


def reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Each shard travels once round the ring and collects everybody's data; shard i ends at NPU i."""
    return (Rounds("reduce-scatter", Op.REDUCE, n - 1, lambda s, i: [((i + 1) % n, (i - 1 - s) % n)]),)


def all_gather(n: int) -> tuple[Rounds, ...]:
    """Each finished shard travels once round the ring and leaves a copy everywhere."""
    return (Rounds("all-gather", Op.COPY, n - 1, lambda s, i: [((i + 1) % n, (i - s) % n)]),)


def all_reduce(n: int) -> tuple[Rounds, ...]:
    """Reduce-scatter, then all-gather: 2(n - 1) steps of one n-th of the data each."""
    return reduce_scatter(n) + all_gather(n)


def all_to_all(n: int) -> tuple[Rounds, ...]:
    """The shard for the NPU d places on takes d hops: n(n - 1)/2 steps, one shard at a time.

    Shard i*n + j is what NPU i has for NPU j.
    """

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        distance = (1 + isqrt(1 + 8 * s)) // 2  # the steps before it number distance * (distance - 1) / 2
        hop = s - distance * (distance - 1) // 2
        origin = (i - hop) % n
        return [((i + 1) % n, origin * n + (origin + distance) % n)]

    return (Rounds("all-to-all", Op.COPY, n * (n - 1) // 2, rule),)


def broadcast(n: int, root: int) -> tuple[Rounds, ...]:
    """The root's data go round the ring, one hop a step."""
    return (_chain("broadcast", Op.COPY, n, root, lambda s, place: 0 if place == s else None),)


def reduce(n: int, root: int) -> tuple[Rounds, ...]:
    """A partial sum walks round the ring to the root, starting at the NPU after it."""
    return (_chain("reduce", Op.REDUCE, n, root, lambda s, place: 0 if place == s + 1 else None),)


def scatter(n: int, root: int) -> tuple[Rounds, ...]:
    """The root sends the farthest NPU's block first; everybody passes on what isn't theirs."""

    def shard(s: int, place: int) -> int | None:
        target = n - 1 - (s - place)
        return (root + target) % n if place <= s and place < target else None

    return (_chain("scatter", Op.COPY, n, root, shard),)


def gather(n: int, root: int) -> tuple[Rounds, ...]:
    """Blocks walk round the ring to the root, the nearest arriving first."""

    def shard(s: int, place: int) -> int | None:
        return (root + place - s) % n if place > s else None

    return (_chain("gather", Op.COPY, n, root, shard),)


def bidirectional_reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Two rings at once: half of each block goes clockwise, the other half anticlockwise."""
    return _both_ways("reduce-scatter", Op.REDUCE, n, start=1)


def bidirectional_all_gather(n: int) -> tuple[Rounds, ...]:
    """Two rings at once: half of each block goes clockwise, the other half anticlockwise."""
    return _both_ways("all-gather", Op.COPY, n, start=0)


def bidirectional_all_reduce(n: int) -> tuple[Rounds, ...]:
    """Reduce-scatter, then all-gather, each over both directions of the ring."""
    return bidirectional_reduce_scatter(n) + bidirectional_all_gather(n)


def _both_ways(phase: str, op: Op, n: int, start: int) -> tuple[Rounds, ...]:
    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [((i + 1) % n, (i - start - s) % n), ((i - 1) % n, n + (i + start + s) % n)]

    return (Rounds(phase, op, n - 1, rule),)


def _chain(phase: str, op: Op, n: int, root: int, shard: Callable[[int, int], int | None]) -> Rounds:
    """n - 1 steps in which the NPU at `place` after the root passes shard(step, place) on, or nothing."""

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        passed = shard(s, (i - root) % n)
        return [] if passed is None else [((i + 1) % n, passed)]

    return Rounds(phase, op, n - 1, rule, symmetric=False, uniform=False)


RING = Algorithm(
    "ring",
    {
        Collective.REDUCE_SCATTER: reduce_scatter,
        Collective.ALL_GATHER: all_gather,
        Collective.ALL_REDUCE: all_reduce,
        Collective.ALL_TO_ALL: all_to_all,
        Collective.BROADCAST: broadcast,
        Collective.REDUCE: reduce,
        Collective.SCATTER: scatter,
        Collective.GATHER: gather,
    },
    shard_per_npu,
    Traits(tokens=True, others=lambda n: n - 1, most_npus=(2**40, 2**11)),
    spellings=("ring",),
)
BIDIRECTIONAL_RING = Algorithm(
    "bidirectional-ring",
    {
        Collective.REDUCE_SCATTER: bidirectional_reduce_scatter,
        Collective.ALL_GATHER: bidirectional_all_gather,
        Collective.ALL_REDUCE: bidirectional_all_reduce,
    },
    two_per_npu,
    Traits(most_npus=(2**40, 2**10)),
)
