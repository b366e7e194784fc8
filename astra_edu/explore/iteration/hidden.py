"""What of a collective or a message doesn't hide behind computing, by the order in which a strategy does them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from astra_edu.explore.iteration.network_times import message_ns, took_by
from astra_edu.explore.iteration.parts import WAITS, Step, beginning_ns, launching_ns
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.overlapped import Item, Items, makespan, units
from astra_edu.workload.strategies.precision import adding_ns, computing_ns


def with_hidden(
    steps: Mapping[str, Step],
    model: Model,
    strategy: Strategy,
    sent: Sequence[Communication],
    device: Device,
    networks: Mapping[str, Platform],
    bounded: bool,
) -> dict[str, Step]:
    """The operators' times, by name, with what is sent round a ring or in pieces: what they compute so, and wait for.

    A matrix product in pieces takes as long as its pieces do, which read its weights again each. Of a backward pass in
    two the weights' has nothing in pieces.
    """
    found = dict(steps)
    names = [operator.name for operator in model.operators]

    def took(item: Item) -> float:
        if item.sent is None:
            return _computing_ns(item, device, strategy)
        network, size = networks[item.sent.group], item.sent.size
        if item.sent.collective is None:
            return max(message_ns(network, size, place) for place in range(item.sent.npus))
        one = took_by(network, item.sent.collective, size)
        return (one.at_least if bounded else one).begun(beginning_ns(device)).total_ns

    def passes(items: Items) -> tuple[float, float]:
        """(computing, waiting)."""
        times = [took(item) for item in items]
        computing = sum(ns for item, ns in zip(items, times, strict=True) if item.sent is None)
        return computing, makespan(items, times) - computing

    for unit in units(model, strategy, sent):
        own = [steps[names[i]] for i in unit.operators]
        step = found[names[unit.at]]
        (ahead, waited), (back, waited_back) = passes(unit.forward), passes(unit.backward)
        ahead -= sum(one.forward_ns for one in own)
        if strategy.splits_backward:
            back -= sum(one.backward_ns - one.weight_ns for one in own)
        else:  # gradients are added up to what is there with the weights, which their list computes
            adding = sum(adding_ns(device, strategy, model.operators[i]) for i in unit.operators)
            back -= sum(one.backward_ns for one in own) - adding
        waits = list(step.waited_ns)
        waits[WAITS.index(unit.kind)] += round(waited) + round(waited_back)
        launches = [
            sum(launching_ns(device, item.sent) for item in items if item.sent)
            for items in (unit.forward, unit.backward)
        ]
        found[names[unit.at]] = step._replace(
            forward_ns=step.forward_ns + ahead + waited,
            backward_ns=step.backward_ns + back + waited_back,
            compute_ns=step.compute_ns + ahead + back,
            repeated_ns=step.repeated_ns + (ahead if any(one.repeated_ns for one in own) else 0),
            waited_ns=tuple(waits),
            launching_ns=(step.launching_ns[0] + launches[0], step.launching_ns[1] + launches[1]),
        )
    return found


def computing_of(items: Items, device: Device, strategy: Strategy) -> float:
    """ns that are computed of them, one after the other."""
    return sum(_computing_ns(item, device, strategy) for item in items if item.sent is None)


def _computing_ns(item: Item, device: Device, strategy: Strategy) -> float:
    return sum(computing_ns(device, strategy, work) for work in item.computes)


def prefetched(steps: Sequence[Step], blocks: Sequence[int], split: bool = False) -> list[Step]:
    """A part's operators, each block's parameters gathered while the block before it computes; what is left is waited
    for by the block's first operator. blocks: for each operator the number of its block. split: whether the gradients
    of weights are a pass of their own, which gathers nothing.

    Gathers of 4 ns behind blocks of 10 ns: the first one has nothing to hide behind.

    >>> from astra_edu.explore.iteration.parts import Step
    >>> from astra_edu.explore.iteration.hidden import prefetched
    >>> two = [Step(10, 10, 20, 0, 0, hidden_ns=(4, 4)) for _ in range(2)]
    >>> [(step.forward_ns, step.backward_ns) for step in prefetched(two, [0, 1])]
    [(14.0, 10.0), (10.0, 14.0)]
    """
    those = [[place for place, _ in each] for _, each in groupby(enumerate(blocks), key=lambda one: one[1])]
    found = list(steps)
    for way, order in ((0, those), (1, those[::-1])):
        late = _late(
            [sum(steps[i].hidden_ns[way] for i in block) for block in order],
            [sum(_pass_ns(steps[i], way, split) for i in block) for block in order],
        )
        for block, ns in zip(order, late, strict=True):
            at = block[0] if way == 0 else block[-1]
            step = found[at]
            waited = (step.waited_ns[0] + round(ns), *step.waited_ns[1:])
            forward, backward = (ns, 0) if way == 0 else (0, ns)
            found[at] = step._replace(
                forward_ns=step.forward_ns + forward,
                backward_ns=step.backward_ns + backward,
                waited_ns=waited,
                late_ns=(step.late_ns[0] + forward, step.late_ns[1] + backward),
            )
    return found


def _pass_ns(step: Step, way: int, split: bool) -> float:
    return step.backward_ns - step.weight_ns * split if way else step.forward_ns


def _late(gathers: Sequence[float], computes: Sequence[float]) -> list[float]:
    """How long each block waits for its parameters, which are asked for when the block before it begins."""
    asked, gathered, end, late = 0.0, 0.0, 0.0, []
    for gather, compute in zip(gathers, computes, strict=True):
        gathered = max(asked, gathered) + gather
        start = max(end, gathered) if gather else end
        late.append(start - end)
        asked, end = start, start + compute
    return late


def first_pass_late_ns(parts: Sequence[Sequence[Step]], messages_ns: Sequence[float], places: Sequence[int]) -> float:
    """By how much the first micro-batch is late at the end of its forward pass, as all stages gather their parameters
    one after the other from the iteration's start, and each operator waits for its own. places: the stage of each part.
    """
    late, way = 0.0, 0.0
    gathered = [0.0] * (max(places) + 1)
    for k, (part, stage) in enumerate(zip(parts, places, strict=True)):
        for step in part:
            if step.gather_ns:
                gathered[stage] += step.gather_ns
                late = max(late, gathered[stage] - way)
            way += step.forward_ns
        way += messages_ns[k] if k < len(messages_ns) else 0
    return late
