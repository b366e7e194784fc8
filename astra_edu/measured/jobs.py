"""A measured row as a job: a model, how it is shared out, a machine, a software stack."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import ceil, gcd

from astra_edu.base.errors import ConfigError, suggestion
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.shapes import model_of, sequence_of
from astra_edu.measured.stacks import Stack, stack_of
from astra_edu.measured.work import Passes, passes
from astra_edu.workload.compute import MACHINES, Experts, Machine, machine
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged

MANY_STAGES, FEW = 8, 4
"""From so many stages on, and with fewer micro-batches for each, stages are interleaved where a row doesn't say: whole
ones would wait for more than a fifth of the time. Inferred: MLPerf's runs of Llama 3.1 405B are too quick for them."""

USUAL = 8
"""Micro-batches for each stage where neither a batch nor their number is known: few wait long for many."""


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


@dataclass(frozen=True)
class Job:
    """One training step.

    tokens: of a micro-batch on one NPU of a context group. width: features of a token between blocks. bits: of the
    products' numbers. blocks: each kind's passes, and how many there are. stages: how many of each kind each has.
    step_tokens: of a step, on all NPUs.
    """

    model: Model
    cut: Cut
    machine: Machine
    stack: Stack
    bits: int
    tokens: int
    width: int
    first: Passes
    last: Passes
    blocks: tuple[tuple[Passes, int], ...]
    stages: tuple[tuple[int, ...], ...]
    step_tokens: int

    @property
    def depth(self) -> int:
        """How many blocks there are."""
        return sum(count for _, count in self.blocks)


def bits_of(row: Row, stack: Stack) -> int:
    """Bits of the products' numbers. Raises ConfigError for a format that isn't known."""
    precision = text(row, "precision")
    if "fp8/fp4" in precision or "fp8" in precision:
        return 8
    if "fp4" in precision:
        return 4
    if not precision:
        return stack.bits
    if "16" in precision:
        return 16
    if "fp32" in precision or "tf32" in precision:
        return 32
    raise ConfigError(f"precision is {precision}; fp32, bf16, fp16, fp8 and fp4 are known.")


def machine_of(row: Row) -> Machine:
    """What a row ran on, in nodes of gpus_per_node where these are no trays. Raises ConfigError for an unknown one."""
    if not (name := text(row, "hardware")):
        raise ConfigError("hardware isn't given.")
    try:
        found = machine(name)
    except ConfigError:
        raise ConfigError(f"hardware is {row['hardware']!r}; {suggestion(name, MACHINES)}") from None
    box = whole(row, "gpus_per_node", found.node)
    return found if found.tray or found.wiring == "Torus" else replace(found, node=box)


def cut_of(row: Row, stack: Stack) -> Cut:
    """How a row's model is shared out, with what it doesn't say filled in. Raises ConfigError for what can't be."""
    npus = whole(row, "gpus")
    tensor, pipeline, context = (whole(row, name, 1) for name in ("tp", "pp", "cp"))
    inside = tensor * pipeline * context
    if npus % inside:
        raise ConfigError(
            f"{npus} NPUs can't be divided into groups of tensor {tensor} × pipeline {pipeline} × context {context} = "
            f"{inside}."
        )
    batch = _batch_of(row)
    if inside == 1 and number(row, "dp") is None and batch and batch < npus:
        context = inside = npus // batch  # more NPUs than samples: they share them out by tokens
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
    kept = "full" if recompute.startswith("full") else "selective" if "selective" in recompute else "none"
    virtual = whole(row, "vp", 1)
    reshards = "grad_op" not in sharding and pipeline == 1
    return Cut(tensor, pipeline, virtual, context, expert, data, size, micro_batches, zero, kept, reshards)


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


