"""How long the passes of one micro-batch take through a part of the model, and what its parameters cost afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from astra_edu.collectives import Collective
from astra_edu.simulate import simulate
from astra_edu.system import Platform
from astra_edu.workload import Workload
from astra_edu.workload.compute import Device, Operator
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.communication import FORWARD, INPUT_GRADIENT, UPDATE, WEIGHT_GRADIENT
from astra_edu.workload.strategies.generate import phases, repeated

ADAM_TRAFFIC = 30
"""Bytes that Adam moves for each parameter: gradient 4, copy, mean and variance 4 each in and out, weight 2 out."""


@dataclass(frozen=True)
class Part:
    """Times in ns of one micro-batch: forward_ns and backward_ns with what is waited for, compute_ns of both without.

    repeated_ns: of compute_ns, what the backward pass computes again. exposed_ns: how much longer the exchange of
    gradients and parameters takes than the backward pass. update_ns: the optimiser.
    """

    forward_ns: float
    backward_ns: float
    compute_ns: float
    repeated_ns: float
    exposed_ns: float
    update_ns: float


@dataclass(frozen=True, eq=False)
class Costs:
    """What an operator takes on the device, and a communication on its group's part of the network.

    networks: of each group. sent: all communications of an iteration.
    """

    on: Device
    strategy: Strategy
    networks: Mapping[str, Platform]
    sent: Sequence[Communication]
    _collectives: dict[tuple[str, Collective, int], int] = field(default_factory=dict)
    _computed: dict[tuple[Operator, bool], tuple[float, float, float]] = field(default_factory=dict)

    @cached_property
    def of_operator(self) -> dict[str, list[tuple[Communication, Collective]]]:
        """Each operator's collectives."""
        found: dict[str, list[tuple[Communication, Collective]]] = {}
        for one in self.sent:
            if one.collective is not None:
                found.setdefault(one.operator, []).append((one, one.collective))
        return found

    def collective_ns(self, group: str, collective: Collective, size: int) -> int:
        """How long a collective takes by itself."""
        key = (group, collective, size)
        if key not in self._collectives:
            result = simulate(Workload.micro(collective, size, 0), self.networks[group], progress=False)
            self._collectives[key] = int(result.total_ns)
        return self._collectives[key]

    def messages_ns(self) -> list[int] | int:
        """How long activations take from each part of the model to the next one."""
        if "pipeline" not in self.networks:
            return 0
        dimension = self.networks["pipeline"].network[0]
        messages = (one for one in self.sent if one.collective is None and one.phase == FORWARD)
        return [round(dimension.message_ns(one.size)) for one in messages]

    def compute_ns(self, operator: Operator, again: bool) -> tuple[float, float, float]:
        """(forward, backward, of which repeated) in ns."""
        shape = replace(operator, name="-", after=())
        if (shape, again) not in self._computed:
            forward, backward, weight = (
                sum(self.on.compute_ns(compute, self.strategy.element_bytes) for compute in computes)
                for computes in phases((shape,), self.strategy, again).values()
            )
            self._computed[shape, again] = (forward, backward + weight, forward if again else 0.0)
        return self._computed[shape, again]


def part_of(chunk: Sequence[int], model: Model, in_blocks: frozenset[int], costs: Costs) -> Part:
    """The times of the operators with these indices."""
    strategy = costs.strategy
    forward = backward = compute = repeat = exchanged = gathered = parameters = 0.0
    for i in reversed(chunk):
        operator = model.operators[i]
        again = repeated(operator, strategy) or (strategy.recompute == "full" and i in in_blocks)
        ahead, back, once_more = costs.compute_ns(operator, again)
        compute += ahead + back
        repeat += once_more
        forward += ahead
        backward += back
        parameters += strategy.part(operator).parameters
        for one, collective in costs.of_operator.get(operator.name, ()):
            ns = costs.collective_ns(one.group, collective, one.size)
            if one.phase == FORWARD:
                forward += ns
                backward += ns * (one.times // strategy.micro_batches - 1)
            elif one.phase == INPUT_GRADIENT:
                backward += ns
            elif one.phase == WEIGHT_GRADIENT:
                exchanged = max(exchanged, backward) + ns
            elif one.phase == UPDATE:
                gathered += ns
    shares = strategy.data if strategy.zero else 1
    update = costs.on.memory_ns(parameters * ADAM_TRAFFIC / shares)
    return Part(forward, backward, compute, repeat, max(0.0, exchanged - backward) + gathered, update)
