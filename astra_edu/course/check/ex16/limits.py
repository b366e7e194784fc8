"""Exercise 16's four bounds, as they are asked for."""

from __future__ import annotations

from random import Random

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex16 import laws
from astra_edu.course.check.judge import judge
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import Verdict

tokens, exchange = laws.most_tokens_per_s, laws.least_exchange_ms
state, iteration = laws.least_state_gb, laws.least_iteration_ms


@question
def most_tokens_per_s(answer: Answer) -> Verdict:
    """most_tokens_per_s(flops_per_token, bits, peaks): the tokens/s that an NPU can't exceed."""
    dice = Random(16)
    sheets = ({16: 312.0}, {16: 989.5, 8: 1979.0}, {16: 2500.0, 8: 5000.0, 4: 15_000.0})
    cases: list[Case] = [
        {"flops_per_token": float(dice.randrange(10**9, 10**12)), "bits": bits, "peaks": dict(peaks)}
        for peaks in sheets
        for bits in peaks
    ]
    return judge(
        answer,
        tokens,
        cases,
        [
            Mistake(
                lambda flops_per_token, bits, peaks: tokens(flops_per_token, 16, peaks),
                "You take the peak in 16 bits for all of them. Numbers of fewer bits have a peak of their own.",
            ),
            Mistake(
                lambda flops_per_token, bits, peaks: tokens(flops_per_token, min(peaks), peaks),
                "You take the highest peak there is. That is for the fewest bits; which ones are multiplied here?",
            ),
            Mistake(
                lambda flops_per_token, bits, peaks: tokens(flops_per_token, 16, peaks) * 16 / bits,
                "Half the bits needn't be twice the peak; the last machine's 4 bits are three times as fast as its 8.",
            ),
            Mistake(
                lambda **c: 2 * tokens(**c),
                "That is with 2:4 sparsity, of matrices half of which is zero. Those that are trained are dense.",
            ),
            Mistake(
                lambda **c: 3 * tokens(**c),
                "That is the forward pass alone. The operations of a token are those of training, with both passes.",
            ),
            Mistake(
                lambda **c: tokens(**c) / 6,
                "The operations of a token are given; 6 a parameter are in them already.",
            ),
            Mistake(
                lambda **c: tokens(**c) / 3,
                "The operations of a token are those of training: the backward pass is in them already.",
            ),
            Mistake(lambda **c: tokens(**c) / 1e12, "A TFLOP is 10¹² operations."),
            Mistake(lambda **c: 1 / tokens(**c), "That is upside down: it is how long a token takes, in seconds."),
        ],
        "Right: whoever claims more multiplies faster than the machine can.",
    )


@question
def least_exchange_ms(answer: Answer) -> Verdict:
    """least_exchange_ms(gradient_bytes, copies, gbit_s): ms of an all-reduce of gradients, at least."""
    dice = Random(61)
    cases: list[Case] = [
        {"gradient_bytes": float(dice.randrange(10**8, 10**10)), "copies": copies, "gbit_s": gbit_s}
        for copies, gbit_s in ((2, 200), (4, 400), (8, 400), (16, 800), (64, 100))
    ]
    return judge(
        answer,
        exchange,
        cases,
        [
            Mistake(
                lambda **c: exchange(**c) / 8,
                "You took Gbit/s for GB/s. A byte has 8 bits.",
            ),
            Mistake(lambda **c: exchange(**c) / 64, "You divided by 8 where you should multiply: a byte has 8 bits."),
            Mistake(
                lambda **c: exchange(**c) / 2,
                "That is the reduce-scatter. The sums have to come back: an all-gather, with as many bytes.",
            ),
            Mistake(
                lambda gradient_bytes, copies, gbit_s: 16 * gradient_bytes / gbit_s / 1e6,
                "Nearly: of its own share an NPU sends nothing.",
            ),
            Mistake(
                lambda gradient_bytes, copies, gbit_s: 8 * gradient_bytes / gbit_s / 1e6,
                "That is how long a card takes for its gradients once. How often, and which part of them, does it "
                "send?",
            ),
            Mistake(
                lambda gradient_bytes, copies, gbit_s: 16 * (copies - 1) * gradient_bytes / gbit_s / 1e6,
                "You send all gradients to every other copy, and back. A part of them for each copy is enough.",
            ),
            Mistake(
                lambda **c: exchange(**c) * 1e9 / 2**30,
                "Network speeds are in powers of ten: a Gbit/s is 10⁹ bits a second.",
            ),
        ],
        "Right: these bytes have to leave by this card, whatever the algorithm; latencies come on top.",
        unit="ms",
    )


