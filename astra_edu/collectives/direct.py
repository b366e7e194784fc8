"""Direct: whoever has something for somebody sends it straight there, all at once.

One step a phase. Made for fully connected networks; on others many messages meet at one NPU, most of all where
one NPU is the master of everything. The lecture's naive exchange and its masters are direct sends too, so they
live here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from astra_edu.collectives.algorithm import Algorithm, shard_per_npu
from astra_edu.collectives.collective import Collective, block_count
from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.collectives.traits import Traits


def reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Everybody sends shard j straight to its owner, NPU j, which adds them up."""
    return (_everyone("reduce-scatter", Op.REDUCE, n, lambda i, j: j),)


def all_gather(n: int) -> tuple[Rounds, ...]:
    """Every owner sends its shard straight to everybody."""
    return (_everyone("all-gather", Op.COPY, n, lambda i, j: i),)


def all_reduce(n: int) -> tuple[Rounds, ...]:
    """Reduce-scatter, then all-gather: 2 steps whatever n is."""
    return reduce_scatter(n) + all_gather(n)


def all_to_all(n: int) -> tuple[Rounds, ...]:
    """Everybody hands everybody their block. Shard i*n + j is what NPU i has for NPU j."""
    return (_everyone("all-to-all", Op.COPY, n, lambda i, j: i * n + j),)


def naive_all_reduce(n: int) -> tuple[Rounds, ...]:
    """Everybody sends all of its data to everybody: one step, and (n - 1) times the whole buffer each."""
    return (_everyone("exchange", Op.REDUCE, n, lambda i, j: 0),)


def broadcast(n: int, root: int) -> tuple[Rounds, ...]:
    """The root sends everybody a copy at once."""
    return (_from_root("broadcast", n, root, lambda j: [0]),)


def scatter(n: int, root: int) -> tuple[Rounds, ...]:
    """The root sends everybody their block at once."""
    return (_from_root("scatter", n, root, lambda j: [j]),)


def reduce(n: int, root: int) -> tuple[Rounds, ...]:
    """Everybody sends its data to the root at once, which adds them up."""
    return (_to_root("reduce", Op.REDUCE, n, root, lambda i: [0]),)


def gather(n: int, root: int) -> tuple[Rounds, ...]:
    """Everybody sends its block to the root at once."""
    return (_to_root("gather", Op.COPY, n, root, lambda i: [i]),)


def master_all_reduce(n: int) -> tuple[Rounds, ...]:
    """Everybody sends all of its data to one master, NPU 0, which adds them up and sends everybody the sum."""
    return reduce(n, 0) + broadcast(n, 0)


def master_reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Everybody sends all n blocks to the master, which adds them up and deals them out."""
    return (_to_root("reduce", Op.REDUCE, n, 0, lambda i: range(n)), *scatter(n, 0))


def master_all_gather(n: int) -> tuple[Rounds, ...]:
    """Everybody sends its block to the master, which sends everybody the others' blocks."""
    others = _from_root("broadcast", n, 0, lambda j: [block for block in range(n) if block != j])
    return (*gather(n, 0), others)


def parameter_server(n: int) -> tuple[Rounds, ...]:
    """Every NPU serves one shard: gradients are pushed to the shards' servers, their sums pulled back.

    The transfers are the direct all-reduce's own. What differs in practice is who waits: a server may answer
    before the slowest worker has pushed.
    """
    push, pull = all_reduce(n)
    return (replace(push, phase="push"), replace(pull, phase="pull"))


def _everyone(phase: str, op: Op, n: int, shard: Callable[[int, int], int]) -> Rounds:
    """One step in which NPU i sends shard(i, j) to every other NPU j, the next one first."""

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [(j, shard(i, j)) for j in ((i + distance) % n for distance in range(1, n))]

    return Rounds(phase, op, 1, rule)


def _from_root(phase: str, n: int, root: int, shards: Callable[[int], Iterable[int]]) -> Rounds:
    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [(j, shard) for j in range(n) if j != root for shard in shards(j)] if i == root else []

    return Rounds(phase, Op.COPY, 1, rule, symmetric=False)


def _to_root(phase: str, op: Op, n: int, root: int, shards: Callable[[int], Iterable[int]]) -> Rounds:
    def rule(s: int, i: int) -> list[tuple[int, int]]:
        return [(root, shard) for shard in shards(i)] if i != root else []

    return Rounds(phase, op, 1, rule, symmetric=False)


DIRECT = Algorithm(
    "direct",
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
    Traits(tokens=True, windowed=True, most_npus=(2**16, 2**10)),
    spellings=("direct",),
)
SINGLE_MASTER = Algorithm(
    "single-master",
    {
        Collective.ALL_REDUCE: master_all_reduce,
        Collective.REDUCE_SCATTER: master_reduce_scatter,
        Collective.ALL_GATHER: master_all_gather,
    },
    block_count,
)
PARAMETER_SERVER = Algorithm("parameter-server", {Collective.ALL_REDUCE: parameter_server}, shard_per_npu)
NAIVE = Algorithm("naive", {Collective.ALL_REDUCE: naive_all_reduce}, block_count)
