"""Today's models: parameters as published, to the last one; operations, memory, messages by formulas of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import rings

import astra_edu as ae
from astra_edu.explore.iteration.stage_times import stage_times
from astra_edu.workload.compute import Experts, FlashAttention, Gated, Linear, QueryKeyValue, Scores
from astra_edu.workload.models import LatentAttention, llama
from astra_edu.workload.strategies.alike import Abridged, abridged
from astra_edu.workload.strategies.memory import memory_of

# ---- parameters ----

LLAMAS = {  # words, hidden, blocks, heads, of keys and values, feedforward; Hugging Face's safetensors say how many
    "llama2-7b": ((32_000, 4096, 32, 32, 32, 11_008), 6_738_415_616),
    "llama2-13b": ((32_000, 5120, 40, 40, 40, 13_824), 13_015_864_320),
    "llama2-70b": ((32_000, 8192, 80, 64, 8, 28_672), 68_976_648_192),
    "codellama-34b": ((32_000, 8192, 48, 64, 8, 22_016), 33_743_970_304),
    "llama3-8b": ((128_256, 4096, 32, 32, 8, 14_336), 8_030_261_248),
    "llama3-70b": ((128_256, 8192, 80, 64, 8, 28_672), 70_553_706_496),
    "llama3-405b": ((128_256, 16_384, 126, 128, 8, 53_248), 405_853_388_800),
    "mistral-7b": ((32_000, 4096, 32, 32, 8, 14_336), 7_241_732_096),
}
MIXTURES = {  # all parameters, and those that a token meets
    "mixtral-8x7b": (46_702_792_704, 12.9e9),
    "mixtral-8x22b": (140_630_071_296, 39e9),
    "qwen3-30b-a3b": (30_532_122_624, 3.35e9),
    "qwen3-235b-a22b": (235_093_634_560, 22e9),
    "gpt-oss-20b": (20_914_757_184, 4.19e9),
    "gpt-oss-120b": (116_829_156_672, 5.71e9),
    "deepseek-v2-lite": (15_706_484_224, 2.7e9),
    "deepseek-v2": (235_741_434_880, 21e9),
    "deepseek-v3": (671_026_419_200, 37e9),
    "kimi-k2": (1_026_408_232_448, 32e9),
}
MPTS = {  # parameters as llm-foundry's tables of throughput have them: hidden, blocks
    "mpt-125m": (768, 12, 125_311_488),
    "mpt-350m": (1024, 24, 355_985_408),
    "mpt-760m": (1536, 24, 760_470_528),
    "mpt-1b": (2048, 24, 1_315_950_592),
    "mpt-3b": (2560, 32, 2_651_837_440),
    "mpt-7b": (4096, 32, 6_658_859_008),
    "mpt-13b": (5120, 40, 12_853_954_560),
    "mpt-30b": (7168, 48, 29_975_214_080),
    "mpt-70b": (8192, 80, 64_862_437_376),
}


def grouped(hidden, heads, shared, width):
    """Weights of queries, keys, values, and of what puts the heads together."""
    return 2 * hidden * heads * width + 2 * hidden * shared * width


KIN = {  # the same, with words whose embedding makes the scores, or with other features for each head
    "llama3.2-1b": ((128_256, 2048, 16, 32, 8, 8192), 64, True, 1_235_814_400),
    "llama3.2-3b": ((128_256, 3072, 28, 24, 8, 8192), 128, True, 3_212_749_824),
    "qwen3-8b": ((151_936, 4096, 36, 32, 8, 12_288), 128, False, 8_190_735_360),
    "qwen3-14b": ((151_936, 5120, 40, 40, 8, 17_408), 128, False, 14_768_307_200),
    "qwen3-32b": ((151_936, 5120, 64, 64, 8, 25_600), 128, False, 32_762_123_264),
    "gemma-7b": ((256_000, 3072, 28, 16, 16, 24_576), 256, True, 8_537_680_896),
}


@pytest.mark.parametrize("name", KIN)
def test_their_kin_by_hand_and_as_published(name):
    (words, h, blocks, heads, shared, inside), width, tied, published = KIN[name]
    gains = 2 * h + (2 * width if "qwen" in name else 0)
    by_hand = (2 - tied) * words * h + blocks * (grouped(h, heads, shared, width) + 3 * h * inside + gains) + h
    assert ae.model(name).parameters == by_hand == published == ae.model(name).published


@pytest.mark.parametrize(("name", "embeddings", "others"), [("15b", 3.2, 12.5), ("340b", 9.4, 331.6)])
def test_nemotron_4_as_its_papers_round_it(name, embeddings, others):
    model = ae.model(f"nemotron4-{name}")
    of_words = 2 * model.operators[0].parameters
    assert of_words / 1e9 == pytest.approx(embeddings, abs=0.06)
    assert (model.parameters - of_words) / 1e9 == pytest.approx(others, abs=0.06)


@pytest.mark.parametrize("name", LLAMAS)
def test_llamas_by_hand_and_as_published(name):
    (words, h, blocks, heads, shared, inside), published = LLAMAS[name]
    by_hand = 2 * words * h + blocks * (grouped(h, heads, shared, h // heads) + 3 * h * inside + 2 * h) + h
    assert ae.model(name).parameters == by_hand == published == ae.model(name).published


@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures_as_published_all_of_them_and_those_that_a_token_meets(name):
    model, (everything, active) = ae.model(name), MIXTURES[name]
    assert model.parameters == model.published == everything
    assert model.active_parameters == pytest.approx(active, rel=0.03)


@pytest.mark.parametrize("name", MPTS)
def test_mpts_are_gpts(name):
    h, blocks, published = MPTS[name]
    assert ae.model(name).parameters == published == blocks * (12 * h * h + 13 * h) + (50_368 + 2048 + 2) * h
    assert ae.model(name).published == published


VTRAIN = {  # hidden, heads, blocks, tokens
    **{f"{12 * h * h * blocks / 1e9:.3f}": (h, 16, blocks, 1024) for h in (1024, 2048) for blocks in (12, 16, 20, 24)},
    "3.6": (3072, 32, 30, 2048),
    "18.4": (6144, 48, 40, 2048),
    "39.1": (8192, 64, 48, 2048),
    "175": (12_288, 96, 96, 2048),
}
"""Called by the 10⁹ parameters of their blocks' matrices alone, on one node, or by all of them."""


