"""Exercise 14's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "dimension_cost": Hints(
        "What is paid for is links, ports and NICs. Draw one group of NPUs, count what is in it, and then the groups.",
        """
        Link 2 $, switch port 10 $, NIC 5 $ for a GB/s; 8 NPUs in groups of 4, links of 3 GB/s:

        ring              fully connected     switch
        0 --- 1           0 --- 1             0   1
        |     |           | \\ / |              \\ /
        |     |           |  X  |              [S]
        |     |           | / \\ |              / \\
        3 --- 2           3 --- 2             3   2
        4 links           6 links             4 links, 4 ports, 4 NICs
        4 × 2 × 3 = 24    6 × 2 × 3 = 36      4 × (2 + 10 + 5) × 3 = 204 $ a group

        2 groups: 48, 72 and 408 $
        """,
        "Work out what one NPU pays. On a ring there are as many links as NPUs; where all are connected each NPU has a "
        "link to every other one, and shares it with that one; on a switch it has one link, one port and one NIC for "
        "itself. Then times the 64 NPUs and the GB/s of a link.",
    ),
    "throughput": Hints(
        "An iteration takes so many ns and trains on so many sequences. How many iterations fit into a second?",
        """
        8 sequences in an iteration of 200,000,000 ns:

        0            0.2          0.4          0.6          0.8          1 s
        |-- 8 seq. --|-- 8 seq. --|-- 8 seq. --|-- 8 seq. --|-- 8 seq. --|

        5 iterations a second, 40 sequences a second
        """,
        "The sequences of an iteration, divided by its seconds. The result has ns, of which 10⁹ are a second; all of "
        "the time counts, what is computed and what is exposed.",
    ),
    "better": Hints(
        "First the money, then the speed: which of the two may you take at all? It can be both, one, or none.",
        """
        budget 100 $   costs   samples/s   may be taken   taken
        first            120          50   no
        second            90          30   yes            <--

        budget 80 $: neither may be taken, and the answer is None
        """,
        "Keep those whose cost is at most the budget, and of these the one with the highest throughput. Python's max "
        "takes a key, and a default for when there is nothing left to choose from.",
    ),
    "design": Hints(
        "Fix a shape first: topologies and sizes. Then 1 GB/s of each of its dimensions has a price, and a share of "
        "the money for each dimension gives its bandwidth. Which dimension carries most, and who waits for it?",
        """
        90 $ for two dimensions, of which 1 GB/s costs 2 $ and 5 $:

        share of dimension 0   its GB/s        dimension 1's GB/s
        1/3                    30 / 2 = 15     60 / 5 = 12
        2/3                    60 / 2 = 30     30 / 5 = 6

        all of the money is spent either way; simulate both
        """,
        "Rings and fully connected groups of few NPUs give the most GB/s for a dollar. The 8 NPUs of a node belong on "
        "the cheap links inside it, as their all-reduces are waited for; what goes between the nodes can hide. "
        "Try shares of the money in a loop, and keep the best; the verdict says where yours is wrong.",
    ),
}
