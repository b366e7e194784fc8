"""Exercise 4's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "backward_order": Hints(
        "The backward pass goes from the last layer to the first. Which two things does it compute for a layer, and "
        "which of them does nobody need from layer 0?",
        """
        2 layers:

        the tutorial's own   WG1 IG1 WG0
        the new one          IG1 WG1 WG0
        """,
        "From the highest number down to 0: first IG, then WG. Layer 0 has no IG, as there is no layer before it.",
    ),
    "my_loop": Hints(
        "Copy data(npu). Three lines belong to the weight gradient and two to the input gradient; which come first "
        "now?",
        """
        The backward pass of a layer:

        data(npu)                      the new one
        compute the weight gradient    if it isn't layer 0:
        issue its all-reduce             compute the input gradient
        cycle                            cycle
        if it isn't layer 0:           compute the weight gradient
          compute the input gradient   issue its all-reduce
          cycle                        cycle
        """,
        "Move the `if` with what stands in it to the beginning of the backward loop's body. Nothing else changes: "
        "every computation keeps its cycle, and the all-reduce is issued as soon as the weight gradient is there.",
    ),
    "slack_ns": Hints(
        "Write down all computations from the layer's weight gradient to its next forward pass. Which of them come "
        "after the one and before the other?",
        """
        3 layers, layer 1, weight gradient first:

        WG2 IG2 WG1 IG1 WG0 | FWD0 FWD1
                   ^-------------^
                   IG1 + WG0 + FWD0 are computed meanwhile

        input gradient first:  IG2 WG2 IG1 WG1 WG0 | FWD0 FWD1:  WG0 + FWD0
        """,
        "The weight gradients, input gradients (but layer 0's) and forward passes of all layers below it. If the "
        "weight gradient comes first, the layer's own input gradient as well, unless it is layer 0.",
    ),
    "my_case": Hints(
        "If every all-reduce is over before it is needed, both orders take the same time. What makes them last longer "
        "than the slacks?",
        """
        an all-reduce of 30 µs:

        slack in one order   slack in the other   difference
        50 µs                40 µs                none: it is over in both
        25 µs                15 µs                the NPU waits 5 or 15 µs
        """,
        "Make the all-reduces larger (comm_scale of load_workload) or the computations shorter (compute_scale), until "
        "some all-reduce takes longer than its slack of question 3.",
    ),
}
