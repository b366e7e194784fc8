"""Models by their shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from typing import Any

from astra_edu.base.errors import ConfigError, choice
from astra_edu.base.table import Table
from astra_edu.workload.models import dense, gpt
from astra_edu.workload.models.attention import LatentAttention
from astra_edu.workload.models.hybrid import HYBRIDS
from astra_edu.workload.models.mixture import with_experts
from astra_edu.workload.models.model import INPUT, Model
from astra_edu.workload.models.recommendation import dlrm
from astra_edu.workload.models.sparse import MIXTURES
from astra_edu.workload.models.transformer import llama, transformer
from astra_edu.workload.models.translation import gnmt
from astra_edu.workload.models.tutorial import gpt3_tutorial
from astra_edu.workload.models.vision import resnet50, vgg16

__all__ = ["INPUT", "MODELS", "LatentAttention", "Model", "llama", "model", "transformer", "with_experts"]


def _cells(make: Callable[..., Model]) -> list[str]:
    model = make()
    return [f"{model.parameters:,}", f"{len(model.operators):,}", str(len(model.blocks) or ""), model.source]


MODELS: Table[Callable[..., Model]] = Table(
    "models",
    ["parameters", "operators", "blocks", "source"],
    _cells,
    {
        "vgg16": vgg16,
        "resnet50": resnet50,
        "gnmt": gnmt,
        "dlrm": dlrm,
        "bert-large": gpt.bert_large,
        "gpt2": gpt.gpt2,
        "megatron-8.3b": gpt.megatron_8b,
        "turing-nlg": gpt.turing_nlg,
        "22b": gpt.transformer_22b,
        "gpt3": gpt.gpt3,
        "gpt3-tutorial": gpt3_tutorial,
        "mt-nlg-530b": gpt.mt_nlg_530b,
        "transformer-1t": gpt.transformer_1t,
        "gpt3-mlperf": dense.GPT3_MLPERF,
        **dense.LLAMAS,
        **MIXTURES,
        **dense.MPTS,
        **dense.NANOTRON,
        **gpt.VTRAIN,
        **HYBRIDS,
    },
)
"""The function that makes each model, by its name."""


def model(name: str | Model, **changes: Any) -> Model:
    """The model called `name`, such as "gpt3", or one given. Raises ConfigError with the names there are for others.

    changes: of a transformer by its name, other sizes than the published ones, as ae.transformer takes them.

    >>> gpt2 = ae.model("gpt2")
    >>> f"{gpt2.parameters:,}", len(gpt2.blocks)
    ('1,557,611,200', 48)
    >>> ae.model("llama3-405b", sequence=131_072, blocks=4)
    <Llama 3.1 405B, changed: 48 operators, 16,953,524,224 parameters>
    """
    if isinstance(name, Model):
        if changes:
            raise ConfigError(f"{name.name} is made already; give its name in ae.MODELS with {', '.join(changes)}.")
        return name
    make = MODELS[choice("model", name, MODELS)]
    if not changes:
        return _made(name)
    if not isinstance(make, partial):
        raise ConfigError(f"{name} has a fixed shape; leave {', '.join(changes)} out.")
    known = signature(transformer if make.func is llama else make.func).parameters.keys() - FIXED
    for what in changes:
        choice(f"a change of {name}", what, sorted(known))
    changed: Model = make(**changes)
    return replace(changed, name=f"{changed.name}, changed", published=None, exact=False)


FIXED = {"name", "published", "exact", "source"}


@cache
def _made(name: str) -> Model:
    return MODELS[name]()
