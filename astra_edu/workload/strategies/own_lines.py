"""Context groups and groups of experts in an ASTRA-sim 1.0 workload: every collective on a line of its own.

A line of HYBRID_CUSTOMIZED names its parallelism, and by that which dimensions its collectives run over: dimension 0,
all the others, or all. Activations, gradients of weights and parameters of such strategies have up to four groups, more
than one line can say. So the lines that compute send nothing but their gradients, and lines that compute nothing send
everything else, in both passes: in front of an operator's line what its forward pass needs and its backward pass gives,
behind it what its forward pass gives and its backward pass needs, or repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.workload.compute import Combine, Operator
from astra_edu.workload.layer import Layer, Work
from astra_edu.workload.models import Model
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, Communication
from astra_edu.workload.strategies.strategy import Strategy

FIRST, OTHERS, ALL = "dimension 0", "all the others", "all"
"""What collectives can run over."""

SENDING = {FIRST: "HYBRID_DATA_MODEL", OTHERS: "HYBRID_MODEL_DATA", ALL: "MODEL"}
"""The parallelism of a line that sends within a micro-batch, and ..."""

EXCHANGING = {FIRST: "HYBRID_MODEL_DATA", OTHERS: "HYBRID_DATA_MODEL", ALL: "DATA"}
"""... of one that sends gradients of weights."""

UPDATE_NS = 1
"""What a finished collective takes to be used, in the tutorials' files."""

NOTHING = Work(0, None, 0)

Pair = tuple[Communication | None, Communication | None]

INSTEAD = "ae.traces.from_strategy makes a trace for 2.x, ae.estimate knows how long an iteration takes"


def has_own_lines(strategy: Strategy) -> bool:
    """Whether a strategy's collectives take lines of their own."""
    return strategy.context > 1 or strategy.expert > 1


def first_dimension(strategy: Strategy) -> int:
    """How many NPUs dimension 0 must have, for each group to be that dimension, all the others, or all; all NPUs of a
    stage if any number will do.

    Raises ConfigError where groups end in several places, and for a ring.

    >>> from astra_edu.workload.strategies.own_lines import first_dimension
    >>> first_dimension(ae.Strategy(data=4, context=2)), first_dimension(ae.Strategy(data=8, expert=8))
    (2, 8)
    >>> first_dimension(ae.Strategy(tensor=4, context=2))
    4
    """
    if strategy.context_by == "ring":
        raise ConfigError(
            "a ring's messages go from NPU to NPU while attention computes, and ASTRA-sim 1.0's training loops know "
            f"collectives alone, for which a forward pass waits; use context_by='all-gather'; {INSTEAD}."
        )
    npus = strategy.copies * strategy.tensor
    spans = _spans(strategy)
    ends = {end for span in spans.values() for end in span} - {1, npus}
    if len(ends) > 1:
        groups = ", ".join(f"{name} {end // start}" for name, (start, end) in spans.items())
        raise ConfigError(
            "a line of ASTRA-sim 1.0's HYBRID_CUSTOMIZED can send over dimension 0, all the others or all, and these "
            f"groups ({groups} NPUs) need more; {_would_do(strategy)}; {INSTEAD}."
        )
    return ends.pop() if ends else npus


def with_own_lines(
    layers: Sequence[Layer], model: Model, strategy: Strategy, found: Sequence[Communication]
) -> Iterator[Layer]:
    """The lines that compute, each with those that send for it. layers: what computes, and which gradients it sends."""
    operators = {operator.name: operator for operator in model.operators}
    reach = {name: _reach(span, strategy) for name, span in _spans(strategy).items()}
    sent: dict[str, list[Communication]] = {}
    exchanging: dict[str, str] = {}
    for one in found:
        if one.phase in (FORWARD, INPUT_GRADIENT) and one.group in reach:
            sent.setdefault(one.operator, []).append(one)
        elif one.phase == WEIGHT_GRADIENT and one.group in ("shard", *reach):
            exchanging[one.operator] = EXCHANGING[reach["data" if one.group == "shard" else one.group]]
    for layer in layers:
        own, operator = sent.get(layer.name, []), operators[layer.name]
        ahead, back = ([one for one in own if one.phase == phase] for phase in (FORWARD, INPUT_GRADIENT))
        needed, given = _in_order(ahead, operator, strategy)
        needed_back, given_back = _in_order(back, operator, strategy)
        again = [one for one in ahead if one.times > strategy.micro_batches]
        yield from (_line(there, here, reach) for there, here in _pairs(needed, given_back))
        yield replace(layer, parallelism=exchanging.get(layer.name, EXCHANGING[ALL]))
        yield from (_line(None, one, reach, "_again") for one in again)
        for there, here in _pairs(given, needed_back):
            twice = here and not there and here.content in {one.content for one in needed}
            yield _line(there, here, reach, "_back" if twice else "")


