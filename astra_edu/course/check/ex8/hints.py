"""Exercise 8's hints: for each question a nudge, a small case, and nearly the answer."""

from __future__ import annotations

from astra_edu.course.check.hints import Hints

HINTS = {
    "bubble": Hints(
        "Look at the last stage alone. When can it begin, and how long after its last pass is everybody else done?",
        """
        2 stages, 3 micro-batches, a backward pass as long as a forward pass; . waits:

        stage 0   F0 F1 F2 .  .  B2 B1 B0
        stage 1   .  F0 F1 F2 B2 B1 B0 .

        each stage waits for 2 of 8 passes: a quarter of the time
        """,
        "Before its first pass the last stage waits for one forward pass of every stage above it, and after its last "
        "one the others need as many backward passes. In between it works without a pause. Waiting over waiting and "
        "working: the length of a pass cancels out.",
    ),
    "kept": Hints(
        "The last stage can turn round at once. The stage above it has to wait until one micro-batch has gone down and "
        "come back: what does it do meanwhile?",
        """
        3 stages; what each stage does before its first backward pass:

        stage 0   F0 F1 F2 .  .  B0          3
        stage 1   .  F0 F1 .  B0             2
        stage 2   .  .  F0 B0                1
        """,
        "One more for every stage further up. And a stage can't take in more micro-batches than there are.",
    ),
    "order": Hints(
        "You know how many forward passes come before a stage's first backward pass. What comes after that, as long as "
        "there are micro-batches left, and what is left over at the end?",
        """
        2 stages, 4 micro-batches:

        stage 0   F0 F1 B0 F2 B1 F3 B2 B3
        stage 1   F0 B0 F1 B1 F2 B2 F3 B3
        """,
        "Three loops: the first yields one forward pass less than question 2 says; the second yields a forward and a "
        "backward pass in turn until no forward pass is left; the third yields the backward passes that are left. All "
        "in ascending numbers.",
    ),
    "micro_batches": Hints(
        "You have the bubble for any number of micro-batches. More of them make it smaller; where does it get small "
        "enough?",
        """
        3 stages, at most a quarter of the time:

        micro-batches   1     2     3     4     5     6     7
        bubble         67 %  50 %  40 %  33 %  29 %  25 %  22 %
                                                      ^
                                                      the least that will do is 6
        """,
        "A loop from 1 on that ends when your formula gives at most the share; or solve (p − 1)/(m + p − 1) = share "
        "for m, and take the next whole number that is not smaller.",
    ),
    "best_virtual": Hints(
        "Don't think, measure: there are only four numbers to try.",
        """
        2 stages, 4 micro-batches, transfers of 100 ns:

        virtual stages   1        2        4        8
        ns of a run      12,400   11,400   11,600   12,900
                                  ^
                                  the shortest is with 2
        """,
        "For each of 1, 2, 4 and 8 call run_pipeline as in the text above, with the arguments that you were given, and "
        "keep its total_ns in a dictionary. min(...) with key= gives the number with the shortest time.",
    ),
}
