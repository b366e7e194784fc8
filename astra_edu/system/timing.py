"""The time of one schedule on a network: what the endpoint adds to the messages, and who waits for whom.

An NPU starts a phase after one endpoint delay. It sends the messages of a step at once, and is ready for its
next step one endpoint delay after the last message of this step has reached it, plus, if the step reduces,
three memory accesses (read both operands, write the sum). Where every NPU does the same, NPU 0's story is
everybody's; otherwise every NPU is followed.

Sizes follow ASTRA-sim: `size` is what an NPU brings, the whole buffer for all collectives but the all-gather
and the gather, where it is the NPU's own block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from astra_edu.collectives.schedule import Rounds, Schedule, Transfer
from astra_edu.errors import whole
from astra_edu.network import Dimension, dimensions
from astra_edu.system import reference
from astra_edu.system.routes import Routes, Sent

Span = tuple[float, float]


@dataclass(frozen=True)
class Stretch:
    """`steps` equal steps in a row, as one NPU sees them; times in ns.

    message_bytes, message_ns, hops: of the message that arrives last in each step. arrivals: for each of the NPU's
    transfers, when it arrives after the step's start.
    """

    phase: str
    dimension: int
    steps: int
    start_ns: float
    message_bytes: int
    message_ns: float
    hops: int
    endpoint_ns: float
    reduction_ns: float
    arrivals: tuple[float, ...] = field(repr=False)

    @property
    def step_ns(self) -> float:
        """From one step's start to the next."""
        return self.message_ns + self.endpoint_ns + self.reduction_ns


@dataclass(frozen=True)
class ScheduleTime:
    """When everything in a schedule of `steps` steps happens.

    total_ns: until every NPU is done. sent_bytes: by NPU 0. stretches: the sum behind the time; empty where
    NPUs or their messages differ and the time is the longest chain of waiting.
    """

    total_ns: float
    sent_bytes: int
    steps: int
    stretches: tuple[Stretch, ...]
    _spans: Callable[[int], list[Span]] = field(repr=False)

    def spans(self, step: int) -> list[Span]:
        """(start_ns, end_ns) of every transfer of step number `step` (from 0), in the order of its transfers.

        Raises IndexError where there is no such step.
        """
        if not 0 <= step < self.steps:
            raise IndexError(f"step {step} of {self.steps} (numbered from 0)")
        return self._spans(step)


def time_schedule(
    schedule: Schedule,
    network: Sequence[Dimension] | Dimension,
    size: int,
    endpoint_delay: int = 10,
    window: int | None = None,
) -> ScheduleTime:
    """Time one run of `schedule` over the dimensions of `network`, without splitting its data.

    size in bytes, as ASTRA-sim counts it (see above); endpoint_delay in whole ns. window: how many messages an
    NPU has on their way at once in the direct algorithm (None: all of a step). Over several dimensions each step
    of a direct phase waits for its last message; `simulate` follows the messages one by one there, too.
    Raises ConfigError when the network's sizes are not the schedule's or a number makes no sense.
    """
    endpoint = whole("endpoint_delay", endpoint_delay, at_least=0)
    routes = Routes(schedule, dimensions(network), endpoint, window)
    size = whole("size", size, at_least=0)
    if routes.one_by_one:
        return _one_by_one(routes, size)
    return _symmetric(routes, size) if routes.alike else _everyone(routes, size)


def _one_by_one(routes: Routes, size: int) -> ScheduleTime:
    followed = routes.followed(size)
    schedule = routes.schedule
    peers = schedule.npus - 1
    rows = followed.spans * (schedule.npus if routes.alike else 1)

    def spans(step: int) -> list[Span]:
        return [span for row in rows for span in row[step * peers : (step + 1) * peers]]

    return ScheduleTime(followed.total_ns, sum(routes.sent_bytes(size)), schedule.step_count, (), spans)


def _symmetric(routes: Routes, size: int) -> ScheduleTime:
    schedule = routes.schedule
    stretches: list[Stretch] = []
    now: float = 0
    dimension = None
    for group, step, times, ways in routes.steps:
        if group.dimension != dimension:
            now += routes.endpoint
            dimension = group.dimension
        messages = [routes.message(group, route, size) for route in ways]
        last = max(messages)
        stretch = Stretch(
            group.phase,
            group.dimension,
            times,
            now,
            last.size,
            last.ns,
            last.hops,
            routes.endpoint,
            reference.reduction_ns(schedule, group, step, last.size),
            tuple(m.ns for m, route in zip(messages, ways, strict=True) for _ in range(route.chunks)),
        )
        now += times * stretch.step_ns
        stretches.append(stretch)

    def spans(step: int) -> list[Span]:
        for stretch in stretches:
            if step < stretch.steps:
                start = stretch.start_ns + step * stretch.step_ns
                return [(start, start + ns) for ns in stretch.arrivals] * schedule.npus
            step -= stretch.steps
        raise AssertionError("the stretches make up all steps")

    return ScheduleTime(now, sum(routes.sent_bytes(size)), schedule.step_count, tuple(stretches), spans)


def _everyone(routes: Routes, size: int) -> ScheduleTime:
    schedule = routes.schedule
    ready: list[float] = [routes.endpoint] * schedule.npus
    table: list[list[Span]] = []
    dimension = 0
    for step in schedule.steps():
        group = step.rounds
        if group.dimension != dimension:
            ready = [time + routes.endpoint for time in ready]
            dimension = group.dimension
        after = list(ready)
        row = []
        for t, message in zip(step.transfers, _each(routes, group, step.transfers, size), strict=True):
            start = ready[t.source]
            end = start + message.ns
            row.append((start, end))
            taken = max(end, ready[t.destination]) if group.symmetric else end
            done = taken + routes.endpoint + reference.reduction_ns(schedule, group, step.local_index, message.size)
            after[t.destination] = max(after[t.destination], done)
        ready = after
        table.append(row)
    return ScheduleTime(max(ready), sum(routes.sent_bytes(size)), len(table), (), table.__getitem__)


def _each(routes: Routes, group: Rounds, transfers: Sequence[Transfer], size: int) -> list[Sent]:
    """For each transfer the message that carries it."""
    pairs = list(dict.fromkeys(t[:2] for t in transfers))
    messages = {
        pair: routes.message(group, route, size) for pair, route in zip(pairs, routes.of(group, transfers), strict=True)
    }
    return [messages[t[:2]] for t in transfers]
