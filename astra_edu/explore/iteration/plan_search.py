"""The fastest of all plans: dynamic programming over layer groups, the last one first, as the backward pass goes.

A part of a plan is known by its time, its memory, and how far the exchange of gradients is behind the backward pass.
Of two parts that leave activations shared out in the same way, one that is nowhere better can't lead to a better plan,
and is forgotten. So the plan that is left is the best one, as on a shortest path with limited resources.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.parts import Step
from astra_edu.explore.iteration.plan_bound import (
    Between,
    Choice,
    Priced,
    Table,
    behind,
    kept_bytes,
    relaxed,
    whole_bytes,
)
from astra_edu.explore.iteration.plan_times import all_steps, planned, resharded
from astra_edu.explore.iteration.plans import Plan, Plans
from astra_edu.run.interrupted import Interrupted
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import memory_of_operators
from astra_edu.workload.strategies.precision import update_ns


class Label(NamedTuple):
    """The last layer groups' strategies, with their ns, bytes, and two of the three times of Behind."""

    ns: float
    kept: float
    free: float
    exchanged: float
    strategies: tuple[Strategy, ...]


def fastest_plan(plans: Plans, device: Device, platform: Platform, memory_bytes: float | None = None) -> Plan:
    """The plan of the shortest iteration that keeps no more than memory_bytes, exact but for rounding to whole ns.

    Raises ConfigError where none fits, with the least that is needed. Interrupted it raises ae.Interrupted with the
    best of those numbers of micro-batches that were searched.

    >>> from astra_edu.explore.iteration.plan_search import fastest_plan
    >>> ring = ae.Platform((ae.Dimension.of("Ring", 4, 100, 500),), ae.SystemConfig.of("ring", splits=1))
    >>> found = fastest_plan(ae.plans("vgg16", npus=4, batch=64), ae.device("v100"), ring)
    >>> [strategy.tensor for strategy in found.strategies][-4:]
    [1, 4, 4, 4]
    """
    most, least = inf if memory_bytes is None else memory_bytes, inf
    best_ns, best = inf, None
    problem = ConfigError("there are no plans to choose the fastest from.")
    for searched, some in enumerate(plans.by_micro_batches.values()):
        try:
            table = _table(plans, some, device, platform, most)
            least = min(least, _least_bytes(table))
            label = _within(table, best_ns)
        except ConfigError as error:
            problem = error
            continue
        except KeyboardInterrupt:
            if best is None:
                raise
            so_far, count = planned(plans.model, best, device, platform), len(plans.by_micro_batches)
            raise Interrupted(so_far, f"{searched} of {count} numbers of micro-batches", "the fastest plan") from None
        if label is not None:
            best_ns, best = _whole_ns(label), Plan(plans.starts, label.strategies)
    if best is not None:
        return best
    if least == inf:
        raise problem
    raise ConfigError(
        f"{plans.model.name} doesn't fit by any of {plans!r}: the least is {least / 2**30:,.1f} GiB for each NPU, and "
        f"the limit {most / 2**30:,.1f} GiB."
    )


def _table(plans: Plans, some: Sequence[Strategy], device: Device, platform: Platform, most: float) -> Table:
    """For each layer group what its strategies take, without those that are nowhere better than another."""
    problem = ConfigError("")
    about, steps = abridged(plans.model), dict[Strategy, list[Step]]()
    for strategy in some:
        try:
            steps[strategy] = all_steps(plans.model, strategy, device, platform)
        except ConfigError as error:
            problem = error
    if not steps:
        raise problem
    table: list[list[Choice]] = []
    for operators in Plan(plans.starts, (some[0],) * len(plans.starts)).operators(plans.model):
        of_layouts: dict[int, list[Choice]] = {}
        for strategy, every in steps.items():
            own = every[operators.start : operators.stop]
            ns = sum(step.forward_ns + step.backward_ns for step in own) * strategy.micro_batches
            ns += sum(step.gather_ns for step in own)
            ns += update_ns(device, strategy, sum(step.parameters for step in own))
            memory = memory_of_operators(about, strategy, operators)
            choice = Choice(strategy, ns, memory.kept, behind(own), memory.moment)
            of_layouts.setdefault(strategy.tensor, []).append(choice)
        table.append([choice for choices in of_layouts.values() for choice in _best(choices)])
    before = [_between(plans, table, g, platform) for g in range(len(table))]
    return Table(table, before, some[0].micro_batches, most)


def _moments(table: Table) -> list[float]:
    """What layer groups may have for a moment, ascending: each is all that the groups of some plan have at most."""
    return sorted({choice.moment for choices in table.choices for choice in choices})


def _least_bytes(table: Table) -> float:
    """What an NPU has to have at least."""
    some = [(each, moment) for moment in _moments(table) if (each := table.within(moment))]
    return min(
        whole_bytes(kept_bytes([min(choice.kept for choice in choices) for choices in each.choices]), moment)
        for each, moment in some
    )


