"""Random jobs on congested networks, with one NPU followed for each role and with everyone: each node must agree.

    python -m tools.one_for_each [cases] [first seed]

prints how many were tried, how many fold, in how many of these the order in a ns was not known, and each one in which
the two differ. The jobs are made of steps along the axes of a grid of NPUs, of which a dimension of the network is one:
collectives over dimensions or process groups, messages round a dimension or along it, and computations.
"""

from __future__ import annotations

import sys
from collections import Counter
from math import prod
from random import Random
from typing import Any

import astra_edu as ae
from astra_edu.network.folded import AmbiguousError
from astra_edu.run.everyone import Everyone
from astra_edu.run.folds import folds
from astra_edu.run.networks import network_of
from astra_edu.run.one_for_each import OneForEach
from astra_edu.traces import Builder, Trace
from astra_edu.traces.communication import check_communication
from astra_edu.traces.npu import TraceNpu

SHAPES = ((4,), (6,), (16,), (2, 2), (2, 4), (4, 2), (4, 4), (3, 4), (8, 2), (2, 2, 2), (2, 4, 2), (4, 2, 3), (2, 3, 4))
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
SIZES = (512, 777, 4096, 65_536, 100_000, 2**20)

Last = dict[int, list[Any]]
"""For each NPU the operations that its next one waits for."""


def platform_of(random: Random, shape: tuple[int, ...]) -> ae.TracePlatform:
    """A congested network, and a system with any of the settings that decide in which order things go."""
    wired = ("Ring", "Switch", "FullyConnected") if random.random() < 0.9 else ("Ring", "Mesh", "Torus")
    blocks = [
        ae.Block(random.choice(wired), npus, random.choice((1, 10, 50, 100)), random.choice((0, 1, 500)))  # type: ignore[arg-type]
        for npus in shape
    ]
    hows = [random.choice(_hows(npus)) for npus in shape]
    if random.random() < 0.2:
        hows = hows[:1] * len(shape)
    if random.random() < 0.04:
        hows = ["one" + random.choice(("Ring", "Direct"))]
    system = ae.TraceSystem.of(
        hows,
        endpoint_delay=random.choice((0, 10, 10, 10)),
        splits=random.choice((1, 1, 2, 4)),
        active_chunks=random.choice((1, 1, 1, 2, 4)),
        queues=random.choice((1, 1, 1, 2)),
        optimization=random.choice(("baseline", "localBWAware")),
        intra_dimension=random.choice(("FIFO", "FIFO", "SCF")),
        inter_dimension=random.choice(("baseline", "baseline", "roundRobin")),
        rendezvous=random.random() < 0.15,
        local_memory_bandwidth=random.choice((None, None, 50)),
    )
    return ae.TracePlatform(tuple(blocks), system, congestion_aware=True)


def _hows(npus: int) -> list[str]:
    power = npus & (npus - 1) == 0
    return [*["ring"] * 4, *["direct"] * 2, "direct2", *["halvingDoubling"] * 2 * power, "doubleBinaryTree"]


def trace_of(random: Random, shape: tuple[int, ...]) -> Trace:
    """A job in which one axis may be a pipeline: its stages do different things."""
    return _Job(random, shape).build()


