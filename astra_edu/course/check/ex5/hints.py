"""Exercise 5's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "volume_mib": Hints(
        "How many MiB are left when the data reach the dimension? And which part of them does an NPU send there?",
        """
        24 MiB on 2 × 3 NPUs:

        dimension   arrives   sends up, in a reduce-scatter   and down
        0           24 MiB    half of it: 12 MiB              12 MiB     24 MiB
        1           12 MiB    two thirds: 8 MiB                8 MiB     16 MiB
        """,
        "Divide the size by the NPUs of every dimension before this one. In a reduce-scatter among n NPUs each sends "
        "all but its own n-th of what is left; the all-gather sends as much again.",
    ),
    "baseline_us": Hints(
        "All dimensions work at the same time. Which one is done last?",
        """
        dimension   volume     bandwidth   needs
        0           1024 MiB   2 GB/s      0.5 s
        1            512 MiB   0.5 GB/s    1 s       <-- 1,000,000 µs
        """,
        "For each dimension its MiB / 1,024 over its GB/s, which are seconds; 10⁶ µs each. The longest of these.",
    ),
    "bound_us": Hints(
        "If the volumes can be shared out at will, no dimension need ever idle: as if there were one dimension.",
        """
        dimension   volume     bandwidth
        0           1024 MiB   2 GB/s
        1            512 MiB   1 GB/s
        together    1536 MiB   3 GB/s     1.5 GiB over 3 GB/s: 0.5 s = 500,000 µs
        """,
        "All MiB together, / 1,024, over all GB/s together; 10⁶ µs are a second.",
    ),
    "booked": Hints(
        "Follow the chunk along its order. What does an NPU send on the first of its dimensions, and how much is left "
        "of the chunk for the next one?",
        """
        A chunk of 12 MiB on 2 × 3 NPUs; dimension 1 is half as fast (0.5):

        order 1, 0   dimension 1: sends 2/3 of 12 = 8 MiB, load 8 / 0.5 = 16; 4 MiB are left
                     dimension 0: sends 1/2 of  4 = 2 MiB, load 2 / 1   =  2
        """,
        "For each dimension of the order: add chunk × (n − 1)/n over the relative bandwidth to its load, then divide "
        "the chunk by n. Don't change the list of loads that you were given.",
    ),
    "first_orders": Hints(
        "The first chunk finds equal loads. After it, dimension 0 has by far the most: where does the second one "
        "begin?",
        """
        Two dimensions of 4 NPUs and equal bandwidth, chunks of 16 MiB:

        chunk   loads before   order   adds
        0       0, 0           0, 1    12, 3
        1       12, 3          1, 0     3, 12
        2       15, 15         0, 1    12, 3
        """,
        "Call booked(...) with the loads, the order and the chunk's MiB, and sort the dimensions by what comes out: "
        "that is the order of the next chunk. Do it twice. The relative bandwidths are in BANDWIDTHS, over dimension "
        "0's.",
    ),
}
