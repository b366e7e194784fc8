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
from math import prod

from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.logical import LogicalDimension
from astra_edu.system.plan_1 import Phase
from astra_edu.system.queues import Issued, Stay

Order = tuple[int, ...]

MOST_TURNS = 5_000_000
"""How many turns of NPUs are followed before the order is given up; phases that go as one before them cost none."""


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
        self._orders: dict[Order, Order] = {}
        self._found: dict[tuple[int, ...], Order | None] = {}
        self._turns = 0
        self.tied = False
        """Whether phases of several dimensions ended in one ns: who of their NPUs was first isn't followed."""

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
            return self._known(tuple(range(self._count)))
        stay, at_once = self._wakes[number - 1]
        for index in range(len(self._ends), stay + 1):
            self._ends.append(self._end(self._stays[index], index))
        order = self._ends[stay]
        return self._known(_last_first(order)) if order and at_once else order

    def _end(self, stay: Stay, index: int) -> Order | None:
        """In which order NPUs go on after a stay: those who took no part as they came, the others as they finished."""
        before = self._stays[index - 1] if index else stay
        self.tied |= before.end_ns == stay.end_ns and before.phase.dimension != stay.phase.dimension
        chunk = stay.issued, stay.chunk
        came = self._ends[self._last[chunk]] if stay.step else self._after_wake(self._begun[stay.issued])
        began = came if stay.after < 0 else self._ends[stay.after]
        self._last[chunk] = index
        system, how, wires = self._platform.system, stay.phase.logical.how, stay.phase.logical.dimension.wires
        if came is None or began is None or how.flat or how.traits.tree or not wires.symmetric or system.bus:
            return None
        if not how.traits.tokens:  # an algorithm that ASTRA-sim doesn't have
            return began
        late = stay.after >= 0 and not system.endpoint_delay
        way = 1 if system.queues == 1 or stay.phase.queue < system.queues // 2 else -1
        kind = id(came), id(began), id(stay.phase.schedule), id(stay.phase.logical), stay.phase.dimension, way, late
        if kind not in self._found:
            self._found[kind] = self._finished(stay.phase, came, _last_first(began) if late else began, way)
        return self._found[kind]

    def _finished(self, phase: Phase, came: Order, began: Order, way: int) -> Order | None:
        stride, n = self._strides[phase.dimension], phase.logical.dimension.npus
        takes_part = {place * stride for place in range(n)} if self._platform.system.boost else set(came)
        topology = self._platform.network[phase.logical.dimension.physical].topology
        messages = _messages(phase, topology.goes_round)
        self._turns += len(came) + len(takes_part) * sum(map(len, messages))
        if self._turns > MOST_TURNS:
            return None
        order = tuple([npu for npu in began if npu in takes_part])
        finished = _finished(order, n, stride, way, phase.logical.how.traits.exchanges, messages)
        return self._known((*(npu for npu in came if npu not in takes_part), *finished))

    def _known(self, order: Order) -> Order:
        """The same order, always as the same object."""
        return self._orders.setdefault(order, order)


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
