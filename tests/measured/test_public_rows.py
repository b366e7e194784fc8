"""Rows as other public lists have them: few are refused, and measured times are about as near as those here."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.jobs import job_of
from astra_edu.measured.kept import kept_of
from astra_edu.measured.parameters import MemoryParameters

ROWS = Path(__file__).parents[1] / "data" / "public_rows.csv"
"""checked: the figures are at a place that can be looked up, and were; recalled: they were written down from memory;
refused: what nobody could predict, and why."""

NEAR = {
    "arXiv 2104.04473, table 1": 0.10,
    "arXiv 2104.04473, table 2 (PTD-P)": 0.05,
    "arXiv 2402.15627, table 2": 0.05,
    "arXiv 2407.21783, table 4": 0.17,
    "cli99/llm-analysis, examples/megatron-turing-nlg/README.md (arXiv 2201.11990, section 2.4)": 0.15,
    "arXiv 2205.05198, table 5": 0.06,
}
"""Mean error of the time, at most; none of them was fitted to. Averages of whole trainings (GPU hours) are left out."""


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    rows = pd.read_csv(ROWS)
    return rows.join(measured.compared(rows))


def test_what_a_reader_could_tell_is_predicted(found):
    refused = found[(found.checked != "refused") & (found.refused != "")]
    assert len(found) > 200
    assert refused.model.tolist() == []
    assert (found.predicted_ms[found.refused == ""] > 0).all()


def test_what_nobody_could_tell_is_refused_with_a_sentence(found):
    refused = found[found.checked == "refused"].refused
    assert (refused.str.endswith(".") & (refused.str.len() > 15)).all()


@pytest.mark.parametrize("source", NEAR)
def test_measured_ones_are_near(found, source):
    errors = found[found.source == source].time_error.dropna()
    assert len(errors) >= 3
    assert errors.abs().mean() < NEAR[source]


ROW = {"model": "Llama 2 7B", "hardware": "H100", "gpus": 16, "tp": 2, "gbs_seq": 64, "mbs": 1, "seq": 4096}
ROW |= {"precision": "bf16", "system": "Megatron-LM"}


def predicted(**cells: object) -> pd.Series:
    return measured.predict(pd.DataFrame([ROW | cells], dtype=object)).iloc[0]


@pytest.mark.parametrize(
    ("loose", "plain"),
    [
        ({"seq": "4k"}, {}),
        ({"seq": "4,096"}, {}),
        ({"vp": "n/a", "ep": "-"}, {}),
        ({"gpus": None, "dp": 8}, {}),
        ({"precision": "bfloat16 mixed"}, {}),
        ({"precision": "MXFP8"}, {"precision": "fp8"}),
        ({"precision": "float32"}, {"precision": "fp32"}),
        ({"recompute": "True"}, {"recompute": "full"}),
        ({"recompute": "core_attn"}, {"recompute": "selective"}),
    ],
)
def test_cells_that_say_the_same_in_other_words(loose, plain):
    assert predicted(**loose).predicted_ms == predicted(**plain).predicted_ms


def test_a_format_that_may_be_is_one_that_the_machine_has():
    closed = {"precision": "fp8/fp4 (closed division)", "system": "MLPerf"}
    assert predicted(**closed).predicted_ms == predicted(precision="fp8", system="MLPerf").predicted_ms
    assert predicted(**closed, hardware="A100").predicted_ms == predicted(system="MLPerf", hardware="A100").predicted_ms


def test_a_network_in_a_machine_s_name_is_its_network():
    slow, own = (job_of(ROW | {"hardware": name}).machine for name in ("A100, 4x100Gb RoCE per node", "A100-80GB"))
    assert (slow.nic_bytes_per_s, own.nic_bytes_per_s) == (6.25e9, 25e9)
    assert job_of(ROW | {"hardware": "MI250X", "gpus_per_node": 8}).machine.name == "mi250x-gcd"


def test_frozen_weights_have_no_gradients():
    """Of three products as long as each other two are left; 2 bytes of a weight are, and little beside."""
    job, lora = job_of(ROW), job_of(ROW | {"note": "LoRA"})
    (block, _), (frozen, _) = *job.blocks, *lora.blocks
    flops, less = (sum(gemm.flops for gemm in each.backward.gemms) for each in (block, frozen))
    assert less == flops / 2
    assert frozen.parameters < block.parameters / 100
    assert frozen.frozen == block.parameters
    given = MemoryParameters(weight_bytes=6, optimiser_bytes=12)
    assert kept_of(lora, given).states < kept_of(job, given).states
    assert predicted(note="LoRA").predicted_ms < 0.8 * predicted().predicted_ms


def test_what_fits_nowhere_is_shared_out_where_a_row_doesn_t_say_how():
    row = {"model": "Llama 3 70B", "tp": None, "gpus": 64, "gbs_seq": 128}
    own = predicted(**row)
    assert own.fits
    assert own.predicted_ms == predicted(**row | {"tp": 8}).predicted_ms
    assert not predicted(**row | {"tp": 1}).fits
    assert predicted(**row | {"system": "something"}).fits


def test_a_shape_by_size_alone_has_a_wider_range():
    known, guessed = (ROW | {"model": name, "tp": 1} for name in ("Llama 2 7B", "7B"))
    low, high, kind = measured.ranges(pd.DataFrame([guessed])).iloc[0]
    assert kind.endswith("its shape by its size alone")
    ms = predicted(**guessed).predicted_ms
    other = measured.ranges(pd.DataFrame([known])).iloc[0]
    assert low / ms < other.low_ms / predicted(**known).predicted_ms
    assert high / ms > other.high_ms / predicted(**known).predicted_ms
