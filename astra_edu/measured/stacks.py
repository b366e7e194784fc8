"""What a training framework does by rule: what it keeps, when it sends, in how many bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Stack:
    """A software stack.

    pattern: how measured rows name it. sequence_parallel: with tensor groups. overlap: gradients are exchanged while
    the last backward pass goes on. gradient_bytes: of a gradient that is exchanged. adds_bytes: moved for each
    parameter and micro-batch where gradients are added up in 32 bits. ddp: without ZeRO, PyTorch's DDP exchanges
    gradients behind the last backward pass. by_shares: see `stage_blocks`. logs_first:
    the first NPU's peak of memory is logged. fsdp: parameters are gathered block by block, ahead of the computation.
    cuts_batches: with stages, a row's micro-batch is cut into single samples. recompute, bits: where a row doesn't say;
    "" recomputes as much as memory asks for. virtual: into how many parts stages are cut at most where a row doesn't
    say and there are few micro-batches (see jobs.py). flash: GPT's attention is computed by tiles, and nothing dropped.
    hides: collectives of tensor groups behind products, and the copies' behind all passes, but for a piece (MegaScale,
    arXiv 2402.15627, section 3). by_nodes: a token goes to each node once, for all its experts there.
    family: those that do alike.
    """

    name: str
    pattern: str
    sequence_parallel: bool = True
    overlap: bool = True
    gradient_bytes: float = 4
    adds_bytes: float = 8
    ddp: bool = False
    by_shares: bool = False
    logs_first: bool = False
    fsdp: bool = False
    recompute: str = "none"
    cuts_batches: bool = False
    bits: int = 16
    virtual: int = 1
    flash: bool = False
    hides: bool = False
    hides_tensor: bool = False
    hides_experts: bool = False
    fuses_experts: bool = False
    by_nodes: bool = False
    one_batch: bool = False
    family: str = "Megatron"


STACKS = (
    Stack("Megatron-DeepSpeed", "megatron-deepspeed", False, False, 2, 0, recompute="full", family="DeepSpeed"),
    Stack("nanotron", "nanotron", True, False, 4, 10, True, by_shares=True, logs_first=True, family="nanotron"),
    Stack("llm-foundry", "llm-foundry", gradient_bytes=2, adds_bytes=0, fsdp=True, family="FSDP"),
    Stack("TorchTitan", "torchtitan", gradient_bytes=4, adds_bytes=0, fsdp=True, cuts_batches=True, family="FSDP"),
    Stack("fms-fsdp", "fms", gradient_bytes=2, adds_bytes=0, fsdp=True, family="FSDP"),
    Stack("InternEvo", "internevo", gradient_bytes=2, adds_bytes=0, family="InternEvo"),
    Stack(
        "MaxText",
        "maxtext|levanter",
        gradient_bytes=4,
        adds_bytes=0,
        fsdp=True,
        recompute="full",
        one_batch=True,
        family="MaxText",
    ),
    Stack("DeepSpeed", "deepspeed", gradient_bytes=2, adds_bytes=0, fsdp=True, recompute="full", family="FSDP"),
    Stack("MegaScale", "^(?!.*megatron).*megascale", flash=True, hides=True, virtual=8),
    Stack("Megatron-LM", "megatron-lm", virtual=8, by_nodes=True),
    Stack("MLPerf", "mlperf", bits=8, recompute="", virtual=8, hides_tensor=True),
    Stack(
        "Megatron-Bridge",
        r"(megatron|nemo).*\b26\.(0[6-9]|1\d)",
        recompute="",
        virtual=8,
        by_nodes=True,
        hides_tensor=True,
        hides_experts=True,
        fuses_experts=True,
    ),
    Stack("Megatron-Bridge", "megatron|nemo", recompute="", virtual=8, by_nodes=True, hides_tensor=True),
)
"""The first whose pattern a row's system has; the rules of the last one are for everything else, too."""


def stack_of(system: str) -> Stack:
    """The stack that a row names, or Megatron's rules for one that isn't known."""
    return next((stack for stack in STACKS if re.search(stack.pattern, system)), STACKS[-1])


def is_known(system: str) -> bool:
    """Whether a row's system names one of the stacks."""
    return re.search(stack_of(system).pattern, system) is not None
