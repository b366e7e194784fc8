"""What a training framework does by rule: what it keeps, when it sends, in how many bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from astra_edu.measured.cells import Row, text


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
    hides_tensor: of tensor groups' collectives all but a piece, behind products (tp_comm_overlap). hides_experts: of
    all-to-alls all but a piece, from so many virtual stages on. fuses_experts: see `passes`, of gated experts in MXFP8
    on Blackwell; all three by the recipes of Megatron-Bridge (src/megatron/bridge/perf_recipes).
    repeats_blocks: selective recomputation is of some blocks as a whole, as many as memory asks for. by_tensors: ZeRO
    gives whole tensors to NPUs, adds up gradients on all, and sends each tensor to all others by itself.
    exchange: what share of the networks its all-to-alls reach, where that is published.
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
    hides_experts: int = 0
    fuses_experts: bool = False
    repeats_blocks: bool = False
    by_tensors: bool = False
    exchange: float | None = None
    by_nodes: bool = False
    family: str = "Megatron"


DEEP_EP = 0.77
"""153 of H800's 200 × 10⁹ bytes/s within a node; 43 and more of 50 between nodes (DeepEP's README, normal kernels)."""

STACKS = (
    Stack("Megatron-DeepSpeed", "megatron-deepspeed", False, False, 2, 0, recompute="full", family="DeepSpeed"),
    Stack("nanotron", "nanotron", True, False, 4, 10, True, by_shares=True, logs_first=True, family="nanotron"),
    Stack("llm-foundry", "llm-foundry", gradient_bytes=2, adds_bytes=0, fsdp=True, family="FSDP"),
    Stack("TorchTitan", "torchtitan", gradient_bytes=4, adds_bytes=0, fsdp=True, cuts_batches=True, family="FSDP"),
    Stack("fms-fsdp", "fms", gradient_bytes=2, adds_bytes=0, fsdp=True, repeats_blocks=True, family="FSDP"),
    Stack("InternEvo", "internevo", gradient_bytes=2, adds_bytes=0, by_tensors=True, family="InternEvo"),
    Stack(
        "MaxText",
        r"maxtext|levanter|\bpax|praxis|pathways|t5x|easylm|\bjax\b|\bxla\b",
        gradient_bytes=4,
        adds_bytes=0,
        fsdp=True,
        recompute="full",
        family="MaxText",
    ),
    Stack("DeepSpeed", "deepspeed", gradient_bytes=2, adds_bytes=0, fsdp=True, recompute="full", family="FSDP"),
    Stack("HAI-LLM", "hai-?llm|dualpipe", by_nodes=True, hides_experts=1, recompute="", exchange=DEEP_EP),
    Stack("MegaScale", "^(?!.*megatron).*megascale", flash=True, hides=True, virtual=8),
    Stack("Megatron-LM", "megatron-lm", virtual=8, by_nodes=True, hides_tensor=True),
    Stack("MLPerf", "mlperf", bits=8, recompute="", virtual=8, hides_tensor=True),
    Stack(
        "Megatron-Bridge",
        r"(megatron|nemo).*\b26\.(0[6-9]|1\d)",
        recompute="",
        virtual=8,
        by_nodes=True,
        hides_tensor=True,
        hides_experts=2,
        fuses_experts=True,
    ),
    Stack("Megatron-Bridge", "megatron|nemo", recompute="", virtual=8, by_nodes=True, hides_tensor=True),
)
"""The first whose pattern a row's system has."""

OTHERS = Stack("Megatron-Bridge", "(?!)", recompute="", virtual=8, by_nodes=True)
"""For everything else: Megatron-Bridge's parameters, and what any framework does."""


def stack_of(system: str) -> Stack:
    """The stack that a row names, or `OTHERS`."""
    return next((stack for stack in STACKS if re.search(stack.pattern, system)), OTHERS)


TPU = re.compile(r"(?<![a-z])tpu|trillium|ironwood")
SUMS = 12
"""Bytes moved for each parameter and micro-batch where DeepSpeed trains in bfloat16: its optimiser reads each gradient,
and adds it up in 32 bits (runtime/bf16_optimizer.py); then it clears it."""


def stack_of_row(row: Row) -> Stack:
    """The stack of a row; DeepSeek's own (arXiv 2412.19437, section 3: DualPipe hides all-to-alls) for their models on
    their H800, where no other is named, and on TPUs what XLA does, for none of Megatron's family runs there.
    """
    system = text(row, "system")
    if not system and text(row, "model").startswith("deepseek") and "h800" in text(row, "hardware"):
        system = "hai-llm"
    found = stack_of(system)
    if found.family == "Megatron" and TPU.search(text(row, "hardware")):
        return stack_of("maxtext")
    if found.family == "DeepSpeed" and re.search(r"bf16|bfloat", text(row, "precision")):
        return replace(found, gradient_bytes=4, adds_bytes=SUMS)
    return found


def is_known(system: str) -> bool:
    """Whether a row's system names one of the stacks."""
    return re.search(stack_of(system).pattern, system) is not None
