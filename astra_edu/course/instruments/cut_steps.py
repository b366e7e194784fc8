"""What happens in each step of a cut: a block's weights go to NPUs, sums are completed, in both passes; in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from astra_edu.base.units import format_bytes
from astra_edu.workload.compute import Experts
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy

TENSOR = ("attention summed", "MLP summed", "MLP gradients summed", "attention gradients summed")
"""Steps in which the tensor group's collectives complete sums."""
GATHERING = ("keys gathered", "keys gathered again", "keys’ gradients scattered")
"""Those of the context group's."""
ROUTING = ("tokens sent", "tokens sent back", "gradients sent", "gradients sent back")
"""Those of the expert group's all-to-alls."""

Steps = dict[str, str]
"""{a step: what happens in it}, in their order."""


def experts_of(model: Model) -> int:
    """How many experts a block has; 0 where it has one MLP."""
    return next((each.experts for each in model.operators if isinstance(each, Experts)), 0)


def steps(model: Model, cut: Strategy, sent: Sequence[Communication], npus: int, experts: int) -> Steps:
    """The steps of the first block, with the collectives of `sent`. npus, experts: how many of them are drawn."""
    return dict(_steps(model, cut, _Sent(sent), npus, experts))


class _Sent:
    """The collectives of the first block, by operator, content and phase."""

    def __init__(self, sent: Sequence[Communication]) -> None:
        self.found = [each for each in sent if each.operator.startswith("block1_")]

    def one(self, operator: str, content: str, phase: str = "") -> Communication | None:
        wanted = f"block1_{operator}", content
        of_both = (each for each in self.found if (each.operator, each.content) == wanted)
        return next((each for each in of_both if phase in ("", each.phase)), None)

    def weights(self) -> str:
        """What the copies' collectives are, and how much they carry."""
        each = [each for each in self.found if each.content == "weight gradients"]
        kinds, together = sorted({str(one.collective) for one in each}), sum(one.size * one.times for one in each)
        return f"{' and '.join(kinds)}: {format_bytes(together)}" if each else ""


def _steps(model: Model, cut: Strategy, sent: _Sent, npus: int, drawn: int) -> Iterator[tuple[str, str]]:
    tensor, experts = cut.tensor > 1, experts_of(model)
    yield "whole", _whole(model, cut, npus, drawn)
    yield "cut", _cut(cut, experts)
    yield "home", _home(cut)
    if gathers := sent.one("scores", "keys and values", "forward"):
        yield "keys gathered", f"Attention looks at all tokens: {_collective(gathers)} brings their keys and values."
    yield (
        "attention",
        (
            "Forward: after the projection every NPU has sums over its own rows only."
            if tensor
            else "Forward, attention."
        ),
    )
    yield "attention summed", _summed(cut, sent.one("projection", "activations"))
    yield from _mixture(cut, sent, experts) if experts else _mlp(cut, sent)
    if gathers := sent.one("scores", "keys and values", "input gradient"):
        yield "keys gathered again", f"The backward pass needs keys and values again: {_collective(gathers)}."
    yield (
        "attention gradients",
        "Backward, attention: so are those of its inputs." if tensor else "Backward, attention.",
    )
    if scatters := sent.one("scores", "gradients of keys and values"):
        says = f"Each NPU has summands for the keys and values of all tokens; {_collective(scatters)} adds them up,"
        yield "keys’ gradients scattered", f"{says} for each NPU those of its own."
    yield "attention gradients summed", _summed(cut, sent.one("qkv", "input gradients"))
    yield (
        "gradients",
        (
            f"Each {'copy' if cut.context == 1 else 'NPU'} has the weights’ gradients of its own "
            f"{'samples' if cut.context == 1 else 'tokens'}."
            if cut.copies > 1
            else "The weights’ gradients are there."
        ),
    )
    yield "exchange", _exchange(cut, sent, experts)
    yield (
        "update",
        {
            0: "Every NPU updates all its weights.",
            3: "Each copy updates its share, and keeps no more: the next pass gathers the rest.",
        }.get(cut.zero, "Each copy updates its share; an all-gather hands the new weights to the others."),
    )


def _mlp(cut: Strategy, sent: _Sent) -> Iterator[tuple[str, str]]:
    tensor = cut.tensor > 1
    yield "MLP", "Forward, MLP: partial sums again." if tensor else "Forward, MLP."
    yield "MLP summed", _summed(cut, sent.one("mlp2", "activations"))
    yield (
        "MLP gradients",
        ("Backward, MLP: the gradients of its inputs are partial sums, too." if tensor else "Backward, MLP."),
    )
    yield "MLP gradients summed", _summed(cut, sent.one("mlp1", "input gradients"))


