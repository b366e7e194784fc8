"""From a collective to chunks, and from a chunk to the phases it goes through, as ASTRA-sim 2.x plans them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from astra_edu.base.deprecated import renamed_attributes
from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective, walk
from astra_edu.collectives.hierarchical import natural_order
from astra_edu.system.adds_up import check_group, on_network
from astra_edu.system.custom import CustomSizes
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import Baseline, Dimensions, Ordered, asked, inter_dimension
from astra_edu.system.known_plans import KnownPlans
from astra_edu.system.moves import Moves
from astra_edu.system.queue_turns import QueueTurns
from astra_edu.system.steps import StepMoves
from astra_edu.system.trace_config import TracePlatform

Kind = tuple[Collective, Implementation, int, int, bool]
"""What makes NPUs do the same in a phase: collective, how, NPUs, bytes, whether they are a process group's."""
KNOWN_DIMENSIONS = 4
"""A node without involved_dim runs over the first four dimensions; what ASTRA-sim does with a fifth is an accident."""


class LogicalRing(NamedTuple):
    """NPUs in the order of a logical ring: those of one dimension, of a process group, or all.

    npus: how many. stride: NPU numbers between neighbours; 0 in a process group, which lists its `members`.
    """

    npus: int
    stride: int
    how: Implementation
    members: tuple[int, ...] = ()

    def place(self, npu: int) -> int:
        """The place of an NPU in its ring."""
        return npu // self.stride % self.npus if self.stride else self.members.index(npu)

    def ring_of(self, npu: int) -> Sequence[int]:
        """The NPUs of the ring that an NPU is in, by place."""
        if not self.stride:
            return self.members
        first = npu - self.place(npu) * self.stride
        return range(first, first + self.npus * self.stride, self.stride)


Rings = tuple[LogicalRing, ...]


@renamed_attributes(size="chunk_bytes", final_size="final_bytes", lane="logical")
class PhasePlan(NamedTuple):
    """One chunk's stay on one dimension, the same for all NPUs.

    collective: what is carried out there. dimension: of the rings. queue: in which of the dimension's queues.
    chunk_bytes, final_bytes: what an NPU brings and has afterwards. clockwise: in which direction NPUs are counted.
    tree: for a double binary tree, which of the two.
    """

    collective: Collective
    dimension: int
    queue: int
    chunk_bytes: int
    final_bytes: int
    clockwise: bool
    tree: int
    logical: LogicalRing


def cut(collective: Collective, collective_bytes: int, splits: int, npus: int) -> tuple[int, int]:
    """(chunk_bytes, collective_bytes) when `collective_bytes` are cut into `splits` chunks on a machine of `npus` NPUs.

    Chunks have at least a byte for every NPU (an all-gather's NPUs bring their own), so a small collective grows.
    Raises ConfigError for an all-gather that is too small: ASTRA-sim would cut chunks of 0 bytes for ever.
    """
    chunk_bytes = collective_bytes // splits
    if collective is not Collective.ALL_GATHER and npus > chunk_bytes:
        return npus, splits * npus
    if not chunk_bytes:
        raise ConfigError(
            f"an all-gather of {collective_bytes} bytes per NPU can't be cut into preferred-dataset-splits = {splits} "
            f"chunks; it needs {splits} bytes at least (ASTRA-sim never ends there)."
        )
    return chunk_bytes, collective_bytes


