"""The receiving end of a flow: what has come, in order and out of it, and which acknowledgements it sends."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from astra_edu.network.drops.packet import Packet

if TYPE_CHECKING:
    from astra_edu.network.drops.flow import Flow

NOTIFY_EVERY_NS = 50_000
"""A receiver sends a flow at most one notification packet in so long (DCQCN)."""
SACK_BYTES, SACK_BLOCKS = 8, 3
"""Of an acknowledgement's header for each stretch that came out of order; at most so many beside timestamps."""


class Receiver:
    """expected: the packet that comes next in order. blocks: what came behind a gap, the newest first.

    discarded: packets that came, but not for the first time or behind a gap where nothing is kept.
    """

    __slots__ = (
        *("_congested", "_delay_ns", "_notify_ns", "_refused", "_stamp", "_waiting", "blocks", "discarded", "expected"),
        *("flow", "goals"),
    )

    def __init__(self, flow: Flow) -> None:
        """Nothing has come."""
        self.flow = flow
        self.expected = self.discarded = 0
        self.blocks: list[tuple[int, int]] = []
        self.goals: deque[int] = deque()
        self._congested = False
        self._notify_ns = self._waiting = self._stamp = 0
        self._delay_ns: int | None = None
        self._refused = -1

    def data(self, packet: Packet) -> None:
        """A packet of data has come."""
        flow, number = self.flow, packet.number
        flow.counts.arrived += 1
        self._notice(packet)
        if number < self.expected:
            self.discarded += 1
            self._acknowledge(packet.sent_ns)
            return
        if number > self.expected:
            if flow.keeps:
                self._keep(number)
                self._acknowledge(self._stamp if self._waiting else packet.sent_ns)
            else:
                self.discarded += 1
                if self._refused < self.expected:
                    self._refused = self.expected
                    self._acknowledge(packet.sent_ns, refused=True)
            return
        gap = bool(self.blocks)
        self.expected += 1
        if not self._waiting:
            self._stamp = packet.sent_ns
        self._waiting += 1
        if gap:
            for block in self.blocks:
                if block[0] == self.expected:
                    self.expected = block[1]
                    self.blocks.remove(block)
                    break
        while self.goals and self.goals[0] <= self.expected:
            self.goals.popleft()
            flow.delivered()
        if gap or self._waiting >= flow.settings.ack_every:
            self._acknowledge(self._stamp)
        elif self._delay_ns is None:
            self._delay_ns = flow.clock.now + flow.settings.ack_delay_ns
            flow.clock.schedule(self._delay_ns, self._delayed, self._delay_ns)

    def _keep(self, number: int) -> None:
        """Keep a packet that came behind a gap."""
        first, after = number, number + 1
        rest = []
        for block in self.blocks:
            if block[0] <= number < block[1]:
                self.discarded += 1
            if block[1] >= first and block[0] <= after:
                first, after = min(first, block[0]), max(after, block[1])
            else:
                rest.append(block)
        self.blocks = [(first, after), *rest]

    def _notice(self, packet: Packet) -> None:
        """Whether a packet met congestion, and who has to be told."""
        control, now = self.flow.control, self.flow.clock.now
        if control.notified_by_packets:
            if packet.marked and now >= self._notify_ns:
                self._notify_ns = now + NOTIFY_EVERY_NS
                self.flow.back(0, now, self.flow.notified)
        elif control.exact_echo:
            if packet.marked != self._congested:
                if self._waiting:
                    self._acknowledge(self._stamp)
                self._congested = packet.marked
        else:
            if packet.echo:
                self._congested = False
            if packet.marked:
                self._congested = True

    def _delayed(self, since: int) -> None:
        if self._delay_ns == since:
            self._acknowledge(self._stamp)

    def _acknowledge(self, stamp: int, refused: bool = False) -> None:
        flow = self.flow
        self._delay_ns, self._waiting = None, 0
        blocks = tuple(self.blocks[:SACK_BLOCKS])
        extra = SACK_BYTES * len(blocks) + 4 if blocks else 0
        packet = flow.packet_back(self.expected, stamp, flow.acknowledged, extra)
        packet.echo, packet.blocks, packet.refused = self._congested, blocks, refused
        flow.send_back(packet)
