"""What a sender knows of its packets: which are out, acknowledged out of order, lost, sent again (RFC 6675)."""

from __future__ import annotations

from astra_edu.network.drops.packet import Blocks

SACKED, LOST, RESENT = 1, 2, 4


class Scoreboard:
    """Packets by number. una: the first one not acknowledged; nxt: the first never sent; end: one after the last.

    payload: message bytes in a packet; the last of a message may have fewer. out, sacked, lost, resent: bytes between
    una and nxt, all of them and those with each mark. pipe: bytes believed to be in the network.
    """

    __slots__ = (
        *("_judged", "_known", "_look", "end", "flags", "lost", "nxt", "out", "payload", "resent", "sacked", "short"),
        *("top", "una"),
    )

    def __init__(self, payload: int) -> None:
        """Nothing to send."""
        self.payload = payload
        self.una = self.nxt = self.end = self.top = self._judged = self._look = 0
        self.out = self.sacked = self.lost = self.resent = 0
        self.flags = bytearray()
        self.short: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def add(self, message_bytes: int) -> int:
        """A message is to be sent; the number after its last packet. One of 0 bytes has a packet, too."""
        whole, rest = divmod(message_bytes, self.payload)
        self.end += whole
        if rest or not whole:
            self.short[self.end] = rest
            self.end += 1
        self.flags.extend(bytes(self.end - len(self.flags)))
        return self.end

    def size(self, number: int) -> int:
        """Message bytes in a packet."""
        return self.short.get(number, self.payload) if self.short else self.payload

    @property
    def pipe(self) -> int:
        """See the class."""
        return self.out - self.sacked - self.lost + self.resent

    def sack(self, blocks: Blocks, duplicates: int) -> int:
        """Bytes that an acknowledgement newly says have come out of order.

        A packet is lost once `duplicates` behind it have come.
        """
        found = 0
        for first, after in blocks:
            start = max(self._known.get(first, first), self.una)
            if after <= start:
                continue
            self._known[first] = after
            for number in range(start, after):
                flags = self.flags[number]
                if flags & SACKED:
                    continue
                size = self.size(number)
                if flags & LOST:
                    self.lost -= size
                if flags & RESENT:
                    self.resent -= size
                self.flags[number] = SACKED
                found += size
            self.top = max(self.top, after)
        self.sacked += found
        if found:
            self._judge(duplicates)
        return found

    def _judge(self, duplicates: int) -> None:
        number, seen = self.top, 0
        while seen < duplicates and number > self.una:
            number -= 1
            seen += self.flags[number] & SACKED
        if seen == duplicates:
            for lost in range(max(self._judged, self.una), number):
                self.lose(lost)
            self._judged = max(self._judged, number)

    def lose(self, number: int) -> None:
        """A packet counts as lost."""
        if not self.flags[number] & (SACKED | LOST) and number < self.nxt:
            self.flags[number] |= LOST
            self.lost += self.size(number)
            self._look = min(self._look, number)

    def lose_all(self) -> None:
        """All that isn't acknowledged counts as lost, and none of it as sent again."""
        for number in range(self.una, self.nxt):
            self.flags[number] &= ~RESENT
            self.lose(number)
        self.resent = 0
        self._look = self.una

    def advance(self, number: int) -> tuple[int, bool]:
        """All below `number` is acknowledged: bytes not known of before; whether any had been sent again."""
        found, again = 0, False
        for done in range(self.una, number):
            size, flags = self.size(done), self.flags[done]
            self.out -= size
            if flags & SACKED:
                self.sacked -= size
                continue
            found += size
            if flags & LOST:
                self.lost -= size
            if flags & RESENT:
                self.resent -= size
                again = True
        self.una = number
        if self._known:
            self._known = {first: after for first, after in self._known.items() if after > number}
        return found, again

    def next(self, rescue: bool) -> int | None:
        """The packet to send next: a lost one, a new one, or to the rescue one that may be lost (RFC 6675, NextSeg)."""
        number = max(self._look, self.una)
        if self.lost or (self.short and number < self.nxt):  # a lost packet of 0 bytes adds none
            while number < self.nxt:
                if self.flags[number] & (LOST | RESENT) == LOST:
                    self._look = number
                    return number
                number += 1
            self._look = number
        if self.nxt < self.end:
            return self.nxt
        if rescue:
            for number in range(self.una, min(self.top, self.nxt)):
                if not self.flags[number] & (SACKED | RESENT):
                    return number
        return None

    def sent(self, number: int) -> bool:
        """A packet is sent; whether it had been before."""
        size = self.size(number)
        if number == self.nxt:
            self.nxt += 1
            self.out += size
            return False
        if not self.flags[number] & RESENT:
            self.flags[number] |= RESENT
            self.resent += size
        return True
