"""How long an iteration by a plan takes, and what it keeps: each group's operators, and what is sent between groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, gcd, prod

from astra_edu.base.units import format_bytes
from astra_edu.collectives import Collective
from astra_edu.explore.iteration.exchange import exposed_ns
from astra_edu.explore.iteration.groups import groups
from astra_edu.explore.iteration.network_times import took_by
from astra_edu.explore.iteration.operator_steps import operator_steps
from astra_edu.explore.iteration.parts import Step, paced
from astra_edu.explore.iteration.plan_bound import kept_bytes, whole_bytes
from astra_edu.explore.iteration.plans import Plan
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged, abridged
from astra_edu.workload.strategies.memory import memory_of_operators
from astra_edu.workload.strategies.precision import check_multiplied, update_ns


@dataclass(frozen=True)
class PlannedIteration:
    """An iteration by a plan, in ns; no collective is faster than its links.

    compute_ns: operators, in all micro-batches. waiting_ns: for collectives within layer groups. reshard_ns: for
    activations and their gradients that are shared out anew between groups. data_ns: exposed collectives among the
    copies. update_ns: the optimiser. overhead_ns: as Iteration's. memory_bytes: what an NPU has to have, as
    `ae.memory` counts it; weights that two operators share count once.

    >>> ring = ae.Platform((ae.Dimension.of("Ring", 4, 100, 500),), ae.SystemConfig.of("ring", splits=1))
    >>> took = ae.fastest("vgg16", ae.plans("vgg16", npus=4, batch=64), "v100", ring)
    >>> sum(took.split.values()) == took.total_ns
    True
    """

    compute_ns: int
    waiting_ns: int
    reshard_ns: int
    data_ns: int
    update_ns: int
    memory_bytes: float
    plan: Plan
    overhead_ns: int = 0

    @property
    def total_ns(self) -> int:
        """The whole iteration."""
        return sum(self.split.values())

    @property
    def exposed_ns(self) -> int:
        """All that is no computing."""
        return self.total_ns - self.compute_ns - self.update_ns - self.overhead_ns

    @property
    def split(self) -> dict[str, int]:
        """The parts in ns, by names for people."""
        return {
            "compute": self.compute_ns,
            "waiting for groups": self.waiting_ns,
            "sharing out anew": self.reshard_ns,
            "exchange": self.data_ns,
            "update": self.update_ns,
            **({"overhead": self.overhead_ns} if self.overhead_ns else {}),
        }

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {ns / 1e6:,.3f}" for name, ns in self.split.items())
        kept = format_bytes(round(self.memory_bytes))
        return f"<{self.total_ns / 1e6:,.3f} ms, {kept} on each NPU, by a {repr(self.plan)[1:-1]}: {parts}>"


def planned(model: Model, plan: Plan, device: Device, platform: Platform) -> PlannedIteration:
    """All operators' times in a row, as estimate has them for one strategy, with what is sent between groups.

    Raises ConfigError where model, strategies and platform don't fit.
    """
    operators, micro_batches = plan.operators(model), plan.strategies[0].micro_batches
    for strategy in dict.fromkeys(plan.strategies):
        check_multiplied(device, strategy)
    steps: list[Step] = []
    reshard = 0.0
    for g, (own, strategy) in enumerate(zip(operators, plan.strategies, strict=True)):
        if g:
            between = resharded(model, own.start, plan.strategies[g - 1], strategy, platform)
            steps.append(between)
            reshard += between.forward_ns + between.backward_ns
        steps += [all_steps(model, strategy, device, platform)[i] for i in own]
    passes = round(sum(step.forward_ns for step in steps)) + round(sum(step.backward_ns for step in steps))
    waited = sum(sum(step.waited_ns) for step in steps)
    update = update_ns(device, plan.strategies[0], sum(step.parameters for step in steps))
    again = round(reshard * micro_batches)
    pairs = zip(operators, plan.strategies, strict=True)
    memories = [memory_of_operators(abridged(model), strategy, own) for own, strategy in pairs]
    return PlannedIteration(
        passes * micro_batches - waited * micro_batches - again,
        waited * micro_batches,
        again,
        round(exposed_ns(steps, 1)),
        round(update),
        whole_bytes(kept_bytes([each.kept for each in memories]), max(each.moment for each in memories)),
        plan,
        round(device.calibration.overhead_ns(micro_batches)) if device.calibration else 0,
    )


def all_steps(model: Model, strategy: Strategy, device: Device, platform: Platform) -> list[Step]:
    """All operators by one strategy, for one micro-batch. Raises ConfigError where they can't be shared out so."""
    about = abridged(model)
    steps = _steps(about, strategy, device, platform)
    return [steps[place] for place in about.places]


@lru_cache(maxsize=4096)
def _steps(about: Abridged, strategy: Strategy, device: Device, platform: Platform) -> tuple[Step, ...]:
    steps = operator_steps(about, strategy, device, platform, bounded=True)[0]
    return tuple(paced([step])[0] for step in steps)


def resharded(model: Model, start: int, before: Strategy, after: Strategy, platform: Platform) -> Step:
    """What is sent between two layer groups, for one micro-batch; start: the later one's first operator. See plans."""
    common = gcd(before.tensor, after.tensor)
    source = _passed_on(model, start)
    samples = after.samples / after.micro_batches * common / after.npus
    size = ceil(samples * prod(model.operators[source].gives) * after.bits.activation_bytes)
    ahead = _gather_ns(platform, common, after.tensor // common, size)
    back = _gather_ns(platform, common, before.tensor // common, size)
    return Step(ahead, back, 0, 0, 0)


@lru_cache(maxsize=1024)
def _passed_on(model: Model, start: int) -> int:
    """The operator whose output a layer group takes."""
    names = {operator.name: i for i, operator in enumerate(model.operators)}
    for operator in model.operators[start:]:
        before = [names[name] for name in operator.after if names.get(name, start) < start]
        if before:
            return before[0]
        if not operator.after:
            break
    return start - 1


@lru_cache(maxsize=4096)
def _gather_ns(platform: Platform, apart: int, npus: int, size: int) -> int:
    """An all-gather among `npus` NPUs, each `apart` from the next."""
    if npus == 1:
        return 0
    some = Strategy(tensor=apart, data=platform.npus // apart, expert=npus)
    return took_by(groups(platform, some)["expert"], Collective.ALL_GATHER, size).at_least.total_ns
