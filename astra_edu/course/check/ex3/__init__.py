"""Checks for exercise 3, comparing systems: VGG-16 and GPT-3 on DGX-2 and TPU pods.

Those that simulate take the folder with the tutorial's input files, so that these are what they judge by.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from astra_edu.course.check.asked import Answer, call, listed, number
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import PHASES, named
from astra_edu.course.check.units import of_the_network
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.formats import load_astra_sim, load_workload
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate

COMPUTE_SCALE = {"DGX-2": 0.41, "TPU": 1.0}
WORKLOADS = {"VGG-16": "vgg16", "GPT-3": "gpt3"}
KINDS = ("forward", "input gradient", "weight gradient")


@guess
def predicted_winners(answer: Answer, folder: str | Path) -> Verdict:
    """winners(): a guess, for each of the two workloads, at the system that finishes it first."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    pairs = given.items() if isinstance(given, dict) else []
    said = {named(work, WORKLOADS): named(system, COMPUTE_SCALE) for work, system in pairs}
    guess = {work: said.get(work) or "" for work in WORKLOADS}
    if not all(guess.values()):
        return Verdict(False, 'Name a system, "DGX-2" or "TPU", for each workload: {"VGG-16": ..., "GPT-3": ...}.')
    right = sum(guess[work] == _winner(work, str(folder)) for work in WORKLOADS)
    lessons = {
        2: "Both of your guesses come true. Were your reasons right, too?",
        1: "One of your two guesses comes true. Find out which, and why the other doesn't.",
        0: "Neither of your guesses comes true: a good start for finding out why.",
    }
    return guessed(lessons[right])


@question
def conv_ns(answer: Answer) -> Verdict:
    """conv_ns(pixels, inputs, filters, tera): compute time in ns of a convolution's forward pass."""

    def time(pixels: int, inputs: int, filters: int, tera: float, operations: int = 2, unit: float = 2**40) -> float:
        return operations * pixels * inputs * filters / (tera * unit) * 1e9

    return judge(
        answer,
        time,
        [
            {"pixels": pixels, "inputs": inputs, "filters": filters, "tera": tera}
            for pixels, inputs, filters, tera in (
                (224 * 224, 27, 64, 46),
                (112 * 112, 576, 128, 46),
                (56 * 56, 1152, 256, 92),
                (1, 25088, 4096, 46),
            )
        ],
        [
            Mistake(
                lambda **c: time(**c, operations=1),
                "A multiplication and an addition are two operations; you count them as one.",
            ),
            Mistake(
                lambda **c: time(**c, unit=1e12),
                "You took 10¹² for tera. The slide divides by 2⁴⁰ operations a second for each.",
            ),
            Mistake(lambda **c: 3 * time(**c), "That is all three passes; the forward pass alone is asked for."),
            Mistake(
                lambda pixels, inputs, filters, tera: 2 * pixels * inputs * filters,
                "Those are the operations; how long do they take?",
            ),
            Mistake(
                lambda pixels, inputs, filters, tera: time(1, inputs, filters, tera),
                "That is one pixel of the output; the filters are applied at each.",
            ),
        ],
        "Right: operations over operations a second. A fully connected layer is the same with one pixel.",
        tolerance=2e-4,  # a result in whole ns is as good
        unit="ns",
    )


@question
def weight_bytes(answer: Answer) -> Verdict:
    """weight_bytes(inputs, filters): bytes of a convolution's weights, which are all-reduced."""
    return judge(
        answer,
        lambda inputs, filters: (inputs + 1) * filters * 2,
        [{"inputs": i, "filters": f} for i, f in ((27, 64), (576, 128), (25088, 4096))],
        [
            Mistake(lambda inputs, filters: inputs * filters * 2, "Nearly: each filter has a bias as well."),
            Mistake(lambda inputs, filters: inputs * filters, "Those are weights without biases, and not yet bytes."),
            Mistake(lambda inputs, filters: (inputs + 1) * filters, "That is how many numbers; how many bytes?"),
            Mistake(
                lambda inputs, filters: (inputs + 1) * filters * 4,
                "That is for numbers of 32 bits; the slide has them in 16.",
            ),
            Mistake(lambda inputs, filters: inputs * filters * 4, "Numbers of 16 bits are asked for, and biases."),
            Mistake(lambda inputs, filters: (inputs + 1) * filters * 16, "That is in bits; a byte has 8 of them."),
            Mistake(lambda inputs, filters: inputs * filters * 16, "That is in bits, and without the biases."),
            Mistake(
                lambda inputs, filters: inputs * (filters + 1) * 2,
                "A bias belongs to each filter; you have one for each input.",
            ),
        ],
        "Right: what a layer sends depends on its weights alone, what it computes on its pixels, too.",
        unit="bytes",
    )


