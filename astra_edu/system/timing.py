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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

from astra_edu.collectives.schedule import Rounds, Schedule, Transfer
from astra_edu.errors import ConfigError, whole
from astra_edu.network import Dimension, Topology, Wires, dimensions
from astra_edu.system import reference
from astra_edu.system.window import Followed, Message, follow

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


@dataclass(frozen=True)
class Duration:
    """What the chunk scheduler needs to know of a phase.

    total_ns: how long it takes. sent: bytes that NPU 0 sends over each of its dimensions. messages: how many NPU 0
    sends, and message_ns their mean time. waits: the last few waits of the NPU that ends it, last first, in ns.
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
    timer = Timer(schedule, dimensions(network), endpoint, window)
    return timer.time(whole("size", size, at_least=0))


class _Message(NamedTuple):
    ns: float
    size: int
    hops: int
    place: int


class RowMessage(NamedTuple):
    """One of the messages that an NPU sends: to whom, its bytes, its ns on its way, and those of the request for it."""

    destination: int
    size: int
    ns: float
    request_ns: float


class _Route(NamedTuple):
    """A message of `chunks` chunks: the dimension that carries it (and its place), and how far it goes."""

    chunks: int
    place: int
    dimension: Dimension
    distance: int


class Timer:
    """Everything about a schedule on a network that doesn't depend on the size, prepared once.

    rendezvous: a message sets off when a request of 8 KiB from its receiver has come.
    """

    def __init__(
        self,
        schedule: Schedule,
        network: Sequence[Wires],
        endpoint: int,
        window: int | None = None,
        rendezvous: bool = False,
    ) -> None:
        """Raises ConfigError when the network's sizes are not the schedule's."""
        sizes = tuple(wires.npus for wires in network)
        if sizes != schedule.dims:
            raise ConfigError(f"the schedule is for dimensions {schedule.dims}, the network has {sizes}.")
        self.schedule = schedule
        self.network = network
        self.endpoint = endpoint
        self.window = None if window is None else whole("window", window, at_least=1)
        self.rendezvous = rendezvous
        self.alike = all(wires.symmetric for wires in network) and all(g.symmetric for g in schedule.groups)

    def time(self, size: int) -> ScheduleTime:
        """When everything happens if every NPU brings `size` bytes."""
        if self._message_by_message:
            followed = self._windowed(size)
            peers = self.schedule.npus - 1
            rows = followed.spans * (self.schedule.npus if self.alike else 1)
            return ScheduleTime(
                followed.total_ns,
                sum(self._sent(size)),
                self.schedule.step_count,
                (),
                lambda s: [span for row in rows for span in row[s * peers : (s + 1) * peers]],
            )
        return self._symmetric(size) if self.alike else self._everyone(size)

    def duration(self, size: int) -> Duration:
        """The same for the chunk scheduler: only what it needs, as it asks for thousands of them."""
        if self._message_by_message:
            followed = self._evenly(size) if self._even else self._windowed(size)
            ways = [end - start for start, end in followed.spans[0]]
            return Duration(followed.total_ns, self._sent(size), len(ways), sum(ways) / len(ways), followed.waits)
        if not self.alike:
            return self._longest_chain(size)
        total = on_the_way = 0.0
        count = 0
        sent = [0] * self._places
        steps = []
        dimension = None
        for group, step, times, routes in self._steps:
            if group.dimension != dimension:
                total += self.endpoint
                dimension = group.dimension
            messages_ = [self._message(group, route, size) for route in routes]
            last = max(messages_)
            reduction = self._reduction_ns(group, step, last.size)
            total += times * (last.ns + self.endpoint + reduction)
            count += times * len(messages_)
            for message in messages_:
                on_the_way += times * message.ns
                sent[message.place] += times * self._bytes(message)
            steps.append((times, group, step, last.ns, reduction))
        return Duration(_plain(total), tuple(sent), count, on_the_way / count, self._waits(steps))

    def message_row(self, npu: int, size: int) -> list[RowMessage]:
        """What one NPU sends, in order, if it brings `size` bytes."""
        row = []
        for group in self.schedule.groups:
            for step in range(group.count):
                transfers = group.transfers(step, npu)
                pairs = dict.fromkeys(t.destination for t in transfers)
                for route, to in zip(self._routes(group, transfers), pairs, strict=True):
                    message = self._message(group, route, size)
                    request = 0.0
                    if self.rendezvous:
                        request = route.dimension.message_ns(reference.RENDEZVOUS_BYTES, route.distance)
                    row.append(RowMessage(to, message.size, message.ns - request, request))
        return row

    @cached_property
    def _message_by_message(self) -> bool:
        """Direct, where messages of one step take different times or not all may leave at once."""
        if self.schedule.algorithm != "direct" or len(self.network) > 1 or not self.schedule.groups[0].symmetric:
            return False
        wires = self.network[0]
        dimension = wires.path(0, 1)[1]
        far_and_near = dimension.topology is Topology.RING and self.schedule.npus > 3
        return self.window is not None or far_and_near or not wires.symmetric

    @cached_property
    def _steps(self) -> list[tuple[Rounds, int, int, list[_Route]]]:
        """(group, step, how many like it, NPU 0's messages) of every step that differs from the one before."""
        return [
            (group, step, group.count if group.uniform else 1, self._routes(group, group.transfers(step, 0)))
            for group in self.schedule.groups
            for step in range(1 if group.uniform else group.count)
        ]

    @cached_property
    def _places(self) -> int:
        return max((route.place for *_, routes in self._steps for route in routes), default=0) + 1

    def _routes(self, group: Rounds, transfers: Iterable[Transfer]) -> list[_Route]:
        """One message for all chunks with one source and destination."""
        wires = self.network[group.dimension]
        stride = prod(self.schedule.dims[: group.dimension])
        return [
            _Route(chunks, *wires.path(source // stride % wires.npus, destination // stride % wires.npus))
            for (source, destination), chunks in Counter(t[:2] for t in transfers).items()
        ]

    def _message(self, group: Rounds, route: _Route, size: int) -> _Message:
        message_bytes = reference.message_bytes(self.schedule, group, route.chunks, size)
        ns = route.dimension.message_ns(message_bytes, route.distance)
        if self.rendezvous:
            ns += route.dimension.message_ns(reference.RENDEZVOUS_BYTES, route.distance)
        return _Message(ns, message_bytes, route.dimension.hops(route.distance), route.place)

    def _bytes(self, message: _Message) -> int:
        return message.size + (reference.RENDEZVOUS_BYTES if self.rendezvous else 0)

    def _sent(self, size: int) -> tuple[int, ...]:
        """Bytes that NPU 0 sends, over each dimension of its wires."""
        sent = [0] * self._places
        for group, _, times, routes in self._steps:
            for route in routes:
                sent[route.place] += times * self._bytes(self._message(group, route, size))
        return tuple(sent)

    def _reduction_ns(self, group: Rounds, step: int, size: int) -> float:
        return reference.reduction_ns(self.schedule, group, step, size)

    def _waits(self, steps: list[tuple[int, Rounds, int, float, float]]) -> tuple[float, ...]:
        waits: list[float] = []
        for times, group, step, message_ns, reduction in reversed(steps):
            charged = reference.is_charged(self.schedule, group, step)
            waits += ([reduction] if charged else []) + [self.endpoint, message_ns]
            if times > 1:
                waits += ([reduction] if charged else []) + [self.endpoint, message_ns]
            if len(waits) >= 3:
                break
        return tuple(waits[:3])

    def _symmetric(self, size: int) -> ScheduleTime:
        stretches: list[Stretch] = []
        now: float = 0
        dimension = None
        for group, step, times, routes in self._steps:
            if group.dimension != dimension:
                now += self.endpoint
                dimension = group.dimension
            messages = [self._message(group, route, size) for route in routes]
            last = max(messages)
            arrivals = tuple(m.ns for m, route in zip(messages, routes, strict=True) for _ in range(route.chunks))
            reduction = self._reduction_ns(group, step, last.size)
            stretch = Stretch(
                group.phase,
                group.dimension,
                times,
                now,
                last.size,
                last.ns,
                last.hops,
                self.endpoint,
                reduction,
                arrivals,
            )
            now += times * stretch.step_ns
            stretches.append(stretch)

        def spans(step: int) -> list[Span]:
            for stretch in stretches:
                if step < stretch.steps:
                    start = stretch.start_ns + step * stretch.step_ns
                    return [(start, start + ns) for ns in stretch.arrivals] * self.schedule.npus
                step -= stretch.steps
            raise AssertionError("the stretches make up all steps")

        return ScheduleTime(now, sum(self._sent(size)), self.schedule.step_count, tuple(stretches), spans)

    def _windowed(self, size: int) -> Followed:
        if self.alike:
            return self._follow([[message._replace(destination=0) for message in self._row(0, size)]])
        return self._follow([self._row(npu, size) for npu in range(self.schedule.npus)])

    def _row(self, npu: int, size: int) -> list[Message]:
        row = self.message_row(npu, size)
        return [Message(m.destination, m.ns + m.request_ns, reference.memory_ns(m.size)) for m in row]

    def _follow(self, rows: list[list[Message]]) -> Followed:
        peers = self.schedule.npus - 1
        window = peers if self.window is None else min(self.window, peers)
        collective = self.schedule.collective
        charged = [reference.window_reduces(collective, window, k) for k in range(len(rows[0]))]
        gate = peers if len(self.schedule.groups) > 1 else 0
        return follow(rows, gate, window, self.endpoint, charged)

    def _everyone(self, size: int) -> ScheduleTime:
        ready: list[float] = [self.endpoint] * self.schedule.npus
        table: list[list[Span]] = []
        dimension = 0
        for step in self.schedule.steps():
            group = step.rounds
            if group.dimension != dimension:
                ready = [time + self.endpoint for time in ready]
                dimension = group.dimension
            after = list(ready)
            row = []
            for t, message in zip(step.transfers, self._each(group, step.transfers, size), strict=True):
                start = ready[t.source]
                end = start + message.ns
                row.append((start, end))
                taken = end if group.symmetric is False else max(end, ready[t.destination])
                done = taken + self.endpoint + self._reduction_ns(group, step.local_index, message.size)
                after[t.destination] = max(after[t.destination], done)
            ready = after
            table.append(row)
        return ScheduleTime(max(ready), sum(self._sent(size)), len(table), (), table.__getitem__)

    @cached_property
    def _even(self) -> bool:
        """Whether all NPUs send their k-th message at the same time, though not all equally far."""
        return self.window is None and not self.alike and self.network[0].even

    def _evenly(self, size: int) -> Followed:
        """Direct over even wires: NPU 0 shows when every k-th message leaves; who has the longest way shows the end."""
        row = self._row(0, size)
        followed = self._follow([[message._replace(destination=0) for message in row]])
        groups = self.schedule.groups
        if len(groups) == 1:
            return followed
        peers = self.schedule.npus - 1
        ends = [
            start + max(self._message(groups[1], route, size).ns for route in routes)
            for (start, _), routes in zip(followed.spans[0][peers:], self._kth_routes, strict=True)
        ]
        return followed._replace(total_ns=max(ends) + self.endpoint)

    @cached_property
    def _kth_routes(self) -> list[set[_Route]]:
        """The different routes of all NPUs' k-th messages of a step, for each k."""
        group = self.schedule.groups[-1]
        routes = [self._routes(group, group.transfers(0, npu)) for npu in range(self.schedule.npus)]
        return [set(kth) for kth in zip(*routes, strict=True)]

    @cached_property
    def _chains(self) -> list[tuple[Rounds, int, int, list[tuple[int, int, _Route]]]]:
        """(group, step, how many like it, every message with its source and destination) of all NPUs."""
        chains = []
        for group in self.schedule.groups:
            for step in range(1 if group.uniform else group.count):
                transfers = [t for npu in range(self.schedule.npus) for t in group.transfers(step, npu)]
                pairs = dict.fromkeys(t[:2] for t in transfers)
                routes = self._routes(group, transfers)
                messages = [(*pair, route) for pair, route in zip(pairs, routes, strict=True)]
                chains.append((group, step, group.count if group.uniform else 1, messages))
        return chains

    def _longest_chain(self, size: int) -> Duration:
        """Where NPUs differ: each is ready for its next step when it has sent and received."""
        ready: list[float] = [self.endpoint] * self.schedule.npus
        for group, step, times, messages in self._chains:
            ns = {route: self._message(group, route, size) for route in {route for *_, route in messages}}
            after_arrival = {
                route: self.endpoint + self._reduction_ns(group, step, message.size) for route, message in ns.items()
            }
            hops = [(source, to, ns[route].ns, after_arrival[route]) for source, to, route in messages]
            for _ in range(times):
                after = list(ready)
                for source, to, way, then in hops:
                    arrived = ready[source] + way
                    if group.symmetric and ready[to] > arrived:
                        arrived = ready[to]
                    if arrived + then > after[to]:
                        after[to] = arrived + then
                ready = after
        return Duration(max(ready), self._sent(size), self.schedule.step_count, 0, (self.endpoint,))

    def _each(self, group: Rounds, transfers: Sequence[Transfer], size: int) -> list[_Message]:
        """For each transfer the message that carries it."""
        pairs = list(dict.fromkeys(t[:2] for t in transfers))
        routes = self._routes(group, transfers)
        messages = {pair: self._message(group, route, size) for pair, route in zip(pairs, routes, strict=True)}
        return [messages[t[:2]] for t in transfers]


def _plain(time: float) -> float:
    """A whole time as an int."""
    return int(time) if time == int(time) else time
