"""What is taken for empty cells is told, and is what was computed with: written into the row, it changes nothing."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.cells import records

FULL = {"model": "GPT", "layers": 24, "hidden": 2048, "heads": 16, "ffn": 8192, "vocab": 51200, "hardware": "A100"}
FULL |= {"gpus": 8, "tp": 2, "pp": 2, "dp": 2, "gbs_seq": 32, "mbs": 2, "seq": 1024, "precision": "fp16"}
FULL |= {"sharding": "ZeRO-1", "recompute": "full", "system": "Megatron-DeepSpeed"}
SAID = re.compile(r"Taken where the row doesn't say: (.*?)\.(?: |$)")


def assumed(**cells: object) -> str:
    return measured.predict(pd.DataFrame([FULL | cells], dtype=object)).assumed[0]


def test_a_row_that_says_all_has_nothing_assumed():
    assert assumed() == ""


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"dp": None}, "dp 2"),
        ({"tp": None}, "tp 2"),
        ({"gpus": None}, "gpus 8"),
        ({"heads": None}, "heads 16"),
        ({"ffn": None, "vocab": None}, "ffn 8192, vocab 51200"),
        ({"mbs": None}, "mbs 1"),
        ({"mbs": None, "grad_acc": 8}, "mbs 2"),
        ({"gbs_seq": None, "grad_acc": 3}, "gbs_seq 12"),
        ({"gbs_seq": None}, "gbs_seq 64"),
        ({"gbs_seq": 33}, "gbs_seq 32 for 33"),
        ({"seq": None}, "seq 2048"),
        ({"precision": None}, "precision 16 bits"),
        ({"sharding": None}, "sharding none"),
        ({"recompute": None}, "recompute full"),
        ({"gpus": 64, "dp": 16}, "gpus_per_node 8"),
    ],
)
def test_each_empty_cell_is_told_with_what_is_taken(cells, told):
    assert assumed(**cells) == f"Taken where the row doesn't say: {told}."


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"system": "own"}, "what most frameworks do. Efficiencies are those of Megatron-DeepSpeed on a100."),
        ({"hardware": "TPU v5p", "system": ""}, "system MaxText."),
        ({"hardware": "TPU v5p", "system": "Megatron-LM"}, "system MaxText for megatron-lm."),
        ({"system": "FSDP", "sharding": "FSDP", "gpus": 16, "tp": 1, "pp": 1}, "dp 16 for 2"),
        ({"hardware": "H100", "system": "nanotron", "precision": "bf16"}, ""),
        ({"hardware": "H100", "system": "Megatron-LM"}, "Efficiencies are those of Megatron-Bridge on h100."),
        ({"hardware": "Gaudi 3"}, "No efficiencies are known of such a machine; usual ones are taken."),
        ({"model": "my 3B", "layers": None, "hidden": None, "heads": None}, "25 layers and hidden 3072 by its size"),
    ],
)
def test_whose_rules_and_efficiencies_are_taken(cells, told):
    assert told in assumed(**cells)
    assert bool(assumed(**cells)) == bool(told)


def test_llama_like_shapes_have_heads_of_keys():
    assert "kv_heads 16" in assumed(model="own")
    assert "kv_heads" not in assumed()


def test_what_is_recomputed_for_memory_alone_is_told():
    row = {
        "model": "Llama 3 8B",
        "hardware": "B200",
        "system": "Megatron-Bridge",
        "recompute": None,
        "mbs": 32,
        "gbs_seq": 64,
        "seq": 8192,
    }
    row |= dict.fromkeys(("layers", "hidden", "heads", "ffn", "vocab"))
    assert "recompute none (full for its memory)" in assumed(**row)


def test_how_parameters_are_shared_out_for_memory_alone_is_told():
    row = {"model": "Llama 2 70B", "hardware": "A100", "gpus": 64, "gbs_seq": 64, "system": "ours", "seq": 4096}
    told = measured.predict(pd.DataFrame([row])).assumed[0]
    assert "sharding ZeRO-1 (ZeRO-3 for its memory), recompute none (full for its memory)" in told


def test_layers_of_which_a_row_says_that_all_are_recomputed_are_not_told():
    row = {"system": "fms-fsdp", "sharding": "FSDP", "tp": 1, "pp": 1, "dp": 8}
    assert "recomputed" not in assumed(**row, recompute="every layer")
    assert "25% of the layers recomputed" in assumed(**row, recompute="selective")


def test_what_is_refused_has_nothing_assumed():
    found = measured.predict(pd.DataFrame([FULL | {"hardware": "abacus"}]))
    assert found.assumed[0] == ""


COLUMNS = {
    "gpus",
    "gpus_per_node",
    "tp",
    "pp",
    "vp",
    "dp",
    "cp",
    "ep",
    "mbs",
    "gbs_seq",
    "seq",
    "sharding",
    "recompute",
}


def test_what_is_told_written_into_a_row_changes_no_prediction():
    """Of five runs of each source that ships; but for those whose memory and time were taken of two strategies."""
    rows = measured.runs().groupby("source_id").sample(5, random_state=4, replace=True)
    rows = rows[~rows.index.duplicated()].astype(object)
    first = measured.predict(rows)
    filled, often = [], 0
    for row, told in zip(records(rows), first.assumed, strict=True):
        cells = SAID.search(told)[1].split(", ") if SAID.search(told) and "(" not in told else []
        pairs = [cell.split(" ") for cell in cells]
        given = {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0] in COLUMNS}
        often += len(given)
        filled.append(row | given)
    again = measured.predict(pd.DataFrame(filled, index=rows.index))
    assert often > 60
    assert (again.refused == first.refused).all()
    assert again.predicted_ms.equals(first.predicted_ms)
    assert again.predicted_GB.equals(first.predicted_GB)


def test_efficiencies_of_another_machine_are_told():
    h200 = {"system": "TorchTitan", "hardware": "H100", "precision": "bf16", "sharding": "FSDP", "gpus_per_node": 8}
    assert assumed(**h200).endswith("Efficiencies are those of TorchTitan on h100-96, h200.")
    assert assumed(**h200 | {"hardware": "H200"}) == ""
