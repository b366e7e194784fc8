"""How long the passes of one micro-batch take through a part of the model, and what its parameters cost afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from astra_edu.collectives import Collective
from astra_edu.explore.iteration.network_times import Took, took_by
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.generate import phases, repeated, without_input_gradient
from astra_edu.workload.strategies.precision import adding_ns, computing_ns
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, UPDATE

WAITS = ("tensor", "context", "expert")
"""Groups whose collectives are waited for; ZeRO-3's gathers count as the first's."""


Bucket = tuple[str, str, str]
"""Group, content and phase of what is sent together."""


class Step(NamedTuple):
    """One operator's times in ns, for one micro-batch: both passes with what they wait for, compute_ns without.

    repeated_ns: of compute_ns, what the backward pass computes again. weight_ns: of backward_ns, the gradients of the
    weights. gathers_ns: for how long its forward and its
    backward pass keep the copies' network busy, gathering parameters. exchange: the collective of its gradients.
    across: the same among the groups of hybrid sharding. gather_ns: that of its parameters, once an iteration.
    routed_ns: of waited_ns, all-to-alls of either pass.
    hidden_ns: gathers that hide behind the block before, in both passes, not counted in them. late_ns: what is, as they
    don't hide whole.
    waited_ns: for collectives, in both passes, of the kinds in
    WAITS. launching_ns: what the host takes to launch either pass's kernels and collectives; the times above are the
    device's, as if it were ahead. `paced` puts them together.
    """

    forward_ns: float
    backward_ns: float
    compute_ns: float
    repeated_ns: float
    parameters: float
    weight_ns: float = 0
    gathers_ns: tuple[float, float] = (0, 0)
    exchange: Took | None = None
    gather_ns: float = 0
    waited_ns: tuple[int, ...] = (0,) * len(WAITS)
    launching_ns: tuple[float, float] = (0, 0)
    across: Took | None = None
    hidden_ns: tuple[float, float] = (0, 0)
    routed_ns: tuple[float, float] = (0, 0)
    late_ns: tuple[float, float] = (0, 0)


@dataclass(frozen=True)
class Part:
    """The same of several operators. waited_ns: of forward_ns and backward_ns, what is waited for collectives.

    weight_ns: of backward_ns, the gradients of the weights. launching_ns: of both, what is waited for the host.
    routed_ns: of either pass, what is waited for all-to-alls. exchanging_ns: of weight_ns, what is waited for gradients
    that are exchanged behind each pass.
    """

    forward_ns: float
    backward_ns: float
    waited_ns: tuple[int, ...]
    repeated_ns: float
    parameters: float
    weight_ns: float = 0
    launching_ns: float = 0
    routed_ns: tuple[float, float] = (0, 0)
    exchanging_ns: float = 0

    def waits_for(self, exchanging_ns: float) -> Part:
        """The same with gradients that are waited for at its end."""
        return replace(
            self,
            backward_ns=self.backward_ns + exchanging_ns,
            weight_ns=self.weight_ns + exchanging_ns,
            exchanging_ns=exchanging_ns,
        )


def part_of(steps: Sequence[Step]) -> Part:
    """The times of some operators, as `paced` has them."""
    of = dict(zip(Step._fields, zip(*steps, strict=True), strict=True))
    waited = tuple(map(sum, zip(*of["waited_ns"], strict=True)))
    passes = sum(of["forward_ns"]), sum(of["backward_ns"])
    ahead, back = map(sum, zip(*of["routed_ns"], strict=True))
    launched = sum(map(sum, of["launching_ns"]))
    rest = sum(of["repeated_ns"]), sum(of["parameters"]), sum(of["weight_ns"])
    return Part(*passes, waited, *rest, launched, (ahead, back))


def paced(steps: Sequence[Step]) -> list[Step]:
    """The same no faster than the host launches them, in both passes; launching_ns is what is waited for it.

    Of two operators of 10 ns each, the first launched within 4 and the second within 20 ns, the second ends at 24:

    >>> from astra_edu.explore.iteration.parts import Step, paced
    >>> two = [Step(10, 0, 10, 0, 0, launching_ns=(host, 0)) for host in (4, 20)]
    >>> [(step.forward_ns, step.launching_ns) for step in paced(two)]
    [(10, (0, 0)), (14.0, (4.0, 0))]
    """
    ahead = _late([step.forward_ns for step in steps], [step.launching_ns[0] for step in steps])
    back = _late([step.backward_ns for step in reversed(steps)], [step.launching_ns[1] for step in reversed(steps)])
    return [
        step._replace(forward_ns=step.forward_ns + f, backward_ns=step.backward_ns + b, launching_ns=(f, b))
        for step, f, b in zip(steps, ahead, reversed(back), strict=True)
    ]


def _late(device_ns: Sequence[float], host_ns: Sequence[float]) -> list[float]:
    """By how much each operator ends later than it would if the host were ahead all the time."""
    end, launched, late = 0.0, 0.0, []
    for device, host in zip(device_ns, host_ns, strict=True):
        launched += host
        end += device
        late.append(max(0, launched - end))
        end += late[-1]
    return late


@lru_cache(maxsize=4096)
def computed(about: Abridged, alone: Strategy, device: Device) -> tuple[Step, ...]:
    """Of each operator of an abridged model what it computes, with nothing sent."""
    inside = {i for block in about.short.blocks for i in block}
    first = without_input_gradient(about, alone)
    steps = []
    for i, operator in enumerate(about.short.operators):
        again = repeated(operator, alone) or (alone.recompute == "full" and i in inside)
        computes = phases((operator,), alone, again)
        if i in first:
            del computes[INPUT_GRADIENT][0]
        forward, backward, weight = (
            sum(computing_ns(device, alone, compute) for compute in each) for each in computes.values()
        )
        weight += adding_ns(device, alone, operator)
        backward += weight
        parameters = alone.part(operator).parameters
        ahead, *back = (sum(map(device.host_ns, each)) for each in computes.values())
        step = Step(forward, backward, forward + backward, forward if again else 0, parameters, weight)
        steps.append(step._replace(launching_ns=(ahead, sum(back))))
    return tuple(steps)


def own_steps(about: Abridged, strategy: Strategy, device: Device) -> dict[str, Step]:
    """By the operator's name what an NPU computes of it, and its parameters, of which ZeRO leaves each a share."""
    found = {}
    computes = computed(about, about.alone(about.strategy(strategy)), device)
    for operator, step in zip(about.short.operators, computes, strict=True):
        share = step.parameters / strategy.shards(operator) if strategy.zero else step.parameters
        found[operator.name] = step._replace(parameters=share)
    return found


