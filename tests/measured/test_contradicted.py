"""Rows that contradict themselves, or say what can't be: refused with numbers that work, or told in `assumed`."""

from __future__ import annotations

import pandas as pd
import pytest

from astra_edu import measured

LLAMA = {"model": "llama3-8b", "hardware": "H100", "gpus": 8, "gbs_seq": 64, "mbs": 1, "seq": 8192}
LLAMA |= {"precision": "bf16", "system": "Megatron-LM", "sharding": "ZeRO-1", "recompute": "full"}
GPT = {"model": "GPT", "layers": 24, "hidden": 2048, "heads": 16, "ffn": 8192, "vocab": 51200, "hardware": "A100"}
GPT |= {"gpus": 8, "gbs_seq": 64, "mbs": 1, "seq": 1024, "precision": "fp16", "system": "Megatron-DeepSpeed"}
GPT |= {"sharding": "ZeRO-1", "recompute": "full"}


def predicted(row: dict[str, object], **cells: object) -> pd.Series:
    return measured.predict(pd.DataFrame([row | cells], dtype=object)).iloc[0]


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ({"sharding": "ZeRO-9"}, "sharding is zero-9; ZeRO has the stages 1, 2 and 3, and 0 means without."),
        ({"sharding": "stage 12"}, "sharding is stage 12; ZeRO has the stages 1, 2 and 3, and 0 means without."),
        ({"ep": 8, "seq": 4096}, "ep is 8, and Llama 3 8B has no experts to share out; leave ep out."),
        ({"gpus_per_node": 3}, "gpus is 8, and computers of 3 have 6 or 9; gpus_per_node 2 or 4 would do."),
        ({"kv_heads": 5}, "32 heads can't share 5 heads of keys and values evenly; 4 or 8 would do."),
        ({"hardware": "A100 and H100"}, "hardware is 'A100 and H100', which may be a100 or h100; give one of them."),
        ({"hardware": "H1000"}, "hardware is 'H1000'; did you mean 'h100'?"),
    ],
)
def test_what_can_t_be_is_refused_with_what_can(cells, sentence):
    assert sentence in predicted(LLAMA, **cells).refused


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"sharding": "a lot"}, "sharding ZeRO-1 for 'a lot'"),
        ({"recompute": "sometimes"}, "recompute none for 'sometimes'"),
        ({"precision": "int8"}, "precision fp8 for int8"),
        ({"layers": 12}, "layers 12 of its model's 32"),
        ({"params_B": 70}, "params_B 8 for 70"),
        ({"heads": 64}, "heads 32 for 64"),
        ({"grad_acc": 7}, "grad_acc 8 for 7"),
        ({"pp": 4, "vp": 5}, "32 layers as 1 or 2 on each of 20 parts (4 stages × vp 5)"),
        ({"vp": 3}, "vp 1 for 3, as there is one stage"),
        ({"gpus_per_node": 64}, "64 NPUs of a computer on links that are known of 8"),
        ({"hardware": "GB200", "gpus_per_node": 8}, "domains of 72 for gpus_per_node 8"),
        ({"hardware": "V100"}, "precision fp16 for bf16"),
        ({"hardware": "TPU v4", "precision": "fp16"}, "precision bf16 for fp16"),
    ],
)
def test_what_something_else_goes_before_is_told(cells, told):
    found = predicted(LLAMA, **cells)
    assert found.refused == ""
    assert told in found.assumed


@pytest.mark.parametrize(
    "cells",
    [
        {},
        {"layers": 32, "heads": 32, "params_B": 8, "grad_acc": 8},
        {"params_B": 7},
        {"sharding": "distributed optimizer"},
        {"recompute": False},
        {"pp": 4, "vp": 4},
        {"gpus_per_node": 4},
        {"gpus": 4, "gpus_per_node": 8},
        {"hardware": "V100", "precision": "fp16"},
        {"hardware": "V100", "precision": "mixed"},
        {"hardware": "GB200", "gpus_per_node": 4},
        {"hardware": "TPU v5p", "system": "MaxText", "gpus_per_node": 4},
    ],
)
def test_what_is_taken_as_it_is_said_is_not_told(cells):
    found = predicted(LLAMA, **cells)
    assert found.refused == ""
    assert " for " not in found.assumed
    assert "of its model's" not in found.assumed
    assert "on each of" not in found.assumed


def test_ends_that_count_as_blocks_are_told():
    row = LLAMA | {"model": "Llama 3.1 405B", "gpus": 128, "tp": 8, "pp": 16, "vp": 8}
    assert "126 layers with the words and their scores as one each on 128 parts" in predicted(row).assumed


@pytest.mark.parametrize("row", [GPT, GPT | {"hardware": "H100"}, GPT | {"model": "GPT-3 1.3B", "hidden": None}])
def test_heads_that_share_keys_count_whatever_the_model_is_called(row):
    row = row if row["hidden"] else {name: cell for name, cell in row.items() if name not in ("hidden", "layers")}
    usual, *fewer = (predicted(row, kv_heads=heads) for heads in (16, 4, 1))
    plain = predicted(row)
    assert (usual.predicted_ms, usual.predicted_GB) == (plain.predicted_ms, plain.predicted_GB)
    times, sizes = ([each[name] for each in (usual, *fewer)] for name in ("predicted_ms", "predicted_GB"))
    assert times == sorted(set(times), reverse=True)
    assert sizes == sorted(set(sizes), reverse=True)
    assert (
        "16 heads can't share 5 heads of keys and values evenly; 4 or 8 would do." in predicted(row, kv_heads=5).refused
    )


def test_words_that_mean_nothing_are_as_if_the_row_did_not_say():
    for name, words in (("recompute", "sometimes"), ("sharding", "a lot")):
        plain, told = predicted(GPT, **{name: None}), predicted(GPT, **{name: words})
        assert (plain.predicted_ms, plain.predicted_GB) == (told.predicted_ms, told.predicted_GB)