@question
def least_state_gb(answer: Answer) -> Verdict:
    """least_state_gb(parameters, tensor, pipeline, copies, zero): 10⁹ bytes of model state, at least."""
    dice = Random(161)
    cases: list[Case] = [
        {
            "parameters": float(dice.randrange(10**9, 10**12)),
            "tensor": tensor,
            "pipeline": pipeline,
            "copies": copies,
            "zero": zero,
        }
        for tensor, pipeline, copies, zero in (
            *((1, 1, 1, 0), (8, 4, 16, 0), (8, 16, 8, 1), (2, 8, 64, 1)),
            *((4, 1, 32, 2), (1, 2, 8, 2), (8, 1, 128, 3), (1, 1, 512, 3)),
        )
    ]

    def without(zero: int, **c: float) -> float:
        return state(**c, zero=0) / (c["copies"] if zero else 1)  # type: ignore[arg-type]

    return judge(
        answer,
        state,
        cases,
        [
            Mistake(
                lambda **c: state(**c, each=(2, 2, 0)),
                "You left out the optimiser. Adam keeps 12 bytes for each parameter: a copy, a mean, a variance.",
            ),
            Mistake(lambda **c: state(**c, each=(2, 0, 0)), "Those are the parameters alone. What else is kept?"),
            Mistake(
                lambda **c: state(**c, each=(2, 2, 8)),
                "Adam keeps a copy of the parameters in 32 bits besides the mean and the variance.",
            ),
            Mistake(lambda **c: state(**c, each=(2, 4, 12)), "Gradients are in 16 bits here."),
            Mistake(lambda **c: state(**c, each=(4, 4, 8)), "Parameters and gradients are in 16 bits here."),
            Mistake(
                without,
                "ZeRO-1 shares out the optimiser's state only, ZeRO-2 gradients as well; parameters from stage 3 on.",
            ),
            Mistake(
                lambda zero, **c: state(**c, zero=0),
                "From ZeRO-1 on the copies share out what they keep: which part of it?",
            ),
            Mistake(
                lambda zero, **c: state(**c, zero=3),
                "You share out everything among the copies, whatever the stage of ZeRO. What does stage 0 share out?",
            ),
            Mistake(
                lambda tensor, pipeline, **c: state(**c, tensor=1, pipeline=1),
                "An NPU has only its part of the model: a tensor group and the stages share it out.",
            ),
            Mistake(lambda pipeline, **c: state(**c, pipeline=1), "The stages share out the model as well."),
            Mistake(lambda **c: state(**c) * 1e9 / 2**30, "Those are GiB, of 2³⁰ bytes; 10⁹ bytes are asked for."),
            Mistake(lambda **c: state(**c) * 1e9, "Those are bytes; 10⁹ bytes are asked for."),
        ],
        "Right: that is the average; the NPU that keeps most keeps no less, and activations come on top.",
    )


@question
def least_iteration_ms(answer: Answer) -> Verdict:
    """least_iteration_ms(pass_ms, pipeline, virtual, micro_batches): ms of an iteration of 1F1B, at least."""
    dice = Random(116)
    cases: list[Case] = [
        {"pass_ms": float(dice.randrange(10, 300)), "pipeline": stages, "virtual": virtual, "micro_batches": micro}
        for stages, virtual, micro in ((1, 1, 4), (4, 1, 32), (8, 1, 8), (16, 2, 64), (16, 4, 16), (2, 1, 1))
    ]
    return judge(
        answer,
        iteration,
        cases,
        [
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: micro_batches * pass_ms,
                "That is a stage that never waits. The last stage waits for the first micro-batch to arrive, the first "
                "stage for the last one to come back.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: (micro_batches + pipeline - 1) * pass_ms,
                "Nearly: with virtual stages a micro-batch reaches the next stage after a part of a stage's work.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: (micro_batches + pipeline / virtual) * pass_ms,
                "One too many: a stage doesn't wait for itself, only for the others.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: (micro_batches + pipeline - 1) / virtual * pass_ms,
                "Virtual stages shorten the waiting, not the work: a stage does all of its micro-batches.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: micro_batches * pipeline * pass_ms,
                "Stages work at the same time, on different micro-batches.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: (
                    (micro_batches + 2 * (pipeline - 1) / virtual) * pass_ms
                ),
                "A pass has its way forwards and its way back in it: (stages − 1) of them are waited for, not twice.",
            ),
            Mistake(
                lambda pass_ms, pipeline, virtual, micro_batches: (pipeline - 1) / virtual * pass_ms,
                "That is the waiting alone. The work comes on top.",
            ),
        ],
        "Right: with fewer stages' worth of waiting some stage would compute what hasn't arrived.",
        unit="ms",
    )