def _mixture(cut: Strategy, sent: _Sent, experts: int) -> Iterator[tuple[str, str]]:
    """An MLP's steps, with tokens on their way to experts and back; on the spot where every NPU has all of them."""
    partial = ": partial sums again" if cut.tensor > 1 else ""
    there = sent.one("dispatch", "routed tokens")
    if there:
        yield "tokens sent", f"A router chooses experts for each token; {_collective(there)} takes it there."
    on_the_spot = "" if there else f" Each NPU has all {experts}, so no token travels."
    yield "MLP", f"Forward, experts{partial}.{on_the_spot}"
    if back := sent.one("combine", "routed tokens"):
        yield "tokens sent back", f"Then {_collective(back)} brings back what they have made of it."
    yield "MLP summed", _summed(cut, sent.one("combine", "activations"))
    if gradients := sent.one("combine", "gradients of routed tokens"):
        yield "gradients sent", f"Backward, {_collective(gradients)} takes gradients to the experts."
    yield "MLP gradients", f"Backward, experts{partial}."
    if gradients := sent.one("dispatch", "gradients of routed tokens"):
        yield "gradients sent back", f"Then {_collective(gradients)} brings those of their inputs back."
    yield "MLP gradients summed", _summed(cut, sent.one("dispatch", "input gradients"))


def _collective(each: Communication) -> str:
    return f"an {each.collective}".replace("an reduce", "a reduce") + (
        f" of {format_bytes(each.size)} in the {each.group} group"
    )


def _summed(cut: Strategy, each: Communication | None) -> str:
    if each is None:
        return "There is no tensor group, so nothing is to be added up."
    said = f"A collective of the tensor group, {each.collective} of {format_bytes(each.size)}, completes them"
    if cut.sequence_parallel:
        return f"{said}, for each NPU those of its tokens; before the next cut an all-gather brings all tokens."
    return f"{said}."


def _whole(model: Model, cut: Strategy, npus: int, drawn: int) -> str:
    experts = experts_of(model)
    said = "A block's four matrices: 12 h² weights."
    if experts:
        some = f", of which {drawn} are drawn" if drawn < experts else ""
        said = f"A block's matrices: 4 h² weights of its attention, and {experts} experts of 8 h² each{some}."
    if cut.pipeline > 1:
        said += f" A stage has {len(model.blocks) / cut.pipeline:g} of the {len(model.blocks)} blocks."
    if npus < cut.npus:
        others = "with their own blocks, tokens or samples" if cut.context > 1 else "with their own blocks or samples"
        said += f" Drawn are {npus} of the {cut.npus:,} NPUs; the others do the same, {others}."
    return said


def _cut(cut: Strategy, experts: int) -> str:
    said = "No tensor group: nothing is cut."
    if cut.tensor > 1:
        mlp = "each expert's first matrix" if experts else "MLP 1"
        second = "its second" if experts else "MLP 2"
        said = f"Cut for {cut.tensor} NPUs: Q, K, V and {mlp} by columns, the projection and {second} by rows."
    if cut.context > 1:
        said = f"{'' if cut.tensor == 1 else said + ' '}A sample's tokens are cut in {cut.context}."
    if cut.expert > 1:
        shared = f"The {experts} experts are dealt out, {experts // cut.expert} each."
        said = shared if said.startswith("No tensor") else f"{said} {shared}"
    return said


def _home(cut: Strategy) -> str:
    said = "Each slice goes to its NPU."
    if cut.copies == 1:
        return said
    many = f"{cut.copies} {'copies' if cut.context == 1 else 'NPUs of data and context group'}"
    if cut.zero == 3:
        return f"Each slice is used on its NPU, gathered from the {many}, which keep a share of it each."
    but = "but the experts" if cut.expert > 1 else ""
    return f"{said[:-1]}; each of the {many} has all of them{' ' + but if but else ''}."


def _exchange(cut: Strategy, sent: _Sent, experts: int) -> str:
    weights = sent.weights()
    if not weights:
        return "There is one copy, so they are complete."
    share = "Each copy completes a share of them." if cut.zero else "Every copy has them all."
    said = f"The data group, {weights} for the block in an iteration. {share}"
    if experts and cut.expert == cut.copies:
        said += " No other NPU has these experts, so their gradients are complete already."
    return said
