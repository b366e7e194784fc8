"""Exercise 3's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "conv_ns": Hints(
        "First count the operations of one filter at one pixel; then all pixels and filters; then the time.",
        """
        4 pixels, 3 inputs, 2 filters:

        one filter at one pixel   3 multiplications + 3 additions = 6
        2 filters at 4 pixels     8 × 6 = 48 operations
        """,
        "Two operations for each input of each filter at each pixel. Over tera × 2⁴⁰ a second; a second has 10⁹ ns.",
    ),
    "weight_bytes": Hints(
        "How many numbers has one filter? There is one that isn't multiplied by any input.",
        """
        2 filters of 3 inputs:

        filter 0   w w w b
        filter 1   w w w b      8 numbers, 16 bytes
        """,
        "A weight for each input and a bias, for each filter, of 2 bytes each.",
    ),
    "carry_us": Hints(
        "Bytes over bytes a second. How much can all links together carry?",
        """
        512 MiB over 2 links of 25 GB/s:

        512 MiB = 0.5 GiB;  2 × 25 = 50 GB/s;  0.5 / 50 = 0.01 s = 10,000 µs
        """,
        "MiB / 1,024 are GiB; the links carry links × bandwidth GiB a second together; a second has 10⁶ µs.",
    ),
    "hidden": Hints(
        "Communication that hides isn't exposed. Compare the two columns of each kind in the tables above.",
        """
        who needs the result, and when?

        an activation's sum         the next layer, at once
        an input gradient's sum     the layer before, at once
        a weight gradient's sum     the same layer, in the next iteration
        """,
        "In the table, one kind's exposed time is far less than its communication: nobody waits for it until the end. "
        "Return a list with the names of such kinds.",
    ),
    "enough_images": Hints(
        "Try numbers of images, one after the other. From which on is DGX-2's time the smaller one?",
        """
        images      1      2      3      4
        one       40     50     60     70
        other     30     45     60     75
                                ^      ^
                                equal  the first is faster: 4
        """,
        "A loop from 1 on: run both systems with that many images, and stop as soon as DGX-2's total_ns is less than "
        "the TPU's.",
    ),
}
