"""Checks for exercise 9, fit the model: what an NPU keeps, and a strategy that fits and is fast."""

from __future__ import annotations

from random import Random

from astra_edu.base.units import GIB
from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex9.choice import BATCH, MODEL, NPUS, PLATFORM, device, fast, fits
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import Verdict
from astra_edu.workload.strategies import Strategy, memory

__all__ = [
    "BATCH",
    "MODEL",
    "NPUS",
    "PLATFORM",
    "device",
    "fast",
    "fits",
    "kept_bytes",
    "predicted_gib",
    "state_bytes",
]


@guess
def predicted_gib(answer: Answer) -> Verdict:
    """A guess: GiB of activations that one sample leaves behind in the whole model."""
    kept = memory(MODEL, Strategy()).activations / GIB
    return prediction(answer, kept, "GiB", "One sample's activations nearly fill an A100, before any weight is stored.")


def _state(parameters: float, copies: int, zero: int, each: tuple[float, ...] = (2, 2, 12)) -> float:
    """each: bytes of weights, gradients and optimiser for each parameter, which are shared out from the last on."""
    return sum(
        size * parameters / (copies if zero >= least else 1) for size, least in zip(each, (3, 2, 1), strict=True)
    )


@question
def state_bytes(answer: Answer) -> Verdict:
    """state_bytes(parameters, copies, zero): bytes of weights, gradients and optimiser state on each NPU."""
    random = Random(9)
    cases: list[Case] = [
        {"parameters": random.randrange(10**6, 10**11), "copies": copies, "zero": zero}
        for zero in range(4)
        for copies in (1, random.randrange(2, 64), random.randrange(64, 1024))
    ]

    def shared_alone(parameters: float, copies: int, zero: int) -> float:
        return sum((2, 2, 12)[3 - zero :]) * parameters / copies if zero else 16 * parameters

    return judge(
        answer,
        _state,
        cases,
        [
            Mistake(
                lambda **c: _state(**c | {"zero": 0}), "That is the same for every stage: what does ZeRO share out?"
            ),
            Mistake(
                lambda **c: _state(**c, each=(2, 2, 0)),
                "The optimiser is missing. Adam keeps more for each parameter than weight and gradient together.",
            ),
            Mistake(
                lambda **c: _state(**c, each=(2, 2, 8)),
                "Adam's mean and variance are there. The update also needs the weight itself in 32 bits.",
            ),
            Mistake(
                lambda **c: _state(**c, each=(4, 4, 8)),
                "Those are weights and gradients in 32 bits. Here both have 16, and the optimiser has a 32-bit copy.",
            ),
            Mistake(
                lambda **c: _state(**c, each=(4, 4, 12)),
                "Weights and gradients have 16 bits each, which are 2 bytes.",
            ),
            Mistake(
                lambda **c: _state(**c | {"zero": min(3, c["zero"] + 1)}),
                "You are a stage ahead: stage 0 shares out nothing, stage 1 only the optimiser's state.",
            ),
            Mistake(
                lambda **c: _state(**c | {"zero": max(0, c["zero"] - 1)}),
                "You are a stage behind: stage 1 already shares out the optimiser's state.",
            ),
            Mistake(
                lambda parameters, copies, zero: (
                    parameters * sum(size / (copies if place < zero else 1) for place, size in enumerate((2, 2, 12)))
                ),
                "You begin with the weights. ZeRO begins with what is largest and needed least often.",
            ),
            Mistake(
                lambda **c: _state(**c) if c["zero"] == 0 else 16 * c["parameters"] / c["copies"],
                "That shares out everything from stage 1 on; only stage 3 does.",
            ),
            Mistake(shared_alone, "That is the part that is shared out. What isn't shared out is kept, too."),
            Mistake(
                lambda **c: _state(**c) * c["copies"], "That is what all copies keep together; one NPU is asked for."
            ),
        ],
        "Right: stage by stage, until nothing is kept twice.",
        unit="bytes",
    )


def _kept(
    hidden: int, heads: int, tokens: int, blocks: int, micro_batch: int, recompute: str,
    each: float = 34, of_scores: float = 5, left: float = 0,
) -> float:  # fmt: skip
    """each, of_scores: bytes for each feature of a token, and for each score; left: for scores, if recomputed."""
    features, scores = tokens * hidden, heads * tokens**2
    block = {"none": each * features + of_scores * scores, "selective": each * features + left * scores}
    return micro_batch * blocks * block.get(recompute, 2 * features)


@question
def kept_bytes(answer: Answer) -> Verdict:
    """kept_bytes(hidden, heads, tokens, blocks, micro_batch, recompute): bytes of activations in all blocks."""
    random = Random(9)
    cases: list[Case] = [
        {
            "hidden": 64 * random.randrange(2, 200),
            "heads": random.choice([3, 8, 12, 40]),
            "tokens": 128 * random.randrange(1, 20),
            "blocks": random.randrange(2, 100),
            "micro_batch": random.randrange(2, 9),
            "recompute": recompute,
        }
        for recompute in ("none", "selective", "full")
        for _ in range(3)
    ]
    return judge(
        answer,
        _kept,
        cases,
        [
            Mistake(lambda **c: _kept(**c) / c["blocks"], "That is one block; the model has several."),
            Mistake(lambda **c: _kept(**c) / c["micro_batch"], "That is one sample; a micro-batch has several."),
            Mistake(lambda **c: _kept(**c, each=36, of_scores=6), "A dropout mask says yes or no: it takes 1 byte."),
            Mistake(
                lambda **c: _kept(**c, of_scores=5 / c["heads"]),
                "Every head has scores of its own, for each token and each other token.",
            ),
            Mistake(
                lambda **c: 0 if c["recompute"] == "full" else _kept(**c),
                "If a block kept nothing at all, from what would it be computed again?",
            ),
            Mistake(
                lambda **c: _kept(**c) / (c["blocks"] if c["recompute"] == "full" else 1),
                "Every block begins again from its own input; you keep one for the whole model.",
            ),
            Mistake(
                lambda **c: _kept(**c | {"recompute": "none"} if c["recompute"] == "selective" else c),
                "Selective recomputation doesn't keep the three tensors of scores.",
            ),
            Mistake(
                lambda **c: _kept(**c, left=1), "The dropout's mask is a tensor of scores as well, and made again."
            ),
            Mistake(lambda **c: _kept(**c, left=2), "One tensor of scores is left; all three are computed again."),
            Mistake(
                lambda **c: _kept(**c, each=28) if c["recompute"] == "selective" else _kept(**c),
                "Queries, keys and values stay: the scores are computed again from them.",
            ),
            Mistake(
                lambda **c: _kept(**c) - (_kept(**c, each=0) if c["recompute"] == "none" else 0),
                "The scores are missing. There are three tensors of them, and they grow with the square of the tokens.",
            ),
        ],
        "Right: the scores grow with the square of the tokens, everything else with the tokens.",
        unit="bytes",
    )
