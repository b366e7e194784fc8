"""Exercise 1's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "steps": Hints(
        "An all-reduce is a reduce-scatter and then an all-gather. Play one of them to its end, and count.",
        """
        The way of shard X0 on a ring of 3 NPUs:

        reduce-scatter   NPU 1 --> NPU 2 --> NPU 0    now its sum is complete
        all-gather       NPU 0 --> NPU 1 --> NPU 2    now everybody has it

        An arrow is a step: how many are there in each phase?
        """,
        "In each phase a shard visits every NPU once, and it begins at one of them. So it moves once for every NPU but "
        "the one where it begins. Add up the two phases.",
    ),
    "message_bytes": Hints(
        "Two things cut the data into pieces: a line of the system file, and the ring itself, which has so many NPUs.",
        """
        12 bytes, 2 splits, 3 NPUs:

        the collective   [ . . . . . . . . . . . . ]      12 bytes
        2 chunks         [ . . . . . . ][ . . . . . . ]    6 bytes each
        3 shards         [ . . ][ . . ][ . . ]             2 bytes each, of one chunk

        In a step an NPU sends one shard.
        """,
        "Divide the size by the number of chunks, and that by the number of shards in a chunk, of which the ring makes "
        "one for each NPU.",
    ),
    "message_ns": Hints(
        "A message needs a time that doesn't depend on its bytes, and one that does. Which parameter belongs to which?",
        """
        1000 bytes over 2 links of 1 GB/s each, with a latency of 20 ns:

        1 GB/s is 2³⁰ bytes in 10⁹ ns:   1.0737 bytes in a ns
        2 links carry together           2.1475 bytes in a ns
        1000 bytes need                  465.66 ns
        with the latency                 485.66 ns, of which whole ns count: 485
        """,
        "The latency, and to it the bytes divided by what all links carry in a ns, which is links × bandwidth × 2³⁰ / "
        "10⁹. Round down at the end.",
    ),
    "total_ns": Hints(
        "Begin with one chunk. What happens before its first message leaves, and what in every step? Then let the "
        "other chunks wait for it.",
        """
        2 splits on 2 NPUs, where a chunk has 2 steps; d is an endpoint delay:

        chunk 0   |d|message|d|message|d|
        chunk 1                         |d|message|d|message|d|
        """,
        "A chunk takes one endpoint delay and then, for each of the steps of question 1, one message and one endpoint "
        "delay. All chunks take that long, one after the other.",
    ),
    "sent_mib": Hints(
        "In every step an NPU sends one message. You know how many steps there are, and how large a message is.",
        """
        6 MiB on 3 NPUs, where a shard has 2 MiB (in one chunk, for short):

        reduce-scatter   step 1: 2 MiB   step 2: 2 MiB
        all-gather       step 1: 2 MiB   step 2: 2 MiB

        in all 8 MiB
        """,
        "The number of steps of question 1, times the data divided by the number of NPUs. The chunks make no "
        "difference: together they are the data again.",
    ),
}