@pytest.mark.parametrize("size", VTRAIN)
def test_vtrains_gpts_by_hand_and_as_they_are_called(size):
    h, heads, blocks, tokens = VTRAIN[size]
    model = ae.model(f"vtrain-{size}b")
    assert model.parameters == blocks * (12 * h * h + 13 * h) + (50_257 + tokens + 2) * h
    of_blocks = sum(each.parameters for each in model.operators if isinstance(each, Linear) and "block" in each.name)
    called = model.parameters if tokens == 2048 else of_blocks
    assert called / 1e9 == pytest.approx(float(size), rel=0.012)
    assert model.published == (round(float(size) * 1e9) if tokens == 2048 else None)
    assert {each.heads for each in model.operators if isinstance(each, Scores)} == {heads}


def test_they_are_those_of_vtrains_measured_runs():
    rows = ae.measured.runs()
    rows = rows[rows.source_id.str.startswith("vtrain")]
    measured = set(zip(rows.params_B, rows.hidden, rows.heads, rows.layers, rows.seq, strict=True))
    assert {(float(size), *shape) for size, shape in VTRAIN.items()} == measured
    assert {name for name in ae.MODELS if name.startswith("vtrain")} == {f"vtrain-{size}b" for size in VTRAIN}


def test_the_released_mpt_7b_has_no_biases_and_no_positions():
    """Hugging Face, mosaicml/mpt-7b: 6,649,286,656."""
    sizes = {"hidden": 4096, "heads": 32, "blocks": 32, "sequence": 2048, "vocabulary": 50_432}
    released = ae.transformer("MPT-7B", **sizes, bias=False, positions="alibi", dropout=False)
    assert released.parameters == 6_649_286_656


