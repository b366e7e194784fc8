"""A mixture of experts out of any transformer here."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, instance_of, whole
from astra_edu.workload.compute import Elementwise, Experts, Linear, Normalisation, Operator
from astra_edu.workload.models.feedforward import FeedForward
from astra_edu.workload.models.model import Model
from astra_edu.workload.models.style import Style

_NO_PAIR = "{} has no pair of linear layers in each block; give a transformer without experts."


def with_experts(model: Model, experts: int, top_k: int = 2) -> Model:
    """The same transformer with `experts` pairs of linear layers in each block, of which a token goes through top_k.

    Raises ConfigError for a model without such pairs, and for a top_k of more experts than there are.

    >>> mixed = ae.with_experts(ae.model("gpt3"), 8)
    >>> mixed.name, f"{mixed.parameters / 1e9:.0f} billion"
    ('GPT-3, 8 experts', '986 billion')
    """
    instance_of("model", model, Model, "give one such as ae.model('gpt3')")
    experts, top_k = whole("experts", experts, at_least=2), whole("top_k", top_k, at_least=1)
    if top_k > experts:
        raise ConfigError(f"a token can't go to {top_k} of {experts} experts; top_k is at most {experts}.")
    if not model.blocks:
        raise ConfigError(_NO_PAIR.format(model.name))
    starts, inside = {block.start: block for block in model.blocks}, {i for block in model.blocks for i in block}
    operators: list[Operator] = []
    blocks: list[range] = []
    for i, operator in enumerate(model.operators):
        if i in starts:
            changed = _changed(model, starts[i], experts, top_k)
            blocks.append(range(len(operators), len(operators) + len(changed)))
            operators += changed
        elif i not in inside:
            operators.append(operator)
    return Model(f"{model.name}, {experts} experts", tuple(operators), tuple(blocks))


def _changed(model: Model, block: range, experts: int, top_k: int) -> list[Operator]:
    """A block's operators with a mixture in place of what follows its attention."""
    own = [model.operators[i] for i in block]
    ups = [i for i, each in enumerate(own) if each.name.endswith("_mlp1") and isinstance(each, Linear)]
    if not ups or isinstance(own[ups[0]], Experts):
        raise ConfigError(_NO_PAIR.format(model.name))
    norm, up, between, down, added = own[ups[0] - 1 : ups[0] + 4]
    assert isinstance(norm, Normalisation)
    assert isinstance(up, Linear)
    assert isinstance(down, Linear)
    assert isinstance(added, Elementwise)
    name = up.name.removesuffix("_mlp1")
    style = Style(
        model=model.name,
        hidden=up.inputs,
        tokens=up.tokens,
        norm="layer" if norm.bias or not up.bias else "rms",
        bias=up.bias,
        dropout=bool(added.kept),
    )
    pair = FeedForward(
        style=style, inside=down.inputs, activation=between.name.removeprefix(f"{name}_"), experts=experts, top_k=top_k
    )
    return [*own[: ups[0] - 1], norm, *list(pair.operators(name, f"{name}_added1"))[1:]]
