"""The time of one schedule on a network: what the endpoint adds to the messages, and who waits for whom.

An NPU starts a phase after one endpoint delay. It sends the messages of a step at once, and is ready for its
next step one endpoint delay after the last message of this step has reached it, plus, if the step reduces,
three memory accesses (read both operands, write the sum). Where every NPU does the same, NPU 0's story is
everybody's; otherwise every NPU is followed.

Sizes follow ASTRA-sim: `size` is what an NPU brings, the whole buffer for all collectives but the all-gather
and the gather, where it is the NPU's own block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from astra_edu.collectives.schedule import Op, Rounds, Schedule, Transfer
from astra_edu.errors import ConfigError, whole
from astra_edu.network import Dimension, Topology, dimensions
from astra_edu.system import reference
from astra_edu.system.window import direct_spans

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
    network = dimensions(network)
    sizes = tuple(dimension.npus for dimension in network)
    if sizes != schedule.dims:
        raise ConfigError(f"the schedule is for dimensions {schedule.dims}, the network has {sizes}.")
    clock = _Clock(
        schedule,
        network,
        whole("size", size, at_least=0),
        whole("endpoint_delay", endpoint_delay, at_least=0),
    )
    if schedule.algorithm == "direct" and len(network) == 1 and schedule.groups[0].symmetric:
        far_and_near = network[0].topology is Topology.RING and schedule.npus > 3
        if window is not None or far_and_near:
            return _windowed(clock, schedule.npus - 1 if window is None else whole("window", window, 1))
    if all(group.symmetric for group in schedule.groups):
        return _symmetric(clock)
    return _everyone(clock)


class _Message(NamedTuple):
    ns: float
    size: int
    hops: int


@dataclass(frozen=True)
class _Clock:
    """Everything that decides how long one message takes."""

    schedule: Schedule
    network: Sequence[Dimension]
    size: int
    endpoint: int

    def arrivals(self, group: Rounds, transfers: Sequence[Transfer]) -> list[_Message]:
        """The message that carries each transfer: chunks with one source and destination share one."""
        dimension = self.network[group.dimension]
        stride = prod(self.schedule.dims[: group.dimension])
        messages = {}
        for (source, destination), chunks in Counter(t[:2] for t in transfers).items():
            size = reference.message_bytes(self.schedule, group, chunks, self.size)
            distance = abs(destination - source) // stride
            messages[source, destination] = _Message(
                dimension.message_ns(size, distance), size, dimension.hops(distance)
            )
        return [messages[t[:2]] for t in transfers]

    def sent_bytes(self, group: Rounds, step: int) -> int:
        """Bytes that NPU 0 sends in one step."""
        chunks = Counter(t.destination for t in group.transfers(step, 0))
        return sum(reference.message_bytes(self.schedule, group, c, self.size) for c in chunks.values())

    def reduction_ns(self, group: Rounds, step: int, size: int) -> float:
        if group.op is not Op.REDUCE:
            return 0
        return reference.reduction_ns(self.schedule, group, step, size)


def _symmetric(clock: _Clock) -> ScheduleTime:
    stretches: list[Stretch] = []
    now: float = 0
    sent = 0
    dimension = None
    for group in clock.schedule.groups:
        if group.dimension != dimension:
            now += clock.endpoint
            dimension = group.dimension
        for step in range(1 if group.uniform else group.count):
            arrivals = clock.arrivals(group, group.transfers(step, 0))
            last = max(arrivals)
            stretch = Stretch(
                group.phase,
                group.dimension,
                group.count if group.uniform else 1,
                now,
                last.size,
                last.ns,
                last.hops,
                clock.endpoint,
                clock.reduction_ns(group, step, last.size),
                tuple(message.ns for message in arrivals),
            )
            now += stretch.steps * stretch.step_ns
            sent += stretch.steps * clock.sent_bytes(group, step)
            stretches.append(stretch)

    def spans(step: int) -> list[Span]:
        for stretch in stretches:
            if step < stretch.steps:
                start = stretch.start_ns + step * stretch.step_ns
                return [(start, start + ns) for ns in stretch.arrivals] * clock.schedule.npus
            step -= stretch.steps
        raise AssertionError("the stretches make up all steps")

    return ScheduleTime(now, sent, clock.schedule.step_count, tuple(stretches), spans)


def _windowed(clock: _Clock, window: int) -> ScheduleTime:
    """Direct, where messages of one step take different times or not all may leave at once."""
    schedule = clock.schedule
    peers = schedule.npus - 1
    phases = []
    for group in schedule.groups:
        arrivals = clock.arrivals(group, group.transfers(0, 0))
        phases.append([(m.ns, reference.reduction_ns(schedule, group, 0, m.size)) for m in arrivals])
    window = min(window, peers)
    charged = [reference.window_reduces(schedule.collective, window, k) for k in range(peers * schedule.step_count)]
    total, messages = direct_spans(phases, window, clock.endpoint, charged)
    sent = sum(clock.sent_bytes(group, 0) for group in schedule.groups)
    return ScheduleTime(
        total, sent, schedule.step_count, (), lambda s: messages[s * peers : (s + 1) * peers] * schedule.npus
    )


def _everyone(clock: _Clock) -> ScheduleTime:
    ready: list[float] = [clock.endpoint] * clock.schedule.npus
    table: list[list[Span]] = []
    dimension = 0
    for step in clock.schedule.steps():
        group = step.rounds
        if group.dimension != dimension:
            ready = [time + clock.endpoint for time in ready]
            dimension = group.dimension
        arrivals = clock.arrivals(group, step.transfers)
        after = list(ready)
        row = []
        for t, message in zip(step.transfers, arrivals, strict=True):
            start = ready[t.source]
            end = start + message.ns
            row.append((start, end))
            done = end + clock.endpoint + clock.reduction_ns(group, step.local_index, message.size)
            after[t.destination] = max(after[t.destination], done)
        ready = after
        table.append(row)
    sent = sum(clock.sent_bytes(step.rounds, step.local_index) for step in clock.schedule.steps())
    return ScheduleTime(max(ready), sent, len(table), (), table.__getitem__)
