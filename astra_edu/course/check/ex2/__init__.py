"""Checks for exercise 2, comparing collectives: message sizes, topologies, a schedule of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from astra_edu.base.units import MIB, bytes_per_ns
from astra_edu.collectives import Collective, Op, ProofError, Rounds, Schedule, prove, schedule
from astra_edu.collectives.proof import replay
from astra_edu.course.check.asked import Answer, call, listed, of, shown, whole_number
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.spelling import named
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.network import Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig, time_schedule
from astra_edu.workload import Workload

PLATFORMS = {"Ring": "ring", "Switch": "halvingDoubling", "FullyConnected": "direct"}


def predicted_growth(answer: Answer) -> Verdict:
    """A guess: how many times longer 1024 MiB take than 1 MiB on the tutorial's ring."""
    growth = _time("Ring", 1024 * MIB) / _time("Ring", MIB)
    return prediction(answer, growth, "times", "Not 1024 times: part of the time doesn't depend on the size at all.")


def latency_floor_ns(answer: Answer) -> Verdict:
    """latency_floor_ns(npus, latency, endpoint_delay, splits): the ring's time when messages have no bytes."""
    cases = [
        {"npus": n, "latency": latency, "endpoint_delay": delay, "splits": splits}
        for n, latency, delay, splits in ((8, 500, 10, 4), (4, 500, 10, 4), (8, 100, 50, 1), (16, 2000, 1, 2))
    ]

    def floor(npus: int, latency: int, endpoint_delay: int, splits: int, phases: int = 2, first: int = 1) -> float:
        return splits * (first * endpoint_delay + phases * (npus - 1) * (latency + endpoint_delay))

    def truth(npus: int, latency: int, endpoint_delay: int, splits: int) -> float:
        ring = Dimension.of("Ring", npus, 50, latency)
        return splits * time_schedule(schedule("all-reduce", "ring", npus), ring, 0, endpoint_delay).total_ns

    return judge(
        answer,
        truth,
        cases,
        [
            Mistake(lambda **c: floor(**(c | {"splits": 1})), "That is one chunk's; every chunk pays it again."),
            Mistake(lambda **c: floor(**c, phases=1), "Both phases pay it: reduce-scatter and all-gather."),
            Mistake(
                lambda npus, latency, endpoint_delay, splits: splits * 2 * (npus - 1) * latency,
                "The links' latency is counted right; the endpoint has a delay too.",
            ),
            Mistake(
                lambda **c: floor(**c) + 1, "That has the workload's last nanosecond in it; leave that one out here."
            ),
            Mistake(lambda **c: floor(**c, first=0), "Nearly: the first message of each chunk waits one delay more."),
            Mistake(
                lambda npus, latency, endpoint_delay, splits: latency + endpoint_delay,
                "That is one step's; count the steps.",
            ),
        ],
        "Right: with no bytes to carry, only hops and endpoint delays are left, once a step and chunk.",
        unit="ns",
    )


def crossover_mib(answer: Answer) -> Verdict:
    """crossover_mib(floor_us, slope_us_per_mib): the size for which latency and bandwidth cost the same."""
    return judge(
        answer,
        lambda floor_us, slope_us_per_mib: floor_us / slope_us_per_mib,
        [{"floor_us": f, "slope_us_per_mib": s} for f, s in ((28.6, 17.08), (10, 1), (5, 40))],
        [
            Mistake(
                lambda floor_us, slope_us_per_mib: slope_us_per_mib / floor_us,
                "Upside down: check the units, µs divided by µs per MiB is MiB.",
            ),
            Mistake(
                lambda floor_us, slope_us_per_mib: floor_us * slope_us_per_mib,
                "Check the units: µs times µs per MiB is no size.",
            ),
            Mistake(lambda floor_us, slope_us_per_mib: floor_us, "That is a time; a size is asked for."),
            Mistake(
                lambda floor_us, slope_us_per_mib: floor_us + slope_us_per_mib,
                "That is the time for 1 MiB; the size where both parts are equal is asked for.",
            ),
        ],
        "Right: below that size faster links hardly help, above it lower latency hardly does.",
    )


def ranking(answer: Answer) -> Verdict:
    """ranking(): the three topologies, fastest first, for a 1 GiB all-reduce with links of 50 GB/s."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    names = [named(name, PLATFORMS) or "" for name in listed(given) or []]
    if sorted(names) != sorted(PLATFORMS):
        return Verdict(False, f"Give a list of the three names, the fastest first. They are {', '.join(PLATFORMS)}.")
    times = {name: _time(name, 1024 * MIB) for name in PLATFORMS}
    best = sorted(times, key=lambda name: times[name])
    if names == best:
        return guessed("Right. Each link is as fast as any other here, so what differs between the three?")
    right = sum(a == b for a, b in zip(names, best, strict=True))
    if names == best[::-1]:
        return guessed("You bet on the opposite of what happens. Run on, and count the links of one NPU.")
    return guessed(f"{right} of your 3 places will come true. Run on, and count the links of one NPU.")


def injection_gb_s(answer: Answer) -> Verdict:
    """injection_gb_s(links, bandwidth): what one NPU can send in all, in ASTRA-sim's GB/s."""
    return judge(
        answer,
        lambda links, bandwidth: links * bandwidth,
        [{"links": links, "bandwidth": bandwidth} for links, bandwidth in ((2, 50), (1, 50), (7, 50), (6, 25))],
        [
            Mistake(lambda links, bandwidth: bandwidth, "That is one link; an NPU sends on all of its links at once."),
            Mistake(
                lambda links, bandwidth: links * bandwidth / 2,
                "Links count once for each direction: an NPU can send on all of them while it receives.",
            ),
            Mistake(
                lambda links, bandwidth: 2 * links * bandwidth,
                "That counts sending and receiving together; what it can send is asked for.",
            ),
            Mistake(lambda links, bandwidth: links, "That is the number of links; how much does each carry?"),
        ],
        "Right: links times link bandwidth. 2 : 1 : 7 for ring, switch and fully connected.",
    )


