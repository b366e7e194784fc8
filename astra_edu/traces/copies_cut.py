"""Which of a network's logical dimensions each group of a strategy is, where the copies fall into groups themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute.operator import divisors, near
from astra_edu.workload.strategies import Strategy


@dataclass(frozen=True)
class Cut:
    """tensor and pipeline: logical dimensions of these groups. within: for each of a copies' dimension, how many NPUs
    it and those before it have.

    >>> from astra_edu.traces.copies_cut import Cut
    >>> cut = Cut.of(ae.Strategy(tensor=4, data=4, context=2, expert=4))
    >>> cut.logical, cut.uses("context"), cut.uses("expert data")
    ((4, 2, 2, 2, 1), (False, True, False, False, False), (False, False, False, True, False))
    """

    strategy: Strategy
    logical: tuple[int, ...]
    within: tuple[int, ...]

    @classmethod
    def of(cls, strategy: Strategy) -> Cut:
        """Raises ConfigError where two groups of copies overlap without one being in the other."""
        sizes = {"context": strategy.context, "expert": strategy.expert_copies, "shard": strategy.shard_group or 1}
        within = sorted({*sizes.values(), strategy.copies})
        for small, large in pairwise(within):
            if large % small:
                fitting = [n for n in divisors(strategy.copies) if n % small == 0 or small % n == 0]
                raise ConfigError(
                    f"groups of {small} and of {large} copies overlap without one being in the other, which a trace's "
                    f"dimensions can't say; {near(large, fitting)} in place of {large} would do."
                )
        within = [size for size in within if size > 1] or [1]
        each = [large // small for small, large in pairwise([1, *within])]
        inner = [strategy.tensor, *each] if strategy.placement == "tensor-first" else [*each, strategy.tensor]
        return cls(strategy, (*inner, strategy.pipeline), tuple(within))

    def uses(self, group: str) -> tuple[bool, ...]:
        """Over which logical dimensions a group's collectives run."""
        cut = self.strategy
        of = {"context": cut.context, "expert": cut.expert_copies, "shard": cut.shard_group or 1, "data": cut.copies}
        outer = {"expert data": cut.expert_copies, "replica": cut.shard_group or 1}
        copies = [size <= of[group] if group in of else size > outer.get(group, cut.copies) for size in self.within]
        tensor = [group == "tensor" or (group == "expert" and cut.whole_experts)]
        return (*(tensor + copies if cut.placement == "tensor-first" else copies + tensor), False)

    def ring(self, npus: range) -> Iterator[tuple[int, int]]:
        """Each NPU, and the next of its context group."""
        step = self.strategy.tensor if self.strategy.placement == "tensor-first" else 1
        around = step * self.strategy.context
        for npu in npus:
            start = npu - (npu - npus.start) % around
            yield npu, start + (npu - start + step) % around
