"""How a row's model is shared out: sizes of groups, and what the row or its framework says of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import gcd, isqrt

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.shapes import sequence_of
from astra_edu.measured.stacks import Stack
from astra_edu.measured.words import recompute_of, recomputed, zero_of

USUAL = 8
"""Micro-batches for each stage where neither a batch nor their number is known: few wait long for many."""


NODE = 8
"""NPUs of a computer where nothing says."""
LARGEST = 10**10
"""NPUs whose divisors are all tried."""
FEWEST = 1 / 4
"""Of blocks that are recomputed, the share where a stack recomputes some and a row doesn't say how many; see
`predicted`."""


@dataclass(frozen=True)
class Cut:
    """How a model is shared out; sizes of groups, and what is kept by whom.

    zero: ZeRO's stage; 2 is taken for 1. shards: among how many NPUs it shares out. offloads: what the optimiser keeps
    is in the host's memory. reshards: whether ZeRO-3 gives up gathered parameters behind each pass; not with
    SHARD_GRAD_OP, nor where there are stages. repeats: of the blocks, the share that is recomputed if "full" is.
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
    shards: int
    offloads: bool
    recompute: str
    reshards: bool
    repeats: float = 1.0

    @property
    def npus(self) -> int:
        """All of them."""
        return self.tensor * self.pipeline * self.context * self.data


def cut_of(row: Row, stack: Stack, node: int = NODE) -> Cut:
    """How a row's model is shared out, with what it doesn't say filled in. node: NPUs of a computer.

    Raises ConfigError for what can't be.
    """
    sharding = text(row, "sharding")
    zero = zero_of(sharding, stack)
    tensor, pipeline, context = _model_groups(row, zero)
    inside = tensor * pipeline * context
    npus = whole(row, "gpus", inside * whole(row, "dp") if number(row, "dp") is not None else None)
    if npus % inside:
        raise ConfigError(
            f"{npus} NPUs can't be divided into groups of tensor {tensor} × pipeline {pipeline} × context {context} = "
            f"{inside}."
        )
    batch = batch_of(row)
    if inside == 1 and number(row, "dp") is None and batch and batch < npus:
        inside = _sharing_a_sample(npus, batch)  # by tokens, or else by heads
        tensor, context = (1, inside) if sequence_of(row) % inside == 0 else (inside, 1)
    data, replicas = whole(row, "dp", npus // inside), 1
    if zero == 3 and data < npus // inside <= (batch or npus) and npus // inside % data == 0:
        data, replicas = npus // inside, data  # of what FSDP shares out among others, each with samples of its own
    if data * inside != npus:
        raise ConfigError(f"tensor × pipeline × context × data is {data * inside}, and there are {npus} NPUs.")
    virtual = whole(row, "vp", 1) if pipeline > 1 else 1
    micro = number(row, "grad_acc")
    size = whole(row, "mbs", _size_of(batch, data, micro))
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
    kept, repeats = recomputed(recompute_of(row) or stack.recompute), 1.0
    if stack.repeats_blocks and kept == "selective":
        kept, repeats = "full", FEWEST
    return Cut(
        tensor,
        pipeline,
        virtual,
        context,
        expert,
        data,
        size,
        micro_batches,
        zero,
        copies // replicas if replicas > 1 else _shards(sharding, copies, max(1, node // tensor)),
        "offload" in sharding,
        kept,
        "grad_op" not in sharding and pipeline == 1,
        repeats,
    )


def _model_groups(row: Row, zero: int) -> tuple[int, int, int]:
    """NPUs of a tensor group, stages, NPUs of a context group. 1 where a row doesn't say, unless its NPUs and copies
    leave others for the only one of tensor and pipeline that it doesn't say, or else for context.
    """
    given = {name: number(row, name) for name in ("gpus", "dp", "tp", "pp", "cp")}
    sizes = {name: whole(row, name, 1) for name in ("tp", "pp", "cp")}
    known = sizes["tp"] * sizes["pp"] * sizes["cp"]
    if given["gpus"] is not None and given["dp"] is not None:
        npus, data = whole(row, "gpus"), whole(row, "dp")
        others = npus // (known * data)
        missing = [name for name in ("tp", "pp") if given[name] is None] or ["cp"] * (given["cp"] is None)
        if others > 1 and others * known * data == npus and missing:
            if zero == 3 and missing not in (["tp"], ["pp"]):
                return sizes["tp"], sizes["pp"], sizes["cp"]  # and what FSDP shares out
            if len(missing) == 2:
                raise ConfigError(
                    f"there are {npus} NPUs and {data} copies, and neither tp nor pp says what {others} NPUs of each "
                    "copy do."
                )
            sizes[missing[0]] = others
    return sizes["tp"], sizes["pp"], sizes["cp"]


def _sharing_a_sample(npus: int, batch: int) -> int:
    """How many NPUs share a sample where there are more NPUs than samples: the fewest that divide them, and leave as
    many groups as divide the batch, or else no more than it has samples.

    >>> from astra_edu.measured.cuts import _sharing_a_sample
    >>> _sharing_a_sample(64, 32), _sharing_a_sample(6144, 2048), _sharing_a_sample(72, 10)
    (2, 3, 36)
    """
    some = [each for each in range(1, isqrt(min(npus, LARGEST)) + 1) if npus % each == 0]
    enough = sorted(inside for inside in {*some, *(npus // each for each in some)} if inside * batch >= npus)
    return next((inside for inside in enough if batch % (npus // inside) == 0), enough[0])


def _size_of(batch: int | None, data: int, micro: float | None) -> int:
    """Samples of a micro-batch where a row says how many there are, and what batch they make; else 1."""
    if not batch or not micro:
        return 1
    size = batch / (data * micro)
    return int(size) if size == int(size) and size >= 1 else 1


def batch_of(row: Row) -> int | None:
    """Samples of a step on all NPUs, where a row says; None elsewhere."""
    if number(row, "gbs_seq") is not None:
        return whole(row, "gbs_seq")
    tokens = re.search(r"tokens per step ([1-9]\d{0,18})\b", text(row, "note"))
    return max(1, round(int(tokens[1]) / sequence_of(row))) if tokens else None


def _shards(sharding: str, copies: int, near: int) -> int:
    """Among how many copies ZeRO shares out: InternEvo's zero1=8 says so, and HSDP does it within a node; else all."""
    said = re.search(r"zero1 ?= ?(\d+)", sharding)
    some = int(said[1]) if said else near if re.search(r"hsdp|hybrid.?shard", sharding) else copies
    return some if 0 < some < copies and copies % some == 0 else copies
