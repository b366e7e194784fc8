"""An iteration in which embeddings are exchanged as a trace: what HYBRID_DLRM's loop does, for each micro-batch.

The loop waits for the vectors of all tables only where they are used, behind the layers before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.pipeline import PassSpan, run_pipeline
from astra_edu.traces.builder import Builder
from astra_edu.traces.built import Built
from astra_edu.traces.dimensions import Network, Space, sizes_of
from astra_edu.traces.loop_steps import COMPUTE, ISSUE, WAIT, LoopStep, loop_steps
from astra_edu.traces.make_from_operators import check_nodes
from astra_edu.traces.make_from_workload import Player
from astra_edu.traces.operation import Operation
from astra_edu.workload import Work
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.npu import Task
from astra_edu.workload.strategies import Strategy, communications, generate_workload
from astra_edu.workload.strategies.sent import FORWARD, UPDATE, WEIGHT_GRADIENT


def built_from_exchange(
    model: Model, strategy: Strategy, device: Device, network: Network | None, rounding: str, peak: float | None
) -> Built:
    """One iteration, as from_strategy has it. Raises ConfigError as it does."""
    workload = generate_workload(model, strategy, device)
    if strategy.virtual > 1:
        raise ConfigError(
            f"a trace of exchanged embeddings has one part of the model on its NPUs, not {strategy.virtual}; use "
            "virtual=1 and 1f1b, which does the same there."
        )
    physical = [strategy.npus] if network is None else sizes_of(network)
    if strategy.npus != prod(physical):
        raise ConfigError(f"the strategy takes {strategy.npus} NPUs, but the network has {prod(physical)}.")
    layers, steps = loop_steps(workload, 1, 1)
    gathered = {one.operator: one.size for one in communications(model, strategy) if one.phase == UPDATE}
    for task in {id(step.task): step.task for step in steps}.values():
        if strategy.zero and task.kind == WEIGHT_GRADIENT and task.work.collective:
            task.work = replace(task.work, collective=Collective.REDUCE_SCATTER)
    forward, backward = _two_halves(layers, [step for step in steps if not _of_weights(step)])
    check_nodes(len(forward) + len(backward), strategy)
    trace = Builder(strategy.npus)
    player = Player(trace, Space([strategy.npus], physical), rounding, peak, range(strategy.npus))
    own_weights = [step for step in backward if _computes_weights(step)]
    forward_ns, backward_ns = (max(1, _computing_ns(steps)) for steps in (forward, backward))
    weight_ns = min(_computing_ns(own_weights), backward_ns)
    run = run_pipeline(strategy.pipeline_order, 1, strategy.micro_batches, forward_ns, backward_ns, weight_ns=weight_ns)
    exchanges = strategy.micro_batches if strategy.zero == 2 else 1
    left = len([each for each in run.spans if each.kind == "B"])
    ended: Sequence[Operation] = ()
    put_in: dict[PassSpan, Sequence[Operation]] = {}
    for each in run.spans:
        last = run.is_last(each)
        own = forward if each.kind == "F" else backward if last and each.kind == "B" else _of_pass(backward, each.kind)
        if last:
            own = own if left <= exchanges else [step for step in own if not _exchanges(step)]
            left -= 1
        before = len(trace.operations)
        ended = player.play(own, ended, f"{each.kind} {each.micro_batch} ")
        put_in[each] = trace.operations[before:]
    player.play(_gathers(backward, gathered), ended, "update ")
    return Built(trace, [(one, _group(task)) for one, task in player.issued], run, put_in)


def _group(task: Task) -> str:
    """Whose collective it is."""
    routed = task.work.collective is Collective.ALL_TO_ALL  # embeddings, among all copies
    return "data" if task.kind in (WEIGHT_GRADIENT, "parameters") or routed else "tensor"


def _computing_ns(steps: Sequence[LoopStep]) -> int:
    return sum(step.task.work.compute_ns for step in steps if step.action == COMPUTE)


def _of_pass(backward: Sequence[LoopStep], kind: str) -> list[LoopStep]:
    """What the pass for the input ("B"), or that for the weights ("W"), has of both."""
    return [step for step in backward if (_computes_weights(step) or _exchanges(step)) == (kind == "W")]


def _gathers(backward: Sequence[LoopStep], sizes: dict[str, int]) -> list[LoopStep]:
    """ZeRO-1 and 2: when all gradients have been added up, everybody's parameters are gathered."""
    tasks = [step.task for step in backward if _exchanges(step) and step.task.layer in sizes]
    gathered = [
        Task(task.layer, "parameters", Work(0, Collective.ALL_GATHER, sizes[task.layer]), task.involved, 0)
        for task in tasks
    ]
    return [*(LoopStep(WAIT, task) for task in tasks), *(LoopStep(ISSUE, task) for task in gathered)]


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
