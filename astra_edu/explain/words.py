"""The sentences of an explanation. Each says what was recorded or what was simulated, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from astra_edu.base.units import format_ns
from astra_edu.explain.changes import IDEAL, MORE, NETWORK, ORDER, WITHOUT_HARDWARE
from astra_edu.explain.facts import Change, Tried
from astra_edu.explain.phrases import MATTERS, NO_HOPS, dimensions, percent, speed
from astra_edu.explain.shares import BUS, COMPUTE, ENDPOINT, bandwidth_of, latency_of
from astra_edu.explain.use import busy_ns, overload
from astra_edu.run.loop_bound import dimensions_that_meet
from astra_edu.run.result import Result

SCHEDULING = "scheduling"
ALL_BANDWIDTHS = "bandwidth of all dimensions"

_CLEARLY = 1.1
_MUCH_MORE = 1.5
_HIDDEN = 0.95
_CARRIED = 1.05

Total = tuple[Change, float]


def find_bound(result: Result, shares: Mapping[str, float], tried: Tried) -> str:
    """What bounds the run: the largest share, unless the changes show that it isn't alone to blame.

    "scheduling": another order of chunks, or more of them, helps clearly, and more than any faster part would.
    "bandwidth of all dimensions": doubling all saves much more than doubling the one on the critical path.
    """
    largest = next(iter(shares))
    before = tried.before_ns
    scheduling = min((total for change, total in tried.totals if change.cause in (ORDER, MORE)), default=before)
    others = min((total for change, total in tried.totals if change.cause not in _NO_PART), default=before)
    if before > _CLEARLY * scheduling and scheduling < others:
        return SCHEDULING
    own, every = _total(tried, largest), _total(tried, NETWORK)
    if own and every and largest in _bandwidths(result):
        saved, saved_by_all = before - own[1], before - every[1]
        if before > _CLEARLY * every[1] and saved_by_all > _MUCH_MORE * saved:
            return ALL_BANDWIDTHS
    return largest


def _bandwidths(result: Result) -> set[str]:
    """The causes that are one dimension's bandwidth."""
    return set(map(bandwidth_of, range(len(result.platform.network))))


_NO_PART = (*WITHOUT_HARDWARE, NETWORK, IDEAL)


def sentences(result: Result, shares: Mapping[str, float], bound: str, tried: Tried) -> Iterator[str]:
    """The explanation, the most important first."""
    yield _verdict(result, shares, bound, tried)
    yield _of_path(result, shares)
    yield from _of_broken_dimensions(result)
    busy = busy_ns(result)
    yield from _of_links(result, busy)
    yield from _of_use(result, shares, busy)
    yield from _of_changes(result, shares, bound, tried)
    yield from _of_sameness(result, shares)
    yield from _of_confusions(result, shares, tried)
    yield from _of_limits(result, tried)


def _verdict(result: Result, shares: Mapping[str, float], bound: str, tried: Tried) -> str:
    if bound == SCHEDULING:
        return "Scheduling bounds this run: another order or number of chunks helps more than any faster part tried."
    if bound == ALL_BANDWIDTHS:
        return f"The bandwidth of all dimensions together bounds this run{_why_together(result, tried)}."
    if shares[bound] < result.total_ns / 2:
        return f"No one thing bounds this run; {bound} has the largest share."
    article = "The " if bound in (ENDPOINT, BUS) else ""
    return f"{article}{bound if article else _capital(bound)} bounds this run."


def _why_together(result: Result, tried: Tried) -> str:
    """What more of all bandwidths brings, and what more of one."""
    of_one = _bandwidths(result)
    alone = min((total for change, total in tried.totals if change.cause in of_one), default=None)
    every = _total(tried, NETWORK)
    if not alone or not every:
        return ""
    before = tried.before_ns
    return (
        f": twice as much on all makes it {speed(every[1], before)}, on any one of them {speed(alone, before)} at most"
    )


def _of_path(result: Result, shares: Mapping[str, float]) -> str:
    total = result.total_ns
    names = list(shares)[:1] + [name for name in list(shares)[1:4] if shares[name] >= total / 100]
    first, *others = (f"{percent(shares[name], total)} {name}" for name in names)
    first = first.replace(" % ", f" % of the {format_ns(total)} is ")
    return f"Along the critical path, {', '.join([first, *others])}."


def _of_broken_dimensions(result: Result) -> Iterator[str]:
    physical = [dimension.physical for dimension in result.logical]
    for d in {d for d in physical if physical.count(d) > 1}:
        first = physical.index(d)
        yield (
            f"Model-parallel groups break dimension {d} in two; result.dimensions and the timeline call its parts "
            f"{first} and {first + 1} and count on from there, but here it is one."
        )


def _of_links(result: Result, busy: Sequence[float]) -> Iterator[str]:
    times, d = overload(result, busy)
    meet = dimensions_that_meet(result)
    if times > _CARRIED:
        yield (
            f"Communication would take longer in reality: the model puts {times:.3g} times as many bytes on dimension "
            f"{d}'s links as they carry, as its messages pass through each other."
        )
    elif meet:
        yield (
            f"Communication would take longer in reality: on dimension {' and '.join(map(str, meet))} messages share "
            "links, and in the model they pass through each other."
        )


