"""A collective algorithm as data: the one description that is proven, drawn, counted and timed.

A schedule is a few *rounds groups*. A group is one rule repeated: "in step s, NPU i sends shard c to NPU j".
Rules are expanded only where somebody looks, so the schedule of a ring of 65,536 NPUs is two rules, not
8 billion transfers.

A *shard* is the piece that an algorithm moves: the collective's blocks (see collective.py), each cut into
`parts` equal parts. Shard c is part c // blocks of block c % blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from astra_edu.base.deprecated import renamed_attributes, renamed_fields
from astra_edu.collectives.collective import Collective, block_count
from astra_edu.collectives.traits import USUAL, Traits

A_SCHEDULE = 'give one such as ae.schedule("all-reduce", "ring", 8)'
"""What an error says where there should be a schedule."""


class Op(StrEnum):
    """What the receiver does with an arriving shard: add it to its own, or keep it instead of its own.

    >>> step = ae.schedule("all-reduce", "ring", 4).step(1)
    >>> step.phase, step.op
    ('reduce-scatter', <Op.REDUCE: 'reduce'>)
    """

    REDUCE = "reduce"
    COPY = "copy"


@renamed_attributes(chunk="shard")
class Transfer(NamedTuple):
    """One shard on its way from one NPU to another.

    >>> only = ae.schedule("scatter", "direct", 3).step(0)
    >>> [(each.source, each.destination, each.shard) for each in only.transfers]
    [(0, 1, 1), (0, 2, 2)]
    """

    source: int
    destination: int
    shard: int


class Carried(NamedTuple):
    """Where a switch adds up and copies: the shards that each NPU's link carries up to it and down from it in a step.

    >>> from astra_edu.collectives import schedule
    >>> schedule("all-gather", "in-switch", 8).groups[0].carried
    Carried(up=1, down=7)
    """

    up: int
    down: int


Rule = Callable[[int, int], Iterable[tuple[int, int]]]
"""rule(step, npu) gives the (destination, shard) pairs that `npu` sends in that step of its group."""


@dataclass(frozen=True)
class Rounds:
    """`count` steps that follow one rule.

    phase: what the slides call this part of the collective, e.g. "reduce-scatter".
    symmetric: every NPU sends as many shards to as many others, as far away, as NPU 0 does.
    uniform: every step of the group costs what its first step costs.
    dimension: the network dimension these transfers use.
    carried: where a switch adds up and copies, what links carry; the transfers then say whose data get where, and each
    NPU sends one message for all of them.

    >>> first, second = ae.schedule("all-reduce", "ring", 4).groups
    >>> first.phase, first.op.value, first.count
    ('reduce-scatter', 'reduce', 3)
    >>> second.phase, second.op.value, second.count
    ('all-gather', 'copy', 3)
    """

    phase: str
    op: Op
    count: int
    rule: Rule = field(repr=False)
    symmetric: bool = True
    uniform: bool = True
    dimension: int = 0
    carried: Carried | None = None

    @property
    def different_steps(self) -> list[tuple[int, int]]:
        """(step, how many like it in a row)."""
        return [(0, self.count)] if self.uniform else [(step, 1) for step in range(self.count)]

    def transfers(self, step: int, npu: int) -> list[Transfer]:
        """What one NPU sends in one step (counted from the start of this group)."""
        return [Transfer(npu, destination, shard) for destination, shard in self.rule(step, npu)]

    def messages(self, step: int, npu: int) -> Counter[int]:
        """How many shards one NPU sends to whom in one step, on an empty network.

        Where a switch adds up and copies, one message to the next NPU stands for an NPU's link up and another's down.
        """
        if self.carried is None:
            return Counter([destination for destination, _ in self.rule(step, npu)])
        destination, _ = next(iter(self.rule(step, npu)))
        return Counter({destination: max(self.carried)})


@dataclass(frozen=True)
class Step:
    """One step of a schedule: all its transfers start from what the NPUs held before it.

    >>> step = ae.schedule("all-reduce", "binary-tree", 4).step(1)
    >>> step.phase, list(step.transfers)
    ('reduce', [Transfer(source=2, destination=0, shard=0)])
    """

    index: int
    rounds: Rounds = field(repr=False)
    local_index: int
    npus: int

    @property
    def phase(self) -> str:
        """The slides' name for this part of the collective."""
        return self.rounds.phase

    @property
    def op(self) -> Op:
        """Whether arriving shards are added or kept."""
        return self.rounds.op

    @property
    def dimension(self) -> int:
        """The network dimension that carries this step."""
        return self.rounds.dimension

    @cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """Every transfer of the step, by sending NPU."""
        rule, local = self.rounds.rule, self.local_index
        return tuple(
            Transfer(npu, destination, shard) for npu in range(self.npus) for destination, shard in rule(local, npu)
        )


