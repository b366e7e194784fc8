"""A pipeline's iteration, simulated in SimPy: a process for each stage, which takes its passes in their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from astra_edu.base.errors import ConfigError, flag, whole
from astra_edu.base.so_far import leaves_nothing
from astra_edu.base.units import several
from astra_edu.pipeline.both_ways import BothWays
from astra_edu.pipeline.checked import passes
from astra_edu.pipeline.orders import ORDERS, Order, Pass
from astra_edu.pipeline.outcome import PipelineRun
from astra_edu.pipeline.places import BOTH_WAYS, FOLDED, placement_of
from astra_edu.pipeline.simulation import Simulation

Times = int | Sequence[int]
LONGEST_NS = 10**18
"""The longest time of a pass or a transfer, 31.7 years."""


@leaves_nothing()
def run_pipeline(
    order: str | Order | Sequence[Iterable[Pass]],
    stages: int,
    micro_batches: int,
    forward_ns: Times,
    backward_ns: Times,
    p2p_ns: Times = 0,
    virtual: int = 1,
    blocking: bool = False,
    weight_ns: Times | None = None,
    hidden_ns: Times = 0,
) -> PipelineRun:
    """Run one iteration and return when every pass ran.

    order: a name in ORDERS, a function like those there, or the passes of each stage. virtual: how many virtual
    stages a stage holds. The model is cut into stages × virtual parts; part k is virtual stage k // stages of
    stage k % stages, or, in a folded order, the second ones go back from the last stage to the first. An order that
    goes both ways ("dualpipe") has parts k and stages - 1 - k on stage k, one for micro-batches of either way.

    forward_ns, backward_ns: one micro-batch's time, in whole ns: one number for every stage; one for each stage; or,
    with several virtual stages, one for each part. The time of a stage is that of all its parts together. It is divided
    evenly among them, and where that leaves a remainder, its first parts take 1 ns more, so that no time is lost.

    p2p_ns: how long the activations, or their gradient, travel from one part to the next: one number, or one for
    each of the stages × virtual - 1 boundaries. Between parts of the same stage nothing travels. A transfer takes
    time but occupies neither stage, and transfers don't wait for each other; with blocking=True the sending stage
    computes nothing until what it sends has arrived.

    weight_ns: of backward_ns, what the gradients of the weights take, for orders that split the backward pass; half
    of it if it isn't given.

    hidden_ns: of a part's forward pass together with the backward pass of the other way, in an order that goes both
    ways, by how much they are shorter than one after the other: what is sent to experts hides behind computing.

    Raises ConfigError for numbers out of range, for an order with missing, unknown or repeated passes, and for one
    that comes to a standstill; then it says what each stage waits for.

    >>> gpipe, early = (ae.run_pipeline(order, 4, 8, 1000, 2000) for order in ("gpipe", "1f1b"))
    >>> gpipe.total_ns, early.total_ns
    (33000, 33000)
    >>> gpipe.in_flight, early.in_flight
    ((8.0, 8.0, 8.0, 8.0), (4.0, 3.0, 2.0, 1.0))
    """
    flag("blocking", blocking)
    listed = passes(order, stages, micro_batches, virtual)
    stages, micro_batches, virtual = int(stages), int(micro_batches), int(virtual)
    parts = stages * virtual
    forward = _of_parts("forward_ns", forward_ns, stages, virtual)
    backward = _of_parts("backward_ns", backward_ns, stages, virtual)
    p2p = _of_boundaries(p2p_ns, stages, parts)
    placement = placement_of(ORDERS.get(order) if isinstance(order, str) else order)
    if placement == FOLDED:
        p2p[stages - 1] = 0
    weights = _of_weights(weight_ns, backward, stages, virtual, any(each.kind == "W" for own in listed for each in own))
    hidden = _of_pairs(hidden_ns, forward, backward, stages, placement)
    inputs = [whole - own for whole, own in zip(backward, weights, strict=True)]
    lasts, travels = [*forward, *reversed(inputs)], [*p2p, 0, *reversed(p2p), 0]
    given = listed, lasts, travels, micro_batches, blocking, weights, placement
    simulation = BothWays(*given, hidden=hidden) if placement == BOTH_WAYS else Simulation(*given)
    simulation.run()
    return PipelineRun(
        order if isinstance(order, str) else getattr(order, "__name__", "own order"),
        stages,
        micro_batches,
        virtual,
        int(simulation.env.now),
        listed,
        tuple(map(tuple, simulation.starts)),
        tuple(map(tuple, simulation.ends)),
        tuple(forward),
        tuple(backward),
        tuple(p2p),
        blocking,
        tuple(weights),
        placement,
        tuple(hidden),
    )


def _of_parts(name: str, times: Times, stages: int, virtual: int) -> list[int]:
    """One time for each part of the model."""
    parts = stages * virtual
    given = _numbers(name, times, stages, parts)
    if len(given) == parts:
        return given
    quotients = [divmod(time, virtual) for time in given]
    return [time + (v < rest) for v in range(virtual) for time, rest in quotients]


def _of_weights(times: Times | None, backward: Sequence[int], stages: int, virtual: int, split: bool) -> list[int]:
    """Of each part's backward pass, what its weights take; nothing in an order that doesn't split it."""
    if not split:
        return [0] * len(backward)
    given = [whole // 2 for whole in backward] if times is None else _of_parts("weight_ns", times, stages, virtual)
    for part, (own, most) in enumerate(zip(given, backward, strict=True)):
        if own > most:
            raise ConfigError(
                f"weight_ns is {own:,} for part {part}, whose whole backward pass takes {most:,} ns; the weights' is a "
                "part of it."
            )
    return given


def _of_pairs(times: Times, forward: Sequence[int], backward: Sequence[int], stages: int, placement: str) -> list[int]:
    """What is hidden of each part's forward pass with the backward pass beside it; nothing in other orders."""
    if placement != BOTH_WAYS:
        return []
    given = _numbers("hidden_ns", times, stages, stages)
    for part, (own, *both) in enumerate(zip(given, forward, reversed(backward), strict=True)):
        if own > min(both):
            raise ConfigError(
                f"hidden_ns is {own:,} for part {part}, whose forward pass takes {both[0]:,} ns and the backward pass "
                f"beside it {both[1]:,} ns; no more than {min(both):,} ns of them can be hidden."
            )
    return given


def _of_boundaries(times: Times, stages: int, parts: int) -> list[int]:
    given = _numbers("p2p_ns", times, parts - 1, parts - 1)
    return given if stages > 1 else [0] * (parts - 1)


def _numbers(name: str, times: Times, *counts: int) -> list[int]:
    """`times` as one of as many numbers as `counts` says, the first count for a single number."""
    if not isinstance(times, Iterable) or isinstance(times, str) or getattr(times, "ndim", None) == 0:
        return [_ns(name, times)] * counts[0]
    given = [_ns(f"{name}[{place}]", time) for place, time in enumerate(times)]
    if len(given) not in counts:
        allowed = " or ".join(map(str, sorted(set(counts))))
        raise ConfigError(f"{name} has {several(len(given), 'number')}; give one for all, or {allowed} of them.")
    return given


def _ns(name: str, time: object) -> int:
    given = whole(name, time, at_least=0)
    if given > LONGEST_NS:
        raise ConfigError(f"{name} is more than {LONGEST_NS:,} ns, which is 31.7 years; that is the most.")
    return given
