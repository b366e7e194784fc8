"""How cost grows: a run's time while its NPUs, nodes, chunks or roles double, as exponents and as a figure."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import log
from pathlib import Path
from random import Random

import astra_edu as ae
from tools.bench_cpp import bus, large, mixes, traces
from tools.bench_cpp.case import Case, Goal, Row
from tools.bench_cpp.cpp import run
from tools.bench_cpp.measure import START_SECONDS, TRIES
from tools.bench_cpp.worker import TooLongError, Worker

ROUNDS = 2
LONGEST_SECONDS = 1.5
"""No larger run follows one that took so long."""


@dataclass(frozen=True)
class Series:
    """Runs that get larger in one respect. doubles: which; sizes: how large; make: the case of a size."""

    name: str
    doubles: str
    sizes: tuple[int, ...]
    make: Callable[[int], Case]


@dataclass(frozen=True)
class Grown:
    """CPU seconds of a series: of ours, simulating alone, and of the whole C++ process, where it is there."""

    series: Series
    ours: Mapping[int, float]
    theirs: Mapping[int, float]


def doubled(first: int, last: int) -> tuple[int, ...]:
    """first, twice that, ..., last."""
    sizes = [first]
    while sizes[-1] < last:
        sizes.append(2 * sizes[-1])
    return tuple(sizes)


def all_series() -> list[Series]:
    """Every kind of run that is measured."""
    return [
        Series("all NPUs alike: ring all-reduce", "NPUs", doubled(16, 1024), symmetric),
        Series("3D job, more copies of the same 16 roles", "NPUs", doubled(32, 2048), copies),
        Series("one straggler, 8 all-reduces", "NPUs", doubled(16, 256), lone_straggler),
        Series("shared bus of 1.0, ring all-reduce", "NPUs", doubled(8, 128), partial(bus.all_reduce_1, "ring")),
        Series("pipeline of 32 stages", "nodes of an NPU", doubled(32, 1024), longer_pipeline),
        Series("64 NPUs, asymmetric", "nodes of an NPU", doubled(128, 2048), longer_graphs),
        Series("all NPUs alike: ring all-reduce of 64", "chunks", doubled(4, 256), chunks_alike),
        Series("one straggler among 32", "chunks", doubled(1, 32), chunks_of_straggler),
        Series("pipeline, a stage on each NPU", "roles", doubled(8, 256), partial(deeper_pipeline, 8)),
        Series("random mixes, every NPU different", "roles", doubled(8, 128), larger_mix),
    ]


def symmetric(npus: int) -> Case:
    """All alike."""
    return Case(f"{npus}", ae.traces.collective("all_reduce", 2**20, npus=npus), traces.ring(npus))


def copies(npus: int) -> Case:
    """4 x 4 roles."""
    data = npus // 16
    platform = large.network(False, 4, data, 4)
    return Case(f"{npus}", large.trace_of_strategy(data), platform)


def lone_straggler(npus: int) -> Case:
    """One NPU is slower."""
    return Case(f"{npus}", traces.straggler(npus, 8), traces.ring(npus))


def longer_pipeline(nodes: int) -> Case:
    """A stage in the middle has four nodes for a forward pass and its backward pass, and two receives."""
    return Case(f"{nodes}", traces.pipeline(32, nodes // 6 or 1), traces.ring(32))


def longer_graphs(nodes: int) -> Case:
    """Longer graphs."""
    return Case(f"{nodes}", traces.asymmetric(64, nodes), traces.ring(64))


def chunks_alike(chunks: int) -> Case:
    """All alike."""
    return Case(f"{chunks}", ae.traces.collective("all_reduce", 2**24, npus=64), traces.ring(64, splits=chunks))


def chunks_of_straggler(chunks: int) -> Case:
    """One NPU is slower."""
    return Case(f"{chunks}", traces.straggler(32, 8), traces.ring(32, splits=chunks))


def deeper_pipeline(micro_batches: int, stages: int) -> Case:
    """Every stage is a role of its own."""
    return Case(f"{stages}", traces.pipeline(stages, micro_batches), traces.ring(stages))


def larger_mix(npus: int) -> Case:
    """A mix in groups."""
    return Case(f"{npus}", mixes.mixed(Random("growth"), npus, 60), traces.ring(npus))


def grow(series: Series, programs: Mapping[str, Path]) -> Grown:
    """Measure a series by both programs: the least of a few rounds of each size."""
    ours: dict[int, float] = {}
    theirs: dict[int, float] = {}
    row = Row(series.name, series.name, Goal(), make=partial(_makers, series), limit=60)
    with Worker(row) as worker, tempfile.TemporaryDirectory() as folder:
        for number, size in enumerate(series.sizes):
            _, kind, _ = worker.ask("make", number, limit=START_SECONDS)
            try:
                ours[size] = min(worker.ask("simulate") for _ in range(ROUNDS))
            except TooLongError:
                break
            if kind in programs and max(theirs.values(), default=0) < LONGEST_SECONDS:
                arguments = worker.ask("files", limit=START_SECONDS)
                given = arguments, Path(folder), row.limit, worker.ask("answers"), TRIES
                ran = [run(programs[kind], *given) for _ in range(ROUNDS)]
                if all(one.answer for one in ran):
                    theirs[size] = min(one.seconds for one in ran)
            if ours[size] > LONGEST_SECONDS:
                break
    return Grown(series, ours, theirs)


def _makers(series: Series) -> list[Callable[[], Case]]:
    return [partial(series.make, size) for size in series.sizes]


def exponent(times: Mapping[int, float]) -> float | None:
    """The slope of log time over log size, by least squares; None for fewer than three sizes."""
    if len(times) < 3:
        return None
    points = [(log(size), log(seconds)) for size, seconds in times.items()]
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


def markdown(grown: Sequence[Grown]) -> str:
    """The exponents as a table."""
    lines = ["| what doubles | of | from, to | time, from, to | grows with | C++ |", "|---|---|---|---|---|---|"]
    for one in grown:
        sizes, times = list(one.ours), list(one.ours.values())
        span = f"{sizes[0]:,} to {sizes[-1]:,} | {_ms(times[0])} to {_ms(times[-1])}"
        said = f"{_power(exponent(one.ours))} | {_power(exponent(one.theirs))}"
        lines.append(f"| {one.series.doubles} | {one.series.name} | {span} | {said} |")
    return "\n".join(lines)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2g} s"


def _power(power: float | None) -> str:
    return "-" if power is None else f"n^{power:.1f}"


def tiny(series: Series) -> Series:
    """Its three smallest sizes."""
    return replace(series, sizes=series.sizes[:3])
