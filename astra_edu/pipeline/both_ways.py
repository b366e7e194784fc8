"""The stages of a pipeline that micro-batches go through from both ends."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from astra_edu.pipeline.orders import Pass
from astra_edu.pipeline.places import BOTH_WAYS, part_of, way_of
from astra_edu.pipeline.simulation import OFTEN, Simulation

if TYPE_CHECKING:
    import simpy


def pairs_of(passes: Sequence[Pass], micro_batches: int) -> frozenset[int]:
    """The places of those forward passes that run together with the backward pass behind them, of the other way.

    A stage's first backward pass is by itself: a gradient that all stages wait for is not kept back.

    >>> from astra_edu.pipeline import passes
    >>> from astra_edu.pipeline.both_ways import pairs_of
    >>> first = passes("dualpipe", 2, 4)[0]
    >>> print(*(f"{done.kind}{done.micro_batch}" for done in first))
    F0 F2 F1 B2 F3 B0 B3 B1 W1
    >>> pairs_of(first, 4)
    frozenset({4})
    """
    ways = [way_of(each.micro_batch, micro_batches, BOTH_WAYS) for each in passes]
    first = next((place for place, each in enumerate(passes) if each.kind == "B"), 0)
    return frozenset(
        place - 1
        for place in range(first + 1, len(passes))
        if passes[place].kind == "B" and passes[place - 1].kind == "F" and ways[place] != ways[place - 1]
    )


class BothWays(Simulation):
    """One run. A pair of passes begins when both have what they need, and both send on when both are done.

    hidden[part]: how much less a pair takes than its passes after each other, by the part of its forward pass. A
    backward pass whose weights are not a pass of their own is a whole one.
    """

    def __init__(self, *given: Any, hidden: Sequence[int]) -> None:
        """given: as Simulation takes it."""
        super().__init__(*given)
        self.hidden, self.micro_batches = hidden, len(self.due[0])
        self.split = [{each.micro_batch for each in own if each.kind == "W"} for own in self.listed]

    def part(self, stage: int, each: Pass) -> int:
        """The part of the model that a pass goes through."""
        return part_of(stage, way_of(each.micro_batch, self.micro_batches, BOTH_WAYS), self.stages, BOTH_WAYS)

    def place(self, part: int, each: Pass) -> tuple[int, int]:
        """(stage, virtual stage) that has a part for the way of a pass."""
        return part_of(part, way_of(each.micro_batch, self.micro_batches, BOTH_WAYS), self.stages, BOTH_WAYS), 0

    def _together(self, stage: int) -> list[list[Pass]]:
        """A stage's passes, one by one or in pairs."""
        listed, pairs = self.listed[stage], pairs_of(self.listed[stage], self.micro_batches)
        return [
            [each, listed[place + 1]] if place in pairs else [each]
            for place, each in enumerate(listed)
            if place - 1 not in pairs
        ]

    def _stage(self, stage: int) -> Generator[simpy.Event, None, None]:
        env, due, last, now = self.env, self.due, len(self.lasts) - 1, 0
        for together in self._together(stage):
            parts = [self.part(stage, each) for each in together]
            if together[0].kind == "W":
                steps, lengths = [], [self.weights[parts[0]]]
            else:
                steps = [k if each.kind == "F" else last - k for k, each in zip(parts, together, strict=True)]
                lengths = [self._length(stage, each, step) for each, step in zip(together, steps, strict=True)]
            if len(together) == 2:
                hidden = min(self.hidden[parts[0]], *lengths)
                lengths = [lengths[0] - hidden // 2, lengths[1] - (hidden - hidden // 2)]
            start = now
            for step, each in zip(steps, together, strict=False):
                if due[step][each.micro_batch] is None:
                    due[step][each.micro_batch] = event = env.event()
                    yield event
                    now = int(env.now)
                start = max(start, now, due[step][each.micro_batch])
            for length in lengths:
                self.starts[stage].append(start)
                start += length
                self.ends[stage].append(start)
            if len(self.ends[stage]) % OFTEN < len(lengths):
                self.show()
            yield env.timeout(start - now)
            now = start
            for step, each in zip(steps, together, strict=False):
                sleeper, due[step + 1][each.micro_batch] = due[step + 1][each.micro_batch], now + self.travels[step]
                if sleeper is not None:
                    sleeper.succeed()
            if self.blocking and steps and (travels := max(self.travels[step] for step in steps)):
                now += travels
                yield env.timeout(travels)

    def _length(self, stage: int, each: Pass, step: int) -> int:
        is_whole = each.kind == "B" and each.micro_batch not in self.split[stage]
        return self.lasts[step] + (self.weights[self.part(stage, each)] if is_whole else 0)
