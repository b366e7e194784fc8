"""The sending end of a flow: what acknowledgements and silence mean.

Loss recovery of TCP with selective acknowledgements (RFC 6675, RFC 6937, RFC 6298), or go-back-N: what was lost and all
that follows it is sent again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astra_edu.network.drops.outgoing import DISORDER, LOSS, OPEN, RECOVERY, REDUCING, Outgoing
from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.reduction import Reduction
from astra_edu.network.drops.scoreboard import RESENT
from astra_edu.network.drops.timer import Alarm, RoundTrips

if TYPE_CHECKING:
    from astra_edu.network.drops.flow import Flow

MOST_RETRIES = 15
"""Timeouts in a row after which a sender gives up."""


class Sender(Outgoing):
    """See above. trips: how long round trips take; timeouts: how often nothing came for too long."""

    __slots__ = (
        *("_alarm", "_duplicates", "_echoed_until", "_first_partial", "_left_over", "_losing", "_silent", "_until"),
        *("timeouts", "trips"),
    )

    def __init__(self, flow: Flow) -> None:
        """Nothing to send."""
        super().__init__(flow)
        settings = flow.settings
        self.trips = RoundTrips(settings.first_rto_ns, settings.min_rto_ns, max(settings.timestamp_ns, 1))
        self._alarm = Alarm(flow.clock, self._time_out)
        self.timeouts = self._silent = 0
        self._duplicates = self._left_over = self._until = self._echoed_until = 0
        self._losing = False
        self._first_partial = True

    @property
    def given_up(self) -> bool:
        """Whether nothing came for too long too often."""
        return self._silent > MOST_RETRIES

    def acknowledged(self, packet: Packet) -> None:
        """An acknowledgement has come."""
        board, flow, control = self.board, self.flow, self.flow.control
        flow.counts.back_arrived += 1
        number, before = packet.number, board.una
        if number < before:
            return
        sacked = board.sack(packet.blocks, flow.settings.duplicate_acks) if packet.blocks else 0
        cumulative, again = board.advance(number) if number > before else (0, False)
        delivered = sacked + cumulative
        if number > before:
            self.measured(packet.sent_ns)
        control.counted(delivered, packet.echo, number, board.nxt)
        if self.state == REDUCING and number > self._until:
            self._leave(OPEN)
        if packet.echo and number > before and self.state != REDUCING and number > self._echoed_until:
            self._reduce(delivered)
        if packet.refused:
            self._go_back()
        elif sacked:
            self._duplicate(delivered, again)
        if number > before:
            self._advanced(number, delivered, bool(sacked), again, number - before)
        self.go_on()

    def measured(self, stamp: int) -> None:
        """A packet that left at `stamp` has been answered: one round trip, as timestamps tell it."""
        now, tick = self.flow.clock.now, self.flow.settings.timestamp_ns
        self.trips.measured(((now // tick - stamp // tick) * tick or 1000) if tick > 1 else now - stamp)

    def _reduce(self, delivered: int) -> None:
        """Answer marked congestion, once in a window."""
        control, board = self.flow.control, self.board
        self.heard = True
        self._echoed_until = board.nxt
        if control.paced or self.state != OPEN:
            return
        control.marked(board.pipe)
        self.state, self._until = REDUCING, board.nxt
        self.reduction = Reduction(board.pipe)
        self._repair(delivered, False)

    def _go_back(self) -> None:
        """Go-back-N: send again from the packet on that was refused."""
        board, control = self.board, self.flow.control
        pipe = board.pipe
        board.lose_all()
        if self.state not in (RECOVERY, LOSS):
            control.lost(pipe)
            if not control.paced:
                control.window = control.threshold
            self.state, self._until = RECOVERY, board.nxt

    def _duplicate(self, delivered: int, again: bool) -> None:
        """An acknowledgement says that something came out of order."""
        board = self.board
        if self.state == LOSS:
            return
        if self.state == RECOVERY:
            self._repair(delivered, again)
            return
        self._duplicates += 1
        if self.state == OPEN:
            self.state = DISORDER
        fresh = board.una >= self._until or not self._losing
        if board.lost or (self._duplicates >= self.flow.settings.duplicate_acks and fresh):
            self._recover(delivered, again)

    def _recover(self, delivered: int, again: bool) -> None:
        """Begin to repair losses: the first is sent again at once."""
        board, control = self.board, self.flow.control
        board.lose(board.una)
        self._until, self._losing, self.state = board.nxt, True, RECOVERY
        control.lost(board.pipe)
        self.reduction = Reduction(board.pipe)
        self._repair(delivered, again)
        if not control.paced:
            self.send_one(board.una)

    def _repair(self, delivered: int, again: bool) -> None:
        """The window while losses are repaired, or marked congestion is answered."""
        control, board = self.flow.control, self.board
        if delivered and not control.paced and self.flow.keeps:
            control.window = self.reduction.window(delivered, board.pipe, int(control.threshold), board.payload, again)

    def _advanced(self, number: int, delivered: int, sacked: bool, again: bool, packets: int) -> None:
        """Something was acknowledged in order."""
        board, control, now = self.board, self.flow.control, self.flow.clock.now
        smoothed = self.trips.smoothed_ns or 0.0
        self._silent = 0
        segments, self._left_over = divmod(delivered + self._left_over, board.payload)
        if not sacked:
            self._duplicates = 0
        if self.state == RECOVERY and number < self._until:
            self._partial(delivered, again)
            return
        self._wait()
        if self.state == LOSS and number < self._until:
            control.acknowledged(now, segments, smoothed, True)
            return
        if self.state == REDUCING:
            self._repair(delivered, again)
            return
        if self.state == RECOVERY:
            self._leave(OPEN)
            segments = packets
        elif self.state == LOSS:
            self.state, segments = OPEN, number - self._until
        elif not sacked:
            self.state = OPEN
        self._first_partial = True
        if number >= self._until:
            self._losing = False
        if self.state == OPEN:
            control.acknowledged(now, segments, smoothed, self.limited)

    def _partial(self, delivered: int, again: bool) -> None:
        """Some of what was lost has been repaired."""
        board = self.board
        self._repair(delivered, again)
        if self.flow.keeps and not self.flow.control.paced and not board.flags[board.una] & RESENT:
            number = board.next(False)
            self.send_one(board.una if number is None else number)
        if self._first_partial or not self.flow.keeps:
            self._wait()
        self._first_partial = False

    def _leave(self, state: str) -> None:
        """Losses are repaired: the window is the threshold."""
        control = self.flow.control
        self.state, self._duplicates = state, 0
        if not control.paced:
            control.window = control.threshold

    # --- silence ---------------------------------------------------------------------------------------------------

    def waits(self) -> None:
        """See Outgoing."""
        if self._alarm.at_ns is None:
            self._wait()

    def _wait(self) -> None:
        """Start the timer anew, or stop it where nothing is out."""
        self.trips.restored()
        if self.board.una == self.board.nxt:
            self._alarm.stop()
        else:
            self._alarm.set(self.flow.clock.now + self.trips.timeout_ns)

    def _time_out(self) -> None:
        board, control = self.board, self.flow.control
        pipe, again = board.pipe, self.state == LOSS and bool(board.flags[board.una] & RESENT)
        self.timeouts += 1
        self._silent += 1
        if self.given_up:
            self.flow.counts.given_up = True
            return
        self._duplicates = 0
        board.lose_all()
        control.timed_out(pipe, again)
        self.state, self._until, self._losing, self._first_partial = LOSS, board.nxt, True, True
        self.trips.doubled()
        self._alarm.set(self.flow.clock.now + self.trips.timeout_ns)
        self.go_on()
