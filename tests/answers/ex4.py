"""Right and wrong answers of exercise 4."""

from functools import partial
from pathlib import Path

import astra_edu as ae
from astra_edu.course.check.ex4.recorder import plain_layers
from astra_edu.workload.loops import data, data_reorder, model

INPUTS = Path(__file__).parents[2] / "exercises" / "inputs" / "asplos2022" / "ex4"


def backward(layers, kinds=("IG", "WG"), lowest=("IG", 0), up=False):
    order = range(layers) if up else reversed(range(layers))
    return [f"{kind}{layer}" for layer in order for kind in kinds if (kind, layer) != lowest]


def slack(layer, forward, input_gradient, weight_gradient, weight_first, lowest=1):
    own = input_gradient[layer] if weight_first and layer else 0
    return own + sum(weight_gradient[:layer]) + sum(input_gradient[lowest:layer]) + sum(forward[:layer])


# The loop of exercise 4.


def loop(npu, passes=None, wait=True, wait_after=False, first=0, down=True, issue="after", cycles=1, task="weight"):
    """The right loop, and what can be wrong about it."""
    for _ in range(passes or npu.passes):
        for layer in npu.layers:
            if wait:
                yield from npu.wait(layer.weight_gradient)
            yield from npu.compute(layer.forward)
            if wait_after:
                yield from npu.wait(layer.weight_gradient)
            for _ in range(cycles):
                yield npu.cycle()
        for layer in reversed(npu.layers) if down else npu.layers:
            sent = layer.weight_gradient if task == "weight" else layer.forward
            if issue == "before":
                npu.issue(sent)
            if layer.index > first:
                yield from npu.compute(layer.input_gradient)
                yield npu.cycle()
            yield from npu.compute(layer.weight_gradient)
            if issue == "late":
                yield npu.cycle()
            if issue in ("after", "late"):
                npu.issue(sent)
            if issue == "blocking":
                yield from npu.communicate(sent)
            if issue != "late":
                yield npu.cycle()


def yields_the_generator(npu):
    yield npu.compute(npu.layers[0].forward)


def never_runs_it(npu):
    npu.compute(npu.layers[0].forward)
    yield npu.cycle()


def never_yields_the_cycle(npu):
    yield from npu.compute(npu.layers[0].forward)
    npu.cycle()


def takes_a_layer(npu):
    yield from npu.compute(npu.layers[0])


def never_ends(npu):
    while True:
        yield npu.cycle()


def never_yields_and_never_ends(npu):
    while True:
        npu.cycle()
    yield


def yields_nothing_and_never_ends(npu):
    while True:
        yield


def yields_from_issue(npu):
    yield from npu.issue(npu.layers[0].weight_gradient)


def yields_issue(npu):
    yield npu.issue(npu.layers[0].weight_gradient)


def yields_a_number(npu):
    yield 3


def asks_for_what_there_is_not(npu):
    yield from npu.send(npu.layers[0])


def only_forward(npu):
    for layer in npu.layers:
        yield from npu.compute(layer.forward)
        yield npu.cycle()


LOOPS = [
    (data, "the tutorial's own order"),
    (model, "input gradient of layer 0"),
    (partial(loop, passes=1), "1 pass of 2"),
    (partial(loop, passes=3), "more often than it should"),
    (partial(loop, wait=False), "nothing waits for an all-reduce"),
    (partial(loop, wait=False, wait_after=True), "after its forward pass"),
    (partial(loop, first=-1), "input gradient of layer 0"),
    (partial(loop, first=9), "never computes the input gradient of layer"),
    (partial(loop, down=False), "something else is due there"),
    (partial(loop, issue="never"), "never asks for an all-reduce"),
    (partial(loop, issue="before"), "before there is a gradient"),
    (partial(loop, issue="late"), "not in the right order"),
    (partial(loop, issue="blocking"), "nothing can overlap"),
    (partial(loop, task="forward"), "shares weight gradients only"),
    (partial(loop, cycles=0), "too few cycles"),
    (partial(loop, cycles=2), "too many cycles"),
    (yields_the_generator, "not `yield`"),
    (never_runs_it, r"yield from npu.compute\(...\)"),
    (never_yields_the_cycle, r"yield npu.cycle\(\)"),
    (takes_a_layer, "layer.forward"),
    (never_ends, "doesn't end"),
    (never_yields_and_never_ends, "doesn't end"),
    (yields_nothing_and_never_ends, "doesn't end"),
    (yields_from_issue, "issue takes no time: call it without yield"),
    (yields_issue, "issue takes no time: call it without yield"),
    (yields_a_number, "yields 3"),
    (asks_for_what_there_is_not, "AttributeError"),
    (only_forward, "never computes the input gradient"),
    (lambda npu: None, "has to be a generator"),
    (lambda: None, "TypeError"),
    (None, "TypeError"),
]


# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "slack_ns": (
        slack,
        [
            (lambda **c: slack(**(c | {"weight_first": False})), "if the input gradient comes first"),
            (lambda **c: slack(**(c | {"weight_first": True})), "if the weight gradient comes first"),
            (lambda **c: slack(**(c | {"weight_first": not c["weight_first"]})), "wrong way round"),
            (lambda **c: slack(**(c | {"forward": [0] * 4})), "before the layer's own forward pass"),
            (lambda **c: slack(**c, lowest=0), "layer 0 has no input gradient"),
            (lambda **c: slack(**c) + c["weight_gradient"][c["layer"]], "can begin only when"),
            (lambda **c: slack(**c) + c["forward"][c["layer"]], "it is what waits"),
        ],
    ),
    "backward_order": (
        lambda layers: [word.lower() for word in backward(layers)],
        [
            (lambda layers: backward(layers, ("WG", "IG")), "own order"),
            (lambda layers: backward(layers, lowest=None), "training data"),
            (lambda layers: backward(layers, up=True), "the end of the network"),
            (lambda layers: [*backward(layers, ("IG",)), *backward(layers, ("WG",))], "right after its own"),
            (lambda layers: backward(4), "For layers = 2 you return 7 entries; 3 are expected"),
            (lambda layers: backward(layers)[::-1], "For layers = 4, 1 of your 7 entries"),
            (lambda layers: "IG", "return a list"),
        ],
    ),
    "my_case": (
        lambda: ae.load_workload(INPUTS / "vanilla.txt", comm_scale=32),
        [
            (lambda: ae.load_workload(INPUTS / "vanilla.txt"), "for as long, 82.2"),
            (lambda: ae.Workload.micro("all-reduce", 2**20), "two layers or more"),
            (lambda: 32, "Return a workload"),
            (lambda: (1, 2), "Return a workload"),
            (lambda: ae.Workload("DATA", plain_layers(2, size=1)), "can't be cut"),
        ],
    ),
    "my_loop": ([loop, data_reorder], LOOPS),
}
GUESSES = ("predicted_effect",)
GIVEN = {"predicted_effect": {"folder": INPUTS}}