@question
def carry_us(answer: Answer) -> Verdict:
    """carry_us(sent_mib, links, bandwidth): the least time in µs in which an NPU can send so much."""

    def time(sent_mib: float, links: int, bandwidth: float) -> float:
        return sent_mib / 1024 / (links * bandwidth) * 1e6

    return judge(
        answer,
        time,
        [
            {"sent_mib": mib, "links": links, "bandwidth": bandwidth}
            for mib, links, bandwidth in ((1024, 6, 25), (30, 1, 6.25), (512, 2, 62), (64, 4, 100))
        ],
        [
            *of_the_network(time),
            Mistake(lambda **c: time(**(c | {"links": 1})), "That is over one link; an NPU sends on all of them."),
            Mistake(
                lambda **c: 8 * time(**c),
                "You count bits against a bandwidth in bytes: the B of GB/s stands for bytes.",
            ),
            Mistake(lambda **c: time(**c) / 8, "You count 8 times the bandwidth: MiB and GB/s are both in bytes."),
            Mistake(lambda **c: 2 * time(**c), "Twice too long: a link sends and receives at once."),
        ],
        "Right: bytes over bandwidth. No schedule can be faster than its slowest dimension.",
        tolerance=1e-6,
        unit="µs",
    )


@guess
def predicted_total(answer: Answer, folder: str | Path) -> Verdict:
    """A guess, in µs: VGG-16 on DGX-2 when the network between the machines has twice the bandwidth."""
    return prediction(
        answer,
        run("VGG-16", "DGX-2", folder, faster=1).total_ns / 1000,
        "µs",
        "That dimension needs half the time now. Is it still the one that holds the run up?",
    )


@question
def hidden(answer: Answer, folder: str | Path) -> Verdict:
    """hidden(): which of GPT-3's three kinds of collectives run mostly while the NPU computes."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    all_given = [given] if isinstance(given, str) else list(given) if isinstance(given, set) else listed(given)
    names = {named(name, KINDS, PHASES) for name in all_given or [None]}
    if None in names or not names:
        return Verdict(False, f"Give a list with one or more of these names: {', '.join(KINDS)}.")
    table = run("GPT-3", "DGX-2", folder).layers
    right = {k for k in KINDS if table[f"{k} exposed"].sum() < table[f"{k} communication"].sum() / 2}
    if names == right:
        return Verdict(True, "Right: it is the only one that nothing in the same pass waits for.")
    if names > right:
        return Verdict(
            False, "Not all of those: for at least one of them the loop waits as soon as it has asked for it."
        )
    return Verdict(
        False,
        "The loop waits for what you name as soon as it has asked for it. Compare the columns for communication and "
        "for exposed communication.",
    )


@question
def enough_images(answer: Answer, folder: str | Path) -> Verdict:
    """enough_images(): the smallest number of images an NPU with which DGX-2 is faster than the TPUs."""
    try:
        given = number(call(answer, {}), {})
    except NoAnswerError as problem:
        return problem.verdict
    if given < 1 or given != int(given):
        return Verdict(False, f"{given:g} isn't a number of images: give a whole number, 1 or more.")
    images = int(given)
    if images > 10_000:
        return Verdict(False, f"{images:,} images won't fit into an NPU's memory; it takes far fewer.")
    if not _dgx2_wins(images, folder):
        return Verdict(False, f"With {images} an NPU, the TPUs are still faster.")
    if images > 1 and _dgx2_wins(images - 1, folder):
        return Verdict(False, f"With {images} an NPU, DGX-2 is faster, but so it is with fewer.")
    return Verdict(
        True, "Right: the all-reduces stay as they are, the compute grows, and with it what they can hide behind."
    )


def run(work: str, system: str, folder: str | Path, images: int = 1, faster: int | None = None) -> Result:
    """One training step of "VGG-16" or "GPT-3" on "DGX-2" or "TPU". faster: a dimension with doubled bandwidth."""
    name = system.lower().replace("-", "")
    platform = load_astra_sim(network=f"{folder}/{name}.json", system=f"{folder}/{name}.txt")
    if faster is not None:
        network = list(platform.network)
        network[faster] = replace(network[faster], bandwidth=2 * network[faster].bandwidth)
        platform = replace(platform, network=tuple(network))
    scale = COMPUTE_SCALE[system] * images
    result: Result = simulate(load_workload(f"{folder}/{WORKLOADS[work]}.txt", compute_scale=scale), platform)
    return result


@cache
def _winner(work: str, folder: str) -> str:
    return min(COMPUTE_SCALE, key=lambda system: run(work, system, folder).total_ns)


def _dgx2_wins(images: int, folder: str | Path) -> bool:
    dgx2, tpu = (run("VGG-16", system, folder, images).total_ns for system in COMPUTE_SCALE)
    return dgx2 < tpu
