"""Exercise 17's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "cheapest_within": Hints(
        "Two steps: which points are fast enough at all, and which of these costs least? The first needs one number.",
        """
        share 0.1                  dollars    ns
        point 0                         60   108   fast enough
        point 1                         90   100   the fastest: the limit is 110
        point 2                         60   105   fast enough   <-- 60 is the least, and 105 < 108
        point 3                         40   125

        the answer is 2
        """,
        "Find the least time, and from it the limit. Keep the numbers of the points within it. Python compares tuples "
        "from the left, so the minimum of (dollars, ns, number) settles ties, too.",
    ),
    "frontier": Hints(
        "A point is beaten if another one is no worse in both and better in one. Ask that of every pair.",
        """
        time (ns)
        90 | 0
        70 |       3            3 costs what 1 costs, and is slower
        60 |            2       2 costs more than 1, and is slower
        50 |       1         4  4 is as fast as 1, and costs more
           +------------------- dollars
             10   20   30   40

        on the frontier: 0, 1
        """,
        "For each number k ask whether any point is at most as dear and at most as slow, and isn't equal to it. What "
        "no such point is found for stays. Equal points don't beat each other, so both stay.",
    ),
    "bound_ns": Hints(
        "How many bytes does an NPU send over each dimension, there and back? What is left after the first one?",
        """
        1 GB, 4 NPUs in dimension 0, 2 in dimension 1

        reduce-scatter   dimension 0: sends 3/4 of 1 GB,  keeps 1/4 GB
                         dimension 1: sends 1/2 of 1/4 GB
        all-gather       the same, backwards

        in all           dimension 0: 1.5 GB at 3 GB/s      0.5 s
                         dimension 1: 0.25 GB at 0.25 GB/s  1 s   <-- nobody is faster than that
        """,
        "With n NPUs, a dimension sends (n - 1)/n of what it gets, twice, and leaves an n-th for the next one. "
        "Divide by its GB/s, of 2³⁰ bytes a second, in ns. All dimensions can work at once, so one of them decides.",
    ),
    "least_dollars": Hints(
        "Turn the bound round: the time is given. What is the least bandwidth that each dimension needs for it?",
        """
        the same 1.5 GB and 0.25 GB, in at most 2 s

        dimension 0      1.5 / 2 = 0.75 GB/s       at 100 $ for 1 GB/s     75 $
        dimension 1      0.25 / 2 = 0.125 GB/s     at 800 $ for 1 GB/s    100 $

        in all at least 175 $
        """,
        "Each dimension has its bytes and all of the time; the one divided by the other is its least bandwidth, here "
        "in GB/s of 2³⁰ bytes. Times its price, and added up over the dimensions, that is the least price.",
    ),
}
