"""A flow: messages from one NPU to another, one after the other, over a connection."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from astra_edu.clock.events import Clock
from astra_edu.network.drops.controls.control import Control
from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.receiver import Receiver
from astra_edu.network.drops.sender import MOST_RETRIES, Sender

if TYPE_CHECKING:
    from astra_edu.network.drops.port import Port
    from astra_edu.network.drops.settings import Packets

Done = Callable[[Any], object]


class Delivered(NamedTuple):
    """A message of so many bytes: when it was handed to the network and when the last byte was there (ns)."""

    source: int
    destination: int
    message_bytes: int
    sent_ns: int
    arrived_ns: int


@dataclass(slots=True)
class Counts:
    """Packets of all flows. sent, arrived: of data; back_sent, back_arrived: acknowledgements and the like; cross: of
    cross traffic. given_up: whether a flow has sent for the last time without an answer."""

    sent: int = 0
    arrived: int = 0
    back_sent: int = 0
    back_arrived: int = 0
    cross: int = 0
    given_up: bool = False


class Flow:
    """forward, backward: the ports from its source to its destination and back. messages: of all flows, as they end."""

    def __init__(
        self,
        clock: Clock,
        settings: Packets,
        ends: tuple[int, int],
        forward: list[Port],
        backward: list[Port],
        control: Control,
        counts: Counts,
        messages: list[Delivered],
    ) -> None:
        """No message yet."""
        self.clock, self.settings, self.ends, self.control = clock, settings, ends, control
        self.forward, self.backward, self.counts, self.messages = forward, backward, counts, messages
        self.overhead, self.keeps = settings.overhead, settings.keeps
        self.window = settings.window if isinstance(settings.window, int) else None
        self.sender, self.receiver = Sender(self), Receiver(self)
        self.acknowledged = self.sender.acknowledged
        self.open = not settings.handshake
        self._asked_ns: int | None = None
        self._first_ns = settings.first_rto_ns
        self._asks = 0
        self._waiting: deque[tuple[int, int, Done, Any]] = deque()

    @property
    def unfinished(self) -> int:
        """Messages that have not arrived."""
        return len(self._waiting)

    @property
    def timeouts(self) -> int:
        """How often nothing came for too long, when it was asked for or afterwards."""
        return self.sender.timeouts + max(0, self._asks - 1)

    @property
    def given_up(self) -> bool:
        """Whether nothing will ever be sent again."""
        return self.sender.given_up or (not self.open and self._asks > MOST_RETRIES + 1)

    def send(self, message_bytes: int, arrived: Done, what: Any) -> None:
        """Send a message after those before it; arrived(what) when its last byte is there."""
        self._waiting.append((message_bytes, self.clock.now, arrived, what))
        self.receiver.goals.append(self.sender.board.add(message_bytes))
        if self.open:
            self.sender.go_on()
        elif self._asked_ns is None:
            self._ask(None)

    def delivered(self) -> None:
        """The first message that was on its way has arrived."""
        message_bytes, sent_ns, arrived, what = self._waiting.popleft()
        now = self.clock.now
        self.messages.append(Delivered(*self.ends, message_bytes, sent_ns, now))
        self.clock.schedule(now, arrived, what)

    # --- packets without data ------------------------------------------------------------------------------------

    def packet_back(self, number: int, stamp: int, end: Callable[[Packet], object], extra: int) -> Packet:
        """A packet without data, from the destination to the source. extra: bytes of its header beside the usual."""
        return Packet(self.overhead + extra, self.backward, end, number, stamp)

    def send_back(self, packet: Packet) -> None:
        """Send it."""
        self.counts.back_sent += 1
        self.backward[0].put(packet)

    def back(self, number: int, stamp: int, end: Callable[[Packet], object]) -> None:
        """Make and send a packet without data to the source."""
        self.send_back(self.packet_back(number, stamp, end, 0))

    def notified(self, packet: Packet) -> None:
        """A notification of congestion has come to the source."""
        self.counts.back_arrived += 1
        self.control.notified(self.clock.now)

    # --- the handshake -------------------------------------------------------------------------------------------

    def _ask(self, _: object) -> None:
        """Ask for a connection, and again where no answer comes."""
        if self.open:
            return
        self._asked_ns = self.clock.now
        self._asks += 1
        if self._asks > MOST_RETRIES + 1:
            self.counts.given_up = True
            return
        self._forth(self._asked)
        self.clock.schedule(self.clock.now + self._first_ns, self._ask, None)
        self._first_ns *= 2

    def _forth(self, end: Callable[[Packet], object]) -> None:
        packet = Packet(self.overhead, self.forward, end, 0, self.clock.now)
        self.counts.back_sent += 1
        self.forward[0].put(packet)

    def _asked(self, packet: Packet) -> None:
        self.counts.back_arrived += 1
        self.back(0, packet.sent_ns, self._answered)

    def _answered(self, packet: Packet) -> None:
        self.counts.back_arrived += 1
        if self.open:
            return
        self.open = True
        self.sender.measured(packet.sent_ns)
        self._forth(self._opened)
        self.sender.go_on()

    def _opened(self, packet: Packet) -> None:
        self.counts.back_arrived += 1
