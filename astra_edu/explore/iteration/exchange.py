"""What the exchange of gradients delays, with the copies' network as a queue: one collective after the other.

A pass waits for the parameters that it gathers, and they for the gradients that were on the network before them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from astra_edu.explore.iteration.parts import Step

FOLLOWED = 8
"""So many micro-batches at most: the others take as long as the last of these, if they haven't become alike before."""

Blocks = list[list[Step]]


def exposed_ns(
    steps: Sequence[Step], times: int, hides: bool = True, numbers: Sequence[Hashable] | None = None
) -> float:
    """By how much both passes of all micro-batches end later for the exchange, with the parameters' gathering.

    steps: in the order of the forward pass. times: for how many micro-batches gradients are exchanged. Where that takes
    longer than both passes, it falls behind more and more. hides: whether it goes on behind the passes at all.
    numbers: for each operator that of its block, where a block's parameters are gathered behind the block before.

    An operator computes for 10 ns forwards and 20 backwards, 5 of either for its parameters. Its gradients keep the
    network for 30 ns, so that the second micro-batch's gathering begins so much later, if it hasn't kept them:

    >>> from astra_edu.explore.iteration.exchange import exposed_ns
    >>> from astra_edu.explore.iteration.network_times import Took
    >>> from astra_edu.explore.iteration.parts import Step
    >>> gathers, kept = (Step(10, 20, 20, 0, 0, 0, turns, Took(30, 30)) for turns in ((5, 5), (0, 0)))
    >>> exposed_ns([gathers], 1), exposed_ns([gathers], 2), exposed_ns([kept], 2)
    (30.0, 60.0, 30.0)
    """
    blocks = [list(steps)] if numbers is None else _by_block(steps, numbers)
    clock = _Clock(prefetches=numbers is not None)
    nothing_ns = sum(step.forward_ns + step.backward_ns for step in steps)
    left = more = 0.0
    for count in range(1, times + 1):
        clock.both_passes(blocks, hides)
        more_before, more, left = more, clock.end_ns - count * nothing_ns - left, clock.end_ns - count * nothing_ns
        if count == FOLLOWED or (count > 1 and abs(more - more_before) < 1):
            left += more * (times - count)
            break
    return max(0.0, left) + sum(step.gather_ns for step in steps)


def weights_alone(step: Step) -> Step:
    """Of a backward pass in two, the second one, which comes last and gathers nothing."""
    nothing = (0.0, 0.0)
    return step._replace(backward_ns=step.weight_ns, gathers_ns=nothing, hidden_ns=nothing, late_ns=nothing)


def exchanged_ns(passes: Iterable[tuple[float, Sequence[Step]]]) -> float:
    """When the gradients of all passes of a stage are exchanged, in turn, each operator's once they are known.

    passes: when each backward pass begins, in their order, and its operators in that of the forward pass.

    Of two passes of 20 ns the first one's gradients keep the network for 30 ns, until 50, and the second one's follow:

    >>> from astra_edu.explore.iteration.exchange import exchanged_ns
    >>> from astra_edu.explore.iteration.network_times import Took
    >>> from astra_edu.explore.iteration.parts import Step
    >>> one = [Step(10, 20, 20, 0, 0, exchange=Took(30, 30))]
    >>> exchanged_ns([(0, one), (20, one)]), exchanged_ns([(0, one), (90, one)])
    (80.0, 140.0)
    """
    clock = _Clock(prefetches=False)
    for clock.now, steps in passes:
        for step in reversed(steps):
            clock.now += step.backward_ns
            if step.exchange:
                clock._exchange(step)
    return float(clock.exchanged)


def exchanging_ns(steps: Sequence[Step]) -> float:
    """How long that takes of a pass if everything waits for it."""
    return exchanged_ns([(0.0, [step._replace(backward_ns=0.0) for step in steps])])


def _by_block(steps: Sequence[Step], numbers: Sequence[Hashable]) -> Blocks:
    pairs = zip(numbers, steps, strict=True)
    return [[step for _, step in block] for _, block in groupby(pairs, key=lambda pair: pair[0])]


@dataclass
class _Clock:
    """now: of the pass, in ns. free: when the network has its next turn. across: the same between shard groups.

    exchanged: when the last gradients are.
    """

    prefetches: bool
    now: float = 0.0
    free: float = 0.0
    across: float = 0.0
    exchanged: float = 0.0
    held: list[Step] = field(default_factory=list)

    @property
    def end_ns(self) -> float:
        return max(self.now, self.exchanged)

    def both_passes(self, blocks: Blocks, hides: bool) -> None:
        """Of one micro-batch. hides: whether gradients are exchanged when they are known, or after the pass."""
        for way, order in ((0, blocks), (1, blocks[::-1])):
            asked = self._gathered(order[0], way) if self.prefetches else 0.0
            for k, block in enumerate(order):
                if self.prefetches:
                    self.now = max(self.now, asked)
                    asked = self._gathered(order[k + 1], way) if k + 1 < len(order) else 0.0
                if way == 0 and not any(step.gathers_ns[0] for step in block):
                    self.now += sum(step.forward_ns - step.late_ns[0] for step in block)
                    continue
                for step in block if way == 0 else reversed(block):
                    self._step(step, way, hides)
        for step in self.held:
            self._exchange(step)
        if self.held:
            self.held, self.now = [], self.end_ns

    def _gathered(self, block: Sequence[Step], way: int) -> float:
        """When a block has its parameters, if it asks for them now."""
        if not any(step.hidden_ns[way] for step in block):
            return 0.0
        start = max(self.free, self.now)
        self.free = start + sum(step.gathers_ns[way] for step in block)
        return start + sum(step.hidden_ns[way] for step in block)

    def _step(self, step: Step, way: int, hides: bool) -> None:
        if not self.prefetches and step.gathers_ns[way]:
            self.now = max(self.now, self.free)
            self.free = self.now + step.gathers_ns[way]
        self.now += (step.backward_ns if way else step.forward_ns) - step.late_ns[way]
        if way and step.exchange:
            if hides:
                self._exchange(step)
            else:
                self.held.append(step)

    def _exchange(self, step: Step) -> None:
        assert step.exchange
        start = max(self.free, self.now)
        self.free, ended = start + step.exchange.turn_ns, start + step.exchange.total_ns
        if step.across:
            start = max(self.across, ended)
            self.across, ended = start + step.across.turn_ns, start + step.across.total_ns
        self.exchanged = max(self.exchanged, ended)
