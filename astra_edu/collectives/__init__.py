"""Collectives as data: algorithms that make schedules, and what can be read off a schedule.

One module an algorithm. Each function takes the number of NPUs (and a root, where there is one) and gives the
schedule's groups of rounds; `schedule()` looks it up by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from astra_edu.base.errors import ConfigError, choice, whole
from astra_edu.base.table import Table
from astra_edu.collectives import direct, halving_doubling, ring, tree
from astra_edu.collectives.collective import ROOTED, Collective, block_count
from astra_edu.collectives.counts import Counts, counts
from astra_edu.collectives.hierarchical import compose, phase_order
from astra_edu.collectives.proof import ProofError, prove
from astra_edu.collectives.schedule import Op, Rounds, Schedule, Step, Transfer

__all__ = [
    "ALGORITHMS",
    "Collective",
    "Counts",
    "Op",
    "ProofError",
    "Rounds",
    "Schedule",
    "Step",
    "Transfer",
    "algorithms_for",
    "counts",
    "hierarchical",
    "phase_order",
    "prove",
    "schedule",
]

_C = Collective

_ALGORITHMS: dict[str, Mapping[Collective, Callable[..., tuple[Rounds, ...]]]] = {
    "ring": {
        _C.REDUCE_SCATTER: ring.reduce_scatter,
        _C.ALL_GATHER: ring.all_gather,
        _C.ALL_REDUCE: ring.all_reduce,
        _C.ALL_TO_ALL: ring.all_to_all,
        _C.BROADCAST: ring.broadcast,
        _C.REDUCE: ring.reduce,
        _C.SCATTER: ring.scatter,
        _C.GATHER: ring.gather,
    },
    "bidirectional-ring": {
        _C.REDUCE_SCATTER: ring.bidirectional_reduce_scatter,
        _C.ALL_GATHER: ring.bidirectional_all_gather,
        _C.ALL_REDUCE: ring.bidirectional_all_reduce,
    },
    "direct": {
        _C.REDUCE_SCATTER: direct.reduce_scatter,
        _C.ALL_GATHER: direct.all_gather,
        _C.ALL_REDUCE: direct.all_reduce,
        _C.ALL_TO_ALL: direct.all_to_all,
        _C.BROADCAST: direct.broadcast,
        _C.REDUCE: direct.reduce,
        _C.SCATTER: direct.scatter,
        _C.GATHER: direct.gather,
    },
    "halving-doubling": {
        _C.REDUCE_SCATTER: halving_doubling.reduce_scatter,
        _C.ALL_GATHER: halving_doubling.all_gather,
        _C.ALL_REDUCE: halving_doubling.all_reduce,
    },
    "binary-tree": {
        _C.ALL_REDUCE: tree.all_reduce,
        _C.BROADCAST: tree.broadcast,
        _C.REDUCE: tree.reduce,
        _C.SCATTER: tree.scatter,
        _C.GATHER: tree.gather,
    },
    "double-binary-tree": {_C.ALL_REDUCE: tree.double_all_reduce},
    "tree-root-last": {_C.ALL_REDUCE: tree.root_last_all_reduce},
    "tree-root-first": {_C.ALL_REDUCE: tree.root_first_all_reduce},
    "single-master": {
        _C.ALL_REDUCE: direct.master_all_reduce,
        _C.REDUCE_SCATTER: direct.master_reduce_scatter,
        _C.ALL_GATHER: direct.master_all_gather,
    },
    "parameter-server": {_C.ALL_REDUCE: direct.parameter_server},
    "naive": {_C.ALL_REDUCE: direct.naive_all_reduce},
}
ALGORITHMS = Table("algorithms", ["collectives"], lambda does: [", ".join(does)], _ALGORITHMS)
"""`ALGORITHMS[algorithm][collective](npus)` or (npus, root): the groups of rounds. Names as on the slides."""

_PARTS = {"bidirectional-ring": 2, "double-binary-tree": 2}
_NO_CHUNK_PER_NPU = {
    *("binary-tree", "double-binary-tree", "tree-root-last", "tree-root-first"),
    *("single-master", "naive"),
}


def algorithms_for(collective: str) -> list[str]:
    """The names of the algorithms that can do `collective`.

    >>> from astra_edu.collectives import algorithms_for
    >>> algorithms_for("all-to-all")
    ['ring', 'direct']
    """
    wanted = Collective(choice("collective", collective, list(Collective)))
    return [name for name, built in ALGORITHMS.items() if wanted in built]


def schedule(collective: str, algorithm: str, npus: int, root: int = 0) -> Schedule:
    """The schedule of one collective by one algorithm on `npus` NPUs, e.g. ("all-reduce", "ring", 8).

    Raises ConfigError for an unknown name, fewer than 2 NPUs, a collective the algorithm is not defined for, or
    a number of NPUs it doesn't work for.

    >>> ring = ae.schedule("all-reduce", "ring", 4)
    >>> print(ring.step_count, ring.chunks)
    6 4
    >>> for transfer in ring.step(1).transfers:
    ...     print(transfer)
    Transfer(source=0, destination=1, chunk=2)
    Transfer(source=1, destination=2, chunk=3)
    Transfer(source=2, destination=3, chunk=0)
    Transfer(source=3, destination=0, chunk=1)
    """
    wanted = Collective(choice("collective", collective, list(Collective)))
    name = choice("algorithm", algorithm, ALGORITHMS)
    n = whole("npus", npus, at_least=2)
    root = whole("root", root, at_least=0)
    if wanted not in ALGORITHMS[name]:
        raise ConfigError(
            f"{name} is not defined for {wanted}. It does: {', '.join(ALGORITHMS[name])}. "
            f"For {wanted} take: {', '.join(algorithms_for(wanted))}."
        )
    if root >= n or (root and wanted not in ROOTED):
        raise ConfigError(
            f"root is {root}; "
            + (f"NPUs are 0 to {n - 1}." if wanted in ROOTED else f"an {wanted} has no root, leave it 0.")
        )
    build = ALGORITHMS[name][wanted]
    groups = build(n, root) if wanted in ROOTED else build(n)
    return Schedule(wanted, name, n, _chunk_count(wanted, name, n), groups, root)


def hierarchical(collective: str, algorithms: list[str] | str, dims: list[int] | tuple[int, ...]) -> Schedule:
    """A multi-phase collective over 1 to 4 network dimensions, dimension 0 first.

    collective: reduce-scatter, all-gather, all-reduce or all-to-all (on one dimension, any). algorithms: one
    name a dimension, or one for all. dims: the dimensions' sizes, e.g. (4, 4, 2). An all-reduce reduce-scatters
    up the dimensions, all-reduces on the last and all-gathers back down (ASTRA-sim's "localBWAware").

    >>> two = ae.hierarchical("all-reduce", "ring", (4, 2))
    >>> for part in two.groups:
    ...     print(f"{part.phase} on dimension {part.dimension}: {part.count} steps")
    reduce-scatter on dimension 0: 3 steps
    reduce-scatter on dimension 1: 1 steps
    all-gather on dimension 1: 1 steps
    all-gather on dimension 0: 3 steps
    """
    if not isinstance(dims, (list, tuple)):
        raise ConfigError(f"dims is {dims!r}; give the sizes of 1 to 4 dimensions, such as (4, 2).")
    if not isinstance(algorithms, (str, list, tuple)):
        raise ConfigError(f"algorithms is {algorithms!r}; give one name, or one for each dimension.")
    sizes = [whole(f"dims[{i}]", size, at_least=2) for i, size in enumerate(dims)]
    names = [algorithms] * len(sizes) if isinstance(algorithms, str) else list(algorithms)
    if not 1 <= len(sizes) <= 4:
        raise ConfigError(f"dims is {list(dims)!r}; give the sizes of 1 to 4 dimensions.")
    if len(names) != len(sizes):
        raise ConfigError(f"{len(names)} algorithms for {len(sizes)} dimensions; give one for each.")
    wanted = Collective(choice("collective", collective, list(Collective)))
    if len(sizes) == 1:
        return schedule(wanted, names[0], sizes[0])
    return compose(wanted, [(name, size) for name, size in zip(names, sizes, strict=True)], schedule)


def _chunk_count(collective: Collective, algorithm: str, n: int) -> int:
    """How many chunks the algorithm cuts the collective's data into."""
    blocks: int = block_count(collective, n)
    if collective is Collective.ALL_REDUCE and algorithm not in _NO_CHUNK_PER_NPU:
        blocks = n
    return blocks * _PARTS.get(algorithm, 1)
