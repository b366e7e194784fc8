"""The bars of chunks over dimensions: total times, how busy each dimension was, and the loads that Themis books."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.units import MIB, format_ns, several
from astra_edu.collectives import Collective
from astra_edu.course.instruments.chunks_job import ChunksRun, Decision, booked
from astra_edu.course.instruments.scene import Bar, Bars, Part

ALIKE = "two or more alike"
"""Of dimensions whose busy times differ by less than 1 %."""


def words(run: ChunksRun) -> str:
    """A run's time, or the bound that leads where messages share links."""
    return total_words(run.result.total_ns, run.result.bound_ns)


def gain(run: ChunksRun, than: ChunksRun) -> float:
    """By how many % a run is shorter than another; negative where it is longer."""
    return 100 * (than.needed_ns - run.needed_ns) / than.needed_ns


def gain_words(run: ChunksRun, than: ChunksRun) -> str:
    """The same in words."""
    share = gain(run, than)
    return f"{abs(share):.1f} % {'longer' if share < 0 else 'shorter'}" if share else "the same"


def busiest(run: ChunksRun, dims: int) -> str:
    """The dimension that is busy longest, as a choice."""
    times = [run.busy_ns(d) for d in range(dims)]
    longest = [d for d in range(dims) if times[d] >= 0.99 * max(times)]
    return f"dimension {longest[0]}" if len(longest) == 1 else ALIKE


def time_bars(runs: Sequence[ChunksRun]) -> Bars:
    """The runs' totals, in µs."""
    bars = tuple(Bar(run.name, (Part("whole run", run.needed_ns / 1e3),), words(run)) for run in runs)
    return Bars("Time of the collective", bars, "µs")


def busy_bars(runs: Sequence[ChunksRun], dims: int) -> Bars:
    """The share of its run in which each dimension has a chunk, by what is done with it."""
    bars = []
    for run in runs:
        for d in range(dims):
            kinds: dict[str, float] = {}
            for span in run.on(d):
                kinds[span.phase] = kinds.get(span.phase, 0) + span.end_ns - span.start_ns
            total = run.result.total_ns
            parts = tuple(Part(kind, 100 * ns / total) for kind, ns in kinds.items())
            bars.append(Bar(f"{run.name}, dimension {d}", parts, f"{100 * run.busy_ns(d) / total:.1f} %"))
    return Bars("Busy with chunks, share of the run", tuple(bars), "%")


def load_bars(decided: Sequence[Decision]) -> Bars:
    """What is booked on each dimension, a part for every chunk, in the order of the decisions."""
    bars = []
    for d, load in enumerate(decided[-1].loads):
        parts = tuple(
            Part("begins here" if each.order[0] == d else "comes later", size)
            for each, size in zip(decided, booked(decided, d), strict=True)
        )
        bars.append(Bar(f"dimension {d}", parts, f"{load:,.1f} MiB"))
    return Bars("Loads that Themis books, chunk by chunk", tuple(bars), "MiB at dimension 0’s bandwidth")


def _sent(run: ChunksRun, dims: int) -> list[float]:
    """What an NPU has sent over each dimension, as loads count it: of an all-reduce one half."""
    network, sent = run.result.platform.network, run.result.message_bytes_per_dimension
    halves = 2 if any(span.collective is Collective.ALL_REDUCE for span in run.on(0)) else 1
    return [sent[d] / halves / MIB * network[0].bandwidth / network[d].bandwidth for d in range(dims)]


def sentences(runs: Sequence[ChunksRun], decided: Sequence[Decision]) -> tuple[str, ...]:
    """How busy the dimensions are, where chunks begin, and what the times leave out."""
    dims = len(decided[0].loads)
    begin = [sum(each.order[0] == d for each in decided) for d in range(dims)]
    starts = ", ".join(f"{count} on dimension {d}" for d, count in enumerate(begin))
    busy = ", ".join(f"{100 * runs[0].busy_ns(d) / runs[0].result.total_ns:.0f} %" for d in range(dims))
    whose = "you and Themis" if len(runs) > 2 else "Themis"
    found = [
        f"By the baseline dimensions {', '.join(map(str, range(dims)))} are busy for {busy} of the time.",
        f"Of {several(len(decided), 'chunk')} {whose} let{'' if len(runs) > 2 else 's'} begin {starts}.",
    ]
    sent = _sent(runs[-1], dims)
    if any(abs(one - other) > 1e-6 * other for one, other in zip(decided[-1].loads, sent, strict=True)):
        found.append(
            "ASTRA-sim’s Themis books chunks of an all-gather that it leaves in the order 0, 1, … on other dimensions "
            f"than they go over: what is sent counts {', '.join(f'{size:,.1f}' for size in sent)} MiB there."
        )
    for run in runs:
        if why := caveat(run.result.total_ns, run.result.bound_ns, format_ns):
            found.append(f"{run.name}: {why}.")
    return tuple(found)
