"""How lists of runs name models and machines."""

from __future__ import annotations

import pandas as pd
import pytest

import astra_edu as ae
from astra_edu import measured
from astra_edu.measured.names import GPT_SIZES, exact_name, gpt_shape, known_name
from astra_edu.measured.published import Published, by_size, every, published, size_of

RUN = {
    "seq": 2048,
    "gbs_seq": 512,
    "mbs": 1,
    "gpus": 512,
    "tp": 8,
    "pp": 4,
    "hardware": "A100",
    "system": "Megatron-LM",
}
SAME = {
    "gpt3-mlperf": ["GPT-3", "gpt3"],
    "llama-65b": ["LLaMA-65B", "llama 1 65B"],
    "llama2-70b": ["Llama 2 70B", "llama2-70b", "Llama-2-70b-hf", "LLAMA2_70B"],
    "llama3-405b": ["Llama 3 405B", "Llama3.1-405B", "llama31_405b", "Meta-Llama-3.1-405B"],
    "llama3-70b": ["Llama 3.3 70B"],
    "llama3.2-1b": ["Llama 3.2 1B"],
    "mixtral-8x7b": ["Mixtral 8x7B", "mixtral_8x7b", "Mixtral-8x7B"],
    "mistral-7b": ["Mistral 7B"],
    "qwen3-235b-a22b": ["Qwen3 235B-A22B", "Qwen3_235B_a22B", "Qwen3-235B"],
    "qwen2.5-72b": ["Qwen2.5 72B", "qwen25-72b"],
    "qwen3-32b": ["Qwen3 32B"],
    "deepseek-v3": ["DeepSeek V3", "DeepSeek-V3 671B"],
    "gpt-oss-120b": ["GPT-OSS 120B", "gpt_oss_120b"],
    "nemotron4-340b": ["Nemotron-4 340B", "nemotron4 340b"],
}


@pytest.mark.parametrize(("known", "name"), [(known, name) for known, names in SAME.items() for name in names])
def test_known_under_its_names(known: str, name: str):
    assert known_name(name) == known
    assert known in ae.MODELS


@pytest.mark.parametrize("name", ae.MODELS)
def test_no_name_of_ours_means_another_model(name: str):
    assert (known_name(name) or exact_name(name)) in (name, "gpt3-mlperf" if name == "gpt3" else name)


@pytest.mark.parametrize("billions", GPT_SIZES)
def test_the_published_shapes_have_the_published_sizes(billions: float):
    blocks, hidden, heads = GPT_SIZES[billions]
    model = ae.transformer("GPT", blocks=blocks, hidden=hidden, heads=heads, sequence=2048, vocabulary=51_200)
    assert model.parameters / 1e9 == pytest.approx(billions, rel=0.05)
    assert gpt_shape(f"GPT {billions}B", None) == (blocks, hidden, heads)


NO_PRESETS = (
    *("Qwen3 30B dense", "Llama-3.2-90B", "Llama-3.2-11B", "LLaMA-2.7B", "Llama 3 38B", "DeepSeek 33B", "DeepSeek 20B"),
    *("DeepSeek-V3.2-Exp", "CodeLlama 7B", "prompt-7b", "Mistral-7Bx2", "Mistral Large", "Mixtral of something"),
    *("GPT-MoE 13B", "gpt 8x7b", "gpt-oss-22b", "gpt-neo 2.7B", "gpt-neox-20b", "GPT-J 6B", "gpt2-medium"),
    *("Megatron-BERT 1.3B", "Megatron-T5 2.7B", "opt-30b"),
)


@pytest.mark.parametrize("name", NO_PRESETS)
def test_a_name_like_one_that_is_known_means_no_preset_of_ours(name: str):
    assert known_name(name) is None
    assert gpt_shape(name, None) is None


@pytest.mark.parametrize("name", ["DeepSeek-V3.2-Exp", "Mistral Large", "Mixtral of something"])
def test_a_name_without_shape_and_size_is_refused(name: str):
    assert "of which no shape is known; give layers, hidden and heads, or params_B." in predicted(model=name).refused


