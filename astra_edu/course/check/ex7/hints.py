"""Exercise 7's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "needed": Hints(
        "Ask in each phase: what does the NPU lack before it can go on, or what has it computed only a part of?",
        """
        two NPUs have ...                                  so they need
        the same weights, other samples:                   the sum of
          each a summand of the weights' gradient            the summands, everywhere
        half of the rows, all samples:                     the sum of
          each a summand of the output                       the summands, everywhere
        half of the weights, and want to use all:          everybody's pieces
        some of the tables, and rows for all samples:      to give each its own
        """,
        "Data: summands of a gradient. Tensor: summands of outputs forward, of input gradients backward. Pipeline: "
        "only messages between neighbours, no collective. ZeRO-3: gathers the weights before each pass through a "
        "layer, and afterwards needs only its own share of the gradient's sum. DLRM: tables to samples, and back "
        "again; its small networks are data-parallel.",
    ),
    "data_bytes": Hints(
        "What is all-reduced, and how many bytes is that? Then: how many times its data does an NPU send?",
        """
        6 parameters of 2 bytes, 3 copies:

        the gradients        [....][....][....]     12 bytes, a third is 4
        reduce-scatter       sends 4 + 4
        all-gather           sends 4 + 4
        in all               16 bytes
        """,
        "The bytes are parameters times element_bytes. In each half of the all-reduce an NPU sends all but one of "
        "`copies` equal parts.",
    ),
    "tensor_bytes": Hints(
        "Begin with one all-reduce: of what, and how many bytes? Then count all-reduces: in a block, and in an "
        "iteration.",
        """
        One block, forward and back; A is an all-reduce among the group:

        forward    attention --A--> feed-forward --A-->
        backward   <--A-- attention <--A-- feed-forward

        4 in a block. With 2 micro-batches and 3 blocks: 2 · 3 · 4 = 24
        """,
        "Each is of micro_batch × tokens × hidden numbers of 2 bytes, of which an NPU sends twice all but its own "
        "part. Four of them in every block, for every micro-batch.",
    ),
    "gradient_bytes": Hints(
        "Of how many weights does one NPU of a group have gradients at all? And how many NPUs have gradients of the "
        "same weights?",
        """
        8 parameters, tensor = 2, data = 2:

                  part 0          part 1
        copy 0    NPU 0: 4 of 8   NPU 1: 4 of 8
        copy 1    NPU 2: 4 of 8   NPU 3: 4 of 8

        NPUs 0 and 2 all-reduce 4 gradients of 2 bytes: 8 bytes
        """,
        "As in question 2, but with the parameters divided by `tensor`, and among `data` NPUs.",
    ),
    "order": Hints(
        "The network inside a machine is three times as fast. Which of the two groups would you give it to?",
        """
        what a group sends   inside (3 a unit of time)   between (1 a unit)   in all
        30 and 6             30 / 3 = 10                 6 / 1 = 6            16
        6 and 30              6 / 3 = 2                 30 / 1 = 30           32
        """,
        "Whoever sends more goes inside: tensor groups if their bytes are more than those of the copies.",
    ),
}
