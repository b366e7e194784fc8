"""How a pipeline's run is explained: which stage holds it up, what the bubble is, what another order would bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from astra_edu.base.errors import ConfigError
from astra_edu.base.span import COMPUTE
from astra_edu.base.units import format_ns, several
from astra_edu.explain.facts import Change, Facts, Shares, Tried, largest, largest_first
from astra_edu.explain.inputs_of_pipeline import again, inputs_of_pipeline
from astra_edu.explain.path_of_passes import TRANSFER, path_of_passes
from astra_edu.explain.phrases import percent, with_changes
from astra_edu.explain.segment import Segment
from astra_edu.pipeline import ORDERS, PipelineRun
from astra_edu.pipeline.places import BOTH_WAYS, placement_of

TRANSFERS = "transfers"
MOST_PASSES = 100_000
"""A run of more passes isn't repeated with changes."""


def _shares(run: PipelineRun, path: Sequence[Segment]) -> Shares:
    """ns of each stage's passes on the path, and of what travels between stages; largest first."""
    causes = ((TRANSFERS if segment.lane == TRANSFER else f"stage {segment.npu}", segment) for segment in path)
    taken = ((cause, segment) for cause, segment in causes if segment.lane in (COMPUTE, TRANSFER))
    return largest_first((cause, int(segment.end_ns - segment.start_ns)) for cause, segment in taken)


def _tried(run: PipelineRun, shares: Shares, wanted: bool | Iterable[Change]) -> Tried:
    if wanted not in (True, False):
        raise ConfigError("changes of a pipeline are runs of their own; compare what ae.run_pipeline returns.")
    totals: list[tuple[Change, float]] = []
    if wanted and len(run.spans) <= MOST_PASSES and run.total_ns:
        for description, settings in _candidates(run):
            with suppress(ConfigError):  # an order that doesn't fit these micro-batches
                totals.append((Change(description), again(run, **settings)))
    return Tried(run.total_ns, 1, tuple(totals))


def _candidates(run: PipelineRun) -> Iterator[tuple[str, dict[str, object]]]:
    """(What is changed, in words; the settings that differ) of changes of one thing each."""
    if any(run.p2p_ns):
        yield "transfers that take no time", {"p2p_ns": 0}
    even = {name: _even(getattr(run, name)) for name in ("forward_ns", "backward_ns")}
    if even != {name: list(getattr(run, name)) for name in even}:
        yield "the same work in parts of equal time", dict(even)
    for order in ORDERS:
        if order not in (run.order, "interleaved") and run.virtual == 1:  # with one virtual stage that is 1F1B
            twice = ", which has every part on two stages," if placement_of(ORDERS[order]) == BOTH_WAYS else ""
            yield f"the order {order}{twice}", {"order": order}
    if run.order in ORDERS:
        halves = {name: [time // 2 for time in getattr(run, name)] for name in ("forward_ns", "backward_ns")}
        more = {"order": run.order, "micro_batches": 2 * run.micro_batches}
        yield f"{2 * run.micro_batches} micro-batches of half the time each", more | halves


def _even(times: Sequence[int]) -> list[int]:
    """The same sum in parts that differ by 1 ns at most."""
    least, rest = divmod(sum(times), len(times))
    return [least + (part < rest) for part in range(len(times))]


def _sentences(run: PipelineRun, shares: Shares, bound: str, tried: Tried) -> Iterator[str]:
    total = run.total_ns
    work = f"{several(run.micro_batches, 'micro-batch')} through {several(run.stages, 'stage')}"
    bubble = f"the bubble is {percent(run.bubble)}" if run.bubble else "there is no bubble"
    yield f"{work} in the order {run.order} take {format_ns(total)}; {bubble}."
    first, *others = (f"{percent(ns / total)} {cause}" for cause, ns in list(shares.items())[:4])
    yield f"Along the critical path, {', '.join([first.replace(' % ', ' % is ', 1), *others])}."
    yield from _of_stages(run)
    yield from _of_memory(run)
    yield from with_changes(tried)


def _of_stages(run: PipelineRun) -> Iterator[str]:
    longest, shortest = max(run.busy_ns), min(run.busy_ns)
    if longest == shortest:
        if run.stages > 1:
            yield f"All stages compute for as long, {format_ns(longest)}; no stage holds up the others."
        return
    slow = run.busy_ns.index(longest)
    yield (
        f"Stage {slow} computes longest, {format_ns(longest)}, {longest / (run.ideal_ns or 1):.2f} times the mean; "
        "where stages differ, the slowest sets the pace."
    )


def _of_memory(run: PipelineRun) -> Iterator[str]:
    most = max(run.in_flight)
    stage = run.in_flight.index(most)
    count = several(run.micro_batches, "micro-batch")
    yield f"Stage {stage} keeps activations for up to {most:.4g} of {count} at once."


OF_PIPELINE = Facts(path_of_passes, _shares, _tried, largest, _sentences, inputs_of_pipeline, tables=True)
