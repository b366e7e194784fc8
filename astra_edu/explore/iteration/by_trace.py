"""An iteration by the clock of ASTRA-sim 2.x: the strategy's execution trace, simulated, and the optimiser's update.

A calibrated device's overhead is added, too.

Where an NPU computes nothing, time belongs to what it sends just then: a tensor, context or expert group's, or the
copies'. What is left is waiting: for other stages, and for messages to them and from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from math import ceil

from astra_edu.base.errors import ConfigError
from astra_edu.base.few_collections import few_collections
from astra_edu.base.intervals import common, covered, gaps
from astra_edu.base.so_far import leaves_nothing
from astra_edu.explore.iteration.hidden import computing_of
from astra_edu.explore.iteration.operator_steps import sent_by
from astra_edu.explore.iteration.parts import own_steps
from astra_edu.explore.iteration.result import Iteration
from astra_edu.pipeline import PipelineRun
from astra_edu.run.simulate import simulate
from astra_edu.system import TracePlatform
from astra_edu.traces.built import Built
from astra_edu.traces.make_from_strategy import built_from_strategy
from astra_edu.traces.outline import Unit
from astra_edu.traces.ran import Ran
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged, Places, abridged
from astra_edu.workload.strategies.overlapped import units
from astra_edu.workload.strategies.precision import update_ns

GROUPS = ("tensor", "context", "expert", "data")


def by_trace(model: Model, strategy: Strategy, device: Device, platform: TracePlatform) -> Iteration:
    """What estimate says on such a platform. Raises ConfigError where no trace can say the strategy, as from_strategy.

    >>> switch = ae.TracePlatform(ae.Block("Switch", 8, 220, 1000), ae.TraceSystem.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(data=8), "a100", switch)
    >>> run = ae.simulate(ae.traces.from_strategy("gpt2", took.strategy, "a100", switch), switch)
    >>> took.total_ns == run.total_ns + took.update_ns
    True
    """
    system = platform.system
    if system.replay_only:
        raise ConfigError(
            "this platform's system is replay_only: every node takes its recorded time, and a strategy's collectives "
            "have none. Use a TraceSystem without it."
        )
    with leaves_nothing(), few_collections():
        peak = system.peak_performance if system.roofline else None
        built = built_from_strategy(model, strategy, device, platform, peak_performance=peak)
        run = simulate(built.builder.build(), platform)
    about = abridged(model)
    width = strategy.npus // strategy.pipeline
    npus = [stage * width for stage in range(strategy.pipeline)]
    ran = [run.ran_by(npu) for npu in npus]
    spent = [_spent(own, built.groups_on(npu)) for npu, own in zip(npus, ran, strict=True)]
    busiest = max(range(strategy.pipeline), key=lambda stage: sum(spent[stage].values()) - spent[stage]["data"])
    compute, tensor, context, expert, data = (spent[busiest][name] for name in ("compute", *GROUPS))
    again, update = _alone_ns(about, strategy, device, busiest)
    found = Iteration(
        compute,
        min(again, compute),
        tensor,
        run.total_ns - sum(spent[busiest].values()),
        data,
        update,
        _pipeline(built, npus, ran),
        model,
        strategy,
        context_ns=context,
        expert_ns=expert,
        device=device,
        simulated=run,
        overhead_ns=round(device.calibration.overhead_ns(strategy.micro_batches)) if device.calibration else 0,
    )
    if run.bound_ns is None:
        return found
    return replace(found, at_least=_at_least(found, run.total_ns, run.bound_ns))


def _spent(ran: Sequence[Ran], groups: Mapping[int, str]) -> dict[str, int]:
    """ns for which an NPU computes, and for which it does nothing but send among each group."""
    computes = [(one.start_ns, one.end_ns) for one in ran if one.unit is Unit.COMPUTE]
    free = gaps(computes, 0, max(one.end_ns for one in ran))
    sends = [one for one in ran if one.unit is Unit.COMMUNICATION]  # one after the other
    spent = {"compute": int(covered(computes))}
    for group in GROUPS:
        own = [(one.start_ns, one.end_ns) for one in sends if groups.get(one.node.id) == group]
        spent[group] = int(covered(common(free, own)))
    return spent


def _alone_ns(about: Abridged, strategy: Strategy, device: Device, stage: int) -> tuple[int, int]:
    """(what a stage computes again in all micro-batches, what the optimiser takes on the stage with most parameters).

    An operator in pieces takes as long as they do together.
    """
    steps = own_steps(about, strategy, device)
    for unit in units(about.short, strategy, sent_by(about, about.strategy(strategy))):
        own = [about.short.operators[i].name for i in unit.operators]
        if any(steps[name].repeated_ns for name in own):
            more = computing_of(unit.forward, device, strategy) - sum(steps[name].forward_ns for name in own)
            at = about.short.operators[unit.at].name
            steps[at] = steps[at]._replace(repeated_ns=steps[at].repeated_ns + more)
    every, of = about.parts(strategy), list(steps.values())

    def parameters(part: Places) -> float:
        return sum(of[i].parameters for i in part)

    stages = [[every[k] for k in strategy.parts_on(each)] for each in range(strategy.pipeline)]
    most = max(sum(map(parameters, own)) for own in stages)
    again = sum(of[i].repeated_ns for part in stages[stage] for i in part)
    return round(again * strategy.micro_batches_of_part), round(update_ns(device, strategy, most))


def _pipeline(built: Built, npus: Sequence[int], ran: Sequence[Sequence[Ran]]) -> PipelineRun:
    """When the passes ran on the first NPU of each stage, with what they wait for, without the copies' exchange."""
    exchanged = {one for one, group in built.sent if group == "data"}
    times = [{one.node.id: one for one in own if one.unit is not Unit.RECEIVE} for own in ran]
    starts: list[list[int]] = [[] for _ in npus]
    ends: list[list[int]] = [[] for _ in npus]
    for span in built.run.spans:
        npu, own = npus[span.stage], times[span.stage]
        numbers = [one.number_on(npu) for one in built.passes[span] if one.is_on(npu) and one not in exchanged]
        took = [own[number] for number in numbers if number in own]
        before = max(ends[span.stage], default=0)
        starts[span.stage].append(min((one.start_ns for one in took), default=before))
        ends[span.stage].append(max((one.end_ns for one in took), default=before))
    total = max(max(own) for own in ends)
    return replace(built.run, starts_ns=tuple(map(tuple, starts)), ends_ns=tuple(map(tuple, ends)), total_ns=total)


def _at_least(found: Iteration, run_ns: int, bound_ns: float) -> Iteration:
    """The same no sooner than the links allow; what they need more belongs to groups as what is seen of them does."""
    more, names = ceil(bound_ns) - run_ns, ("tensor_ns", "context_ns", "expert_ns", "data_ns")
    seen = {name: getattr(found, name) for name in names}
    if not (whole := sum(seen.values())):
        return replace(found, waiting_ns=found.waiting_ns + more)
    given = [more * before // whole for before in accumulate(seen.values(), initial=0)]
    parts = {name: ns + until - since for (name, ns), (since, until) in zip(seen.items(), pairwise(given), strict=True)}
    return replace(found, **parts)