class _Job:
    def __init__(self, random: Random, shape: tuple[int, ...]) -> None:
        self.random = random
        self.shape = shape
        self.npus = range(prod(shape))
        self.builder = Builder(len(self.npus))
        self.last: Last = {npu: [self.builder.compute("begin", 1, on=npu)] for npu in self.npus}
        self.stages = random.choice([*range(len(shape)), None, None])

    def build(self) -> Trace:
        for step in range(self.random.choice((1, 2, 3, 4, 6))):
            self.random.choice((self.compute, self.collective, self.collective, self.messages))(f"{step}")
        return self.builder.build()

    def place(self, npu: int, d: int) -> int:
        return npu // prod(self.shape[:d]) % self.shape[d]

    def stage(self, npu: int) -> int:
        return 0 if self.stages is None else self.place(npu, self.stages)

    def compute(self, name: str) -> None:
        random = self.random
        micros = [random.choice((1, 1, 2, 5)) for _ in range(max(self.shape))]
        odd = random.randrange(len(self.npus)) if random.random() < 0.05 else None
        every = random.choice((1, 1, 1, 2))
        along = random.randrange(len(self.shape))
        for npu in self.npus:
            more = (npu == odd) + (self.place(npu, along) % every)
            self.last[npu] = [self.builder.compute(name, micros[self.stage(npu)] + more, on=npu, after=self.last[npu])]

    def collective(self, name: str) -> None:
        random, shape = self.random, self.shape
        along = [d for d in range(len(shape)) if d != self.stages]
        if not along:
            return
        size, begin = random.choice(SIZES), getattr(self.builder, random.choice(COLLECTIVES))
        after = list(dict.fromkeys(one for own in self.last.values() for one in own))
        if random.random() < 0.6:
            uses = random.sample(along, random.randint(1, len(along)))
            done = begin(name, size, involved_dim=[d in uses for d in range(len(shape))], after=after)
        else:
            d, members = random.choice(along), {}
            for npu in self.npus:
                members.setdefault(npu - self.place(npu, d) * prod(shape[:d]), []).append(npu)
            groups = list(members.values())
            turned = random.random()
            if turned < 0.3:
                groups = [self.turned(group) for group in groups]
            elif turned < 0.4:
                order = random.sample(range(shape[d]), shape[d])
                groups = [[group[k] for k in order] for group in groups]
            done = begin(name, size, group=groups, after=after)
        self.last = {npu: [done] for npu in self.npus}

    def turned(self, group: list[int]) -> list[int]:
        by = self.random.randrange(len(group))
        return group[by:] + group[:by]

    def messages(self, name: str) -> None:
        """From each NPU, or from those of one stage, to another one along an axis."""
        random, shape = self.random, self.shape
        d = self.stages if self.stages is not None and random.random() < 0.7 else random.randrange(len(shape))
        by, size = random.choice((1, 1, 2, -1)), random.choice(SIZES)
        only = random.choice(range(shape[self.stages])) if self.stages not in (None, d) else None
        round_it = d != self.stages or random.random() < 0.4
        e = random.randrange(len(shape)) if random.random() < 0.15 else d
        last: Last = {}
        for npu in self.npus:
            place = self.place(npu, d) + by
            if (only is not None and self.stage(npu) != only) or not (round_it or 0 <= place < shape[d]):
                continue
            to = self.moved(npu, d, by) if e == d else self.moved(self.moved(npu, d, by), e, 1)
            if to == npu:
                continue
            sent, came = self.builder.message(name, size, npu, to, after=self.last[npu])
            last.setdefault(npu, []).append(sent)
            last.setdefault(to, []).append(came)
        for npu, done in last.items():
            self.last[npu] = [*done, *self.last[npu]]

    def moved(self, npu: int, d: int, by: int) -> int:
        place = self.place(npu, d)
        return npu + ((place + by) % self.shape[d] - place) * prod(self.shape[:d])


def case(seed: int) -> tuple[Trace, ae.TracePlatform]:
    """The job and the platform of a seed."""
    random = Random(seed)
    shape = random.choice(SHAPES)
    return trace_of(random, shape), platform_of(random, shape)


def compare(trace: Trace, platform: ae.TracePlatform) -> str:
    """What is found: "same", "ambiguous", "not folded", "refused", or where the two differ."""
    try:
        check_communication(trace, platform.dims)
        found = folds(trace, platform)
        if found is None:
            return "not folded"
        few = OneForEach(trace, platform, found)
        few.run()
    except ae.ConfigError:
        return "refused"
    except AmbiguousError:
        return "ambiguous"
    everyone = Everyone(trace, platform, network_of(platform))
    everyone.run()
    own = {npu.npu: _said(npu) for npu in few.npus}
    for npu in everyone.npus:
        representative = found.folding.representative(npu.npu)
        if _said(npu) != own[representative]:
            return f"NPU {npu.npu} differs from NPU {representative} ({found.folding})"
    return "same"


def _said(npu: TraceNpu) -> object:
    """When an NPU was done, and when each of its nodes was begun and ended, in the order of their numbers."""
    return npu.finished_ns, [(ran.start_ns, ran.end_ns) for ran in sorted(npu.ran, key=lambda ran: ran.node.id)]


def main(cases: int = 2000, first: int = 0) -> int:
    """Compare so many cases; return in how many the two differ."""
    count: Counter[str] = Counter()
    for seed in range(first, first + cases):
        found = compare(*case(seed))
        if found.startswith("NPU"):
            print(f"seed {seed}: {found}")
            found = "differ"
        count[found] += 1
    print(", ".join(f"{name}: {number}" for name, number in count.most_common()))
    return count["differ"]


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
