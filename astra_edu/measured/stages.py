"""How long a pipeline takes, in closed form: the passes of the stage that paces it, and what that stage waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

FORWARD = 1 / 3
"""Of both passes, what the forward one takes if nothing is recomputed."""


def pipeline_seconds(
    stages: Sequence[float], micro_batches: int, virtual: int = 1, message: float = 0.0, forward: float = FORWARD
) -> float:
    """The time of an iteration by 1F1B, or interleaved where there are several virtual stages.

    stages: both passes of a micro-batch through each stage, in s. message: from a virtual stage to the next, in s; it
    takes time, but keeps no stage busy. forward: the forward pass, as a part of both.

    Every stage sets a bound: its passes, and what it must wait for before, between and behind them. The largest counts.
    Stages alike without messages give (m + (p - 1) / v) of a stage's time, as in arXiv 2104.04473. Tests hold it
    against `run_pipeline`: of 2,000 random pipelines 1,996 are within 2 %, on average 0.1 % off. Interleaved stages
    with as many micro-batches as stages, of which the last one is quicker, are off most, up to 6 % too long.

    >>> from astra_edu.measured.stages import pipeline_seconds
    >>> [pipeline_seconds([3, 3, 3, 3], 8, virtual) for virtual in (1, 2)]
    [33.0, 28.5]
    """
    work = _Work(tuple(stages), micro_batches, virtual, message if len(stages) > 1 else 0.0, forward)
    bound = work.one_at_a_time if virtual == 1 else work.interleaved
    return max(bound(stage) for stage in range(len(stages)))


@dataclass(frozen=True)
class _Work:
    stages: tuple[float, ...]
    micro_batches: int
    virtual: int
    message: float
    forward: float

    def one_at_a_time(self, stage: int) -> float:
        """1F1B: behind a stage, no more micro-batches are on their way than there are stages."""
        own, message, often = self.stages[stage], self.message, self.micro_batches
        passes, below = sum(self.stages[stage + 1 :]), len(self.stages) - 1 - stage
        ahead = min(below, often - 1)  # micro-batches sent on before the first one is back
        before = sum(self.stages[:stage]) + 2 * stage * message
        first = max(self.first_back(stage, turn) for turn in range(stage, len(self.stages)))
        still, behind = ahead * own * (1 - self.forward), passes * ahead / max(1, below)

        def last(messages: int) -> float:
            return max(0.0, behind + 2 * max(0, messages) * message - still)

        unhindered = often * own + last(ahead - (often <= below + 1))
        paced = (ahead + 1) * own + (often - ahead - 1) * self.round(stage) + last(ahead - 1)
        return before + first + max(unhindered, paced)

    def first_back(self, stage: int, turn: int) -> float:
        """How long a stage waits for the first micro-batch to come back, if the stage `turn` behind it has all forward
        passes to do first that it does before.
        """
        ahead, later = (min(len(self.stages) - each, self.micro_batches) for each in (stage, turn))
        passes = sum(self.stages[stage + 1 : turn + 1]) + 2 * (turn - stage) * self.message
        return passes - (ahead - later) * self.stages[stage] * self.forward

    def round(self, stage: int) -> float:
        """How long a micro-batch takes where a stage waits for those behind it, as many of which as make it longest."""
        took = accumulate(self.stages[stage:])
        return max((sum_ + 2 * k * self.message) / (k + 1) for k, sum_ in enumerate(took))

    def interleaved(self, stage: int) -> float:
        """Twice as many are on their way, which hides messages, and in time the passes of stages that are quicker."""
        own, count, often, message = self.stages[stage], len(self.stages), self.virtual, self.message
        passes, below = sum(self.stages[stage + 1 :]), count - 1 - stage
        later = self.micro_batches * often - (often - 1) * count - 1  # passes of the last part, but for the first one
        ahead = max(0, min(2 * below, later))
        before = sum(self.stages[:stage]) / often + 2 * stage * message
        first = max(0.0, (passes - ahead * own * self.forward) / often + 2 * below * message)
        quicker = (below * own - passes) / max(1, below)
        hidden = max(0, later + 1 - below) * quicker
        last = max(0.0, min(ahead * own * self.forward - hidden, passes * (1 - self.forward))) / often
        spare = (count * own - sum(self.stages)) / often  # while a micro-batch goes once around all stages
        around = sum(max(0.0, count * message - part * spare) for part in (self.forward, 1 - self.forward))
        return before + first + last + self.micro_batches * own + (often - 1) * around