@renamed_attributes(chunks_per_buffer="shards_per_buffer", chunk_name="shard_name")
@renamed_fields(chunks="shards")
@dataclass(frozen=True)
class Schedule:
    """Which shard goes from whom to whom in which step.

    npus: how many NPUs take part, numbered from 0. shards: how many pieces the data are cut into.
    root: the NPU that broadcasts, reduces, scatters or gathers. dims: the sizes of the network dimensions
    (their product is `npus`; NPU numbers count along dimension 0 first). traits: of the algorithm.

    >>> doubling = ae.schedule("all-reduce", "halving-doubling", 4)
    >>> doubling
    <halving-doubling all-reduce on 4 NPUs: 4 steps, 4 shards>
    >>> [step.phase for step in doubling.steps()]
    ['reduce-scatter', 'reduce-scatter', 'all-gather', 'all-gather']
    >>> doubling.shard_name(2)
    'X2'
    """

    collective: Collective
    algorithm: str
    npus: int
    shards: int
    groups: tuple[Rounds, ...]
    root: int = 0
    dims: tuple[int, ...] = ()
    traits: Traits = USUAL

    def __post_init__(self) -> None:
        if not self.dims:
            object.__setattr__(self, "dims", (self.npus,))

    @property
    def blocks(self) -> int:
        """How many owned pieces the collective's data have."""
        return block_count(self.collective, self.npus)

    @property
    def parts(self) -> int:
        """How many shards make one block."""
        return self.shards // self.blocks

    @property
    def shards_per_buffer(self) -> int:
        """How many shards one NPU's largest buffer has (an all-to-all's n x n blocks are n to a buffer)."""
        return self.shards // self.npus if self.collective is Collective.ALL_TO_ALL else self.shards

    def buffer_bytes(self, size: int) -> int:
        """Bytes of one NPU's largest buffer when each NPU brings `size` bytes, as ASTRA-sim counts them."""
        gathers = self.collective in (Collective.ALL_GATHER, Collective.GATHER)
        return size * self.npus if gathers else size

    @property
    def step_count(self) -> int:
        """The number of steps."""
        return sum(group.count for group in self.groups)

    @property
    def symmetric(self) -> bool:
        """Whether every NPU does what NPU 0 does, seen from its own place."""
        return all(group.symmetric for group in self.groups)

    @cached_property
    def sent_by_0(self) -> list[tuple[Rounds, Counter[int], int]]:
        """What NPU 0 sends: (group, how many shards to whom in a step, how many steps like this in a row)."""
        return [
            (group, group.messages(step, 0), times) for group in self.groups for step, times in group.different_steps
        ]

    def step(self, index: int) -> Step:
        """Step number `index`, counted from 0. Raises IndexError outside 0 .. step_count - 1."""
        local = index
        for group in self.groups:
            if 0 <= local < group.count:
                return Step(index, group, local, self.npus)
            local -= group.count
        raise IndexError(f"step {index} of a schedule with {self.step_count} steps (numbered from 0)")

    def steps(self) -> Iterator[Step]:
        """All steps in order, each expanded only when asked for its transfers."""
        index = 0
        for group in self.groups:
            for local in range(group.count):
                yield Step(index, group, local, self.npus)
                index += 1

    def shard_name(self, shard: int) -> str:
        """The label on the slides and in the player: X3, X3b for a second part, X0→2 in an all-to-all."""
        part, block = divmod(shard, self.blocks)
        suffix = chr(ord("a") + part) if self.parts > 1 and self.blocks > 1 else ""
        if self.collective is Collective.ALL_TO_ALL:
            return f"X{block // self.npus}→{block % self.npus}{suffix}"
        return f"X{shard if self.blocks == 1 else block}{suffix}"

    def __repr__(self) -> str:
        where = "×".join(map(str, self.dims))
        return f"<{self.algorithm} {self.collective} on {where} NPUs: {self.step_count} steps, {self.shards} shards>"
