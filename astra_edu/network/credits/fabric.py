"""Routers and links, cycle by cycle; where nothing happens, cycles are skipped.

A router gives heads a channel on their next link (virtual-channel allocation), then each of its links in names one
channel and each of its links out takes one of these (switch allocation, input first); turns go round. A flit leaves
when the next buffer has room for it, as far as credits say (W. J. Dally and B. Towles, Principles and Practices of
Interconnection Networks, 2004, chapters 16 to 19).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from astra_edu.network.credits.parts import Channel, Link, Packet, Router
from astra_edu.network.credits.settings import Credits

Coming = tuple[list[tuple[Channel, Packet | None]], list[Channel], list[tuple[Link, Packet]]]
"""(channel, packet whose head it is) of flits, channels of credits, (queue, packet) of new packets."""
Choose = Callable[[Router, Packet], Channel | None]


class Fabric:
    """Routers at work. cycle: the next one. arrived(packet, cycle): called when a packet's last flit is out."""

    def __init__(self, settings: Credits, arrived: Callable[[Packet, int], object], choose: Choose) -> None:
        """Nothing is on the way. choose: which channel a head takes, if any is free."""
        self.cycle = 0
        self.credit_delay = settings.credit_delay
        self.whole = settings.switching == "cut-through"
        self.arrived = arrived
        self.choose = choose
        self.flit_hops = 0
        self.inside = 0
        self._awake: dict[Router, None] = {}
        self._times: list[int] = []
        self._coming: dict[int, Coming] = {}

    def inject(self, queue: Link, packet: Packet, cycle: int) -> None:
        """Put a packet into an NPU's queue at a cycle."""
        self.inside += 1
        self._at(cycle)[2].append((queue, packet))

    def next_cycle(self) -> int | None:
        """The next cycle in which something happens; None where nothing ever does."""
        if self._awake:
            return self.cycle
        return max(self._times[0], self.cycle) if self._times else None

    def step(self) -> None:
        """Go through the next cycle in which something happens."""
        cycle = self.next_cycle()
        if cycle is None:
            return
        self.cycle = cycle
        while self._times and self._times[0] <= cycle:
            self._come(heappop(self._times), cycle)
        awake, self._awake = self._awake, {}
        for router in awake:
            again = self._heads(router, cycle) if router.heads or router.freed else False
            if self._switch(router, cycle) or again:
                self._awake[router] = None
        self.cycle = cycle + 1

    def _at(self, cycle: int) -> Coming:
        found = self._coming.get(cycle)
        if found is None:
            found = self._coming[cycle] = [], [], []
            heappush(self._times, cycle)
        return found

    def _come(self, key: int, cycle: int) -> None:
        """Flits, credits and new packets that are there now."""
        flits, credits, packets = self._coming.pop(key)
        awake = self._awake
        for queue, packet in packets:
            self._head(queue.channels[0], packet, packet.flits, cycle)
        for channel, head in flits:
            sink = channel.link.sink
            if sink is None:
                self._out(channel, head, cycle)
            elif head is not None:
                self._head(channel, head, 1, cycle)
            else:
                if not channel.count:
                    channel.since = cycle
                channel.count += 1
                link = channel.link
                link.flits += 1
                link.held -= cycle
                if channel.count > link.most:
                    link.most = channel.count
                awake[sink] = None
        for channel in credits:
            channel.credits += 1
            upstream = channel.link.source
            assert upstream is not None
            upstream.freed = upstream.freed or self.whole
            awake[upstream] = None

    def _head(self, channel: Channel, packet: Packet, flits: int, cycle: int) -> None:
        link = channel.link
        router = link.sink
        assert router is not None
        if not channel.count:
            channel.since = cycle + router.wait + router.lag
        channel.count += flits
        link.flits += flits
        link.held -= flits * cycle
        link.most = max(link.most, channel.count)
        channel.packets.append(packet)
        if len(channel.packets) == 1:
            channel.asks_at = cycle + router.wait
            router.heads.append(channel)
        self._awake[router] = None

    def _out(self, channel: Channel, head: Packet | None, cycle: int) -> None:
        """A flit leaves the network."""
        channel.credits += 1
        if head is not None:
            channel.packets.append(head)
        packet = channel.packets[0]
        packet.got += 1
        if packet.got == packet.flits:
            channel.packets.popleft()
            self.inside -= 1
            self.arrived(packet, cycle)

    def _heads(self, router: Router, cycle: int) -> bool:
        """Give channels to heads. Returns whether one may ask later without anything else happening."""
        again = False
        asking = router.heads
        if router.freed:
            asking, router.stuck, router.freed = router.stuck + asking, [], False
        router.heads = []
        for channel in asking:
            if channel.asks_at > cycle:
                router.heads.append(channel)
                again = True
                continue
            packet = channel.packets[0]
            out = self.choose(router, packet)
            if out is None:
                router.stuck.append(channel)
                continue
            out.owner, channel.out = packet, out
            channel.ready = cycle + router.lag
            again = True
        return again

    def _switch(self, router: Router, cycle: int) -> bool:
        """Send flits. Returns whether one may be sent later without anything else happening."""
        again = False
        asked: list[Link] = []
        for link in router.inputs:
            if not link.flits:
                continue
            for channel in link.orders[link.input_turn]:
                out = channel.out
                if out is None or not channel.count:
                    continue
                if channel.ready > cycle:
                    again = True
                    continue
                if not out.credits:
                    continue
                there = out.link
                if there.free > cycle:
                    again = True
                    continue
                if not there.asking:
                    asked.append(there)
                there.asking.append(channel)
                break
        for there in asked:
            asking = there.asking
            if len(asking) == 1:
                channel = asking[0]
            else:
                turn, many = there.turn, len(router.inputs)
                channel = min(asking, key=lambda one: (one.link.place - turn) % many)
            there.turn = channel.link.place + 1
            there.asking = []
            self._send(router, channel, cycle)
            again = True
        return again

    def _send(self, router: Router, channel: Channel, cycle: int) -> None:
        out, link = channel.out, channel.link
        assert out is not None
        there, packet = out.link, channel.packets[0]
        out.credits -= 1
        channel.count -= 1
        channel.sent += 1
        link.flits -= 1
        link.held += cycle
        link.stalled += cycle - channel.since
        channel.since = cycle + 1
        link.input_turn = (channel.number + 1) % len(link.channels)
        there.sent += 1
        there.free = (there.free if there.free > cycle - 1 else cycle) + there.period
        self.flit_hops += 1
        first = channel.sent == 1
        coming, at = self._coming, cycle + router.after + there.latency
        (coming[at] if at in coming else self._at(at))[0].append((out, packet if first else None))
        if link.source is not None:
            at = cycle + 1 + link.latency + self.credit_delay
            (coming[at] if at in coming else self._at(at))[1].append(channel)
        if channel.sent == packet.flits:
            out.owner = channel.out = None
            router.freed = True
            channel.sent = 0
            channel.packets.popleft()
            if channel.packets:
                channel.asks_at = cycle + 1
                channel.since = cycle + 1 + router.lag
                router.heads.append(channel)
