"""Random small traces on the congestion-unaware network: phases timed at once must say what following messages says.

    python -m tools.joined [cases] [first seed]

prints how many were tried, in how many phases were timed at once, and each one in which the two differ.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import astra_edu as ae
from astra_edu.network.unaware import Unaware
from astra_edu.run.everyone import Everyone
from astra_edu.run.joined import can_join, run_joined
from astra_edu.system.queues import Stay
from astra_edu.traces import Builder, Trace

SHAPES = ((2,), (3,), (4,), (5,), (8,), (16,), (2, 2), (2, 4), (4, 2), (4, 4), (3, 4), (8, 2), (2, 2, 2), (4, 2, 2))
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
SIZES = (512, 777, 4096, 65_536, 100_000, 2**20)
KINDS = ("Ring", "Switch", "FullyConnected")


Causes = dict[tuple[int, ...], tuple[int, ...] | str]
"""Of each stay, by NPU, collective, chunk and step: the stay at whose end it was started, or a word."""


@dataclass(frozen=True)
class Compared:
    """What one seed's case says. joined, followed: of each NPU its finish and nodes; None where that isn't known.

    What an NPU ends in one ns is in no order. joined_causes, followed_causes: see causes.
    """

    trace: Trace
    platform: ae.TracePlatform
    joined: object
    followed: object
    joined_causes: Causes
    followed_causes: Causes

    @property
    def agree(self) -> bool:
        """Whether both say the same, or phases couldn't be timed at once."""
        if self.joined is None:
            return True
        if "another time" in self.joined_causes.values():
            return False
        return self.joined == self.followed and self.joined_causes == self.followed_causes


def with_ties(random: Random) -> ae.TracePlatform:
    """Dimensions that are all alike and many chunks on their way, so that much happens in the same ns."""
    shape = random.choice(((4,), (8,), (2, 2), (4, 4), (2, 2, 2)))
    block = random.choice(KINDS), shape[0], random.choice((50, 100)), random.choice((10, 100, 500))
    system = ae.TraceSystem.of(
        [random.choice(("ring", "ring", "direct", "direct2", "halvingDoubling")) for _ in shape],
        endpoint_delay=10,
        splits=random.choice((4, 8, 16)),
        active_chunks=random.choice((1, 2, 3, 4, 8)),
        queues=random.choice((1, 1, 2, 3)),
        optimization=random.choice(("baseline", "localBWAware")),
        intra_dimension=random.choice(("FIFO", "SCF", "RG", "lessRemainingPhaseFirst")),
        inter_dimension=random.choice(("baseline", "roundRobin", "roundRobin")),
        local_memory_bandwidth=random.choice((50, 100, 1000)),
        peak_performance=1,
        roofline=True,
    )
    return ae.TracePlatform(tuple(ae.Block(*block) for _ in shape), system)  # type: ignore[arg-type]


def platform_of(random: Random) -> ae.TracePlatform:
    """A network of up to 16 NPUs without congestion, and a system with any of the settings that decide orders."""
    if random.random() < 0.4:
        return with_ties(random)
    shape = random.choice(SHAPES)
    same = random.random() < 0.4

    def block() -> tuple[str, int, int]:
        return random.choice(KINDS), random.choice((1, 10, 50, 100)), random.choice((0, 1, 10, 500))

    one = block()
    blocks = []
    for npus in shape:
        kind, bandwidth, latency = one if same else block()
        blocks.append(ae.Block(kind, npus, bandwidth, latency))  # type: ignore[arg-type]
    hows = []
    for npus in shape:
        twos = ["halvingDoubling"] * (npus & (npus - 1) == 0)
        hows.append(random.choice(["ring", "ring", "direct", "direct2", "direct3", "bidirectional-ring", *twos]))
    if random.random() < 0.05:
        hows = ["one" + random.choice(("Ring", "Direct"))]
    system = ae.TraceSystem.of(
        hows,
        endpoint_delay=random.choice((1, 7, 10, 10, 10)),
        splits=random.choice((1, 1, 2, 4, 8)),
        active_chunks=random.choice((1, 1, 2, 3, 4, 8)),
        queues=random.choice((1, 1, 2, 3)),
        optimization=random.choice(("baseline", "localBWAware")),
        intra_dimension=random.choice(("FIFO", "FIFO", "FIFO", "SCF", "RG", "lessRemainingPhaseFirst")),
        inter_dimension=random.choice(("baseline", "baseline", "roundRobin")),
        local_memory_bandwidth=random.choice((50, 1000)),
        peak_performance=1,
        roofline=True,
    )
    return ae.TracePlatform(tuple(blocks), system)


