"""ASTRA-sim 1.0: how long a phase lasts: what the chunk scheduler needs to know of a schedule, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from astra_edu.clock.lookback import lookback
from astra_edu.system.faithful import quirks
from astra_edu.system.routes import Routes
from astra_edu.system.step_times import StepOfOne, steps_of_all, steps_of_one


@dataclass(frozen=True, eq=False)
class Duration:
    """How long a phase of some size lasts.

    sent: bytes that NPU 0 sends over each of its dimensions. messages: how many NPU 0 sends, and message_ns their mean
    time; where NPUs differ, the number of steps, and how long NPU 0 waits for a message in the mean (on a shared bus
    that is found when the phase runs, see Phase.waited). waits: the last few waits of the NPU that ends it, last
    first, in ns.
    """

    total_ns: float
    sent: tuple[int, ...]
    messages: int
    message_ns: float
    waits: tuple[float, ...]

    @cached_property
    def lookback(self) -> int:
        """The waits as the clock wants them."""
        return lookback(self.waits)


def duration(routes: Routes, chunk_bytes: int) -> Duration:
    """How long a schedule's run lasts when every NPU brings `chunk_bytes`."""
    if routes.one_by_one:
        followed = routes.followed_evenly(chunk_bytes) if routes.even else routes.followed(chunk_bytes)
        ways = [end - start for start, end in followed.spans[0]]
        mean = sum(ways) / len(ways)
        return Duration(followed.total_ns, routes.sent_bytes(chunk_bytes), len(ways), mean, followed.waits)
    return _of_npu_0(routes, chunk_bytes) if routes.alike else _of_all(routes, chunk_bytes)


def _of_npu_0(routes: Routes, chunk_bytes: int) -> Duration:
    steps = list(steps_of_one(routes, chunk_bytes))
    sent = [0] * routes.places
    on_the_way = 0.0
    for step in steps:
        for message in step.messages:
            on_the_way += step.times * message.ns
            sent[message.place] += step.times * routes.message_bytes(message)
    if any(step.group.carried for step in steps):
        sent = [*routes.sent_bytes(chunk_bytes)]
    count = sum(step.times * len(step.messages) for step in steps)
    return Duration(_plain(steps[-1].end_ns), tuple(sent), count, on_the_way / count, _waits(routes, steps))


def _waits(routes: Routes, steps: list[StepOfOne]) -> tuple[float, ...]:
    """The last three: a step ends with a message, an endpoint delay and, if it is charged for that, a reduction."""
    waits: list[float] = []
    for step in reversed(steps):
        charged = quirks.is_charged(routes.schedule, step.group, step.step)
        one = [*([step.reduction_ns] if charged else []), routes.endpoint, step.last.ns]
        waits += one * min(step.times, 2)
        if len(waits) >= 3:
            break
    return tuple(waits[:3])


def _of_all(routes: Routes, chunk_bytes: int) -> Duration:
    """NPU 0 waits for a message since its own send before it, or since the start."""
    since = 0.0
    waited: list[float] = []
    for step in steps_of_all(routes, chunk_bytes):
        since = step.ready[0] if any(source == 0 for source, *_ in step.messages) else since
        pairs = zip(step.messages, step.arrivals, strict=True)
        waited += [max(0.0, arrived - since) for (_, to, _), arrived in pairs if to == 0]
    mean = sum(waited) / len(waited)
    sent, count = routes.sent_bytes(chunk_bytes), routes.schedule.step_count
    return Duration(max(step.after), sent, count, mean, (routes.endpoint,))


def _plain(time: float) -> float:
    """A whole time as an int."""
    return int(time) if time == int(time) else time