def _of_use(result: Result, shares: Mapping[str, float], busy: Sequence[float]) -> Iterator[str]:
    total = result.total_ns
    used = [(d, percent(ns, total)) for d, ns in enumerate(busy) if ns]
    if len(used) > 1:
        (d, share), *others = used
        more = "".join(f", dimension {d} for {share}" for d, share in others)
        yield f"Dimension {d} had a chunk on it for {share} of the time{more}."
    beside = result.compute_ns - shares.get(COMPUTE, 0)
    if beside > total / 100:
        yield (
            f"The NPU computes for {format_ns(result.compute_ns)} in all; for {format_ns(beside)} of it the critical "
            "path is in communication that goes on at the same time."
        )


def _of_changes(result: Result, shares: Mapping[str, float], bound: str, tried: Tried) -> Iterator[str]:
    before = tried.before_ns
    single = [(change, total) for change, total in tried.totals if change.cause not in (NETWORK, IDEAL)]
    if not any(change.cause for change, _ in single):
        yield from (_would(item, before) for item in single)
        return
    best: Total | None = min(single, key=_ns)
    if best and before < MATTERS * best[1]:
        best = None
    about = {SCHEDULING: next(iter(shares)), ALL_BANDWIDTHS: NETWORK}
    own = _total(tried, about.get(bound, bound))
    if own:
        yield _would(own, before, "more than any other single change tried" if own == best else "")
    told = bound == ALL_BANDWIDTHS and best and best[0].cause in _bandwidths(result)  # in the verdict, of any of them
    if best and best != own and not told:
        yield f"Of single changes, this helps most: {_words(best, before)}."
    free = min((item for item in single if item[0].cause in WITHOUT_HARDWARE), key=_ns, default=None)
    if free and free not in (best, own) and before >= MATTERS * free[1]:
        yield f"Without other hardware: {_words(free, before)}."
    if not best:
        yield f"None of the {len(single)} single changes tried makes it more than 1 % faster."
        return
    faster = sum(before >= MATTERS * total for _, total in single)
    slower = sum(total >= MATTERS * before for _, total in single)
    yield (
        f"Of the {len(single)} single changes tried, {faster} make{'s' * (faster == 1)} it more than 1 % faster and "
        f"{slower} more than 1 % slower."
    )


def _of_sameness(result: Result, shares: Mapping[str, float]) -> Iterator[str]:
    """What it doesn't depend on, as far as that is seen without simulating; the rest is in independent_of."""
    sent, network = result.message_bytes_per_dimension, result.platform.network
    used = [d for d, count in enumerate(sent) if count]
    for d in range(len(network)):
        if used and d not in used and network[d].npus > 1:
            yield f"Dimension {d} carries nothing, so nothing about it makes a difference."
    idle = [d for d in used if bandwidth_of(d) not in shares and latency_of(d) not in shares]
    if len(idle) < len(used):
        yield from (f"Nothing on the critical path waits for {dimensions(idle)}." for _ in idle[:1])
    if used and not result.platform.congestion_aware and not any(network[d].latency for d in used):
        yield NO_HOPS


def _of_confusions(result: Result, shares: Mapping[str, float], tried: Tried) -> Iterator[str]:
    ideal = _total(tried, IDEAL)
    if ideal and tried.before_ns < MATTERS * ideal[1]:
        hidden = shares.get(COMPUTE, 0) > _HIDDEN * result.total_ns
        why = "Communication is hidden behind compute, so the" if hidden else "The"
        yield f"{why} network makes next to no difference: even {_words(ideal, tried.before_ns)}."
    elif ideal:
        yield f"Even {_words(ideal, tried.before_ns)}."
    elif result.stays and result.exposed_ns < result.total_ns / 100:
        share = percent(result.exposed_ns, result.total_ns)
        yield f"Exposed communication is {share} of the time; a faster network can't gain more."
    if not result.stays:
        yield "No collective is carried out, so the network makes no difference."
    for layer in result.workload.layers:
        for kind in ("forward", "input gradient", "weight gradient"):
            work = getattr(layer, kind.replace(" ", "_"))
            if work.collective is not None and not work.size:
                yield f"Layer {layer.name}: the {work.collective} of its {kind} has 0 bytes and takes no time."


def _of_limits(result: Result, tried: Tried) -> Iterator[str]:
    if tried.left_out:
        names = "; ".join(change.description for change in tried.left_out)
        yield f"Left out, as the model would put more on links than they carry: {names}."
    if tried.passes != result.passes:
        before = format_ns(tried.before_ns)
        yield f"The changes are compared over {tried.passes} of {result.passes} passes, which takes {before}."
    if tried.untried:
        yield f"{tried.untried} more changes were not tried, as the run is large."


def _total(tried: Tried, cause: str) -> Total | None:
    return min((item for item in tried.totals if item[0].cause == cause), key=_ns, default=None)


def _ns(item: Total) -> float:
    return item[1]


def _would(item: Total, before: float, more: str = "") -> str:
    return f"{_capital(_words(item, before))}{f', {more}' if more else ''}."


def _words(item: Total, before: float) -> str:
    change, total = item
    return f"{change.description} would make it {format_ns(total)}, {speed(total, before)}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
