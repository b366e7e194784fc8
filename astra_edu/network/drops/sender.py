"""The sending end of a flow: which packet leaves next, and what acknowledgements and silence mean.

Loss recovery of TCP with selective acknowledgements (RFC 6675, RFC 6937, RFC 6298), or go-back-N: what was lost and all
that follows it is sent again. A paced sender is asked by its port when its turn has come; another one sends what its
window allows at once, and the packets wait in the NPU's queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.reduction import Reduction
from astra_edu.network.drops.scoreboard import RESENT, Scoreboard
from astra_edu.network.drops.timer import RoundTrips

if TYPE_CHECKING:
    from astra_edu.network.drops.flow import Flow

MOST_RETRIES = 15
"""Timeouts in a row after which a sender gives up."""
OPEN, DISORDER, RECOVERY, REDUCING, LOSS = "open", "disorder", "recovery", "reducing", "loss"
"""All is well; something came out of order; losses are repaired; marked congestion is answered; a timeout was met."""


class Sender:
    """board: what is known of the packets; state: one of those above; next_ns: when a paced one may send again."""

    __slots__ = (
        *("_deadline", "_duplicates", "_echoed_until", "_first_partial", "_heard", "_left_over", "_limited", "_losing"),
        *(
            "_reduction",
            "_silent",
            "_tick_ns",
            "_until",
            "board",
            "flow",
            "next_ns",
            "retransmitted",
            "state",
            "timeouts",
        ),
        *("trips",),
    )

    def __init__(self, flow: Flow) -> None:
        """Nothing to send."""
        self.flow = flow
        settings = flow.settings
        self.board = Scoreboard(settings.payload)
        self.trips = RoundTrips(settings.first_rto_ns, settings.min_rto_ns, max(settings.timestamp_ns, 1))
        self.state = OPEN
        self.next_ns = 0.0
        self.retransmitted = self.timeouts = 0
        self._duplicates = self._silent = self._left_over = self._until = self._echoed_until = 0
        self._losing = self._limited = self._heard = False
        self._tick_ns = -1
        self._first_partial = True
        self._reduction = Reduction(0)
        self._deadline: int | None = None

    # --- what leaves ---------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Send what may be sent, or tell the port that there is something."""
        flow, board = self.flow, self.board
        if flow.control.paced:
            if self._allowed() is not None:
                flow.forward[0].wants(self)
            return
        while (number := self._allowed()) is not None:
            self._send(number)
        self._limited = flow.control.window < board.pipe + board.payload

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
        limit, size = self.flow.settings.window, board.size(number)
        if limit is not None and (board.pipe + size > limit or (number == board.nxt and board.out + size > limit)):
            return None
        return number if board.pipe + size <= control.window else None

    def _packet(self, number: int) -> Packet:
        flow, now = self.flow, self.flow.clock.now
        again = self.board.sent(number)
        self.retransmitted += again
        size = self.board.size(number)
        packet = Packet(size + flow.settings.overhead, flow.forward, flow.receiver.data, number, now)
        packet.echo = self._heard
        self._heard = False
        if self.state in (RECOVERY, REDUCING):
            self._reduction.sent += size
        flow.counts.sent += 1
        if self._deadline is None:
            self._wait()
        return packet

    def _send(self, number: int) -> None:
        self.flow.forward[0].put(self._packet(number))

    # --- what comes back -----------------------------------------------------------------------------------------

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
        self._heard = True
        self._echoed_until = board.nxt
        if control.paced or self.state != OPEN:
            return
        control.marked(board.pipe)
        self.state, self._until = REDUCING, board.nxt
        self._reduction = Reduction(board.pipe)
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
        self._reduction = Reduction(board.pipe)
        self._repair(delivered, again)
        if not control.paced:
            self._send(board.una)

    def _repair(self, delivered: int, again: bool) -> None:
        """The window while losses are repaired, or marked congestion is answered."""
        control, board = self.flow.control, self.board
        if delivered and not control.paced and self.flow.settings.keeps:
            control.window = self._reduction.window(delivered, board.pipe, int(control.threshold), board.payload, again)

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
            control.acknowledged(now, segments, smoothed, self._limited)

    def _partial(self, delivered: int, again: bool) -> None:
        """Some of what was lost has been repaired."""
        board = self.board
        self._repair(delivered, again)
        if self.flow.settings.keeps and not self.flow.control.paced and not board.flags[board.una] & RESENT:
            number = board.next(False)
            self._send(board.una if number is None else number)
        if self._first_partial or not self.flow.settings.keeps:
            self._wait()
        self._first_partial = False

    def _leave(self, state: str) -> None:
        """Losses are repaired: the window is the threshold."""
        control = self.flow.control
        self.state, self._duplicates = state, 0
        if not control.paced:
            control.window = control.threshold

    # --- silence ---------------------------------------------------------------------------------------------------

    def _wait(self) -> None:
        """Start the timer anew, or stop it where nothing is out."""
        self.trips.restored()
        if self.board.una == self.board.nxt:
            self._deadline = None
            return
        self._wait_until(self.flow.clock.now + self.trips.timeout_ns)

    def _wait_until(self, deadline: int) -> None:
        """An event that comes too early looks again; one that would come too late is left behind."""
        self._deadline = deadline
        if self._tick_ns < 0 or deadline < self._tick_ns:
            self._tick_ns = deadline
            self.flow.clock.at(deadline, self._tick, deadline)

    def _tick(self, time: int) -> None:
        if time != self._tick_ns:
            return
        self._tick_ns = -1
        if self._deadline is None:
            return
        if time < self._deadline:
            self._wait_until(self._deadline)
        else:
            self._time_out()

    def _time_out(self) -> None:
        board, control = self.board, self.flow.control
        pipe, again = board.pipe, self.state == LOSS and bool(board.flags[board.una] & RESENT)
        self.timeouts += 1
        self._silent += 1
        if self._silent > MOST_RETRIES:
            self._deadline = None
            return
        self._duplicates = 0
        board.lose_all()
        control.timed_out(pipe, again)
        self.state, self._until, self._losing, self._first_partial = LOSS, board.nxt, True, True
        self.trips.doubled()
        self._wait_until(self.flow.clock.now + self.trips.timeout_ns)
        self.go_on()
