"""What can be set of a cut: the model, its groups, what is kept and when passes go, and, folded, more of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.pipeline import ORDERS
from astra_edu.pipeline.places import FOLDED, placement_of
from astra_edu.workload.compute import Experts
from astra_edu.workload.models import model

TOP_K = 2
"""Experts that a token goes to, where a model of GPT's kind is given some."""
GPTS = ("bert-large", "gpt2", "megatron-8.3b", "22b", "gpt3", "mt-nlg-530b")
TODAYS = ("llama3-8b", "llama3-70b", "llama3-405b", "mixtral-8x7b", "deepseek-v3")
MORE = "more ways to cut"
HIDES = {
    "gradients": ("gradients",),
    "zero": ("gradients", "parameters"),
    "tensor": ("gradients", "tensor"),
    "expert": ("gradients", "expert"),
    "groups": ("gradients", "tensor", "expert"),
    "all": ("gradients", "parameters", "tensor", "expert"),
}
"""What hides behind computing: see Strategy.overlap."""


@cache
def dense(name: str) -> bool:
    """Whether a model has no experts of its own."""
    return not any(isinstance(operator, Experts) for operator in model(name).operators)


def has_experts(values: Values) -> bool:
    """Whether there are experts to share out, the model's own or those that it is given."""
    return values["experts"] > 1 or not dense(values["model"])


def folded(order: str) -> bool:
    """Whether an order of passes gives each stage two parts of the model, there and back."""
    return bool(placement_of(ORDERS[order]) == FOLDED)


def _on(value: Any) -> str:
    return "on" if value else "off"


def _experts(count: int) -> str:
    return f"{count}, {TOP_K} a token" if count > 1 else "none"


def _hides(value: str) -> str:
    more = {"zero": "ZeRO’s gathers", "tensor": "tensor group", "expert": "expert group", "groups": "both groups"}
    return {"gradients": "gradients", "all": "all of these"}.get(value) or f"{more[value]}, too"


def _gathers(again: bool) -> str:
    return "for each pass" if again else "once"


def _among(group: int) -> str:
    return f"{group} neighbours" if group else "all copies"


SETTINGS = (
    Setting("model", "model", (*GPTS, *TODAYS), menu=True),
    Setting("tensor", "tensor group", (1, 2, 4, 8, 16), "NPUs"),
    Setting("data", "copies (data group)", (1, 2, 4, 8, 16, 32, 64)),
    Setting("context", "context group", (1, 2, 4, 8, 16), "NPUs"),
    Setting("pipeline", "pipeline", (1, 2, 4, 8, 16, 32), "stages"),
    Setting("zero", "ZeRO", (0, 1, 2, 3), words=lambda stage: f"stage {stage}" if stage else "off"),
    Setting("sequence", "sequence parallel", (False, True), words=_on, menu=True),
    Setting(
        "experts", "experts in a block", (1, 8, 16, 64), words=_experts, menu=True,
        applies=lambda values: dense(values["model"]),
    ),
    Setting("expert", "expert group", (1, 2, 4, 8, 16, 32, 64), "NPUs", applies=has_experts),
    Setting("recompute", "recompute", ("none", "selective", "full"), menu=True),
    Setting("micro_batches", "micro-batches a copy", (1, 2, 4, 8, 16, 32, 64), stored=False),
    Setting("device", "device", ("v100", "a100", "h100", "b200"), menu=True, stored=False),
    Setting(
        "order", "order of passes", tuple(ORDERS), menu=True, fold=MORE, stored=False,
        applies=lambda values: values["pipeline"] > 1,
    ),
    Setting(
        "virtual", "virtual stages", (2, 3, 4), "each", fold=MORE, stored=False,
        applies=lambda values: values["pipeline"] > 1 and values["order"] == "interleaved",
    ),
    Setting(
        "shared", "blocks of stages", ("even", "uneven", "ends"), menu=True, fold=MORE, stored=False,
        applies=lambda values: values["pipeline"] > 1,
    ),
    Setting(
        "context_by", "keys and values", ("all-gather", "ring"), menu=True, fold=MORE, stored=False,
        applies=lambda values: values["context"] > 1,
    ),
    Setting(
        "shard_group", "ZeRO among", (0, 2, 4, 8, 16, 32), words=_among, menu=True, fold=MORE, stored=False,
        applies=lambda values: values["zero"] > 0,
    ),
    Setting(
        "reshard", "ZeRO-3 gathers", (True, False), words=_gathers, menu=True, fold=MORE, stored=False,
    ),
    Setting("hides", "compute hides", tuple(HIDES), words=_hides, menu=True, fold=MORE, stored=False),
)  # fmt: skip
START: Values = {
    **{"model": "gpt3", "tensor": 8, "data": 2, "context": 1, "pipeline": 8, "zero": 1, "sequence": False},
    **{"experts": 1, "expert": 1, "recompute": "selective", "micro_batches": 8, "device": "a100"},
    **{"order": "1f1b", "virtual": 2, "shared": "even", "context_by": "all-gather", "shard_group": 0},
    **{"reshard": True, "hides": "gradients"},
}
