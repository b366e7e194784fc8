"""Exercise 9's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

FASTER = Hints(
    "Ask `ae.estimate` where the time goes. Computing again, gathering weights and an empty pipeline all buy memory: "
    "is there memory left over that you needn't have bought?",
    """
    what costs time              what it buys           cheaper, if memory allows
    recompute="full": 1/3 more   activations            "selective", or "none" and smaller parts
    ZeRO-3 gathers all weights   2 bytes a parameter    ZeRO-2, ZeRO-1
    a long pipeline: a bubble    all of the state       fewer stages
    tensor over machines         state, activations     groups within a machine
    """,
    "Let a small tensor group within a machine, with sequence parallelism, share the activations, so that nothing need "
    "be computed again; let ZeRO share gradients and the optimiser's state among the copies. Begin with 2 NPUs in a "
    "group, print ae.memory and ae.estimate, and double until it fits.",
)

HINTS = {
    "state_bytes": Hints(
        "Three things are kept for each parameter. How many bytes has each of them, and from which stage on is it "
        "shared?",
        """
        1,000 parameters, 4 copies; bytes on one NPU:

                   weights   gradients   optimiser   in all
        no ZeRO      2,000       2,000      12,000   16,000
        ZeRO-1       2,000       2,000       3,000    7,000
        """,
        "2 bytes of weights, 2 of gradients and 3 × 4 of the optimiser for each parameter. Stage 1 divides the last by "
        "the number of copies, stage 2 the gradients as well, stage 3 all three.",
    ),
    "kept_bytes": Hints(
        "Each line of the table is some numbers times their bytes. Add up those that have s · h, and apart from them "
        "those that have a · s².",
        """
        The table's first two lines, for 10 tokens of 4 features:

        inputs of two normalisations   2 · 10 · 4 · 2 bytes = 160
        input of queries, keys, ...        10 · 4 · 2 bytes =  80
        so far                                                240 bytes = 6 · s · h
        """,
        "None: all lines. Selective: without the three that have a · s². Full: only the block's input, which has 2 "
        "bytes for each of s · h. Times the samples of a micro-batch, and times the blocks.",
    ),
    "fits": Hints(
        "64 copies that share nothing keep far too much each. Which settings make an NPU keep less, of the state and "
        "of the activations?",
        """
        what one NPU keeps, and what divides it:

                        tensor   pipeline   ZeRO-1 ... 3   recompute
        weights         ÷        ÷          3: ÷ copies    no
        optimiser       ÷        ÷          1: ÷ copies    no
        activations     mostly   mostly     no             far less
        """,
        "Two ways that fit: share everything among the copies with the highest stage of ZeRO; or cut the model with "
        "tensor groups and stages. In both, full recomputation leaves hardly any activations. "
        "data × tensor × pipeline must be 64.",
    ),
    "fast": FASTER,
}
