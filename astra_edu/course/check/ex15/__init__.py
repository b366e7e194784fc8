"""Checks for exercise 15, Llama 3 405B on 16,384 GPUs: Meta's choice, why others fail, and which is faster."""

from __future__ import annotations

from dataclasses import fields, replace
from random import Random

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex15.cases import LONG, META, SHORT, TOKENS, best_found, llama, took
from astra_edu.course.check.ex15.choice import judge_choice, strategy_of
from astra_edu.course.check.ex15.reasons import judge_reasons
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.workload.strategies import Memory, Strategy, memory

__all__ = [
    "best_found",
    "faster",
    "faster_long",
    "kept_bytes",
    "least_context",
    "meta",
    "predicted_bubble",
    "predicted_less",
    "reason",
]


@guess
def predicted_less(answer: Answer) -> Verdict:
    """A guess: by how many per cent less time than Meta's the fastest takes that is found and fits, in the estimate."""
    less = 100 * (1 - best_found().total_ns / took(META).total_ns)
    return prediction(
        answer, less, "%", "What can be saved at most is what isn't computing: a third of Meta's iteration."
    )


_READ: dict[str, str] = {
    "tensor": "The tensor group isn't the table's: TP is its size.",
    "pipeline": "The stages aren't as many as the table's PP.",
    "context": "With sequences of 8,192 tokens the table has no context group: CP is 1.",
    "data": "The copies aren't as many as the table's DP, in the row of 16,384 GPUs and 8,192 tokens.",
    "micro_batch": "Each copy has 16 samples, and they go through the stages one after the other: micro_batch is 1.",
    "pipeline_order": 'The stages are interleaved: pipeline_order="interleaved", with virtual parts each.',
    "virtual": "The stages are interleaved in 4 parts each, here.",
    "stage_blocks": 'The first and the last stage have a block less, as the ends count as one: stage_blocks="ends".',
    "zero": "FSDP as Meta ran it shares out the optimiser's state and keeps parameters whole: ZeRO-1 here.",
    "sequence_parallel": "A tensor group that doesn't share the tokens, too, keeps far more activations.",
    "recompute": "Nothing was recomputed at 8,192 tokens.",
}
"""What is told to whoever has another value than Meta's."""


@question
def meta(answer: Answer) -> Verdict:
    """meta(): Meta's published choice for 16,384 GPUs and sequences of 8,192 tokens."""
    try:
        given = strategy_of(answer, SHORT)
    except NoAnswerError as problem:
        return problem.verdict
    for name, words in _READ.items():
        if getattr(given, name) != getattr(META, name):
            return Verdict(False, words)
    if given.samples != META.samples:
        return Verdict(False, _batch(given))
    if other := [one.name for one in fields(Strategy) if getattr(given, one.name) != getattr(META, one.name)]:
        return Verdict(False, f"Leave {other[0]} as it is.")
    found = took(META)
    return Verdict(True, f"Right. The estimate has an MFU of {found.mfu:.1%}; 41 % were measured.")


def _batch(given: Strategy) -> str:
    """What is wrong with the samples."""
    if given.samples == TOKENS:
        return "batch counts samples, not tokens: how many sequences of 8,192 are 16M tokens (2²⁴)?"
    tokens = given.samples * SHORT
    return (
        f"Your batch has {given.samples:,} samples of 8,192 tokens: {tokens:,} tokens. The table has 16M (2²⁴) in all."
    )


@question
def reason(answer: Answer) -> Verdict:
    """reason(settings, theirs): why such a strategy is no better than Meta's, whose parts in ns are `theirs`.

    "batch" where the samples can't be shared out so, "memory" where it doesn't fit, "none" where it takes no longer,
    else the part of its time that is longer than theirs by most.
    """
    return judge_reasons(answer)


@question
def faster(answer: Answer) -> Verdict:
    """faster(): a strategy for 2,048 samples of 8,192 tokens that fits and takes less time than Meta's."""
    return judge_choice(answer, SHORT)