def test_mixtral_by_hand():
    h, inside, blocks = 4096, 14_336, 32
    expert, rest = 3 * h * inside, grouped(h, 32, 8, 128) + 8 * h + 2 * h
    outside = 2 * 32_000 * h + h
    mixtral = ae.model("mixtral-8x7b")
    assert mixtral.parameters == outside + blocks * (8 * expert + rest)
    assert mixtral.active_parameters == outside + blocks * (2 * expert + rest)


def test_deepseek_v3_by_hand_with_its_module_for_a_second_word():
    """README_WEIGHTS.md: 671B, 36.6B of them active without the embedding; 11.5B more for the module alone."""
    h, heads, words = 7168, 128, 129_280
    queries = h * 1536 + 1536 + 1536 * heads * (128 + 64)
    keys = h * (512 + 64) + 512 + 512 * heads * (128 + 128)
    attention = queries + keys + heads * 128 * h + 2 * h
    expert, router = 3 * h * 2048, 256 * h + 256
    dense, mixed = attention + 3 * h * 18_432, attention + 257 * expert + router
    model = ae.model("deepseek-v3")
    assert model.parameters == 2 * words * h + h + 3 * dense + 58 * mixed
    assert (model.active_parameters - words * h) / 1e9 == pytest.approx(36.6, abs=0.05)
    more = ae.model("deepseek-v3", next_tokens=1).parameters - model.parameters
    assert more == mixed + 2 * h * h + 2 * h + h
    assert more / 1e9 == pytest.approx(11.5, abs=0.15)


def test_gpt_oss_active_parameters_as_its_card_counts_them():
    """arXiv 2508.10925, table 1: 116.83B and 20.91B, of which 5.13B and 3.61B are active, without the embedding."""
    for name, total, active in (("gpt-oss-120b", 116.83, 5.13), ("gpt-oss-20b", 20.91, 3.61)):
        model = ae.model(name)
        assert model.parameters / 1e9 == pytest.approx(total, abs=0.005)
        assert (model.active_parameters - 201_088 * 2880) / 1e9 == pytest.approx(active, abs=0.005)


def test_nanotrons_models_as_its_script_counts_them():
    """Two matrices of words, or one below 10,000 features inside; normalisations are left out there."""
    for name, (h, blocks, inside) in {
        "nanotron-1b": (2048, 16, 8192),
        "nanotron-3b": (3072, 28, 8192),
        "nanotron-8b": (4096, 32, 14_336),
        "nanotron-80b": (8192, 80, 28_672),
    }.items():
        words = 131_072 * h * (1 if inside < 10_000 else 2)
        assert ae.model(name).parameters == words + blocks * (3 * h * inside + 4 * h * h) + (2 * blocks + 1) * h


def test_words_are_padded_and_experts_without_a_router_are_all_active():
    assert ae.model("gpt3-mlperf").operators[0].rows == (51_200,)
    assert ae.model("gpt3-mlperf", vocabulary_multiple=1).operators[0].rows == (50_257,)
    for name in ("gpt3", "vgg16", "llama3-8b"):
        assert ae.model(name).active_parameters == ae.model(name).parameters


# ---- operations ----


def product_flops(model, batch=1):
    phases = (phase for o in model.operators for phase in (o.forward, o.input_gradient, o.weight_gradient))
    done = sum(gemm.flops for phase in phases for gemm in phase(batch).gemms)
    return done - sum(o.repeated_flops(batch) for o in model.operators)


