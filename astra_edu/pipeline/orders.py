"""In which order each stage of a pipeline runs its forward and backward passes.

An order is a function of one stage, order(stage, stages, micro_batches), that yields the stage's passes one after
the other; `ORDERS["mine"] = my_order`, or @ORDERS.add("mine") in front of it, makes another one known. An order for
stages that hold several virtual stages has another parameter, `virtual`: how many. Orders say nothing of time: a
pass begins when it is its turn and what it needs has arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from astra_edu.base.deprecated import renamed_attributes
from astra_edu.base.errors import ConfigError
from astra_edu.base.table import Registry, first_sentence


@renamed_attributes(chunk="virtual_stage")
class Pass(NamedTuple):
    """One micro-batch going through one virtual stage, which is a group of layers, forwards or backwards.

    kind: "F" for forward, "B" for backward; where an order splits that, "B" is the gradient of the input, "W" that of
    the weights. micro_batch: which one, from 0. virtual_stage: which of the stage's, from 0; there is only one unless
    the order is interleaved or folded. A plain tuple such as ("F", 3) will do in its place.

    >>> from astra_edu.pipeline import Pass
    >>> Pass("F", 3)
    Pass(kind='F', micro_batch=3, virtual_stage=0)
    >>> Pass("F", 3) == ("F", 3, 0)
    True
    """

    kind: str
    micro_batch: int
    virtual_stage: int = 0


Order = Callable[..., Iterable[Pass]]
Passes = tuple[tuple[Pass, ...], ...]
"""[stage]: its passes, in their order."""


def gpipe(stage: int, stages: int, micro_batches: int) -> Iterator[Pass]:
    """All forward passes, then all backward passes, the last micro-batch first (GPipe, arXiv 1811.06965)."""
    for i in range(micro_batches):
        yield Pass("F", i)
    for i in reversed(range(micro_batches)):
        yield Pass("B", i)


def one_forward_one_backward(stage: int, stages: int, micro_batches: int) -> Iterator[Pass]:
    """1F1B: fill the stages below, then one forward and one backward in turn (arXiv 2104.04473, after PipeDream)."""
    ahead = min(stages - stage - 1, micro_batches)
    yield from _in_turn(
        ahead, [Pass("F", i) for i in range(micro_batches)], [Pass("B", i) for i in range(micro_batches)]
    )


def interleaved(stage: int, stages: int, micro_batches: int, virtual: int) -> Iterator[Pass]:
    """1F1B for stages of `virtual` virtual stages: `stages` micro-batches go through one, then through the next.

    As in Megatron-LM (arXiv 2104.04473). Raises ConfigError unless micro_batches is a multiple of stages. With one
    virtual stage it is 1F1B.
    """
    if virtual == 1:
        yield from one_forward_one_backward(stage, stages, micro_batches)
        return
    if micro_batches % stages:
        below = micro_batches // stages * stages
        near = f"{below} or {below + stages}" if below else f"{stages} is the least"
        raise ConfigError(
            f"micro_batches is {micro_batches} for {stages} stages; the interleaved order sends them in groups of "
            f"{stages}, so it must be a multiple of {stages}: {near}."
        )
    places = [
        (group * stages + i, v)
        for group in range(micro_batches // stages)
        for v in range(virtual)
        for i in range(stages)
    ]
    ahead = min(2 * (stages - stage - 1) + (virtual - 1) * stages, len(places))
    yield from _in_turn(ahead, [Pass("F", i, v) for i, v in places], [Pass("B", i, virtual - 1 - v) for i, v in places])


def _in_turn(ahead: int, forward: Sequence[Pass], backward: Sequence[Pass]) -> Iterator[Pass]:
    """`ahead` forward passes, then one forward and one backward in turn, then the backward passes that are left."""
    yield from forward[:ahead]
    for pair in zip(forward[ahead:], backward, strict=False):
        yield from pair
    yield from backward[len(forward) - ahead :]


ORDERS: Registry[Order] = Registry(
    "orders of a pipeline's passes",
    ["what a stage does"],
    lambda order: [first_sentence(order)],
    {"gpipe": gpipe, "1f1b": one_forward_one_backward, "interleaved": interleaved},
)
"""ORDERS[name]: the orders that run_pipeline knows by name; add your own."""


def name_of(done: Pass, virtual: int = 1) -> str:
    """A pass in a sentence: "F of micro-batch 3"."""
    through = f" through virtual stage {done.virtual_stage}" if virtual > 1 else ""
    return f"{done.kind} of micro-batch {done.micro_batch}{through}"
