"""Exercise 18's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "transfer_us": Hints(
        "All messages end on one link. How many bits must that carry, and how many does it carry in a µs?",
        """
        3 senders of 1,000 bytes, a link of 2 Gbit/s:

        bytes on the last link    3 x 1,000 = 3,000
        bits                      24,000
        2 Gbit/s                  2,000 bits in a µs
        time                      24,000 / 2,000 = 12 µs
        """,
        "senders × size are bytes, times 8 are bits. A Gbit/s is 10⁹ bits a second, 1,000 bits a µs.",
    ),
    "most_senders": Hints(
        "At the beginning every sender sends its first window at once. How many bytes is that on a link?",
        """
        Room for 16,000 bytes, first windows of 2 packets:

        a packet       1,448 + 52 + 38 = 1,538 bytes
        a window       2 x 1,538 = 3,076
        5 senders      15,380   fits
        6 senders      18,456   doesn't
        """,
        "Divide the buffer by window × 1,538 bytes, and drop what is behind the point.",
    ),
    "silent_ms": Hints(
        "TCP takes a timeout for a sign of a network in trouble. How long does it wait after the second one?",
        """
        Two timeouts of 5 ms in a row:

        sent, lost   5 ms   again, lost   10 ms   again: there
        |------------|--------------------------|
        0            5                          15 ms
        """,
        "The waits are rto, 2 × rto, 4 × rto, … Add up as many as there are timeouts.",
    ),
    "collapses": Hints(
        "One sender that meets one timeout is enough. So ask: with which buffers is nothing lost that only a timeout "
        "repairs?",
        """
        2 senders, first windows of 4 packets, room for 9:

        at once            2 x 4 = 8 packets            fit
        acknowledged       each lets 2 more packets out
        a round trip on    2 x 8 = 16 packets           don't
        """,
        "The first windows of 8 senders are 120 KiB. Slow start doubles them in a round trip, unless the message ends "
        "before or HyStart stops it: a buffer that just holds them isn't enough. Twice that is.",
    ),
    "cured": Hints(
        "What can be changed at the senders, so that less is on its way at once? Or at the switch, so that nobody "
        "sends what has no room?",
        """
        Room for 6 packets, 4 senders:

        first windows of 10 packets     40 at once    34 are lost
        at most 1 packet on its way      4 at once    none is lost
        a switch that says "pause"      none is lost, others wait
        """,
        "Two ways: pfc_xoff (the switch pauses those who send to it), or a window of a single packet for each flow, as "
        "32 × 1,538 bytes fit into 64 KiB.",
    ),
}
