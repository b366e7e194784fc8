"""Models: parameters as published, operations and activations by closed forms, and shapes that don't chain."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute import Convolution, Elementwise, Embedding, Experts, Linear, Lstm, Split
from astra_edu.workload.models import INPUT
from astra_edu.workload.models.history import HISTORY, training_flops
from astra_edu.workload.models.recommendation import TABLES

PUBLISHED = {
    "vgg16": 138_357_544,
    "resnet50": 25_557_032,
    "gnmt": 160_671_297,
    "bert-large": 335_141_888,
    "gpt2": 1_557_611_200,
}
ROUNDED = {
    "dlrm": 24e9,
    "megatron-8.3b": 8.3e9,
    "turing-nlg": 17.2e9,
    "22b": 22e9,
    "gpt3": 174.6e9,
    "mt-nlg-530b": 530e9,
    "transformer-1t": 1008e9,
}

SHAPES = {  # hidden features, heads, blocks, tokens, words
    "gpt2": (1600, 25, 48, 1024, 50_257),
    "megatron-8.3b": (3072, 32, 72, 1024, 51_200),
    "turing-nlg": (4256, 28, 78, 1024, 50_257),
    "22b": (6144, 64, 48, 2048, 51_200),
    "gpt3": (12_288, 96, 96, 2048, 50_257),
    "mt-nlg-530b": (20_480, 128, 105, 2048, 51_200),
    "transformer-1t": (25_600, 160, 128, 2048, 51_200),
}

MEASURED = {  # arXiv 2205.05198, tables 3 and 5: samples, A100s, seconds, model FLOPs utilisation (%)
    "22b": (4, 8, 1.10, 41.5),
    "gpt3": (64, 64, 13.75, 51.4),
    "mt-nlg-530b": (280, 280, 37.83, 56.0),
    "transformer-1t": (512, 512, 71.49, 56.3),
}


def product_flops(model, batch=1):
    """Operations of matrix products alone, in all three phases."""
    phases = (phase for o in model.operators for phase in (o.forward, o.input_gradient, o.weight_gradient))
    return sum(gemm.flops for phase in phases for gemm in phase(batch).gemms)


def small(blocks=1, **sizes):
    return ae.transformer(
        "small", **({"hidden": 8, "heads": 2, "sequence": 4, "vocabulary": 16} | sizes), blocks=blocks
    )


# ---- parameters ----


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_the_published_ones(name):
    model = ae.model(name)
    assert model.parameters == model.published == PUBLISHED[name]
    assert model.exact


@pytest.mark.parametrize("name", ROUNDED)
def test_parameters_are_the_published_ones_within_half_a_percent(name):
    model = ae.model(name)
    assert model.parameters == pytest.approx(ROUNDED[name], rel=0.005)
    assert model.published == ROUNDED[name]
    assert not model.exact


def test_every_model_has_a_source_and_a_date():
    assert list(ae.MODELS)[:13] == [name for name in ae.MODELS if name in {*PUBLISHED, *ROUNDED, "gpt3-tutorial"}]
    assert set(HISTORY) == {*PUBLISHED, *ROUNDED}
    for name in ae.MODELS:
        model = ae.model(name)
        assert model.source
        assert ("unverified" in model.source) == (name in ("internlm-7b", "gpt3-mlperf", "nemotron3-nano"))
        assert not model.exact or model.parameters == model.published
    assert ae.model("gpt3-tutorial").published is None


def test_gnmts_parameters_tensor_by_tensor():
    """The shapes in NVIDIA Apex's tests: four gates of 1,024 are 4,096."""
    layers = [1024, 1024, 2048, 1024, 1024, 1024, 2048, 2048, 2048]  # inputs of each layer, to and fro for the first
    shapes = [(4096, inputs) for inputs in layers] + [(4096, 1024)] * 9 + [(4096, 2)] * 9
    shapes += [(32_320, 1024)] * 2 + [(32_320, 1)]  # words, their scores, and a bias
    shapes += [(1024, 1024)] * 2 + [(1024, 2), (1, 1)]  # attention
    assert sum(rows * columns for rows, columns in shapes) == PUBLISHED["gnmt"]
    lstms = [operator for operator in ae.model("gnmt").operators if isinstance(operator, Lstm)]
    assert [layer.inputs for layer in lstms] == [1024, 1024, 2048, 1024, 1024, 1024, 2048, 2048, 2048]


