"""How long a whole training iteration takes: operators on a device, collectives on a network, stages of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from astra_edu.errors import ConfigError
from astra_edu.iteration.groups import groups
from astra_edu.iteration.parts import Costs, Part, part_of
from astra_edu.pipeline import PipelineRun, run_pipeline
from astra_edu.system import Platform
from astra_edu.units import format_ns
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy, communications, stages


@dataclass(frozen=True)
class Iteration:
    """Where an iteration's time goes, in ns, on the stage that is busy longest; the parts add up to total_ns.

    compute_ns: operators, with repeated_ns of them computed again in the backward pass. tensor_ns: collectives that are
    waited for within a micro-batch: a tensor group's, and the gathers of ZeRO-3. waiting_ns: for other stages and their
    messages, the bubble. data_ns: exposed collectives among the copies. update_ns: the optimiser. flops: an
    iteration's, counting nothing twice.
    """

    compute_ns: int
    repeated_ns: int
    tensor_ns: int
    waiting_ns: int
    data_ns: int
    update_ns: int
    flops: int
    npus: int
    pipeline: PipelineRun

    @property
    def total_ns(self) -> int:
        """The whole iteration."""
        return self.compute_ns + self.tensor_ns + self.waiting_ns + self.data_ns + self.update_ns

    @property
    def flops_per_s(self) -> float:
        """What each NPU achieves, not counting what is computed again."""
        return self.flops / self.npus / self.total_ns * 1e9

    def __repr__(self) -> str:
        return (
            f"<{format_ns(self.total_ns)}: compute {format_ns(self.compute_ns)}, tensor {format_ns(self.tensor_ns)}, "
            f"waiting {format_ns(self.waiting_ns)}, data {format_ns(self.data_ns)}, update {format_ns(self.update_ns)}>"
        )


def estimate(model: Model | str, strategy: Strategy, on: Device | str, platform: Platform) -> Iteration:
    """One iteration of strategy.samples samples. Model and device may be given by name.

    Each operator takes what the device's roofline says, each collective what `simulate` says on the part of the
    network that its group has for itself (see groups); what is sent within a micro-batch is waited for. The passes of
    all micro-batches go through the stages in the strategy's order, as `run_pipeline` simulates it. The gradients of
    the last micro-batch are exchanged while its backward pass goes on; what is left at its end is exposed. The
    optimiser is bound by memory. Not in it: loading data, launching kernels, stragglers, congestion between groups.

    Raises ConfigError where model, strategy and platform don't fit, and for exchanged embeddings, whose overlap
    `simulate(generate_workload(...), platform)` knows.
    """
    model = named_model(model) if isinstance(model, str) else model
    on = named_device(on) if isinstance(on, str) else on
    if strategy.exchange_embeddings:
        raise ConfigError("estimate doesn't know exchanged embeddings; use simulate(generate_workload(...), platform).")
    costs = Costs(on, strategy, groups(platform, strategy), communications(model, strategy))
    in_blocks = frozenset(i for block in model.blocks for i in block)
    parts = [part_of(chunk, model, in_blocks, costs) for chunk in stages(model, strategy.pipeline * strategy.virtual)]
    run = run_pipeline(
        strategy.schedule,
        strategy.pipeline,
        strategy.micro_batches,
        [round(part.forward_ns) for part in parts],
        [round(part.backward_ns) for part in parts],
        costs.messages_ns(),
        virtual=strategy.virtual,
    )
    of_stage = [parts[stage :: strategy.pipeline] for stage in range(strategy.pipeline)]
    busiest = max(range(strategy.pipeline), key=run.busy_ns.__getitem__)
    compute = round(sum(part.compute_ns for part in of_stage[busiest]) * strategy.micro_batches)
    return Iteration(
        compute,
        round(sum(part.repeated_ns for part in of_stage[busiest]) * strategy.micro_batches),
        run.busy_ns[busiest] - compute,
        run.total_ns - run.busy_ns[busiest],
        _slowest(of_stage, lambda part: part.exposed_ns),
        _slowest(of_stage, lambda part: part.update_ns),
        model.flops(strategy.samples),
        strategy.npus,
        run,
    )


def _slowest(of_stage: list[list[Part]], time: Callable[[Part], float]) -> int:
    return round(max(sum(map(time, parts)) for parts in of_stage))
