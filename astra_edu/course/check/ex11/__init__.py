"""Checks for exercise 11, build a trace: overlap, buckets, messages, process groups."""

from __future__ import annotations

from random import Random

from astra_edu.course.check.asked import Answer, Case
from astra_edu.course.check.ex11 import faults, runs
from astra_edu.course.check.ex11.rules import judge_traces
from astra_edu.course.check.judge import prediction
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.verdict import Verdict
from astra_edu.network import Block, Topology
from astra_edu.run.run_trace import run_trace
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces.builder import Builder

PLATFORM = TracePlatform(
    (Block(Topology.RING, 8, 50, 500),),
    TraceSystem.of("ring", splits=4, local_memory_bandwidth=50, optimization="localBWAware"),
    congestion_aware=True,
)
"""The ring of 8 NPUs of the tutorial's demo 1: 50 GB/s (2**30 bytes) and 500 ns a link."""


@guess
def predicted_us(answer: Answer) -> Verdict:
    """A guess: how long the tutorial's three nodes take, in µs."""
    trace = Builder(8)
    first = trace.all_reduce("all-reduce", "1 MiB")
    trace.all_gather("all-gather", "2 MiB", after=first)
    trace.compute("compute", micros=50, after=first)
    truth = run_trace(trace.build(), PLATFORM).total_ns / 1000
    return prediction(answer, truth, "µs", "The computation takes none of it: it ends while the all-gather runs.")


@question
def step(answer: Answer) -> Verdict:
    """step(forward, backward, gradients, npus): a data-parallel training step."""
    return judge_traces(
        answer,
        faults.step,
        [_layers(Random(seed), layers) for seed, layers in enumerate((3, 1, 5, 2, 6))],
        "Right: each all-reduce waits for its own gradients only, and nothing waits for it, so that it can hide.",
    )


def _layers(random: Random, layers: int) -> Case:
    """Layers whose times and sizes all differ, so that each node is known by them."""
    times = random.sample(range(10, 200), 2 * layers)
    gradients = [4 * size for size in random.sample(range(2**14, 2**20), layers)]
    npus = random.choice((2, 4, 8))
    return {"forward": times[:layers], "backward": times[layers:], "gradients": gradients, "npus": npus}


@question
def buckets(answer: Answer) -> Verdict:
    """buckets(backward, gradients, bucket, npus): a backward pass with an all-reduce for each bucket of gradients."""
    return judge_traces(
        answer,
        faults.buckets,
        [*(_filled(Random(1), layers) for layers in (7, 1, 5, 9, 6)), _JUST_ENOUGH],
        "Right: fewer, larger all-reduces, and all but the last one can still hide behind the backward pass.",
    )


_JUST_ENOUGH: Case = {
    "backward": [20, 30, 40, 50, 60],
    "gradients": [4096, 8192, 28_672, 20_480, 4096],
    "bucket": 24_576,
    "npus": 4,
}
"""A bucket that has exactly as many bytes as are enough."""


def _filled(random: Random, layers: int) -> Case:
    """Layers whose buckets come out otherwise if they are filled otherwise, as with this seed."""
    gradients = [4 * size for size in random.sample(range(2**12, 2**18), layers)]
    bucket = max(1, sum(gradients) * random.choice((3, 4)) // 10)
    return {
        "backward": random.sample(range(10, 200), layers),
        "gradients": gradients,
        "bucket": bucket,
        "npus": random.choice((2, 4, 8)),
    }


@question
def relay(answer: Answer) -> Verdict:
    """relay(stages, micro_batches, micros, bytes): micro-batches that go through the stages of a pipeline."""
    sizes = ((2, 1, 20, 4096), (3, 4, 30, 2**14), (4, 6, 15, 2**16), (5, 3, 50, 2**12), (2, 8, 5, 2**15))
    return judge_traces(
        answer,
        runs.relay,
        [dict(zip(("stages", "micro_batches", "micros", "bytes"), case, strict=True)) for case in sizes],
        "Right: a stage takes in the next micro-batch while the last one is on its way.",
    )


@question
def groups(answer: Answer) -> Verdict:
    """groups(tensor, data, forward, backward, activations, gradients): a layer with tensor and data parallelism."""
    random = Random(11)
    cases: list[Case] = []
    for tensor, data in ((4, 2), (2, 4), (2, 2), (8, 3), (3, 5)):
        forward, backward = random.sample(range(10, 200), 2)
        activations, gradients = random.sample(range(2**12, 2**20), 2)
        times = {"forward": forward, "backward": backward}
        cases.append({"tensor": tensor, "data": data, **times, "activations": activations, "gradients": gradients})
    return judge_traces(
        answer, runs.groups, cases, "Right: every NPU is in two groups, and no two of its groups meet again."
    )
