"""Exercise 11: what its words rely on, and what is special about its checks."""

import re

from answers.ex11 import buckets, relay, with_one

import astra_edu as ae
from astra_edu.course.check import ex11
from astra_edu.course.check.ex11.faults import fill
from astra_edu.course.check.ex11.runs import shortest_ns
from astra_edu.traces.builder import Builder


def test_other_ways_to_fill_buckets():
    def from_the_front(gradients, bucket):
        count = len(gradients)
        return [[count - 1 - layer for layer in layers] for layers in fill(gradients[::-1], bucket)]

    def before_it_is_full(gradients, bucket):
        filled = [[]]
        for layer in reversed(range(len(gradients))):
            if filled[-1] and sum(gradients[one] for one in (*filled[-1], layer)) > bucket:
                filled.append([])
            filled[-1].append(layer)
        return filled

    def in_pairs(gradients, bucket):
        layers = list(reversed(range(len(gradients))))
        return [layers[:1], layers[1:3], layers[3:]] if len(layers) > 3 else fill(gradients, bucket)

    for filled, words in (
        (from_the_front, "from layer 0 on"),
        (before_it_is_full, "before it has enough"),
        (in_pairs, "The all-reduces have"),
    ):
        verdict = ex11.buckets(with_one(buckets, filled=filled, after="end"))
        assert re.search(words, verdict.message), verdict


def test_a_relay_that_never_ends():
    def answer(stages, micro_batches, micros, bytes):
        trace = Builder(stages)
        for k in range(stages):
            for i in range(micro_batches):
                done = trace.compute(f"F {i}", micros, on=k)
                if k:
                    trace.receive("M", bytes, k - 1, on=k, tag=i + 1, after=done)
                if k + 1 < stages:
                    trace.send("M", bytes, k + 1, on=k, tag=i, after=done)
        return trace.build()

    assert "It never ends" in ex11.relay(answer).message


def test_the_shortest_time_of_a_relay():
    for stages, micro_batches, micros, size in ((2, 1, 20, 4096), (4, 6, 15, 2**16), (5, 3, 50, 4096)):
        block = ae.Block("FullyConnected", stages, 1, 1000)
        run = ae.simulate(
            relay(stages, micro_batches, micros, size), ae.TracePlatform((block,), ae.TraceSystem.of("direct"))
        )
        assert run.total_ns == shortest_ns(stages, micro_batches, 1000 * micros, block.message_ns(size, 1))


def test_a_prediction_is_never_wrong():
    verdict = ex11.predicted_us(lambda: 400)
    assert verdict.guess
    assert "405.52 µs" in verdict.message
