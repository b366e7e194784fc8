"""Exercise 6's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "fit": Hints(
        "The slope says how much more time a MiB more takes. The floor is what is left of a time without its MiB.",
        """
        µs
        26 |              *      5 MiB take 26 µs
        14 |     *               2 MiB take 14 µs
         6 o                     floor
           +-----+--------+--
           0     2        5 MiB

        3 MiB more take 12 µs more: slope 4 µs a MiB; 14 - 2 × 4 = 6 µs
        """,
        "Slope: the difference of the times over the difference of the sizes. Floor: one of the times without slope × "
        "its size. Return floor and slope, in this order.",
    ),
    "crossover_mib": Hints(
        "At 0 MiB network B is behind by the difference of the floors. How much does it catch up with every MiB?",
        """
        A: floor 5 µs, 4 µs a MiB; B: floor 14 µs, 1 µs a MiB

        MiB   0    1    2    3    4
        A     5    9   13   17   21
        B    14   15   16   17   18
                            ^
                            9 µs behind, 3 µs a MiB caught up: 3 MiB
        """,
        "The difference of the floors, B's less A's, over the difference of the slopes, A's less B's.",
    ),
    "best_splits": Hints(
        "One part grows with k, the other shrinks. Where one is much larger than the other, moving k helps.",
        """
        2 µs × k + 18 µs / k:

        k            1     2     3     4     6
        2 × k        2     4     6     8    12
        18 / k      18     9     6    4.5    3
        together    20    13    12   12.5   15
                               ^
                               the least, where both are equal
        """,
        "At the best k the two parts are equal: per_chunk_us × k = per_fill_us / k. Solve that for k; a square root "
        "remains.",
    ),
    "used": Hints(
        "What is sent in a second, compared with what could be sent in a second? All in the same units.",
        """
        512 MiB in 20,000 µs, of 50 GB/s:

        512 MiB    = 0.5 GiB
        20,000 µs  = 0.02 s
        0.5 / 0.02 = 25 GB/s, half of 50: 0.5
        """,
        "MiB / 1,024 are GiB, µs / 10⁶ are seconds. Their quotient is a rate in GB/s of 2³⁰ bytes; divide it by the "
        "bandwidth.",
    ),
    "believable": Hints(
        "`used` says which share of the links a run would need. What is wrong with a share above 1?",
        """
        one active chunk uses 0.3 of the bandwidth, k of them k times as much:

        active   1     2     3     4
        used    0.3   0.6   0.9   1.2
                             ^     ^ more than there is
                             the most that is possible: 3
        """,
        "An NPU sends 1.75 MiB over two links of 50 GB/s, 100 in all. Take the four times from the table above (or "
        "simulate them), and count those whose share is at most 1.",
    ),
}
