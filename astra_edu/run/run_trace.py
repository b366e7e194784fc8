"""Run a trace on a platform: one NPU for all where that will do, one for each role, or everyone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import warn
from astra_edu.clock.foreseen import DisturbedError
from astra_edu.network.folded import AmbiguousError
from astra_edu.run.effort import MOST_MESSAGES, check_effort, check_hops, messages_of, steps_of
from astra_edu.run.everyone import Everyone
from astra_edu.run.finished import check_finished
from astra_edu.run.folds import folds
from astra_edu.run.hardware import Hardware, WatchedMessages
from astra_edu.run.joined import can_join, run_joined
from astra_edu.run.lost_ends import lost_ends
from astra_edu.run.networks import MakesNetwork, check_switches, check_times, network_of, said_of
from astra_edu.run.one_for_all import OneForAll, fits, undisturbed
from astra_edu.run.one_for_each import OneForEach
from astra_edu.run.roles.answers import RanOfAll
from astra_edu.run.roles.followed import run_by_roles
from astra_edu.run.stalled import check_stalled
from astra_edu.run.trace_result import TraceResult
from astra_edu.system.custom import sends_at_once
from astra_edu.system.queues import Stay
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.communication import check_communication
from astra_edu.traces.npu import TraceNpu
from astra_edu.traces.ran import Ran, RanByAll

MOST_FOR_A_TIE = 200_000
"""All NPUs are followed for the sake of a tie in one ns only where they send fewer messages than this."""
FEWEST_FOR_ROLES = 2_000
"""Roles are looked for where all NPUs together have so many nodes."""
FEWEST_FOR_FOLDS = 2_000
"""Roles on the congestion-aware network are looked for where all NPUs together send so many messages."""
MOST_SHOWN = 100_000
"""Of so many nodes of all NPUs together each is shown; of more, those of the NPUs that were followed."""
_NOT_SURE = (
    "NPU 0 stands for all, as all NPUs do the same; but here it matters which of them has its turn first in a ns, so "
    "the time may be another, or they may never finish. simulate(..., everyone=True) follows them one by one."
)
_NOT_SURE_ROLES = (
    "one NPU stands for all of its role; but here it matters which of several NPUs has its turn first in a ns, so the "
    "times may be others for some. simulate(..., everyone=True) follows all one by one."
)


def run_trace(
    trace: Trace,
    platform: TracePlatform,
    record: bool = False,
    everyone: bool = False,
    progress: bool = True,
    network: MakesNetwork | None = None,
    hardware: Hardware | None = None,
) -> TraceResult:
    """Run a trace, to the nanosecond as ASTRA-sim 2.x does.

    record: keep every chunk's stay in a phase and every message's on a link. everyone: follow all NPUs even where
    one could stand for all, or for several. progress: show a progress bar when it takes more than a second. network:
    what carries the messages instead of the platform's own network; hardware: NPUs of one's own. Then all are followed.

    Raises ConfigError where sizes don't fit, where NPUs wait for what never comes, and where there would be more
    messages than can be followed.
    """
    if trace.npus != platform.npus:
        raise ConfigError(
            f"the trace is for {trace.npus} NPUs, the network has {platform.npus} "
            f"({' x '.join(map(str, platform.dims))})."
        )
    _warn_of_order(platform)
    links = record and platform.congestion_aware
    asks = "network=" if network is not None else hardware.asks if hardware else ""
    if not asks and not everyone and not links and fits(trace, platform):
        check_hops(trace, platform, once=undisturbed(trace, platform))
        try:
            return _one_for_all(trace, platform, record, strict=True)
        except AmbiguousError:
            if messages_of(trace, platform) > MOST_FOR_A_TIE:
                found = _one_for_all(trace, platform, record, strict=False)
                warn(_NOT_SURE, stacklevel=3)
                return found
    if not platform.system.replay_only:
        check_communication(trace, platform.dims)
        if network is not None:
            check_switches(trace, platform)
    if not asks and not everyone and not links:
        by_roles = _by_roles(trace, platform, record, progress)
        if by_roles is not None:
            return by_roles
    run = None
    if not (asks or everyone) and can_join(trace, platform):
        run = run_joined(trace, platform, record, messages_of(trace, platform) if progress else 0)
    if run is None:
        expected = messages_of(trace, platform)
        if not asks and not everyone and not links and expected >= FEWEST_FOR_FOLDS:
            folded = _folded(trace, platform, expected, progress)
            if folded is not None:
                return folded
        check_effort(expected, asks or _asks(trace, platform, everyone, links), platform.congestion_aware)
        skips = network is None and not everyone
        run = Everyone(trace, platform, network_of(platform, network), record, hardware, skips=skips)
        run.run(expected if progress else 0)
    if isinstance(run.messages, WatchedMessages):
        check_stalled(run.npus, run.messages)
    check_finished(run.npus, run.messages.unmatched(), str(run.network.blocked() or ""))
    finish_ns = tuple(npu.finished_ns or 0 for npu in run.npus)
    check_times(finish_ns)
    _took_time(max(finish_ns))
    ran = RanByAll([npu.record for npu in run.npus])
    said = said_of(run.network)
    own = network is not None
    return TraceResult(trace, platform, finish_ns, ran, run.stays, run.uses, run.lost, statistics=said, own_network=own)


def _by_roles(trace: Trace, platform: TracePlatform, record: bool, progress: bool) -> TraceResult | None:
    """A run of one NPU for each role; None where that isn't worth it, or NPUs have to be followed one by one."""
    shared = trace.templates
    nodes = sum(len(own) * count for own, count in zip(shared.templates, shared.counts, strict=True))
    if nodes < FEWEST_FOR_ROLES or (record and nodes <= MOST_SHOWN):
        return None
    run = run_by_roles(trace, platform, record, progress)
    if run is None:
        return None
    if run.in_doubt:
        if steps_of(trace, platform) <= MOST_MESSAGES:
            return None
        warn(_NOT_SURE_ROLES, stacklevel=4)
    return _of_roles(trace, platform, run.npus, run.roles.stands_for, run.stays)


