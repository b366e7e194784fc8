"""Right and wrong answers of exercise 16."""

LAWS = ("operations", "bytes", "memory", "pipeline")


def most_tokens(flops_per_token, bits, peaks):
    return peaks[bits] * 1e12 / flops_per_token


def exchange(gradient_bytes, copies, gbit_s, there=2):
    return there * gradient_bytes * (copies - 1) / copies * 8 / gbit_s / 1e6


def state(parameters, tensor, pipeline, copies, zero, each=(2, 2, 12)):
    weights, gradients, optimiser = each
    weights = weights / copies if zero >= 3 else weights
    gradients = gradients / copies if zero >= 2 else gradients
    optimiser = optimiser / copies if zero >= 1 else optimiser
    return parameters / tensor / pipeline * (weights + gradients + optimiser) / 1e9


def iteration(pass_ms, pipeline, virtual, micro_batches):
    return micro_batches * pass_ms + (pipeline - 1) * pass_ms / virtual


def all_bounds(card, **off):
    """(law, how many times as much as its bound the card claims; below 1 for what is too little), of what it says."""
    yield "operations", most_tokens(card.flops_per_token, card.bits, card.peaks) / card.tokens_per_s
    if card.exchange_ms is not None:
        yield "bytes", card.exchange_ms / exchange(card.gradient_bytes, card.copies, card.gbit_s)
    if card.state_gb is not None:
        each = (card.parameters, card.tensor, card.pipeline, card.copies, card.zero)
        yield "memory", card.state_gb / state(*each, **off)
    if card.pass_ms is not None:
        yield (
            "pipeline",
            card.iteration_ms / iteration(card.pass_ms, card.pipeline, card.virtual, card.micro_batches),
        )


def broken(card, laws=LAWS, factors=(), **off):
    factors = dict(factors)
    return next((law for law, found in all_bounds(card, **off) if law in laws and found < factors.get(law, 1)), "")


def figure(card, law=""):
    law = law or broken(card)
    claimed = {"bytes": card.exchange_ms, "memory": card.state_gb, "pipeline": card.iteration_ms}
    ratio = dict(all_bounds(card))[law]
    return card.tokens_per_s * ratio if law == "operations" else claimed[law] / ratio


def in_16_bits(card):
    return broken(card) or ("operations" if card.tokens_per_s * card.flops_per_token > card.peaks[16] * 1e12 else "")


def by_the_claimed_mfu(card):
    law = broken(card)
    return law if law != "operations" or (card.mfu or 0) > 1 else ""


def without_bubble(card):
    law = broken(card)
    return "" if law == "pipeline" and card.iteration_ms >= 0.999 * card.micro_batches * card.pass_ms else law


def all_shared(card):
    law = broken(card)
    least = state(card.parameters, card.tensor, card.pipeline, card.copies, 3)
    return "" if law == "memory" and card.state_gb >= least * 0.999 else law


