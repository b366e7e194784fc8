"""Predictions of measured training runs: how far off they are, and that no part of them can't be followed by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured.clock import Clock, Group, group
from astra_edu.measured.fitting import fit_all
from astra_edu.measured.jobs import job_of, stage_blocks
from astra_edu.measured.kept import in_flight, kept_of, logged_of
from astra_edu.measured.parameters import MEMORY_TABLE, TABLE, MemoryParameters, Parameters
from astra_edu.measured.step import step_of
from astra_edu.measured.stored import closest, every
from astra_edu.measured.table import misspelled
from astra_edu.measured.work import passes
from astra_edu.workload.compute import MACHINES, Combine, Dispatch, Gemm, machine
from astra_edu.workload.strategies import Strategy

GPT = {
    "model": "GPT",
    "layers": 24,
    "hidden": 2048,
    "heads": 16,
    "hardware": "A100",
    "gpus": 8,
    "tp": 2,
    "pp": 2,
    "dp": 2,
    "gbs_seq": 32,
    "mbs": 2,
    "seq": 1024,
    "precision": "fp16",
    "system": "Megatron-DeepSpeed",
}


def test_a_prediction_keeps_the_rows_index_and_says_why_there_is_none():
    rows = pd.DataFrame([GPT, GPT | {"gpus": 9}, GPT | {"hardware": "abacus"}], index=["a", "b", "a"])
    found = measured.predict(rows)
    assert list(found.index) == ["a", "b", "a"]
    assert list(found.columns) == ["predicted_ms", "predicted_GB", "fits", "refused", "assumed"]
    assert found.refused.iloc[0] == ""
    assert found.predicted_ms.iloc[0] > 0
    assert found.fits.iloc[0]
    assert "9 NPUs can't be divided into groups" in found.refused.iloc[1]
    assert found.refused.iloc[2].startswith("hardware is 'abacus'; ")
    assert found.predicted_ms.isna().tolist() == [False, True, True]
    assert not found.fits.iloc[1:].any()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"hardware": None}, "hardware isn't given."),
        ({"gpus": None, "dp": None}, "gpus isn't given."),
        ({"seq": -1}, "seq is -1; it must be a number above 0."),
        ({"seq": "long"}, "seq is 'long'; it must be a number."),
        ({"mbs": 1.5}, "mbs is 1.5; it must be a whole number, 1 or more."),
        ({"pp": 48, "gpus": 192, "dp": 2}, "24 blocks can't be shared out among 48 stages; 24 is the most."),
        ({"heads": 6, "hidden": 1536, "tp": 4, "pp": 1}, "6 heads can't be divided among 4 NPUs"),
        ({"model": "unheard-of", "layers": None}, "the model is unheard-of, of which no shape is known"),
        ({"model": None, "layers": None}, "no model is given; give layers, hidden and heads, or params_B."),
        ({"precision": "int3"}, "precision is int3; fp32, bf16, fp16, fp8 and fp4 are known."),
        ({"precision": "fp8"}, "a100 computes nothing in 8 bits; it has 16 and 32."),
        ({"seq": 1e300}, "seq is 1e+300; no run has more than 1e+18 of anything."),
        ({"model": "mine", "layers": None, "params_B": 1e300}, "params_B is 1e+300; no run has more than 1e+18"),
        ({"seq": "inf"}, "seq is inf; it must be a number above 0."),
        ({"gbs_seq": 0.5}, "gbs_seq is 0.5; it must be a whole number, 1 or more."),
        ({"gbs_seq": 3}, "gbs_seq is 3, and 2 copies with micro-batches of 2 take 4."),
        ({"vp": 14}, "24 blocks can't be cut into 2 × 14 parts."),
        ({"gpus_per_node": -4}, "gpus_per_node is -4; it must be a number above 0."),
        ({"model": "llama3-8b", "hidden": 2048, "layers": None}, "hidden is 2048, and llama3-8b has 4096; give"),
        ({"mbs": [2]}, "mbs is [2]; it must be a number."),
        ({"cp": 3}, "tensor 2 × pipeline 2 × context 3 = 12"),
        ({"ep": 8}, "experts can't be shared out among 8 of 4 NPUs of a stage."),
    ],
)
def test_what_can_t_be_predicted_is_a_sentence(changes, sentence):
    found = measured.predict(pd.DataFrame([GPT | changes]))
    assert sentence in found.refused.iloc[0]


def test_the_parts_of_a_step_add_up_and_are_what_the_clock_says():
    job = job_of(GPT)
    clock = Clock(job.machine, Parameters(), job.bits)
    step = step_of(job, clock)
    parts = (step.compute, step.host, step.sent, step.bubble, step.exchange, step.rest)
    assert min(parts) >= 0
    assert step.total == pytest.approx(sum(parts))
    assert job.stages == ((12,), (12,))
    assert (job.depth, job.cut.micro_batches, job.step_tokens) == (24, 8, 32 * 1024)
    (block, count), *others = job.blocks
    assert (count, others) == (24, [])
    ring = clock.ring(Group(2, 2), 2 * 1024 * 2048 * 2)
    # Two all-reduces in each of three passes: 12 halves; and the words or their scores, at either end.
    assert step.sent == pytest.approx(8 * (12 * 12 + 2) * ring)
    again = 2 * clock.computes(block.forward) + clock.computes(block.backward)
    assert step.compute > 8 * 12 * again


def test_a_context_group_gathers_keys_and_values_of_the_heads_that_share_them():
    """Three times in both passes: keys and values, the same again backwards, and their gradients the other way."""
    llama = {"model": "llama3-8b", "hardware": "H100", "gpus": 8, "gbs_seq": 1, "seq": 8192, "recompute": "none"}
    sent = []
    for tensor in (1, 2):
        job = job_of(llama | {"cp": 4, "tp": tensor, "dp": 2 // tensor, "gbs_seq": 2 // tensor})
        clock = Clock(job.machine, Parameters(), job.bits)
        ring = clock.ring(Group(tensor, tensor), 2048 * 4096 * 2)
        sent.append(step_of(job, clock).sent - (32 * 9 + 4) * ring)
        among = Group(4, 4)
        assert sent[-1] == pytest.approx(32 * 3 * clock.ring(among, 8192 * 2 * (8 // tensor) * 128 * 2))
    assert sent[1] < sent[0]  # each of a tensor group has half of the heads


def test_more_micro_batches_hide_the_bubble():
    shares = []
    for batch in (16, 64, 256):
        job = job_of(GPT | {"gbs_seq": batch})
        step = step_of(job, Clock(job.machine, Parameters(), job.bits))
        shares.append(step.bubble / step.total)
    assert shares[0] > shares[1] > shares[2]


def test_a_product_takes_what_its_tiles_or_its_bytes_take():
    given = Parameters(matrix=1.0, memory=1.0, small_tile=1.0)
    kernels = Clock(machine("a100"), given, 16).device.kernels
    large = Gemm(256 * 108, 128 * 8, 8192)
    assert kernels.share(large) == pytest.approx(8192 / (8192 + 64))
    few = Gemm(256, 128, 8192)  # 8 small tiles, k in four parts, of which each fills and empties its own
    assert kernels.share(few) == pytest.approx(32 / 108 * 2048 / (2048 + 64))


def test_a_ring_pays_for_each_step_and_for_the_slowest_link():
    given = Parameters(link=0.5, nic=1.0, link_us=1.0, nic_us=10.0, collective_us=0.0)
    clock = Clock(machine("h100"), given, 16)
    assert clock.ring(Group(8, 8), 8e9) == pytest.approx(7e9 / 225e9 + 7e-6)
    assert clock.ring(Group(16, 8), 16e9) == pytest.approx(15e9 / 225e9 + 14e-6 + 10e-6)  # 8 cards are quicker
    assert clock.ring(Group(16, 1), 16e9) == pytest.approx(15e9 / 50e9 + 150e-6)
    assert clock.ring(Group(1, 1), 1e9) == clock.ring(Group(8, 8), 0) == 0


def test_groups_fill_nodes_from_the_inside():
    h100 = machine("h100")
    assert [group(h100, n, apart) for n, apart in ((8, 1), (16, 1), (4, 2), (8, 2), (4, 8), (4, 16))] == [
        Group(8, 8),
        Group(16, 8),
        Group(4, 4),
        Group(8, 4),
        Group(4, 1),
        Group(4, 1),
    ]


def test_memory_by_hand():
    """24 blocks on 2 stages: parameters of half of them, and activations of two micro-batches on the first stage."""
    job = job_of(GPT)
    given = MemoryParameters(weight_bytes=4, optimiser_bytes=12, activations=1, scores=0, block=0, base_gigabytes=0)
    kept = kept_of(job, given)
    (block, _), *_ = job.blocks
    assert [in_flight(job, stage) for stage in (0, 1)] == [2, 1]
    first = 16 * (12 * block.parameters + job.first.parameters)
    assert kept.states in (pytest.approx(first), pytest.approx(16 * (12 * block.parameters + job.last.parameters)))
    entry = 2 * 1024 * 2048 * 2  # all that full recomputation keeps of a block
    assert block.kept == entry
    assert kept.total == pytest.approx(kept.states + kept.activations)


def test_zero_shares_out_what_its_stage_says():
    llama = {"model": "llama3-8b", "hardware": "H100", "gpus": 8, "gbs_seq": 8, "seq": 4096, "precision": "bf16"}
    given = MemoryParameters(gathered_bytes=2)
    states = {}
    for sharding in ("ZeRO-0", "ZeRO-1", "FSDP"):
        job = job_of(llama | {"sharding": sharding, "system": "Megatron-Bridge"})
        states[sharding] = kept_of(job, given).states
    parameters = 8_030_261_248
    assert states["ZeRO-0"] == pytest.approx(18 * parameters)
    assert states["ZeRO-1"] == pytest.approx((6 + 12 / 8) * parameters)
    assert states["FSDP"] == pytest.approx(18 / 8 * parameters)


@pytest.mark.parametrize(
    ("system", "sharding", "zero"),
    [
        ("Megatron-LM", None, 1),
        ("Megatron-LM", "ZeRO-0", 0),
        ("Megatron-LM", "DDP", 0),
        ("Megatron-LM", "zero3", 3),
        ("Megatron-LM", "HSDP", 3),
        ("DeepSpeed", None, 3),
        ("DeepSpeed", "ZeRO-1", 1),
        ("DeepSpeed", "ZeRO 2", 1),
        ("DeepSpeed", "ZeRO-3", 3),
        ("Megatron-DeepSpeed", None, 0),
        ("InternEvo", "zero1=8", 1),
        ("llm-foundry FSDP", "FSDP SHARD_GRAD_OP", 3),
    ],
)
def test_zero_by_its_names(system, sharding, zero):
    row = {"model": "llama3-8b", "hardware": "A100", "gpus": 8, "gbs_seq": 8, "seq": 4096}
    assert job_of(row | {"system": system, "sharding": sharding}).cut.zero == zero


def test_virtual_stages_keep_more_micro_batches_and_the_last_stage_most_of_them():
    """As many as Korthikanti et al. (arXiv 2205.05198) say: p (1 + (p - 1) / (p v)) on the first of p stages."""
    plain, virtual = (job_of(GPT | {"pp": 4, "dp": 1, "vp": vp}) for vp in (1, 2))
    assert [in_flight(plain, stage) for stage in range(4)] == [4, 3, 2, 1]
    assert [in_flight(virtual, stage) for stage in range(4)] == [5.5, 4.5, 3.5, 2.5]


def test_parameters_that_stay_gathered_are_kept_whole():
    llama = {"model": "llama3-8b", "hardware": "H100", "gpus": 8, "gbs_seq": 8, "seq": 4096, "system": "llm-foundry"}
    given = MemoryParameters(gathered_bytes=2, block=0)
    full, halved = (kept_of(job_of(llama | {"sharding": how}), given) for how in ("FULL_SHARD", "SHARD_GRAD_OP"))
    (block, _), *_ = job_of(llama).blocks
    assert full.block == 2 * block.parameters
    assert halved.block == 2 * 8_030_261_248
    stages = llama | {"pp": 2, "system": "TorchTitan"}
    assert kept_of(job_of(stages), given).block > 2 * 16 * block.parameters  # gathered once for all micro-batches


def test_stages_share_out_all_blocks():
    for blocks in (16, 28, 32, 80, 126):
        for stages in (1, 2, 4, 8, 16):
            for head in (0, 0.7, 4):
                counts = stage_blocks(blocks, stages, head)
                assert sum(counts) == blocks
                assert len(counts) == stages
                assert min(counts) >= 0
    with pytest.raises(ConfigError, match="16 blocks can't be shared out among 32 stages"):
        stage_blocks(16, 32, 0)


def test_every_stored_parameter_is_within_what_it_can_be():
    for fitted in every():
        for name, meaning in TABLE.items():
            assert meaning.least * 0.999 <= getattr(fitted.time, name) <= meaning.most * 1.001, (fitted, name)
        for name, meaning in MEMORY_TABLE.items() if fitted.memory else ():
            assert meaning.least * 0.999 <= getattr(fitted.memory, name) <= meaning.most * 1.001, (fitted, name)
        assert set(fitted.machines) <= set(MACHINES)


def test_the_closest_parameters_are_those_of_the_stack_and_the_machine():
    assert closest("h100", "nanotron").stack == "nanotron"
    assert closest("h100", "Megatron-LM").stack == "Megatron-Bridge"  # of its family, on the same machine
    assert "tpu-v6e" in closest("tpu-v3", "unheard-of").machines
    assert closest("a100", "fms-fsdp").machines == ("a100",)  # not of A100 with 40 GB, which stand before them
    assert closest("h200", "DeepSpeed").stack == "TorchTitan"
    assert closest("abacus", "unheard-of") is None


def test_every_source_of_a_run_is_named():
    rows, sources = measured.runs(), measured.sources()
    assert set(rows.source_id) == set(sources.index)
    assert (sources.licence.str.len() > 3).all()
    assert not set(rows.source_id) & {"mlperf", "ml_engineering"}


def test_a_file_of_one_s_own(tmp_path):
    path = tmp_path / "mine.csv"
    pd.DataFrame([GPT | {"iter_time_ms": 400.0, "status": "ok"}]).to_csv(path, index=False)
    table = measured.error_table(measured.load(path))
    ours = measured.predict(measured.load(path)).predicted_ms.iloc[0]
    assert table["time, mean"].iloc[0] == pytest.approx(abs(ours / 400 - 1))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ConfigError, match="has no column model, hardware, gpus, seq, system"):
        measured.load(tmp_path / "other.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model;hardware;gpus;seq;system\nGPT;A100;8;1024;nanotron\n", "separated by ';'; write commas"),
        ("Model,hardware,GPUs,seq,system\nGPT,A100,8,1024,nanotron\n", "Write 'Model' as model, 'GPUs' as gpus"),
        ("model,gpus,step_ms\nGPT,8,100\n", "It has model, gpus, step_ms"),
        ("model,hardware,gpus,seq,system\nGPT,A100,8,1024,nanotron,\n", "has 5 columns, and rows with more cells"),
        ("model,hardware,gpus,seq,system\nGPT,A100,8,1,024,nanotron\n", "cells that have commas into quotes"),
    ],
)
def test_a_file_whose_columns_are_called_otherwise_is_told_so(tmp_path, text, words):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(words)):
        measured.load(path)


def test_a_misspelled_column_is_warned_of_and_others_of_one_s_own_are_not(tmp_path):
    path = tmp_path / "mine.csv"
    own = {"source": "us", "ran": True, "date": "today", "user": "me", "loss": 2.5, "nodes": 1, "framework": "ours"}
    row = {name: GPT[name] for name in ("model", "hardware", "gpus", "seq", "system")} | {"source_id": "us"}
    pd.DataFrame([row | own]).to_csv(path, index=False)
    assert measured.load(path).loss.tolist() == [2.5]
    columns = {
        "micro_batchsize": "mbs",
        "micro_batches": "grad_acc",
        "Precison": "precision",
        "Global Batch Size": "gbs_seq",
        "tensor_parallel": "tp",
    }
    for wrong, right in columns.items():
        pd.DataFrame([row | {wrong: 1}]).to_csv(path, index=False)
        with pytest.warns(UserWarning, match=re.escape(f"column {wrong!r} isn't one of those that are read (")) as said:
            measured.load(path)
        assert str(said[0].message).endswith(f"did you mean {right!r}?")
        assert said[0].filename == __file__
        pd.DataFrame([row | {wrong: 1, right: 1}]).to_csv(path, index=False)
        measured.load(path)


def test_a_column_of_one_s_own_that_is_only_a_little_like_one_is_its_own():
    assert misspelled(["batch", "dataset", "learning_rate", "tokens", "gpu_hours"]) == {}
    assert misspelled(["modell", "hidden_sizes"]) == {"modell": "model", "hidden_sizes": "hidden"}


def test_what_was_compared_joins_a_table_with_columns_of_its_own():
    rows = pd.DataFrame([GPT | {"source": "us", "ran": "yes", "source_id": "ours", "iter_time_ms": 400}])
    joined = rows.join(measured.compared(rows))
    assert joined.columns.is_unique
    assert joined[["source", "ran", "compared_source", "compared_ran"]].values.tolist() == [["us", "yes", "ours", True]]
    assert measured.error_table(joined).index.tolist() == ["ours"]


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_])
def test_yes_and_no_are_no_numbers(value):
    refused = measured.predict(pd.DataFrame([GPT | {"tp": value}], dtype=object)).refused
    assert refused.tolist() == [f"tp is {value}; it must be a number."]


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, "", " "])
def test_an_empty_cell_is_empty_whatever_stands_for_it(nothing):
    rows = pd.DataFrame([GPT | {"tp": 1, "pp": 1, "dp": 8}, GPT | dict.fromkeys(("tp", "pp", "dp"), nothing)])
    found = measured.predict(rows)
    assert found.refused.tolist() == ["", ""]
    assert found.predicted_ms.iloc[0] == found.predicted_ms.iloc[1]


def test_a_run_is_judged_whatever_its_columns_are():
    row = GPT | {"iter_time_ms": 400, "mfu_pct": 40}
    error = measured.compared(pd.DataFrame([row | {"status": "ok"}])).time_error.iloc[0]
    others = [row, row | {"status": None}, {name: str(cell) for name, cell in row.items()} | {"gpus": "8.0"}]
    for other in others:
        assert measured.compared(pd.DataFrame([other])).time_error.tolist() == [error]
    rates = {"iter_time_ms": None, "tokens_per_s_per_gpu": 32 * 1024 / 0.4 / 8}
    assert measured.compared(pd.DataFrame([others[2] | rates])).time_error.iloc[0] == pytest.approx(error)
    alone = {name: cell for name, cell in (row | rates).items() if name != "gpus"}
    assert measured.compared(pd.DataFrame([alone])).time_error.iloc[0] == pytest.approx(error)
    table = measured.error_table(pd.DataFrame([row, row | {"source_id": "mine"}]).convert_dtypes())
    assert table.index.tolist() == ["", "mine"]
    assert table["ran, said to fit"].tolist() == [1, 1]
    for bad in ({"status": "crash_or_oom"}, {"mfu_pct": 4}):
        assert measured.compared(pd.DataFrame([row | bad])).time_error.isna().all()


def test_runs_without_times_or_sources_are_not_fitted_to(tmp_path):
    path, said = tmp_path / "mine.csv", []
    row = GPT | {"source_id": "vtrain_single", "status": "ok", "mem_GB": 30}
    pd.DataFrame([row]).to_csv(path, index=False)
    assert fit_all(str(path), ("DeepSpeed",), store=False, say=said.append) == list(every())
    assert said == ["Megatron-DeepSpeed on a100: no runs"]
    pd.DataFrame([GPT]).to_csv(path, index=False)
    with pytest.raises(ConfigError, match="has no column source_id"):
        fit_all(str(path), (), store=False, say=said.append)


def test_what_can_t_be_judged_is_a_sentence():
    for rows, sentence in (
        (pd.DataFrame(), "there are no runs"),
        (pd.DataFrame([GPT | {"iter_time_ms": -1}]), "iter_time_ms is -1; it must be a number above 0."),
        (pd.DataFrame([[1, 2]], columns=["gpus", "gpus"]), "there are several columns gpus"),
    ):
        with pytest.raises(ConfigError, match=sentence):
            measured.error_table(rows)


def test_nodes_are_as_large_as_a_row_says_but_domains_of_several_trays_stay_whole():
    llama = {"model": "llama3-8b", "gpus": 16, "tp": 8, "seq": 4096}
    nodes = [
        job_of(llama | {"hardware": hardware, "gpus_per_node": npus}).machine.node
        for hardware, npus in (("A100", None), ("A100", 4), ("GB200", 4), ("TPU v5p", 4))
    ]
    assert nodes == [8, 4, 72, 8960]
    times = [
        measured.predict(pd.DataFrame([llama | {"hardware": "A100", "gpus_per_node": npus}])).predicted_ms.iloc[0]
        for npus in (4, 8)
    ]
    assert times[0] > times[1]  # a tensor group over two nodes


SHARES = ("matrix", "attention", "memory", "small_tile", "experts", "link", "exchange", "nic")

JOBS = (
    GPT,
    GPT | {"pp": 4, "tp": 1, "vp": 2},
    {"model": "llama3-8b", "hardware": "H100", "gpus": 64, "tp": 4, "cp": 4, "seq": 8192, "gbs_seq": 64},
    {"model": "mixtral-8x7b", "hardware": "A100", "gpus": 64, "ep": 8, "tp": 2, "seq": 2048, "gbs_seq": 128},
    {"model": "llama3-70b", "hardware": "GB200", "gpus": 128, "seq": 4096, "gbs_seq": 512, "system": "TorchTitan"},
)


@pytest.mark.parametrize("row", JOBS, ids=range(len(JOBS)))
def test_better_machines_are_never_slower_and_recomputing_keeps_less(row):
    def seconds(changes: dict, **given: float) -> float:
        job = job_of(row)
        return step_of(job, Clock(replace(job.machine, **changes), Parameters(**given), job.bits)).total

    now, links = seconds({}), job_of(row).machine
    for rate in ("link_bytes_per_s", "nic_bytes_per_s"):
        assert seconds({rate: 2 * getattr(links, rate)}) <= now
    for name in SHARES:
        assert seconds({}, **{name: 1.05 * getattr(Parameters(), name)}) <= now, name
    for name in set(TABLE) - set(SHARES):
        assert seconds({}, **{name: 1.05 * getattr(Parameters(), name)}) >= now, name
    kept, took = {}, {}
    for recompute in ("none", "full"):
        job = job_of(row | {"recompute": recompute})
        kept[recompute] = kept_of(job, MemoryParameters(block=0)).total
        took[recompute] = step_of(job, Clock(job.machine, Parameters(), job.bits)).total
    assert kept["full"] < kept["none"]
    assert took["full"] > took["none"]


def test_no_parameter_is_for_a_row_or_a_model():
    """Two rows of one stack and machine are predicted by the same parameters."""
    one, two = (job_of(GPT | changes) for changes in ({}, {"layers": 12, "tp": 1, "dp": 4}))
    assert closest(one.machine.name, one.stack.name) is closest(two.machine.name, two.stack.name)
    assert replace(one, stages=one.stages) == one


def test_a_batch_that_nobody_gives_is_eight_micro_batches_for_each_stage():
    row = {
        "model": "Llama 3 8B",
        "hardware": "H100",
        "gpus": 64,
        "tp": 2,
        "pp": 4,
        "seq": 8192,
        "system": "Megatron-LM",
    }
    cut = job_of(row).cut
    assert (cut.micro_batches, cut.data) == (32, 8)
    assert job_of(row | {"pp": 1}).cut.micro_batches == 1
    assert job_of(row | {"grad_acc": 3}).cut.micro_batches == 3
    assert job_of(row | {"gbs_seq": 40}).cut.micro_batches == 5


def test_many_stages_with_few_micro_batches_are_interleaved_unless_a_row_says_otherwise():
    row = {"model": "Llama 3.1 405B", "hardware": "GB200", "gpus": 2304, "tp": 4, "pp": 8, "cp": 2, "gbs_seq": 1116}
    row |= {"seq": 8192, "system": "MLPerf"}
    assert (job_of(row).cut.micro_batches, job_of(row).cut.virtual) == (31, 8)
    assert job_of(row | {"vp": 1}).cut.virtual == 1
    assert job_of(row | {"gbs_seq": 1152}).cut.virtual == 1  # 32 micro-batches, four for each stage
    assert job_of(row | {"system": "nanotron"}).cut.virtual == 1
    assert job_of(row | {"model": "Llama 3 8B"}).cut.virtual == 4  # 32 blocks, and the words twice, on 8 stages
    assert job_of(row | {"pp": 4, "gbs_seq": 72}).cut.virtual == 1


def test_megascale_hides_what_megatron_waits_for():
    row = {"model": "GPT-3 175B", "layers": 96, "hidden": 12288, "heads": 96, "hardware": "A100", "gpus": 1024, "tp": 8}
    row |= {"pp": 8, "vp": 6, "gbs_seq": 768, "mbs": 1, "seq": 2048, "precision": "bf16"}
    steps = {
        system: _step(row | {"system": system}) for system in ("MegaScale", "Megatron-LM", "Megatron-LM in MegaScale")
    }
    assert steps["Megatron-LM in MegaScale"] == steps["Megatron-LM"]
    ours, theirs = steps["MegaScale"], steps["Megatron-LM"]
    assert 0 < ours.sent < theirs.sent / 4
    assert 0 < ours.exchange < theirs.exchange / 4
    assert ours.compute < theirs.compute


def test_with_stages_fsdp_gathers_and_scatters_once_in_a_step():
    row = {"model": "Llama 3 70B", "hardware": "H100", "gpus": 512, "tp": 8, "pp": 8, "seq": 8192, "mbs": 1, "vp": 1}
    row |= {"system": "own", "sharding": "FSDP", "precision": "bf16"}
    job = job_of(row | {"gbs_seq": 8 * 64})
    clock = Clock(job.machine, Parameters(), 16)
    often, seldom = step_of(job, clock), step_of(job_of(row | {"gbs_seq": 8 * 8}), clock)
    assert not job.cut.reshards
    assert often.exchange <= seldom.exchange


NANOTRON = {"model": "Llama-like 8B", "layers": 32, "hidden": 4096, "heads": 32, "ffn": 14336, "vocab": 131072}
NANOTRON |= {"hardware": "H100", "gpus": 16, "tp": 2, "pp": 2, "gbs_seq": 64, "mbs": 1, "seq": 4096}
NANOTRON |= {"precision": "bf16", "system": "nanotron"}


def test_nanotron_s_stages_end_with_the_block_that_fills_their_share():
    """The scores of 131,072 words count as 2.2 blocks, so that a stage of eight has 4.3 of them, as its log says."""
    eight = NANOTRON | {"pp": 8, "tp": 1}
    assert sum(job_of(eight).stages, ()) == (5, 4, 4, 5, 4, 4, 4, 2)
    assert sum(job_of(eight | {"system": "Megatron-LM"}).stages, ()) == (4,) * 8
    tied = eight | {"model": "llama-like 1B", "layers": 16, "hidden": 2048, "ffn": 8192, "pp": 4}
    assert sum(job_of(tied).stages, ()) == (5, 5, 5, 1)  # the words' table is the embedding's, and yet multiplied with


def test_nanotron_logs_the_first_stage_s_memory_and_a_job_fits_only_if_all_do():
    last = NANOTRON | {"pp": 4, "mbs": 4, "gbs_seq": 8}  # one micro-batch, whose scores are on the last stage
    job, given = job_of(last), MemoryParameters(scores=3)
    assert kept_of(job, given).scores > 0 == logged_of(job, given).scores
    assert logged_of(job, given).total < kept_of(job, given).total
    other = job_of(last | {"system": "Megatron-LM"})
    assert logged_of(other, given) == kept_of(other, given)
    shipped = logged_of(job, closest("h100", "nanotron").memory)
    assert measured.predict(pd.DataFrame([last])).predicted_GB.iloc[0] * 1e9 == pytest.approx(shipped.total)


def test_the_host_is_late_only_where_stages_are_on_several_nodes():
    late, ahead = Parameters(host_us=60, host_pipeline=6), Parameters(host_us=60, host_pipeline=1)
    for gpus, pipeline, differs in ((8, 2, False), (16, 2, True), (16, 1, False)):
        job = job_of(NANOTRON | {"gpus": gpus, "pp": pipeline})
        assert (_host(job, late) > _host(job, ahead)) == differs


def test_ddp_hides_gradients_behind_the_last_backward_pass():
    """Two thirds of a micro-batch's passes, unless that leaves less than the last block's part."""
    left = {}
    for sharding in ("ZeRO-0", "ZeRO-1"):
        for batch in (8, 64):
            job = job_of(NANOTRON | {"pp": 1, "gpus": 64, "gbs_seq": 4 * batch, "sharding": sharding})
            step = step_of(job, Clock(job.machine, Parameters(), 16))
            left[sharding, batch] = step.exchange
            if sharding == "ZeRO-0":
                whole = left[sharding, batch] + 2 / 3 * (step.compute + step.host + step.sent) / job.cut.micro_batches
                assert whole == pytest.approx(_exchanged(job)) or step.exchange == pytest.approx(_exchanged(job) / 32)
    assert left["ZeRO-1", 8] == left["ZeRO-1", 64] > left["ZeRO-0", 8]


def _exchanged(job):
    clock = Clock(job.machine, Parameters(), 16)
    parameters = sum(each.parameters * count for each, count in job.blocks)
    parameters += job.first.parameters + job.last.parameters
    return 2 * clock.ring(group(job.machine, job.cut.data, job.cut.tensor), parameters * 4)


def _host(job, given):
    return step_of(job, Clock(job.machine, given, job.bits)).host


def test_tokens_for_several_experts_of_a_node_go_there_once():
    given = Parameters(exchange=1, link_us=0, nic_us=0, collective_us=0)
    clock = Clock(machine("h100"), given, 16)
    two = Group(16, 8)
    assert clock.exchange(two, 8e9) == pytest.approx(4e9 / 50e9)
    # Of eight copies of a token 255 times in 256 one or more are for the other node; they go as one of them.
    assert clock.exchange(two, 8e9, copies=8) == pytest.approx(1e9 * 255 / 256 / 50e9)
    assert clock.exchange(two, 8e9, copies=1.0001) == pytest.approx(4e9 / 50e9, rel=1e-3)
    assert clock.exchange(Group(8, 8), 8e9, copies=8) == clock.exchange(Group(8, 8), 8e9) == pytest.approx(7e9 / 450e9)
    row = {"model": "Mixtral 8x7B", "hardware": "H100", "gpus": 64, "ep": 8, "tp": 8, "seq": 4096, "gbs_seq": 64}
    sent = {name: _step(row | {"system": name}).sent for name in ("Megatron-LM", "InternEvo")}
    assert sent["Megatron-LM"] < sent["InternEvo"]


QWEN = {"model": "Qwen3 30B-A3B", "hardware": "GB200", "gpus": 8, "ep": 8, "mbs": 4, "gbs_seq": 512, "seq": 4096}
QWEN |= {"precision": "MXFP8", "system": "Megatron-Bridge/NeMo 26.04 NeMo Container"}


def test_experts_in_one_kernel_need_no_others_between():
    """From release 26.06 on, gated ones in MXFP8 on Blackwell: neither activations nor conversions by themselves."""
    later = QWEN | {"system": "Megatron-Bridge/NeMo 26.06 NeMo Container"}
    (apart, _), (fused, _) = *job_of(QWEN).blocks, *job_of(later).blocks
    assert fused.forward.launches < apart.forward.launches - 16
    assert fused.forward.elements < apart.forward.elements
    assert (fused.forward.casts, apart.forward.casts) > (0, 1)
    assert fused.forward.casts == apart.forward.casts - 2 * 16
    for other in ({"precision": "bf16"}, {"hardware": "H100"}, {"precision": "NVFP4"}):
        assert job_of(later | other).blocks == job_of(QWEN | other).blocks
    super_ = {"model": "Nemotron 3 Super", "gpus": 64, "ep": 64, "mbs": 1}
    assert job_of(later | super_).blocks == job_of(QWEN | super_).blocks  # without gates


def test_of_experts_in_one_kernel_all_that_is_between_is_left_out_and_nothing_else():
    model, cut = job_of(QWEN).model, Strategy(data=8, expert=8, micro_batch=4)
    block = model.operators[model.blocks[1].start : model.blocks[1].stop]
    first, last = (next(i for i, each in enumerate(block) if isinstance(each, kind)) for kind in (Dispatch, Combine))
    apart, fused, between = (
        passes(tuple(some), cut, fused=how)
        for some, how in ((block, False), (block, True), (block[first + 1 : last], False))
    )
    assert between.forward.elements > 0
    for name in ("forward", "backward"):
        left_out = getattr(apart, name).elements - getattr(fused, name).elements
        assert left_out == pytest.approx(getattr(between, name).elements)


def test_experts_reach_less_and_words_scores_and_state_spaces_are_in_16_bits():
    job = job_of(QWEN)
    clock = Clock(job.machine, Parameters(experts=0.5), 8)
    (block, _) = job.blocks[0]
    assert block.forward.experts
    assert clock.computes(block.forward) > Clock(job.machine, Parameters(experts=1.0), 8).computes(block.forward)
    assert job.last.forward.wide
    assert not job.last.forward.gemms
    memoryless = Clock(
        replace(job.machine, device=replace(job.machine.device, memory_bytes_per_s=1e30)), clock.given, 8
    )
    words = job.last.forward.wide[0]
    assert memoryless.product(words, 16) == pytest.approx(2 * memoryless.product(words, 8))
    mamba = job_of(QWEN | {"model": "Nemotron 3 Super", "gpus": 64, "ep": 64, "mbs": 1}).blocks[0][0]
    assert mamba.forward.wide


def test_conversions_take_a_pass_more_where_a_tensor_has_one_scale():
    block = job_of(QWEN).blocks[0][0].forward
    took = {}
    for name, bits in (("h100", 8), ("h100", 16), ("b200", 8), ("b200", 4), ("b200", 16)):
        clock = Clock(machine(name), Parameters(matrix=1, memory=1, attention=1, launch_us=0), bits)
        took[name, bits] = clock.computes(replace(block, gemms=(), experts=(), wide=()))
    for name, bits, each in (("h100", 8, 6), ("b200", 8, 4), ("b200", 4, 6)):
        extra = took[name, bits] - took[name, 16]
        assert extra == pytest.approx(block.cast * each / machine(name).memory_bytes_per_s)


def test_a_softmax_takes_more_of_narrow_heads_and_of_quick_products():
    llama = {"layers": 16, "hidden": 4096, "gpus": 1, "gbs_seq": 1, "seq": 8192, "precision": "bf16"}
    shares = {}
    for hardware in ("A100", "H100"):
        for heads in (32, 64):
            job = job_of(llama | {"heads": heads, "hardware": hardware})
            work, clock = job.blocks[0][0].forward, Clock(job.machine, Parameters(), 16)
            shares[hardware, heads] = work.softmax * clock.device.softmax / sum(gemm.flops for gemm in work.attention)
    assert shares["H100", 32] == pytest.approx(50 / 128)
    assert shares["H100", 64] == pytest.approx(50 / 64)
    assert shares["A100", 32] == pytest.approx(50 / 128 * (312 / 108) / (989.4 / 132))


def test_tensor_groups_collectives_hide_behind_products_where_a_stack_has_that():
    row = {
        "model": "Llama 3 70B",
        "gpus": 64,
        "tp": 8,
        "gbs_seq": 64,
        "seq": 8192,
        "precision": "bf16",
        "system": "NeMo",
    }
    sent = {
        (hardware, system): _step(row | {"hardware": hardware, "system": system}).sent
        for hardware in ("H100", "A100")
        for system in ("NeMo", "Megatron-LM", "MLPerf", "nanotron", "own")
    }
    for system in ("NeMo", "Megatron-LM", "MLPerf"):
        assert 0 < sent["H100", system] < sent["H100", "nanotron"] / 4
        assert sent["A100", system] == pytest.approx(sent["A100", "nanotron"], rel=0.01)
    assert sent["H100", "own"] == pytest.approx(sent["H100", "nanotron"], rel=0.01)


def test_all_to_alls_hide_behind_other_parts_of_a_stage():
    row = QWEN | {"model": "Qwen3 235B-A22B", "gpus": 256, "pp": 4, "ep": 64, "mbs": 1, "gbs_seq": 2048, "vp": 1}
    row |= {"system": "Megatron-Bridge 26.06"}
    assert _step(row | {"vp": 12}).sent < _step(row).sent / 2
    own = row | {"system": "HAI-LLM", "precision": "bf16"}
    assert _step(own).sent < _step(own | {"system": "own"}).sent / 2


def test_deepseek_v3_of_a_framework_that_isn_t_known_is_a_quarter_off():
    """2,664,000 hours of 2,048 H800 for 14.8e12 tokens (its report): 1,543 tokens/s each; not fitted to."""
    row = {"model": "DeepSeek-V3", "hardware": "H800", "gpus": 2048, "pp": 16, "ep": 64, "precision": "fp8"}
    row |= {"sharding": "ZeRO-1", "tokens_per_s_per_gpu": 1543.2, "gpus_per_node": 8}
    assert abs(measured.compared(pd.DataFrame([row])).time_error.iloc[0]) < 0.25


def _step(row):
    job = job_of(row)
    return step_of(job, Clock(job.machine, Parameters(), job.bits))
