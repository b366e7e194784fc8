"""Right and wrong answers of exercise 7."""

import numpy as np

RIGHT = {
    "data": {"weight gradient": "all-reduce"},
    "tensor": {"forward": "all-reduce", "input gradient": "all-reduce"},
    "pipeline": {},
    "ZeRO-3": {"forward": "all-gather", "input gradient": "all-gather", "weight gradient": "reduce-scatter"},
    "DLRM": {"forward": "all-to-all", "input gradient": "all-to-all", "weight gradient": "all-reduce"},
}


def table(way, phase, collective):
    """The right table, but for one entry."""
    return {**RIGHT, way: {**RIGHT[way], phase: collective}}


def data_bytes(parameters, element_bytes, copies, twice=2):
    return twice * parameters * element_bytes * (copies - 1) / copies


def whole_shares(parameters, element_bytes, copies):
    return 2 * (copies - 1) * (parameters * element_bytes // copies)


def in_32_bits(**case):
    return np.float32(data_bytes(**case))


def tensor_bytes(micro_batch, micro_batches, tokens, hidden, blocks, tensor, all_reduces=4, twice=2, element_bytes=2):
    size = element_bytes * micro_batch * tokens * hidden
    return micro_batches * blocks * all_reduces * twice * size * (tensor - 1) / tensor


def gradient_bytes(parameters, tensor, data):
    return 4 * parameters / tensor * (data - 1) / data


def by_bytes(tensor_bytes, data_bytes):
    return "tensor-first" if tensor_bytes > data_bytes else "data-first"


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "data_bytes": (
        [data_bytes, whole_shares, in_32_bits],
        [
            (lambda **c: data_bytes(**c) * c["copies"], "all of them send together"),
            (lambda **c: data_bytes(**(c | {"element_bytes": 1})), "each takes element_bytes"),
            (lambda **c: data_bytes(**(c | {"element_bytes": 2})), "2 bytes for each number, as in fp16"),
            (lambda **c: data_bytes(**c, twice=1), "half of an all-reduce"),
            (lambda parameters, element_bytes, copies: 2 * parameters * element_bytes, "of n parts it sends n − 1"),
            (lambda parameters, element_bytes, copies: parameters * element_bytes, "each gradient once"),
            (lambda **c: data_bytes(**c) / c["copies"], "aren't divided among them"),
            (lambda parameters, element_bytes, copies: 2 * parameters * element_bytes / copies, "aren't divided"),
            (lambda parameters, element_bytes, copies: parameters * element_bytes * (copies - 1), "each of the others"),
            (lambda **c: 8 * data_bytes(**c), "in bits"),
            (lambda **c: 1, "too small"),
        ],
    ),
    "tensor_bytes": (
        tensor_bytes,
        [
            (lambda **c: tensor_bytes(**(c | {"micro_batches": 1})), "every micro-batch"),
            (lambda **c: tensor_bytes(**(c | {"micro_batch": 1})), "several sequences"),
            (lambda **c: tensor_bytes(**(c | {"blocks": 1})), "one block"),
            (lambda **c: tensor_bytes(**c, all_reduces=2), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, twice=1), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, element_bytes=1, twice=1), "factor of 2 or 4 short"),
            (lambda **c: tensor_bytes(**c, all_reduces=8), "they are fewer than the linear"),
            (lambda **c: tensor_bytes(**c) / c["tensor"], "full size of the output"),
            (lambda **c: tensor_bytes(**c) * c["tensor"] / (c["tensor"] - 1), "of n parts it sends n − 1"),
            (lambda **c: 8 * tensor_bytes(**c), "in bits"),
        ],
    ),
    "gradient_bytes": (
        gradient_bytes,
        [
            (lambda **c: gradient_bytes(**(c | {"tensor": 1})), "of a whole model. How much"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, tensor, data * tensor), "Not among all NPUs"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, data, tensor), "other way round"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, tensor, tensor), "over the copies"),
            (lambda parameters, tensor, data: gradient_bytes(parameters, 1, tensor * data), "among all NPUs. How much"),
            (lambda **c: gradient_bytes(**c) / 2, "sends out and back"),
            (lambda **c: 2 * gradient_bytes(**c), "do you take 4 bytes"),
            (lambda parameters, tensor, data: 4 * parameters / tensor, "of n parts it sends n − 1"),
            (lambda **c: gradient_bytes(**c) / c["data"], "aren't divided among them"),
        ],
    ),
}
OTHERS = {
    "needed": (
        [
            lambda: RIGHT,
            lambda: {"dp": RIGHT["data"]} | {key: row for key, row in RIGHT.items() if key != "data"},
            lambda: RIGHT | {"pipeline": "none"},
            lambda: RIGHT | {"pipeline": []},
            lambda: table("pipeline", "forward", "none"),
            lambda: table("data", "weight gradient", "reduce-scatter + all-gather"),
            lambda: table("data", "weight gradient", ("Reduce Scatter", "allgather")),
        ],
        [
            (lambda: {**RIGHT, "data": {}}, "4 of 5 are right. data, weight gradient, where you have no collective"),
            (lambda: table("data", "forward", "all-gather"), "data, forward.* whose activations does it lack"),
            (lambda: table("data", "input gradient", "all-reduce"), "belongs to a sample"),
            (lambda: table("data", "weight gradient", "reduce-scatter"), "all of them have the sum"),
            (
                lambda: table("tensor", "forward", "all-gather"),
                "tensor, forward, where you have all-gather: .*summands",
            ),
            (lambda: table("tensor", "input gradient", ""), "one summand of the gradient"),
            (lambda: table("tensor", "weight gradient", "all-reduce"), "anything to add up"),
            (lambda: table("pipeline", "forward", "all-gather"), "one neighbour. Is that a collective"),
            (lambda: table("pipeline", "input gradient", "all-gather"), "one neighbour before it"),
            (lambda: table("pipeline", "weight gradient", "all-reduce"), "on one stage"),
            (lambda: table("ZeRO-3", "forward", ""), "to compute the layer"),
            (lambda: table("ZeRO-3", "input gradient", ""), "were dropped again"),
            (lambda: table("ZeRO-3", "weight gradient", "all-reduce"), "how much does it need"),
            (lambda: table("DLRM", "forward", "all-gather"), "some tables' vectors for everyone's samples"),
            (lambda: table("DLRM", "input gradient", ""), "go back to the NPUs"),
            (lambda: table("DLRM", "weight gradient", ""), "has the small networks"),
            (lambda: {"data": RIGHT["data"]}, "Return a dict of dicts"),
            (lambda: None, "Does it end with `return`"),
            (lambda: RIGHT | {"model": {}}, "One of your strategies is 'model'"),
            (lambda: table("pipeline", "forward", "send"), "a send between two NPUs is no collective"),
            (lambda: table("pipeline", "forward", "point-to-point"), "is no collective. Does this phase have one"),
            (lambda: table("data", "bwd", "all-reduce"), "going back, a layer has two"),
            (lambda: table("data", "backward", "all-reduce"), "going back, a layer has two"),
            (lambda: table("data", "forward", "broadcast"), "Your collective for data, forward is 'broadcast'"),
        ],
    ),
    "order": (
        by_bytes,
        [
            (lambda tensor_bytes, data_bytes: by_bytes(data_bytes, tensor_bytes), "the larger of the two on the slow"),
            (lambda tensor_bytes, data_bytes: "tensor-first", "always the same"),
            (lambda tensor_bytes, data_bytes: "data-first", "always the same"),
            (lambda tensor_bytes, data_bytes: by_bytes(2 * tensor_bytes, data_bytes), r"Right in \d+ of 20 cases"),
            (lambda tensor_bytes, data_bytes: "tensors", "did you mean 'tensor-first'"),
        ],
    ),
}
QUESTIONS = NUMBERS | OTHERS
GUESSES = ("predicted_gib",)
