"""Models by their shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from astra_edu.base.errors import choice
from astra_edu.base.table import Table
from astra_edu.workload.models import transformer as transformers
from astra_edu.workload.models.mixture import with_experts
from astra_edu.workload.models.model import INPUT, Model
from astra_edu.workload.models.recommendation import dlrm
from astra_edu.workload.models.transformer import transformer
from astra_edu.workload.models.translation import gnmt
from astra_edu.workload.models.tutorial import gpt3_tutorial
from astra_edu.workload.models.vision import resnet50, vgg16

__all__ = ["INPUT", "MODELS", "Model", "model", "transformer", "with_experts"]


def _cells(make: Callable[[], Model]) -> list[str]:
    model = make()
    return [f"{model.parameters:,}", f"{len(model.operators):,}", str(len(model.blocks) or ""), model.source]


MODELS: Table[Callable[[], Model]] = Table(
    "models",
    ["parameters", "operators", "blocks", "source"],
    _cells,
    {
        "vgg16": vgg16,
        "resnet50": resnet50,
        "gnmt": gnmt,
        "dlrm": dlrm,
        "bert-large": transformers.bert_large,
        "gpt2": transformers.gpt2,
        "megatron-8.3b": transformers.megatron_8b,
        "turing-nlg": transformers.turing_nlg,
        "22b": transformers.transformer_22b,
        "gpt3": transformers.gpt3,
        "gpt3-tutorial": gpt3_tutorial,
        "mt-nlg-530b": transformers.mt_nlg_530b,
        "transformer-1t": transformers.transformer_1t,
    },
)
"""The function that makes each model, by its name."""


def model(name: str | Model) -> Model:
    """The model called `name`, such as "gpt3", or one given. Raises ConfigError with the names there are for others.

    >>> gpt2 = ae.model("gpt2")
    >>> f"{gpt2.parameters:,}", len(gpt2.blocks)
    ('1,557,611,200', 48)
    """
    return name if isinstance(name, Model) else _made(choice("model", name, MODELS))


@cache
def _made(name: str) -> Model:
    return MODELS[name]()