@pytest.mark.parametrize("name", LLAMAS)
@pytest.mark.parametrize("causal", [True, False])
def test_six_operations_for_each_weight_and_token_and_twelve_for_each_pair(name, causal):
    """6 N + 12 l h s a token (PaLM, arXiv 2204.02311, appendix B), N without the embedding and the gains."""
    (words, h, blocks, heads, shared, inside), _ = LLAMAS[name]
    s = 4096
    model = ae.model(name, sequence=s, causal=causal, window=None)
    weights = words * h + blocks * (grouped(h, heads, shared, h // heads) + 3 * h * inside)
    pairs = 12 * blocks * h * s // (2 if causal else 1)
    assert product_flops(model, 2) == 2 * s * (6 * weights + pairs)
    assert product_flops(model) < model.flops() < 1.02 * product_flops(model)


def test_megatrons_formula_for_grouped_queries_and_gates():
    """12 B s l h² (1 + kv/heads + 3/2 f/h + s/h) + 6 B s h V, with a gate and both halves of the scores."""
    (words, h, blocks, heads, shared, inside), _ = LLAMAS["llama3-70b"]
    s, batch = 8192, 3
    by_hand = 12 * batch * s * blocks * h * h * (1 + shared / heads + 1.5 * inside / h + s / h)
    by_hand += 6 * batch * s * h * words
    assert product_flops(ae.model("llama3-70b", causal=False), batch) == pytest.approx(by_hand, rel=1e-12)


def test_llama_3_405b_takes_the_operations_of_its_paper():
    """arXiv 2407.21783, section 3.2.1: 3.8 · 10^25 for 15.6 · 10^12 tokens, by 6 for each parameter and token."""
    model = ae.model("llama3-405b", causal=False)
    assert 15.6e12 * 6 * model.parameters == pytest.approx(3.8e25, rel=0.005)
    assert product_flops(model) / 8192 / (6 * model.parameters) == pytest.approx(1.077, abs=0.005)  # with attention


def test_a_token_of_a_mixture_takes_the_operations_of_its_active_weights():
    h, heads, words, s = 7168, 128, 129_280, 4096
    model = ae.model("deepseek-v3", causal=False)
    gains = 61 * (2 * h + 1536 + 512) + h
    bias = 58 * 256
    weights = model.active_parameters - words * h - gains - bias
    pairs = 6 * 61 * heads * (192 + 128) * s  # queries · keys of 192 features, · values of 128
    assert product_flops(model) == s * (6 * weights + pairs)


def test_a_window_in_every_second_block():
    whole = llama("whole", **SMALL, blocks=4)
    near = llama("near", **SMALL, blocks=4, window=8, full_every=2)
    of = [[o.window for o in model.operators if isinstance(o, FlashAttention)] for model in (whole, near)]
    assert of == [[None] * 4, [8, None, 8, None]]
    assert near.parameters == whole.parameters
    assert near.flops() < whole.flops()
    assert [o.window for o in ae.model("mistral-7b").operators if isinstance(o, FlashAttention)] == [4096] * 32


def test_a_capacity_fills_up_or_drops():
    sizes = SMALL | {"experts": 8, "top_k": 2}
    for capacity, rows in ((None, 8), (1.0, 8), (1.25, 10), (0.5, 4), (1.1, 9)):  # of 32 · 2 / 8 for each expert
        model = llama("m", **sizes, blocks=1, capacity=capacity)
        up = next(o for o in model.operators if isinstance(o, Experts))
        assert up.product(1).m == rows, capacity
        routed = {o.name: o.routed for o in model.operators if o.name.endswith(("dispatch", "combine"))}
        assert set(routed.values()) == {(8 * rows, 64)}
        halves = [ae.Strategy(context=2).part(o) for o in model.operators if o.name.endswith("dispatch")]
        assert halves[0].routed == (4 * rows, 64)


# ---- memory ----

SMALL = {"hidden": 64, "heads": 8, "kv_heads": 4, "sequence": 32, "vocabulary": 512, "feedforward": 96}


@given(
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4]),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(["none", "selective"]),
)
def test_what_a_block_of_a_llama_keeps(shared, tensor, batch, sequence_parallel, recompute):
    """Two inputs of normalisations, those of four matrices, queries, keys, values, both halves of the gate, the sums.

    In 16 bits, each h features of a token: 2 + 2 as they come in, and normalised; attention 1 + 2k/a + 1; 3 f/h.
    """
    h, heads, s, f = 64, 8, 32, 96
    sequence_parallel = sequence_parallel and tensor > 1
    sizes = SMALL | {"kv_heads": shared}

    def kept(blocks):
        strategy = ae.Strategy(
            tensor=tensor, micro_batch=batch, sequence_parallel=sequence_parallel, recompute=recompute
        )
        return ae.memory(llama("small", **sizes, blocks=blocks), strategy).activations

    own = max(1, shared // tensor)
    whole = 2 * 4 * h / (tensor if sequence_parallel else 1)  # norm1, qkv, norm2, mlp1: their inputs
    split = 2 * (h / tensor + 2 * own * h / heads) + 2 * h / tensor + 2 * 3 * f / tensor
    sums = 4 * heads / tensor if recompute == "none" else 0
    assert kept(3) - kept(2) == pytest.approx(s * batch * (whole + split + sums))


def test_attention_by_tiles_keeps_no_scores():
    sizes = SMALL | {"hidden": 512, "sequence": 1024}
    flash, scores = (llama("m", **sizes, blocks=2, attention=kind, causal=False) for kind in ("flash", "scores"))
    kept = [ae.memory(model, ae.Strategy(recompute="none")).activations for model in (scores, flash)]
    pairs = 2 * 8 * 1024**2
    assert kept[0] - kept[1] == 2 * pairs - 2 * 4 * 8 * 1024  # the softmax in 16 bits; no dropout, so no mask
    assert scores.flops() == pytest.approx(flash.flops(), rel=0.05)


def test_a_latent_block_keeps_its_few_features_too():
    h, heads, s = 64, 4, 32
    mla = LatentAttention(kv_rank=24, q_rank=16, nope=8, rope=4, value=8)
    sizes = {"hidden": h, "heads": heads, "sequence": s, "vocabulary": 512, "feedforward": 96, "latent": mla}

    def kept(blocks, **how):
        return ae.memory(llama("small", **sizes, blocks=blocks), ae.Strategy(**how)).activations

    latent = 2 * 16 + (24 + 24 + 4)  # queries' twice; keys' and values', normalised, with the turned ones
    for tensor in (1, 2):
        split = heads * (12 + 12 + 8 + 8) + 3 * 96  # queries, keys, values, outputs; both halves, and their product
        by_hand = s * (2 * (4 * h + latent + split / tensor) + 4 * heads / tensor)
        assert kept(3, tensor=tensor) - kept(2, tensor=tensor) == pytest.approx(by_hand)
    shared = s * (2 * ((4 * h + latent) / 2 + split / 2) + 4 * heads / 2)
    both = {"tensor": 2, "sequence_parallel": True}
    assert kept(3, **both) - kept(2, **both) == pytest.approx(shared)


@pytest.mark.parametrize("zero", [0, 1, 3])
def test_state_of_deepseek_v3_shared_out_as_it_was_trained(zero):
    """64 NPUs share the experts of a block; the others' state is everybody's, or shared by all."""
    model = ae.model("deepseek-v3")
    of_experts = sum(o.parameters for o in model.operators if isinstance(o, Experts))
    assert of_experts == 58 * 256 * 3 * 7168 * 2048
    others, each = model.parameters - of_experts, [of_experts / 64, of_experts / 64 / 2]
    kept = ae.memory(model, ae.Strategy(data=128, expert=64, zero=zero))
    assert kept.optimiser == 12 * (others / 128 + each[1] if zero else others + each[0])
    assert kept.parameters == 2 * (others / 128 + each[1] if zero == 3 else others + each[0])


# ---- what is sent ----


def sent(model, group, **cut):
    return [one for one in ae.communications(model, ae.Strategy(**cut)) if one.group == group]


@pytest.mark.parametrize("shared", [1, 2, 4, 8])
@pytest.mark.parametrize("tensor", [1, 2, 8])
def test_a_context_group_gathers_the_keys_and_values_there_are(shared, tensor):
    model = llama("small", **(SMALL | {"kv_heads": shared}), blocks=2)
    found = sent(model, "context", context=4, tensor=tensor)
    assert [one.content for one in found[:3]] == ["keys and values"] * 2 + ["gradients of keys and values"]
    own = 8 * 2 * max(1, shared // tensor) * 8 * 2  # tokens, keys and values, heads, features, bytes
    assert [one.size for one in found] == [own, own, 4 * own] * 2


def test_a_latent_block_sums_up_the_gradients_of_its_few_features():
    mla = LatentAttention(kv_rank=24, q_rank=16, nope=8, rope=4, value=8)
    model = llama("m", **(SMALL | {"kv_heads": None, "latent": mla}), blocks=1)
    found = {(one.operator, one.phase): one.size for one in sent(model, "tensor", tensor=2)}
    token = 32 * 2
    assert found["block1_q", "input gradient"] == token * 16
    assert found["block1_kv", "input gradient"] == token * (24 + 4)
    assert found["block1_projection", "forward"] == token * 64
    assert not any("down" in operator for operator, _ in found)


def test_a_shared_expert_takes_the_tokens_that_are_there_already():
    """What comes in is normalised, gathered, and its gradient summed once, for the router's experts and the shared."""
    model = llama("m", **SMALL, blocks=1, experts=4, shared_experts=2, expert_feedforward=16)
    ups = {o.name: o for o in model.operators if o.name.startswith("block1_shared")}
    assert ups["block1_shared1"].outputs == 2 * 2 * 16
    for parallel in (False, True):
        found = [one.operator for one in sent(model, "tensor", tensor=2, sequence_parallel=parallel)]
        assert "block1_shared1" not in found
        assert found.count("block1_shared2") == 1 + parallel
    added = next(o for o in model.operators if o.name == "block1_added2")
    assert added.after == ("block1_combine", "block1_shared2", "block1_added1")


# ---- how they are made, and shared out ----


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("deepseek-v3", {"data": 8, "expert": 8, "tensor": 2, "sequence_parallel": True, "zero": 1}),
        ("deepseek-v3", {"context": 4, "data": 2, "expert": 4, "recompute": "full"}),
        ("gpt-oss-120b", {"data": 8, "pipeline": 2, "tensor": 2, "batch": 32}),
        ("gpt-oss-120b", {"data": 2, "pipeline": 2, "virtual": 3, "pipeline_order": "interleaved", "batch": 8}),
        ("kimi-k2", {"data": 4, "expert": 4, "tensor": 8, "zero": 3}),
        ("mistral-7b", {"tensor": 4, "pipeline": 4, "batch": 8, "recompute": "selective"}),
    ],
)
def test_blocks_of_several_kinds_are_looked_at_once_each(name, cut):
    """A short model with some of each kind says what the whole one does."""
    model, strategy = ae.model(name), ae.Strategy(**cut)
    about, whole = abridged(model), Abridged(model, model, tuple(range(len(model.operators))))
    assert len(about.short.blocks) <= 4 < len(model.blocks)
    assert len(about.short.blocks) % 2 == 0
    for operator, place in zip(model.operators, about.places, strict=True):
        like = about.short.operators[place]
        assert replace(like, name="", after=()) == replace(operator, name="", after=())
    assert memory_of(about, strategy) == memory_of(whole, strategy)
    platform = ae.Platform((ae.Dimension.of("Switch", strategy.npus, 450, 1000),), ae.SystemConfig.of("ring", splits=1))
    one, other = (stage_times(each, strategy, ae.device("h100"), platform) for each in (about, whole))
    assert one == other


