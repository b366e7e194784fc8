"""ASTRA-sim 1.0: the time of one schedule on a network: what the endpoint adds to the messages, and who waits for whom.

An NPU starts a phase after one endpoint delay. It sends the messages of a step at once, and is ready for its
next step one endpoint delay after the last message of this step has reached it, plus, if the step reduces,
three memory accesses (read both operands, write the sum). Where every NPU does the same, NPU 0's story is
everybody's; otherwise every NPU is followed.

Sizes follow ASTRA-sim: `collective_bytes` are what an NPU brings, the whole buffer for all collectives but the
all-gather and the gather, where they are the NPU's own block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import whole
from astra_edu.collectives.schedule import Op, Rounds, Schedule
from astra_edu.network import Dimension, dimensions
from astra_edu.network.bound import schedule_bound_ns
from astra_edu.system.faithful import quirks
from astra_edu.system.routes import Route, Routes, TimedMessage
from astra_edu.system.schedule_time import Interval as Interval
from astra_edu.system.schedule_time import ScheduleTime as ScheduleTime
from astra_edu.system.schedule_time import Stretch as Stretch


@renamed(size="collective_bytes")
def time_schedule(
    schedule: Schedule,
    network: Sequence[Dimension] | Dimension,
    collective_bytes: int,
    endpoint_delay: int = 10,
    window: int | None = None,
) -> ScheduleTime:
    """Time one run of `schedule` over the dimensions of `network`, without splitting its data.

    collective_bytes: as ASTRA-sim counts them (see above). endpoint_delay: in whole ns. window: how many messages an
    NPU has on their way at once in the direct algorithm (None: all of a step). Over several dimensions each step
    of a direct phase waits for its last message; `simulate` follows the messages one by one there, too.
    Raises ConfigError when the network's sizes are not the schedule's or a number makes no sense.

    >>> ring = ae.Dimension.of("Ring", 8, 50, 500)
    >>> time = ae.time_schedule(ae.schedule("all-reduce", "ring", 8), ring, 2**20)
    >>> time.total_ns, time.sent_bytes
    (24230, 1835008)
    """
    endpoint = whole("endpoint_delay", endpoint_delay, at_least=0)
    several = dimensions(network)
    routes = Routes(schedule, several, endpoint, window)
    chunk_bytes = whole("collective_bytes", collective_bytes, at_least=0)  # which are one chunk
    follow = _one_by_one if routes.one_by_one else _symmetric if routes.alike else _everyone
    time = follow(routes, chunk_bytes)
    bound = partial(schedule_bound_ns, schedule, several, chunk_bytes, time.total_ns, window)
    return replace(time, _bound=bound)


def _one_by_one(routes: Routes, chunk_bytes: int) -> ScheduleTime:
    followed = routes.followed(chunk_bytes)
    schedule = routes.schedule
    peers = schedule.npus - 1
    rows = followed.spans * (schedule.npus if routes.alike else 1)

    def spans(step: int) -> list[Interval]:
        return [span for row in rows for span in row[step * peers : (step + 1) * peers]]

    return ScheduleTime(followed.total_ns, sum(routes.sent_bytes(chunk_bytes)), schedule.step_count, (), spans)


class StepOfOne(NamedTuple):
    """`times` equal steps as NPU 0 sees them; the first begins at start_ns, the next step at end_ns."""

    group: Rounds
    step: int
    times: int
    start_ns: float
    end_ns: float
    routes: list[Route]
    messages: list[TimedMessage]
    last: TimedMessage
    reduction_ns: float


def steps_of_one(routes: Routes, chunk_bytes: int) -> Iterator[StepOfOne]:
    """Where NPUs are alike: a step takes its last message, the endpoint and, if it reduces, the memory."""
    now: float = 0
    dimension = None
    for group, step, times, ways in routes.steps:
        if group.dimension != dimension:
            now += routes.endpoint
            dimension = group.dimension
        messages = [routes.message(group, route, chunk_bytes) for route in ways]
        last = max(messages)
        reduction = quirks.reduction_ns(routes.schedule, group, step, last.size)
        end = now + times * (last.ns + routes.endpoint + reduction)
        yield StepOfOne(group, step, times, now, end, ways, messages, last, reduction)
        now = end


class StepOfAll(NamedTuple):
    """One step of all NPUs. ready, after: when each of them can begin this one and the next.

    messages: (source, destination, message) of all, and arrivals: when each of them is there.
    """

    ready: list[float]
    messages: list[tuple[int, int, TimedMessage]]
    arrivals: list[float]
    after: list[float]


def steps_of_all(routes: Routes, chunk_bytes: int) -> Iterator[StepOfAll]:
    """Where NPUs differ: each is ready for its next step when it has sent and taken in what came.

    In a tree, a message that waits for a request (rendezvous) sets off when its receiver has asked for it, which it may
    have done long before; elsewhere when both are ready and the request has come.
    """
    schedule = routes.schedule
    ready: list[float] = [routes.endpoint] * schedule.npus
    asked = [0.0] * schedule.npus  # since when an NPU of a tree is ready to receive
    dimension = 0
    for group, step, times, hops in routes.chains:
        if group.dimension != dimension:
            ready = [time + routes.endpoint for time in ready]
            dimension = group.dimension
        timed = _timed(routes, group, step, chunk_bytes, hops)
        messages = [(source, to, message) for source, to, message, _ in timed]
        for _ in range(times):
            after = list(ready)
            arrivals = []
            for source, to, message, taking_in in timed:
                if group.symmetric:
                    arrived, there = _between_equals(message, ready[source], ready[to])
                else:
                    arrived = there = _along_a_tree(message, ready[source], asked[to])
                    if message.request_ns and group.op is Op.REDUCE:
                        asked[source] = ready[source]
                arrivals.append(arrived)
                after[to] = max(after[to], there + taking_in)
            yield StepOfAll(ready, messages, arrivals, after)
            ready = after


def _timed(
    routes: Routes, group: Rounds, step: int, chunk_bytes: int, hops: Sequence[tuple[int, int, Route]]
) -> list[tuple[int, int, TimedMessage, float]]:
    """(source, destination, message, ns to take it in) of all messages of a step; each route is timed once."""
    sent = {route: routes.message(group, route, chunk_bytes) for route in {route for *_, route in hops}}
    taking_in = {
        route: routes.endpoint + quirks.reduction_ns(routes.schedule, group, step, message.size)
        for route, message in sent.items()
    }
    return [(source, to, sent[route], taking_in[route]) for source, to, route in hops]


def _between_equals(message: TimedMessage, source_ready: float, receiver_ready: float) -> tuple[float, float]:
    """(when a message is there, when its receiver takes it): it is drawn as if nobody had kept it waiting."""
    leaves = source_ready
    if message.request_ns:
        leaves = max(source_ready, receiver_ready + message.request_ns)
    there = leaves + message.ns - message.request_ns if message.request_ns else source_ready + message.ns
    return source_ready + message.ns, max(there, receiver_ready)


def _along_a_tree(message: TimedMessage, source_ready: float, receiver_asked: float) -> float:
    """When a message up or down a tree is there."""
    if not message.request_ns:
        return source_ready + message.ns
    return max(source_ready, receiver_asked + message.request_ns) + message.ns - message.request_ns


def _symmetric(routes: Routes, chunk_bytes: int) -> ScheduleTime:
    schedule = routes.schedule
    steps = list(steps_of_one(routes, chunk_bytes))
    stretches = tuple(
        Stretch(
            step.group.phase,
            step.group.dimension,
            step.times,
            step.start_ns,
            step.last.size,
            step.last.ns,
            step.last.hops,
            routes.endpoint,
            step.reduction_ns,
            tuple(m.ns for m, route in zip(step.messages, step.routes, strict=True) for _ in range(route.shards)),
        )
        for step in steps
    )

    def spans(step: int) -> list[Interval]:
        for stretch in stretches:
            if step < stretch.steps:
                start = stretch.start_ns + step * stretch.step_ns
                return [(start, start + ns) for ns in stretch.arrivals] * schedule.npus
            step -= stretch.steps
        raise AssertionError("the stretches make up all steps")

    return ScheduleTime(steps[-1].end_ns, sum(routes.sent_bytes(chunk_bytes)), schedule.step_count, stretches, spans)


def _everyone(routes: Routes, chunk_bytes: int) -> ScheduleTime:
    schedule = routes.schedule
    steps = list(steps_of_all(routes, chunk_bytes))

    def spans(index: int) -> list[Interval]:
        ready, messages, _, _ = steps[index]
        ways = {(source, to): message.ns for source, to, message in messages}
        return [(ready[t.source], ready[t.source] + ways[t[:2]]) for t in schedule.step(index).transfers]

    return ScheduleTime(max(steps[-1].after), sum(routes.sent_bytes(chunk_bytes)), len(steps), (), spans)
