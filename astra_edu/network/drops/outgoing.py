"""What leaves a flow: the packet that its windows allow, at once or when its turn has come.

A paced sender is asked by its port when its turn has come. Another one sends what its window allows at once, and the
packets wait in the NPU's queue, as behind an operating system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.reduction import Reduction
from astra_edu.network.drops.scoreboard import Scoreboard

if TYPE_CHECKING:
    from astra_edu.network.drops.flow import Flow

OPEN, DISORDER, RECOVERY, REDUCING, LOSS = "open", "disorder", "recovery", "reducing", "loss"
"""All is well; something came out of order; losses are repaired; marked congestion is answered; a timeout was met."""


class Outgoing:
    """board: what is known of the packets; state: one of those above; next_ns: when a paced sender may send again.

    heard: the receiver is to be told that its news of congestion has come. limited: the window held packets back.
    """

    __slots__ = ("board", "flow", "heard", "limited", "next_ns", "reduction", "retransmitted", "state")

    def __init__(self, flow: Flow) -> None:
        """Nothing to send."""
        self.flow = flow
        self.board = Scoreboard(flow.settings.payload)
        self.state = OPEN
        self.next_ns = 0.0
        self.retransmitted = 0
        self.heard = self.limited = False
        self.reduction = Reduction(0)

    def waits(self) -> None:
        """A packet has left: something will be said of it, or the silence will be noticed."""

    def go_on(self) -> None:
        """Send what may be sent, or tell the port that there is something."""
        flow, board = self.flow, self.board
        if flow.control.paced:
            if self._allowed() is not None:
                flow.forward[0].wants(self)
            return
        while (number := self._allowed()) is not None:
            self.send_one(number)
        self.limited = flow.control.window < board.pipe + board.payload

    def take(self) -> Packet | None:
        """The next packet of a paced sender. See port.Source."""
        number = self._allowed()
        if number is None:
            return None
        packet = self._packet(number)
        now = self.flow.clock.now
        self.next_ns = max(self.next_ns, now) + packet.size / self.flow.control.speed(now)
        return packet

    def _allowed(self) -> int | None:
        """The packet to send now, if the windows allow one."""
        board, control = self.board, self.flow.control
        number = board.next(self.state == RECOVERY)
        if number is None:
            return None
        limit, size = self.flow.window, board.size(number)
        if limit is not None and (board.pipe + size > limit or (number == board.nxt and board.out + size > limit)):
            return None
        return number if board.pipe + size <= control.window else None

    def _packet(self, number: int) -> Packet:
        flow, now = self.flow, self.flow.clock.now
        again = self.board.sent(number)
        self.retransmitted += again
        size = self.board.size(number)
        packet = Packet(size + flow.overhead, flow.forward, flow.receiver.data, number, now)
        packet.echo = self.heard
        self.heard = False
        if self.state in (RECOVERY, REDUCING):
            self.reduction.sent += size
        flow.counts.sent += 1
        self.waits()
        return packet

    def send_one(self, number: int) -> None:
        """Send a packet, whatever the window."""
        self.flow.forward[0].put(self._packet(number))
