"""Exercise 11's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "step": Hints(
        "For every node ask: what must be there before it can start? Not: what happens to be over by then.",
        """
        2 layers; an arrow says what must be over first:

        forward 0 --> forward 1 --> backward 1 --> backward 0
                                        |              |
                                        v              v
                                   gradients 1    gradients 0
        """,
        "Each computation waits for the one before it: forward from layer 0 on, backward from the last layer on. An "
        "all-reduce waits for the backward pass of its own layer and for nothing else, and nothing waits for it.",
    ),
    "buckets": Hints(
        "Walk backwards through the layers with a bucket in your hand. When is it full enough, and what becomes of "
        "what is in it when you have reached layer 0?",
        """
        5 layers of 3 bytes, a bucket of 5 bytes:

        layer      4   3        2   1        0
        in hand    3   6        3   6        3
                       send 6       send 6   send 3, the rest
        waits for      back. 3      back. 1  back. 0
        """,
        "After each backward pass add its bytes. If there are at least `bucket`, or it was layer 0, send an all-reduce "
        "of what is in hand, which waits for this backward pass, and begin again with 0.",
    ),
    "relay": Hints(
        "A stage computes a micro-batch when two things are over: its own computation before, and the arrival of this "
        "micro-batch. One of them may be missing.",
        """
        2 stages, 2 micro-batches; each column is an NPU:

        NPU 0                    NPU 1
        compute 0 --> send 0     receive 0 --> compute 0
            |                                      |
            v                                      v
        compute 1 --> send 1     receive 1 --> compute 1
        """,
        "A send waits for its computation only, so that the next one needn't wait for it. Keep two dictionaries by "
        "stage: the last computation, and the receive that came for the micro-batch. Stage 0 receives nothing, the "
        "last stage sends nothing; after= takes None for what isn't there.",
    ),
    "groups": Hints(
        "Write the NPUs as a table, a row for each copy. Who shares a layer stands in a row; who has the same part of "
        "it stands in a column.",
        """
        tensor = 2, data = 3:

                  part 0   part 1
        copy 0      0        1         rows:    [0, 1], [2, 3], [4, 5]
        copy 1      2        3         columns: [0, 2, 4], [1, 3, 5]
        copy 2      4        5
        """,
        "The activations are all-reduced in the rows, the gradients in the columns. Four operations in a chain: "
        "forward, all-reduce of activations, backward, all-reduce of gradients, each after the one before it.",
    ),
}
