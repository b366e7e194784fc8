"""Case studies 1 and 2, training: an iteration of a model as a graph, the same on all NPUs, and its run.

The graph, the batch and the device are ours, not the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import quiet
from astra_edu.course.studies.case_studies.graph import iteration
from astra_edu.course.studies.case_studies.groups import grouped
from astra_edu.run.run_trace import run_trace
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model, model, transformer
from astra_edu.workload.strategies import Strategy


@dataclass(frozen=True)
class Job:
    """A model, how it is shared out among NPUs, and what computes. An iteration is one micro-batch of each copy.

    >>> from astra_edu.studies.case_studies import Job
    >>> job = Job("GPT-2", ae.model("gpt2"), ae.Strategy(data=8))
    >>> job.samples, job.with_samples(4).samples
    (8, 32)
    """

    name: str
    model: Model
    strategy: Strategy
    device: str | Device = "a100"

    @property
    def samples(self) -> int:
        """Of an iteration, on all NPUs."""
        return self.strategy.micro_batch * self.strategy.data

    def with_samples(self, each: int) -> Job:
        """The same with `each` samples for each copy of the model."""
        return replace(self, strategy=replace(self.strategy, micro_batch=each, batch=None))


def gpt3(blocks: int = 96) -> Model:
    """GPT-3, or so many of its blocks, which are all alike: fewer are quicker to simulate.

    >>> from astra_edu.studies.case_studies import gpt3
    >>> len(gpt3().blocks), len(gpt3(blocks=2).blocks)
    (96, 2)
    """
    name = "GPT-3" if blocks == 96 else f"GPT-3, {blocks} blocks"
    return transformer(name, hidden=12_288, heads=96, blocks=blocks, sequence=2048, vocabulary=50_257)


def transformer_1t() -> Model:
    """Transformer-1T with 128 heads, not 160, so that 128 NPUs can share them; parameters and operations are equal."""
    return transformer("Transformer-1T", hidden=25_600, heads=128, blocks=128, sequence=2048, vocabulary=51_200)


JOBS: Mapping[str, Job] = MappingProxyType(
    {
        job.name: job
        for job in (
            Job("DLRM", model("dlrm"), Strategy(data=512, micro_batch=2048, exchange_embeddings=True)),
            Job("GPT-3", gpt3(), Strategy(tensor=16, data=32)),
            Job("Transformer-1T", transformer_1t(), Strategy(tensor=128, data=4)),
        )
    }
)
"""What is trained on the 512 NPUs, by the model's name; tensor groups are neighbours."""


def train(job: Job, platform: TracePlatform) -> TraceResult:
    """One iteration. Raises ConfigError where the job needs another number of NPUs, or its groups don't fit.

    >>> from astra_edu.studies.case_studies import Job, suited, train
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8))
    >>> train(job, suited((ae.Block("Ring", 8, 50, 500),)))
    <13,356.107 µs in all (all NPUs alike): compute 735.000 µs, exposed communication 12,621.107 µs>
    """
    if job.strategy.npus != platform.npus:
        raise ConfigError(f"{job.name} is shared out among {job.strategy.npus} NPUs; the network has {platform.npus}.")
    platform, inner = grouped(platform, job.strategy.tensor)
    with quiet():  # NPU 0 stands for all, also where Themis meets ties: the study compares sizes of effects
        return run_trace(iteration(job.model, job.strategy, job.device, inner, len(platform.blocks)), platform)


def samples_per_s(job: Job, result: TraceResult) -> float:
    """Samples that all NPUs together get through in a second.

    >>> from astra_edu.studies.case_studies import Job, samples_per_s, suited, train
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8, batch=64, micro_batch=8))
    >>> result = train(job, suited((ae.Block("Ring", 8, 50, 500),)))
    >>> round(samples_per_s(job, result))
    4011
    """
    return job.samples / result.total_ns * 1e9