def test_repeated_blocks_are_what_blocks_made_one_by_one_are():
    for make in (ae.model("deepseek-v2-lite"), ae.model("gpt-oss-20b", blocks=6)):
        for block in make.blocks:
            for i in block:
                operator = make.operators[i]
                assert replace(operator) == operator
                assert operator.name.startswith(f"block{make.blocks.index(block) + 1}_")


def test_each_block_comes_after_the_one_before_it():
    """A block's first normalisation and its residual take what the block before gave."""
    model = ae.model("deepseek-v2-lite")
    at = {o.name: o for o in model.operators}
    for k in range(2, 28):
        assert at[f"block{k}_norm1"].after == (f"block{k - 1}_added2",)
        assert at[f"block{k}_added1"].after[-1] == f"block{k - 1}_added2"
        assert at[f"block{k}_rope"].after == (f"block{k}_q", f"block{k}_kv")


@pytest.mark.parametrize("activation", ["gelu", "relu2", "swiglu", "geglu"])
def test_gated_activations_have_a_matrix_more(activation):
    model = llama("m", **SMALL, blocks=1, activation=activation)
    gated = activation in ("swiglu", "geglu")
    assert any(isinstance(o, Gated) for o in model.operators) == gated
    weights = sum(o.parameters for o in model.operators if "mlp" in o.name)
    assert weights == (3 if gated else 2) * 64 * 96
    mixed = ae.with_experts(model, 4, top_k=1)
    assert mixed.parameters == model.parameters + 3 * weights + 4 * 64
    assert mixed.operators == llama("m", **SMALL, blocks=1, activation=activation, experts=4).operators


