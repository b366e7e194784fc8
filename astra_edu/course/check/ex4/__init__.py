"""Checks for exercise 4, a new training loop: the student's own loop, and a workload in which its order matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.ex4.recorder import difference, plain_layers, record
from astra_edu.course.check.judge import judge
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import letters, named
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.formats import load_astra_sim, load_workload
from astra_edu.run.presets import preset
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform
from astra_edu.workload import LOOPS, Layer, Workload

PASSES = 20
UNDER_TEST = "YOUR_LOOP"
Times = Sequence[int]


@guess
def predicted_effect(answer: Answer, folder: str | Path) -> Verdict:
    """effect(): a guess whether the new order makes the tutorial's case "faster", "slower" or leaves it "the same"."""
    try:
        guess = named(call(answer, {}), ("faster", "slower", "same"), {"thesame": "same", "equal": "same"})
    except NoAnswerError as problem:
        return problem.verdict
    if guess is None:
        return Verdict(False, 'Answer with one of the words "faster", "slower" and "the same".')
    platform = load_astra_sim(network=f"{folder}/torus.json", system=f"{folder}/torus.txt")
    old, new = (
        simulate(load_workload(f"{folder}/{name}.txt"), platform, PASSES).total_ns for name in ("vanilla", "reorder")
    )
    truth = "same" if old == new else "faster" if new < old else "slower"
    if guess == truth:
        return guessed("Your guess comes true. Keep your reason in mind; it is asked for below.")
    return guessed("Your guess doesn't come true. Write the loop first; then find out why.")


@question
def backward_order(answer: Answer) -> Verdict:
    """backward_order(layers): the backward pass's computations as a list such as ["IG3", "WG3", ...]."""
    for layers in (4, 2, 3):
        try:
            given = call(answer, {"layers": layers})
        except NoAnswerError as problem:
            return problem.verdict
        if wrong := _wrong_order(given, layers):
            return Verdict(False, wrong)
    return Verdict(True, "Right: one swap in each layer, and layer 0 has no input gradient to compute.")


def _wrong_order(given: object, layers: int) -> str:
    """What is wrong with the order for so many layers; empty if it is right."""
    if not isinstance(given, (list, tuple)):
        return f'For layers = {layers} you return {given!r}; return a list such as ["FWD0", "FWD1"].'
    words, wanted = [letters(word).upper() for word in given], _order(range(layers)[::-1])
    if words == wanted:
        return ""
    for message, mistaken in _WRONG_ORDERS.items():
        if words == mistaken(layers):
            return message
    if len(words) != len(wanted):
        return f"For layers = {layers} you return {len(words)} entries; {len(wanted)} are expected."
    right = sum(a == b for a, b in zip(words, wanted, strict=True))
    return f"For layers = {layers}, {right} of your {len(words)} entries stand in the right place."


def _order(layers: Sequence[int], kinds: Sequence[str] = ("IG", "WG"), left_out: str = "IG0") -> list[str]:
    """The kinds of each layer, one layer after the other; nobody needs a gradient of the training data, IG0."""
    return [f"{kind}{layer}" for layer in layers for kind in kinds if f"{kind}{layer}" != left_out]


_WRONG_ORDERS: dict[str, Callable[[int], list[str]]] = {
    "You keep the tutorial's own order: a layer's weight gradient before its input gradient.": (
        lambda n: _order(range(n)[::-1], ("WG", "IG"))
    ),
    "Nearly: layer 0's input is the training data, which nobody needs a gradient of.": (
        lambda n: _order(range(n)[::-1], left_out="")
    ),
    "A gradient comes from the end of the network: with which layer does the backward pass begin?": (
        lambda n: _order(range(n))
    ),
    "Each layer's weight gradient belongs right after its own input gradient, not after all of them.": (
        lambda n: _order(range(n)[::-1], ("IG",)) + _order(range(n)[::-1], ("WG",))
    ),
}