@question
def kept_bytes(answer: Answer) -> Verdict:
    """kept_bytes(strategy): bytes on a GPU with gradients of 32 bits rather than 16, for samples of SHORT tokens."""
    every = (
        META,
        replace(META, data=256, pipeline=8, virtual=8),
        replace(META, virtual=1, pipeline_order="1f1b"),
        replace(META, recompute="full"),
    )
    cases: list[Case] = [{"strategy": strategy} for strategy in every]

    def kept(strategy: Strategy) -> Memory:
        return memory(llama(SHORT), strategy)

    def other(strategy: Strategy, gradients: float) -> float:
        return kept(strategy).total + gradients * kept(strategy).gradients

    return judge(
        answer,
        lambda strategy: memory(llama(SHORT), strategy, gradient_bytes=4).total,
        cases,
        [
            Mistake(lambda strategy: kept(strategy).total, "That is with gradients of 16 bits, as it was before."),
            Mistake(lambda strategy: 2 * kept(strategy).total, "You double everything. Only gradients have 32 bits."),
            Mistake(
                lambda strategy: other(strategy, gradients=2),
                "You add 4 bytes for each parameter. Gradients had 2 and have 4 now, and parameters stay as they are.",
            ),
            Mistake(
                lambda strategy: other(strategy, gradients=3),
                "32 is the number of bits. A gradient had 2 bytes, and has 4.",
            ),
            Mistake(
                lambda strategy: 2 * kept(strategy).gradients,
                "Those are the gradients alone; all that is kept is asked for.",
            ),
            Mistake(
                lambda strategy: kept(strategy).total + 2 * llama(SHORT).parameters,
                "You add the gradients of the whole model. A GPU has those of its own part only.",
            ),
        ],
        "Right: 2 bytes more for each parameter that a GPU has. Whoever cuts the model into fewer parts pays more.",
        tolerance=1e-2,  # whether fragmentation grows with them or not
        unit="bytes",
    )


@guess
def predicted_bubble(answer: Answer) -> Verdict:
    """A guess: the bubble's per cent of an iteration on LONG tokens, cut as for short ones, without context groups."""
    cut = replace(META, batch=TOKENS // LONG, virtual=1, pipeline_order="1f1b")
    lesson = (
        "128 samples for 128 copies are one micro-batch for 16 stages. (A whole sample gathered makes it too large.)"
    )
    return prediction(answer, 100 * took(cut, LONG).bubble, "%", lesson)


def _least(npus: int, tensor: int, pipeline: int, samples: int) -> float:
    """The context group with which a copy has as many micro-batches as stages, below 1 where it has more without."""
    return npus / (tensor * pipeline) / (samples / pipeline)


@question
def least_context(answer: Answer) -> Verdict:
    """least_context(npus, tensor, pipeline, samples): the least with which a copy has a micro-batch for each stage."""
    dice = Random(15)
    cases: list[Case] = [
        {
            "npus": 2 ** dice.randrange(11, 15),
            "tensor": 2 ** dice.randrange(1, 4),
            "pipeline": 2 ** dice.randrange(2, 6),
            "samples": 2 ** dice.randrange(5, 9),
        }
        for _ in range(6)
    ]
    cases += [
        {"npus": 16_384, "tensor": 8, "pipeline": 32, "samples": 64},
        {"npus": 1024, "tensor": 8, "pipeline": 8, "samples": 1024},
    ]
    return judge(
        answer,
        lambda **c: max(1, _least(**c)),
        cases,
        [
            Mistake(_least, "A group has one GPU at least: where there are samples enough without, it is 1."),
            Mistake(
                lambda **c: max(1, _least(**c) / c["pipeline"]),
                "Then each copy has one micro-batch. How many does a pipeline need?",
            ),
            Mistake(
                lambda **c: max(1, _least(**c) * c["tensor"]),
                "You forget that a tensor group works on the same samples: it makes no copies.",
            ),
            Mistake(
                lambda **c: max(1, _least(**c) * c["pipeline"]),
                "A pipeline's stages are parts of one copy: there are npus / (tensor × pipeline × context) copies.",
            ),
            Mistake(
                lambda **c: max(1, 2 * _least(**c)),
                "That is twice as many micro-batches as stages; as many are enough.",
            ),
            Mistake(
                lambda **c: c["npus"] / (c["tensor"] * c["pipeline"]),
                "That leaves a single copy. It needn't be so few.",
            ),
            Mistake(
                lambda **c: max(1, 1 / _least(**c)),
                "Turned round: more GPUs need a larger group, more samples a smaller one.",
            ),
        ],
        "Right. For Meta's rows it gives what they took; the number of stages drops out.",
    )


@question
def faster_long(answer: Answer) -> Verdict:
    """faster_long(): a strategy for 128 samples of 131,072 tokens that fits and takes less time than Meta's."""
    return judge_choice(answer, LONG)