QUESTIONS = {
    "most_tokens_per_s": (
        [most_tokens, lambda flops, bits, peaks: 1e12 / (flops / peaks[bits])],
        [
            (lambda flops_per_token, bits, peaks: most_tokens(flops_per_token, 16, peaks), "for all of them"),
            (lambda flops_per_token, bits, peaks: max(peaks.values()) * 1e12 / flops_per_token, "the highest peak"),
            (lambda flops_per_token, bits, peaks: peaks[16] * 16 / bits * 1e12 / flops_per_token, "needn't be twice"),
            (lambda **c: 2 * most_tokens(**c), "sparsity"),
            (lambda **c: most_tokens(**c) / 3, "the backward pass is in them already"),
            (lambda **c: 3 * most_tokens(**c), "forward pass alone"),
            (lambda **c: most_tokens(**c) / 6, "in them already"),
            (lambda **c: most_tokens(**c) / 1e12, "10¹² operations"),
            (lambda **c: 1 / most_tokens(**c), "upside down"),
            (lambda **c: 1.1 * most_tokens(**c), "too large"),
        ],
    ),
    "least_exchange_ms": (
        [exchange, lambda size, copies, gbit: 2 * (size - size / copies) / (gbit * 125e6) * 1000],
        [
            (lambda **c: exchange(**c) / 8, "Gbit/s for GB/s"),
            (lambda **c: exchange(**c) / 64, "where you should multiply"),
            (lambda **c: exchange(**c, there=1), "the reduce-scatter"),
            (lambda gradient_bytes, copies, gbit_s: 16 * gradient_bytes / gbit_s / 1e6, "of its own share"),
            (lambda gradient_bytes, copies, gbit_s: 8 * gradient_bytes / gbit_s / 1e6, "once. How often"),
            (
                lambda gradient_bytes, copies, gbit_s: 16 * (copies - 1) * gradient_bytes / gbit_s / 1e6,
                "every other copy",
            ),
            (lambda **c: exchange(**c) * 1e9 / 2**30, "powers of ten"),
            (lambda **c: exchange(**c) / 1000, "in seconds"),
            (lambda **c: exchange(**c) * 0.9, "too small"),
        ],
    ),
    "least_state_gb": (
        [state],
        [
            (lambda **c: state(**c, each=(2, 2, 0)), "left out the optimiser"),
            (lambda **c: state(**c, each=(2, 0, 0)), "parameters alone"),
            (lambda **c: state(**c, each=(2, 2, 8)), "a copy of the parameters"),
            (lambda **c: state(**c, each=(2, 4, 12)), "Gradients are in 16 bits"),
            (lambda **c: state(**c, each=(4, 4, 8)), "Parameters and gradients are in 16 bits"),
            (lambda **c: state(**{**c, "zero": 3 if c["zero"] else 0}), "optimiser's state only"),
            (lambda **c: state(**{**c, "zero": 0}), "From ZeRO-1 on"),
            (lambda **c: state(**{**c, "zero": 3}), "whatever the stage"),
            (lambda **c: state(**{**c, "tensor": 1, "pipeline": 1}), "only its part"),
            (lambda **c: state(**{**c, "pipeline": 1}), "stages share out"),
            (lambda **c: state(**c) * 1e9 / 2**30, "GiB"),
            (lambda **c: state(**c) * 1e9, "Those are bytes"),
            (lambda **c: state(**c) * 1.5, "too large"),
        ],
    ),
    "least_iteration_ms": (
        [iteration],
        [
            (lambda pass_ms, pipeline, virtual, micro_batches: micro_batches * pass_ms, "never waits"),
            (
                lambda pass_ms, pipeline, virtual, micro_batches: iteration(pass_ms, pipeline, 1, micro_batches),
                "virtual stages a micro-batch",
            ),
            (
                lambda pass_ms, pipeline, virtual, micro_batches: iteration(
                    pass_ms, pipeline + 1, virtual, micro_batches
                ),
                "One too many",
            ),
            (
                lambda pass_ms, pipeline, virtual, micro_batches: (
                    iteration(pass_ms, pipeline, 1, micro_batches) / virtual
                ),
                "not the work",
            ),
            (lambda pass_ms, pipeline, virtual, micro_batches: micro_batches * pipeline * pass_ms, "at the same time"),
            (
                lambda pass_ms, pipeline, virtual, micro_batches: iteration(
                    pass_ms, 2 * pipeline - 1, virtual, micro_batches
                ),
                "not twice",
            ),
            (
                lambda pass_ms, pipeline, virtual, micro_batches: (pipeline - 1) / virtual * pass_ms,
                "the waiting alone",
            ),
            (lambda **c: iteration(**c) / 1e3, "in seconds"),
            (lambda **c: iteration(**c) * 0.99, "too small"),
        ],
    ),
    "broken_law": (
        [broken],
        [
            (lambda card: "", "find nobody out"),
            (in_16_bits, "You accuse measured runs"),
            (by_the_claimed_mfu, "believe the MFU that a card claims"),
            (lambda card: broken(card, factors={"bytes": 1 / 8}), "Gbit/s for GB/s"),
            (lambda card: broken(card, factors={"bytes": 1 / 2}), "leaves out the all-gather"),
            (lambda card: broken(card, each=(2, 2, 0)), "leaves out the optimiser's state"),
            (all_shared, "shares out everything"),
            (without_bubble, "stages wait for each other"),
            (lambda card: broken(card, factors={"operations": 1 / 2}), "sparsity"),
            (lambda card: "memory", "could be true"),
            (lambda card: broken(card, LAWS[:2]), "can't be true, and you find nothing wrong"),
            (lambda card: broken(card) and "memory", "fits the law of memory"),
            (lambda card: "speed", "it should return one of"),
        ],
    ),
    "corrected": (
        [figure],
        [
            (
                lambda card: {
                    "operations": card.tokens_per_s,
                    "bytes": card.exchange_ms,
                    "memory": card.state_gb,
                    "pipeline": card.iteration_ms,
                }[broken(card)],
                "that the card claims",
            ),
            (
                lambda card: dict(all_bounds(card))[broken(card)] ** (1 if broken(card) == "operations" else -1),
                "factor",
            ),
            (lambda card: figure(card, "memory"), "by the law of the memory"),
            (lambda card: figure(card, "operations"), "by the law of the operations"),
            (lambda card: figure(card, "pipeline" if broken(card) == "operations" else ""), "give tokens/s"),
            (lambda card: figure(card) * 2, "too large"),
        ],
    ),
    "why": (
        [lambda: ["bits", "recomputed", "spread"], lambda: ("bits", "recomputed", "spread")],
        [
            (lambda: ["sparsity", "recomputed", "spread"], "Nobody trains with half"),
            (lambda: ["false", "recomputed", "spread"], "that of 16 bits"),
            (lambda: ["bits", "false", "spread"], "how it should be"),
            (lambda: ["bits", "bits", "spread"], "have 16 bits"),
            (lambda: ["bits", "recomputed", "false"], "takes the same time twice"),
            (lambda: ["bits", "recomputed", "hidden"], "Number 3"),
            (lambda: ["bits", "recomputed"], "a list of three"),
            (lambda: ["bits", "recomputed", "bit"], "a list of three"),
        ],
    ),
}
GUESSES = ("suspect",)
