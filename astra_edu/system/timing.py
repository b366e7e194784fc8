"""ASTRA-sim 1.0: the time of one schedule on a network, with each of its steps and messages.

Sizes follow ASTRA-sim: `collective_bytes` are what an NPU brings, the whole buffer for all collectives but the
all-gather and the gather, where they are the NPU's own block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import whole
from astra_edu.collectives.schedule import Schedule
from astra_edu.network import Dimension, dimensions
from astra_edu.network.bound import schedule_bound_ns
from astra_edu.system.routes import Routes
from astra_edu.system.schedule_time import Interval as Interval
from astra_edu.system.schedule_time import ScheduleTime as ScheduleTime
from astra_edu.system.schedule_time import Stretch as Stretch
from astra_edu.system.step_times import StepOfOne, steps_of_all, steps_of_one


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
            _arrivals(step),
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


def _arrivals(step: StepOfOne) -> tuple[float, ...]:
    """When each of NPU 0's transfers is there; through a switch that adds up, all at once."""
    if step.group.carried is not None:
        return (step.last.ns,) * len(step.group.transfers(step.step, 0))
    return tuple(m.ns for m, route in zip(step.messages, step.routes, strict=True) for _ in range(route.shards))


def _everyone(routes: Routes, chunk_bytes: int) -> ScheduleTime:
    schedule = routes.schedule
    steps = list(steps_of_all(routes, chunk_bytes))

    def spans(index: int) -> list[Interval]:
        ready, messages, _, _ = steps[index]
        ways = {(source, to): message.ns for source, to, message in messages}
        return [(ready[t.source], ready[t.source] + ways[t[:2]]) for t in schedule.step(index).transfers]

    return ScheduleTime(max(steps[-1].after), sum(routes.sent_bytes(chunk_bytes)), len(steps), (), spans)
