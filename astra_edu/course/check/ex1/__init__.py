"""Checks for exercise 1, getting started: one all-reduce on a ring, by hand."""

from __future__ import annotations

from astra_edu.base.units import MIB, bytes_per_ns
from astra_edu.collectives import counts, schedule
from astra_edu.course.check.asked import Answer
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import Verdict
from astra_edu.network import Dimension, Topology
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload

GIB_PER_NS = bytes_per_ns(1)
SIZES = (2, 3, 4, 8, 16)


@guess
def predicted_time(answer: Answer) -> Verdict:
    """A guess, in µs, for the tutorial's 1 MiB all-reduce on twice as many NPUs."""
    return prediction(
        answer,
        _total(16, MIB, 4, 50, 500, 10) / 1000,
        "µs",
        "The data are the same, and each message is half as large; what is it that takes longer? Find out below.",
    )


@question
def steps(answer: Answer) -> Verdict:
    """steps(npus): how many steps a ring all-reduce has."""
    return judge(
        answer,
        lambda npus: schedule("all-reduce", "ring", npus).step_count,
        [{"npus": n} for n in SIZES],
        [
            Mistake(lambda npus: npus - 1, "That is one phase. An all-reduce has two: reduce-scatter and all-gather."),
            Mistake(lambda npus: 2 * npus, "One step too many a phase: an NPU's last shard needn't come back to it."),
            Mistake(lambda npus: npus, "Count the two phases apart: how often must a shard move in each?"),
            Mistake(
                lambda npus: npus * (npus - 1),
                "That counts the messages of all NPUs in one phase; in a step they all send at once.",
            ),
        ],
        "Right: each phase needs one step fewer than there are NPUs, and there are two phases.",
    )


@question
def message_bytes(answer: Answer) -> Verdict:
    """message_bytes(size, splits, npus): bytes of one message of the ring."""
    return judge(
        answer,
        lambda size, splits, npus: size / splits / npus,
        [
            {"size": size * MIB, "splits": splits, "npus": npus}
            for size, splits, npus in ((1, 4, 8), (1, 1, 8), (64, 4, 4), (3, 2, 16))
        ],
        [
            Mistake(
                lambda size, splits, npus: size / npus,
                "The system layer first cuts the collective into chunks (preferred-dataset-splits); "
                "the ring works on one of those.",
            ),
            Mistake(
                lambda size, splits, npus: size / splits,
                "That is a whole chunk. On the ring, an NPU sends only a share of it in each step.",
            ),
            Mistake(lambda size, splits, npus: size, "That is the whole collective. Two things cut it into pieces."),
            Mistake(
                lambda size, splits, npus: 2 * (npus - 1) * size / splits / npus,
                "That is all an NPU sends for one chunk, in all steps; one message is asked for.",
            ),
        ],
        "Right: the collective is cut into chunks, and each chunk into one shard per NPU.",
        unit="bytes",
    )


@question
def message_ns(answer: Answer) -> Verdict:
    """message_ns(size, bandwidth, links, latency): the time of one message to a ring neighbour."""
    cases = [
        {"size": size, "bandwidth": bandwidth, "links": links, "latency": latency}
        for size, bandwidth, links, latency in (
            (32768, 50, 2, 500),
            (32768, 50, 4, 500),
            (2**20, 25, 2, 700),
            (100, 50, 2, 20),
            (2**25, 12.5, 2, 1),
        )
    ]

    def time(size: int, bandwidth: float, links: int, latency: int, gib: float = GIB_PER_NS, hops: int = 1) -> float:
        return hops * latency + size / (bandwidth * links * gib)

    return judge(
        answer,
        lambda size, bandwidth, links, latency: Dimension(Topology.RING, 8, links, bandwidth, latency).message_ns(size),
        cases,
        [
            Mistake(time, "Nearly: the simulator counts whole nanoseconds, and rounds down.", slack=1),
            Mistake(
                lambda **c: time(**c, gib=1.0),
                'You took 10⁹ bytes for a GB. ASTRA-sim\'s network says "GB/s" and means 2³⁰ bytes per second.',
                slack=1,
            ),
            Mistake(
                lambda **c: time(**(c | {"links": 1})),
                "That is the time over one link. How many links has an NPU into this ring?",
                slack=1,
            ),
            Mistake(
                lambda **c: time(**(c | {"links": 1}), gib=1.0),
                "Two things: that is the time over one link (how many has an NPU into this ring?), and you took 10⁹ "
                "bytes for a GB, where ASTRA-sim's network means 2³⁰.",
                slack=1,
            ),
            Mistake(
                lambda **c: time(**(c | {"latency": 0})),
                "The bytes are there, but the link's latency is missing.",
                slack=1,
            ),
            Mistake(
                lambda **c: time(**c, hops=2),
                "The neighbour on a ring is 1 hop away; 2 hops lead through a switch.",
                slack=1,
            ),
            Mistake(
                lambda size, bandwidth, links, latency: latency, "That is the latency alone; the bytes take time too."
            ),
        ],
        "Right: hops × latency + bytes / bandwidth, in whole nanoseconds.",
        unit="ns",
    )


