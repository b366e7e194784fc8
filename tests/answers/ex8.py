"""Right and wrong answers of exercise 8."""

from __future__ import annotations

import math
from functools import partial

from astra_edu.pipeline import ORDERS, Pass, run_pipeline


def bubble(p, m):
    return (p - 1) / (m + p - 1)


def cut(of):
    """An answer that takes in of(stage, stages) micro-batches, and no more than there are."""
    return lambda stage, stages, micro_batches: min(of(stage, stages), micro_batches)


def enough(p, x):
    return max(1, math.ceil((p - 1) * (1 - x) / x - 1e-9))


def fastest(choose=min, ignore_p2p=False, **case):
    p2p = 0 if ignore_p2p else case["p2p_ns"]
    times = {
        v: run_pipeline("interleaved", case["stages"], case["micro_batches"], 800, 1600, p2p, v).total_ns
        for v in (1, 2, 4, 8)
    }
    return choose(times, key=times.get)


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "bubble": (
        lambda stages, micro_batches: bubble(stages, micro_batches),
        [
            (lambda stages, micro_batches: (stages - 1) / micro_batches, "share of the work"),
            (lambda stages, micro_batches: 100 * bubble(stages, micro_batches), "in per cent"),
            (lambda stages, micro_batches: 1 - bubble(stages, micro_batches), "in which a stage works"),
            (lambda stages, micro_batches: (stages - 1) / stages, "with one micro-batch"),
            (lambda stages, micro_batches: stages / (micro_batches + stages), "Nearly"),
            (lambda stages, micro_batches: stages / (micro_batches + stages - 1), "The whole time is right"),
            (lambda stages, micro_batches: (stages - 1) / (micro_batches + stages), "The waiting is right"),
            (lambda stages, micro_batches: bubble(2 * stages - 1, micro_batches), "for each micro-batch twice"),
            (lambda stages, micro_batches: 0.5, "too large|too small"),
            (lambda stages, micro_batches: None, "should return a number"),
        ],
    ),
    "kept": (
        lambda stage, stages, micro_batches: min(micro_batches, stages - stage),
        [
            (lambda stage, stages, micro_batches: stages - stage, "fewer of them than stages"),
            (lambda stage, stages, micro_batches: stages - stage - 1, "Count the micro-batch itself"),
            (cut(lambda k, p: p - k - 1), "Count the micro-batch itself"),
            (cut(lambda k, p: max(1, p - k - 1)), "Count the micro-batch itself"),
            (cut(lambda k, p: k + 1), "Turned round"),
            (cut(lambda k, p: p), "what the first stage needs"),
            (cut(lambda k, p: p - k + 1), "One less will do"),
            (cut(lambda k, p: 2 * (p - k) - 1), "in the time of the two it takes in one"),
            (lambda stage, stages, micro_batches: 1, "nothing to do until that micro-batch is back"),
            (lambda stage, stages, micro_batches: micro_batches, "GPipe"),
            (lambda stage, stages, micro_batches: 7, "too large|too small"),
        ],
    ),
    "micro_batches": (
        lambda stages, share: enough(stages, share),
        [
            (lambda stages, share: -(-(stages - 1) // share), "share of the work"),
            (lambda stages, share: (stages - 1) * (1 - share) / share, "whole number"),
            (lambda stages, share: math.floor((stages - 1) * (1 - share) / share - 0.01), "then the bubble is"),
            (lambda stages, share: enough(stages, share) + 1, "fewer will do"),
            (lambda stages, share: 0, "whole number, 1 or more"),
            (lambda stages, share: "many", "should return a number"),
        ],
    ),
    "best_virtual": (
        fastest,
        [
            (lambda stages, micro_batches, p2p_ns: 8, "Always the most virtual stages"),
            (lambda stages, micro_batches, p2p_ns: 1, "Always one virtual stage"),
            (lambda stages, micro_batches, p2p_ns: 2, "the same whatever a transfer takes"),
            (partial(fastest, max), "turn the comparison round"),
            (partial(fastest, ignore_p2p=True), "Always the most virtual stages"),
            (lambda stages, micro_batches, p2p_ns: 8 if p2p_ns < 30 else 2, "longer than the best choice"),
            (lambda stages, micro_batches, p2p_ns: 3, "choose one of 1, 2, 4, 8"),
            (lambda stages, micro_batches: 1, "takes stages, micro_batches; it gets 3"),
        ],
    ),
}  # fmt: skip


# ---- orders ----


def started(stage, stages, micro_batches, first, backward=None):
    """`first` forward passes, then one backward and one forward pass in turn, then what is left."""
    first = min(first, micro_batches)
    back = list(backward or range(micro_batches))
    yield from (Pass("F", i) for i in range(first))
    for i in range(first, micro_batches):
        yield Pass("B", back[i - first])
        yield Pass("F", i)
    yield from (Pass("B", i) for i in back[micro_batches - first :])


def ahead(of):
    """An order in which stage k does of(k, p) forward passes before its first backward pass."""

    def order(stage, stages, micro_batches):
        return started(stage, stages, micro_batches, of(stage, stages))

    return order


def as_tuples(stage, stages, micro_batches):
    return [tuple(each)[:2] for each in ORDERS["1f1b"](stage, stages, micro_batches)]


def as_lists(stage, stages, micro_batches):
    return [[kind, i] for kind, i in as_tuples(stage, stages, micro_batches)]


def lazy(stage, stages, micro_batches):
    """Right in another way: the last stages take in fewer while the pipeline fills."""
    return started(stage, stages, micro_batches, stages - stage)


def one_at_a_time(stage, stages, micro_batches):
    return started(stage, stages, micro_batches, 1)


def forgets_the_rest(stage, stages, micro_batches):
    return list(ORDERS["1f1b"](stage, stages, micro_batches))[: 2 * micro_batches - (stages - stage - 1)]


def only_four_stages(stage, stages, micro_batches):
    return started(stage, stages, micro_batches, 4 - stage)


def turned_round(stage, stages, micro_batches):
    return started(stage, stages, micro_batches, stage + 1)


def backwards_first(stage, stages, micro_batches):
    for i in range(micro_batches):
        yield Pass("B", i)
        yield Pass("F", i)


def backwards_from_the_last(stage, stages, micro_batches):
    return started(stage, stages, micro_batches, stages - stage, list(reversed(range(micro_batches))))


def two_at_a_time(stage, stages, micro_batches):
    for i in range(0, micro_batches, 2):
        pair = range(i, min(i + 2, micro_batches))
        yield from (Pass("F", k) for k in pair)
        yield from (Pass("B", k) for k in pair)


ORDERS_WITH_WORDS = [
    (ORDERS["gpipe"], "so does GPipe: .* all 8 micro-batches"),
    (ahead(lambda k, p: 100), "so does GPipe"),
    (one_at_a_time, "there and back before the next one begins"),
    (ahead(lambda k, p: p), "With 4 stages and 8 micro-batches, every stage keeps 4 at once.* Does the last"),
    (ahead(lambda k, p: p - k + 1), "stage 0 keeps 5 micro-batches at once; fewer would do"),
    (ahead(lambda k, p: 2 * (p - k) - 1), "stage 0 keeps 7 micro-batches at once; fewer would do"),
    (ahead(lambda k, p: max(1, p - k - 1)), r"longer than GPipe: stage 0 waits for a gradient where it could take in"),
    (two_at_a_time, "every stage keeps 2 at once, and it takes .* longer than GPipe. Does the last stage"),
    (turned_round, r"standstill.*Which one waits longest for its first gradient\?"),
    (backwards_first, "standstill at 0 ns. Stage 0 is to run B of micro-batch 0 and waits for its own F of it"),
    (backwards_from_the_last, "standstill"),
    (forgets_the_rest, r"With 4 stages and 8 micro-batches: stage 0 never runs B of micro-batch"),
    (only_four_stages, "With 1 stage and 3 micro-batches, "),
    (lambda stage, stages, micro_batches: None, "stage 0 has None for its passes"),
    (lambda stage, stages, micro_batches: [("F", i) for i in range(9)], r"stage 0 is to run \('F', 8\)"),
    (lambda stage, stages, micro_batches: [Pass("F", 0)] * 99, "stage 0 runs F of micro-batch 0 twice"),
    (lambda stage, stages, micro_batches: [1 / 0], "ZeroDivisionError: division by zero (asked for stages = 4"),
    (lambda: [], r"<lambda>\(\) is no order \(too many positional arguments\)"),
    (None, "order is None"),
]  # fmt: skip
QUESTIONS = NUMBERS | {"order": ([ORDERS["1f1b"], as_tuples, as_lists, lazy], ORDERS_WITH_WORDS)}
GUESSES = ("predicted_bubble",)
