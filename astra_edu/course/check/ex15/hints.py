"""Exercise 15's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

FASTER = Hints(
    "Ask Meta's estimate where time goes besides computing. Which of these parts becomes shorter with more "
    "micro-batches, and who says that each copy has 16 of them?",
    """
    64 GPUs, 16 samples, 8 stages of tensor groups of 2: what shares the other 4?

    data   context   micro-batches of a copy   bubble beside the work, 1F1B
       4         1                         4   7 / 4
       2         2                         8   7 / 8
       1         4                        16   7 / 16   <-- the same GPUs and batch
    """,
    "Give the GPUs of some copies to context groups instead: half the copies have twice as many micro-batches each, "
    "and an activation is shared out among more GPUs. With memory left, a smaller tensor group sends less. Change one "
    "of Meta's numbers at a time, keep the product 16,384, and estimate.",
)

HINTS = {
    "meta": Hints(
        "The table has the groups. How many samples are 16M (2²⁴) tokens, if each has 8,192?",
        """
        a smaller one: 64 GPUs, TP 2, PP 4, 2²⁰ tokens at 4,096 a sample, 2 parts each

        GPUs   64 = 2 (tensor) × 4 (pipeline) × 8 (data)
        batch  2²⁰ / 4,096 = 256 samples: 32 for each copy

        ae.Strategy(data=8, tensor=2, pipeline=4, batch=256,
                    virtual=2, pipeline_order="interleaved")
        """,
        'data, tensor and pipeline from the table\'s second row, 2**24 / 8192 samples, pipeline_order="interleaved" '
        'with virtual=4; and from the text: stage_blocks="ends", zero=1, sequence_parallel=True.',
    ),
    "reason": Hints(
        "In this order: can it be made, does it fit, is it slower at all, and if so: which part of the time has grown?",
        """
        ms               theirs   this one   grown by
        compute             100        100          0
        tensor group         20         30         10
        waiting              30         25         -5
        exchange              5         60         55   <-- the reason is exchange

        in all              155        215
        """,
        "ae.Strategy(**settings) and the estimate in a try; ae.ConfigError means 'batch'. Then `took.fits`, then "
        "took.total_ns against sum(theirs.values()). At last the maximum over "
        "`took.split` of took.split[part] - theirs.get(part, 0).",
    ),
    "faster": FASTER,
    "kept_bytes": Hints(
        "Which of the parts of `ae.memory` changes, and from how many bytes for each parameter to how many?",
        """
        a GPU with 3 × 10⁹ parameters, 10⁹ bytes each:

                      16 bits   32 bits
        parameters          6         6
        gradients           6        12
        optimiser           1         1
        activations        50        50
        in all             63        69
        """,
        "What `ae.memory` returns has 2 bytes for each gradient. They become 4: add kept.gradients to "
        "kept.total. It also takes gradient_bytes.",
    ),
    "least_context": Hints(
        "How many copies are there, and so how many samples has each? How many samples does a copy want?",
        """
        64 GPUs, tensor 2, 4 stages, 4 samples

        context   copies: 64 / (2 × 4 × context)   micro-batches of each
        1                                      8   half a one
        2                                      4   1
        4                                      2   2
        8                                      1   4   <-- as many as stages
        """,
        "Copies are npus / (tensor × pipeline × context), micro-batches of each are samples / copies. Set them equal "
        "to pipeline and solve for context; pipeline drops out. It is 1 at least.",
    ),
    "faster_long": Hints(
        "Meta's cut waits for three things now: stages, tensor groups, context groups. Which of them can be hidden, "
        "and which GPUs could do something else?",
        """
        keys and values of other GPUs' tokens

        all-gather   wait ======|attention ==================|
        ring         attention ====|====|====|====|
                     send      ----|----|----|                 behind the attention before
        """,
        'Let keys and values go round (context_by="ring"): at this length each step has attention to hide behind. '
        "Or let fewer stages have more parts each, with a larger context group, so that memory allows it.",
    ),
}
