"""What happens in each step of a cut: a block's weights go to NPUs, sums are completed, in both passes; in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from astra_edu.base.units import format_bytes
from astra_edu.course.instruments.cut_matrices import Block, block_of, names
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.stages import blocks_of_parts

TENSOR = ("attention summed", "MLP summed", "MLP gradients summed", "attention gradients summed")
"""Steps in which the tensor group's collectives complete sums."""
GATHERING = ("keys gathered", "keys gathered again", "keys’ gradients scattered")
"""Those of the context group's."""
ROUTING = ("tokens sent", "tokens sent back", "gradients sent", "gradients sent back")
"""Those of the expert group's all-to-alls."""

SCORES = ("scores", "attention")
"""What looks at all tokens, by the names that models have for it."""

Steps = dict[str, str]
"""{a step: what happens in it}, in their order."""


def steps(model: Model, cut: Strategy, sent: Sequence[Communication], npus: int, experts: int) -> Steps:
    """The steps of a block, with the collectives of `sent`. npus, experts: how many of them are drawn."""
    block = block_of(model)
    return dict(_steps(model, block, cut, _Sent(sent, block.prefix), npus, experts))


class _Sent:
    """The collectives of a block, by operator, content and phase."""

    def __init__(self, sent: Sequence[Communication], prefix: str) -> None:
        own = [each for each in sent if each.operator.startswith(prefix)]
        self.found = [(each.operator.removeprefix(prefix), each) for each in own]

    def all(self, operators: Sequence[str], content: str, phase: str = "") -> list[Communication]:
        """Those of these operators; of one of them the first that comes in the phase, or in any."""
        each = {name: one for name, one in reversed(self.found) if one.content == content and phase in ("", one.phase)}
        return [each[name] for name in operators if name in each]

    def one(self, operators: Sequence[str], content: str, phase: str = "") -> Communication | None:
        """Of operators of which a block has one."""
        return next(iter(self.all(operators, content, phase)), None)

    def weights(self, mirrored: bool = False) -> str:
        """What the copies' collectives are, or those of two stages that have the same, and how much they carry."""
        of = [each for _, each in self.found if each.content == "weight gradients"]
        each = [one for one in of if (one.group == "mirror") == mirrored]
        kinds, together = sorted({str(one.collective) for one in each}), sum(one.size * one.times for one in each)
        return f"{' and '.join(kinds)}: {format_bytes(together)}" if each else ""


def _steps(model: Model, block: Block, cut: Strategy, sent: _Sent, npus: int, drawn: int) -> Iterator[tuple[str, str]]:
    tensor, experts = cut.tensor > 1, block.experts
    yield "whole", _whole(model, block, cut, npus, drawn)
    yield "cut", _cut(cut, block)
    yield "home", _home(cut)
    if gathers := sent.one(SCORES, "keys and values", "forward"):
        yield "keys gathered", f"Attention looks at all tokens: {_collective(gathers)} brings their keys and values."
    yield (
        "attention",
        (
            "Forward: after the projection every NPU has sums over its own rows only."
            if tensor
            else "Forward, attention."
        ),
    )
    yield "attention summed", _summed(cut, sent.all(("projection",), "activations"))
    yield from _mixture(cut, sent, experts) if experts else _mlp(cut, sent)
    if gathers := sent.one(SCORES, "keys and values", "input gradient"):
        yield "keys gathered again", f"The backward pass needs keys and values again: {_collective(gathers)}."
    yield (
        "attention gradients",
        "Backward, attention: so are those of its inputs." if tensor else "Backward, attention.",
    )
    if scatters := sent.one(SCORES, "gradients of keys and values"):
        says = f"Each NPU has summands for the keys and values of all tokens; {_collective(scatters)} adds them up,"
        yield "keys’ gradients scattered", f"{says} for each NPU those of its own."
    yield "attention gradients summed", _summed(cut, sent.all(("qkv", "q", "kv"), "input gradients"))
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
    yield "MLP summed", _summed(cut, sent.all(("mlp2",), "activations"))
    yield (
        "MLP gradients",
        ("Backward, MLP: the gradients of its inputs are partial sums, too." if tensor else "Backward, MLP."),
    )
    yield "MLP gradients summed", _summed(cut, sent.all(("mlp1",), "input gradients"))