def test_dlrms_checkpoint_of_90_gib():
    """mlcommons/inference says 90GB, as du rounds it up; tables are nearly all of it."""
    dlrm = ae.model("dlrm")
    assert len(TABLES) == 26
    assert 89 < dlrm.parameters * 4 / 2**30 <= 90
    tables = next(o for o in dlrm.operators if isinstance(o, Embedding))
    assert tables.parameters / dlrm.parameters > 0.9999
    linear = [(o.inputs, o.outputs) for o in dlrm.operators if isinstance(o, Linear)]
    assert linear == [
        *((13, 512), (512, 256), (256, 128)),
        *((479, 1024), (1024, 1024), (1024, 512), (512, 256), (256, 1)),
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_a_transformers_parameters_by_hand(name):
    """12 h² weights and 13 h biases, gains and shifts in a block; words, positions and the last normalisation."""
    h, _, blocks, tokens, words = SHAPES[name]
    assert ae.model(name).parameters == blocks * (12 * h * h + 13 * h) + (words + tokens + 2) * h


# ---- operations ----


def test_multiplications_of_a_forward_pass_are_torchvisions():
    for name, billions in (("vgg16", 15.47), ("resnet50", 4.089)):
        forward = sum(gemm.flops for o in ae.model(name).operators for gemm in o.forward(1).gemms)
        assert forward / 2 / 1e9 == pytest.approx(billions, abs=0.005)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_transformers_products_by_the_closed_form(name, batch):
    """72 B s l h² (1 + s/6h + V/12lh), exactly: 24 h² + 4 s h a token and block forwards, thrice; 6 h V for words."""
    h, _, blocks, s, words = SHAPES[name]
    by_hand = 72 * batch * s * blocks * h * h + 12 * batch * s * s * blocks * h + 6 * batch * s * h * words
    assert product_flops(ae.model(name), batch) == by_hand
    assert by_hand == pytest.approx(72 * batch * s * blocks * h * h * (1 + s / 6 / h + words / 12 / blocks / h))


def test_kernels_are_a_small_part_of_a_large_models_operations():
    for name in ("gpt3", "transformer-1t"):
        model = ae.model(name)
        assert product_flops(model) < model.flops() < 1.005 * product_flops(model)


def test_six_operations_for_each_parameter_and_token():
    """The rule of thumb leaves out attention's products (more) and the tables that are only read (less)."""
    for name in SHAPES:
        model, (*_, tokens, _) = ae.model(name), SHAPES[name]
        assert model.flops() / (6 * model.parameters * tokens) == pytest.approx(1, abs=0.11)
    dlrm = ae.model("dlrm")
    assert dlrm.flops() / (6 * dlrm.parameters) < 1e-3


@pytest.mark.parametrize("name", MEASURED)
def test_utilisation_as_the_paper_counts_it(name):
    samples, npus, seconds, percent = MEASURED[name]
    used = product_flops(ae.model(name), samples) / (npus * 312e12 * seconds)
    assert 100 * used == pytest.approx(percent, abs=0.3)  # the seconds are rounded to 1 % of the first row


def test_operations_grow_with_the_batch():
    for name in ae.MODELS:
        model = ae.model(name)
        assert model.flops(1) == model.flops()
        even = 0.005 if any(isinstance(each, Experts) for each in model.operators) else 0  # the fullest expert counts
        assert model.flops(8) == pytest.approx(8 * model.flops(), rel=even, abs=0)


# ---- history ----


def test_training_as_published():
    """GPT-3's and BERT's operations beside table D.1 of arXiv 2005.14165, which has 6 for each parameter and token."""
    compared = {name: training_flops(name) / h.flops for name, h in HISTORY.items() if h.flops}
    assert compared == pytest.approx({"gpt3": 1.029, "bert-large": 0.926}, abs=0.001)
    assert training_flops("gnmt") is None


def test_days_of_training_as_published():
    """arXiv 2104.04473, section 5.1: 34 and 84 days at 140 and 163 · 10^12 a second; it computes forwards twice."""
    for name, npus, per_s, days in (("gpt3", 1024, 140e12, 34), ("transformer-1t", 3072, 163e12, 84)):
        model, samples = ae.model(name), HISTORY[name].samples
        twice = sum(model.operators[i].forward(1).flops for block in model.blocks for i in block)
        seconds = samples * (model.flops(1) + twice) / (npus * per_s)
        assert seconds / 86_400 == pytest.approx(days, rel=0.04)


def test_epochs_of_imagenet():
    """VGG's paper says 74 epochs for 370,000 iterations; ImageNet has 1,281,167 images."""
    assert HISTORY["vgg16"].samples / 1_281_167 == pytest.approx(74, abs=0.1)
    assert HISTORY["resnet50"].samples / 1_281_167 == pytest.approx(120, abs=0.2)


def test_history_begins_with_the_first():
    dates = [published.date for published in HISTORY.values()]
    assert dates == sorted(dates)
    assert HISTORY["vgg16"].date == pytest.approx(2014 + 8 / 12)
    assert all(published.source for published in HISTORY.values())


# ---- activations ----


@given(st.integers(1, 4), st.sampled_from([1, 2, 4]), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_a_block_keeps_sbh_times_34_and_5_as_over_h(width, heads, tokens_of_four, batch, blocks):
    """arXiv 2205.05198, table 2; and its shares by t NPUs, with sequence parallelism, and recomputing."""
    a, h, s, b = 4 * heads, 4 * heads * 4 * width, 4 * tokens_of_four, batch
    model = small(blocks, hidden=h, heads=a, sequence=s, vocabulary=32)
    operators = [model.operators[i] for i in model.blocks[0]]

    def kept(t, part="part", selective=False):
        parts = [getattr(operator, part)(t) for operator in operators]
        recomputed = sum(o.recomputable_bytes(b) for o in parts) if selective else 0
        return sum(o.kept_bytes(b) for o in parts) - recomputed

    assert kept(1) == s * b * h * (34 + 5 * a * s / h) == 34 * s * b * h + 5 * a * s * s * b
    assert kept(1, selective=True) == 34 * s * b * h
    for t in (2, 4):
        assert kept(t) == s * b * h * (10 + 24 / t + 5 * a * s / (h * t))
        assert kept(t, selective=True) == s * b * h * (10 + 24 / t)
        # The inputs of two linear layers are gathered when they are needed: 4 sbh that a t-th is kept of.
        gathered = s * b * h * (4 - 4 / t)
        assert kept(t, "sequence_part") - gathered == s * b * h / t * (34 + 5 * a * s / h)
        assert kept(t, "sequence_part", selective=True) - gathered == s * b * h / t * 34


@pytest.mark.parametrize("t", [1, 2, 4])
@pytest.mark.parametrize("b", [1, 3])
def test_each_further_block_is_kept_by_its_npu(t, b):
    """The same by ae.memory: what a model of three blocks keeps beyond one of two."""
    a, h, s = 8, 64, 12

    def block(**choices):
        strategy = ae.Strategy(tensor=t, micro_batch=b, **choices)
        of = [ae.memory(small(n, hidden=h, heads=a, sequence=s), strategy).activations for n in (2, 3)]
        return of[1] - of[0]

    sbh = s * b * h
    assert block() == pytest.approx(sbh * (10 + 24 / t + 5 * a * s / (h * t)))
    assert block(recompute="selective") == pytest.approx(sbh * (10 + 24 / t))
    assert block(recompute="full") == pytest.approx(2 * sbh)
    assert block(sequence_parallel=True) == pytest.approx(sbh / t * (34 + 5 * a * s / h))
    assert block(sequence_parallel=True, recompute="selective") == pytest.approx(34 * sbh / t)


def test_the_savings_in_the_paper():
    """Section 5: selective recomputation saves 70 % of GPT-3's activations and 65 % of MT-NLG's."""
    for name, saved in (("gpt3", 0.70), ("mt-nlg-530b", 0.65)):
        model = ae.model(name)
        block = [model.operators[i] for i in model.blocks[0]]
        recomputed, kept = (sum(getattr(o, what)(1) for o in block) for what in ("recomputable_bytes", "kept_bytes"))
        assert recomputed / kept == pytest.approx(saved, abs=0.005)


# ---- how they are made ----


def test_blocks_are_alike_and_are_nearly_all():
    for name, (_, _, blocks, *_) in SHAPES.items():
        model = ae.model(name)
        assert len(model.blocks) == blocks
        assert len({block.stop - block.start for block in model.blocks}) == 1
        assert [block.start for block in model.blocks][1:] == [block.stop for block in model.blocks][:-1]
        outside = set(range(len(model.operators))) - {i for block in model.blocks for i in block}
        names = ["words", "positions", "embedded", "last_norm", "scores", "loss"]
        assert [model.operators[i].name for i in sorted(outside)] == names


def test_bert_has_24_blocks_between_its_embeddings_and_its_pooler():
    bert = ae.model("bert-large")
    assert len(bert.blocks) == 24
    assert [i for block in bert.blocks for i in block] == list(range(5, len(bert.operators) - 1))
    assert [o.name for o in bert.operators[:5]] == ["words", "positions", "segments", "embedded", "embedded_norm"]
    assert bert.operators[-1].name == "pooler"
    assert bert.trunk == bert.blocks


def test_layers_of_the_vision_models():
    kinds = {name: Counter(type(o).__name__ for o in ae.model(name).operators) for name in ("vgg16", "resnet50")}
    assert (kinds["vgg16"]["Convolution"], kinds["vgg16"]["Linear"]) == (13, 3)
    assert (kinds["resnet50"]["Convolution"], kinds["resnet50"]["Linear"]) == (53, 1)
    assert kinds["resnet50"]["Normalisation"] == 53
    relus = {name: sum(o.name.endswith("_relu") for o in ae.model(name).operators) for name in kinds}
    assert relus == {"vgg16": 13 + 2, "resnet50": 1 + 16 * 3}
    vgg = ae.model("vgg16")
    assert [list(part) for part in vgg.trunk] == [[i] for i in range(len(vgg.operators))]  # no blocks: each by itself


def test_feedforward_can_be_given():
    assert small().operators == small(feedforward=32).operators
    assert small(feedforward=24).parameters == small().parameters - 8 * (2 * 8 + 1)


def test_a_model_says_what_it_is():
    assert repr(ae.model("vgg16")) == "<VGG-16: 36 operators, 138,357,544 parameters>"
    assert ae.model("vgg16") is ae.model("vgg16")


def test_side_by_side_and_added_up():
    left, right = (Linear(name=name, inputs=3, outputs=4, after=(INPUT,)) for name in ("left", "right"))
    beside = Linear(name="beside", inputs=8, outputs=1, after=("left", "right"))
    added = Elementwise(name="added", shape=(1, 4), inputs=2, after=("left", "right"))
    assert ae.Model("m", (left, right, beside)).parameters == 2 * 16 + 9
    assert ae.Model("m", (left, right, added)).parameters == 2 * 16


# ---- sentences for people ----


def chain(*operators):
    return lambda: ae.Model("net", operators)


CONV = Convolution(name="conv", channels=3, height=8, width=8, filters=4, kernel=3)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            chain(CONV, Linear(name="fc", inputs=100, outputs=10)),
            "net: fc takes 1 × 100, but conv gives 4 × 8 × 8; its inputs would have to be 256.",
        ),
        (
            chain(CONV, Convolution(name="next", channels=3, height=8, width=8, filters=4, kernel=3)),
            "net: next takes 3 × 8 × 8, but conv gives 4 × 8 × 8; it would have to take 4 × 8 × 8, or the one before "
            "it to give 3 × 8 × 8.",
        ),
        (
            chain(CONV, Convolution(name="next", channels=8, height=4, width=8, filters=4, kernel=3)),
            "net: next takes 8 × 4 × 8, but conv gives 4 × 8 × 8; it would",  # as many numbers, in another shape
        ),
        (
            chain(CONV, Linear(name="fc", inputs=64, outputs=10, tokens=5)),
            "net: fc takes 5 × 64, but conv gives 4 × 8 × 8; it would have to take 256 elements instead of 320.",
        ),
        (
            chain(
                Linear(name="a", inputs=3, outputs=4, after=(INPUT,)),
                Linear(name="b", inputs=3, outputs=5, after=(INPUT,)),
                Elementwise(name="sum", shape=(1, 4), inputs=2, after=("a", "b")),
            ),
            "net: sum takes 1 × 4, but is given 1 × 4 from a, 1 × 5 from b; each must have that shape to be added up, "
            "or all together its 4 elements to stand side by side.",
        ),
        (chain(), "net has no operators; a model needs one or more."),
        (chain(CONV, CONV), "net: an operator is called 'conv'; names are words, used once each."),
        (
            chain(Linear(name="two words", inputs=3, outputs=4)),
            "net: an operator is called 'two words'; names are words, used once each.",
        ),
        (
            chain(CONV, Linear(name="fc", inputs=256, outputs=10, after=("cov",))),
            "net: fc comes after 'cov', which is no operator before it; did you mean 'conv'?",
        ),
        (lambda: small(hidden=10, heads=4), "block1: 10 features can't be divided among 4 heads; 2 or 5 would do."),
        (lambda: small(blocks=0), "small: blocks is 0; it must be a whole number, 1 or more."),
        (lambda: small(vocabulary=0), "small: vocabulary is 0; it must be a whole number, 1 or more."),
        (lambda: small(hidden=None), "small: hidden is None; it must be a number."),
        (lambda: small(feedforward=0), "small: feedforward is 0; it must be a whole number, 1 or more."),
        (lambda: ae.model("gpt-3"), "model is 'gpt-3'; did you mean 'gpt3'? Allowed: vgg16, resnet50, gnmt, dlrm,"),
    ],
)
def test_what_is_wrong_is_said_with_its_numbers(make, sentence):
    with pytest.raises(ConfigError) as error:
        make()
    assert sentence in str(error.value)


