"""Large jobs: models under tensor, pipeline and data parallelism together, and networks of very many NPUs."""

from __future__ import annotations

import astra_edu as ae
from astra_edu.traces import Trace, collective, from_strategy
from tools.bench_cpp.case import Case
from tools.bench_cpp.traces import ring, straggler

SERVER, RAIL, SPINE = ("Switch", 450, 250), ("Ring", 50, 500), ("Switch", 25, 1000)


def gpt3(aware: bool, tensor: int = 8, pipeline: int = 8, data: int = 16, micro_batches: int = 4) -> Case:
    """GPT-3, one iteration of so many micro-batches on each copy; a network dimension for each parallelism."""
    strategy = ae.Strategy(tensor=tensor, pipeline=pipeline, data=data, batch=micro_batches * data)
    platform = network(aware, tensor, data, pipeline)
    return Case("GPT-3", from_strategy("gpt3", strategy, "a100", network=platform), platform)


def network(aware: bool, *sizes: int) -> ae.TracePlatform:
    """A fast switch in each server, rings of servers, and a slower switch above."""
    kinds = [SERVER, *[RAIL] * (len(sizes) - 2), SPINE]
    blocks = [ae.Block(kind[0], npus, *kind[1:]) for kind, npus in zip(kinds, sizes, strict=True)]  # type: ignore[arg-type]
    system = ae.TraceSystem.of([*["ring"] * (len(sizes) - 1), "direct"], splits=4)
    return ae.TracePlatform(blocks, system, congestion_aware=aware)


def llama_405b() -> ae.Model:
    """Llama 3 405B's sizes (arXiv 2407.21783, table 3), with 128 blocks in place of 126: 16 stages divide them.

    Its feed-forward layer has three matrices of 53,248 features, a block of ours two: they are wider by half.
    """
    return ae.transformer(
        "Llama 3 405B, 128 blocks",
        hidden=16_384,
        heads=128,
        blocks=128,
        sequence=8192,
        vocabulary=128_256,
        feedforward=79_872,
    )


def llama(sizes: tuple[int, ...], tensor: int = 8, pipeline: int = 16, data: int = 128) -> Case:
    """An iteration of one micro-batch for each stage; sizes: NPUs in the network's dimensions."""
    strategy = ae.Strategy(tensor=tensor, pipeline=pipeline, data=data, batch=pipeline * data)
    platform = network(False, *sizes)
    return Case(
        f"{'x'.join(map(str, sizes))}", from_strategy(llama_405b(), strategy, "h100", network=platform), platform
    )


def direct_on_a_ring(npus: int = 65_536) -> Case:
    """An all-reduce of 1 GiB."""
    platform = ae.TracePlatform(ae.Block("Ring", npus, 50, 500), ae.TraceSystem.of("direct"))
    return Case("direct", collective("all_reduce", 2**30, npus=npus), platform)


def few_all_reduces(npus: int = 512, collectives: int = 8) -> Case:
    """One straggler."""
    return Case("straggler", straggler(npus, collectives), ring(npus))


def trace_of_strategy(data: int) -> Trace:
    """A small model on 4 x 4 x data NPUs: what grows with copies alone."""
    model = ae.transformer("small", hidden=256, heads=8, blocks=8, sequence=64, vocabulary=512)
    return from_strategy(
        model, ae.Strategy(tensor=4, pipeline=4, data=data, batch=4 * data), "a100", network=(4, data, 4)
    )
