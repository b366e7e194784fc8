"""Exercise 16's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "most_tokens_per_s": Hints(
        "How many operations does the machine do in a second at most, with numbers of these bits? And how many does a "
        "token take?",
        """
        peaks          16 bits: 100 TFLOP/s      8 bits: 200 TFLOP/s
        a token        10¹¹ operations

        in 16 bits     100 · 10¹² / 10¹¹ = 1,000 tokens/s
        in 8 bits      200 · 10¹² / 10¹¹ = 2,000 tokens/s, which is no lie
        """,
        "Look up the peak of these bits, make operations of TFLOP (10¹²), and divide by a token's.",
    ),
    "least_exchange_ms": Hints(
        "An all-reduce is a reduce-scatter, and then an all-gather. Which part does a copy send in each?",
        """
        4 copies, 1 GB of gradients each, a card of 80 Gbit/s

        80 Gbit/s = 10 GB/s
        reduce-scatter    three quarters: 0.75 GB      75 ms
        all-gather        three quarters: 0.75 GB      75 ms

        at least 150 ms
        """,
        "Of n copies each sends (n - 1)/n of the bytes, twice. A byte has 8 bits, so the card sends an eighth of its "
        "Gbit/s in GB/s. The time is wanted in ms.",
    ),
    "least_state_gb": Hints(
        "How many parameters does one NPU have? How many bytes does it keep for each: what of them do the copies share "
        "out?",
        """
        80 · 10⁹ parameters, tensor 4, 2 stages: 10 · 10⁹ on an NPU; 4 copies

                  parameters  gradients  optimiser   in all
        ZeRO-0            20         20        120      160   · 10⁹ bytes
        ZeRO-1            20         20         30       70
        ZeRO-2            20          5         30       55
        ZeRO-3             5          5         30       40
        """,
        "Two bytes for the parameter, two for its gradient, twelve for Adam. Divide by the copies: the twelve from "
        "ZeRO-1 on, the gradient's from 2, the parameter's from 3. Tensor group and stages divide all of it.",
    ),
    "least_iteration_ms": Hints(
        "Draw three stages and four micro-batches. For how many micro-batches' time does a stage stand idle?",
        """
        3 stages, 4 micro-batches; a pass forwards and backwards takes 10 ms in each stage

        work       4 · 10 = 40 ms
        waiting    2 · 10 = 20 ms        with 2 virtual stages each: 10 ms

        at least   60 ms                 at least 50 ms
        """,
        "The work of a stage is one pass for each micro-batch. It waits for as many passes as there are other stages; "
        "virtual stages divide that, not the work.",
    ),
    "broken_law": Hints(
        "Four comparisons, one for each law. Three say that something can't be less, one that it can't be more.",
        """
        claimed                  bound                        can't be
        tokens_per_s      1,200  most_tokens_per_s    1,000   more    <-- "operations"
        exchange_ms         155  least_exchange_ms      150   less
        state_gb             72  least_state_gb          70   less
        iteration_ms         61  least_iteration_ms      60   less
        pass_ms            None                               the sheet doesn't say: no law applies
        """,
        "Call your four functions with what is on the card, compare, and return the first law that is broken; at the "
        "end an empty text. Before each of the last three ask whether the card says anything: None can't be compared.",
    ),
    "corrected": Hints(
        "You know which law is broken, and that law has a bound. What is the figure that just keeps it?",
        """
        the law        the false figure    it could be
        operations     tokens_per_s        at most the bound
        bytes          exchange_ms         at least the bound
        memory         state_gb            at least the bound
        pipeline       iteration_ms        at least the bound
        """,
        "Ask your detector for the law, and give the bound of this law, from the same card.",
    ),
    "why": Hints(
        "Look at the rows themselves: `ae.measured.runs().loc[1799]`. Which of its columns would make it possible?",
        """
        what is compared                          what to look at
        a rate, and a peak                        precision
        two shares of one peak, in one run        recompute
        two times of what is the same job         everything but the outcome: is it the same?
        """,
        "The first isn't in 16 bits. In the second, work is done twice, and one figure counts it. In the third there "
        "is nothing to find in the columns.",
    ),
}
