"""Checks for exercise 2, comparing collectives: message sizes, topologies, a schedule of one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from astra_edu.base.units import MIB, bytes_per_ns
from astra_edu.collectives import schedule
from astra_edu.course.check.asked import Answer, call, hint, listed
from astra_edu.course.check.ex2.own import my_reduce_scatter, own_schedule
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import named
from astra_edu.course.check.verdict import NoAnswerError, Verdict, guessed
from astra_edu.network import Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig, time_schedule
from astra_edu.workload import Workload

__all__ = [
    "PLATFORMS",
    "crossover_mib",
    "injection_gb_s",
    "latency_floor_ns",
    "my_reduce_scatter",
    "one_port_ns",
    "own_schedule",
    "predicted_growth",
    "ranking",
]

Floats = Sequence[float]
PLATFORMS = {"Ring": "ring", "Switch": "halvingDoubling", "FullyConnected": "direct"}


@guess
def predicted_growth(answer: Answer) -> Verdict:
    """A guess: how many times longer 1024 MiB take than 1 MiB on the tutorial's ring."""
    growth = _time("Ring", 1024 * MIB) / _time("Ring", MIB)
    return prediction(answer, growth, "times", "Not 1024 times: part of the time doesn't depend on the size at all.")


@question
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
            Mistake(
                lambda **c: floor(**c) - (c["splits"] - 1) * c["endpoint_delay"],
                "Nearly: every chunk has its own first endpoint delay, not only the first.",
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


@question
def crossover_mib(answer: Answer) -> Verdict:
    """crossover_mib(sizes_mib, times_us): the size for which latency and bandwidth cost the same."""
    lines = [(28.6, 17.08, (1, 2, 4, 1024)), (10, 1, (8, 2)), (5, 40, (0.5, 3, 6))]

    def crossover(sizes_mib: Floats, times_us: Floats) -> float:
        floor, slope = _line(sizes_mib, times_us)
        return floor / slope

    return judge(
        answer,
        crossover,
        [{"sizes_mib": list(sizes), "times_us": [f + s * size for size in sizes]} for f, s, sizes in lines],
        [
            Mistake(lambda **c: 1 / crossover(**c), "Upside down: check the units, µs divided by µs per MiB is MiB."),
            Mistake(
                lambda **c: math.prod(_line(**c)),
                "Check the units: µs times µs per MiB is no size.",
            ),
            Mistake(lambda **c: _line(**c)[0], "That is a time, the floor; a size is asked for."),
            Mistake(lambda **c: _line(**c)[1], "That is the slope, a time for each MiB; a size is asked for."),
            Mistake(
                lambda **c: sum(_line(**c)),
                "That is the time for 1 MiB; the size where both parts are equal is asked for.",
            ),
            Mistake(
                lambda sizes_mib, times_us: times_us[0] / _line(sizes_mib, times_us)[1],
                "The slope is right. But the time of the first size isn't the floor: it has bytes to carry, too.",
            ),
            Mistake(
                lambda sizes_mib, times_us: times_us[0] / (times_us[-1] / sizes_mib[-1]),
                "A time over its size isn't the slope, it has the floor in it. What does each MiB *more* take?",
            ),
        ],
        "Right: below that size faster links hardly help, above it lower latency hardly does.",
        tolerance=5e-3,  # a result that is rounded is as good
        unit="MiB",
    )


def _line(sizes_mib: Floats, times_us: Floats) -> tuple[float, float]:
    """Floor and slope of times that are on a line."""
    slope = (times_us[-1] - times_us[0]) / (sizes_mib[-1] - sizes_mib[0])
    return times_us[0] - slope * sizes_mib[0], slope


@guess
def ranking(answer: Answer) -> Verdict:
    """ranking(): the three topologies, fastest first, for a 1 GiB all-reduce with links of 50 GB/s."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    names = [named(name, PLATFORMS) or "" for name in listed(given) or []]
    if sorted(names) != sorted(PLATFORMS):
        return Verdict(
            False, f"Give a list of the three names, the fastest first. They are {', '.join(PLATFORMS)}.{hint(given)}"
        )
    times = {name: _time(name, 1024 * MIB) for name in PLATFORMS}
    best = sorted(times, key=lambda name: times[name])
    if names == best:
        return guessed("Right. Each link is as fast as any other here, so what differs between the three?")
    right = sum(a == b for a, b in zip(names, best, strict=True))
    if names == best[::-1]:
        return guessed("You bet on the opposite of what happens. Run on, and count the links of one NPU.")
    return guessed(f"{right} of your 3 places will come true. Run on, and count the links of one NPU.")


@question
def injection_gb_s(answer: Answer) -> Verdict:
    """injection_gb_s(topology, npus, bandwidth): what one NPU can send in all, in ASTRA-sim's GB/s."""

    def injection(topology: str, npus: int, bandwidth: float) -> float:
        return Dimension.of(topology, npus, bandwidth, 0).links * bandwidth

    def of(ring: int = 2, switch: int = 1, connected: int = -1) -> Answer:
        """With other numbers of links; 0 and below stands for so many less than there are NPUs."""
        links = {"Ring": ring, "Switch": switch, "FullyConnected": connected}
        return lambda topology, npus, bandwidth: (links[topology] + npus * (links[topology] < 1)) * bandwidth

    return judge(
        answer,
        injection,
        [
            {"topology": topology, "npus": npus, "bandwidth": bandwidth}
            for topology in PLATFORMS
            for npus, bandwidth in ((8, 50), (4, 25), (16, 12.5))
        ],
        [
            Mistake(of(1, 1, 1), "That is one link; an NPU sends on all of its links at once. How many has it?"),
            Mistake(
                lambda **c: injection(**c) / 2,
                "Links count once for each direction: an NPU can send on all of them while it receives.",
            ),
            Mistake(
                lambda **c: 2 * injection(**c),
                "That counts sending and receiving together; what it can send is asked for.",
            ),
            Mistake(lambda **c: injection(**c) / c["bandwidth"], "That is how many links; how much does each carry?"),
            Mistake(lambda **c: injection(**c) * c["npus"], "That is what all NPUs send together; one is asked for."),
            Mistake(of(connected=0), "Nearly: on a fully connected network nobody has a link to itself."),
            Mistake(of(switch=0), "A switch has a port for every NPU; how many links has one NPU to the switch?"),
            Mistake(of(switch=-1), "A switch leads to all others; how many links has one NPU to the switch?"),
            Mistake(of(ring=1), "A ring has two neighbours, and its links can be used both ways round."),
            Mistake(of(-1, -1, -1), "That is how many others there are. With which of them does an NPU share a link?"),
        ],
        "Right: links times link bandwidth. With 8 NPUs 2 : 1 : 7 for ring, switch and fully connected.",
        unit="GB/s",
    )


@question
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
