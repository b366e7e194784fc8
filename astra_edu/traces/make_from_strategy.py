"""An iteration of a model under a strategy as an execution trace: tensor, data and pipeline parallelism together.

Every NPU has its own operations; the passes of a stage come in the order of strategy.pipeline_order. Operator by
operator they are those of `make_from_operators`, and take as long as ae.estimate says. Where a backward pass is cut in
two, as zero-bubble orders have it, or embeddings are exchanged, a pass is what generate_workload's loops do. A stage
exchanges its gradients when it has sent its last message, as an NPU of ASTRA-sim 2.x has one communication at a time on
its way. Left out: the optimiser's update.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from astra_edu.base.errors import ConfigError, positive
from astra_edu.base.few_collections import few_collections
from astra_edu.base.so_far import leaves_nothing
from astra_edu.collectives import Collective
from astra_edu.pipeline import PassSpan, run_pipeline
from astra_edu.pipeline.closed_form import FORMULAS
from astra_edu.pipeline.places import FOLDED
from astra_edu.traces.builder import Builder
from astra_edu.traces.dimensions import Network, Space, sizes_of
from astra_edu.traces.loop_steps import COMPUTE, ISSUE, WAIT, LoopStep, loop_steps
from astra_edu.traces.make_from_operators import MOST_NODES, from_operators
from astra_edu.traces.make_from_pipeline import name_of, weave
from astra_edu.traces.make_from_workload import Player
from astra_edu.traces.operation import Operation
from astra_edu.traces.trace import Trace
from astra_edu.workload import Work
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.npu import Task
from astra_edu.workload.parallelism import GROUPED
from astra_edu.workload.strategies import Communication, Strategy, communications, generate_workload
from astra_edu.workload.strategies.sent import FORWARD, UPDATE, WEIGHT_GRADIENT
from astra_edu.workload.strategies.strategy import checked


@leaves_nothing()
@few_collections()
def from_strategy(
    model: Model | str,
    strategy: Strategy,
    device: Device | str,
    network: Network | None = None,
    rounding: str = "carry",
    peak_performance: float | None = None,
) -> Trace:
    """One iteration of all micro-batches on data × context × tensor × pipeline NPUs.

    NPUs are counted along the tensor group first (or the copies, data-first), then along the copies (neighbours of them
    are a context group, share out experts, or are a shard group), then along the stages. network: a platform or the
    NPUs of each dimension; where they are the groups' (say, 8 tensor-parallel NPUs in dimension 0, 4 copies in
    dimension 1), collectives run over dimensions, else over process groups, which ASTRA-sim 2.x takes for rings.
    rounding, peak_performance: as in from_workload.

    Raises ConfigError where the strategy doesn't fit the model, or the network has another number of NPUs.

    >>> model = ae.transformer("tiny", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=16)
    >>> ae.traces.from_strategy(model, ae.Strategy(data=2, pipeline=2, batch=4), "a100")
    <trace of 4 NPUs, 15 to 23 nodes each>
    """
    model, strategy = named(model), checked(strategy)
    if peak_performance is not None:
        peak_performance = positive("peak_performance", peak_performance)
    if strategy.zero > 1 and strategy.virtual > 1 and strategy.pipeline == 1:
        raise ConfigError(
            f"a trace of ZeRO-{strategy.zero} doesn't know {strategy.pipeline_order} on a single stage; use 1f1b and "
            "virtual=1, which does the same there, or zero=1."
        )
    if not _by_loops(strategy):
        return from_operators(model, strategy, named_device(device), network, rounding, peak_performance)
    if strategy.zero and strategy.both_ways:
        raise ConfigError(
            f"a trace of {strategy.pipeline_order} doesn't know ZeRO-{strategy.zero}, whose shares two stages would "
            "add up; use zero=0, or ae.estimate, which knows both."
        )
    groups = [strategy.tensor, strategy.data]
    inner = groups if strategy.placement == "tensor-first" else groups[::-1]
    logical, width = [*inner, strategy.pipeline], strategy.data * strategy.tensor
    physical = [strategy.npus] if network is None else sizes_of(network)
    trace = Builder(strategy.npus)
    if trace.npus != prod(physical):
        raise ConfigError(f"data × tensor × pipeline takes {strategy.npus} NPUs, but the network has {prod(physical)}.")
    space = Space(logical, physical)
    parts = [_ModelPart.of(model, strategy, device, part) for part in range(strategy.pipeline * strategy.virtual)]
    each = sum(len(part.forward) + len(part.backward) for part in parts)
    if (count := each * strategy.micro_batches) > MOST_NODES:
        raise ConfigError(
            f"{strategy.micro_batches:,} micro-batches make about {count:,} different nodes; {MOST_NODES:,} are the "
            "most. Take fewer micro-batches (a smaller batch, or a larger micro_batch)."
        )
    sent = communications(model, strategy)
    sizes = [one.size for one in sent if one.collective is None and one.phase == FORWARD]
    at_the_end = all(one.times == 1 for one in sent if one.phase == WEIGHT_GRADIENT)
    run = run_pipeline(
        strategy.pipeline_order,
        strategy.pipeline,
        strategy.micro_batches,
        [part.forward_ns for part in parts],
        [part.backward_ns for part in parts],
        virtual=strategy.virtual,
        weight_ns=[part.weight_ns for part in parts],
    )
    stages = [range(stage * width, (stage + 1) * width) for stage in range(strategy.pipeline)]
    players = [Player(trace, space, rounding, peak_performance, npus) for npus in stages]
    if run.placement == FOLDED and run.stages > 1:
        sizes.insert(run.stages - 1, 0)  # both parts are on the last stage
    last = {(span.stage, run.part(span)): span for span in run.spans if run.is_last(span)}
    ended: dict[int, Sequence[Operation]] = {}
    held: list[tuple[int, str, list[LoopStep]]] = []

    def does(span: PassSpan, after: Sequence[Operation]) -> Sequence[Operation]:
        whole, label = span.kind == "B" and run.is_last(span), f"{name_of(span, run)} "
        steps, is_last = parts[run.part(span)].steps(span.kind, not whole), last[span.stage, run.part(span)] is span
        if at_the_end and (not is_last or span.stage or span.virtual_stage or run.both_ways):
            if is_last:
                held.append((span.stage, label, [step for step in steps if _exchanges(step)]))
            steps = [step for step in steps if not _exchanges(step)]
        ended[span.stage] = players[span.stage].play(steps, after, label)
        return ended[span.stage]

    def carries(boundary: int, stage: int, to: int, name: str, after: Sequence[Operation]) -> Sequence[Operation]:
        made = trace.messages(name, sizes[boundary], stages[stage], stages[to], after=after)
        ended[stage] = [one for one in made if one.npus[0] in stages[stage]]
        return [one for one in made if one.npus[0] in stages[to]]

    weave(run, does, carries)
    for stage, label, steps in held:
        players[stage].play(steps, ended[stage], label)
    for stage in range(strategy.pipeline):
        gathers = [step for k in strategy.parts_on(stage) for step in parts[k].gathers(sent)]
        ended[stage] = players[stage].play(gathers, ended[stage], "update ")
    if strategy.both_ways:
        _mirror(trace, strategy, [part.gradients(sent) for part in parts], players, stages, ended)
    return trace.build()


def _mirror(
    trace: Builder,
    strategy: Strategy,
    gradients: Sequence[tuple[int, list[LoopStep]]],
    players: Sequence[Player],
    stages: Sequence[range],
    ended: Mapping[int, Sequence[Operation]],
) -> None:
    """Two stages that have the same parts add up their gradients: each sends those of one part, and then the sums."""
    for one in range(strategy.pipeline // 2):
        other = strategy.pipeline - 1 - one
        own = [gradients[k] for k in strategy.parts_on(one)]
        half = max(1, sum(size for size, _ in own) // 2)
        done = {}
        for stage in (one, other):
            done[stage] = players[stage].play([step for _, waits in own for step in waits], ended[stage])
        for name in ("gradients", "summed gradients"):
            there = trace.messages(f"{name} to stage {other}", half, stages[one], stages[other], after=done[one])
            back = trace.messages(f"{name} to stage {one}", half, stages[other], stages[one], after=done[other])
            done = {one: (there[0], back[1]), other: (back[0], there[1])}


def _by_loops(strategy: Strategy) -> bool:
    """Whether only generate_workload's loops know it: a pass in two, or DLRM's exchange."""
    return strategy.exchange_embeddings or (strategy.pipeline_order not in FORMULAS and not _beyond_loops(strategy))


def _beyond_loops(strategy: Strategy) -> bool:
    groups = strategy.context > 1 or strategy.expert > 1 or strategy.shard_group is not None
    return groups or not strategy.reshard or strategy.overlap != ("gradients",)


class _ModelPart:
    """A part of the model. forward, backward: what an NPU does for one micro-batch; *_ns: for how long it computes."""

    def __init__(self, layers: int, steps: Sequence[LoopStep], operators: Sequence[str]) -> None:
        self.operators = operators
        self.forward, self.backward = _two_halves(layers, [step for step in steps if not _of_weights(step)])
        self.forward_ns, self.backward_ns = (
            max(1, sum(step.task.work.compute_ns for step in half if step.action == COMPUTE))
            for half in (self.forward, self.backward)
        )

    @property
    def weight_ns(self) -> int:
        """Of backward_ns, what the gradients of the weights take."""
        own = sum(step.task.work.compute_ns for step in self.backward if _computes_weights(step))
        return min(own, self.backward_ns)

    def steps(self, kind: str, split: bool) -> list[LoopStep]:
        """Of a pass "F", "B" or "W"; B is all of the backward pass where that isn't split."""
        if kind == "F" or not split:
            return self.forward if kind == "F" else self.backward
        return [step for step in self.backward if (_computes_weights(step) or _exchanges(step)) == (kind == "W")]

    def gradients(self, sent: Sequence[Communication]) -> tuple[int, list[LoopStep]]:
        """Bytes that two stages with this part exchange, and the waits for what their copies exchange before."""
        sizes = {one.operator: one.size for one in sent if one.group == "mirror"}
        size = sum(sizes[name] for name in self.operators if name in sizes)
        return size, [LoopStep(WAIT, step.task) for step in self.backward if _exchanges(step)]

    def gathers(self, sent: Sequence[Communication]) -> list[LoopStep]:
        """ZeRO-1 and 2: when all gradients have been added up, everybody's parameters are gathered."""
        sizes = {one.operator: one.size for one in sent if one.phase == UPDATE}
        tasks = [step.task for step in self.backward if _exchanges(step) and step.task.layer in sizes]
        gathered = [
            Task(task.layer, "parameters", Work(0, Collective.ALL_GATHER, sizes[task.layer]), task.involved, 0)
            for task in tasks
        ]
        return [*(LoopStep(WAIT, task) for task in tasks), *(LoopStep(ISSUE, task) for task in gathered)]

    @classmethod
    def of(cls, model: Model, strategy: Strategy, device: Device | str, part: int) -> _ModelPart:
        count = strategy.pipeline * strategy.virtual
        if count == 1:
            workload = generate_workload(model, strategy, device)
        else:
            alone = replace(strategy, pipeline=count, virtual=1, pipeline_order="1f1b")
            workload = generate_workload(model, alone, device, stage=part)
        boundary = 1 if workload.loop in GROUPED else 2
        layers, steps = loop_steps(workload, 2, boundary)
        pipeline = (False,)  # no collective runs over the stages
        for task in {id(step.task): step.task for step in steps}.values():
            task.involved += pipeline
            if strategy.zero in (1, 2) and task.kind == WEIGHT_GRADIENT and task.work.collective:
                task.work = replace(task.work, collective=Collective.REDUCE_SCATTER)
        names = [model.operators[i].name for i in strategy.parts(model)[part]]
        return cls(layers, steps, names)


def _exchanges(step: LoopStep) -> bool:
    return step.action == ISSUE and step.task.kind == WEIGHT_GRADIENT


def _computes_weights(step: LoopStep) -> bool:
    return step.action == COMPUTE and step.task.kind == WEIGHT_GRADIENT


def _of_weights(step: LoopStep) -> bool:
    """Whether the loop waits for the weights of the iteration before, which a single iteration hasn't."""
    return step.action == WAIT and step.task.kind == WEIGHT_GRADIENT


def _two_halves(layers: int, steps: Sequence[LoopStep]) -> tuple[list[LoopStep], list[LoopStep]]:
    """A pass's steps, cut after the last layer's forward pass."""
    seen = 0
    for place, step in enumerate(steps):
        seen += step.action == COMPUTE and step.task.kind == FORWARD
        if seen == layers:
            end = place + 1
            while end < len(steps) and steps[end].action != COMPUTE and steps[end].task.kind == FORWARD:
                end += 1
            return list(steps[:end]), list(steps[end:])
    return list(steps), []
