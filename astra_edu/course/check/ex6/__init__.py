"""Checks for exercise 6, message size and chunks: latency and bandwidth, how many chunks, how many at once."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

from astra_edu.base.units import KIB, MIB
from astra_edu.course.check.asked import Answer, call, number, several
from astra_edu.course.check.judge import judge
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import named
from astra_edu.course.check.units import of_the_network
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.network import Dimension
from astra_edu.run.presets import preset
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload

NETWORKS = {
    "FullyConnected": Platform((Dimension.of("FullyConnected", 64, 0.4, 500),), SystemConfig.of("direct")),
    "Switch": Platform((Dimension.of("Switch", 64, 50, 500),), SystemConfig.of("halvingDoubling")),
    "Ring": Platform((Dimension.of("Ring", 64, 50, 500),), SystemConfig.of("ring")),
}
"""Three networks of 64 NPUs, each with the algorithm that suits it; 25, 50 and 100 GB/s for an NPU in all."""

SIZES = {"64 KiB": 64 * KIB, "4 MiB": 4 * MIB, "256 MiB": 256 * MIB}


def all_reduce(platform: Platform, size: int, **system: Any) -> Result:
    """An all-reduce of `size` bytes. system: fields of SystemConfig to replace, such as splits."""
    changed = replace(platform, system=replace(platform.system, **system))
    return simulate(Workload.micro("all-reduce", size), changed)


@guess
def predicted_winners(answer: Answer) -> Verdict:
    """winners(): a guess at the fastest of the three networks, for each of the three sizes."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    pairs = given.items() if isinstance(given, dict) else []
    names = {named(size, SIZES) or size: named(name, NETWORKS) or "" for size, name in pairs}
    if names.keys() != SIZES.keys() or not all(names.values()):
        return Verdict(False, f"Name one of {', '.join(NETWORKS)} for each of the sizes {', '.join(SIZES)}.")
    fastest = {s: min(NETWORKS, key=lambda n: all_reduce(NETWORKS[n], SIZES[s]).total_ns) for s in SIZES}
    right = sum(names[size] == fastest[size] for size in SIZES)
    return guessed(f"{right} of your 3 guesses come true. Run on and see which.")


@question
def fit(answer: Answer) -> Verdict:
    """fit(size_a, time_a, size_b, time_b) -> (floor, slope): the line through two points, in µs and µs/MiB."""

    def truth(size_a: float, time_a: float, size_b: float, time_b: float) -> tuple[float, float]:
        slope = (time_b - time_a) / (size_b - size_a)
        return time_a - slope * size_a, slope

    return judge(
        answer,
        truth,
        [
            {"size_a": a, "time_a": s, "size_b": b, "time_b": t}
            for a, s, b, t in ((1, 30, 3, 50), (2, 100, 66, 164), (4, 25, 1, 10))
        ],
        [
            Mistake(lambda **c: truth(**c)[::-1], "The two are there, but slope first; floor first."),
            Mistake(
                lambda **c: (truth(**c)[0], c["time_b"] / c["size_b"]),
                "The slope is what each MiB *more* takes: differences of times over differences of sizes.",
            ),
            Mistake(
                lambda **c: (c["time_a"], c["time_b"] / c["size_b"]),
                "The time of the smaller size isn't the floor, nor time over size the slope: take differences.",
            ),
            Mistake(
                lambda **c: (c["time_a"], truth(**c)[1]),
                "The slope is right. But the first point has some bytes to carry as well; what if it had none?",
            ),
            Mistake(
                lambda **c: (truth(**c)[0], 1 / truth(**c)[1]),
                "That is MiB per µs, a bandwidth; the slope is its inverse.",
            ),
        ],
        "Right: with floor and slope, you know the time of every size, if it is a line.",
        read=several(2, "two numbers: floor, slope"),
        parts=("Your floor", "Your slope"),
    )


@question
def crossover_mib(answer: Answer) -> Verdict:
    """crossover_mib(floor_a, slope_a, floor_b, slope_b): the size at which two lines cross."""

    def cross(floor_a: float, slope_a: float, floor_b: float, slope_b: float) -> float:
        return (floor_b - floor_a) / (slope_a - slope_b)

    return judge(
        answer,
        cross,
        [
            {"floor_a": a, "slope_a": s, "floor_b": b, "slope_b": t}
            for a, s, b, t in ((4, 80, 50, 40), (50, 38, 260, 19), (300, 2, 10, 12))
        ],
        [
            Mistake(lambda **c: -cross(**c), "A size below 0? The one with the higher floor needs the smaller slope."),
            Mistake(lambda **c: 1 / cross(**c), "Upside down: µs divided by µs per MiB are MiB."),
            Mistake(
                lambda floor_a, slope_a, floor_b, slope_b: (floor_b - floor_a) / (slope_a + slope_b),
                "Both times grow; it is the difference of the slopes that makes up for the floors.",
            ),
            Mistake(
                lambda floor_a, slope_a, floor_b, slope_b: (floor_a + floor_b) / (slope_a + slope_b),
                "At the crossover, both times are equal; write that down and solve it for the size.",
            ),
            Mistake(
                lambda floor_a, slope_a, floor_b, slope_b: floor_a / slope_a,
                "That is where one line's latency and bandwidth cost the same; two lines are compared here.",
            ),
        ],
        "Right: below it the lower floor wins, above it the smaller slope.",
        tolerance=5e-3,  # a result that is rounded is as good
        unit="MiB",
    )