def test_biases_where_they_are_wanted():
    plain = llama("m", **SMALL, blocks=1).parameters
    qkv = (8 + 2 * 4) * 8
    assert llama("m", **SMALL, blocks=1, attention_bias=True).parameters == plain + qkv + 64
    assert llama("m", **SMALL, blocks=1, bias=True).parameters == plain + qkv + 64 + 2 * 96 + 64
    assert (
        ae.model("internlm-7b").parameters
        == 2 * 103_168 * 4096 + 32 * (4 * 4096 * 4096 + 4 * 4096 + 3 * 4096 * 11_008 + 2 * 4096) + 4096
    )


@pytest.mark.parametrize("name", ["llama3-8b", "mixtral-8x7b", "gpt-oss-20b", "deepseek-v2-lite", "qwen3-30b-a3b"])
def test_todays_models_go_all_the_ways_of_the_others(name):
    model = ae.model(name, sequence=1024)
    cut = ae.Strategy(data=2, tensor=2, sequence_parallel=True, recompute="full", batch=4)
    workload = ae.generate_workload(model, cut, "a100", platform=rings(2, 2))
    assert all(ae.simulate(workload, rings(2, 2), progress=False).message_bytes_per_dimension)
    found = ae.estimate(model, cut, "a100", rings(4))
    assert sum(found.split.values()) == found.total_ns
    few = ae.model(name, blocks=4, sequence=512, dense_blocks=0) if "deep" in name else ae.model(name, blocks=4)
    trace = ae.traces.from_strategy(few, ae.Strategy(data=2, tensor=2, pipeline=2, batch=4), "a100")
    assert trace.npus == 8
    best = ae.fastest(few, ae.candidates(few, 4, 4), ae.Device("large", 3e14, 2e12, 10**15), rings(4))
    assert best.total_ns > 0