def test_a_tensor_parallel_lstm_is_shared_out_and_not_only_gathered():
    strategy = ae.Strategy(tensor=4)
    gnmt = ae.model("gnmt")
    parts = [strategy.part(operator) for operator in gnmt.operators]
    gathered = [(o, p) for o, p in zip(gnmt.operators, parts, strict=True) if o.split is Split.GATHERED]
    assert len(gathered) == 9 + 3  # layers; queries, keys and the words' scores
    assert all(part.parameters * 4 == operator.parameters for operator, part in gathered)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ae.Model("m", 5), "operators are 5"),
        (lambda: ae.Model("m", (1, 2)), "give operators such as Linear"),
        (lambda: ae.Model("m", ae.model("vgg16").operators, blocks=5), "blocks are 5"),
        (lambda: ae.Model("m", ae.model("vgg16").operators[:1], blocks=(range(9),)), "its 1 operators' indices"),
        (lambda: ae.transformer("m", hidden=8, heads=10**9, blocks=1, sequence=4, vocabulary=9), "8 would do"),
        (lambda: ae.transformer("m", hidden=8, heads=2, blocks=10**8, sequence=4, vocabulary=9), "10,000 is the most"),
    ],
)
def test_what_is_no_model_is_told_so(make, says):
    with pytest.raises(ae.ConfigError) as raised:
        make()
    assert says in str(raised.value)


def test_whole_numbers_may_be_floats():
    model = ae.transformer("m", hidden=8.0, heads=2, blocks=2.0, sequence=4, vocabulary=9)
    assert model.parameters == ae.transformer("m", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=9).parameters