class Planner:
    """Plans the chunks of an NPU's collectives, one collective after the other."""

    def __init__(self, platform: TracePlatform, shared: Shared) -> None:
        """shared: by all NPUs."""
        self.platform = platform
        system = platform.system
        self.queues = [QueueTurns(system.queues) for _ in platform.dims]
        self._inter = inter_dimension(system.inter_dimension, shared.dimensions)
        self._trees: dict[tuple[Collective, int], int] = {}
        self.shared = shared
        self._plain = type(self._inter) is Baseline and not shared.trees  # neither has a memory

    def begin(self, npu: int, now: int) -> None:
        """An NPU begins a collective: what decides for all hears of it, or this NPU's own policy."""
        if self._inter.together:
            self.shared.begin(npu, now)
        elif not self._plain:
            self._inter.begin(now)

    def rings(self, collective: Collective) -> Rings:
        """Where a collective of all NPUs runs: a logical for each dimension that has an implementation."""
        found = self.shared.rings.get(collective)
        if found is None:
            sizes = self.platform.dims
            hows = on_network(self.platform.implementations(collective), self.shared.given)
            if hows[0].flat:
                found = (LogicalRing(prod(sizes), 1, hows[0]),)
            else:
                strides = [prod(sizes[:d]) for d in range(len(sizes))]
                found = tuple(LogicalRing(*logical) for logical in zip(sizes, strides, hows, strict=False))
            self.shared.rings[collective] = found
        return found

    def group_ring(self, collective: Collective, members: tuple[int, ...]) -> LogicalRing:
        """Where a collective of a smaller process group runs: one ring of its members."""
        if not (hows := self.platform.system.implementations.get(collective) or ()):
            self.platform.implementations(collective)  # says what is missing
        how = hows[0] if len(hows) == 1 else Implementation.parse("ring")
        if how.traits.tree:
            raise ConfigError(
                "doubleBinaryTree in a process group crashes ASTRA-sim (a group is a ring there); take ring, direct "
                "or halvingDoubling."
            )
        check_group(self.platform, how, self.shared.given)
        return LogicalRing(len(members), 0, how, members)

    def chunks(
        self,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        rings: Rings,
        first_stream: int,
    ) -> list[tuple[PhasePlan, ...]]:
        """The phases of each chunk of a collective; empty where it runs over no dimension of more than one NPU.

        involved: for each dimension whether it runs over it; None means the first four, and a missing one that it
        doesn't. first_stream: the number of the collective's first chunk on this NPU.
        """
        if not self._plain:
            return self._chunks(collective, collective_bytes, involved, rings, first_stream)
        members = id(rings[0].members) if not rings[0].stride else 0
        asked = collective, collective_bytes, None if involved is None else tuple(involved), members
        return self.shared.plans.plans(
            asked, self.queues, lambda: self._chunks(collective, collective_bytes, involved, rings, first_stream)
        )

    def _chunks(
        self, collective: Collective, collective_bytes: int, involved: Sequence[bool] | None, rings: Rings, first: int
    ) -> list[tuple[PhasePlan, ...]]:
        known = (True,) * KNOWN_DIMENSIONS if involved is None else involved
        use = [d < len(known) and known[d] for d in range(len(rings))]
        usable = [wanted and logical.npus > 1 for wanted, logical in zip(use, rings, strict=True)]
        chunk_bytes, left_bytes = cut(collective, collective_bytes, self.platform.system.splits, self.platform.npus)
        grouped = not rings[0].stride
        together = self._inter.together and collective is not Collective.ALL_TO_ALL and not grouped
        own = self._inter.in_groups if grouped else not self._inter.together
        plans: list[tuple[PhasePlan, ...]] = []
        while left_bytes > 0:
            taken = chunk_bytes
            if together:
                stream = first + len(plans)
                order, taken = self.shared.order(
                    stream, collective, chunk_bytes, left_bytes, (*use, *[True] * len(self.queues))
                )
                order = self._within(order[: len(rings)], rings)
            elif own:
                order, _ = asked(self._inter, collective, chunk_bytes, left_bytes, use)
            else:
                order = natural_order(collective, len(rings))
            left_bytes -= taken
            phases = self._phases(collective, [d for d in order if usable[d]], taken, rings)
            if not phases:
                return []
            plans.append(phases)
        return plans

    @staticmethod
    def _within(order: Sequence[int], rings: Rings) -> Sequence[int]:
        """Themis orders all dimensions; ASTRA-sim takes as many as there are implementations, and may crash."""
        if any(d >= len(rings) for d in order):
            raise ConfigError(
                f"Themis wants dimension {max(order)} for a chunk, but the collective has only "
                f"{len(rings)} implementations: {[logical.how.spelling for logical in rings]}. Give one a dimension."
            )
        return order

    def _phases(
        self, collective: Collective, order: Sequence[int], chunk_bytes: int, rings: Rings
    ) -> tuple[PhasePlan, ...]:
        system = self.platform.system
        one_each = system.optimization == "baseline"
        steps = walk(collective, order, self._inter.halves, one_each)
        two_ways = collective is Collective.ALL_REDUCE and not one_each
        phases = []
        for what, d in steps:
            queues = self.queues[d]
            if not two_ways:
                queue, clockwise = queues.next_any()
            elif what is Collective.ALL_GATHER:
                queue, clockwise = queues.next_down()
            else:
                queue, clockwise = queues.next_up()
            logical, final, tree = rings[d], chunk_bytes, 0
            if logical.how.traits.tree:
                tree = self._trees.get((collective, d), 0)
                self._trees[collective, d] = 1 - tree
                what = Collective.ALL_REDUCE
            elif what is Collective.ALL_GATHER:
                final = chunk_bytes * logical.npus
            elif what is Collective.REDUCE_SCATTER:
                final = chunk_bytes // logical.npus
            phases.append(PhasePlan(what, d, queue, chunk_bytes, final, clockwise, tree, logical))
            chunk_bytes = final
        return tuple(phases)


class Shared:
    """What all NPUs share: what was found so far, and a policy with which the NPU that comes first decides for all."""

    def __init__(self, platform: TracePlatform, given: bool = False) -> None:
        """Nothing is decided yet. given: whether the run was given a network in place of the platform's."""
        self.given = given
        npus = tuple(block.npus for block in platform.blocks) or platform.dims
        bandwidths = tuple(block.bandwidth for block in platform.blocks) or (1.0,) * len(npus)
        self.dimensions = Dimensions(npus, bandwidths)
        self.policy = inter_dimension(platform.system.inter_dimension, self.dimensions)
        self._decided: dict[int, Ordered] = {}
        self.custom_sizes = CustomSizes()
        self.trees = any(how.traits.tree for hows in platform.system.implementations.values() for how in hows)
        self.rings: dict[Collective, Rings] = {}
        self.group_rings: dict[tuple[Collective, int], Rings] = {}
        self.plans: KnownPlans[list[tuple[PhasePlan, ...]]] = KnownPlans()
        self.moves: dict[Kind, Moves] = {}
        self.steps: dict[Kind, StepMoves] = {}

    def begin(self, npu: int, now: int) -> None:
        """An NPU begins a collective. Only NPU 0 makes a policy forget what collectives before this ns have sent."""
        if npu == 0:
            self.policy.begin(now)

    def order(
        self, stream: int, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]
    ) -> Ordered:
        """The order for the chunk with number `stream`, and its size."""
        if stream not in self._decided:
            self._decided[stream] = asked(self.policy, collective, chunk_bytes, left_bytes, involved)
        return self._decided[stream]
