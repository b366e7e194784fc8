"""Checks for exercise 8, pipelines: the bubble, what a stage keeps, an order that is judged by running it."""

from __future__ import annotations

from random import Random
from typing import Any

from astra_edu.base.deprecated import renamed_names
from astra_edu.course.check.asked import Answer, call, number
from astra_edu.course.check.ex8.runs import BACKWARD_NS, FORWARD_NS, judge_order
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.pipeline import closed_form, run_pipeline

VIRTUAL = (1, 2, 4, 8)
"""Numbers of virtual stages."""
WITHOUT_ITSELF = "Count the micro-batch itself, too: the stage has taken it in."
__getattr__ = renamed_names(__name__, best_chunks="best_virtual")


@guess
def predicted_bubble(answer: Answer) -> Verdict:
    """A guess: the bubble of 4 stages and 8 micro-batches, in % of the time."""
    lesson = "With one micro-batch it would be 75 %: three of four always wait."
    return prediction(answer, 100 * closed_form.bubble(4, 8), "%", lesson)


@question
def bubble(answer: Answer) -> Verdict:
    """bubble(stages, micro_batches): the share of the time in which a stage waits."""

    def mistake(function: Answer, message: str) -> Mistake:
        return Mistake(lambda stages, micro_batches: function(stages, micro_batches), message)

    return judge(
        answer,
        closed_form.bubble,
        [{"stages": p, "micro_batches": m} for p, m in ((4, 8), (2, 5), (8, 64), (16, 4), (1, 7))],
        [
            mistake(lambda p, m: (p - 1) / m, "That is the bubble as a share of the work. Of all the time it is less."),
            mistake(lambda p, m: m / (m + p - 1), "That is the share of the time in which a stage works."),
            mistake(lambda p, m: (p - 1) / p, "So it is with one micro-batch. What do more of them change?"),
            mistake(lambda p, m: p / (m + p), "Nearly: for how many passes does the last stage wait at the beginning?"),
            mistake(lambda p, m: p / (m + p - 1), "The whole time is right. How many passes does a stage wait for?"),
            mistake(lambda p, m: (p - 1) / (m + p), "The waiting is right. How many passes long is the whole time?"),
            mistake(
                lambda p, m: 2 * (p - 1) / (m + 2 * (p - 1)),
                "A stage waits on the way there and on the way back, but it also works for each micro-batch twice.",
            ),
        ],
        "Right: p − 1 forward and p − 1 backward passes of waiting, whatever the number of micro-batches.",
        unit="a share",
    )


@question
def kept(answer: Answer) -> Verdict:
    """kept(stage, stages, micro_batches): how many micro-batches a stage takes in before its first backward pass."""

    def mistake(function: Answer, message: str) -> Mistake:
        return Mistake(lambda stage, stages, micro_batches: min(function(stage, stages), micro_batches), message)

    sizes = ((4, 8), (6, 9), (5, 3), (3, 1))
    return judge(
        answer,
        lambda stage, stages, micro_batches: min(stages - stage, micro_batches),
        [{"stage": k, "stages": p, "micro_batches": m} for p, m in sizes for k in range(p)],
        [
            Mistake(
                lambda stage, stages, micro_batches: stages - stage,
                "Right while there are enough micro-batches. What if there are fewer of them than stages?",
            ),
            Mistake(lambda stage, stages, micro_batches: stages - stage - 1, WITHOUT_ITSELF),
            mistake(lambda k, p: p - k - 1, WITHOUT_ITSELF),
            mistake(lambda k, p: max(1, p - k - 1), WITHOUT_ITSELF),
            mistake(lambda k, p: k + 1, "Turned round: which stage waits longest for its first gradient?"),
            mistake(lambda k, p: p, "That is what the first stage needs. The last one has its gradient at once."),
            mistake(lambda k, p: p - k + 1, "One less will do. How many does the last stage need?"),
            mistake(
                lambda k, p: 2 * (p - k) - 1,
                "The stages below do a forward and a backward pass for each micro-batch, and so does this one: "
                "in the time of the two it takes in one.",
            ),
            mistake(lambda k, p: 1, "Then the stage has nothing to do until that micro-batch is back."),
            Mistake(lambda stage, stages, micro_batches: micro_batches, "That is GPipe, which keeps all of them."),
        ],
        "Right: one for each stage from here to the last, and no more than there are.",
    )


