"""Random traces of 2.x: mixes in which every NPU does something else, and small ones as they come."""

from __future__ import annotations

from math import prod
from random import Random

import astra_edu as ae
from astra_edu.traces import Builder, Operation, Trace
from tools.bench_cpp.case import Case

COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
SHAPES = ((2,), (4,), (8,), (16,), (3,), (6,), (2, 4), (4, 4), (8, 2), (2, 2, 2), (4, 2, 2))


def mix(seed: int, aware: bool, npus: tuple[int, int] = (32, 64), operations: int = 90) -> Case:
    """Computing of every NPU's own length, collectives of groups and of all NPUs, messages between any two."""
    random = Random(f"mix {seed}")
    count = random.randrange(npus[0], npus[1] + 1, 4)
    topology = random.choice(("Ring", "Switch", "FullyConnected"))
    how = random.choice(("ring", "direct"))
    system = ae.TraceSystem.of(how, splits=random.choice((1, 2, 4)), active_chunks=random.choice((1, 2)))
    block = ae.Block(topology, count, random.choice((25, 50, 100)), random.choice((250, 500)))  # type: ignore[arg-type]
    return Case(
        f"seed {seed}", mixed(random, count, operations), ae.TracePlatform(block, system, congestion_aware=aware)
    )


def mixed(random: Random, npus: int, operations: int) -> Trace:
    """What the NPUs of such a mix do. On each NPU what communicates comes one after the other, so nothing blocks.

    No message is as long as one of a collective: with the same tag it could be taken for it. Collectives of all NPUs
    name a group, too: ASTRA-sim numbers those without by how many the NPU has begun, in groups as well.
    """
    trace = Builder(npus)
    start = trace.compute("start", [random.randint(1, 60) for _ in range(npus)])
    before: list[list[Operation]] = [[start] for _ in range(npus)]
    sizes = [size for size in (2, 4, 4, 8, 8, 16) if size < npus]
    groups = [random.sample(range(npus), size) for size in sizes] or [list(range(npus))]
    for number in range(operations):
        kind = random.choices(("compute", "group", "all", "messages"), (4, 5, 1, 3))[0]
        bytes = random.choice((4096, 65_536, 2**20, 1_000_000))
        if kind == "compute":
            for npu in range(npus):
                if random.random() < 0.7:
                    micros = random.randint(1, 60)
                    before[npu] = [trace.compute(f"compute {number}", micros, after=before[npu], on=npu)]
        elif kind == "messages":
            for _ in range(npus // 2):
                here, there = random.sample(range(npus), 2)
                sent, received = trace.message(f"message {number}", bytes + 13, here, there, after=before[here])
                before[here] = [sent]
                before[there] = [*before[there], received]
        else:
            members = random.choice(groups) if kind == "group" else list(range(npus))
            after = list({operation.number: operation for npu in members for operation in before[npu]}.values())
            begin = getattr(trace, random.choice(COLLECTIVES))
            done = begin(f"{kind} {number}", bytes, after=after, on=members, group=members)
            for npu in members:
                before[npu] = [done]
    return trace.build()


def fresh(seed: int) -> Case:
    """A small trace on a small network, as they come: in two of three every NPU does something else."""
    random = Random(f"fresh {seed}")
    shape = random.choice(SHAPES)
    aware = len(shape) == 1 and shape != (2,) and random.random() < 0.5
    kinds = [random.choice(("Ring", "Switch", "FullyConnected")) for _ in shape]
    blocks = [ae.Block(kind, n, random.choice((25, 50, 100)), 500) for kind, n in zip(kinds, shape, strict=True)]
    hows = [random.choice(("ring", "direct", *["halvingDoubling"] * (n & (n - 1) == 0))) for n in shape]
    system = ae.TraceSystem.of(
        hows,
        splits=random.choice((1, 2, 4, 8)),
        active_chunks=random.choice((1, 2, 4)),
        optimization=random.choice(("baseline", "localBWAware")),
        local_memory_bandwidth=random.choice((None, 1600)),
    )
    npus = prod(shape)
    work = _chain(random, npus) if random.random() < 1 / 3 else mixed(random, npus, random.randint(5, 60))
    return Case(f"seed {seed}", work, ae.TracePlatform(tuple(blocks), system, congestion_aware=aware))


def _chain(random: Random, npus: int) -> Trace:
    """One to eight collectives of all NPUs, computing in between, in half of them for as long as each NPU likes."""
    trace = Builder(npus)
    after: Operation | None = None
    differ = random.random() < 0.5
    for number in range(random.randint(1, 8)):
        if random.random() < 0.5:
            micros = [random.randint(1, 40) for _ in range(npus)] if differ else random.randint(1, 40)
            after = trace.compute(f"compute {number}", micros, after=after)
        begin = getattr(trace, random.choice(COLLECTIVES))
        after = begin(f"collective {number}", random.choice((777, 4096, 65_536, 100_000, 2**20)), after=after)
    return trace.build()