@guess
def predicted_splits(answer: Answer) -> Verdict:
    """A guess: into how many chunks to cut 64 MiB on DGX-2, for the shortest time."""
    try:
        guess = number(call(answer, {}), {})
    except NoAnswerError as problem:
        return problem.verdict
    if guess < 1 or guess != int(guess) or guess > 1024:
        return Verdict(False, f"{guess:g} isn't a number of chunks: give a whole number from 1 to 1024.")
    times = {
        splits: all_reduce(preset("dgx2"), 64 * MIB, splits=splits).total_ns for splits in (*range(1, 33), int(guess))
    }
    longer = times[int(guess)] / min(times.values()) - 1
    return guessed(
        f"With {guess:g} chunks it takes {longer:.1%} longer than with the best number. "
        + ("Well guessed; find out why." if longer < 0.01 else "Too many, or too few? Run on and see."),
    )


@question
def best_splits(answer: Answer) -> Verdict:
    """best_splits(per_chunk_us, per_fill_us): the minimum of per_chunk_us × k + per_fill_us / k."""
    return judge(
        answer,
        lambda per_chunk_us, per_fill_us: sqrt(per_fill_us / per_chunk_us),
        [{"per_chunk_us": a, "per_fill_us": b} for a, b in ((8, 800), (2, 98), (20, 45))],
        [
            Mistake(
                lambda per_chunk_us, per_fill_us: per_fill_us / per_chunk_us,
                "Close: try two numbers around yours. (Where the derivative is 0, k² is something.)",
            ),
            Mistake(
                lambda per_chunk_us, per_fill_us: sqrt(per_chunk_us / per_fill_us),
                "Upside down: a costly fill asks for more chunks, a costly chunk for fewer.",
            ),
            Mistake(
                lambda per_chunk_us, per_fill_us: sqrt(per_fill_us * per_chunk_us),
                "Check the units: µs over µs is a number, µs times µs isn't.",
            ),
            Mistake(
                lambda per_chunk_us, per_fill_us: 2 * sqrt(per_fill_us * per_chunk_us),
                "That is the time at the minimum; the number of chunks is asked for.",
            ),
            Mistake(
                lambda per_chunk_us, per_fill_us: round(sqrt(per_fill_us / per_chunk_us)),
                "Nearly: leave it unrounded here.",
            ),
        ],
        "Right: there, both terms cost the same. Four times the data, twice as many chunks.",
    )


@question
def used(answer: Answer) -> Verdict:
    """used(sent_mib, time_us, bandwidth): the share of an NPU's bandwidth that a run needs."""

    def share(sent_mib: float, time_us: float, bandwidth: float) -> float:
        return sent_mib / 1024 / bandwidth * 1e6 / time_us

    return judge(
        answer,
        share,
        [
            {"sent_mib": mib, "time_us": us, "bandwidth": gb_s}
            for mib, us, gb_s in ((1.75, 100, 100), (1024, 20_000, 50), (30, 7000, 6.25))
        ],
        [
            *of_the_network(share),
            Mistake(lambda **c: share(**c) / 1e6, "The time is in µs and the bandwidth per second."),
            Mistake(lambda **c: 1 / share(**c), "Upside down: what is needed over what there is."),
            Mistake(
                lambda sent_mib, time_us, bandwidth: sent_mib / 1024 / (time_us / 1e6),
                "That is how many GB/s are needed; which share of the bandwidth is it?",
            ),
        ],
        "Right: more than 1 is more than the links can carry.",
        tolerance=1e-6,
        unit="a share",
    )


@question
def believable(answer: Answer) -> Verdict:
    """believable(): the most active chunks with which exercise 1's ring stays within its bandwidth."""
    try:
        given = number(call(answer, {}), {})
    except NoAnswerError as problem:
        return problem.verdict
    if given < 1 or given != int(given):
        return Verdict(False, f"{given:g} isn't a number of chunks: give a whole number, 1 or more.")
    if _share(int(given)) > 1:
        return Verdict(False, f"With {given:g} at once, the NPUs send more than their links can carry.")
    if _share(int(given) + 1) <= 1:
        return Verdict(False, f"{given:g} at once is possible, but so is one more.")
    return Verdict(True, "Right: beyond that, the model is too fast to be true.")


def _share(active: int) -> float:
    result = all_reduce(preset("ring"), MIB, active_chunks=active)
    return result.message_bytes / (result.platform.network[0].injection_bandwidth * result.total_ns)