def _in_order(
    sent: Sequence[Communication], operator: Operator, strategy: Strategy
) -> tuple[list[Communication], list[Communication]]:
    """(what a pass needs before it computes the operator, what it gives)."""
    needs = [_needed(one, operator, strategy) for one in sent]
    return (
        [one for one, first in zip(sent, needs, strict=True) if first],
        [one for one, first in zip(sent, needs, strict=True) if not first],
    )


def _needed(one: Communication, operator: Operator, strategy: Strategy) -> bool:
    """Whether a pass needs it before it computes the operator."""
    if one.group == "expert":  # to the experts as soon as tokens are in order, back before they are combined
        return isinstance(operator, Combine) == (one.phase == FORWARD)
    gathers = one.collective is Collective.ALL_GATHER
    return gathers and (one.group != "tensor" or strategy.sequence_parallel)


def _pairs(ahead: Sequence[Communication], back: Sequence[Communication]) -> Iterator[Pair]:
    """One of either pass where the same group sends in both, so that a line can have them; else one alone."""
    left = list(back)
    for there in ahead:
        here = next((one for one in left if one.group == there.group), None)
        if here:
            left.remove(here)
        yield there, here
    yield from ((None, here) for here in left)


def _line(there: Communication | None, here: Communication | None, reach: Mapping[str, str], ending: str = "") -> Layer:
    """One that sends something in the forward pass, in the backward pass, or in both."""
    one = there or here
    assert one
    ahead, back = (Work(0, each.collective, each.size) if each else NOTHING for each in (there, here))
    name = f"{one.operator}_{one.content.replace(' ', '_')}{ending}"
    return Layer(name, ahead, back, NOTHING, UPDATE_NS, SENDING[reach[one.group]])


def _spans(strategy: Strategy) -> dict[str, tuple[int, int]]:
    """Of each group of several NPUs, how far apart its neighbours are, and how far it reaches, in NPUs."""
    copies, tensor = strategy.copies, strategy.tensor
    of_tensor, of_copies = (1, tensor) if strategy.placement == "tensor-first" else (copies, 1)
    spans = {
        "tensor": (of_tensor, of_tensor * tensor),
        "data": (of_copies, of_copies * copies),
        "context": (of_copies, of_copies * strategy.context),
        "expert": (of_copies, of_copies * strategy.expert_copies),
    }
    if strategy.whole_experts:
        spans["expert"] = spans["tensor"] if strategy.expert_copies == 1 else (1, strategy.expert)
    if strategy.expert > 1:
        spans["expert data"] = (of_copies * strategy.expert_copies, of_copies * copies)
    return {name: span for name, span in spans.items() if span[0] < span[1]}


def _reach(span: tuple[int, int], strategy: Strategy) -> str:
    npus = strategy.copies * strategy.tensor
    if span == (1, npus):
        return ALL
    return FIRST if span[0] == 1 else OTHERS


def _would_do(strategy: Strategy) -> str:
    """What a strategy like it could be in a workload."""
    copies, tensor = strategy.copies, strategy.tensor
    if tensor > 1:
        most, least = (copies * tensor, tensor) if strategy.whole_experts else (copies, 1)
        return (
            f"with a tensor group, all {copies} copies (data × context) have to be the context group (data=1), or none "
            f"of them (context=1), and all or none share out experts (expert={most} or {least})"
        )
    return (
        f"the context group ({strategy.context}) and the one of experts ({strategy.expert}) have to be the same, or "
        f"one of them all {copies} copies (data × context), or none"
    )
