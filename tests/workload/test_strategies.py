"""Ways to share a model out: what is refused, in which words, and what the words propose works."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_models import gpt

import astra_edu as ae
from astra_edu.workload.strategies import stages

GPT = gpt(blocks=12, hidden=96, heads=12, sequence=24)


def refused(model, **settings):
    """The sentence that refuses it."""
    with pytest.raises(ae.ConfigError) as error:
        ae.Strategy(**settings).check(model)
    return str(error.value)


def proposed(sentence):
    """The numbers of its last 'a or b', or its only one."""
    first, second = re.findall(r"(\d+)(?: or (\d+))?[^\d]*$", sentence)[0]
    return [int(number) for number in (first, second) if number]


# A strategy by itself


def test_numbers_of_a_strategy():
    strategy = ae.Strategy(data=4, tensor=8, pipeline=2, micro_batch=2, batch=48)
    assert (strategy.npus, strategy.samples, strategy.micro_batches) == (64, 48, 6)
    assert ae.Strategy(data=4, micro_batch=3).samples == 12


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"data": 0}, "data is 0; it must be a whole number, 1 or more."),
        ({"tensor": 2.5}, "tensor is 2.5; it must be a whole number, 1 or more."),
        ({"micro_batch": -1}, "micro_batch is -1; it must be a whole number, 1 or more."),
        ({"batch": 0}, "batch is 0; it must be a whole number, 1 or more."),
        (
            {"placement": "tensor"},
            "placement is 'tensor'; did you mean 'tensor-first'? Allowed: tensor-first, data-first.",
        ),
        (
            {"pipeline_order": "1F1B"},
            "pipeline_order is '1F1B'; did you mean '1f1b'? Allowed: gpipe, 1f1b, interleaved, zb-h1, zb-v, v-half, "
            "v-min, dualpipe.",
        ),
        ({"recompute": True}, "recompute is True; Allowed: none, selective, full."),
        ({"zero": 4}, "zero is 4; ZeRO has the stages 1, 2 and 3, and 0 means without."),
        (
            {"data": 4, "micro_batch": 2, "batch": 20},
            "a batch of 20 can't be divided into micro-batches of 2 for each of 4 copies; 16 or 24 would do.",
        ),
        (
            {"data": 4, "micro_batch": 2, "batch": 5},
            "a batch of 5 can't be divided into micro-batches of 2 for each of 4 copies; 8 would do.",
        ),
        (
            {"pipeline": 4, "virtual": 2},
            "pipeline_order is '1f1b' with virtual=2; only 'interleaved' gives a stage several parts of the model, "
            "2 or more.",
        ),
        (
            {"pipeline": 4, "virtual": 2, "pipeline_order": "interleaved", "batch": 6},
            "6 micro-batches can't be interleaved on 4 stages; 4 or 8 would do.",
        ),
        (
            {"pipeline": 4, "zero": 2, "pipeline_order": "dualpipe", "batch": 8},
            "ZeRO-2 has no whole gradients to add up with the other stage's that has the same part of the model, as "
            "dualpipe does at an iteration's end; use zero=1 or 0, or another pipeline_order.",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_strategy_that_makes_no_sense_says_why(settings, sentence):
    with pytest.raises(ae.ConfigError) as error:
        ae.Strategy(**settings)
    assert str(error.value) == sentence


# A strategy and a model


@pytest.mark.parametrize(
    ("model", "settings", "sentence"),
    [
        (
            GPT,
            {"tensor": 8},
            "block1_qkv: 12 heads can't be divided among 8 NPUs; 6 or 12 would do. "
            "All of small can be divided among 6 or 12.",
        ),
        (
            "vgg16",  # filters are multiples of 64, but the last layer has 1,000 outputs
            {"tensor": 16},
            "predictions: 1000 outputs can't be divided among 16 NPUs; 10 or 20 would do. "
            "All of VGG-16 can be divided among 8.",
        ),
        (
            GPT,  # 12 heads could, but 24 tokens can't
            {"tensor": 9, "sequence_parallel": True},
            "embedded: 24 tokens can't be divided among 9 NPUs; 8 or 12 would do. "
            "All of small can be divided among 6 or 12.",
        ),
        (
            "vgg16",
            {"tensor": 2, "sequence_parallel": True},
            "VGG-16 has no blocks of tokens to share out; leave sequence_parallel out.",
        ),
        (
            "gpt3-tutorial",
            {"tensor": 2, "sequence_parallel": True},
            "GPT-3, 3 blocks (tutorial) gathers the outputs of projection, which leaves no tokens to share out; leave "
            "sequence_parallel out.",
        ),
        ("vgg16", {"recompute": "full"}, "VGG-16 has no blocks to repeat; leave recompute out."),
        (
            "vgg16",
            {"exchange_embeddings": True},
            "VGG-16 has no embedding tables to exchange; leave exchange_embeddings out.",
        ),
        ("dlrm", {"tensor": 2}, "DLRM has no operator that tensor parallelism divides; tensor can only be 1."),
        (GPT, {"pipeline": 13}, "small has 12 blocks; it can't be cut into 13 stages; 12 is the most."),
        (
            GPT,
            {"pipeline": 5},
            "small has 12 blocks, which 5 stages can't share evenly; 4 or 6 stages (virtual ones included) would do.",
        ),
        ("vgg16", {"pipeline": 37}, "VGG-16 has 36 operators; it can't be cut into 37 stages; 36 is the most."),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_strategy_that_doesnt_fit_a_model_says_why(model, settings, sentence):
    assert refused(ae.model(model) if isinstance(model, str) else model, **settings) == sentence


def test_interleaving_counts_all_parts():
    sentence = refused(GPT, pipeline=4, virtual=2, pipeline_order="interleaved", batch=4)
    assert sentence.startswith("small has 12 blocks, which 8 stages can't share evenly; 6 or 12 stages")


@given(
    heads=st.integers(1, 24),
    width=st.integers(1, 6),
    tokens=st.integers(1, 40),
    tensor=st.integers(2, 60),
    sequence=st.booleans(),
)
def test_what_is_proposed_works_and_nothing_nearer_does(heads, width, tokens, tensor, sequence):
    model = gpt(blocks=1, hidden=heads * width, heads=heads, sequence=tokens)

    def fits(n):
        tokens_fit = not sequence or tokens % n == 0
        return heads * width % n == 0 and heads % n == 0 and tokens_fit

    if fits(tensor):
        ae.Strategy(tensor=tensor, sequence_parallel=sequence).check(model)
        return
    near = proposed(refused(model, tensor=tensor, sequence_parallel=sequence))
    assert near[0] == max(n for n in range(1, tensor) if fits(n))
    assert near[1:] == [n for n in range(tensor + 1, 2 * tensor + 1) if fits(n)][:1]
    for n in near:
        ae.Strategy(tensor=n, sequence_parallel=sequence).check(model)


def test_a_group_far_too_large_is_answered_soon():
    assert proposed(refused(ae.model("gpt3"), tensor=10**6)) == [96]


@given(blocks=st.integers(1, 60), count=st.integers(1, 60))
def test_stages_are_equal_or_the_nearest_numbers_that_are(blocks, count):
    model = gpt(blocks=blocks, hidden=2, heads=1, sequence=1, vocabulary=2)
    if blocks % count == 0:
        parts = stages(model, count)
        assert [i for part in parts for i in part] == list(range(len(model.operators)))
        in_blocks = {i for block in model.blocks for i in block}
        assert {len(in_blocks & set(part)) for part in parts} == {len(in_blocks) // count}
        return
    near = [int(n) for n in re.findall(r"(\d+)(?= or| is the most\.$| stages \()", refused(model, pipeline=count))]
    fitting = [n for n in range(1, blocks + 1) if blocks % n == 0]
    assert near == (
        [blocks] if count > blocks else [max(n for n in fitting if n < count), min(n for n in fitting if n > count)]
    )


@pytest.mark.parametrize("name", ["vgg16", "resnet50", "gnmt", "dlrm"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_model_without_blocks_is_cut_into_parts_of_alike_work(name, count):
    model = ae.model(name)
    parts = stages(model, count)
    assert [i for part in parts for i in part] == list(range(len(model.operators)))
    flops = [operator.forward(1).flops for operator in model.operators]
    work = [sum(flops[i] for i in part) for part in parts]
    assert max(abs(share - sum(flops) / count) for share in work) <= max(flops)


# What an NPU has of an operator


@pytest.mark.parametrize("sequence", [False, True])
@pytest.mark.parametrize("tensor", [2, 4, 12])
def test_the_parts_of_a_group_have_all_parameters_and_all_products(tensor, sequence):
    strategy = ae.Strategy(tensor=tensor, sequence_parallel=sequence)
    for operator in GPT.operators:
        part = strategy.part(operator)
        if operator.name.endswith(("_qkv", "_scores", "_context", "_projection", "_mlp1", "_mlp2")):
            assert tensor * sum(g.flops for g in part.forward(3).gemms) == sum(
                g.flops for g in operator.forward(3).gemms
            )
        if operator.name.endswith(("_qkv", "_mlp1")):
            assert tensor * part.parameters == operator.parameters
        elif operator.name.endswith(("_projection", "_mlp2")):  # each has the whole bias
            assert tensor * (part.parameters - part.outputs) == operator.parameters - operator.outputs
        elif "norm" in operator.name:
            assert part.parameters == operator.parameters
            assert part.forward(1).elements * (tensor if sequence else 1) == operator.forward(1).elements
