"""Phases message by message, for ASTRA-sim 1.0's shared bus, where NPU 0 stands for all: it sends to itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from astra_edu.base.units import float32
from astra_edu.clock.events import Action
from astra_edu.clock.loop_turns import TurnsClock
from astra_edu.network.folded import AmbiguousError
from astra_edu.system.config import Platform
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful.alone_bus import AloneBus, Knows
from astra_edu.system.faithful.bus import SharedBus, Side
from astra_edu.system.faithful.bus_rows import BusRows
from astra_edu.system.faithful.kth_messages import RowMessage
from astra_edu.system.moves import Moves
from astra_edu.system.plan_1 import Phase


class _OwnMessages:
    """The messages of a phase in which NPU 0 stands for all: what it sends is what it receives.

    row: in the order of sending, over which dimension. alone: whether nothing else of NPU 0 can be disturbed by one, so
    that nobody watches. waited: how long for each, in whole ns, as an NPU counts.
    """

    def __init__(self, clock: TurnsClock, row: Sequence[RowMessage], dimension: int, alone: bool) -> None:
        self.clock = clock
        self.waited: list[int] = []
        self.dimension = dimension
        self.alone = alone
        self.messages = iter(row)

    def send(self, source: int, destination: int, tag: int, message_bytes: int) -> None:
        """See Carrier."""

    def receive(self, npu: int, source: int, tag: int, message_bytes: int, received: Action) -> None:
        """See Carrier; the message has just been sent."""
        message = next(self.messages)
        if message.request_ns:
            self.clock.at(self.clock.exact + message.request_ns, self._leave, (message, received, self.clock.now))
        else:
            self._leave((message, received, self.clock.now))

    def _leave(self, what: tuple[RowMessage, Action, int]) -> None:
        message, received, since = what
        self.waited.append(int(self.clock.exact + message.ns) - since)
        if self.alone:
            self.clock.at(self.clock.exact + message.ns, received, None)
        else:
            self.clock.on_the_network(message.ns, received, None, ((self.dimension, message.destination), self))


class BusPhases:
    """Runs phases of NPU 0 message by message."""

    def __init__(self, clock: TurnsClock, platform: Platform, one_dimension: bool) -> None:
        """one_dimension: whether there is only one, so that chunks may have the bus for themselves."""
        assert platform.system.bus
        self.clock = clock
        self._rows = BusRows(platform, alike=True)
        self._one_chunk = one_dimension and platform.system.active_chunks == platform.system.queues == 1
        self._onwards = float32(platform.system.bus.G) < platform.system.bus.o + 1
        """Whether 0 bytes cross in no less than 0 ns."""
        self._whole = not any(dimension.hbm_scale for dimension in platform.network)
        self._shared = SharedBus.with_memory(platform.system.bus, clock.zero, clock)
        self._alone = AloneBus(self._shared, clock.zero, Knows(platform.system.bus), lambda: clock.zero.only)
        self._left: Sequence[tuple[Action, Any]] | None = None
        """While NPU 0 has ended a phase in its turn: what it has yet to do in that."""

    def begin(self, phase: Phase, done: Callable[[float], object]) -> None:
        """Run a phase from now on; at its end done is called with how long a message was waited for, in the mean.

        Raises ConfigError as BusRows does; AmbiguousError where the clock is watched, a phase has just ended, and NPU 0
        has more to do in its turn: all NPUs begin in the turn of the last of them, when the others have done it. (What
        is left of this ns has been foreseen in another than the turn, so it comes later.)
        """
        (row,), own = self._rows.of(phase)
        turns = self.clock.zero
        onwards = self._onwards or all(own.crossing_sizes)
        alone = self._one_chunk and self._whole and onwards and own.window == 1
        bus = self._alone if alone else self._shared
        if self._left is not None and self.clock.watch and not self._same_for_all(self._left, bus, own):
            raise AmbiguousError

        def over() -> None:
            self._left = turns.left
            done(sum(messages.waited) / len(messages.waited))
            self._left = None

        ahead = [0] * len(row)
        messages = _OwnMessages(self.clock, row, phase.dimension, alone)
        Exchange(OneEndpoint(0, turns, messages, bus), own, 0, ahead, ahead, over).start()

    def _same_for_all(self, left: Sequence[tuple[Action, Any]], bus: SharedBus, own: Moves) -> bool:
        """Whether it makes no difference if NPU 0 begins a phase in its turn, of which this is left, or after it.

        The last NPU begins it in its turn, the others have done theirs. Where chunks go one by one, the bus has nothing
        left to do in it but to set its near end free, which happens before anything is to go out there.
        """
        if self._one_chunk:
            return all(isinstance(getattr(action, "__self__", None), Side) for action, _ in left)
        return not left and bus.may_begin(own.crossing_sizes[0])