def with_collectives(
    steps: Mapping[str, Step],
    sent: Iterable[Communication],
    micro_batches: int,
    networks: Mapping[str, Platform],
    bounded: bool = False,
    device: Device | None = None,
    once: bool = False,
    buckets: Mapping[Bucket, int] | None = None,
) -> tuple[Step, ...]:
    """The same, by operator, with what is sent in an iteration, each collective by itself on its group's network.

    bounded: no collective is faster than its links. device: whose host launches those that are waited for.
    once: parameters are gathered once an iteration, before its passes. buckets: bytes that are sent as one collective,
    of whose time each operator's have their share.
    """
    found = dict(steps)
    for one in sent:
        if one.collective is None:
            continue
        step, bucket = found[one.operator], (buckets or {}).get((one.group, one.content, one.phase), one.size)
        took = took_by(networks[one.group], one.collective, bucket)
        took = (took.at_least if bounded else took).begun(beginning_ns(device))
        took = took.part(one.size / bucket) if bucket != one.size else took
        host_ns = launching_ns(device, one)
        turn = took.turn_ns if one.group in ("data", "expert data", "shard") else 0
        hides = one.content == "parameters" and not one.blocking
        ahead, back = step.gathers_ns
        forward, backward, (before, after) = step.forward_ns, step.backward_ns, step.launching_ns
        kind = WAITS.index(one.group) if one.group in WAITS else 0
        if one.group == "expert":
            again = one.times // micro_batches - 1
            routed = (1, again) if one.phase == FORWARD else (0, 1)
            both = [own + often * took.total_ns for own, often in zip(step.routed_ns, routed, strict=True)]
            step = step._replace(routed_ns=(both[0], both[1]))
        if one.phase == UPDATE or (once and one.content == "parameters"):
            step = step._replace(gather_ns=step.gather_ns + took.total_ns)
        elif one.phase in (FORWARD, INPUT_GRADIENT) and hides:
            both = list(step.hidden_ns)
            both[one.phase == INPUT_GRADIENT] += took.total_ns
            turns = (ahead + turn, back) if one.phase == FORWARD else (ahead, back + turn)
            step = step._replace(hidden_ns=(both[0], both[1]), gathers_ns=turns)
        elif one.phase == FORWARD:
            often = one.times // micro_batches
            step = step._replace(forward_ns=forward + took.total_ns, backward_ns=backward + (often - 1) * took.total_ns)
            step = step._replace(
                gathers_ns=(ahead + turn, back), waited_ns=_add(step.waited_ns, kind, often * took.total_ns)
            )
            step = step._replace(launching_ns=(before + host_ns, after + (often - 1) * host_ns))
        elif one.phase == INPUT_GRADIENT:
            step = step._replace(backward_ns=backward + took.total_ns, gathers_ns=(ahead, back + turn))
            step = step._replace(
                waited_ns=_add(step.waited_ns, kind, took.total_ns), launching_ns=(before, after + host_ns)
            )
        elif one.group == "replica":
            step = step._replace(across=took)
        else:
            step = step._replace(exchange=took)
        found[one.operator] = step
    return tuple(found.values())


def beginning_ns(device: Device | None) -> float:
    """What beginning a collective takes, on a device that is calibrated to it."""
    return device.calibration.collective_ns if device and device.calibration else 0


def launching_ns(device: Device | None, one: Communication) -> float:
    """What the host takes to launch a collective or a message that is waited for."""
    if device is None or device.kernels is None:
        return 0
    if (found := device.calibration) is None:
        return device.kernels.host_ns
    halves = 2 if one.collective is Collective.ALL_REDUCE else 1
    return found.sends_ns(one.npus, halves) if one.group == "tensor" else 0


def _add(waited: tuple[int, ...], kind: int, more: int) -> tuple[int, ...]:
    return (*waited[:kind], waited[kind] + more, *waited[kind + 1 :])