@question
def slack_ns(answer: Answer) -> Verdict:
    """slack_ns(layer, forward, input_gradient, weight_gradient, weight_first): compute while the collective may run."""

    def slack(
        layer: int, forward: Times, input_gradient: Times, weight_gradient: Times, weight_first: bool, lowest: int = 1
    ) -> float:
        own = input_gradient[layer] if weight_first and layer else 0
        return own + sum(forward[:layer]) + sum(input_gradient[lowest:layer]) + sum(weight_gradient[:layer])

    times = {
        "forward": [13, 5, 7, 11],
        "input_gradient": [101, 103, 107, 109],
        "weight_gradient": [1009, 1013, 997, 991],
    }
    without_forward = {**times, "forward": [0] * 4}
    return judge(
        answer,
        slack,
        [{"layer": layer, **times, "weight_first": first} for layer in (0, 1, 2, 3) for first in (True, False)],
        [
            Mistake(
                lambda **c: slack(**(c | {"weight_first": False})),
                "Right if the input gradient comes first. What is computed in between if the weight gradient does?",
            ),
            Mistake(
                lambda **c: slack(**(c | {"weight_first": True})),
                "Right if the weight gradient comes first. If it comes second, is its input gradient still to come?",
            ),
            Mistake(
                lambda **c: slack(**(c | {"weight_first": not c["weight_first"]})),
                "The two orders are the wrong way round: which of them asks for the all-reduce earlier?",
            ),
            Mistake(
                lambda **c: slack(**(c | without_forward)),
                "The rest of the backward pass is there. What else is computed before the layer's own forward pass?",
            ),
            Mistake(
                lambda **c: slack(**c, lowest=0) if c["layer"] else slack(**c),
                "Nearly: layer 0 has no input gradient to compute.",
            ),
            Mistake(
                lambda **c: slack(**c, lowest=0), "Nearly: layer 0 has no input gradient to compute, whoever asks."
            ),
            Mistake(
                lambda **c: slack(**c) + c["weight_gradient"][c["layer"]],
                "The all-reduce can begin only when the layer's own weight gradient has been computed.",
            ),
            Mistake(
                lambda **c: slack(**c) + c["forward"][c["layer"]],
                "The layer's own forward pass needs the new weights: it is what waits.",
            ),
        ],
        "Right: the later a layer comes in the network, the more time its all-reduce has. Layer 0 has none.",
        unit="ns",
    )


@question
def my_loop(answer: Any) -> Verdict:
    """my_loop(npu): data parallel with the input gradient first, as a generator; compared with DATA_REORDER."""
    for layers, passes in ((3, 2), (2, 1), (4, 3)):
        try:
            given = call(partial(record, answer, layers, passes), {})
        except NoAnswerError as problem:
            return problem.verdict
        if isinstance(given, str):
            return Verdict(False, given)
        if given != record(LOOPS["DATA_REORDER"], layers, passes) and not _same_times(answer, layers, passes):
            where = f"With {layers} layers and {passes} pass{'es' if passes > 1 else ''}: "
            return Verdict(False, where + difference(given, layers, passes))
    return Verdict(True, "Right: on several networks it computes, asks and waits exactly when it should.")


@question
def my_case(answer: Answer) -> Verdict:
    """my_case(): a workload, or (workload, platform), for which the two orders take different times."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    workload, platform = given if isinstance(given, tuple) and len(given) == 2 else (given, preset("torus"))
    if not isinstance(workload, Workload) or not isinstance(platform, Platform):
        return Verdict(False, "Return a workload, such as ae.load_workload(...) gives, or (workload, platform).")
    try:
        old, new = (_run(loop, workload.layers, platform) for loop in ("DATA", "DATA_REORDER"))
    except ConfigError as error:
        return Verdict(False, str(error))
    if len(workload.layers) < 2:
        return Verdict(
            False,
            "With a single layer, the reordered loop computes an input gradient that the other one leaves out; that "
            "is a difference in work, not in order. Take two layers or more.",
        )
    if old.total_ns == new.total_ns:
        reason = (
            f"they wait for the same collectives for as long, {old.exposed_ns / 1000:,.3f} µs"
            if old.exposed_ns
            else "all their collectives are over in time"
        )
        return Verdict(False, f"Here both orders take {old.total_ns / 1000:,.3f} µs for {PASSES} passes: {reason}.")
    if abs(old.total_ns - new.total_ns) < 1e-3 * old.total_ns:
        return Verdict(False, "Here the orders differ by less than 0.1 %. Find a case where it is more.")
    winner = "the input gradient" if new.total_ns < old.total_ns else "the weight gradient"
    ratio = max(old.total_ns, new.total_ns) / min(old.total_ns, new.total_ns) - 1
    return Verdict(True, f"Here the order matters: computing {winner} first is faster by {ratio:.2%}. Why is that?")


def _run(loop: str, layers: tuple[Layer, ...], platform: Platform) -> Result:
    return simulate(Workload(loop, layers), platform, PASSES)


def _same_times(loop: Any, layers: int, passes: int) -> bool:
    """Whether the loop's timeline is that of DATA_REORDER, when collectives are short and when they are long."""
    LOOPS[UNDER_TEST] = loop
    try:
        for size in (2**10, 2**22):
            own, right = (
                simulate(Workload(name, plain_layers(layers, size)), preset("torus"), passes)
                for name in (UNDER_TEST, "DATA_REORDER")
            )
            if own.total_ns != right.total_ns or own.timeline != right.timeline:
                return False
    except Exception:
        return False
    finally:
        del LOOPS[UNDER_TEST]
    return True
