"""The fastest of all plans: dynamic programming over layer groups, the last one first, as the backward pass goes.

A part of a plan is known by its time, its memory, and how far the exchange of gradients is behind the backward pass.
Of two parts that leave activations shared out in the same way, one that is nowhere better can't lead to a better plan,
and is forgotten. So the plan that is left is the best one, as on a shortest path with limited resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.parts import Step
from astra_edu.explore.iteration.plan_times import group_steps, kept_bytes, planned, resharded
from astra_edu.explore.iteration.plans import Plan, Plans
from astra_edu.explore.iteration.stage_times import ADAM_TRAFFIC
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Strategy


class Behind(NamedTuple):
    """What some operators make of two numbers of ns that the backward pass may be ahead of: free, when the network has
    its next turn, and exchanged, when the last collective ends. free becomes max(free + own, own_least), exchanged
    max(exchanged + other, free + mixed, least).
    """

    own: float = 0.0
    own_least: float = -inf
    other: float = 0.0
    mixed: float = -inf
    least: float = -inf

    def then(self, next_: Behind) -> Behind:
        """Both, one after the other."""
        return Behind(
            self.own + next_.own,
            max(self.own_least + next_.own, next_.own_least),
            self.other + next_.other,
            max(self.mixed + next_.other, self.own + next_.mixed),
            max(self.least + next_.other, self.own_least + next_.mixed, next_.least),
        )

    def of(self, free: float, exchanged: float) -> tuple[float, float]:
        """The two numbers afterwards."""
        return max(free + self.own, self.own_least), max(exchanged + self.other, free + self.mixed, self.least)


class Choice(NamedTuple):
    """A strategy for a layer group: its ns in all micro-batches, bytes, and what its backward pass does to Behind."""

    strategy: Strategy
    ns: float
    kept: float
    behind: Behind


class Label(NamedTuple):
    """The last layer groups' strategies, with their ns, bytes, and the two numbers of Behind."""

    ns: float
    kept: float
    free: float
    exchanged: float
    strategies: tuple[Strategy, ...]


def fastest_plan(plans: Plans, device: Device, platform: Platform, memory_bytes: float | None = None) -> Plan:
    """The plan of the shortest iteration that keeps no more than memory_bytes, exact but for rounding to whole ns.

    Raises ConfigError where none fits, with the least that is needed.

    >>> from astra_edu.explore.iteration.plan_search import fastest_plan
    >>> ring = ae.Platform((ae.Dimension.of("Ring", 4, 100, 500),), ae.SystemConfig.of("ring", splits=1))
    >>> found = fastest_plan(ae.plans("vgg16", npus=4, batch=64), ae.device("v100"), ring)
    >>> [strategy.tensor for strategy in found.strategies][-4:]
    [1, 4, 4, 1]
    """
    most = inf if memory_bytes is None else memory_bytes
    best: tuple[float, Plan] | None = None
    least = inf
    problem = ConfigError("there are no plans to choose the fastest from.")
    for some in plans.by_micro_batches.values():
        try:
            table = _choices(plans, some, device, platform)
        except ConfigError as error:
            problem = error
            continue
        need = [min(choice.kept for choice in choices) for choices in table]
        least = min(least, sum(need))
        label = _shortest(plans, table, need, most, platform)
        if label is not None:
            plan = Plan(plans.starts, label.strategies)
            ns = planned(plans.model, plan, device, platform).total_ns
            if best is None or ns < best[0]:
                best = ns, plan
    if best is not None:
        return best[1]
    if least == inf:
        raise problem
    raise ConfigError(
        f"{plans.model.name} doesn't fit by any of {plans!r}: the least is {least / 2**30:,.1f} GiB for each NPU, and "
        f"the limit {most / 2**30:,.1f} GiB."
    )