def _mixture(cut: Strategy, sent: _Sent, experts: int) -> Iterator[tuple[str, str]]:
    """An MLP's steps, with tokens on their way to experts and back; on the spot where every NPU has all of them."""
    partial = ": partial sums again" if cut.tensor > 1 else ""
    there = sent.one(("dispatch",), "routed tokens")
    if there:
        yield "tokens sent", f"A router chooses experts for each token; {_collective(there)} takes it there."
    on_the_spot = "" if there else f" Each NPU has all {experts}, so no token travels."
    yield "MLP", f"Forward, experts{partial}.{on_the_spot}"
    if back := sent.one(("combine",), "routed tokens"):
        yield "tokens sent back", f"Then {_collective(back)} brings back what they have made of it."
    yield "MLP summed", _summed(cut, sent.all(("combine", "shared2"), "activations"))
    if gradients := sent.one(("combine",), "gradients of routed tokens"):
        yield "gradients sent", f"Backward, {_collective(gradients)} takes gradients to the experts."
    yield "MLP gradients", f"Backward, experts{partial}."
    if gradients := sent.one(("dispatch",), "gradients of routed tokens"):
        yield "gradients sent back", f"Then {_collective(gradients)} brings those of their inputs back."
    yield "MLP gradients summed", _summed(cut, sent.all(("dispatch", "shared1"), "input gradients"))


def _collective(each: Communication) -> str:
    if each.collective is None:
        return f"a ring of messages of {format_bytes(each.size)} in the {each.group} group"
    return f"an {each.collective}".replace("an reduce", "a reduce") + (
        f" of {format_bytes(each.size)} in the {each.group} group"
    )


def _summed(cut: Strategy, each: Sequence[Communication]) -> str:
    if not each:
        return "There is no tensor group, so nothing is to be added up."
    both = ", and ".join(f"{one.collective} of {format_bytes(one.size)}" for one in each)
    said = f"A collective of the tensor group, {both}, completes them"
    if len(each) > 1:
        said = f"Collectives of the tensor group, {both}, complete them"
    if cut.sequence_parallel:
        return f"{said}, for each NPU those of its tokens; before the next cut an all-gather brings all tokens."
    return f"{said}."


def _whole(model: Model, block: Block, cut: Strategy, npus: int, drawn: int) -> str:
    weights = sum(each.weights for each in block.matrices)
    said = f"A block's four matrices: {weights:.3g} h² weights."
    if block.experts:
        some = f", of which {drawn} are drawn" if drawn < block.experts else ""
        shared = " and a shared expert" if any(each.operator == "shared1" for each in block.matrices) else ""
        said = f"A block's matrices: {weights:.3g} h² weights of its attention{shared}, and {block.experts} experts"
        said += f" of {block.expert_weights:.3g} h² each{some}."
        said += f" The first {block.number - 1} blocks have an MLP in their place." if block.number > 1 else ""
    if cut.pipeline > 1:
        said += f" A stage has {_of_stages(model, cut)} of the {len(model.blocks)} blocks."
    if npus < cut.npus:
        others = "with their own blocks, tokens or samples" if cut.context > 1 else "with their own blocks or samples"
        said += f" Drawn are {npus} of the {cut.npus:,} NPUs; the others do the same, {others}."
    return said


def _of_stages(model: Model, cut: Strategy) -> str:
    """How many blocks each stage has."""
    each = blocks_of_parts(model.name, len(model.blocks), cut.pipeline * cut.virtual, cut.stage_blocks)
    counts = [sum(each[part] for part in cut.parts_on(stage)) for stage in range(cut.pipeline)]
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"


def _cut(cut: Strategy, block: Block) -> str:
    said, experts = "No tensor group: nothing is cut.", block.experts
    if cut.tensor > 1:
        columns, rows = names(block.matrices, "columns"), names(block.matrices, "rows")
        if experts:
            columns, rows = [*columns, "each expert's first matrix"], [*rows, "its second"]
        said = f"Cut for {cut.tensor} NPUs: {_and(columns)} by columns, {_and(rows)} by rows."
        if copied := names(block.matrices, "copied"):
            said += f" {_and(copied)} are too small to be cut: every NPU has them."
    if cut.context > 1:
        said = f"{'' if cut.tensor == 1 else said + ' '}A sample's tokens are cut in {cut.context}."
    if cut.expert > 1:
        shared = f"The {experts} experts are dealt out, {experts // cut.expert} each."
        said = shared if said.startswith("No tensor") else f"{said} {shared}"
    return said


def _and(words: Sequence[str]) -> str:
    """Words in a sentence."""
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), words[-1]])


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
    weights, mirrored = sent.weights(), sent.weights(mirrored=True)
    both = f"The two stages that have the block add theirs up, {mirrored}." if mirrored else ""
    if not weights:
        return both or "There is one copy, so they are complete."
    share = "Each copy completes a share of them." if cut.zero else "Every copy has them all."
    said = f"The data group, {weights} for the block in an iteration. {share}"
    if experts and cut.expert == cut.copies and not both:
        said += " No other NPU has these experts, so their gradients are complete already."
    return f"{said} {both}".strip()
