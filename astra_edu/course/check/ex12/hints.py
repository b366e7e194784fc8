"""Exercise 12's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "arrives_ns": Hints(
        "Follow the message from link to link. Two things can hold it up at the start of each: it isn't all there yet, "
        "or the link is busy.",
        """
        The bytes need 100 ns on each of two links of 50 ns; the second is free from 400 ns on:

        ns       0         150                 400       500  550
        link 1   |= bytes =|lat|
        stored             |... waits for link 2 ...|
        link 2                                 |= bytes =|lat|

        it starts at 0 and at 400, and has arrived at 550 ns
        """,
        "Keep one time. At each link it becomes the later of itself and the time at which the link is free; then add "
        "the latency, and the bytes over the link's bytes a ns (GB/s × 2³⁰ / 10⁹). After the last link it is the "
        "answer.",
    ),
    "bottleneck": Hints(
        "Every message leaves its bytes on each link of its way. Which link has most to do for what it can carry?",
        """
        2 MiB over p q r, and 1 MiB over q r; p-q has 10 GB/s, q-r 40 GB/s:

        link     bytes           over its GB/s
        p q      2 MiB           2 / 10 = 0.2      <-- needs longest
        q r      2 + 1 = 3 MiB   3 / 40 = 0.075
        """,
        "Begin with 0 bytes for each link of `bandwidths`. Add a message's bytes to each pair of neighbours on its "
        "way. The link with the largest quotient of bytes and bandwidth is asked for, not the one with the most "
        "bytes.",
    ),
    "crossing": Hints(
        "All clockwise links have the same to do. So count how many links all clockwise messages of one NPU cross: as "
        "many messages cross one link.",
        """
        7 NPUs; the clockwise messages of NPU 0:

        to 1   0-1
        to 2   0-1-2
        to 3   0-1-2-3
        to 4, 5, 6: the other way round

        1 + 2 + 3 = 6 links, so 6 messages cross each clockwise link
        """,
        "An NPU sends clockwise to those that are 1, 2, … places on, as far as half of the ring (the opposite one "
        "included, where there is one). Add up these distances. Mind odd and even numbers of NPUs.",
    ),
    "best": Hints(
        "Two things cost time: the bytes that must cross the busiest link, and a latency for each step. Which of them "
        "counts in each case?",
        """
        4 NPUs, an all-reduce; what each algorithm asks for:

                          steps   messages of a step meet
        ring              6       on a ring: never
        direct            2       on a ring: yes; fully connected: never
        halvingDoubling   4       on a ring: yes; through one port of a switch: never
        """,
        "Few bytes: the fewest steps win. Many bytes: who sends only to neighbours wins on a ring; who has a link to "
        "everybody can send to everybody at once; and where one thin link joins two halves, count how many times the "
        "data cross it: halving-doubling crosses it in one step only, each way.",
    ),
    "cables": Hints(
        "`bottleneck(before)` names the link that everybody waits for, and the player shows who uses it. Messages take "
        "the way with the least latency: which new cable would they take?",
        """
        Two racks, a and b on the left, c and d on the right, joined by one cable:

        a      c       from a to c: a - L - R - c, 3 links
         \\    /        with a new cable a - c: 1 link
          L--R         what goes from a to c leaves L - R; from a to d there is a - c - R - d,
         /    \\        no longer than a - L - R - d
        b      d
        """,
        "A second cable between the same switches helps all messages, but it still is one way. A cable from an NPU of "
        "one rack straight to an NPU of the other takes messages off the middle, and off both NPUs' own links. Try "
        "one for several NPUs, and simulate.",
    ),
}
