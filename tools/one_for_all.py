"""Random small traces, run as simulate does by default and with everyone=True: what one NPU says for all must be so.

    python -m tools.one_for_all [cases] [first seed]

prints how many were tried, in how many NPU 0 stood for all, and each one in which the two differ.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from math import prod
from random import Random

import astra_edu as ae
from astra_edu.system import Bus
from astra_edu.traces import Builder, Trace

SHAPES = ((2,), (3,), (4,), (5,), (8,), (16,), (2, 2), (2, 4), (4, 2), (4, 4), (3, 4), (8, 2), (8, 4), (2, 2, 2))
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


@dataclass(frozen=True)
class Compared:
    """What one seed's case says. default, everyone: the ns at which each NPU is done, or the error's sentence."""

    seed: int
    platform: ae.TracePlatform
    default: tuple[int, ...] | str
    everyone: tuple[int, ...] | str
    one_for_all: bool
    warned: bool

    @property
    def agree(self) -> bool:
        """Whether both give the same numbers, or neither gives one, or the default says that it may be wrong."""
        if self.warned:
            return True
        if isinstance(self.default, str) or isinstance(self.everyone, str):
            return isinstance(self.default, str) and isinstance(self.everyone, str)
        return self.default == self.everyone


def platform_of(random: Random) -> ae.TracePlatform:
    """A network of up to 32 NPUs, and a system with any of the settings that decide in which order things go."""
    shape = random.choice(SHAPES)
    blocks = [
        ae.Block(
            random.choice(("Ring", "Switch", "FullyConnected")),  # type: ignore[arg-type]
            npus,
            random.choice((1, 10, 50, 100)),
            random.choice((0, 1, 500)),
        )
        for npus in shape
    ]
    hows = [
        random.choice(("ring", "direct", "direct2", *["halvingDoubling"] * (npus & (npus - 1) == 0))) for npus in shape
    ]
    if random.random() < 0.05:
        hows = ["one" + random.choice(("Ring", "Direct"))]
    system = ae.TraceSystem.of(
        hows,
        endpoint_delay=random.choice((0, 10, 10, 10)),
        splits=random.choice((1, 2, 4, 8, 16)),
        active_chunks=random.choice((1, 1, 2, 3, 4, 8)),
        queues=random.choice((1, 1, 2, 3, 8)),
        optimization=random.choice(("baseline", "localBWAware")),
        intra_dimension=random.choice(("FIFO", "FIFO", "SCF", "RG", "lessRemainingPhaseFirst")),
        inter_dimension=random.choice(("baseline", "baseline", "roundRobin", "themis", "themisFlex")),
        rendezvous=random.random() < 0.25,
        local_memory_bandwidth=random.choice((None, None, 50)),
    )
    return ae.TracePlatform(tuple(blocks), system, congestion_aware=random.random() < 0.6)


def trace_of(random: Random, npus: int) -> Trace:
    """One to three collectives, one after the other, with or without a computation before."""
    trace = Builder(npus)
    after = None
    for k in range(random.choice((1, 1, 2, 3))):
        if random.random() < 0.2:
            after = trace.compute(f"compute {k}", random.choice((1, 5)), after=after)
        begin = getattr(trace, random.choice(COLLECTIVES))
        after = begin(f"collective {k}", random.choice((512, 777, 4096, 65_536, 100_000, 2**20)), after=after)
    built: Trace = trace.build()
    return built


def compare(seed: int) -> Compared:
    """The case of a seed."""
    random = Random(seed)
    platform = platform_of(random)
    trace = trace_of(random, prod(platform.dims))
    if random.random() < 0.08:
        platform = replace(platform, system=replace(platform.system, bus=Bus(L=1, o=2, g=3, G=0.01)))
    one_for_all = False
    said: list[tuple[int, ...] | str] = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for everyone in (False, True):
            try:
                run = ae.simulate(trace, platform, everyone=everyone, progress=False)
                said.append(run.finish_ns)
                one_for_all |= run.one_for_all
            except ae.ConfigError as error:
                said.append(str(error))
    warned = any("stands for all" in str(warning.message) for warning in heard)
    return Compared(seed, platform, said[0], said[1], one_for_all, warned)


def main(cases: int = 2000, first: int = 0) -> int:
    """Compare so many cases; return in how many the two differ."""
    count: Counter[str] = Counter()
    for seed in range(first, first + cases):
        found = compare(seed)
        count["tried"] += 1
        count["one for all"] += found.one_for_all
        count["warned"] += found.warned
        count["refused"] += isinstance(found.everyone, str)
        if not found.agree:
            count["differ"] += 1
            print(f"seed {seed}: {_short(found.default)} by default, {_short(found.everyone)} by everyone")
    print(", ".join(f"{name}: {number}" for name, number in count.items()))
    return count["differ"]


def _short(said: tuple[int, ...] | str) -> str:
    return said[:60] if isinstance(said, str) else f"{max(said)} ns"


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
