"""A measured row as a job: a model, how it is shared out, a machine, a software stack."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import ceil, gcd

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, number, text
from astra_edu.measured.cuts import Cut, cut_of
from astra_edu.measured.machine_rows import bits_of, check_computers, machine_of
from astra_edu.measured.shapes import model_of, sequence_of
from astra_edu.measured.stacks import Stack, stack_of_row
from astra_edu.measured.work import Passes, passes
from astra_edu.workload.compute import Experts, Gated, Machine
from astra_edu.workload.compute.alike import kind_of
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import abridged

MANY_STAGES, FEW = 8, 4
"""From so many stages on, and with fewer micro-batches for each, stages are interleaved where a row doesn't say: whole
ones would wait for more than a fifth of the time. Inferred: MLPerf's runs of Llama 3.1 405B are too quick for them."""

ADAPTED = re.compile(r"(?<![a-z])q?lora(?![a-z])|(?<![a-z])peft(?![a-z])")
"""Names of training that adds to frozen weights (LoRA, arXiv 2106.09685)."""


FUSED_BITS = 8
"""Transformer Engine's one kernel for all gated experts (NVTE_CUTEDSL_FUSED_GROUPED_MLP) is for MXFP8, on Blackwell."""


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


SCORED = ("Volta", "Ampere")
"""Machines from before attention by tiles was usual, on which GPT's is only computed so where a stack does."""


def job_of(row: Row, recompute: str | None = None, repeats: float | None = None) -> Job:
    """The job that a row describes. recompute: instead of what the row says; repeats: of which share of the blocks.

    Raises ConfigError with a sentence that names what is missing or wrong.
    """
    stack, on = stack_of_row(row), machine_of(row)
    adapted = bool(ADAPTED.search(" ".join(text(row, name) for name in ("source", "case", "model", "system", "note"))))
    sequence = sequence_of(row)
    cut = cut_of(row if recompute is None else {**row, "recompute": recompute}, stack, on.node)
    check_computers(row, cut.npus, on)
    cut = cut if repeats is None else replace(cut, repeats=repeats)
    model = model_of(row, sequence, stack.flash or kind_of(on.name) not in SCORED)
    if (number(row, "ep") or 1) > 1 and not any(isinstance(operator, Experts) for operator in model.operators):
        name = model.name.removesuffix(", changed")
        raise ConfigError(f"ep is {number(row, 'ep'):g}, and {name} has no experts to share out; leave ep out.")
    if number(row, "vp") is None and cut.pipeline >= MANY_STAGES and cut.micro_batches < FEW * cut.pipeline:
        cut = replace(cut, virtual=max(1, min(stack.virtual, (len(model.blocks) + 2) // cut.pipeline)))
    if (
        cut.virtual > 1 and cut.pipeline * cut.virtual > len(model.blocks) + 2
    ):  # the words and their scores may count as blocks
        raise ConfigError(f"{len(model.blocks)} blocks can't be cut into {cut.pipeline} × {cut.virtual} parts.")
    if stack.fsdp and number(row, "ep") is None:
        experts = [operator.experts for operator in model.operators if isinstance(operator, Experts)]
        cut = replace(cut, expert=gcd(cut.data * cut.context, *experts)) if experts else cut
    if -(-sequence // cut.context) % cut.tensor:
        stack = replace(stack, sequence_parallel=False)  # which asks for as many tokens on each NPU
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
    bits = bits_of(row, stack, on)
    fused = stack.fuses_experts and bits == FUSED_BITS and kind_of(on.name) == "Blackwell" and _gated(model)
    of_block = {
        (block.start, how.recompute): passes(operators[block.start : block.stop], how, adapted=adapted, fused=fused)
        for block in alike
        for how in ([strategy] if cut.repeats == 1 else [strategy, replace(strategy, recompute="none")])
    }
    starts = [
        (short.places[block.start], cut.recompute if int((k + 1) * cut.repeats) > int(k * cut.repeats) else "none")
        for k, block in enumerate(model.blocks)
    ]
    kinds = tuple(dict.fromkeys(of_block[start] for start in dict.fromkeys(starts)))
    numbers = {start: kinds.index(of_block[start]) for start in dict.fromkeys(starts)}
    each = [numbers[start] for start in starts]
    last = passes(operators[alike[-1].stop :], strategy, in_block=False, adapted=adapted)
    head = _operations(last) / _operations(kinds[each[-1]]) if stack.by_shares and cut.virtual == 1 else 0.0
    counts = stage_blocks(len(each), cut.pipeline, head)
    ends = list(accumulate(counts))
    own = [Counter(each[end - count : end]) for end, count in zip(ends, counts, strict=True)]
    return Job(
        model,
        cut,
        on,
        stack,
        bits,
        cut.micro_batch * -(-sequence // cut.context),
        model.operators[model.blocks[0].start].takes[-1],
        passes(operators[: alike[0].start], strategy, in_block=False, adapted=adapted),
        last,
        tuple((kind, each.count(number)) for number, kind in enumerate(kinds)),
        tuple(tuple(stage[number] for number in range(len(kinds))) for stage in own),
        cut.data * cut.micro_batch * cut.micro_batches * sequence,
    )


def _gated(model: Model) -> bool:
    """Whether its experts have gates."""
    return any(isinstance(operator, Gated) for operator in model.operators)


def _operations(each: Passes) -> int:
    return sum(gemm.flops for gemm in (*each.forward.gemms, *each.forward.wide))


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