def trace_of(random: Random, npus: int) -> Trace:
    """Computations of any length, collectives of all or of groups, and messages, in one order for all NPUs."""
    trace = Builder(npus)
    groups: list[tuple[int, ...]] = []
    for _ in range(random.choice((0, 1, 2, 4))):
        members = random.sample(range(npus), random.randint(2, npus))
        groups.append(tuple(members if random.random() < 0.5 else sorted(members)))
    fine = random.random() < 0.5
    latest: list[list[ae.traces.Operation]] = [[] for _ in range(npus)]

    def after(on: list[int]) -> list[ae.traces.Operation]:
        if random.random() < 0.2:
            return []
        found = {id(done[-1]): done[-1] for npu in on if (done := latest[npu])}
        return [one for one in found.values() if set(on) <= set(one.npus)]

    def note(operation: ae.traces.Operation, on: list[int]) -> None:
        for npu in on:
            latest[npu].append(operation)

    for k in range(random.choice((2, 4, 8))):
        what = random.random()
        if what < 0.35:
            on = sorted(random.sample(range(npus), random.choice((1, npus, random.randint(1, npus)))))
            if fine:
                ns = random.choice((0, 10, 20, 100, 37, random.randint(1, 500), random.randint(1, 20_000)))
                compute = trace.compute(f"c{k}", num_ops=ns * 1000, tensor_size=1, after=after(on), on=on)
            else:
                compute = trace.cpu(f"c{k}", random.choice((0, 1, 5)), after=after(on), on=on)
            note(compute, on)
        elif what < 0.8 or npus == 2:
            begin = getattr(trace, random.choice(COLLECTIVES))
            group = random.choice([None, *groups])
            on = list(range(npus)) if group is None else sorted(group)
            note(begin(f"x{k}", random.choice(SIZES), after=after(on), group=group), on)
        else:
            source, to = random.sample(range(npus), 2)
            size = random.choice((512, 4096, 100_000))
            note(trace.send(f"s{k}", size, to, on=source, after=after([source]), tag=k), [source])
            note(trace.receive(f"r{k}", size, source, on=to, after=after([to]), tag=k), [to])
    built: Trace = trace.build()
    return built


def compare(seed: int) -> Compared | None:
    """The case of a seed; None where it can't be run."""
    random = Random(seed)
    platform = platform_of(random)
    trace = trace_of(random, platform.npus)
    record = random.random() < 0.5
    if not can_join(trace, platform):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = Everyone(trace, platform, Unaware(platform.blocks), record)
            run.run()
            followed = _said(run)
            found = run_joined(trace, platform, record)
        except ae.ConfigError:
            return None
    joined = (None, {}) if found is None else (_said(found), causes(found.stays))
    return Compared(trace, platform, joined[0], followed, joined[1], causes(run.stays))


def _said(run: Everyone) -> object:
    nodes = [sorted((ran.end_ns, ran.node.id, ran.start_ns) for ran in npu.ran) for npu in run.npus]
    stays = sorted((*_name(stay), stay.queued_ns, stay.start_ns, stay.end_ns) for stay in run.stays)
    return [npu.finished_ns for npu in run.npus], nodes, stays


def causes(stays: Sequence[Stay]) -> Causes:
    """At the end of which stay each one was started; "issued", where none ended.

    "a tie": one of several that ended at the NPU in that ns, or in which a collective was issued; of phases that are
    timed at once it isn't known which of these was first, where that decides nothing else. "another time": of none.
    """
    ended: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for number, stay in enumerate(stays):
        ended[stay.npu, stay.end_ns].add(number)
        ended[stay.npu, stay.issued.created_ns].add(-1)
    found: Causes = {}
    for stay in stays:
        might = ended[stay.npu, stay.start_ns]
        if stay.after not in might:
            cause: tuple[int, ...] | str = "another time"
        elif len(might) > 1:
            cause = "a tie"
        else:
            cause = _name(stays[stay.after]) if stay.after >= 0 else "issued"
        found[_name(stay)] = cause
    return found


def _name(stay: Stay) -> tuple[int, ...]:
    number: int = stay.what.id  # type: ignore[attr-defined]
    return stay.npu, number, stay.chunk, stay.step


def main(cases: int = 2000, first: int = 0) -> int:
    """Compare so many cases; return in how many the two differ."""
    count: Counter[str] = Counter()
    for seed in range(first, first + cases):
        found = compare(seed)
        count["tried"] += 1
        if found is None:
            count["can't be run"] += 1
            continue
        count["timed at once"] += found.joined is not None
        if not found.agree:
            count["differ"] += 1
            print(f"seed {seed}: {str(found.joined)[:100]} at once, {str(found.followed)[:100]} followed")
    print(", ".join(f"{name}: {number}" for name, number in count.items()))
    return count["differ"]


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