@question
def total_ns(answer: Answer) -> Verdict:
    """total_ns(npus, splits, one_message_ns, endpoint_delay): the time of the whole collective."""
    cases = [
        {"npus": npus, "splits": splits, "one_message_ns": message, "endpoint_delay": delay}
        for npus, splits, message, delay in ((8, 4, 805, 10), (8, 1, 805, 10), (4, 4, 1000, 50), (16, 3, 600, 1))
    ]

    def time(
        npus: int, splits: int, one_message_ns: int, endpoint_delay: int, first: int = 1, each: int = 1, phases: int = 2
    ) -> float:
        step = one_message_ns + each * endpoint_delay
        return splits * (first * endpoint_delay + phases * (npus - 1) * step)

    praise = (
        "Right: a chunk starts after one endpoint delay, each step adds a message and a delay, and chunks take turns."
    )
    return judge(
        answer,
        time,
        cases,
        [
            Mistake(
                lambda **c: time(**(c | {"splits": 1})), "That is one chunk. With one active at a time the others wait."
            ),
            Mistake(
                lambda **c: time(**c, first=0),
                "Nearly: each chunk also waits one endpoint delay before its first message leaves.",
            ),
            Mistake(
                lambda **c: time(**c, each=0),
                "Where is the endpoint delay of every message? So far only the start has one.",
            ),
            Mistake(
                lambda **c: time(**c, first=0, each=0),
                "The messages are counted right; the endpoint delay (10 ns in ring.txt) is missing.",
            ),
            Mistake(lambda **c: time(**c, phases=1), "That is the reduce-scatter; the all-gather is as long again."),
            Mistake(
                lambda npus, splits, one_message_ns, endpoint_delay: (
                    endpoint_delay + splits * 2 * (npus - 1) * (one_message_ns + endpoint_delay)
                ),
                "Nearly: every chunk has its own first endpoint delay, not only the first.",
            ),
            Mistake(
                lambda **c: time(**c) + 1,
                "That has the 1 ns which the workload file adds at the end; leave it out here, the check adds it.",
            ),
        ],
        praise,
        unit="ns",
    )


@question
def sent_mib(answer: Answer) -> Verdict:
    """sent_mib(npus, size_mib): how much one NPU sends in a ring all-reduce, in MiB."""
    return judge(
        answer,
        lambda npus, size_mib: counts(schedule("all-reduce", "ring", npus), size_mib * MIB).sent / MIB,
        [{"npus": n, "size_mib": s} for n in SIZES for s in (1, 64)],
        [
            Mistake(
                lambda npus, size_mib: (npus - 1) / npus * size_mib,
                "That is what the reduce-scatter sends; the all-gather sends as much again.",
            ),
            Mistake(
                lambda npus, size_mib: size_mib, "Look at the player: an NPU sends a share of the data in each step."
            ),
            Mistake(
                lambda npus, size_mib: 2 * size_mib,
                "Close for many NPUs, but not exact: there is one step fewer than there are NPUs in each phase.",
            ),
            Mistake(
                lambda npus, size_mib: 2 * (npus - 1) * size_mib,
                "That is what all NPUs send together; one NPU's part is asked for.",
            ),
        ],
        "Right: 2(n − 1)/n times the data, nearly twice the data however many NPUs there are.",
        unit="MiB",
    )


def _total(npus: int, size: int, splits: int, bandwidth: float, latency: float, delay: int) -> float:
    dimension = Dimension.of("Ring", npus, bandwidth, latency)
    platform = Platform((dimension,), SystemConfig.of("ring", splits=splits, endpoint_delay=delay))
    return simulate(Workload.micro("all-reduce", size), platform).total_ns
