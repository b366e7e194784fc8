"""A pipeline's stages as processes in SimPy, each of which takes its passes in their order."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.base.units import several
from astra_edu.pipeline.orders import Pass, Passes, name_of
from astra_edu.pipeline.places import part_of, place_of

if TYPE_CHECKING:
    import simpy

OFTEN = 64
"""After so many of its passes a stage looks whether a bar is to be shown."""
_NAMED = 6  # stages that the sentence about a deadlock names


class Simulation:
    """One run. The way of a micro-batch has 2 × parts steps: forwards through every part, and backwards again.

    lasts[step]: the time of a pass; travels[step]: of its result to the next step. due[step][micro-batch]: when what
    the pass needs has arrived; before that is known None, or the event for which the stage sleeps.
    """

    def __init__(
        self,
        listed: Passes,
        lasts: Sequence[int],
        travels: Sequence[int],
        micro_batches: int,
        blocking: bool,
        weights: Sequence[int],
        placement: str,
    ) -> None:
        """All as run_pipeline has it; weights[part]: ns of a W."""
        import simpy

        self.env = simpy.Environment()
        self.listed, self.lasts, self.travels, self.blocking = listed, lasts, travels, blocking
        self.weights, self.placement = weights, placement
        self.stages, self.virtual = len(listed), len(lasts) // len(listed) // 2
        self.due: list[list[Any]] = [[None] * micro_batches for _ in range(len(lasts) + 1)]
        self.due[0] = [0] * micro_batches
        self.starts: list[list[int]] = [[] for _ in listed]
        self.ends: list[list[int]] = [[] for _ in listed]

    def run(self) -> None:
        """Go on until nothing is left to do. Raises ConfigError if the order comes to a standstill."""
        for stage in range(self.stages):
            self.env.process(self._stage(stage))
        with Bar("simulating the pipeline", " passes", sum(map(len, self.listed))) as self.bar:
            self.env.run()
        if any(len(done) < len(asked) for done, asked in zip(self.ends, self.listed, strict=True)):
            raise ConfigError(self._standstill())

    def _stage(self, stage: int) -> Generator[simpy.Event, None, None]:
        """Take the passes in turn: wait for what the next one needs, compute, and say when the result arrives."""
        env, due, lasts, travels = self.env, self.due, self.lasts, self.travels
        starts, ends, stages, last = self.starts[stage], self.ends[stage], self.stages, len(self.lasts) - 1
        now = 0
        for kind, i, v in self.listed[stage]:
            part = part_of(stage, v, stages, self.placement)
            if kind == "W":
                starts.append(now)
                now += self.weights[part]
                yield env.timeout(self.weights[part])
                ends.append(now)
                continue
            step = part if kind == "F" else last - part
            arrives = due[step][i]
            if arrives is None:
                due[step][i] = event = env.event()
                yield event
                now, arrives = int(env.now), due[step][i]
            start = arrives if arrives > now else now
            end = start + lasts[step]
            starts.append(start)
            yield env.timeout(end - now)
            now = end
            ends.append(end)
            if not len(ends) % OFTEN:
                self.show()
            sleeper, due[step + 1][i] = due[step + 1][i], end + travels[step]
            if sleeper is not None:
                sleeper.succeed()
            if self.blocking and travels[step]:
                now += travels[step]
                yield env.timeout(travels[step])

    def show(self) -> None:
        """How many passes are done."""
        self.bar.show(sum(map(len, self.ends)))

    def part(self, stage: int, each: Pass) -> int:
        """The part of the model that a pass goes through."""
        return part_of(stage, each.virtual_stage, self.stages, self.placement)

    def place(self, part: int, each: Pass) -> tuple[int, int]:
        """(stage, virtual stage) where a pass's micro-batch goes through a part."""
        return place_of(part, self.stages, self.placement)

    def _standstill(self) -> str:
        """What each stage waits for, in sentences."""
        waits = []
        for stage, (ends, asked) in enumerate(zip(self.ends, self.listed, strict=True)):
            if len(ends) < len(asked):
                waits.append(self._wait(stage, asked[len(ends)], asked[: len(ends)]))
        rest = len(waits) - _NAMED
        more = f" {several(rest, 'more stage')} {'wait' if rest > 1 else 'waits'}, too." if rest > 0 else ""
        return f"This order comes to a standstill at {self.env.now:,} ns. {' '.join(waits[:_NAMED])}{more}"

    def _wait(self, stage: int, wanted: Pass, done: Sequence[Pass]) -> str:
        part = self.part(stage, wanted)
        step = -1 if wanted.kind == "F" else 1
        if wanted.kind == "B" and wanted._replace(kind="F") not in done:
            needs = "its own F of it, which comes later"
        else:
            other, v = self.place(part + step, wanted)
            needs = f"{name_of(wanted._replace(virtual_stage=v), self.virtual)} on stage {other}"
        return f"Stage {stage} is to run {name_of(wanted, self.virtual)} and waits for {needs}."
