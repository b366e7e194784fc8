"""A pipeline's iteration, simulated in SimPy: a process for each stage, which takes its passes in their order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from astra_edu.base.errors import ConfigError, flag, whole
from astra_edu.base.units import several
from astra_edu.pipeline.checked import passes
from astra_edu.pipeline.orders import ORDERS, Order, Pass, Passes, name_of
from astra_edu.pipeline.outcome import PipelineRun
from astra_edu.pipeline.places import FOLDED, part_of, place_of, placement_of

if TYPE_CHECKING:
    import simpy

Times = int | Sequence[int]
LONGEST_NS = 10**18
"""The longest time of a pass or a transfer, 31.7 years."""
_NAMED = 6  # stages that the sentence about a deadlock names


def run_pipeline(
    order: str | Order | Sequence[Iterable[Pass]],
    stages: int,
    micro_batches: int,
    forward_ns: Times,
    backward_ns: Times,
    p2p_ns: Times = 0,
    virtual: int = 1,
    blocking: bool = False,
    weight_ns: Times | None = None,
) -> PipelineRun:
    """Run one iteration and return when every pass ran.

    order: a name in ORDERS, a function like those there, or the passes of each stage. virtual: how many virtual
    stages a stage holds. The model is cut into stages × virtual parts; part k is virtual stage k // stages of
    stage k % stages, or, in a folded order, the second ones go back from the last stage to the first.

    forward_ns, backward_ns: one micro-batch's time, in whole ns: one number for every stage; one for each stage; or,
    with several virtual stages, one for each part. The time of a stage is that of all its parts together. It is divided
    evenly among them, and where that leaves a remainder, its first parts take 1 ns more, so that no time is lost.

    p2p_ns: how long the activations, or their gradient, travel from one part to the next: one number, or one for
    each of the stages × virtual - 1 boundaries. Between parts of the same stage nothing travels. A transfer takes
    time but occupies neither stage, and transfers don't wait for each other; with blocking=True the sending stage
    computes nothing until what it sends has arrived.

    weight_ns: of backward_ns, what the gradients of the weights take, for orders that split the backward pass; half
    of it if it isn't given.

    Raises ConfigError for numbers out of range, for an order with missing, unknown or repeated passes, and for one
    that comes to a standstill; then it says what each stage waits for.

    >>> gpipe, early = (ae.run_pipeline(order, 4, 8, 1000, 2000) for order in ("gpipe", "1f1b"))
    >>> gpipe.total_ns, early.total_ns
    (33000, 33000)
    >>> gpipe.in_flight, early.in_flight
    ((8.0, 8.0, 8.0, 8.0), (4.0, 3.0, 2.0, 1.0))
    """
    flag("blocking", blocking)
    listed = passes(order, stages, micro_batches, virtual)
    stages, micro_batches, virtual = int(stages), int(micro_batches), int(virtual)
    parts = stages * virtual
    forward = _of_parts("forward_ns", forward_ns, stages, virtual)
    backward = _of_parts("backward_ns", backward_ns, stages, virtual)
    p2p = _of_boundaries(p2p_ns, stages, parts)
    placement = placement_of(ORDERS.get(order) if isinstance(order, str) else order)
    if placement == FOLDED:
        p2p[stages - 1] = 0
    weights = _of_weights(weight_ns, backward, stages, virtual, any(each.kind == "W" for each in listed[0]))
    inputs = [whole - own for whole, own in zip(backward, weights, strict=True)]
    lasts, travels = [*forward, *reversed(inputs)], [*p2p, 0, *reversed(p2p), 0]
    simulation = _Simulation(listed, lasts, travels, micro_batches, blocking, weights, placement)
    simulation.run()
    return PipelineRun(
        order if isinstance(order, str) else getattr(order, "__name__", "own order"),
        stages,
        micro_batches,
        virtual,
        int(simulation.env.now),
        listed,
        tuple(map(tuple, simulation.starts)),
        tuple(map(tuple, simulation.ends)),
        tuple(forward),
        tuple(backward),
        tuple(p2p),
        blocking,
        tuple(weights),
        placement,
    )


class _Simulation:
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
        for stage in range(self.stages):
            self.env.process(self._stage(stage))
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
            sleeper, due[step + 1][i] = due[step + 1][i], end + travels[step]
            if sleeper is not None:
                sleeper.succeed()
            if self.blocking and travels[step]:
                now += travels[step]
                yield env.timeout(travels[step])

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
        part = part_of(stage, wanted.virtual_stage, self.stages, self.placement)
        step = -1 if wanted.kind == "F" else 1
        if wanted.kind == "B" and wanted._replace(kind="F") not in done:
            needs = "its own F of it, which comes later"
        else:
            other, v = place_of(part + step, self.stages, self.placement)
            needs = f"{name_of(wanted._replace(virtual_stage=v), self.virtual)} on stage {other}"
        return f"Stage {stage} is to run {name_of(wanted, self.virtual)} and waits for {needs}."


def _of_parts(name: str, times: Times, stages: int, virtual: int) -> list[int]:
    """One time for each part of the model."""
    parts = stages * virtual
    given = _numbers(name, times, stages, parts)
    if len(given) == parts:
        return given
    quotients = [divmod(time, virtual) for time in given]
    return [time + (v < rest) for v in range(virtual) for time, rest in quotients]


def _of_weights(times: Times | None, backward: Sequence[int], stages: int, virtual: int, split: bool) -> list[int]:
    """Of each part's backward pass, what its weights take; nothing in an order that doesn't split it."""
    if not split:
        return [0] * len(backward)
    given = [whole // 2 for whole in backward] if times is None else _of_parts("weight_ns", times, stages, virtual)
    for part, (own, most) in enumerate(zip(given, backward, strict=True)):
        if own > most:
            raise ConfigError(
                f"weight_ns is {own:,} for part {part}, whose whole backward pass takes {most:,} ns; the weights' is a "
                "part of it."
            )
    return given


def _of_boundaries(times: Times, stages: int, parts: int) -> list[int]:
    given = _numbers("p2p_ns", times, parts - 1, parts - 1)
    return given if stages > 1 else [0] * (parts - 1)


def _numbers(name: str, times: Times, *counts: int) -> list[int]:
    """`times` as one of as many numbers as `counts` says, the first count for a single number."""
    if not isinstance(times, Iterable) or isinstance(times, str):
        return [_ns(name, times)] * counts[0]
    given = [_ns(f"{name}[{place}]", time) for place, time in enumerate(times)]
    if len(given) not in counts:
        allowed = " or ".join(map(str, sorted(set(counts))))
        raise ConfigError(f"{name} has {several(len(given), 'number')}; give one for all, or {allowed} of them.")
    return given


def _ns(name: str, time: object) -> int:
    given = whole(name, time, at_least=0)
    if given > LONGEST_NS:
        raise ConfigError(f"{name} is more than {LONGEST_NS:,} ns, which is 31.7 years; that is the most.")
    return given
