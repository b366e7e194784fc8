"""Traces of 2.x whose NPUs differ: pipelines, a straggler, long asymmetric graphs."""

from __future__ import annotations

from astra_edu import Block, TracePlatform, TraceSystem
from astra_edu.traces import Builder, Operation, Trace, from_pipeline


def ring(npus: int, aware: bool = False, splits: int = 4) -> TracePlatform:
    """A ring with ring collectives."""
    system = TraceSystem.of("ring", splits=splits)
    return TracePlatform(Block("Ring", npus, 50, 500), system, congestion_aware=aware)


def pipeline(stages: int = 64, micro_batches: int = 8) -> Trace:
    """1F1B over so many stages, a stage on each NPU."""
    return from_pipeline("1f1b", stages, micro_batches, forward_micros=100, backward_micros=200, bytes=2**20)


def straggler(npus: int = 64, collectives: int = 100) -> Trace:
    """Computing and an all-reduce of 1 MiB in turn; one NPU computes 10 % longer."""
    trace = Builder(npus)
    after: Operation | None = None
    for step in range(collectives):
        after = trace.compute(
            f"compute {step}", micros=[110 if npu == npus // 2 else 100 for npu in range(npus)], after=after
        )
        after = trace.all_reduce(f"sum {step}", 2**20, after=after)
    return trace.build()


def asymmetric(npus: int = 64, nodes: int = 1500) -> Trace:
    """Every NPU has about so many nodes: computations of its own lengths, messages to its neighbour, some sums."""
    trace = Builder(npus)
    last: list[Operation | None] = [None] * npus
    step = count = 0
    while count < nodes:
        computed = []
        for npu in range(npus):
            micros = 5 + (7 * npu + 13 * step) % 23
            computed.append(trace.compute(f"compute {step}", micros=micros, after=last[npu], on=npu))
        last = list(computed)
        count += 1
        if step % 150 == 149:
            last = [trace.all_reduce(f"sum {step}", 2**16, after=computed)] * npus
            count += 1
        elif step % 5 == 4:
            for npu in range(npus):
                _, got = trace.message(f"halo {step}", 2**14, npu, (npu + 1) % npus, after=computed[npu])
                last[(npu + 1) % npus] = got
            count += 2
        step += 1
    return trace.build()
