"""The checks of exercises 3 to 6: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import math
import re
from dataclasses import replace
from functools import partial
from math import prod, sqrt
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.check import ex3, ex4, ex5, ex6
from astra_edu.course.check.ex4.recorder import plain_layers
from astra_edu.workload.loops import data, data_reorder, model

INPUTS = Path(__file__).parent.parent / "exercises" / "inputs"
EX3, EX4 = INPUTS / "asplos2022" / "ex3", INPUTS / "asplos2022" / "ex4"


def conv(pixels, inputs, filters, tera, operations=2, unit=2**40):
    return operations * pixels * inputs * filters / (tera * unit) * 1e9


def carry(sent_mib, links, bandwidth):
    return sent_mib / 1024 / (links * bandwidth) * 1e6


def backward(layers, kinds=("IG", "WG"), lowest=("IG", 0), up=False):
    order = range(layers) if up else reversed(range(layers))
    return [f"{kind}{layer}" for layer in order for kind in kinds if (kind, layer) != lowest]


def slack(layer, forward, input_gradient, weight_gradient, weight_first, lowest=1):
    own = input_gradient[layer] if weight_first and layer else 0
    return own + sum(weight_gradient[:layer]) + sum(input_gradient[lowest:layer]) + sum(forward[:layer])


def volume(size_mib, npus, dimension, phases=2):
    return phases * size_mib / prod(npus[:dimension]) * (npus[dimension] - 1) / npus[dimension]


def times(volumes_mib, bandwidths):
    return [mib / 1024 / gb_s * 1e6 for mib, gb_s in zip(volumes_mib, bandwidths, strict=True)]


def walked(loads, order, chunk_mib, npus, bandwidths, phases=1, shrink=True, kept=1):
    for d in order:
        loads[d] += phases * chunk_mib * (npus[d] - kept) / npus[d] / bandwidths[d]
        chunk_mib /= npus[d] if shrink else 1
    return loads


def line(size_a, time_a, size_b, time_b):
    slope = (time_b - time_a) / (size_b - size_a)
    return time_a - slope * size_a, slope


def cross(floor_a, slope_a, floor_b, slope_b):
    return (floor_b - floor_a) / (slope_a - slope_b)


def share(sent_mib, time_us, bandwidth):
    return sent_mib / 1024 / bandwidth / time_us * 1e6


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "conv_ns": (
        ex3.conv_ns,
        lambda **c: round(conv(**c)),
        [
            (lambda **c: conv(**c, operations=1), "two operations"),
            (lambda **c: conv(**c, unit=1e12), "10¹²"),
            (lambda **c: conv(**c) / 1e9, "in seconds"),
            (lambda **c: conv(**c) / 1e3, "in µs"),
            (lambda **c: 3 * conv(**c), "three passes"),
            (lambda pixels, inputs, filters, tera: 2 * pixels * inputs * filters, "how long do they take"),
            (lambda **c: conv(**(c | {"pixels": 1})), "one pixel"),
            (lambda **c: 3429, "right in 1 of the 4"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "weight_bytes": (
        ex3.weight_bytes,
        lambda inputs, filters: 2 * (inputs + 1) * filters,
        [
            (lambda inputs, filters: 2 * inputs * filters, "each filter has a bias"),
            (lambda inputs, filters: inputs * filters, "not yet bytes"),
            (lambda inputs, filters: (inputs + 1) * filters, "how many bytes"),
            (lambda inputs, filters: 4 * (inputs + 1) * filters, "in 16"),
            (lambda inputs, filters: 4 * inputs * filters, "and biases"),
            (lambda inputs, filters: 2 * inputs * (filters + 1), "one for each input"),
            (lambda inputs, filters: 16 * (inputs + 1) * filters, "in bits; a byte"),
            (lambda inputs, filters: 16 * inputs * filters, "in bits, and without"),
        ],
    ),
    "carry_us": (
        ex3.carry_us,
        carry,
        [
            (lambda **c: carry(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: carry(**(c | {"links": 1})), "over one link"),
            (lambda **c: carry(**c) / 1e3, "in ms"),
            (lambda **c: carry(**c) * 1e3, "in ns"),
            (lambda **c: carry(**c) / 1e6, "in seconds"),
            (lambda **c: 1.024 * carry(**c), "1024 MiB"),
            (lambda **c: 2 * carry(**c), "Twice too long"),
            (lambda **c: 8 * carry(**c), "You count bits"),
            (lambda **c: carry(**c) / 8, "8 times the bandwidth"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "slack_ns": (
        ex4.slack_ns,
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
    "volume_mib": (
        ex5.volume_mib,
        volume,
        [
            (lambda **c: volume(**c, phases=1), "comes back down"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus[dimension:], 0), "on its own"),
            (lambda size_mib, npus, dimension: 2 * size_mib / prod(npus[:dimension]), "its own share"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus, dimension) / npus[dimension], "too often"),
            (lambda size_mib, npus, dimension: volume(size_mib, npus[::-1], len(npus) - 1 - dimension), "the last"),
        ],
    ),
    "baseline_us": (
        ex5.baseline_us,
        lambda **c: max(times(**c)),
        [
            (lambda **c: sum(times(**c)), "at the same time"),
            (lambda **c: max(times(**c)) * 2**30 / 1e9, "2³⁰"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6, "fixed share"),
            (lambda **c: times(**c)[0], "always dimension 0"),
        ],
    ),
    "bound_us": (
        ex5.bound_us,
        lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e6,
        [
            (lambda **c: max(times(**c)), "fixed shares"),
            (lambda **c: sum(times(**c)), "one dimension after the other"),
            (lambda **c: sum(times(**c)) / len(times(**c)), "The mean"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / max(bandwidths) * 1e6, "one dimension alone"),
            (lambda volumes_mib, bandwidths: sum(volumes_mib) / 1024 / sum(bandwidths) * 1e3, "in ms"),
        ],
    ),
    "booked": (
        ex5.booked,
        walked,
        [
            (lambda **c: walked(**(c | {"order": sorted(c["order"])})), "order in which it walks"),
            (lambda **c: walked(**c, shrink=False), "whole everywhere"),
            (lambda **c: walked(**c, phases=2), "way back"),
            (lambda **c: walked(**(c | {"loads": [0, 0, 0]})), "is lost"),
            (lambda **c: walked(**(c | {"bandwidths": [1, 1, 1]})), "divide by the dimension's bandwidth"),
            (lambda **c: walked(**c, kept=0), "sends n − 1"),
            (lambda **c: c["loads"], "stay as they were"),
            (lambda **c: 3, "a list of 3 loads"),
            (lambda **c: [3], "a list of 3 loads"),
        ],
    ),
    "fit": (
        ex6.fit,
        line,
        [
            (lambda **c: line(**c)[::-1], "floor first"),
            (lambda **c: (line(**c)[0], c["time_b"] / c["size_b"]), "differences of times"),
            (lambda **c: (c["time_a"], c["time_b"] / c["size_b"]), "take differences"),
            (lambda **c: (c["time_a"], line(**c)[1]), "what if it had none"),
            (lambda **c: (line(**c)[0], 1 / line(**c)[1]), "a bandwidth"),
            (lambda **c: line(**c)[1], "two numbers"),
        ],
    ),
    "crossover_mib": (
        ex6.crossover_mib,
        cross,
        [
            (lambda **c: -cross(**c), "below 0"),
            (lambda **c: 1 / cross(**c), "Upside down"),
            (lambda floor_a, slope_a, floor_b, slope_b: (floor_b - floor_a) / (slope_a + slope_b), "Both times grow"),
            (lambda floor_a, slope_a, floor_b, slope_b: (floor_a + floor_b) / (slope_a + slope_b), "are equal"),
            (lambda floor_a, slope_a, floor_b, slope_b: floor_a / slope_a, "two lines are compared"),
        ],
    ),
    "best_splits": (
        ex6.best_splits,
        lambda per_chunk_us, per_fill_us: sqrt(per_fill_us / per_chunk_us),
        [
            (lambda per_chunk_us, per_fill_us: per_fill_us / per_chunk_us, "two numbers around yours"),
            (lambda per_chunk_us, per_fill_us: sqrt(per_chunk_us / per_fill_us), "Upside down"),
            (lambda per_chunk_us, per_fill_us: sqrt(per_fill_us * per_chunk_us), "Check the units"),
            (lambda per_chunk_us, per_fill_us: 2 * sqrt(per_fill_us * per_chunk_us), "the time at the minimum"),
        ],
    ),
    "used": (
        ex6.used,
        share,
        [
            (lambda **c: share(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: share(**c) / 1e6, "per second"),
            (lambda **c: 100 * share(**c), "per cent"),
            (lambda **c: 1 / share(**c), "Upside down"),
            (lambda **c: share(**c) * c["bandwidth"], "which share"),
        ],
    ),
}

# The same for answers that aren't numbers, or not of a function of numbers.
OTHERS = {
    "backward_order": (
        ex4.backward_order,
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
    "hidden": (
        partial(ex3.hidden, folder=EX3),
        lambda: ["weight gradient"],
        [
            (lambda: ["forward"], "as soon as it has asked for it"),
            (lambda: ["weight gradient", "input gradient"], "Not all of those"),
            (lambda: [], "Give a list"),
            (lambda: ["backward"], "Give a list"),
        ],
    ),
    "enough_images": (
        partial(ex3.enough_images, folder=EX3),
        lambda: 3,
        [
            (lambda: 2, "TPUs are still faster"),
            (lambda: 8, "with fewer"),
            (lambda: 2.5, "whole number"),
            (lambda: 0, "whole number"),
            (lambda: 1e6, "memory"),
        ],
    ),
    "my_case": (
        ex4.my_case,
        lambda: ae.load_workload(EX4 / "vanilla.txt", comm_scale=32),
        [
            (lambda: ae.load_workload(EX4 / "vanilla.txt"), "over in time"),
            (lambda: ae.Workload.micro("all-reduce", 2**20), "two layers or more"),
            (lambda: 32, "Return a workload"),
            (lambda: (1, 2), "Return a workload"),
            (lambda: ae.Workload("DATA", plain_layers(2, size=1)), "can't be cut"),
        ],
    ),
    "first_orders": (
        ex5.first_orders,
        lambda: [[0, 1, 2], [2, 1, 0], [1, 0, 2]],
        [
            (lambda: [[0, 1, 2]] * 3, "That is the baseline"),
            (lambda: [[2, 1, 0], [0, 1, 2], [1, 0, 2]], "equal loads"),
            (lambda: [[0, 1, 2], [0, 1, 2], [2, 1, 0]], "Chunk 1 begins on the dimension with the most"),
            (lambda: [[0, 1, 2], [1, 2, 0], [2, 1, 0]], "Chunk 1 doesn't go"),
            (lambda: [[0, 1, 2], [2, 1, 0], [2, 1, 0]], "Chunk 2 doesn't go"),
            (lambda: [0, 1, 2], "three lists"),
            (lambda: [[0, 1, 1]] * 3, "three lists"),
        ],
    ),
    "believable": (
        ex6.believable,
        lambda: 3,
        [(lambda: 4, "more than their links"), (lambda: 1, "one more"), (lambda: 0, "whole number")],
    ),
}
CHECKS = NUMBERS | OTHERS
WRONG = [(name, wrong, words) for name, (_, _, all_wrong) in CHECKS.items() for wrong, words in all_wrong]
PREDICTIONS = {
    "predicted_winners_3": partial(ex3.predicted_winners, folder=EX3),
    "predicted_total": partial(ex3.predicted_total, folder=EX3),
    "predicted_effect": partial(ex4.predicted_effect, folder=EX4),
    "predicted_speedup": ex5.predicted_speedup,
    "helped": ex5.helped,
    "predicted_winners_6": ex6.predicted_winners,
    "predicted_splits": ex6.predicted_splits,
}


@pytest.mark.parametrize("name", CHECKS)
def test_the_right_answer(name):
    check, right, _ = CHECKS[name]
    verdict = check(right)
    assert verdict.ok, verdict


@pytest.mark.parametrize(("name", "wrong", "words"), WRONG)
def test_wrong_answers_are_told_why(name, wrong, words):
    verdict = CHECKS[name][0](wrong)
    assert verdict.ok is False
    assert re.search(words, verdict.message), verdict


@pytest.mark.parametrize("name", CHECKS)
def test_at_least_three_mistakes_have_words_of_their_own(name):
    check, _, all_wrong = CHECKS[name]
    assert len({check(wrong).message for wrong, _ in all_wrong}) >= 3


@pytest.mark.parametrize("name", [*CHECKS, *PREDICTIONS])
def test_a_stub_is_not_answered_yet(name):
    def stub(*_, **__):
        raise NotImplementedError("How many?")

    check = PREDICTIONS.get(name) or CHECKS[name][0]
    verdict = check(stub)
    assert verdict.ok is None
    assert repr(verdict) == "… Not answered yet: How many?"


@pytest.mark.parametrize("name", [*CHECKS, *PREDICTIONS])
@pytest.mark.parametrize("value", [None, "many", math.nan, math.inf, [None], {"a": 1}, -1, object()])
def test_an_answer_that_is_none(name, value):
    check = PREDICTIONS.get(name) or CHECKS[name][0]
    assert check(lambda *_, **__: value).ok is False


@pytest.mark.parametrize("name", CHECKS)
def test_a_function_that_breaks_is_reported_with_its_error(name):
    verdict = CHECKS[name][0](lambda *_, **__: 1 // 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] in NUMBERS])
def test_no_right_value_is_given_away(name, wrong, words):
    """A number in a verdict is the question's own or the student's, never the answer to the case it names."""
    check, right, _ = NUMBERS[name]
    asked = []
    check(
        lambda **case: (
            asked.append({k: list(v) if isinstance(v, list) else v for k, v in case.items()}) or right(**case)
        )
    )
    message = check(wrong).message
    shown = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", message.replace(",", ""))}
    for case in asked:
        if all(f"{key} = {value}" in message for key, value in case.items()):
            own = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", str(case))}
            student = re.search(r"you have ([\d,.]*\d)", message)
            own |= {float(student[1].replace(",", ""))} if student else set()
            answer = right(**case)
            answers = set(map(float, answer)) if isinstance(answer, (list, tuple)) else {float(answer)}
            assert not answers & (shown - own)


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] in OTHERS])
def test_no_other_answer_is_given_away(name, wrong, words):
    message = CHECKS[name][0](wrong).message
    if name in ("enough_images", "believable"):
        assert str(CHECKS[name][1]()) not in re.findall(r"\d+", message)
    if name == "backward_order":
        assert "IG3" not in message
    if name == "first_orders":
        assert not re.search(r"\[?[012], ?[012], ?[012]\]?", message.replace("0, 1 and 2", ""))


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


@pytest.mark.parametrize("right", [loop, data_reorder])
def test_the_right_loop(right):
    assert ex4.my_loop(right).ok


def test_a_loop_that_also_waits_where_there_is_nothing_to_wait_for_is_right():
    assert ex4.my_loop(partial(loop, wait_after=True)).ok


@pytest.mark.parametrize(("wrong", "words"), LOOPS)
def test_wrong_loops_are_told_why(wrong, words):
    verdict = ex4.my_loop(wrong)
    assert verdict.ok is False
    assert re.search(words, verdict.message), verdict


def test_a_loop_is_judged_without_being_left_behind():
    before = dict(ae.LOOPS)
    ex4.my_loop(loop)
    ex4.my_loop(partial(loop, issue="late"))
    assert before == ae.LOOPS


def test_a_stub_of_a_loop_is_not_answered_yet():
    def stub(npu):
        raise NotImplementedError("What does the NPU do?")

    assert ex4.my_loop(stub).ok is None


# Predictions, and facts that the exercises' words rely on.


def test_predictions_are_answered_whatever_they_are():
    winners = PREDICTIONS["predicted_winners_3"]
    assert "Both" in winners(lambda: {"vgg16": "tpu", "GPT 3": "dgx2"}).message
    assert "One of your two" in winners(lambda: {"VGG-16": "DGX-2", "GPT-3": "DGX-2"}).message
    assert "Neither" in winners(lambda: {"VGG-16": "DGX-2", "GPT-3": "TPU"}).message
    assert "simulator says 3,990.97 µs" in PREDICTIONS["predicted_total"](lambda: 3000).message
    assert "comes true" in PREDICTIONS["predicted_effect"](lambda: "The same").message
    assert "doesn't come true" in PREDICTIONS["predicted_effect"](lambda: "faster").message
    assert "simulator says 2.56736 times" in ex5.predicted_speedup(lambda: 2).message
    assert "7 of your 7" in ex5.helped(lambda: ["b", "G"]).message
    assert "5 of your 7" in ex5.helped(lambda: []).message
    right = {"64 KiB": "fullyconnected", "4 MiB": "Switch", "256 MiB": "Ring"}
    assert "3 of your 3" in ex6.predicted_winners(lambda: right).message
    assert "1 of your 3" in ex6.predicted_winners(lambda: dict.fromkeys(right, "Ring")).message
    assert "0.0% longer" in ex6.predicted_splits(lambda: 8).message
    assert "27.4% longer" in ex6.predicted_splits(lambda: 64).message


def test_a_case_says_which_order_wins():
    vanilla = ae.load_workload(EX4 / "vanilla.txt", comm_scale=16)
    assert "weight gradient first is faster by 3.29%" in ex4.my_case(lambda: vanilla).message
    torus = ae.load_astra_sim(network=EX4 / "torus.json", system=EX4 / "torus.txt")
    assert "weight gradient first" in ex4.my_case(lambda: (replace(vanilla, loop="DATA_REORDER"), torus)).message


def test_the_torus_of_the_files_is_the_preset_that_a_case_runs_on():
    assert ae.load_astra_sim(network=EX4 / "torus.json", system=EX4 / "torus.txt") == ae.preset("torus")


MADE = {
    "predicted_winners_3": {"VGG-16": "DGX-2", "GPT-3": "TPU"},
    "predicted_total": 1,
    "predicted_effect": "faster",
    "predicted_speedup": 100,
    "helped": [],
    "predicted_winners_6": dict.fromkeys(ex6.SIZES, "Ring"),
    "predicted_splits": 1000,
}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_a_wrong_prediction_counts_as_made_and_isnt_ticked(name):
    verdict = PREDICTIONS[name](lambda: MADE[name])
    assert verdict.ok
    assert repr(verdict).startswith("→ ")


def test_a_prediction_in_another_unit_is_asked_for_its_unit():
    in_ms = PREDICTIONS["predicted_total"](lambda: 3.5).message
    assert "You said 3.5: is that in µs?" in in_ms
    assert "factor" not in in_ms
    assert "is that in" not in ex5.predicted_speedup(lambda: 2567).message
    assert "a factor 1,000 too high" in ex5.predicted_speedup(lambda: 2567).message


def test_a_speedup_below_0_is_no_time():
    verdict = ex5.predicted_speedup(lambda: -2)
    assert verdict.ok is False
    assert verdict.message == "Your guess is -2 times; guess a number above 0."
