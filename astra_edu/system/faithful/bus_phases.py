"""Phases message by message, for the shared bus: there the chunks of an NPU get in each other's way.

An NPU owns tokens: a token's data cross the bus to the network, its message is sent, the message that arrives in its
place crosses back, and the token is free to send the next. A ring and halving-doubling have one token, direct as many
as its window is wide. In ASTRA-sim's boost mode, NPUs other than 0 have a bus of their own that only the dimension
they share with NPU 0 uses; without it all NPUs are alike, and NPU 0 sends its messages to itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from astra_edu.base.errors import ConfigError
from astra_edu.clock.loop_turns import TurnsClock
from astra_edu.collectives import Collective
from astra_edu.system.config import Platform
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.bus import Piece, SharedBus, crossing
from astra_edu.system.plan_1 import Phase
from astra_edu.system.routes import Routes, RowMessage

MOST_NPUS = 256
"""The most NPUs of a dimension that are followed one by one."""


@dataclass(eq=False)
class _Posted:
    """A message of which one end is known: when it was sent, or when its receiver was ready for it."""

    sent_ns: float = 0
    message: RowMessage | None = None
    ready_ns: float | None = None


@dataclass(eq=False)
class _Endpoint:
    tokens: int = 0
    sent: int = 0
    arrived: int = 0
    crossings: int = 0
    posted: dict[int, _Posted] = field(default_factory=lambda: defaultdict(_Posted))


class BusPhases:
    """Runs phases message by message on one clock, with a bus for every NPU that is followed."""

    def __init__(self, clock: TurnsClock, platform: Platform, alike: bool) -> None:
        """alike: whether NPU 0 stands for all."""
        bus = platform.system.bus
        assert bus
        self.clock = clock
        self.platform = platform
        self.alike = alike
        self.buses: dict[object, SharedBus] = {}
        self.config = bus
        self._rows: dict[tuple[int, int, int], tuple[list[list[RowMessage]], list[int]]] = {}

    def begin(self, phase: Phase, order: Sequence[int], done: Callable[[Sequence[int]], object]) -> None:
        """Run a phase from now on, its NPUs beginning in this order.

        done(npus) is called at its end, with the order in which they finished. Raises ConfigError for trees, and
        without boost mode for NPUs that aren't alike.
        """
        if not phase.schedule.groups[0].symmetric:
            raise ConfigError("ASTRA-sim's double binary trees aren't modelled with a shared bus; choose another one.")
        npus = phase.lane.dimension.npus
        if npus > MOST_NPUS:
            raise ConfigError(
                f"with a shared bus every message is followed, and {npus:,} NPUs in a dimension are too much for that; "
                f"{MOST_NPUS:,} is the most."
            )
        if self.alike and not phase.lane.dimension.wires.symmetric:
            raise ConfigError("with a shared bus, NPUs that aren't alike are followed in boost mode only; set it to 1.")
        _Running(self, phase, done).begin([0] if self.alike else order)

    def rows(self, phase: Phase, npus: int) -> tuple[list[list[RowMessage]], list[int]]:
        """(each NPU's messages in a phase, the bytes that cross its bus before each and after the last)."""
        key = id(phase.schedule), id(phase.lane), phase.size
        if key not in self._rows:
            rendezvous = self.platform.system.rendezvous
            routes = Routes(phase.schedule, [phase.lane.dimension.wires], 0, None, rendezvous)
            rows = [routes.row(npu, phase.size) for npu in range(npus)]
            self._rows[key] = rows, quirks.crossing_bytes(phase.schedule, [message.size for message in rows[0]])
        return self._rows[key]

    def bus(self, npu: object) -> SharedBus:
        """The bus of an NPU."""
        if npu not in self.buses:
            self.buses[npu] = SharedBus.with_memory(self.config, self.clock, npu)
        return self.buses[npu]


class _Running:
    def __init__(self, messages: BusPhases, phase: Phase, done: Callable[[Sequence[int]], object]) -> None:
        self.messages = messages
        self.phase = phase
        self.done = done
        n = phase.lane.dimension.npus
        self.npus = 1 if messages.alike else n
        window = phase.lane.how.window
        direct = phase.schedule.algorithm == "direct"
        self.window = (n - 1 if window is None else min(window, n - 1)) if direct else 1
        self.gate = n - 1 if direct and phase.collective is Collective.ALL_REDUCE else 0
        self.rows, self.sizes = messages.rows(phase, self.npus)
        self.finished: list[int] = []
        self.ends = [_Endpoint() for _ in range(self.npus)]

    def begin(self, npus: Sequence[int]) -> None:
        for i in npus:
            for _ in range(self.window):
                self._cross(i)

    def _name(self, i: int) -> object:
        return (self.phase.dimension, i) if i else 0

    def _cross(self, i: int) -> None:
        end = self.ends[i]
        size = self.sizes[min(end.crossings, len(self.sizes) - 1)]
        schedule = self.phase.schedule
        how = crossing(schedule.collective, schedule.algorithm, schedule.npus, self.window, end.crossings)
        end.crossings += 1
        bus = self.messages.bus(self._name(i))

        def crossed() -> None:
            if how.adds_up:
                wait = quirks.memory_ns(size)
                self.messages.clock.after_for(self._name(i), wait, lambda: self._free(i))
            else:
                self._free(i)

        (bus.near if how.outwards else bus.far).request(Piece(size, how.adds_up, how.returns, crossed))

    def _free(self, i: int) -> None:
        end, row = self.ends[i], self.rows[i]
        end.tokens += 1
        while end.tokens and end.sent < len(row) and not end.sent >= self.gate > end.arrived:
            end.tokens -= 1
            k = end.sent
            end.sent += 1
            now = self.messages.clock.now
            to = 0 if self.npus == 1 else row[k].destination
            self.ends[to].posted[k].sent_ns = now
            self.ends[to].posted[k].message = row[k]
            end.posted[k].ready_ns = now
            for npu in {to, i}:
                self._arrive_if_both(npu, k)
        if end.sent == len(row) and end.tokens == self.window:
            self.finished.append(i)
            if len(self.finished) == self.npus:
                self.done(self.finished)

    def _arrive_if_both(self, i: int, k: int) -> None:
        """Let message k come to NPU i when it has been sent and NPU i is ready for it."""
        posted = self.ends[i].posted[k]
        message = posted.message
        if message is None or posted.ready_ns is None:
            return
        del self.ends[i].posted[k]
        leaves = posted.sent_ns
        if message.request_ns:
            leaves = max(leaves, posted.ready_ns + message.request_ns)
        at = max(leaves + message.ns, posted.ready_ns, self.messages.clock.now)

        def arrive() -> None:
            self.ends[i].arrived += 1
            self._cross(i)

        self.messages.clock.on_the_network(at - self.messages.clock.now, arrive)