def _within(table: Table, most_ns: float) -> Label | None:
    """The shortest plan that is shorter than most_ns and fits, with what its groups have for a moment; None where there
    is none. The shortest of all that would fit without that is it, if it fits with it.
    """
    shortest = _shortest(table, most_ns)
    if shortest is None or whole_bytes(shortest.kept, _moment(table, shortest)) <= table.most:
        return shortest
    best: Label | None = None
    for moment in _moments(table):
        if each := table.within(moment):
            found = _shortest(each, most_ns)
            if found is not None:
                best, most_ns = found, _whole_ns(found)
    return best


def _moment(table: Table, label: Label) -> float:
    """What a plan's groups have for a moment, at most."""
    each = zip(table.choices, label.strategies, strict=True)
    return max(choice.moment for choices, cut in each for choice in choices if choice.strategy == cut)


def _shortest(table: Table, most_ns: float) -> Label | None:
    """From the last layer group to the first; None where no plan is shorter than most_ns.

    A part that can't become shorter than the best plan known is forgotten, too.
    """
    prices, known = relaxed(table)
    best = None
    if known is not None and (ns := table.whole_ns(known)) < most_ns:
        best, most_ns = _label(table, known), ns
    need = [min(choice.kept for choice in choices) for choices in table.choices]
    labels: dict[int, list[Label]] = {0: [Label(0.0, 0.0, 0.0, 0.0, ())]}
    for g in reversed(range(len(table.choices))):
        rest_kept = sum(need[:g]) * (1 - 1e-12)  # whose last bit is rounded
        rest = {c.strategy.tensor: [each.before(g, c.strategy.tensor) for each in prices] for c in table.choices[g]}
        found: dict[int, list[Label]] = {}
        for label in (each for some in labels.values() for each in some):
            arrived: dict[int, Label] = {}
            for choice in table.choices[g]:
                tensor = choice.strategy.tensor
                if tensor not in arrived:
                    arrived[tensor] = _handed_on(table, g, label, choice.strategy)
                at = arrived[tensor]
                ns, kept = at.ns + choice.ns, at.kept + choice.kept
                if not table.fits(kept + rest_kept) or _least_ns(table, ns, kept, rest[tensor], prices) >= most_ns:
                    continue
                late, free, exchanged = choice.behind.of(at.free, at.exchanged)
                new = Label(ns + late, kept, max(0.0, free), max(0.0, exchanged), (choice.strategy, *label.strategies))
                found.setdefault(tensor, []).append(new)
        labels = {tensor: _undominated(some) for tensor, some in found.items()}
    every = [each for some in labels.values() for each in some]
    shortest = min(every, key=_whole_ns, default=None)
    return shortest if shortest is not None and _whole_ns(shortest) < most_ns else best


def _whole_ns(label: Label) -> float:
    """Of all layer groups, with what is exposed at the end."""
    return label.ns + max(0.0, label.exchanged)


def _least_ns(table: Table, ns: float, kept: float, rest: Sequence[float], prices: Sequence[Priced]) -> float:
    """What a plan with such last layer groups can't be below. rest: what the others cost at least, at each price."""
    return max(
        ns + cost - (each.price * (table.room - kept) if each.price else 0.0)
        for cost, each in zip(rest, prices, strict=True)
    )


def _label(table: Table, chosen: Sequence[Choice]) -> Label:
    """A whole plan as a label."""
    strategies = tuple(choice.strategy for choice in chosen)
    return Label(table.whole_ns(chosen), kept_bytes([choice.kept for choice in chosen]), 0.0, 0.0, strategies)


def _between(plans: Plans, table: Sequence[Sequence[Choice]], g: int, platform: Platform) -> Between:
    """What is sent before group g."""
    if not g:
        return {}
    ends = [{choice.strategy.tensor: choice.strategy for choice in table[k]} for k in (g - 1, g)]
    return {
        (t, u): resharded(plans.model, plans.starts[g], before, after, platform)
        for t, before in ends[0].items()
        for u, after in ends[1].items()
        if t != u
    }


def _handed_on(table: Table, g: int, label: Label, before: Strategy) -> Label:
    """The groups from g + 1 on, with what is sent between them and a group g of that strategy."""
    if not label.strategies:
        return label
    step = table.before[g + 1].get((before.tensor, label.strategies[0].tensor))
    if step is None:
        return label
    ns = label.ns + table.between_ns(g + 1, before.tensor, label.strategies[0].tensor)
    return label._replace(ns=ns, free=label.free - step.backward_ns, exchanged=label.exchanged - step.backward_ns)


def _undominated(labels: Sequence[Label]) -> list[Label]:
    """Those that may lead to a better plan than every other: nothing makes up for more ns than it is behind by."""
    kept: list[Label] = []
    for one in sorted(labels, key=lambda each: each[:4]):
        ns, size, free, exchanged = one[:4]
        if not any(
            o.kept <= size and o.ns + max(0.0, o.free - free, o.exchanged - exchanged) <= ns for o in reversed(kept)
        ):
            kept.append(one)
    return kept


def _best(choices: Sequence[Choice]) -> list[Choice]:
    """The same of choices for one layer group."""
    kept: list[Choice] = []
    for one in sorted(choices, key=lambda each: (each.ns, each.kept, each.behind)):
        if not any(
            o.kept <= one.kept and o.moment <= one.moment and o.ns + o.behind.more(one.behind) <= one.ns for o in kept
        ):
            kept.append(one)
    return kept