@question
def order(answer: Answer) -> Verdict:
    """order(stage, stages, micro_batches): passes that take no longer than GPipe's and keep as little as 1F1B's."""
    return judge_order(answer, "Right: as fast as GPipe, and no stage keeps more micro-batches than it needs.")


@question
def micro_batches(answer: Answer) -> Verdict:
    """micro_batches(stages, share): the fewest micro-batches for which the bubble is at most this share of the time."""
    sizes = ((4, 0.1), (8, 0.1), (2, 0.03), (16, 0.25), (5, 0.3), (64, 0.07))
    cases = [{"stages": p, "share": x} for p, x in sizes]
    try:
        given = [number(call(answer, case), case) for case in cases]
    except NoAnswerError as problem:
        return problem.verdict
    if given == [-(-(p - 1) // x) for p, x in sizes]:
        return Verdict(False, "With so many the bubble is this share of the work. Of all the time, fewer are enough.")
    for m, (p, share) in zip(given, sizes, strict=True):
        if (wrong := _wrong_number(m, p, share)) is not None:
            return Verdict(False, wrong)
    return Verdict(True, "Right: in proportion to p − 1, and half the bubble takes about twice as many.")


@question
def best_virtual(answer: Answer) -> Verdict:
    """best_virtual(stages, micro_batches, p2p_ns): how many virtual stages, of VIRTUAL, make an iteration fastest."""
    random = Random(8)
    cases: list[dict[str, Any]] = [{"stages": 4, "micro_batches": 8, "p2p_ns": p2p} for p2p in (0, 60, 150, 2000)]
    for _ in range(4):
        p = random.randint(2, 6)
        cases.append({"stages": p, "micro_batches": p * random.randint(1, 5), "p2p_ns": random.randint(0, 400)})
    try:
        given = [number(call(answer, case), case) for case in cases]
    except NoAnswerError as problem:
        return problem.verdict
    other = [v for v in given if v not in VIRTUAL]
    if other:
        return Verdict(False, f"You answer {other[0]:g}; choose one of {', '.join(map(str, VIRTUAL))}.")
    times = [{v: interleaved_ns(v, **case) for v in VIRTUAL} for case in cases]
    longer = [time[int(v)] / min(time.values()) - 1 for v, time in zip(given, times, strict=True)]
    if not any(longer):
        return Verdict(True, "Right. It depends on the network: the faster a transfer, the more virtual stages.")
    if set(given) == {max(VIRTUAL)}:
        return Verdict(False, "Always the most virtual stages? Their transfers take time, too.")
    if set(given) == {1}:
        return Verdict(False, "Always one virtual stage? Where a transfer is fast, more of them are worth it.")
    if all(time[int(v)] == max(time.values()) for v, time in zip(given, times, strict=True)):
        return Verdict(False, "That is the slowest choice each time; turn the comparison round.")
    if len(set(given[:4])) == 1:
        return Verdict(False, "For 4 stages and 8 micro-batches your answer is the same whatever a transfer takes.")
    k = next(k for k, share in enumerate(longer) if share)
    with_ = "With {stages} stages, {micro_batches} micro-batches and transfers of {p2p_ns} ns".format(**cases[k])
    return Verdict(False, f"{with_}, {given[k]:g} virtual stages take {longer[k]:.1%} longer than the best choice.")


def interleaved_ns(v: int, stages: int, micro_batches: int, p2p_ns: int) -> int:
    """The time of an iteration with v virtual stages a stage."""
    return run_pipeline("interleaved", stages, micro_batches, FORWARD_NS, BACKWARD_NS, p2p_ns, v).total_ns


def _wrong_number(m: float, p: int, share: float) -> str | None:
    """What is wrong with this number of micro-batches, if anything; where rounding decides, either number will do."""
    answer = f"You answer {m:g} for {p} stages and a share of {share:g}"
    if m != int(m) or m < 1:
        return f"{answer}; give a whole number, 1 or more."
    if closed_form.bubble(p, int(m)) > share + 1e-9:
        return f"{answer}; then the bubble is {closed_form.bubble(p, int(m)):.4g}."
    if m > 1 and closed_form.bubble(p, int(m) - 1) < share - 1e-9:
        return f"{answer}; fewer will do."
    return None
