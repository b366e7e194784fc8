"""From a collective to timed phases: how its data are split, and what each chunk does on which dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from astra_edu.base.deprecated import renamed_attributes
from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective, Schedule, known_schedule, walk
from astra_edu.system.config import Platform
from astra_edu.system.durations import Duration, duration
from astra_edu.system.inter_dimension import Dimensions, InterDimension, Ordered, asked, inter_dimension
from astra_edu.system.logical import LogicalDimension, LogicalTopology, logical_topologies
from astra_edu.system.routes import Routes


@renamed_attributes(size="chunk_bytes", final_size="final_bytes", lane="logical")
class Phase(NamedTuple):
    """One chunk's stay on one dimension: what is carried out there, in which queue, its bytes and its time.

    dimension: the logical one. chunk_bytes: what an NPU brings.
    """

    collective: Collective
    dimension: int
    queue: int
    chunk_bytes: int
    duration: Duration
    schedule: Schedule
    logical: LogicalTopology

    def waited(self, message_ns: float) -> Phase:
        """The phase as it was where NPU 0 waited so long for a message, in the mean: on a shared bus that is found."""
        if message_ns == self.duration.message_ns:
            return self
        return self._replace(duration=replace(self.duration, message_ns=message_ns))

    @property
    def final_bytes(self) -> int:
        """Bytes that an NPU has afterwards."""
        npus = self.logical.dimension.npus
        if self.collective is Collective.ALL_GATHER:
            return self.chunk_bytes * npus
        return self.chunk_bytes // npus if self.collective is Collective.REDUCE_SCATTER else self.chunk_bytes


def chunk_size(collective_bytes: int, splits: int) -> int:
    """The size of a chunk when `collective_bytes` are cut into `splits`; what is left over makes one more chunk.

    Raises ConfigError when there are fewer bytes than splits: ASTRA-sim would cut chunks of 0 bytes for ever.
    """
    if collective_bytes < splits:
        raise ConfigError(
            f"a collective of {collective_bytes} bytes can't be cut into preferred-dataset-splits = {splits} chunks; "
            f"it needs {splits} bytes at least."
        )
    return collective_bytes // splits


def chunk_sizes(collective_bytes: int, splits: int) -> list[int]:
    """The sizes of all chunks when `collective_bytes` are cut into `splits`."""
    whole_chunks, rest = divmod(collective_bytes, chunk_size(collective_bytes, splits))
    return [collective_bytes // splits] * whole_chunks + ([rest] if rest else [])


class Station:
    """One kind of phase on one logical dimension, and the durations found so far."""

    def __init__(
        self, collective: Collective, what: Collective, d: int, logical: LogicalTopology, platform: Platform
    ) -> None:
        """what: done for `collective` on dimension d over `logical`. Raises ConfigError where the algorithm can't."""
        self.trees_of = (collective, d)
        self.d = d
        self.logical = logical
        n, traits, symmetric = logical.dimension.npus, logical.how.traits, logical.dimension.wires.symmetric
        limit = traits.most_npus[not symmetric]
        if n > limit:
            raise ConfigError(
                f"{logical.how.spelling} over {n:,} NPUs is too much to follow; {limit:,} is the most"
                f"{'' if symmetric else ' where NPUs are not alike'}."
            )
        self.trees = traits.tree
        if self.trees:  # whatever it is asked for, it all-reduces, on two trees in turn
            what = Collective.ALL_REDUCE
            plans = [known_schedule(what, name, n) for name in (logical.how.algorithm, traits.twin)]
            self.grows, self.shrinks = 1, 1
        else:
            plans = [known_schedule(what, logical.how.algorithm, n)]
            self.grows = n if what is Collective.ALL_GATHER else 1
            self.shrinks = n if what is Collective.REDUCE_SCATTER else 1
        self.what = what
        system, wires = platform.system, [logical.dimension.wires]
        self.routes = [Routes(p, wires, system.endpoint_delay, logical.how.window, system.rendezvous) for p in plans]
        self.congested = platform.network[logical.dimension.physical] if platform.congestion_aware else None
        self.durations: dict[tuple[int, int], Duration] = {}

    def phase(self, chunk_bytes: int, queue: int, tree: int) -> Phase:
        """This phase for a chunk that brings `chunk_bytes`; tree: 0 or 1, which of the two trees."""
        found = self.durations.get((chunk_bytes, tree))
        if found is None:
            found = self.durations[chunk_bytes, tree] = self._duration(self.routes[tree], chunk_bytes)
        return Phase(self.what, self.d, queue, chunk_bytes, found, self.routes[tree].schedule, self.logical)

    def _duration(self, routes: Routes, chunk_bytes: int) -> Duration:
        if self.congested is None:
            return duration(routes, chunk_bytes)
        from astra_edu.system.congested import congested_duration

        window = self.logical.how.window
        return congested_duration(routes.schedule, self.congested, window, routes.endpoint, chunk_bytes)