@pytest.mark.parametrize("name", ["GPT-MoE 13B", "gpt 8x7b", "gpt-oss-22b", "Qwen9 80B-A3B"])
def test_a_mixture_that_isn_t_listed_has_a_size_and_no_shape(name: str):
    assert "a mixture of experts of which no shape is known" in predicted(model=name).refused


@pytest.mark.parametrize("name", ["Megatron-T5 2.7B", "DLRM", "ResNet-50", "Stable Diffusion", "wan2.1-14b"])
def test_what_is_no_language_model_of_one_sequence_is_refused(name: str):
    assert "only transformers whose blocks read one sequence of tokens" in predicted(model=name).refused


@pytest.mark.parametrize("listed", every(), ids=lambda each: each.name)
def test_published_shapes_have_the_published_sizes_and_a_source(listed: Published):
    """Within 3 %: what isn't counted is said in the source (linear attention, embeddings of each layer)."""
    counted = listed.model(listed.sequence).parameters / 1e9
    assert counted == pytest.approx(listed.billions, rel=0.03)
    assert len(listed.source) > 10
    assert published(listed.name) is listed
    assert known_name(listed.name) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-neox-20b", "GPT-NeoX 20B"),
        ("EleutherAI/gpt-j-6b", "GPT-J 6B"),
        ("Falcon-40B", "Falcon 40B"),
        ("bigscience/bloom", "BLOOM 176B"),
        ("bloom-7b1", "BLOOM 7.1B"),
        ("PaLM", "PaLM 540B"),
        ("Qwen2-72B-Instruct", "Qwen2 72B"),
        ("Gemma 2 9B", "Gemma 2 9B"),
        ("gemma4-26b", "Gemma 4 26B-A4B"),
        ("Llama4-Maverick-17B-128E", "Llama 4 Maverick 400B-A17B"),
        ("DeepSeekV4 Flash", "DeepSeek-V4 Flash"),
        ("StarCoder2-3b", "StarCoder2 3B"),
        ("CodeLlama-7b-hf", "Code Llama 7B"),
    ],
)
def test_published_shapes_under_their_names(name: str, meant: str):
    found = published(name)
    assert found is not None
    assert found.name == meant


@pytest.mark.parametrize(
    "name", ["PaLM 2", "PaLM-2-L", "Grok-2", "StarCoder2-1B", "Qwen-9B", "deepseek-v4-pro", "GPT-2"]
)
def test_a_name_like_a_published_one_means_none(name: str):
    assert published(name) is None


@pytest.mark.parametrize("billions", [1.3, 3, 7, 13, 34, 70, 175, 540])
@pytest.mark.parametrize("name", ["GPT", "own", "Llama 3"])
def test_a_shape_by_size_has_the_size(name: str, billions: float):
    shape = by_size(name, billions)
    assert shape.model(1024).parameters / 1e9 == pytest.approx(billions, rel=0.08)
    assert predicted(model=f"{name} {billions}B", tp=1, pp=1, seq=None).refused == ""


def test_sizes_that_others_made_in_another_shape():
    assert gpt_shape("gpt2-large", 0.774) == gpt_shape("GPT-2 774M", None) == (36, 1280, 20)
    assert gpt_shape("opt-1.3b", None) == (24, 2048, 32)
    assert gpt_shape("OPT 6.7B", None) == gpt_shape("GPT-3 6.7B", None) == (32, 4096, 32)


def test_a_mixture_is_not_taken_for_a_dense_model_of_its_width():
    assert "a mixture of experts" in predicted(model="GPT-MoE", layers=24, hidden=2048, heads=16).refused


def predicted(**cells: object) -> pd.Series:
    return measured.predict(pd.DataFrame([RUN | cells])).iloc[0]


def test_a_size_is_as_good_as_a_shape():
    said = predicted(model="GPT-3 175B")
    given = predicted(model="GPT", layers=96, hidden=12_288, heads=96)
    assert said.refused == ""
    assert said.predicted_ms == given.predicted_ms
    assert predicted(model="GPT", params_B=174.6).predicted_ms == given.predicted_ms
    assert predicted(model="Megatron 1T").predicted_ms > 4 * given.predicted_ms


