"""What a run of a pipeline is told: the times of its parts and transfers, how many micro-batches, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from astra_edu.explain.facts import Shares
from astra_edu.explain.inputs import Choice, Input, Inputs, Outcome, next_to
from astra_edu.pipeline import ORDERS, PipelineRun, run_pipeline

MOST_PARTS = 64
"""Of so many parts of a model each has a row; of more, they have one together."""


def again(run: PipelineRun, **settings: Any) -> int:
    """The total of the same run with other arguments."""
    names = ("stages", "micro_batches", "forward_ns", "backward_ns", "p2p_ns", "virtual", "blocking")
    asked = {name: getattr(run, name) for name in names} | {"order": _same_order(run)} | settings
    if run.split:  # what part of a backward pass the weights are stays
        whole = zip(run.weight_ns, asked["backward_ns"], run.backward_ns, strict=True)
        asked["weight_ns"] = [own * now // max(1, was) for own, now, was in whole]
    if run.both_ways:
        both = zip(run.hidden_ns, asked["forward_ns"], reversed(asked["backward_ns"]), strict=True)
        asked["hidden_ns"] = [min(each) for each in both]
    return run_pipeline(**asked).total_ns


def _same_order(run: PipelineRun) -> Callable[..., Any]:
    """The run's passes where its parts are."""

    def own(stage: int, stages: int, micro_batches: int, virtual: int = 1) -> Any:
        return run.passes[stage]

    own.placement = run.placement  # type: ignore[attr-defined]
    return own


def inputs_of_pipeline(run: PipelineRun, shares: Shares) -> Inputs:
    """All of a PipelineRun's, whose times are whole ns that nothing rounds."""
    numbers = [*_times(run)]
    if run.order in ORDERS:

        def with_micro_batches(count: float) -> Outcome:
            return Outcome(count, again(run, micro_batches=int(count), order=run.order))

        numbers.append(Input("micro-batches", "", run.micro_batches, with_micro_batches, next_to(run.micro_batches)))
    return Inputs(tuple(numbers), tuple(_choices(run)), 0.0)


def _times(run: PipelineRun) -> Iterator[Input]:
    parts = len(run.forward_ns)
    each = [(k,) for k in range(parts)] if parts <= MOST_PARTS else [tuple(range(parts))]
    for name, what in (("forward_ns", "forward time"), ("backward_ns", "backward time")):
        for some in each:
            of = f"of part {some[0]} of the model" if len(some) == 1 else "of all parts of the model"
            yield Input(f"{what} {of}", "ns", *_scaled(run, name, some), why=f"nothing waits for part {some[0]}")
    travels = tuple(range(len(run.p2p_ns)))
    yield Input("transfer times", "ns", *_scaled(run, "p2p_ns", travels), why="no stage waits for a transfer")


def _scaled(run: PipelineRun, name: str, some: tuple[int, ...]) -> tuple[float, Callable[[float], Outcome]]:
    """(the sum of some of these times, what happens with another sum)."""
    now = list(getattr(run, name))
    value = sum(now[k] for k in some)

    def at(wanted: float) -> Outcome:
        changed = list(now)
        for k in some:
            changed[k] = round(now[k] * wanted / value)
            if changed[k] == now[k] and now[k]:
                changed[k] += 1 if wanted > value else -1
        return Outcome(sum(changed[k] for k in some), again(run, **{name: changed}))

    return value, at


def _choices(run: PipelineRun) -> Iterator[Choice]:
    def order(name: str) -> Callable[[], float]:
        return lambda: again(run, order=name)

    others = {name: order(name) for name in ORDERS if name != run.order}
    same = "orders change what a stage keeps, and the bubble only where transfers or virtual stages count"
    yield Choice("order", run.order, others, same)
    why = "" if any(run.p2p_ns) else "transfers take no time"
    words = ("not blocking", "blocking")
    yield Choice(
        "transfers", words[run.blocking], {words[not run.blocking]: lambda: again(run, blocking=not run.blocking)}, why
    )
