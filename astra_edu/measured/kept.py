"""What the NPU keeps that keeps most, at the worst moment of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from astra_edu.measured.jobs import Job
from astra_edu.measured.parameters import MemoryParameters
from astra_edu.measured.work import Passes
from astra_edu.pipeline.closed_form import in_flight as micro_batches_in_flight

FROZEN_BYTES = 2
"""Of a parameter that isn't trained."""


@dataclass(frozen=True)
class Kept:
    """Bytes, by kind; they add up to `total`.

    states: weights, gradients and the optimiser's state. activations: of all micro-batches on their way. scores: of
    the words, on the last stage. block: what is needed for one block at a time; with ZeRO-3 also its gathered
    parameters, or all of them where they stay gathered. base: what every process has.
    """

    states: float
    activations: float
    scores: float
    block: float
    base: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.states + self.activations + self.scores + self.block + self.base


def kept_of(job: Job, given: MemoryParameters) -> Kept:
    """What the stage keeps that keeps most."""
    return max((_of_stage(job, given, s) for s in range(len(job.stages))), key=lambda kept: kept.total)


def logged_of(job: Job, given: MemoryParameters) -> Kept:
    """What the stage keeps whose peak the job's framework logs: the first one, or else the one that keeps most."""
    return _of_stage(job, given, 0) if job.stack.logs_first else kept_of(job, given)


def by_pieces(kept: Kept) -> Kept:
    """Without the words' scores, where they would be more than everything else: then they are computed by pieces, and
    their gradients at once (Liger Kernel, arXiv 2410.10989). Inferred: sequences of 65,536 tokens and more
    are trained where their scores wouldn't fit, and rows don't say how.
    """
    return replace(kept, scores=0.0) if kept.scores > kept.total - kept.scores else kept


def in_flight(job: Job, stage: int) -> float:
    """How many micro-batches' activations a stage keeps by 1F1B; interleaved, of all its parts together."""
    cut = job.cut
    return micro_batches_in_flight("interleaved", stage, cut.pipeline, cut.micro_batches, cut.virtual)


def _of_stage(job: Job, given: MemoryParameters, stage: int) -> Kept:
    cut, own = job.cut, job.stages[stage]
    rows = [(each, count) for (each, _), count in zip(job.blocks, own, strict=True)]
    dense, experts, kept = (_sum(rows, name) for name in ("parameters", "expert_parameters", "kept"))
    if stage == 0:
        dense, kept = dense + job.first.parameters, kept + job.first.kept
    last = stage == len(job.stages) - 1
    if last:
        dense += job.last.parameters
    copies, shards = cut.data * cut.context, cut.shards
    shared = dense / shards + experts / max(1, shards // cut.expert)
    weights = given.weight_bytes * (shared if cut.zero == 3 else dense + experts)
    states = given.optimiser_bytes * (shared if cut.zero else dense + experts) * (not cut.offloads)
    frozen = _sum(rows, "frozen") + job.first.frozen * (stage == 0) + job.last.frozen * last
    states += FROZEN_BYTES * frozen / (shards if cut.zero == 3 else 1)
    one = max(each.kept + each.again for each, _ in job.blocks)
    apart = copies > cut.expert  # experts, too, are gathered from those that share them out
    largest = max(each.parameters + each.expert_parameters * apart for each, _ in job.blocks)
    gathered = given.gathered_bytes * (largest if cut.reshards else dense + experts * apart) * (cut.zero == 3)
    return Kept(
        weights + states,
        given.activations * kept * in_flight(job, stage),
        given.scores * job.last.kept * last,
        given.block * one + gathered,
        given.base_gigabytes * 1e9,
    )


def _sum(rows: Sequence[tuple[Passes, int]], name: str) -> float:
    return sum((attrgetter(name)(each) * count for each, count in rows), 0.0)
