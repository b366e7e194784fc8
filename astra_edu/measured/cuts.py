"""How a row's model is shared out: sizes of groups, and what the row or its framework says of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import gcd

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.shapes import sequence_of
from astra_edu.measured.stacks import Stack

USUAL = 8
"""Micro-batches for each stage where neither a batch nor their number is known: few wait long for many."""


FULL = re.compile(r"full|all|every|uniform|block|layer|checkpoint|\btrue\b|\byes\b|\bon\b")
SELECTIVE = re.compile(r"selective|attn|attention|act\b|\bsac\b|\bop\b|partial|norm|mla|mlp")
"""Words for recomputing everything, and a part."""


@dataclass(frozen=True)
class Cut:
    """How a model is shared out; sizes of groups, and what is kept by whom.

    zero: ZeRO's stage; 2 is taken for 1. reshards: whether ZeRO-3 gives up gathered parameters behind each pass; not
    with SHARD_GRAD_OP, nor where there are stages.
    """

    tensor: int
    pipeline: int
    virtual: int
    context: int
    expert: int
    data: int
    micro_batch: int
    micro_batches: int
    zero: int
    recompute: str
    reshards: bool

    @property
    def npus(self) -> int:
        """All of them."""
        return self.tensor * self.pipeline * self.context * self.data


def cut_of(row: Row, stack: Stack) -> Cut:
    """How a row's model is shared out, with what it doesn't say filled in. Raises ConfigError for what can't be."""
    tensor, pipeline, context = (whole(row, name, 1) for name in ("tp", "pp", "cp"))
    inside = tensor * pipeline * context
    npus = whole(row, "gpus", inside * whole(row, "dp") if number(row, "dp") is not None else None)
    if npus % inside:
        raise ConfigError(
            f"{npus} NPUs can't be divided into groups of tensor {tensor} × pipeline {pipeline} × context {context} = "
            f"{inside}."
        )
    batch = _batch_of(row)
    if inside == 1 and number(row, "dp") is None and batch and batch < npus:
        inside = npus // batch  # more NPUs than samples: they share them out by tokens, or else by heads
        tensor, context = (1, inside) if sequence_of(row) % inside == 0 else (inside, 1)
    data = whole(row, "dp", npus // inside)
    if data * inside != npus:
        raise ConfigError(f"tensor × pipeline × context × data is {data * inside}, and there are {npus} NPUs.")
    size, micro = whole(row, "mbs", 1), number(row, "grad_acc")
    if stack.cuts_batches and pipeline > 1:
        size, micro = 1, size
    if batch and number(row, "dp") is not None and batch < data * size:
        raise ConfigError(f"gbs_seq is {batch}, and {data} copies with micro-batches of {size} take {data * size}.")
    usual = 1 if pipeline == 1 else USUAL * pipeline
    micro_batches = max(1, round(batch / (data * size) if batch else micro or usual))
    expert, copies = whole(row, "ep", 1), data * context
    if copies * tensor % expert:
        raise ConfigError(f"experts can't be shared out among {expert} of {copies * tensor} NPUs of a stage.")
    expert = gcd(expert, copies)  # the rest of them by the tensor group, whose NPUs have a part of each instead
    sharding, recompute = text(row, "sharding"), text(row, "recompute") or stack.recompute
    zero = _zero(sharding, stack)
    kept = recomputed(recompute)
    virtual = whole(row, "vp", 1)
    reshards = "grad_op" not in sharding and pipeline == 1
    return Cut(tensor, pipeline, virtual, context, expert, data, size, micro_batches, zero, kept, reshards)


def recomputed(words: str) -> str:
    """What is recomputed, as frameworks' options say it: "full", "selective" or "none".

    >>> from astra_edu.measured.cuts import recomputed
    >>> [recomputed(words) for words in ("full, uniform", "true", "core_attn", "sac", "no", "")]
    ['full', 'full', 'selective', 'selective', 'none', 'none']
    """
    if SELECTIVE.search(words):
        return "selective"
    return "full" if FULL.search(words) else "none"


def _batch_of(row: Row) -> int | None:
    """Samples of a step on all NPUs, where a row says; None elsewhere."""
    if number(row, "gbs_seq") is not None:
        return whole(row, "gbs_seq")
    tokens = re.search(r"tokens per step ([1-9]\d{0,18})\b", text(row, "note"))
    return max(1, round(int(tokens[1]) / sequence_of(row))) if tokens else None


def _zero(sharding: str, stack: Stack) -> int:
    """ZeRO's stage: 0, 1 (which 2 is taken for) or 3; by the stack's rule where a row doesn't say."""
    if number := re.search(r"zero[-_ ]?([0-3])", sharding):
        return {"0": 0, "3": 3}.get(number[1], 1)
    if "ddp" in sharding or (not sharding and stack.name == "Megatron-DeepSpeed"):
        return 0
    return 3 if stack.fsdp or "fsdp" in sharding or "hsdp" in sharding else 1
