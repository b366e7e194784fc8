"""Small cases of every part of the engine, and the reprs of what comes out: for two builds to be compared."""

from __future__ import annotations

import warnings
from itertools import product

import astra_edu as ae
from astra_edu.clock.kind import kind
from astra_edu.system import Bus
from astra_edu.traces import Builder, collective

ALGORITHMS = ("ring", "direct", "halvingDoubling", "doubleBinaryTree")
BUS = Bus(10, 5, 3, 0.001)


def straggler():
    """Computing and an all-reduce in turn; one of 64 NPUs is late."""
    trace, after = Builder(64), None
    for step in range(4):
        after = trace.compute(f"compute {step}", micros=[110 if npu == 7 else 100 for npu in range(64)], after=after)
        after = trace.all_reduce(f"sum {step}", 2**20, after=after)
    return trace.build()


def of_2():
    for how, aware, everyone, rendezvous in product(ALGORITHMS, *[(False, True)] * 3):
        blocks = [ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 4, 25, 300)]
        system = ae.TraceSystem.of([how] * 2, splits=4, rendezvous=rendezvous)
        platform = ae.TracePlatform(blocks, system, congestion_aware=aware)
        trace = collective("all_reduce", 2**20 + 12, npus=16)
        yield f"2.x {how} {aware} {everyone} {rendezvous}", trace, platform, {"everyone": everyone}
    for aware, late in product((False, True), repeat=2):
        blocks = [ae.Block("Switch", 8, 50, 500), ae.Block("Ring", 8, 50, 500)]
        platform = ae.TracePlatform(blocks, ae.TraceSystem.of(["ring"] * 2, splits=4), congestion_aware=aware)
        model = ae.transformer("small", hidden=64, heads=8, blocks=8, sequence=8, vocabulary=64)
        strategy = ae.Strategy(tensor=4, pipeline=4, data=4, batch=16)
        trace = ae.traces.from_strategy(model, strategy, "a100", platform)
        if late:
            trace = straggler()
        yield f"roles {aware} {late}", trace, platform, {}
    for how, everyone in product(ALGORITHMS[:3], (False, True)):
        platform = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of(how, splits=4, bus=BUS))
        yield f"bus of 2.x {how} {everyone}", collective("all_reduce", 2**20, npus=8), platform, {"everyone": everyone}


def of_rounds():
    """An all-to-all on a congested ring of 16, each of whose NPUs begins at another time: most rounds are skipped."""
    for topology, chunks in product(("Ring", "Switch", "FullyConnected"), (1, 2)):
        system = ae.TraceSystem.of("ring", splits=2, active_chunks=chunks)
        platform = ae.TracePlatform(ae.Block(topology, 16, 50, 500), system, congestion_aware=True)
        trace = Builder(16)
        trace.all_to_all("x", 2**20, after=trace.compute("late", [1 + 5 * npu % 16 for npu in range(16)]))
        yield f"rounds {topology} {chunks}", trace.build(), platform, {}


def of_1():
    for how, bus, npus in product(ALGORITHMS[:3], (None, BUS), (4, 8)):
        for topology, aware in (("Ring", False), ("Switch", True)):
            if aware and bus:
                continue
            system = ae.SystemConfig.of(how, splits=4, bus=bus)
            platform = ae.Platform((ae.Dimension.of(topology, npus, 50, 500),), system, congestion_aware=aware)
            work = ae.Workload.micro("all-reduce", 2**20 + 64)
            yield f"1.0 {how} {bool(bus)} {npus} {aware}", work, platform, {}


def main():
    warnings.simplefilter("ignore")
    print(kind())
    for name, work, platform, how in (*of_2(), *of_rounds(), *of_1()):
        result = ae.simulate(work, platform, progress=False, **how)
        times = [getattr(result, what) for what in ("finish_ns", "exposed_ns") if hasattr(result, what)]
        print(name, repr(result.total_ns), *(repr(own if isinstance(own, int | float) else list(own)) for own in times))


if __name__ == "__main__":
    main()
