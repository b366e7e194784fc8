"""Phases message by message, for ASTRA-sim 1.0's shared bus: there the chunks of an NPU get in each other's way.

In ASTRA-sim's boost mode, NPUs other than 0 have a bus of their own that only the dimension they share with NPU 0 uses;
without it all NPUs are alike, and NPU 0 sends its messages to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Action
from astra_edu.clock.loop_turns import LoopTurns, TurnsClock
from astra_edu.network.folded import AmbiguousError
from astra_edu.system.config import Platform
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.alone_bus import AloneBus, Knows
from astra_edu.system.faithful.bus import SharedBus, Side
from astra_edu.system.faithful.kth_messages import KthMessages, RowMessage
from astra_edu.system.moves import Moves, moves
from astra_edu.system.plan_1 import Phase
from astra_edu.system.routes import Routes

MOST_NPUS = 256
"""The most NPUs of a dimension that are followed one by one."""


class _OwnMessages:
    """The messages of a phase in which NPU 0 stands for all: what it sends is what it receives.

    row: in the order of sending.
    """

    def __init__(self, clock: TurnsClock, row: Sequence[RowMessage], alone: bool) -> None:
        self.clock = clock
        self.alone = alone
        self.messages = iter(row)

    def send(self, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """See Carrier."""

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Action) -> None:
        """See Carrier; the message has just been sent."""
        message, now = next(self.messages), self.clock.now
        leaves = now + message.request_ns if message.request_ns else now
        if self.alone:
            self.clock.at(leaves + message.ns, received, None)
        else:
            self.clock.on_the_network(leaves + message.ns - now, received, None, (message.destination, self))


class BusPhases:
    """Runs phases message by message on one clock, with a bus for every NPU that is followed."""

    def __init__(self, clock: TurnsClock, platform: Platform, alike: bool, zero_alone: bool) -> None:
        """alike: whether NPU 0 stands for all. zero_alone: whether there is only one dimension, and it is tried
        whether what crosses NPU 0's bus can be taken at once; AmbiguousError comes where the loop is in the way.
        """
        assert platform.system.bus
        self.clock = clock
        self.system = platform.system
        self.alike = alike
        self._zero_alone = zero_alone
        self._one_chunk = platform.system.active_chunks == platform.system.queues == 1
        self._knows = Knows(platform.system.bus)
        self._left: Sequence[tuple[Action, Any]] | None = None
        """While NPU 0 has ended a phase in its turn: what it has yet to do in that."""
        self._buses: dict[object, tuple[LoopTurns, SharedBus, AloneBus]] = {}
        self._rows: dict[tuple[int, int, int, bool], tuple[list[list[RowMessage]], Moves]] = {}

    def begin(self, phase: Phase, order: Sequence[int], done: Callable[[Sequence[int]], object]) -> None:
        """Run a phase from now on, its NPUs beginning in this order.

        done(npus) is called at its end, with the order in which they finished. Raises ConfigError for algorithms that
        ASTRA-sim's bus isn't known for, and without boost mode for NPUs that aren't alike; AmbiguousError where the
        clock is watched and NPU 0 has more to do in its turn: all NPUs begin in the turn of the last of them, when the
        others have done it. (What is left of this ns has been foreseen in another than the turn, so it comes later.)
        """
        self._check(phase)
        rows, own = self._of(phase)
        if self.alike:
            self._begin_alike(rows[0], own, done)
            return
        if len(order) != len(rows):
            raise ConfigError(
                "on a shared bus, a collective over all NPUs at once ('one...') beside others in the same queue isn't "
                "known; take implementations with an entry for each dimension."
            )
        messages = KthMessages(rows, lambda: self.clock.now, self._at)
        finished: list[int] = []

        def over(npu: int) -> None:
            finished.append(npu)
            if len(finished) == len(rows):
                done(finished)

        for npu in order:
            turns, bus = self._bus((phase.dimension, npu) if npu else 0, own.window == 1)
            ahead = [message.destination for message in rows[npu]]
            Exchange(OneEndpoint(npu, turns, messages, bus), own, 0, ahead, ahead, partial(over, npu)).start()

    def _begin_alike(self, row: Sequence[RowMessage], own: Moves, done: Callable[[Sequence[int]], object]) -> None:
        turns, bus = self._bus(0, own.window == 1)
        if self._left is not None and self.clock.watch and not self._same_for_all(self._left, bus, own):
            raise AmbiguousError

        def over() -> None:
            self._left = turns.left
            done((0,))
            self._left = None

        ahead = [0] * len(row)
        messages = _OwnMessages(self.clock, row, self._one_chunk and own.window == 1)
        Exchange(OneEndpoint(0, turns, messages, bus), own, 0, ahead, ahead, over).start()

    def _same_for_all(self, left: Sequence[tuple[Action, Any]], bus: SharedBus, own: Moves) -> bool:
        """Whether it makes no difference if NPU 0 begins a phase in its turn, of which this is left, or after it.

        The last NPU begins it in its turn, the others have done theirs. Where chunks go one by one, the bus has nothing
        left to do in it but to set its near end free, which happens before anything is to go out there.
        """
        if self._one_chunk:
            return all(isinstance(getattr(action, "__self__", None), Side) for action, _ in left)
        return not left and bus.may_begin(own.crossing_sizes[0])

    def _check(self, phase: Phase) -> None:
        wires = phase.logical.dimension.wires
        if phase.schedule.traits.tree:
            raise ConfigError("ASTRA-sim's double binary trees aren't modelled with a shared bus; choose another one.")
        if not phase.schedule.traits.tokens:
            raise ConfigError(
                f"how {phase.schedule.algorithm} uses a shared bus isn't known; take ring, direct or halvingDoubling."
            )
        if wires.npus > MOST_NPUS:
            raise ConfigError(
                f"with a shared bus every message is followed, and {wires.npus:,} NPUs in a dimension are too much for "
                f"that; {MOST_NPUS:,} is the most."
            )
        if self.alike and not wires.symmetric:
            raise ConfigError("with a shared bus, NPUs that aren't alike are followed in boost mode only; set it to 1.")

    def _of(self, phase: Phase) -> tuple[list[list[RowMessage]], Moves]:
        """(each NPU's messages in a phase, what one of them does)."""
        queues = self.system.queues
        clockwise = queues == 1 or phase.queue < queues // 2
        key = id(phase.schedule), id(phase.logical), phase.chunk_bytes, clockwise
        if key not in self._rows:
            wires = phase.logical.dimension.wires
            routes = Routes(phase.schedule, [wires], 0, None, self.system.rendezvous)
            rows = [routes.row(npu, phase.chunk_bytes, clockwise) for npu in range(1 if self.alike else wires.npus)]
            own = moves(phase.schedule, phase.chunk_bytes, 0, phase.logical.how.window, quirks.memory_ns)
            self._rows[key] = rows, own
        return self._rows[key]

    def _bus(self, name: object, one_message: bool) -> tuple[LoopTurns, SharedBus]:
        """An NPU's turns and bus. one_message: whether each chunk that uses it has only one message at a time."""
        if name not in self._buses:
            assert self.system.bus
            turns = LoopTurns(self.clock) if name else self.clock.zero
            shared = SharedBus.with_memory(self.system.bus, turns, self.clock.env)
            self._buses[name] = turns, shared, AloneBus(shared, turns, self._knows, None if name else self._only)
        turns, shared, alone = self._buses[name]
        can = one_message and self._one_chunk and (name or self._zero_alone)
        return turns, alone if can else shared

    def _only(self) -> bool:
        return self.clock.zero.only

    def _at(self, time: float, action: Action, what: Any) -> None:
        self.clock.on_the_network(time - self.clock.now, action, what)
