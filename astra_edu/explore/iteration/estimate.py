"""How long a whole training iteration takes: operators on a device, collectives on a network, stages of a pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import overload

from astra_edu.base.bound import SHARED
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.candidates import described
from astra_edu.explore.iteration.parts import WAITS, Part, without_input_gradient
from astra_edu.explore.iteration.plan_times import PlannedIteration, planned
from astra_edu.explore.iteration.plans import Plan
from astra_edu.explore.iteration.stage_times import StageTimes, stage_times
from astra_edu.pipeline import PipelineRun, run_pipeline
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import memory_of
from astra_edu.workload.strategies.strategy import checked


@dataclass(frozen=True)
class Iteration:
    """Where an iteration's time goes, in ns, on the stage that is busy longest; the parts add up to total_ns.

    compute_ns: operators, with repeated_ns of them computed again in the backward pass. tensor_ns: collectives that are
    waited for within a micro-batch: a tensor group's, and the gathers of ZeRO-3. waiting_ns: for other stages and their
    messages, the bubble. data_ns: exposed collectives among the copies. update_ns: the optimiser. pipeline: its run.
    context_ns, expert_ns: collectives of these groups, which are waited for, too. launching_ns: for the host, which
    launches kernels no faster than that.
    at_least: the same with no collective faster than its links, where messages of one share some and ASTRA-sim's
    contention-free model doesn't see it; None where none do. bound_ns: how long that takes.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(data=8), "a100", pods)
    >>> for part, ns in took.split.items():
    ...     print(f"{part}: {ns / 1e6:.1f} ms")
    compute: 53.3 ms
    repeated: 0.0 ms
    tensor group: 0.0 ms
    waiting: 0.0 ms
    exchange: 4.6 ms
    update: 22.9 ms
    """

    compute_ns: int
    repeated_ns: int
    tensor_ns: int
    waiting_ns: int
    data_ns: int
    update_ns: int
    pipeline: PipelineRun
    model: Model
    strategy: Strategy
    context_ns: int = 0
    expert_ns: int = 0
    launching_ns: int = 0
    at_least: Iteration | None = None

    @property
    def bound_ns(self) -> int | None:
        """What the iteration takes at least, if that is more than the model sees."""
        return self.at_least.total_ns if self.at_least else None

    @property
    def total_ns(self) -> int:
        """The whole iteration."""
        return sum(self.split.values())

    @property
    def split(self) -> dict[str, int]:
        """The parts in ns, by names for people: compute counts nothing twice, repeated is what is computed again."""
        return {
            "compute": self.compute_ns - self.repeated_ns,
            "repeated": self.repeated_ns,
            "tensor group": self.tensor_ns,
            **({"context group": self.context_ns} if self.strategy.context > 1 else {}),
            **({"expert group": self.expert_ns} if self.strategy.expert > 1 else {}),
            **({"launching": self.launching_ns} if self.launching_ns else {}),
            "waiting": self.waiting_ns,
            "exchange": self.data_ns,
            "update": self.update_ns,
        }

    @property
    def memory_bytes(self) -> float:
        """What an NPU keeps at the worst moment, as ae.memory says."""
        return memory_of(abridged(self.model), self.strategy).total

    @property
    def flops(self) -> int:
        """Operations of the iteration, on all NPUs, counting nothing twice, and no gradient of the samples."""
        about, samples = abridged(self.model), self.strategy.samples
        first = without_input_gradient(about, about.alone(about.strategy(self.strategy)))
        samples_gradient = sum(about.short.operators[i].input_gradient(samples).flops for i in first)
        return self.model.flops(samples) - samples_gradient

    @property
    def flops_per_s(self) -> float:
        """What each NPU achieves, not counting what is computed again."""
        return self.flops / self.strategy.npus / self.total_ns * 1e9

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {ns / 1e6:,.3f}" for name, ns in self.split.items())
        total = f"{self.total_ns / 1e6:,.3f} ms"
        if self.bound_ns is None:
            return f"<{total} by {described(self.strategy)}: {parts}>"
        return f"<at least {self.bound_ns / 1e6:,.3f} ms: {SHARED} {total} by {described(self.strategy)}: {parts}>"


@overload
def estimate(model: Model | str, strategy: Strategy, device: Device | str, platform: Platform) -> Iteration: ...


@overload
def estimate(model: Model | str, strategy: Plan, device: Device | str, platform: Platform) -> PlannedIteration: ...


def estimate(
    model: Model | str, strategy: Strategy | Plan, device: Device | str, platform: Platform
) -> Iteration | PlannedIteration:
    """One iteration of strategy.samples samples. Model and device may be given by name; of ae.plans one is a strategy.

    Each operator takes what the device's roofline says, each collective what `simulate` says on the part of the
    network that its group has for itself (see groups); what is sent within a micro-batch is waited for. The passes of
    all micro-batches go through the stages in the strategy's order, as `run_pipeline` simulates it. Gradients are
    exchanged in turn while the backward pass goes on, those of the last micro-batch or (ZeRO-2 and 3) of every one;
    what is left at the end is exposed. The optimiser is bound by memory. A device with `kernels`
    is no quicker than its host launches them. Not in it: loading data, stragglers, congestion between groups. Where
    messages of one collective share links, bound_ns leads.

    Raises ConfigError where model, strategy and platform don't fit, and for exchanged embeddings, whose overlap
    `simulate(generate_workload(...), platform)` knows.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> ae.estimate("gpt2", ae.Strategy(data=8), "a100", pods)  # doctest: +NORMALIZE_WHITESPACE
    <80.824 ms by data 8 × tensor 1 × pipeline 1, micro-batches of 1:
     compute 53.326, repeated 0.000, tensor group 0.000, waiting 0.000, exchange 4.581, update 22.917>
    """
    model = named_model(model)
    if isinstance(strategy, Plan):
        return planned(model, strategy, named_device(device), platform)
    device, strategy = named_device(device), checked(strategy)
    found = iteration(stage_times(abridged(model), strategy, device, platform))
    if not found.total_ns:
        raise ConfigError(f"this iteration takes less than 1 ns on {device.name}: nothing in it can be told apart.")
    return found


def iteration(times: StageTimes) -> Iteration:
    """Simulate the pipeline, and see where the time goes on the stage that is busy longest."""
    found = _iteration(times)
    return replace(found, at_least=_iteration(times.at_least)) if times.at_least else found


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
    )
    busiest = max(range(strategy.pipeline), key=times.busy_ns.__getitem__)
    busy = times.busy_ns[busiest]
    waited = [times.of_stage(busiest, partial(_waited, kind)) for kind in range(len(WAITS))]
    tensor, context, expert = waited
    launching = times.of_stage(busiest, lambda part: part.launching_ns)
    return Iteration(
        busy - sum(waited) - launching,
        times.of_stage(busiest, lambda part: part.repeated_ns),
        tensor,
        run.total_ns - busy,
        times.exposed_ns,
        times.update_ns,
        run,
        times.model,
        strategy,
        context_ns=context,
        expert_ns=expert,
        launching_ns=launching,
    )
