"""What a collective algorithm is: schedules for some collectives, and what an engine must know of it beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from astra_edu.base.deprecated import renamed_fields
from astra_edu.collectives.collective import Collective, block_count
from astra_edu.collectives.schedule import Rounds
from astra_edu.collectives.traits import Traits

Builder = Callable[..., tuple[Rounds, ...]]
"""builder(npus), or builder(npus, root) where there is a root: the groups of rounds."""
ShardCount = Callable[[Collective, int], int]
"""shards(collective, npus): into how many shards the algorithm cuts the collective's data."""


@renamed_fields(chunks="shards")
@dataclass(frozen=True, eq=False)
class Algorithm(Mapping[Collective, Builder]):
    """An algorithm by its name: for each collective that it can do, the function that makes its rounds.

    shards: into how many shards it cuts the data. spellings: its names in ASTRA-sim's system files. ours: whether it
    comes with this package; what does not is proved before it runs.

    >>> from astra_edu.collectives import ALGORITHMS
    >>> ring = ALGORITHMS["ring"]
    >>> ring.shards("all-reduce", 8), [group.count for group in ring["all-reduce"](8)]
    (8, [7, 7])
    """

    name: str
    builders: Mapping[Collective, Builder]
    shards: ShardCount
    traits: Traits = field(default_factory=Traits)
    spellings: tuple[str, ...] = ()
    ours: bool = True

    def __getitem__(self, collective: Collective) -> Builder:
        return self.builders[collective]

    def __iter__(self) -> Iterator[Collective]:
        return iter(self.builders)

    def __len__(self) -> int:
        return len(self.builders)

    def __hash__(self) -> int:
        return id(self)


def shard_per_npu(collective: Collective, npus: int) -> int:
    """A shard for each of the collective's blocks; an all-reduce, whose block is one, is cut as its halves are."""
    return npus if collective == Collective.ALL_REDUCE else block_count(collective, npus)


def two_per_npu(collective: Collective, npus: int) -> int:
    """The same with every shard cut in two."""
    return 2 * shard_per_npu(collective, npus)
