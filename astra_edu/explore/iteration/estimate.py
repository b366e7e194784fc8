"""How long a whole training iteration takes: operators on a device, collectives on a network, stages of a pipeline."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import overload

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.by_trace import by_trace
from astra_edu.explore.iteration.groups import of_first_version
from astra_edu.explore.iteration.parts import WAITS, Part
from astra_edu.explore.iteration.plan_times import PlannedIteration, planned
from astra_edu.explore.iteration.plans import Plan
from astra_edu.explore.iteration.result import Iteration
from astra_edu.explore.iteration.stage_times import StageTimes, stage_times
from astra_edu.pipeline import run_pipeline
from astra_edu.system import Platform, TracePlatform
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.precision import check_multiplied
from astra_edu.workload.strategies.strategy import checked


@overload
def estimate(
    model: Model | str, strategy: Strategy, device: Device | str, platform: Platform | TracePlatform
) -> Iteration: ...


@overload
def estimate(model: Model | str, strategy: Plan, device: Device | str, platform: Platform) -> PlannedIteration: ...


def estimate(
    model: Model | str, strategy: Strategy | Plan, device: Device | str, platform: Platform | TracePlatform
) -> Iteration | PlannedIteration:
    """One iteration of strategy.samples samples. Model and device may be given by name; of ae.plans one is a strategy.

    Each operator takes what the device's roofline says, each collective what `simulate` says on the part of the
    network that its group has for itself (see groups); what is sent within a micro-batch is waited for, or hides behind
    computing as strategy.overlap and a ring's steps have it. The passes of
    all micro-batches go through the stages in the strategy's order, as `run_pipeline` simulates it. Gradients are
    exchanged in turn while the backward pass goes on, those of the last micro-batch or (ZeRO-2, and 3 without stages)
    of every one; what is left at the end is exposed, and so is for how long gathered parameters wait behind them, and
    what the two stages of a part send each other in an order that goes both ways, as if they were neighbours. The
    optimiser is bound by memory. A device with `kernels` is no quicker than its host launches them. Devices of
    ae.DEVICES reach their peaks, so that measured runs took longer, 1.4 to 9 times as long: see Iteration.range_ns;
    `measured.device` and `measured.platform` are calibrated to runs. Not in it: loading data, stragglers, congestion
    between groups. Where messages of one collective share links, bound_ns leads.

    On a Platform the clock is ASTRA-sim 1.0's: each group has links of its own, and exchanges that follow each other
    are on several dimensions at a time. On a TracePlatform it is that of 2.x, where an NPU has one communication at a
    time on its way: the strategy's trace (`ae.traces.from_strategy`) is simulated, and the update added. Then what is
    sent while an NPU computes nothing is its group's, everything else waiting; a trace knows exchanged embeddings, but
    no host that launches kernels, `simulated` is its run, and `pipeline` has the times that passes took there. One
    group alone takes as long by either clock. Of 434 random jobs on up to 512 NPUs 2.x takes 6 % longer in the median,
    and up to 89 %, where a context group's gathers meet the exchange. Real machines are between: NCCL's communicators
    of several groups may be at work at a time, as in 1.0, though they share links and SMs; collectives of one
    communicator go one after the other, as in 2.x.

    Raises ConfigError where model, strategy and platform don't fit, for a device that multiplies no numbers of such
    bits, on a TracePlatform for what no trace can say, with from_strategy's reason, and elsewhere for exchanged
    embeddings, whose overlap `simulate(generate_workload(...), platform)` knows.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> ae.estimate("gpt2", ae.Strategy(data=8), "a100", pods)  # doctest: +NORMALIZE_WHITESPACE
    <80.824 ms by data 8 × tensor 1 × pipeline 1, micro-batches of 1:
     compute 53.326, repeated 0.000, tensor group 0.000, waiting 0.000, exchange 4.581, update 22.917>
    >>> switch = ae.TracePlatform(ae.Block("Switch", 8, 220, 1000), ae.TraceSystem.of("halvingDoubling"))
    >>> ae.estimate("gpt2", ae.Strategy(data=8), "a100", switch)  # in one piece, where pods cut it into 4 chunks
    ... # doctest: +NORMALIZE_WHITESPACE
    <77.605 ms by data 8 × tensor 1 × pipeline 1, micro-batches of 1:
     compute 53.326, repeated 0.000, tensor group 0.000, waiting 0.000, exchange 1.362, update 22.917>
    """
    model = named_model(model)
    if isinstance(strategy, Plan):
        return planned(model, strategy, named_device(device), of_first_version(platform))
    device, strategy = named_device(device), checked(strategy)
    check_multiplied(device, strategy)
    if isinstance(platform, TracePlatform):
        return by_trace(model, strategy, device, platform)
    found = iteration(stage_times(abridged(model), strategy, device, platform))
    if not found.total_ns:
        raise ConfigError(f"this iteration takes less than 1 ns on {device.name}: nothing in it can be told apart.")
    return found


def iteration(times: StageTimes) -> Iteration:
    """Simulate the pipeline, and see where the time goes on the stage that is busy longest."""
    found = _iteration(times)
    return replace(found, at_least=_iteration(times.at_least)) if times.at_least else found


def on_links(times: StageTimes) -> int:
    """How long that takes, of times at which no collective is faster than its links."""
    return _iteration(times).total_ns


def _waited(kind: int, part: Part) -> int:
    return part.waited_ns[kind]


def _iteration(times: StageTimes) -> Iteration:
    strategy = times.strategy
    run = run_pipeline(
        strategy.pipeline_order,
        strategy.pipeline,
        strategy.micro_batches,
        times.forward_ns,
        times.backward_ns,
        times.messages_ns if strategy.pipeline > 1 else 0,
        virtual=strategy.virtual,
        weight_ns=times.weight_ns,
        hidden_ns=times.hidden_ns if strategy.both_ways else 0,
    )
    exchanging = [times.of_stage(stage, lambda part: part.exchanging_ns) for stage in range(strategy.pipeline)]
    busiest = max(range(strategy.pipeline), key=lambda stage: run.busy_ns[stage] - exchanging[stage])
    busy = run.busy_ns[busiest]
    waited = [times.of_stage(busiest, partial(_waited, kind)) for kind in range(len(WAITS))]
    waited[WAITS.index("expert")] -= times.busy_ns[busiest] - busy  # what is hidden of pairs
    tensor, context, expert = waited
    launching = times.of_stage(busiest, lambda part: part.launching_ns)
    return Iteration(
        busy - sum(waited) - launching - exchanging[busiest],
        times.of_stage(busiest, lambda part: part.repeated_ns),
        tensor,
        run.total_ns - busy,
        times.exposed_ns + exchanging[busiest] + times.exchange_left_ns(run),
        times.update_ns,
        run,
        times.model,
        strategy,
        context_ns=context,
        expert_ns=expert,
        launching_ns=launching,
        device=times.device,
        overhead_ns=times.overhead_ns,
    )