def _folded(trace: Trace, platform: TracePlatform, expected: int, progress: bool) -> TraceResult | None:
    """A run of one NPU for each role on the congestion-aware network; None where NPUs have to be followed one by one.

    Where the order in a ns isn't known, all are followed if that is possible at all, as without roles.
    """
    found = folds(trace, platform)
    if found is None:
        return None
    shown = expected * len(found.folding.roles) // trace.npus if progress else 0
    try:
        run = OneForEach(trace, platform, found)
        run.run(shown)
    except AmbiguousError:
        if expected <= MOST_MESSAGES:
            return None
        run = OneForEach(trace, platform, found, strict=False)
        run.run(shown)
        warn(_NOT_SURE_ROLES, stacklevel=4)
    check_finished(run.npus, lost_ends(trace, found, run.messages.unmatched()), stands_for=found.folding.stands_for)
    return _of_roles(trace, platform, run.npus, found.folding.stands_for, statistics=said_of(run.network))


def _of_roles(
    trace: Trace,
    platform: TracePlatform,
    npus: Sequence[TraceNpu],
    stands_for: Sequence[int],
    stays: Sequence[Stay] = (),
    statistics: Mapping[str, Any] = MappingProxyType({}),
) -> TraceResult:
    """What all NPUs did, as the followed ones have done it. stands_for: for each NPU who was followed in its place."""
    finish = {npu.npu: npu.finished_ns or 0 for npu in npus}
    _took_time(max(finish.values()))
    of_all = RanOfAll(trace, stands_for, {npu.npu: npu.ran for npu in npus})
    ran: Sequence[Ran] = of_all if len(of_all) <= MOST_SHOWN else of_all.of_followed()
    finish_ns = tuple(map(finish.__getitem__, stands_for))
    return TraceResult(trace, platform, finish_ns, ran, stays, statistics=statistics, of_all=of_all)


def _asks(trace: Trace, platform: TracePlatform, everyone: bool, links: bool) -> str:
    """The keyword for whose sake all NPUs are followed; "" where the trace itself asks for it."""
    if everyone:
        return "everyone=True"
    return "record=True" if links and fits(trace, platform) else ""


def _warn_of_order(platform: TracePlatform) -> None:
    """Custom collectives whose messages may queue for a link in another order than in ASTRA-sim."""
    system = platform.system
    custom = [*system.custom.values(), *system.custom_nodes.values()]
    if platform.congestion_aware and any(sends_at_once(trace) for trace in custom):
        warnings.warn(
            "a custom collective has messages of one NPU that leave in the same ns: where they share a link, they "
            "queue by ascending node id here, and in the order of a hash table in ASTRA-sim, so the times may differ. "
            "Let each wait for the one before (ctrl_deps) to have the same order in both.",
            stacklevel=3,
        )


def _one_for_all(trace: Trace, platform: TracePlatform, record: bool, strict: bool) -> TraceResult:
    try:
        alone = OneForAll(trace, platform, record, strict)
        alone.run()
    except DisturbedError:
        alone = OneForAll(trace, platform, record, strict, timed=False)
        alone.run()
    check_finished([alone.npu], [], stands_for=(0,) * trace.npus)
    finish = alone.npu.finished_ns or 0
    _took_time(finish)
    return TraceResult(trace, platform, (finish,) * trace.npus, alone.npu.ran, alone.stays, one_for_all=True)


def _took_time(total_ns: int) -> None:
    """Raise ConfigError for a run of 0 ns."""
    if not total_ns:
        raise ConfigError(
            "this run takes 0 ns: the trace has no nodes, or nothing in it takes time (no endpoint delay, no latency, "
            "messages too small for a whole ns). ASTRA-sim stops there, too."
        )
