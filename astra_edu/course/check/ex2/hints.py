"""Exercise 2's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "latency_floor_ns": Hints(
        "Take total_ns of exercise 1. What is left of a message's time when it carries nothing?",
        """
        2 splits on 2 NPUs, where a chunk has 2 steps; d is an endpoint delay:

        chunk 0   |d|latency|d|latency|d|
        chunk 1                         |d|latency|d|latency|d|
        """,
        "A chunk takes one endpoint delay and then, for each of its steps, one latency and one endpoint delay; both "
        "phases have one step fewer than there are NPUs. Every chunk takes that long.",
    ),
    "crossover_mib": Hints(
        "Two points make a line. What does each MiB more take, and what would 0 MiB take?",
        """
        µs
        30 |              *      4 MiB take 30 µs
        20 |       *             2 MiB take 20 µs
        10 o                     the floor: 0 MiB would take 10 µs
           +-------+------+--
           0       2      4 MiB

        2 MiB more take 10 µs more, so 1 MiB takes 5 µs.
        Which size takes as long as the floor, 10 µs?
        """,
        "The slope is the difference of two times over the difference of their sizes; the floor is a time without "
        "slope × its size. At the size that is asked for, slope × size is the floor.",
    ),
    "injection_gb_s": Hints(
        "Draw four NPUs on each of the three networks, and count the links that leave one of them.",
        """
        ring          switch        fully connected

        0 --- 1       0     1       0 --- 1
        |     |        \\   /        | \\ / |
        |     |         [S]         |  X  |
        |     |        /   \\        | / \\ |
        3 --- 2       3     2       3 --- 2
        """,
        "The bandwidth of a link times the number of an NPU's links, since it sends on all of them at once. On a ring "
        "it has two neighbours, on a switch one cable, and where all are connected a link to everybody but itself.",
    ),
    "my_reduce_scatter": Hints(
        "Let everybody always send to the same neighbour. Then only the shard is left to find, for each step.",
        """
        3 NPUs, each sends to the next one:

                 NPU 0 sends   NPU 1 sends   NPU 2 sends
        step 0   shard 2       shard 0       shard 1
        step 1   shard 1       shard 2       shard 0

        In the last step shard i arrives at NPU i.
        """,
        "What you send in a step is what arrived in the step before it, with your part added. In the last step shard i "
        "must arrive at NPU i, so its neighbour sends it then; one step earlier, one NPU further back. For one NPU, "
        "the shard's number falls by one with every step, modulo npus.",
    ),
    "one_port_ns": Hints(
        "All of an NPU's messages leave through one port, one after the other. So only the sum of their bytes counts.",
        """
        12 MiB on 4 NPUs, direct; what leaves through NPU 0's port:

        reduce-scatter   | 3 MiB to 1 | 3 MiB to 2 | 3 MiB to 3 |
        all-gather       | 3 MiB to 1 | 3 MiB to 2 | 3 MiB to 3 |

        in all 18 MiB
        """,
        "In each of the two phases an NPU sends a shard, an n-th of the data, to every other NPU. Divide the bytes of "
        "both by what the port carries in a ns: bandwidth × 2³⁰ / 10⁹. The splits don't change the sum.",
    ),
}
