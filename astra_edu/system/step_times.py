"""ASTRA-sim 1.0: when each step of a schedule begins and ends, where all NPUs are alike and where they differ.

An NPU starts a phase after one endpoint delay. It sends the messages of a step at once, and is ready for its
next step one endpoint delay after the last message of this step has reached it, plus, if the step reduces,
three memory accesses (read both operands, write the sum). Where every NPU does the same, NPU 0's story is
everybody's; otherwise every NPU is followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.system.faithful import quirks
from astra_edu.system.routes import Route, Routes, TimedMessage


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
