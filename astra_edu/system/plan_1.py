"""From a collective to timed phases: how its data are split, and what each chunk does on which dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective, Schedule, known_schedule, walk
from astra_edu.system.config import Platform
from astra_edu.system.durations import Duration, duration
from astra_edu.system.inter_dimension import Dimensions, asked, inter_dimension
from astra_edu.system.logical import Lane, LogicalDimension, lanes
from astra_edu.system.routes import Routes


class Phase(NamedTuple):
    """One chunk's stay on one dimension: what is carried out there, in which queue, its bytes and its time.

    dimension: the logical one. size: what an NPU brings, in bytes.
    """

    collective: Collective
    dimension: int
    queue: int
    size: int
    duration: Duration
    schedule: Schedule
    lane: Lane

    @property
    def final_size(self) -> int:
        """Bytes that an NPU has afterwards."""
        npus = self.lane.dimension.npus
        if self.collective is Collective.ALL_GATHER:
            return self.size * npus
        return self.size // npus if self.collective is Collective.REDUCE_SCATTER else self.size


def chunk_size(size: int, splits: int) -> int:
    """The size of a chunk when `size` bytes are cut into `splits`; what is left over makes one more, smaller chunk.

    Raises ConfigError when there are fewer bytes than splits: ASTRA-sim would cut chunks of 0 bytes for ever.
    """
    if size < splits:
        raise ConfigError(
            f"a collective of {size} bytes can't be cut into preferred-dataset-splits = {splits} chunks; "
            f"it needs {splits} bytes at least."
        )
    return size // splits


def chunk_sizes(size: int, splits: int) -> list[int]:
    """The sizes of all chunks when `size` bytes are cut into `splits`."""
    whole_chunks, rest = divmod(size, chunk_size(size, splits))
    return [size // splits] * whole_chunks + ([rest] if rest else [])


class Station:
    """One kind of phase on one logical dimension, and the durations found so far."""

    def __init__(self, collective: Collective, what: Collective, d: int, lane: Lane, platform: Platform) -> None:
        """what: done for `collective` on dimension d over `lane`. Raises ConfigError where the algorithm can't."""
        self.trees_of = (collective, d)
        self.d = d
        self.lane = lane
        n, traits, symmetric = lane.dimension.npus, lane.how.traits, lane.dimension.wires.symmetric
        limit = traits.most_npus[not symmetric]
        if n > limit:
            raise ConfigError(
                f"{lane.how.spelling} over {n:,} NPUs is too much to follow; {limit:,} is the most"
                f"{'' if symmetric else ' where NPUs are not alike'}."
            )
        self.trees = traits.tree
        if self.trees:  # whatever it is asked for, it all-reduces, on two trees in turn
            what = Collective.ALL_REDUCE
            plans = [known_schedule(what, name, n) for name in (lane.how.algorithm, traits.twin)]
            self.grows, self.shrinks = 1, 1
        else:
            plans = [known_schedule(what, lane.how.algorithm, n)]
            self.grows = n if what is Collective.ALL_GATHER else 1
            self.shrinks = n if what is Collective.REDUCE_SCATTER else 1
        self.what = what
        system, wires = platform.system, [lane.dimension.wires]
        self.routes = [Routes(p, wires, system.endpoint_delay, lane.how.window, system.rendezvous) for p in plans]
        self.durations: dict[tuple[int, int], Duration] = {}

    def phase(self, size: int, queue: int, tree: int) -> Phase:
        """This phase for a chunk that brings `size` bytes; tree: 0 or 1, which of the two trees."""
        found = self.durations.get((size, tree))
        if found is None:
            found = self.durations[size, tree] = duration(self.routes[tree], size)
        return Phase(self.what, self.d, queue, size, found, self.routes[tree].schedule, self.lane)


class Walk:
    """A way of a collective through the dimensions: stations in order, and the phases planned so far."""

    def __init__(self, stations: list[Station], turns: QueueAndTreeTurns) -> None:
        """turns: whose turn it is among queues and trees, shared by all walks."""
        self.stations = stations
        self.turns = turns
        self.always_the_same = turns.queues == 1 and not any(station.trees for station in stations)
        self._planned: dict[int, tuple[Phase, ...]] = {}

    def phases(self, size: int) -> tuple[Phase, ...]:
        """The phases of the next chunk of `size` bytes."""
        found = self._planned.get(size)
        if found is None:
            found = tuple(self._plan(size))
            if self.always_the_same:
                self._planned[size] = found
        return found

    def _plan(self, size: int) -> Iterator[Phase]:
        for station in self.stations:
            yield station.phase(size, self.turns.queue(station.d), self.turns.tree(station) if station.trees else 0)
            size = size // station.shrinks * station.grows


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
        self._lanes: dict[Collective, tuple[Lane, ...]] = {}
        self._walks: dict[Collective, dict[tuple[int, ...], Walk]] = {}
        self._turns = QueueAndTreeTurns(len(dims), platform.system.queues)

    def chunks(
        self, collective: Collective, size: int, involved: Sequence[bool], now: float, zero_leads: bool = True
    ) -> Iterator[tuple[Phase, ...]]:
        """The phases of each chunk of a collective of `size` bytes that begins at `now` ns.

        involved: for each logical dimension, whether the collective runs over it. zero_leads: whether NPU 0 is the
        first to begin it (see faithful.npu_order). Nothing comes out where it runs over no dimension of more than one
        NPU. Raises ConfigError for what can't be planned.
        """
        if collective not in self._lanes:
            self._lanes[collective] = lanes(self.platform, self.dims, collective)
            self._walks[collective] = {}
        available, walks = self._lanes[collective], self._walks[collective]
        flat = available[0].how.flat
        usable = [use and lane.dimension.npus > 1 for use, lane in zip(involved, available, strict=False)]
        if zero_leads:
            self.inter.begin(now)
        if not any(usable):
            self.inter.order(collective, size, size, involved)  # it takes its turn all the same
            self.inter.begin(now)
            return
        recommended = chunk_size(size, self.platform.system.splits)
        while size:
            order, chunk = asked(self.inter, collective, recommended, size, involved)
            used = (0,) if flat else tuple([d for d in order if usable[d]])
            walk = walks.get(used)
            if walk is None:
                walk = walks[used] = Walk(self._stations(collective, used), self._turns)
            yield walk.phases(chunk)
            size -= chunk
        self.inter.begin(now)

    def _stations(self, collective: Collective, order: tuple[int, ...]) -> list[Station]:
        one_each = self.platform.system.optimization == "baseline"
        return [
            Station(collective, what, d, self._lanes[collective][d], self.platform)
            for what, d in walk(collective, order, self.inter.halves, one_each)
        ]


def _dimensions(platform: Platform, dims: tuple[LogicalDimension, ...]) -> Dimensions:
    physical = [platform.network[dimension.physical] for dimension in dims]
    return Dimensions(
        tuple(dimension.npus for dimension in dims),
        tuple(dimension.usable_links * dimension.bandwidth for dimension in physical),
        platform.system.gap_denominator,
    )
