"""Megatron-LM's measured iterations, and what this package predicts for them from shapes, strategy, device and network.

Measured: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198, table 5
(seconds), on A100-80GB with sequences of 2,048 tokens and 8-way tensor parallelism. "full" recomputes everything;
"selective" recomputes attention, with sequence parallelism. Its figure 1 (memory, as calculon's validation has it) is
here, too, though not measured: all its numbers are those of the paper's formulas for the blocks of the first stage,
with 18 bytes for each of 12 h² weights a block, to the last printed digit.

Predicted with one set of parameters for all rows. Two are published: InfiniBand of 200 Gb/s (25 × 10⁹ bytes/s) for each
GPU, and 235 × 10⁹ bytes/s within a machine, which is what nccl-tests reach on 8 A100 (stas00/ml-engineering,
network/README.md). Two are chosen: memory at 80 % of its peak, a usual figure for kernels that stream, and matrix
products at 72 %, which fits the four "full" rows best (least squares); the "selective" rows are predicted with it.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from astra_edu.explore.iteration import Iteration, estimate
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload.compute import DEVICES
from astra_edu.workload.strategies import Strategy

GIB = 2**30
MACHINE = 8  # GPUs of a machine, and of a tensor-parallel group
NVLINK_BYTES_PER_S, INFINIBAND_BYTES_PER_S = 235e9, 25e9
NVLINK_NS, INFINIBAND_NS = 1000, 2500  # of a link; a message through a switch takes two; our choice, of little weight

DEVICE = replace(DEVICES["a100"], matrix_efficiency=0.72, memory_efficiency=0.80)
"""The A100 of all predictions."""


@dataclass(frozen=True)
class Measured:
    """One row: a model, how it was shared out, and what was measured. seconds: of an iteration.

    state_gib, kept_gib: what the paper says of an NPU's memory in 2**30 bytes: parameters, gradients and optimiser, and
    activations ("full" rows: those without recomputing).

    >>> from astra_edu.measured import megatron
    >>> row = megatron()[0]
    >>> row.model, row.strategy.npus, row.seconds
    ('22b', 8, 1.42)
    >>> f"{row.error:+.1%}"
    '-4.9%'
    """

    model: str
    recompute: str
    strategy: Strategy
    seconds: float
    state_gib: float
    kept_gib: float

    def predicted(self) -> Iteration:
        """The same iteration, estimated."""
        return estimate(self.model, self.strategy, DEVICE, platform(self.strategy.npus))

    @property
    def error(self) -> float:
        """Predicted / measured − 1."""
        return self.predicted().total_ns / 1e9 / self.seconds - 1


def platform(npus: int) -> Platform:
    """Machines of 8 A100 with NVLink, and InfiniBand between them."""
    inside = Dimension.of("Switch", MACHINE, NVLINK_BYTES_PER_S / GIB, NVLINK_NS)
    if npus == MACHINE:
        return Platform((inside,), SystemConfig.of("halvingDoubling", splits=1))
    between = Dimension.of("Switch", npus // MACHINE, INFINIBAND_BYTES_PER_S / GIB, INFINIBAND_NS)
    return Platform((inside, between), SystemConfig.of("halvingDoubling_ring", splits=1))


@cache
def megatron() -> tuple[Measured, ...]:
    """The eight rows: four models, each with full and with selective recomputation."""
    text = (Path(__file__).parent / "megatron.csv").read_text(encoding="utf-8")
    return tuple(_row(row, how) for row in csv.DictReader(text.splitlines()) for how in ("full", "selective"))


def _row(row: dict[str, str], recompute: str) -> Measured:
    virtual = int(row["virtual"])
    strategy = Strategy(
        tensor=MACHINE,
        pipeline=int(row["pipeline"]),
        pipeline_order="interleaved" if virtual > 1 else "1f1b",
        virtual=virtual,
        batch=int(row["batch"]),
        micro_batch=int(row["micro_batch"]),
        recompute=recompute,
        sequence_parallel=recompute == "selective",
    )
    kept = row["selective_kept_gib" if recompute == "selective" else "kept_gib"]
    return Measured(
        row["model"], recompute, strategy, float(row[f"{recompute}_s"]), float(row["state_gib"]), float(kept)
    )
