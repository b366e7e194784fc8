"""Exercise 10's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "server_us": Hints(
        "Stand at one server's port and count what comes in. All workers send at once; their messages leave the wire "
        "one after the other.",
        """
        3 workers push 2 MiB each to 1 server at 1 MiB a µs; two links of 0.5 µs each:

        µs           0         1         3         5         7
        the wire     |latency  |worker 0 |worker 1 |worker 2 |
        and the pulls take as long again: 14 µs in all
        """,
        "The latency of two links counts once for the pushes and once for the pulls. The port carries what all workers "
        "have for this server, an equal part of each one's MiB. GB/s are 1,024 MiB a second here; 10⁶ µs are a second.",
    ),
    "synchronous_us": Hints(
        "Look at one row: when may everybody begin the exchange?",
        """
        3 workers, 2 iterations, an exchange takes 2 µs:

                       worker 0   worker 1   worker 2   slowest   with the exchange
        iteration 0           5          9          4         9                  11
        iteration 1           8          3          6         8                  10

        in all 21 µs
        """,
        "For each row its largest time and one exchange; add up the rows. Don't take one worker for the slowest of all "
        "iterations, and don't forget the exchange in any of them.",
    ),
    "slowest_in_means": Hints(
        "Cut the time into the stretches between one worker's end and the next one's. How many are at work in each?",
        """
        3 workers:

        at work   3      2         1
        takes     1/3    1/2       1        means
                  |------|---------|-------------------|
                  first  second    third is done

        0.333 + 0.5 + 1 = 1.833 means
        """,
        "With k at work the next end comes after 1/k means, and k goes from all of them down to one. Add these up.",
    ),
    "asynchronous_per_s": Hints(
        "Nobody waits for anybody, so each worker has a rate of its own. And the server has a rate, too: which of the "
        "two limits?",
        """
        A worker computes for 6 ms; push and pull take 1 + 1 ms, of which the port is busy for 1:

        ms       0                 6        8        10
        worker   |    computes     |  push  |  pull  |          100 updates a second
        two of them                                             200 updates a second
        the server's port takes a push in 1 ms                  1,000 a second at most
        """,
        "A worker needs its compute time and two transfers with their latencies for an update. Turn that into updates "
        "a second and add the workers up. The port can't take more than one push per transfer_us: the smaller of both "
        "counts.",
    ),
    "may_start": Hints(
        "How far ahead of the slowest is the worker that asks? And who is the slowest: `clocks` knows.",
        """
        bound 2:

        clocks         worker 0 asks    worker 1 asks    worker 2 asks
        [3, 1, 5]      2 ahead: yes     0 ahead: yes     4 ahead: no
        """,
        "The worker's own clock minus the smallest of all clocks must not be more than the bound. With a bound of 0 "
        "the slowest itself is 0 ahead, and may start.",
    ),
    "chosen": Hints(
        "For each cluster ask three questions: how much does waiting for the slow one cost; can one port take all the "
        "pushes; how large are the steps, compared with the largest rate that converges?",
        """
        what is large        what suffers               what helps
        the straggler        whoever waits              a larger bound, or none
        MiB                  the server's one port      a ring: bulk-synchronous
        the rate             stale gradients            a smaller bound
        """,
        "Only one cluster has many MiB; the port would be busy all the time. Of the other two one has a rate close to "
        "2.07, where gradients may only be a few steps old, and one has such a small rate that staleness does no harm. "
        "Try mean_ms for each.",
    ),
}
