"""Which of all NPUs has its turn first when a collective begins: worked out from the record, where it matters.

All NPUs do the same in the same ns, but ASTRA-sim 1.0 serves them one after the other. A phase of a chunk ends when the
last of its NPUs has had its turn. Then all go on: first those who took no part (boost mode), in the order in which they
came, then the others in the order in which they finished. They begin the next phase in this order if there is a place
for the chunk; else in the order in which the chunk left that made the place free.

Within a phase the order changes with every message: it arrives when both its sender and its receiver have had their
turns, so the later of the two decides when the receiver is next.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.plan_1 import Phase
from astra_edu.system.queues import Issued, Stay

Order = tuple[int, ...]

MOST_TURNS = 5_000_000
"""How many turns of NPUs are followed before the order is given up."""


class NpuTurns:
    """The order of all NPUs, by what has been recorded so far."""

    def __init__(self, platform: Platform, dims: Sequence[LogicalDimension], stays: list[Stay]) -> None:
        """dims: the logical dimensions. stays: the record, which grows."""
        npus = [dimension.npus for dimension in dims]
        self._platform, self._stays = platform, stays
        self._strides = [prod(npus[:d]) for d in range(len(npus))]
        self._count = prod(npus)
        self._ends: list[Order | None] = []
        self._wakes: list[tuple[int, bool]] = []
        self._begun: dict[Issued, int] = {}
        self._last: dict[tuple[Issued, int], int] = {}
        self._left: dict[tuple[int, int, float], list[int]] = {}
        self._turns = 0

    def issued(self, issued: Issued) -> None:
        """The NPUs begin a collective, one after the other."""
        self._begun[issued] = len(self._wakes)

    def woken(self, stay: int, at_once: bool) -> None:
        """They have waited for a collective whose last phase is the record's number `stay`; at_once: for no update."""
        self._wakes.append((stay, at_once))

    @property
    def wakes(self) -> int:
        """How often they have waited so far."""
        return len(self._wakes)

    def first(self, wakes: int) -> int | None:
        """The NPU that has its turn first after having waited `wakes` times; None where that isn't known."""
        if not wakes:
            return 0
        order = self._after_wake(wakes) if self._count < MOST_TURNS else None
        return order[0] if order else None

    def _after_wake(self, number: int) -> Order | None:
        if not number:
            return tuple(range(self._count))
        stay, at_once = self._wakes[number - 1]
        for index in range(len(self._ends), stay + 1):
            self._ends.append(self._end(index))
        order = self._ends[stay]
        return _last_first(order) if order and at_once else order

    def _end(self, index: int) -> Order | None:
        stay = self._stays[index]
        chunk, phase = (stay.issued, stay.chunk), stay.phase
        queue = phase.dimension, phase.queue
        came = self._ends[self._last[chunk]] if stay.step else self._after_wake(self._begun[stay.issued])
        began = came
        if stay.start_ns > stay.queued_ns:
            left = self._left.get((*queue, stay.start_ns), [])
            began = self._ends[left.pop(0) if len(left) > 1 else left[0]] if left else None
        system = self._platform.system
        if not system.endpoint_delay and began and (stay.step or began is not came):
            began = _last_first(began)
        self._last[chunk] = index
        self._left.setdefault((*queue, stay.end_ns), []).append(index)
        how, wires = phase.logical.how, phase.logical.dimension.wires
        if came is None or began is None or how.flat or how.traits.tree or not wires.symmetric or system.bus:
            return None
        if not how.traits.tokens:  # an algorithm that ASTRA-sim doesn't have
            return began
        stride, n = self._strides[phase.dimension], wires.npus
        takes_part = {place * stride for place in range(n)} if system.boost else set(came)
        topology = self._platform.network[phase.logical.dimension.physical].topology
        messages = _messages(phase, topology.goes_round)
        self._turns += len(came) + len(takes_part) * sum(map(len, messages))
        if self._turns > MOST_TURNS:
            return None
        way = 1 if system.queues == 1 or phase.queue < system.queues // 2 else -1
        order = tuple([npu for npu in began if npu in takes_part])
        finished = _finished(order, n, stride, way, how.traits.exchanges, messages)
        return (*(npu for npu in came if npu not in takes_part), *finished)


def _last_first(order: Order) -> Order:
    return (order[-1], *order[:-1])


def _messages(phase: Phase, goes_round: bool) -> tuple[tuple[int, ...], ...]:
    """How far the messages go that an NPU sends in each step; of those at once on a ring, the last to arrive."""
    n, how = phase.logical.dimension.npus, phase.logical.how
    halves = 2 if phase.collective is Collective.ALL_REDUCE else 1
    if how.traits.exchanges:
        out = [(2**k,) for k in range(n.bit_length() - 1)]
        back = out[::-1]
        return tuple({Collective.ALL_REDUCE: out + back, Collective.ALL_GATHER: back}.get(phase.collective, out))
    if how.traits.windowed:
        window = min(how.window or n - 1, n - 1)
        others = range(1, n)
        steps = [tuple(others[k : k + window]) for k in range(0, n - 1, window)]
        if window == n - 1 and goes_round:
            steps = [tuple(k for k in others if min(k, n - k) == n // 2)]
        return tuple(steps * halves)
    return ((1,),) * sum(group.count for group in phase.schedule.groups)


@lru_cache(maxsize=4096)
def _finished(
    order: Order, npus: int, stride: int, way: int, exchanges: bool, messages: tuple[tuple[int, ...], ...]
) -> Order:
    """In which order NPUs have finished a phase that they began in `order`. way: 1 or -1, round the dimension."""

    def partners(npu: int, distance: int) -> tuple[int, int]:
        """To whom it sends and from whom it receives."""
        place = npu // stride % npus
        first = npu - place * stride
        if exchanges:
            return first + (place ^ distance) * stride, first + (place ^ distance) * stride
        to, source = (place + way * distance) % npus, (place - way * distance) % npus
        return first + to * stride, first + source * stride

    for distances in messages:
        had_turn: set[int] = set()
        arrived: dict[int, None] = {}
        for npu in order:
            for to, source in (partners(npu, distance) for distance in distances):
                if to in had_turn:
                    arrived.setdefault(to)
                if source in had_turn:
                    arrived.setdefault(npu)
            had_turn.add(npu)
        order = tuple(arrived)
    return order