def _choices(plans: Plans, some: Sequence[Strategy], device: Device, platform: Platform) -> list[list[Choice]]:
    """For each layer group what its strategies take, without those that are nowhere better than another."""
    problem = ConfigError("")
    fitting = []
    for strategy in some:
        try:
            group_steps(plans.model, range(1), strategy, device, platform)
            fitting.append(strategy)
        except ConfigError as error:
            problem = error
    if not fitting:
        raise problem
    table = []
    for operators in Plan(plans.starts, (fitting[0],) * len(plans.starts)).operators(plans.model):
        choices = [_choice(plans, operators, strategy, device, platform) for strategy in fitting]
        layouts = dict.fromkeys(choice.strategy.tensor for choice in choices)
        table.append([one for t in layouts for one in _best([c for c in choices if c.strategy.tensor == t])])
    return table


def _choice(plans: Plans, operators: range, strategy: Strategy, device: Device, platform: Platform) -> Choice:
    steps = group_steps(plans.model, operators, strategy, device, platform)
    ns = sum(step.forward_ns + step.backward_ns for step in steps) * strategy.micro_batches
    ns += sum(step.gather_ns for step in steps)
    ns += device.memory_ns(sum(step.parameters for step in steps) * ADAM_TRAFFIC)
    return Choice(strategy, ns, kept_bytes(plans.model, operators, strategy), _behind(steps))


def _behind(steps: Iterable[Step]) -> Behind:
    """Of a backward pass, as parts.exposed_ns counts it, with all times from the pass's own clock on."""
    whole = Behind()
    for step in reversed(list(steps)):
        if step.gathers_ns[1]:
            whole = whole.then(Behind(own=step.gathers_ns[1], own_least=step.gathers_ns[1]))
        whole = whole.then(Behind(own=-step.backward_ns, other=-step.backward_ns))
        if step.exchange:
            turn, total = step.exchange.turn_ns, step.exchange.total_ns
            whole = whole.then(Behind(own=turn, own_least=turn, mixed=total, least=total))
    return whole


def _shortest(
    plans: Plans, table: list[list[Choice]], need: list[float], most: float, platform: Platform
) -> Label | None:
    """From the last layer group to the first."""
    labels: dict[int, list[Label]] = {0: [Label(0.0, 0.0, 0.0, 0.0, ())]}
    for g in reversed(range(len(table))):
        before = sum(need[:g])
        found: dict[int, list[Label]] = {}
        for label in (each for some in labels.values() for each in some):
            arrived: dict[int, Label] = {}
            for choice in table[g]:
                kept = label.kept + choice.kept
                if kept + before > most:
                    continue
                tensor = choice.strategy.tensor
                if tensor not in arrived:
                    arrived[tensor] = _handed_on(label, choice.strategy, plans, g, platform)
                at = arrived[tensor]
                behind = choice.behind.of(at.free, at.exchanged)
                new = Label(at.ns + choice.ns, kept, *behind, (choice.strategy, *label.strategies))
                found.setdefault(tensor, []).append(new)
        labels = {tensor: _undominated(some) for tensor, some in found.items()}
    every = [each for some in labels.values() for each in some]
    return min(every, key=lambda each: each.ns + max(0.0, each.exchanged), default=None)


def _handed_on(label: Label, before: Strategy, plans: Plans, g: int, platform: Platform) -> Label:
    """With what is sent between group g and the next one."""
    if not label.strategies:
        return label
    step = resharded(plans.model, plans.starts[g + 1], before, label.strategies[0], platform)
    if not step.forward_ns and not step.backward_ns:
        return label
    ns = label.ns + (step.forward_ns + step.backward_ns) * before.micro_batches
    return label._replace(ns=ns, free=label.free - step.backward_ns, exchanged=label.exchanged - step.backward_ns)


def _undominated(labels: list[Label]) -> list[Label]:
    """Those that are better than every other in something."""
    kept: list[Label] = []
    for one in sorted(labels, key=lambda each: each[:4]):
        size, free, exchanged = one[1:4]
        if not any(o.kept <= size and o.free <= free and o.exchanged <= exchanged for o in kept):  # none takes longer
            kept.append(one)
    return kept


def _best(choices: list[Choice]) -> list[Choice]:
    kept: list[Choice] = []
    for one in sorted(choices, key=lambda each: (each.ns, each.kept, each.behind)):
        if not any(o.kept <= one.kept and all(a <= b for a, b in zip(o.behind, one.behind, strict=True)) for o in kept):
            kept.append(one)
    return kept
