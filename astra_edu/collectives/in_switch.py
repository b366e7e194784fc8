"""In the switch: it adds up what all NPUs send it, and copies what it has to all of them (NVIDIA's SHARP).

One pass through the switch does a whole collective: an NPU sends what it has once, and gets what it is to have once,
however many NPUs there are. A ring of n sends 2 (n - 1) / n times the data in both directions, this once. Of S bytes an
NPU's link carries

- all-reduce: S up, S down.
- reduce-scatter: S up, S / n down. An NPU's own part goes up, too, as the switch adds up all of it. NVIDIA's does so:
  an NPU loads its part through an address that stands for all NPUs, itself among them.
- all-gather: an NPU's own part, S / n, up, and the parts of all others, S (n - 1) / n, down.

The switch passes on what it has added up while more is still coming, so up and down overlap. What is left out: NCCL's
all-reduce over NVLink (NVLS) is a reduce-scatter and an all-gather of this kind that overlap, so a link carries
S (n + 1) / n in each direction; packets' headers; how much a switch can add up at a time.

Over several dimensions an all-reduce is a reduce-scatter and an all-gather on all but the last, one after the other for
each chunk. There a switch gains time for messages, but none for bytes: a ring's reduce-scatter has (n - 1) / n of them,
and that NVLS sends one's sums down while it sends another's data up isn't followed. ASTRA-sim's released versions have
no such algorithm, so these times are nobody's but ours.

Sources, written down from memory, unverified: R. L. Graham et al., "Scalable Hierarchical Aggregation Protocol
(SHArP)", COMHPC 2016; A. Ishii, R. Wells, "The NVLink-Network Switch", Hot Chips 34 (2022); B. Klenk et al., "An
In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA 2020.
"""

from __future__ import annotations

from collections.abc import Callable

from astra_edu.collectives.algorithm import Algorithm
from astra_edu.collectives.collective import Collective, block_count
from astra_edu.collectives.schedule import Carried, Op, Rounds
from astra_edu.collectives.traits import Traits


def reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Everybody's shard j reaches its owner, NPU j, added up."""
    return (_pass("reduce-scatter", Op.REDUCE, n, lambda i, j: j, Carried(n, 1)),)


def all_gather(n: int) -> tuple[Rounds, ...]:
    """Every owner's shard reaches everybody, copied."""
    return (_pass("all-gather", Op.COPY, n, lambda i, j: i, Carried(1, n - 1)),)


def all_reduce(n: int) -> tuple[Rounds, ...]:
    """Everybody's data reach everybody, added up: the naive exchange's sums, with one message of each NPU."""
    return (_pass("all-reduce", Op.REDUCE, n, lambda i, j: 0, Carried(1, 1)),)


def _pass(phase: str, op: Op, n: int, shard: Callable[[int, int], int], carried: Carried) -> Rounds:
    """One step; what NPU i contributes to NPU j is shard(i, j)."""

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [(j, shard(i, j)) for j in ((i + distance) % n for distance in range(1, n))]

    return Rounds(phase, op, 1, rule, carried=carried)


IN_SWITCH = Algorithm(
    "in-switch",
    {
        Collective.REDUCE_SCATTER: reduce_scatter,
        Collective.ALL_GATHER: all_gather,
        Collective.ALL_REDUCE: all_reduce,
    },
    block_count,
    Traits(in_switch=True),
)