@pytest.mark.parametrize("name", ["my own", "GPT"])
def test_no_size_is_no_shape(name: str):
    assert "of which no shape is known; give layers, hidden and heads" in predicted(model=name).refused


def test_no_name_and_no_size_is_no_model():
    assert predicted(model=None).refused == "no model is given; give layers, hidden and heads, or params_B."


def test_a_row_s_own_shape_goes_before_its_name_s():
    own = {"layers": 16, "hidden": 2048, "heads": 16, "vocab": 32_000, "tp": 1}
    assert predicted(model="Llama 3 8B", **own).predicted_ms == predicted(model="some", **own).predicted_ms
    assert "hidden is 2048, and llama3-8b has 4096" in predicted(model="Llama 3 8B", hidden=2048).refused
    assert "hidden is 2048, and gpt-3 175b has 12288" in predicted(model="GPT-3 175B", hidden=2048).refused
    assert predicted(model="GPT-3 175B", layers=48).predicted_ms < 0.6 * predicted(model="GPT-3 175B").predicted_ms
    assert "hidden is 2048, and Falcon 40B has 8192" in predicted(model="Falcon 40B", hidden=2048).refused


@pytest.mark.parametrize(
    ("model", "tokens"),
    [("Llama 3 8B", 8192), ("OPT 30B", 2048), ("GPT 5B", 2048), ("own 5B", 4096), ("Llama 2 7B", 4096)],
)
def test_without_seq_a_model_has_its_own_or_its_family_s(model: str, tokens: int):
    row = {"model": model, "tp": 1, "pp": 1}
    assert predicted(**row, seq=None).predicted_ms == predicted(**row, seq=tokens).predicted_ms


@pytest.mark.parametrize(
    ("hardware", "known"), [("A800-SXM4-80GB", "a800"), ("TPU v5e", "tpu-v5e"), ("tpu v5 lite", "tpu-v5e")]
)
def test_machines_under_their_names(hardware: str, known: str):
    assert ae.machine(hardware) is ae.MACHINES[known]


def test_slower_links_take_longer_with_tensor_groups_alone():
    slow, fast = (predicted(model="Llama 3 70B", hardware=name).predicted_ms for name in ("A800", "A100"))
    assert slow > fast


def test_many_stages_are_no_trouble():
    found = predicted(model="GPT", layers=100_000, hidden=64, heads=1, tp=1, gpus=50_000, pp=50_000, mbs=1, gbs_seq=1)
    assert found.refused or found.predicted_ms > 0


@pytest.mark.parametrize(
    ("name", "billions"),
    [("own 350M", 0.35), ("350 million", 0.35), ("own-1.5b", 1.5), ("2 trillion", 2000), ("1T", 1000), ("30B-A3B", 30)],
)
def test_sizes_in_names_have_their_units(name: str, billions: float):
    assert size_of(name, 7) == billions
    assert size_of("own", 7) == size_of("x350m", 7) == 7


@pytest.mark.parametrize("name", ["GPT 5B", "GPT-3 160B", "Megatron 60B"])
def test_a_size_between_published_ones_means_none_of_them(name: str):
    assert gpt_shape(name, None) is None


@pytest.mark.parametrize("name", ["BLOOM 50B", "StarCoder-3B", "LaMDA-2B"])
def test_a_published_name_with_a_size_of_its_own_means_none(name: str):
    assert published(name) is None


@pytest.mark.parametrize(
    ("name", "shared"), [("Llama 3 40B", True), ("Qwen 40B", True), ("own", False), ("GPT", False)]
)
def test_heads_of_a_shape_by_size_share_keys_where_the_family_s_do(name: str, shared: bool):
    sizes = dict(by_size(name, 40).sizes)
    assert sizes["kv_heads"] == (8 if shared else sizes["heads"])


def test_words_and_their_scores_have_one_table_in_gpt_s_style():
    """51,200 words are a sixth of 0.5 · 10⁹ parameters."""
    assert by_size("GPT", 0.5).model(2048).parameters / 1e9 == pytest.approx(0.5, rel=0.08)
