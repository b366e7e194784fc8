"""A schedule on a network: which dimension carries each of its messages, how far, and how long that takes.

Everything that doesn't depend on the size is prepared once, as the chunk scheduler asks for thousands of sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import ConfigError, instance_of, whole
from astra_edu.collectives.schedule import A_SCHEDULE, Rounds, Schedule, Transfer
from astra_edu.network import Dimension, Wires
from astra_edu.network.protocol import RENDEZVOUS_BYTES
from astra_edu.system.adds_up import check_adds_up
from astra_edu.system.faithful import quirks

if TYPE_CHECKING:
    from astra_edu.system.faithful.kth_messages import RowMessage
    from astra_edu.system.followed import Followed


class Route(NamedTuple):
    """A message of `shards` shards: the dimension that carries it, its place among the wires', how far it goes."""

    shards: int
    place: int
    dimension: Dimension
    distance: int


class TimedMessage(NamedTuple):
    """A message of some size on a route. ns: on its way, with request_ns, that of the request it waits for."""

    ns: float
    size: int
    hops: int
    place: int
    request_ns: float


class StepRoutes(NamedTuple):
    """`times` equal steps of a group, and the routes of NPU 0's messages in each."""

    group: Rounds
    step: int
    times: int
    routes: list[Route]


class Routes:
    """The messages of a schedule on a network.

    alike: whether NPU 0 stands for all. rendezvous: a message sets off when a request from its receiver has come.
    """

    def __init__(
        self,
        schedule: Schedule,
        network: Sequence[Wires],
        endpoint: int,
        window: int | None = None,
        rendezvous: bool = False,
    ) -> None:
        """Raises ConfigError when the network's sizes are not the schedule's, and where it has no switch to add up."""
        instance_of("schedule", schedule, Schedule, A_SCHEDULE)
        sizes = tuple(wires.npus for wires in network)
        if sizes != schedule.dims:
            raise ConfigError(f"the schedule is for dimensions {schedule.dims}, the network has {sizes}.")
        for group in schedule.groups:
            if group.carried is not None:
                check_adds_up(schedule.algorithm, network[group.dimension], group.dimension)
                if rendezvous:
                    raise ConfigError(
                        f"rendezvous-protocol: {schedule.algorithm} asks nobody; take a ring, or turn it off."
                    )
        self.schedule = schedule
        self.network = network
        self.endpoint = endpoint
        self.window = None if window is None else whole("window", window, at_least=1)
        self.rendezvous = rendezvous
        self.alike = all(wires.symmetric for wires in network) and schedule.symmetric

    @cached_property
    def one_by_one(self) -> bool:
        """Whether messages must be followed one by one: direct, where they differ or not all may leave at once."""
        if not self.schedule.traits.windowed or len(self.network) > 1 or not self.schedule.symmetric:
            return False
        wires = self.network[0]
        far_and_near = not wires.path(0, 1)[1].topology.equidistant and self.schedule.npus > 3
        return self.window is not None or far_and_near or not wires.symmetric

    @cached_property
    def steps(self) -> list[StepRoutes]:
        """The steps as NPU 0 sees them; those of a uniform group are one."""
        return [
            StepRoutes(group, step, times, self.of(group, self._own(group, step)))
            for group in self.schedule.groups
            for step, times in group.different_steps
        ]

    @cached_property
    def chains(self) -> list[tuple[Rounds, int, int, list[tuple[int, int, Route]]]]:
        """(group, step, how many like it, every message with its source and destination) of all NPUs."""
        chains = []
        for group in self.schedule.groups:
            for step, times in group.different_steps:
                transfers = [t for npu in range(self.schedule.npus) for t in group.transfers(step, npu)]
                pairs = dict.fromkeys(t[:2] for t in transfers)
                messages = [(*pair, route) for pair, route in zip(pairs, self.of(group, transfers), strict=True)]
                chains.append((group, step, times, messages))
        return chains

    @cached_property
    def _counted(self) -> list[tuple[Rounds, int, Counter[tuple[int, int]]]]:
        """(group, how many like it, (place, shards) of NPU 0's messages and how often) of each step."""
        counted = []
        for group in self.schedule.groups:
            one_place = isinstance(self.network[group.dimension], Dimension)
            for step, times in group.different_steps:
                shards = group.messages(step, 0)
                if group.carried is not None:
                    shards = Counter(dict.fromkeys(shards, group.carried.up))
                if one_place:
                    found = Counter([(0, count) for count in shards.values()])
                else:
                    found = Counter([(self._path(group, 0, to)[0], count) for to, count in shards.items()])
                counted.append((group, times, found))
        return counted

    @cached_property
    def places(self) -> int:
        """How many of the wires' dimensions NPU 0 uses, counted up to the last one."""
        return max((place for *_, found in self._counted for place, _ in found), default=0) + 1

    def of(self, group: Rounds, transfers: Iterable[Transfer]) -> list[Route]:
        """One message for all shards from one NPU to another; through a switch that adds up, what links carry."""
        counted = Counter(t[:2] for t in transfers)
        if group.carried is not None:
            counted = Counter(dict.fromkeys(counted, max(group.carried)))
        return [Route(shards, *self._path(group, *ends)) for ends, shards in counted.items()]

    @staticmethod
    def _own(group: Rounds, step: int) -> list[Transfer]:
        """What NPU 0 sends; through a switch that adds up, one message."""
        transfers = group.transfers(step, 0)
        return transfers if group.carried is None else transfers[:1]

    def _path(self, group: Rounds, source: int, destination: int) -> tuple[int, Dimension, int]:
        wires = self.network[group.dimension]
        stride = prod(self.schedule.dims[: group.dimension])
        return wires.path(source // stride % wires.npus, destination // stride % wires.npus)

    def message(self, group: Rounds, route: Route, chunk_bytes: int) -> TimedMessage:
        """The message on a route when every NPU brings `chunk_bytes`."""
        message_bytes = quirks.message_bytes(self.schedule, group, route.shards, chunk_bytes)
        dimension, distance = route.dimension, route.distance
        ns = dimension.message_ns(message_bytes, distance)
        request_ns = dimension.message_ns(RENDEZVOUS_BYTES, distance) if self.rendezvous else 0
        return TimedMessage(ns + request_ns, message_bytes, dimension.hops(distance), route.place, request_ns)

    def message_bytes(self, message: TimedMessage) -> int:
        """What an NPU sends for a message, its request to another included."""
        return message.size + (RENDEZVOUS_BYTES if self.rendezvous else 0)

    def sent_bytes(self, chunk_bytes: int) -> tuple[int, ...]:
        """Bytes that NPU 0 sends, over each dimension of its wires."""
        sent = [0] * self.places
        request = RENDEZVOUS_BYTES if self.rendezvous else 0
        for group, times, found in self._counted:
            for (place, shards), count in found.items():
                message_bytes = quirks.message_bytes(self.schedule, group, shards, chunk_bytes)
                sent[place] += times * count * (message_bytes + request)
        return tuple(sent)

    def row(self, npu: int, chunk_bytes: int, clockwise: bool = True, to_itself: bool = False) -> list[RowMessage]:
        """What one NPU sends, in order, if it brings `chunk_bytes`.

        clockwise: in which direction NPUs are counted. to_itself: whether it stands for all, and so sends to itself.
        """
        from astra_edu.system.faithful.kth_messages import RowMessage

        row: list[RowMessage] = []
        known: dict[tuple[int, int, int, int], RowMessage] = {}
        npus = self.schedule.npus
        mirrored = not clockwise and not self.schedule.traits.exchanges
        for group in self.schedule.groups:
            for step in range(group.count):
                shards = Counter([to for to, _ in group.rule(step, npu)])
                sizes = {n: quirks.message_bytes(self.schedule, group, n, chunk_bytes) for n in set(shards.values())}
                for to, count in shards.items():
                    ends = (2 * npu - to) % npus if mirrored else to
                    where, dimension, distance = self._path(group, npu, ends)
                    key = sizes[count], where, distance, npu if to_itself else ends
                    message = known.get(key)
                    if message is None:
                        timed = self.message(group, Route(count, where, dimension, distance), chunk_bytes)
                        ns = dimension.message_ns(timed.size, distance)
                        message = known[key] = RowMessage(key[-1], timed.size, ns, timed.request_ns)
                    row.append(message)
        return row

    def followed(self, chunk_bytes: int) -> Followed:
        """Direct, message by message; where NPUs are alike, NPU 0 sends to itself."""
        if self.alike:
            return self._follow([self.row(0, chunk_bytes, to_itself=True)], chunk_bytes)
        return self._follow([self.row(npu, chunk_bytes) for npu in range(self.schedule.npus)], chunk_bytes)

    @cached_property
    def even(self) -> bool:
        """Whether all NPUs send their k-th message at the same time, though not all equally far."""
        return self.window is None and not self.alike and self.network[0].even

    def followed_evenly(self, chunk_bytes: int) -> Followed:
        """Direct over even wires: NPU 0 shows when every k-th message leaves; who has the longest way shows the end."""
        followed = self._follow([self.row(0, chunk_bytes, to_itself=True)], chunk_bytes)
        groups = self.schedule.groups
        if len(groups) == 1:
            return followed
        ends = [
            start + max(self.message(groups[1], route, chunk_bytes).ns for route in routes)
            for (start, _), routes in zip(followed.spans[0][-len(self._kth_routes) :], self._kth_routes, strict=True)
        ]
        return followed._replace(total_ns=max(ends) + self.endpoint)

    @cached_property
    def _kth_routes(self) -> list[set[Route]]:
        """The different routes of all NPUs' k-th messages of a step, for each k."""
        group = self.schedule.groups[-1]
        routes = [self.of(group, group.transfers(0, npu)) for npu in range(self.schedule.npus)]
        return [set(kth) for kth in zip(*routes, strict=True)]

    def _follow(self, rows: list[list[RowMessage]], chunk_bytes: int) -> Followed:
        from astra_edu.system.followed import follow
        from astra_edu.system.moves import moves

        return follow(rows, moves(self.schedule, chunk_bytes, self.endpoint, self.window, quirks.memory_ns))
