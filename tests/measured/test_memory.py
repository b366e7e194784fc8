"""What ae.memory counts, beside the memory that was measured of runs of Megatron-LM (SimuMax's on B200)."""

from statistics import fmean

import pytest

import astra_edu as ae
from astra_edu import measured
from astra_edu.measured.cells import records
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.measured_time import kept_bytes
from astra_edu.workload.strategies import Memory

BASE_BYTES = 1e9
"""Of every process, with the collectives' own channels: what ae.memory leaves out, and fits of others say."""


def strategy_of(job: Job) -> ae.Strategy:
    cut = job.cut
    return ae.Strategy(
        data=cut.data,
        tensor=cut.tensor,
        pipeline=cut.pipeline,
        context=cut.context,
        expert=cut.expert,
        micro_batch=cut.micro_batch,
        batch=cut.data * cut.micro_batch * cut.micro_batches,
        pipeline_order="interleaved" if cut.virtual > 1 else "1f1b",
        virtual=cut.virtual,
        stage_blocks="uneven",
        zero=cut.zero,
        sequence_parallel=cut.tensor > 1,
        recompute=cut.recompute,
    )


@pytest.fixture(scope="module")
def runs() -> list[tuple[Memory, float]]:
    """(what is counted without fragmentation, what was measured) of each run."""
    found = []
    rows = measured.runs()
    for row in records(rows[rows.source_id == "simumax_b200"]):
        job, size = job_of(row), kept_bytes(row)
        assert size is not None
        found.append((ae.memory(job.model, strategy_of(job), gradient_bytes=4, fragmentation=0), size))
    return found


def error(runs: list[tuple[Memory, float]], count) -> float:
    return fmean(abs(count(memory) / size - 1) for memory, size in runs)


def test_with_buffers_and_a_process_of_its_own_it_is_what_was_measured(runs):
    assert len(runs) == 23
    assert error(runs, lambda memory: memory.total + BASE_BYTES) < 0.016


def test_each_kind_brings_it_nearer(runs):
    state_and_activations = error(runs, lambda memory: memory.kept + BASE_BYTES)
    assert error(runs, lambda memory: memory.total + BASE_BYTES) < state_and_activations
    assert error(runs, lambda memory: memory.total) < error(runs, lambda memory: memory.kept)