def test_a_module_for_a_second_word_goes_with_the_rest():
    """Its own matrices, attention, experts and loss; on a last stage a copy of the embedding, too."""
    plain, more = (ae.model("deepseek-v3", blocks=4, sequence=512, next_tokens=n) for n in (0, 1))
    assert ae.model("gpt3", blocks=2, next_tokens=2).operators[-2].name == "next2_word_scores"  # keeps its own scores
    made = [o.name for o in more.operators if o.name.startswith("next1")]
    assert (made[:3], made[-1]) == (["next1_token_norm", "next1_word_norm", "next1_joined"], "next1_loss")
    assert more.blocks == plain.blocks
    assert more.flops() - plain.flops() > sum(o.forward(1).flops for o in more.operators if o.name in made)
    cut = ae.Strategy(pipeline=2, batch=2)
    kept = [ae.memory(model, cut, stage=1).parameters for model in (plain, more)]
    assert kept[1] - kept[0] == 2 * (more.parameters - plain.parameters + 129_280 * 7168)
    ways = ae.Strategy(data=2, tensor=2, sequence_parallel=True)
    assert ae.simulate(ae.generate_workload(more, ways, "a100"), rings(2, 2), progress=False).total_ns > 0
    assert ae.estimate(more, replace(ways, expert=2), "a100", rings(4)).total_ns > 0


