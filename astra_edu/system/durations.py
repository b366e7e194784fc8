"""How long a phase lasts: what the chunk scheduler needs to know of a schedule, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.system import reference
from astra_edu.system.routes import Route, Routes


@dataclass(frozen=True)
class Duration:
    """How long a phase of some size lasts.

    sent: bytes that NPU 0 sends over each of its dimensions. messages: how many NPU 0 sends, and message_ns their mean
    time. waits: the last few waits of the NPU that ends it, last first, in ns.
    """

    total_ns: float
    sent: tuple[int, ...]
    messages: int
    message_ns: float
    waits: tuple[float, ...]

    @cached_property
    def lookback(self) -> int:
        """The waits as the clock wants them."""
        from astra_edu.system.clock import lookback  # here, because SimPy takes long to import

        return lookback(self.waits)


def duration(routes: Routes, size: int) -> Duration:
    """How long a schedule's run lasts when every NPU brings `size` bytes."""
    if routes.one_by_one:
        followed = routes.followed_evenly(size) if routes.even else routes.followed(size)
        ways = [end - start for start, end in followed.spans[0]]
        mean = sum(ways) / len(ways)
        return Duration(followed.total_ns, routes.sent_bytes(size), len(ways), mean, followed.waits)
    return _of_npu_0(routes, size) if routes.alike else _of_all(routes, size)


class _Step(NamedTuple):
    times: int
    charged: bool
    message_ns: float
    reduction_ns: float


def _of_npu_0(routes: Routes, size: int) -> Duration:
    total = on_the_way = 0.0
    count = 0
    sent = [0] * routes.places
    steps = []
    dimension = None
    for group, step, times, ways in routes.steps:
        if group.dimension != dimension:
            total += routes.endpoint
            dimension = group.dimension
        messages = [routes.message(group, route, size) for route in ways]
        last = max(messages)
        reduction = reference.reduction_ns(routes.schedule, group, step, last.size)
        total += times * (last.ns + routes.endpoint + reduction)
        count += times * len(messages)
        for message in messages:
            on_the_way += times * message.ns
            sent[message.place] += times * routes.message_bytes(message)
        charged = reference.is_charged(routes.schedule, group, step)
        steps.append(_Step(times, charged, last.ns, reduction))
    return Duration(_plain(total), tuple(sent), count, on_the_way / count, _waits(steps, routes.endpoint))


def _waits(steps: list[_Step], endpoint: float) -> tuple[float, ...]:
    """The last three: a step ends with a message, an endpoint delay and, if it reduces, with the reduction."""
    waits: list[float] = []
    for step in reversed(steps):
        one = [*([step.reduction_ns] if step.charged else []), endpoint, step.message_ns]
        waits += one * min(step.times, 2)
        if len(waits) >= 3:
            break
    return tuple(waits[:3])


def _of_all(routes: Routes, size: int) -> Duration:
    """Where NPUs differ: each is ready for its next step when it has sent and received.

    NPU 0 waits for a message since its own send before it, or since the start.
    """
    schedule = routes.schedule
    ready: list[float] = [routes.endpoint] * schedule.npus
    asked = [0.0] * schedule.npus  # since when an NPU of a tree is ready to receive
    since = 0.0
    waited: list[float] = []
    for group, step, times, messages in _chains(routes):
        sent = {route: routes.message(group, route, size) for route in {route for *_, route in messages}}
        then = {
            route: routes.endpoint + reference.reduction_ns(schedule, group, step, message.size)
            for route, message in sent.items()
        }
        hops = [(source, to, sent[route], then[route]) for source, to, route in messages]
        zero_sends = any(source == 0 for source, *_ in hops)
        for _ in range(times):
            after = list(ready)
            since = ready[0] if zero_sends else since
            for source, to, message, taking_in in hops:
                arrived = ready[source] + message.ns
                if message.request_ns and not group.symmetric:
                    arrived = max(ready[source], asked[to] + message.request_ns) + message.ns - message.request_ns
                    asked[source] = ready[source] if group.op is Op.REDUCE else asked[source]
                if to == 0:
                    waited.append(max(0.0, arrived - since))
                if group.symmetric:
                    if message.request_ns:  # it sets off when both are ready and the request has come
                        leaves = max(ready[source], ready[to] + message.request_ns)
                        arrived = leaves + message.ns - message.request_ns
                    arrived = max(arrived, ready[to])
                if arrived + taking_in > after[to]:
                    after[to] = arrived + taking_in
            ready = after
    mean = sum(waited) / len(waited)
    return Duration(max(ready), routes.sent_bytes(size), schedule.step_count, mean, (routes.endpoint,))


def _chains(routes: Routes) -> list[tuple[Rounds, int, int, list[tuple[int, int, Route]]]]:
    """(group, step, how many like it, every message with its source and destination) of all NPUs."""
    chains = []
    schedule = routes.schedule
    for group in schedule.groups:
        for step in range(1 if group.uniform else group.count):
            transfers = [t for npu in range(schedule.npus) for t in group.transfers(step, npu)]
            pairs = dict.fromkeys(t[:2] for t in transfers)
            messages = [(*pair, route) for pair, route in zip(pairs, routes.of(group, transfers), strict=True)]
            chains.append((group, step, group.count if group.uniform else 1, messages))
    return chains


def _plain(time: float) -> float:
    """A whole time as an int."""
    return int(time) if time == int(time) else time
