"""A port: the queue in front of one direction of a link, and the link itself.

A packet that finds the link free is sent at once; else it waits, if there is room for it. What is on the link is no
longer in the queue. Paced senders of an NPU take turns with each other, and with what waits in the queue. A link's time
is kept as a fraction, so that rounding to whole ns never adds up.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from astra_edu.clock.events import Clock
from astra_edu.network.drops.marking import Marking
from astra_edu.network.drops.packet import Packet
from astra_edu.network.drops.rooms import Room
from astra_edu.network.links import Use
from astra_edu.network.packets import Lost
from astra_edu.network.shortest import LinkName

MOST_SAMPLES = 400


class Source(Protocol):
    """What a port takes packets from when nothing waits in its queue: a sender that is paced."""

    next_ns: float

    def take(self) -> Packet | None:
        """The next packet, or None where there is nothing to send for now."""


class Port:
    """One direction of a link with its queue. rate: bytes/ns; latency: ns; room: None has no end; marking: of ECN.

    queued: bytes that wait. series: (ns, bytes that wait), as often as MOST_SAMPLES allow. lost: where every packet is
    noted that found no room. uses: where every packet on the link is noted; None: nowhere.
    """

    __slots__ = (
        *("bytes_sent", "clock", "dropped", "free_ns", "latency", "marked", "marking", "name", "own_turn"),
        *(
            "packets_sent",
            "paused",
            "paused_ns",
            "paused_since",
            "pauses",
            "peak",
            "queue",
            "queued",
            "rate",
            "room",
            "series",
        ),
        *("lost", "series_gap", "series_next", "sources", "uses", "wake_ns", "whole_ns"),
    )

    def __init__(
        self,
        clock: Clock,
        name: LinkName,
        rate: float,
        latency: float,
        room: Room | None,
        marking: Marking | None,
        lost: list[Lost],
        uses: list[Use] | None,
        whole_ns: bool = False,
    ) -> None:
        """The link is free and the queue empty. whole_ns: packets take whole ns."""
        self.whole_ns, self.lost, self.uses = whole_ns, lost, uses
        self.clock, self.name, self.rate, self.latency, self.room, self.marking = (
            clock, name, rate, latency, room, marking,
        )  # fmt: skip
        self.queue: deque[Packet] = deque()
        self.sources: deque[Source] = deque()
        self.queued = self.peak = self.dropped = self.marked = self.packets_sent = self.bytes_sent = 0
        self.free_ns = 0.0
        self.paused = self.own_turn = False
        self.wake_ns = -1
        self.pauses = self.paused_ns = self.paused_since = 0
        self.series: list[tuple[int, int]] = []
        self.series_gap = self.series_next = 0

    def put(self, packet: Packet) -> bool:
        """A packet has come to the queue. False where it was dropped."""
        marked = self.marking is not None and self.marking.marks(self.queued)
        if (marked and not packet.capable) or (self.room is not None and not self.room.take(self, packet)):
            self._drop(packet)
            return False
        if marked:
            packet.marked = True
            self.marked += 1
        now = packet.queued_ns = self.clock.now
        if not self.queue and not self.paused and self.free_ns < now + 1:
            self._start(packet)
            return True
        self.queue.append(packet)
        self.queued += packet.size
        if self.queued > self.peak:
            self.peak = self.queued
        if now >= self.series_next:
            self._sample(now)
        if self.wake_ns < 0 or self.sources:
            self._wake_when_free()
        return True

    def wants(self, source: Source) -> None:
        """A paced sender has something to send."""
        if source not in self.sources:
            self.sources.append(source)
            self._wake_when_free()

    def pause(self, stop: bool) -> None:
        """A pause frame has come: send nothing more, or go on."""
        now = self.clock.now
        if stop == self.paused:
            return
        self.paused = stop
        if stop:
            self.pauses += 1
            self.paused_since = now
            return
        self.paused_ns += now - self.paused_since
        if self.queue or self.sources:
            self._wake_when_free()

    def _start(self, packet: Packet) -> None:
        """Put a packet on the link as soon as that is free."""
        if self.room is not None:
            self.room.leave(self, packet)
        now, size = self.clock.now, packet.size
        takes = size / self.rate
        start = self.free_ns if self.free_ns > now else now
        end = start + (round(takes) if self.whole_ns else takes)
        if self.uses is not None:
            self.uses.append(Use(self.name, size, packet.queued_ns, int(start), int(end), int(end + self.latency)))
        self.free_ns = end
        self.packets_sent += 1
        self.bytes_sent += size
        self.clock.schedule(int(end + self.latency), there, packet)

    def _wake_when_free(self) -> None:
        if not self.paused:
            self._wake_at(max(self.clock.now, int(self.free_ns)))

    def _wake_at(self, time: int) -> None:
        if self.wake_ns < 0 or time < self.wake_ns:
            self.wake_ns = time
            self.clock.schedule(time, self._wake, time)

    def _wake(self, time: int) -> None:
        """The link is free again, or a source may send."""
        if time != self.wake_ns:
            return
        self.wake_ns = -1
        if self.paused:
            return
        if self.free_ns < time + 1:
            if self.queue and not (self.own_turn and self.sources and self._pull(time) == time):
                packet = self.queue.popleft()
                self.queued -= packet.size
                if time >= self.series_next:
                    self._sample(time)
                self.own_turn = True
                self._start(packet)
            elif not self.queue and self.sources and (next_ns := self._pull(time)) > time:
                self._wake_at(next_ns)
                return
        if self.queue or self.sources:
            self._wake_at(max(time, int(self.free_ns)))

    def _pull(self, now: int) -> int:
        """Send a packet of the source whose turn it is; or say when the first of them may send (ns)."""
        soonest = 0
        for _ in range(len(self.sources)):
            source = self.sources.popleft()
            if source.next_ns >= now + 1:
                self.sources.append(source)
                soonest = min(soonest or int(source.next_ns), int(source.next_ns))
                continue
            packet = source.take()
            if packet is not None:
                packet.queued_ns = now
                self.sources.append(source)
                self.own_turn = False
                if self.room is None or self.room.take(self, packet):
                    self._start(packet)
                else:
                    self._drop(packet)
                return now
        return soonest

    def _drop(self, packet: Packet) -> None:
        """It finds no room."""
        self.dropped += 1
        source, destination = packet.route[0].name[0], packet.route[-1].name[1]
        self.lost.append(Lost(self.name, packet.size, self.clock.now, int(source), int(destination)))

    def _sample(self, now: int) -> None:
        self.series.append((now, self.queued))
        if len(self.series) > MOST_SAMPLES:
            del self.series[1::2]
            self.series_gap = max(2 * self.series_gap, 1)
        self.series_next = now + self.series_gap


def there(packet: Packet) -> None:
    """A packet has arrived at the end of a link: it goes on, or it is where it should be."""
    packet.at += 1
    if packet.at < len(packet.route):
        packet.route[packet.at].put(packet)
    else:
        packet.end(packet)