def test_a_change_of_a_model_is_a_model_of_that_shape():
    long = ae.model("llama3-8b", sequence=131_072)
    assert (long.name, long.published, long.exact) == ("Llama 3 8B, changed", None, False)
    assert long.parameters == ae.model("llama3-8b").parameters
    assert long.operators[0].lookups == 131_072
    assert ae.model("gpt3", sequence=4096).parameters == ae.model("gpt3").parameters + 2048 * 12_288
    assert len(ae.model("deepseek-v3", blocks=4, dense_blocks=0).blocks) == 4


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ae.model("llama3-8b", sequenec=5), "did you mean 'sequence'"),
        (lambda: ae.model("vgg16", sequence=5), "vgg16 has a fixed shape; leave sequence out"),
        (lambda: ae.model(ae.model("gpt2"), sequence=5), "GPT-2 is made already; give its name in ae.MODELS"),
        (lambda: llama("m", **(SMALL | {"kv_heads": 3})), "blocks"),
        (lambda: llama("m", **(SMALL | {"kv_heads": 3}), blocks=1), "m: 8 heads can't share 3 heads of keys"),
        (lambda: llama("m", **SMALL, blocks=1, activation="silu"), "m: activation is 'silu'"),
        (lambda: llama("m", **SMALL, blocks=1, norm="batch"), "m: norm is 'batch'"),
        (lambda: llama("m", **SMALL, blocks=1, positions="sine"), "m: positions is 'sine'"),
        (lambda: llama("m", **SMALL, blocks=1, attention="tiles"), "m: attention is 'tiles'"),
        (lambda: llama("m", **SMALL, blocks=1, window=0), "m: window is 0; it must be a whole number, 1 or more"),
        (lambda: llama("m", **SMALL, blocks=1, window=4, causal=False), "looks back only; give causal=True"),
        (lambda: llama("m", **SMALL, blocks=1, latent=512), "m: latent is 512; give one such as LatentAttention("),
        (
            lambda: llama("m", **SMALL, blocks=1, latent=LatentAttention(kv_rank=8)),
            "m: latent attention makes keys and values of every head; leave kv_heads, head_dim and qk_norm out",
        ),
        (lambda: LatentAttention(kv_rank=0), "latent attention: kv_rank is 0"),
        (lambda: llama("m", **SMALL, blocks=1, experts=4, top_k=5), "m: a token can't go to 5 of 4 experts"),
        (lambda: llama("m", **SMALL, blocks=1, experts=4, capacity=0), "m: capacity is 0; it must be greater than 0"),
        (lambda: llama("m", **SMALL, blocks=1, shared_experts=-1), "m: shared_experts is -1"),
        (lambda: llama("m", **SMALL, blocks=1, dense_blocks=2), "m: dense_blocks is 2; with 1 blocks, 1 is the most"),
        (lambda: llama("m", **SMALL, blocks=1, tied=1), "m: tied is 1"),
        (lambda: ae.model("vtrain-18.4b", sequence=0), "vTrain GPT 18.4B: sequence is 0; it must be a whole number"),
        (lambda: llama("m", **SMALL, blocks=1, next_tokens=10**5), "m: next_tokens is 100,000; 10,000 is the most"),
        (lambda: ae.memory("llama3-8b", ae.Strategy(tensor=64)), "32 heads can't be divided among 64 NPUs; 32 would"),
        (lambda: ae.memory("llama3-8b", ae.Strategy(context=16_384)), "8192 tokens can't be divided among 16384 NPUs"),
        (
            lambda: ae.memory("mixtral-8x7b", ae.Strategy(data=16, expert=16)),
            "8 experts can't be divided among 16 NPUs; 8 would do",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_with_its_numbers(make, says):
    with pytest.raises((ae.ConfigError, TypeError)) as raised:
        make()
    assert says in str(raised.value)


def test_a_models_layers_are_of_the_kinds_that_its_paper_names():
    kinds = {name: {type(o) for o in ae.model(name).operators} for name in ("gpt3", "llama3-8b", "deepseek-v3")}
    assert QueryKeyValue in kinds["gpt3"] & kinds["llama3-8b"] - kinds["deepseek-v3"]
    assert FlashAttention not in kinds["gpt3"]
    names = [o.name.removeprefix("block9_") for o in ae.model("deepseek-v3").operators if o.name.startswith("block9_")]
    assert names == [
        "norm1", "q_down", "q_norm", "q", "kv_down", "kv_norm", "kv", "rope", "attention", "projection", "added1",
        "norm2", "router", "dispatch", "mlp1", "swiglu", "mlp2", "combine", "shared1", "shared_swiglu", "shared2",
        "added2",
    ]  # fmt: skip
    first = [o for o in ae.model("deepseek-v3").operators if o.name.startswith("block3_") and isinstance(o, Linear)]
    assert not any(isinstance(o, Experts) for o in first)
