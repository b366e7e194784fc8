"""What each collective promises: who holds what before it, and who must hold what after it.

A collective's data are cut into *blocks*, the pieces that have an owner: the n blocks of a reduce-scatter or an
all-gather (block i belongs to NPU i), the n x n blocks of an all-to-all (block i*n + j goes from NPU i to NPU j),
the single block of an all-reduce. What an NPU holds of a block is the set of NPUs that have contributed to it,
kept as a bit mask: bit i is set when NPU i's data are in it. The whole theory of a collective is then two masks.
"""

from __future__ import annotations

from enum import StrEnum


class Collective(StrEnum):
    """The collectives of the tutorial, under their usual names.

    >>> ae.Collective("all-reduce")
    <Collective.ALL_REDUCE: 'all-reduce'>
    >>> print(*ae.Collective, sep=", ")
    reduce-scatter, all-gather, all-reduce, all-to-all, broadcast, reduce, scatter, gather
    """

    REDUCE_SCATTER = "reduce-scatter"
    ALL_GATHER = "all-gather"
    ALL_REDUCE = "all-reduce"
    ALL_TO_ALL = "all-to-all"
    BROADCAST = "broadcast"
    REDUCE = "reduce"
    SCATTER = "scatter"
    GATHER = "gather"


REDUCING = frozenset({Collective.REDUCE_SCATTER, Collective.ALL_REDUCE, Collective.REDUCE})
ROOTED = frozenset({Collective.BROADCAST, Collective.REDUCE, Collective.SCATTER, Collective.GATHER})


def block_count(collective: Collective, npus: int) -> int:
    """How many blocks the collective's data have."""
    match collective:
        case Collective.ALL_TO_ALL:
            return npus * npus
        case Collective.ALL_REDUCE | Collective.BROADCAST | Collective.REDUCE:
            return 1
        case _:
            return npus


def held_before(collective: Collective, npus: int, npu: int, block: int, root: int) -> int:
    """Bit mask of the contributions that `npu` holds of `block` before the collective; 0 for nothing."""
    mine = 1 << npu
    match collective:
        case Collective.ALL_REDUCE | Collective.REDUCE_SCATTER | Collective.REDUCE:
            return mine
        case Collective.ALL_GATHER | Collective.GATHER:
            return mine if block == npu else 0
        case Collective.BROADCAST | Collective.SCATTER:
            return mine if npu == root else 0
        case Collective.ALL_TO_ALL:
            return mine if block // npus == npu else 0


def held_after(collective: Collective, npus: int, npu: int, block: int, root: int) -> int | None:
    """Bit mask that `npu` must hold of `block` after the collective; None where anything will do."""
    everyone = (1 << npus) - 1
    match collective:
        case Collective.ALL_REDUCE:
            return everyone
        case Collective.REDUCE_SCATTER:
            return everyone if block == npu else None
        case Collective.REDUCE:
            return everyone if npu == root else None
        case Collective.ALL_GATHER:
            return 1 << block
        case Collective.GATHER:
            return 1 << block if npu == root else None
        case Collective.BROADCAST:
            return 1 << root
        case Collective.SCATTER:
            return 1 << root if block == npu else None
        case Collective.ALL_TO_ALL:
            return 1 << (block // npus) if block % npus == npu else None


def npus_in(mask: int) -> tuple[int, ...]:
    """The NPUs in a bit mask, ascending."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