class Walk:
    """A way of a collective through the dimensions: stations in order, and the phases planned so far."""

    def __init__(self, stations: list[Station], turns: QueueAndTreeTurns) -> None:
        """turns: whose turn it is among queues and trees, shared by all walks."""
        self.stations = stations
        self.turns = turns
        self.always_the_same = turns.queues == 1 and not any(station.trees for station in stations)
        self._planned: dict[int, tuple[Phase, ...]] = {}

    def phases(self, chunk_bytes: int) -> tuple[Phase, ...]:
        """The phases of the next chunk of `chunk_bytes`."""
        found = self._planned.get(chunk_bytes)
        if found is None:
            found = tuple(self._plan(chunk_bytes))
            if self.always_the_same:
                self._planned[chunk_bytes] = found
        return found

    def _plan(self, chunk_bytes: int) -> Iterator[Phase]:
        for station in self.stations:
            yield station.phase(
                chunk_bytes, self.turns.queue(station.d), self.turns.tree(station) if station.trees else 0
            )
            chunk_bytes = chunk_bytes // station.shrinks * station.grows


class QueueAndTreeTurns:
    """The queues of a dimension take turns, and so do the two trees of a station."""

    def __init__(self, dimensions: int, queues: int) -> None:
        """Begin with the first of each."""
        self.queues = queues
        self._next_queue = [0] * dimensions
        self._next_tree: dict[tuple[Collective, int], int] = {}

    def queue(self, d: int) -> int:
        """The queue of dimension d for the next phase."""
        queue = self._next_queue[d]
        self._next_queue[d] = (queue + 1) % self.queues
        return queue

    def tree(self, station: Station) -> int:
        """The tree for the next phase: 0 or 1. One for all that the station's collective does on its dimension."""
        key = station.trees_of
        tree = self._next_tree.get(key, 0)
        self._next_tree[key] = 1 - tree
        return tree


class TimedPlanner:
    """Cuts collectives into chunks and plans every chunk's phases, one collective after the other."""

    def __init__(self, platform: Platform, dims: tuple[LogicalDimension, ...]) -> None:
        """dims: the logical dimensions, see system.logical."""
        self.platform = platform
        self.dims = dims
        self.inter = inter_dimension(platform.system.inter_dimension, _dimensions(platform, dims))
        self._logical: dict[Collective, tuple[LogicalTopology, ...]] = {}
        self._walks: dict[Collective, dict[tuple[int, ...], Walk]] = {}
        self._turns = QueueAndTreeTurns(len(dims), platform.system.queues)

    def chunks(
        self,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool],
        now: float,
        zero_leads: bool = True,
    ) -> Iterator[tuple[Phase, ...]]:
        """The phases of each chunk of a collective of `collective_bytes` that begins at `now` ns.

        involved: for each logical dimension, whether the collective runs over it. zero_leads: whether NPU 0 is the
        first to begin it (see faithful.forgetting). Raises ConfigError for what can't be planned.
        """
        if zero_leads:
            self.inter.begin(now)
        yield from self.planned(collective, collective_bytes, involved)
        self.inter.begin(now)

    def planned(
        self, collective: Collective, collective_bytes: int, involved: Sequence[bool]
    ) -> Iterator[tuple[Phase, ...]]:
        """The phases of each chunk, by the loads as they are; none over no dimension of more than one NPU."""
        usable = self._usable(collective, involved)
        walks, flat = self._walks[collective], self._logical[collective][0].how.flat
        if not any(usable):
            self.inter.order(collective, collective_bytes, collective_bytes, involved)  # it takes its turn all the same
            return
        for order, chunk_bytes in self._orders(self.inter, collective, collective_bytes, involved):
            used = (0,) if flat else tuple([d for d in order if usable[d]])
            walk = walks.get(used)
            if walk is None:
                walk = walks[used] = Walk(self._stations(collective, used), self._turns)
            yield walk.phases(chunk_bytes)

    def _usable(self, collective: Collective, involved: Sequence[bool]) -> list[bool]:
        """For each dimension, whether the collective runs over it and has somebody to talk to there."""
        if collective not in self._logical:
            self._logical[collective] = logical_topologies(self.platform, self.dims, collective)
            self._walks[collective] = {}
        available = self._logical[collective]
        return [use and logical.dimension.npus > 1 for use, logical in zip(involved, available, strict=False)]

    def lead_matters(self, collective: Collective, collective_bytes: int, involved: Sequence[bool], now: float) -> bool:
        """Whether the chunks of a collective that begins at `now` ns depend on which NPU is the first to begin it."""
        if not any(self._usable(collective, involved)):
            return False
        zero, another = deepcopy(self.inter), deepcopy(self.inter)
        zero.begin(now)
        found = (self._orders(inter, collective, collective_bytes, involved) for inter in (zero, another))
        return any(one != other for one, other in zip_longest(*found))

    def _orders(
        self, inter: InterDimension, collective: Collective, collective_bytes: int, involved: Sequence[bool]
    ) -> Iterator[Ordered]:
        recommended = chunk_size(collective_bytes, self.platform.system.splits)
        left_bytes = collective_bytes
        while left_bytes:
            order, chunk_bytes = asked(inter, collective, recommended, left_bytes, involved)
            yield order, chunk_bytes
            left_bytes -= chunk_bytes

    def _stations(self, collective: Collective, order: tuple[int, ...]) -> list[Station]:
        one_each = self.platform.system.optimization == "baseline"
        return [
            Station(collective, what, d, self._logical[collective][d], self.platform)
            for what, d in walk(collective, order, self.inter.halves, one_each)
        ]


def _dimensions(platform: Platform, dims: tuple[LogicalDimension, ...]) -> Dimensions:
    physical = [platform.network[dimension.physical] for dimension in dims]
    return Dimensions(
        tuple(dimension.npus for dimension in dims),
        tuple(dimension.usable_links * dimension.bandwidth for dimension in physical),
        platform.system.gap_denominator,
    )
