"""Schedules by the names of a collective and an algorithm, over one dimension or several."""

from __future__ import annotations

from functools import lru_cache

from astra_edu.base.errors import ConfigError, choice, shown, whole
from astra_edu.collectives.algorithm import Algorithm
from astra_edu.collectives.claims import check_claims, check_groups
from astra_edu.collectives.collective import ROOTED, Collective
from astra_edu.collectives.hierarchical import compose
from astra_edu.collectives.proof import prove
from astra_edu.collectives.registry import ALGORITHMS
from astra_edu.collectives.schedule import Schedule

MOST_SHARDS = 2**24
MOST_PROVED = 64
"""An algorithm of your own is proved before it runs for up to this many NPUs."""


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
    >>> print(ring.step_count, ring.shards)
    6 4
    >>> for transfer in ring.step(1).transfers:
    ...     print(transfer)
    Transfer(source=0, destination=1, shard=2)
    Transfer(source=1, destination=2, shard=3)
    Transfer(source=2, destination=3, shard=0)
    Transfer(source=3, destination=0, shard=1)
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
    known = ALGORITHMS[name]
    groups = build(n, root) if wanted in ROOTED else build(n)
    if known.ours:
        return Schedule(wanted, name, n, known.shards(wanted, n), groups, root, traits=known.traits)
    shards = whole(f"the number of shards of {name}", known.shards(wanted, n), at_least=1)
    if shards > MOST_SHARDS:
        raise ConfigError(f"{name} cuts the data of {n} NPUs into {shards:,} shards; {MOST_SHARDS:,} are the most.")
    made = Schedule(wanted, name, n, shards, check_groups(name, groups), root, traits=known.traits)
    check_claims(made)
    if not known.traits.in_switch and any(group.carried for group in made.groups):
        raise ConfigError(
            f"{name} says what links carry to switches that add up; register it with in_switch=True, so that it is "
            "refused where there are none."
        )
    return made


def known_schedule(collective: Collective, algorithm: str, npus: int) -> Schedule:
    """The same schedule every time it is asked for, proved before it is run if it isn't one of this package.

    Raises ConfigError as schedule() does, and ProofError for one that doesn't do what its collective promises.

    >>> from astra_edu.collectives import Collective, known_schedule
    >>> known_schedule(Collective.ALL_REDUCE, "ring", 8) is known_schedule(Collective.ALL_REDUCE, "ring", 8)
    True
    """
    return _known(collective, ALGORITHMS[algorithm], npus)


@lru_cache(maxsize=1000)
def _known(collective: Collective, algorithm: Algorithm, npus: int) -> Schedule:
    made = schedule(collective, algorithm.name, npus)
    if not algorithm.ours and npus <= MOST_PROVED:
        prove(made)
    return made


def hierarchical(collective: str, algorithms: list[str] | str, dims: list[int] | tuple[int, ...]) -> Schedule:
    """A multi-phase collective over 1 to 4 network dimensions, dimension 0 first.

    collective: reduce-scatter, all-gather, all-reduce or all-to-all (on one dimension, any). algorithms: one
    name a dimension, or one for all. dims: the dimensions' sizes, e.g. (4, 4, 2). An all-reduce reduce-scatters
    up the dimensions, all-reduces on the last and all-gathers back down: BlueConnect (Cho et al., MLSys 2019), and
    ASTRA-sim's "localBWAware".

    >>> two = ae.hierarchical("all-reduce", "ring", (4, 2))
    >>> for part in two.groups:
    ...     print(f"{part.phase} on dimension {part.dimension}: {part.count} steps")
    reduce-scatter on dimension 0: 3 steps
    reduce-scatter on dimension 1: 1 steps
    all-gather on dimension 1: 1 steps
    all-gather on dimension 0: 3 steps
    """
    if not isinstance(dims, (list, tuple)):
        raise ConfigError(f"dims is {shown(dims)}; give the sizes of 1 to 4 dimensions, such as (4, 2).")
    if not isinstance(algorithms, (str, list, tuple)):
        raise ConfigError(f"algorithms is {shown(algorithms)}; give one name, or one for each dimension.")
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
