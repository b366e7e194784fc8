"""Right and wrong answers of exercise 9."""

import astra_edu as ae
from astra_edu.course.check.ex9.choice import HINTS

GIB = 2**30


def state(parameters, copies, zero, sizes=(2, 2, 12)):
    weights, gradients, optimiser = (size * parameters for size in sizes)
    return (
        weights / (copies if zero > 2 else 1)
        + gradients / (copies if zero > 1 else 1)
        + optimiser / (copies if zero > 0 else 1)
    )


def kept(hidden, heads, tokens, blocks, micro_batch, recompute, linear=34, scores=5, left=0):
    features, squares = tokens * hidden, heads * tokens * tokens
    each = {
        "none": linear * features + scores * squares,
        "selective": linear * features + left * squares,
        "full": 2 * features,
    }
    return micro_batch * blocks * each[recompute]


def strategy(**groups):
    return lambda: ae.Strategy(**{"batch": 128, **groups})


def only(recompute, other):
    """kept(), but for one way of recomputing."""
    return lambda **case: other(**case) if case["recompute"] == recompute else kept(**case)


# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "state_bytes": (
        [state, lambda parameters, copies, zero: state(float(parameters), copies, zero)],
        [
            (lambda parameters, copies, zero: 16 * parameters, "the same for every stage"),
            (lambda **c: state(**c, sizes=(2, 2, 0)), "optimiser is missing"),
            (lambda **c: state(**c, sizes=(2, 2, 8)), "the weight itself in 32 bits"),
            (lambda **c: state(**c, sizes=(4, 4, 8)), "weights and gradients in 32 bits"),
            (lambda **c: state(**c, sizes=(4, 4, 12)), "2 bytes"),
            (lambda parameters, copies, zero: state(parameters, copies, min(3, zero + 1)), "a stage ahead"),
            (lambda parameters, copies, zero: state(parameters, copies, max(0, zero - 1)), "a stage behind"),
            (
                lambda parameters, copies, zero: (
                    parameters * (2 / (copies if zero else 1) + 2 / (copies if zero > 1 else 1))
                    + parameters * 12 / (copies if zero > 2 else 1)
                ),
                "begin with the weights",
            ),
            (lambda parameters, copies, zero: 16 * parameters / (copies if zero else 1), "only stage 3 does"),
            (
                lambda parameters, copies, zero: parameters / (copies if zero else 1) * (16, 12, 14, 16)[zero],
                "What isn't shared out is kept, too",
            ),
            (lambda **c: state(**c) / GIB, "in GiB; bytes"),
            (lambda **c: state(**c) * c["copies"], "one NPU is asked for"),
            (lambda **c: state(**c) * 1.5, "too large"),
        ],
    ),
    "kept_bytes": (
        [kept],
        [
            (lambda **c: kept(**c) / c["blocks"], "the model has several"),
            (lambda **c: kept(**c) / c["micro_batch"], "a micro-batch has several"),
            (lambda **c: kept(**c, linear=36, scores=6), "it takes 1 byte"),
            (lambda **c: kept(**c, scores=5 / c["heads"]), "Every head has scores of its own"),
            (only("full", lambda **c: 0), "from what would it be computed again"),
            (only("full", lambda **c: kept(**c) / c["blocks"]), "Every block begins again from its own input"),
            (only("selective", lambda **c: kept(**{**c, "recompute": "none"})), "doesn't keep the three tensors"),
            (lambda **c: kept(**c, left=1), "The dropout's mask"),
            (lambda **c: kept(**c, left=2), "One tensor of scores is left"),
            (only("selective", lambda **c: kept(**c, linear=28)), "Queries, keys and values stay"),
            (only("none", lambda **c: kept(**c, scores=0)), "The scores are missing"),
            (lambda **c: kept(**c) / GIB, "in GiB; bytes"),
            (lambda **c: kept(**c) / 2, "too small"),
        ],
    ),
    "fits": (
        [
            strategy(data=64, zero=3, recompute="full"),
            strategy(data=32, tensor=2, zero=2, sequence_parallel=True),
            strategy(tensor=8, pipeline=8),
        ],
        [
            (strategy(data=64), "What makes the optimiser state smaller"),
            (strategy(data=64, zero=1), "118.1 GiB more than there are"),
            (strategy(data=64, zero=3), "What makes the activations smaller"),
            (strategy(data=64, zero=2, recompute="selective"), "What makes the weights smaller"),
            (strategy(data=8, tensor=4), "8 × 4 × 1 = 32 NPUs; there are 64"),
            (strategy(data=64, batch=64), "64 samples; it should have batch=128"),
            (strategy(data=64, micro_batch=3), "128 can't be divided into micro-batches of 3"),
            (strategy(tensor=16, data=4), "can't be divided among 16 NPUs"),
            (strategy(pipeline=64), "48 blocks; it can't be cut into 64 stages"),
            (strategy(data=64, element_bytes=1), "leave element_bytes as it is"),
            (strategy(data=64, zero=1, precision="fp32"), "leave precision as it is"),
            (strategy(data=64, precision=ae.Precision(optimiser=0, gradients=8)), "leave precision as it is"),
        ],
    ),
    "fast": (
        [
            strategy(data=32, tensor=2, zero=2, sequence_parallel=True),
            strategy(
                data=16, tensor=2, pipeline=2, zero=1, sequence_parallel=True, pipeline_order="interleaved", virtual=12
            ),
        ],
        [
            (strategy(data=64, zero=3), "doesn't fit"),
            (strategy(data=64, zero=2, recompute="full"), HINTS["repeated"]),
            (strategy(data=64, zero=3, recompute="selective"), HINTS["tensor group"]),
            (strategy(data=8, pipeline=8, recompute="full", zero=1), HINTS["waiting"]),
            (strategy(data=8, tensor=8, pipeline=1, zero=1), HINTS["tensor group"]),
            (strategy(tensor=8, pipeline=8, micro_batch=4, recompute="selective"), HINTS["waiting"]),
            (strategy(data=4, tensor=8, pipeline=2), HINTS["tensor group"]),
        ],
    ),
}
GUESSES = ("predicted_gib",)