def my_reduce_scatter(answer: Callable[[int, int, int], Any]) -> Verdict:
    """my_reduce_scatter(step, npu, npus) -> (destination, shard): a ring reduce-scatter of one's own, proven."""
    for npus in (4, 3, 2, 8):
        try:
            own = own_schedule(answer, npus)
            prove(own)
        except NoAnswerError as problem:
            return problem.verdict
        except ProofError as error:
            if places := _shift(own):
                return Verdict(
                    False,
                    f"Nearly: on {npus} NPUs every shard ends complete at one NPU, but shard i at NPU i + {places} "
                    f"(modulo {npus}); it should be NPU i.",
                )
            return Verdict(False, f"On {npus} NPUs it isn't a reduce-scatter. {error}")
        for step in own.steps():
            for source, destination, _ in step.transfers:
                if (destination - source) % npus not in (1, npus - 1):
                    return Verdict(
                        False,
                        f"It is a reduce-scatter, but no ring: on {npus} NPUs, with step = {step.index}, NPU {source} "
                        f"sends to NPU {destination}, which is not its neighbour.",
                    )
    return Verdict(True, "Proven for 2, 3, 4 and 8 NPUs: shard i ends, complete, at NPU i. Now watch it play.")


def _shift(schedule: Schedule) -> int | None:
    """By how many NPUs every shard misses its owner, if all miss it by the same; None otherwise."""
    try:
        *_, (_, held) = replay(schedule)
    except ProofError:
        return None
    n, everyone = schedule.npus, (1 << schedule.npus) - 1
    shifts = (p for p in range(1, n) if all(held[(shard + p) % n][shard] == everyone for shard in range(n)))
    return next(shifts, None)


def own_schedule(answer: Callable[[int, int, int], Any], npus: int) -> Schedule:
    """The schedule that follows the student's rule for n - 1 steps."""

    def rule(step: int, npu: int) -> list[tuple[int, int]]:
        case = {"step": step, "npu": npu, "npus": npus}
        given = call(answer, case)
        pair = listed(given)
        if pair is None or len(pair) != 2:
            raise NoAnswerError(
                False, f"Your function returns {shown(given)}{of(case)}; it should return two numbers: (NPU, shard)."
            )
        destination, shard = (whole_number(value, case) for value in pair)
        return [(destination, shard)]

    rounds = Rounds("reduce-scatter", Op.REDUCE, npus - 1, rule, symmetric=False, uniform=False)
    return Schedule(Collective.REDUCE_SCATTER, "my ring", npus, npus, (rounds,))


def one_port_ns(answer: Answer) -> Verdict:
    """one_port_ns(npus, size, splits, bandwidth): what one port needs for the direct all-reduce's bytes, in ns."""
    gib = bytes_per_ns(1)

    def time(npus: int, size: int, splits: int, bandwidth: float, phases: int = 2) -> float:
        return phases * (npus - 1) * size / npus / (bandwidth * gib)

    return judge(
        answer,
        time,
        [
            {"npus": npus, "size": size, "splits": 4, "bandwidth": bandwidth}
            for npus, size, bandwidth in ((64, 2**30, 50), (8, 2**20, 25), (16, 2**28, 100))
        ],
        [
            Mistake(
                lambda npus, size, splits, bandwidth: 2 * size / npus / (bandwidth * gib),
                "That is one message a phase, as if all n − 1 left at full speed together. They share one port.",
            ),
            Mistake(lambda **c: time(**c, phases=1), "That is one phase; the all-gather sends as much again."),
            Mistake(
                lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / bandwidth,
                'The network\'s "GB/s" are 2³⁰ bytes per second: per ns, that is 1.0737 bytes for each GB/s.',
            ),
            Mistake(
                lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / splits / (bandwidth * gib),
                "That is one chunk of the collective; all of them must go through the port.",
            ),
            Mistake(
                lambda npus, size, splits, bandwidth: 2 * size / (bandwidth * gib),
                "Nearly: an NPU keeps its own share of the data, it doesn't send it.",
            ),
        ],
        "Right. The contention-free model is far below that: it can't be trusted where messages meet.",
        tolerance=1e-4,  # a result in whole ns is as good
        unit="ns",
    )


def _time(topology: str, size: int) -> float:
    dimension = Dimension.of(topology, 8, 50, 500)
    platform = Platform((dimension,), SystemConfig.of(PLATFORMS[topology]))
    return simulate(Workload.micro("all-reduce", size), platform).total_ns