def job_of(row: Row, recompute: str | None = None) -> Job:
    """The job that a row describes. recompute: instead of what the row says.

    Raises ConfigError with a sentence that names what is missing or wrong.
    """
    if "lora" in text(row, "source") + text(row, "case"):
        raise ConfigError("LoRA trains a few parameters beside the model's; only training of all is predicted.")
    stack = stack_of(text(row, "system"))
    sequence = sequence_of(row)
    cut = cut_of(row if recompute is None else {**row, "recompute": recompute}, stack)
    model = model_of(row, sequence, stack.flash)
    if number(row, "vp") is None and cut.pipeline >= MANY_STAGES and cut.micro_batches < FEW * cut.pipeline:
        cut = replace(cut, virtual=max(1, min(stack.virtual, (len(model.blocks) + 2) // cut.pipeline)))
    if (
        cut.virtual > 1 and cut.pipeline * cut.virtual > len(model.blocks) + 2
    ):  # the words and their scores may count as blocks
        raise ConfigError(f"{len(model.blocks)} blocks can't be cut into {cut.pipeline} × {cut.virtual} parts.")
    if stack.fsdp and number(row, "ep") is None:
        experts = [operator.experts for operator in model.operators if isinstance(operator, Experts)]
        cut = replace(cut, expert=gcd(cut.data * cut.context, *experts)) if experts else cut
    strategy = Strategy(
        data=cut.expert,  # as many as it takes; a pass is the same for any number of copies
        tensor=cut.tensor,
        context=cut.context,
        expert=cut.expert,
        micro_batch=cut.micro_batch,
        sequence_parallel=stack.sequence_parallel and cut.tensor > 1,
        recompute=cut.recompute,
    )
    short = abridged(model)
    operators, alike = short.short.operators, short.short.blocks
    of_block = {block.start: passes(operators[block.start : block.stop], strategy) for block in alike}
    starts = [short.places[block.start] for block in model.blocks]
    kinds = tuple(dict.fromkeys(of_block[start] for start in dict.fromkeys(starts)))
    numbers = {start: kinds.index(each) for start, each in of_block.items()}
    each = [numbers[start] for start in starts]
    last = passes(operators[alike[-1].stop :], strategy, in_block=False)
    head = _operations(last) / _operations(kinds[each[-1]]) if stack.by_shares and cut.virtual == 1 else 0.0
    counts = stage_blocks(len(each), cut.pipeline, head)
    ends = list(accumulate(counts))
    own = [Counter(each[end - count : end]) for end, count in zip(ends, counts, strict=True)]
    return Job(
        model,
        cut,
        machine_of(row),
        stack,
        bits_of(row, stack),
        cut.micro_batch * -(-sequence // cut.context),
        model.operators[model.blocks[0].start].takes[-1],
        passes(operators[: alike[0].start], strategy, in_block=False),
        last,
        tuple((kind, each.count(number)) for number, kind in enumerate(kinds)),
        tuple(tuple(stage[number] for number in range(len(kinds))) for stage in own),
        cut.data * cut.micro_batch * cut.micro_batches * sequence,
    )


def _operations(each: Passes) -> int:
    return sum(gemm.flops for gemm in each.forward.gemms)


def stage_blocks(blocks: int, stages: int, head: float) -> tuple[int, ...]:
    """How many blocks each stage has: as many as any other, or where the words' scores count as `head` of them, those
    up to the first that fills its share of all that is computed, as nanotron's `build_model` has it.

    >>> from astra_edu.measured.jobs import stage_blocks
    >>> stage_blocks(126, 16, 0), stage_blocks(32, 8, 2.2)
    ((8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7, 7), (5, 4, 4, 5, 4, 4, 4, 2))
    """
    if stages > blocks:
        raise ConfigError(f"{blocks} blocks can't be shared out among {stages} stages; {blocks} is the most.")
    if head:
        ends = [min(blocks, ceil((blocks + head) * (s + 1) / stages - 1e-9)) for s in range(stages - 1)]
        return tuple(end - begin for begin, end in pairwise((0, *ends, blocks)))
    few, more = divmod(blocks, stages)
    return tuple(few + (k < more) for k in range(stages))
