"""What an NPU does for a part of a model, as generate_workload's loops have it: steps of both passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from astra_edu.collectives import Collective
from astra_edu.traces.loop_steps import COMPUTE, ISSUE, WAIT, LoopStep, loop_steps
from astra_edu.workload import Work
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.npu import Task
from astra_edu.workload.parallelism import GROUPED
from astra_edu.workload.strategies import Communication, Strategy, generate_workload
from astra_edu.workload.strategies.sent import FORWARD, UPDATE, WEIGHT_GRADIENT


class ModelPart:
    """A part of the model. forward, backward: what an NPU does for one micro-batch; *_ns: for how long it computes."""

    def __init__(self, layers: int, steps: Sequence[LoopStep], operators: Sequence[str]) -> None:
        """layers, steps: of the loop. operators: their names."""
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
        return [step for step in self.backward if (_computes_weights(step) or exchanges(step)) == (kind == "W")]

    def gradients(self, sent: Sequence[Communication]) -> tuple[int, list[LoopStep]]:
        """Bytes that two stages with this part exchange, and the waits for what their copies exchange before."""
        sizes = {one.operator: one.size for one in sent if one.group == "mirror"}
        size = sum(sizes[name] for name in self.operators if name in sizes)
        return size, [LoopStep(WAIT, step.task) for step in self.backward if exchanges(step)]

    def gathers(self, sent: Sequence[Communication]) -> list[LoopStep]:
        """ZeRO-1 and 2: when all gradients have been added up, everybody's parameters are gathered."""
        sizes = {one.operator: one.size for one in sent if one.phase == UPDATE}
        tasks = [step.task for step in self.backward if exchanges(step) and step.task.layer in sizes]
        gathered = [
            Task(task.layer, "parameters", Work(0, Collective.ALL_GATHER, sizes[task.layer]), task.involved, 0)
            for task in tasks
        ]
        return [*(LoopStep(WAIT, task) for task in tasks), *(LoopStep(ISSUE, task) for task in gathered)]

    @classmethod
    def of(cls, model: Model, strategy: Strategy, device: Device | str, part: int) -> ModelPart:
        """That of one part of a strategy. Raises ConfigError where no loop can say it."""
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


def exchanges(step: LoopStep) -> bool:
    """Whether it begins the exchange of gradients."""
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
