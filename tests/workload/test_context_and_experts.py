"""Tokens shared out by a context group, and experts by an expert group: counted by hand, and by NumPy."""

from math import prod

import numpy as np
import pytest

import astra_edu as ae
from astra_edu.explore.iteration import groups
from astra_edu.workload.compute import Combine, Context, Dispatch, Experts, Linear, Scores
from astra_edu.workload.strategies.tables import sent_by_content

HIDDEN, HEADS, BLOCKS, TOKENS, WORDS, BYTES = 256, 8, 4, 64, 512, 2
SHAPE = {"hidden": HIDDEN, "heads": HEADS, "blocks": BLOCKS, "sequence": TOKENS, "vocabulary": WORDS}
GPT = ae.transformer("small", **SHAPE)


def mixture(experts=8, top_k=2):
    return ae.transformer("mixture", **SHAPE, experts=experts, top_k=top_k)


def of_group(model, strategy, group):
    return [one for one in ae.communications(model, strategy) if one.group == group]


def pods(npus, links=300.0):
    return ae.Platform((ae.Dimension.of("Switch", npus, links, 700),), ae.SystemConfig.of("halvingDoubling"))


# Tokens


def test_attention_over_tokens_of_several_npus_needs_all_keys_and_values_and_sums_of_their_gradients():
    """Queries of 16 tokens on each of 4 NPUs: what is gathered and reduce-scattered makes the whole of it."""
    rng = np.random.default_rng(7)
    q, k, v, out = (rng.standard_normal((TOKENS, 16)) for _ in range(4))

    def attend(q, k, v, out):
        scores = q @ k.T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        of_weights = out @ v.T
        of_scores = weights * (of_weights - (weights * of_weights).sum(axis=1, keepdims=True))
        return weights @ v, of_scores @ k, of_scores.T @ q, weights.T @ out

    whole = attend(q, k, v, out)
    parts = [attend(own, k, v, his) for own, his in zip(np.split(q, 4), np.split(out, 4), strict=True)]
    gives, of_q, of_k, of_v = zip(*parts, strict=True)
    np.testing.assert_allclose(np.concatenate(gives), whole[0])
    np.testing.assert_allclose(np.concatenate(of_q), whole[1])
    np.testing.assert_allclose(sum(of_k), whole[2])  # every NPU has a term for every token: reduce-scatter
    np.testing.assert_allclose(sum(of_v), whole[3])


@pytest.mark.parametrize("tensor", [1, 2, 4])
@pytest.mark.parametrize("context", [2, 4, 8])
def test_a_context_group_gathers_keys_and_values_twice_and_scatters_their_gradients(context, tensor):
    cut = ae.Strategy(context=context, tensor=tensor, batch=6, micro_batch=2)
    found = of_group(GPT, cut, "context")
    assert [(one.phase, str(one.collective)) for one in found[:3]] == [
        ("forward", "all-gather"),
        ("input gradient", "all-gather"),
        ("input gradient", "reduce-scatter"),
    ]
    assert len(found) == 3 * BLOCKS
    assert {(one.npus, one.times, one.blocking) for one in found} == {(context, 3, True)}
    keys_and_values = 2 * 2 * TOKENS * HIDDEN // tensor * BYTES  # of a micro-batch of 2
    sent = 3 * 3 * BLOCKS * keys_and_values * (context - 1) / context
    assert sum(one.sent_bytes for one in found) == pytest.approx(sent)
    by_content = sent_by_content(GPT, cut)
    assert (
        by_content["keys and values"] == 2 * by_content["gradients of keys and values"] == pytest.approx(sent * 2 / 3)
    )


def test_full_recomputation_gathers_keys_and_values_once_more():
    plain, again = (
        sum(one.times for one in of_group(GPT, ae.Strategy(context=2, recompute=how), "context"))
        for how in ("none", "full")
    )
    assert (plain, again) == (3 * BLOCKS, 4 * BLOCKS)


@pytest.mark.parametrize("context", [2, 4])
def test_all_npus_of_a_context_group_together_compute_what_one_does(context):
    cut = ae.Strategy(context=context)
    for operator in mixture().operators:
        part = cut.part(operator)
        for phase in ("forward", "input_gradient", "weight_gradient"):
            whole, own = (getattr(each, phase)(batch=4).flops for each in (operator, part))
            assert context * own == whole, (operator.name, phase)
        assert part.parameters == operator.parameters
        if not isinstance(operator, Scores | Context):
            assert context * part.kept_bytes(4) == operator.kept_bytes(4), operator.name
        assert context * prod(part.gives) == prod(operator.gives) or operator.name == "loss"


def test_queries_of_some_tokens_look_at_the_keys_of_all():
    whole = Scores(name="scores", tokens=64, heads=4, width=16)
    part = whole.tokens_part(4)
    assert (part.tokens, part.keys, part.gives) == (16, 64, (16, 4 * 64))
    assert part.forward(batch=1).gemms == (ae.Gemm(16, 64, 16, 4),)
    assert part.part(2).gives == (16, 2 * 64)
    assert Scores(name="scores", tokens=64, heads=4, width=16, causal=True).tokens_part(4).seen == 32


def test_other_activations_are_those_of_its_tokens_and_gradients_those_of_as_many_copies():
    cut, copies = ae.Strategy(context=4, data=2, tensor=2), ae.Strategy(data=8, tensor=2)
    for group, times in (("tensor", 4), ("data", 1)):
        ours, theirs = of_group(GPT, cut, group), of_group(GPT, copies, group)
        assert [times * one.size for one in ours] == [one.size for one in theirs]
        assert {one.npus for one in ours} == {one.npus for one in theirs}
    stages = ae.Strategy(context=4, pipeline=2, batch=2)
    assert {4 * one.size for one in of_group(GPT, stages, "pipeline")} == {TOKENS * HIDDEN * BYTES}


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_a_context_group_keeps_the_state_of_as_many_copies_and_a_share_of_the_activations(zero):
    cut, copies = (ae.memory(GPT, ae.Strategy(**kinds, zero=zero)) for kinds in ({"context": 4}, {"data": 4}))
    assert cut.state == copies.state
    assert cut.activations == copies.activations / 4


# Experts


@pytest.mark.parametrize(("experts", "top_k"), [(2, 1), (8, 2), (16, 16)])
def test_a_mixture_has_the_parameters_of_all_experts_and_the_work_of_top_k(experts, top_k):
    model, block = mixture(experts, top_k), 8 * HIDDEN**2 + 5 * HIDDEN
    router = HIDDEN * experts
    assert model.parameters == GPT.parameters + BLOCKS * ((experts - 1) * block + router)
    work = {
        part: sum(each.forward(3).flops for each in of.operators if isinstance(each, Linear) and "mlp" in each.name)
        for part, of in (("one", GPT), ("several", model))
    }
    assert work["several"] == top_k * work["one"]
    assert ae.transformer("one", **SHAPE, experts=1).parameters == GPT.parameters


@pytest.mark.parametrize("name", ["gpt2", "bert-large", "gpt3"])
def test_any_transformer_can_have_experts(name):
    plain = ae.model(name)
    mixed = ae.with_experts(plain, 4, top_k=1)
    hidden, tokens = next((each.inputs, each.tokens) for each in plain.operators if each.name == "block1_mlp1")
    more = 3 * (8 * hidden**2 + 5 * hidden) + 4 * hidden  # three more pairs, and the router
    assert mixed.parameters == plain.parameters + len(plain.blocks) * more
    kept = {each.name: each for each in mixed.operators}
    changed = ("mlp1", "gelu", "mlp2", "added2")
    assert all(kept[each.name] == each for each in plain.operators if not each.name.endswith(changed))
    assert [each.name for each in plain.operators if each.name not in kept] == []
    assert len({len(block) for block in mixed.blocks}) == 1
    assert kept["block1_mlp1"].tokens == tokens
    by_hand = ae.transformer("mixture", **SHAPE, experts=8, top_k=2)
    assert ae.with_experts(GPT, 8).operators == by_hand.operators
    with pytest.raises(ae.ConfigError, match="no pair of linear layers"):
        ae.with_experts(mixed, 4)
    with pytest.raises(ae.ConfigError, match="top_k is at most 4"):
        ae.with_experts(plain, 4, top_k=5)


def test_a_model_without_blocks_has_no_place_for_experts():
    with pytest.raises(ae.ConfigError, match="no pair of linear layers in each block"):
        ae.with_experts(ae.model("vgg16"), 4)


@pytest.mark.parametrize("experts", [2, 4, 8])
def test_each_token_goes_to_its_experts_and_back_in_both_passes(experts):
    cut = ae.Strategy(data=8, expert=experts, batch=16)
    found = of_group(mixture(), cut, "expert")
    assert {(str(one.collective), one.npus, one.times, one.blocking) for one in found} == {
        ("all-to-all", experts, 2, True)
    }
    assert len(found) == 4 * BLOCKS
    assert {one.size for one in found} == {2 * TOKENS * HIDDEN * BYTES}
    assert not of_group(mixture(), ae.Strategy(data=8, batch=16), "expert")


@pytest.mark.parametrize("experts", [1, 2, 8])
def test_npus_with_the_same_experts_add_up_their_gradients(experts):
    cut = ae.Strategy(data=8, expert=experts)
    sizes = {one.operator: one for one in ae.communications(mixture(), cut) if one.content == "weight gradients"}
    of_experts = [one for name, one in sizes.items() if "mlp" in name]
    assert len(of_experts) == (2 * BLOCKS if experts < 8 else 0)
    for one in of_experts:
        assert one.npus == 8 // experts
        assert one.size == (4 * HIDDEN + 1) * HIDDEN * 8 // experts * BYTES or one.operator.endswith("mlp1")
    assert {one.npus for name, one in sizes.items() if "mlp" not in name} == {8}


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_zero_shares_experts_out_among_those_that_have_the_same(zero):
    model = mixture()
    of_experts = sum(each.parameters for each in model.operators if isinstance(each, Experts))
    cut = ae.Strategy(data=8, expert=4, zero=zero)
    kept, others = ae.memory(model, cut), model.parameters - of_experts
    shared = others / 8 + of_experts / 4 / 2
    whole = others + of_experts / 4
    assert kept.parameters == 2 * (shared if zero == 3 else whole)
    assert kept.gradients == 2 * (shared if zero >= 2 else whole)
    assert kept.optimiser == 12 * (shared if zero >= 1 else whole)


def test_with_sequence_parallelism_every_npu_keeps_the_tokens_that_its_experts_got():
    """They come from all NPUs of the expert group, so a tensor group doesn't keep them together."""
    plain, together = (
        ae.memory(mixture(), ae.Strategy(tensor=2, data=4, expert=4, sequence_parallel=sequence)).activations
        for sequence in (False, True)
    )
    halved = (
        BYTES * (2 * BLOCKS + 1) + (2 * BLOCKS + 1) + BYTES * (BLOCKS + 1)
    )  # normalisations; masks; attentions, scores
    assert plain - together == halved * TOKENS * HIDDEN / 2


def test_an_npu_with_fewer_experts_computes_as_much_for_more_tokens_each():
    up = mixture().operators[[each.name for each in mixture().operators].index("block1_mlp1")]
    part = ae.Strategy(data=4, expert=4).part(up)
    assert (up.experts, part.experts) == (8, 2)
    assert part.product(1).m == 4 * up.product(1).m == 64
    assert part.forward(1).flops == up.forward(1).flops
    few = Experts(name="few", inputs=4, outputs=4, tokens=3, experts=8)
    assert (few.product(1).m, few.product(1).count) == (1, 3)  # five experts have no token


def test_partial_sums_of_experts_are_added_up_once_they_are_combined():
    """A combination is a weighted sum, and a sum of weighted sums is the weighted sum of sums."""
    found = of_group(mixture(), ae.Strategy(tensor=2, data=4, expert=4), "tensor")
    block = [(one.operator[7:], one.phase) for one in found if one.operator.startswith("block2")]
    assert block == [
        ("qkv", "input gradient"),
        ("projection", "forward"),
        ("dispatch", "input gradient"),
        ("combine", "forward"),
    ]
    assert {one.size for one in found if "block" in one.operator} == {TOKENS * HIDDEN * BYTES}


# Both, with the rest


def test_neighbours_share_tokens_and_experts():
    cut = ae.Strategy(tensor=2, context=2, data=8, expert=8, pipeline=2, batch=8)
    network = [ae.Dimension.of("Ring", npus, 50, 500) for npus in (4, 4, 4)]
    platform = ae.Platform(network, ae.SystemConfig.of("ring_ring_ring"))
    found = {name: [each.npus for each in part.network] for name, part in groups(platform, cut).items()}
    assert found == {
        "tensor": [2],
        "data": [2, 4, 2],
        "context": [2],
        "expert": [2, 4],
        "expert data": [2],
        "pipeline": [2],
    }


def test_an_iteration_says_what_it_waits_for_each_group():
    cut = ae.Strategy(tensor=2, context=2, data=4, expert=8, micro_batch=512)
    found = ae.estimate(mixture(), cut, "a100", pods(16))
    assert list(found.split) == [
        "compute", "repeated", "tensor group", "context group", "expert group", "waiting", "exchange", "update",
    ]  # fmt: skip
    assert sum(found.split.values()) == found.total_ns
    for group, ns in (("context", found.context_ns), ("expert", found.expert_ns), ("tensor", found.tensor_ns)):
        took = [
            one.times * ae.simulate(ae.Workload.micro(one.collective, one.size, 0), pods(one.npus)).total_ns
            for one in of_group(mixture(), cut, group)
        ]
        assert ns == sum(took) > 0
    assert found.at_least.expert_ns > found.expert_ns  # messages of an all-to-all share a switch's links
    assert found.bound_ns == found.at_least.total_ns > found.total_ns
    assert "context 2 × tensor 2" in repr(found)


def test_the_optimiser_updates_what_an_npu_has_of_the_experts():
    dense, shared = (
        ae.estimate(mixture(), ae.Strategy(data=8, expert=experts), "a100", pods(8)).update_ns for experts in (1, 8)
    )
    of_experts = sum(each.parameters for each in mixture().operators if isinstance(each, Experts))
    left = mixture().parameters - of_experts * 7 / 8
    assert shared / dense == pytest.approx(left / mixture().parameters, rel=1e-3)
    one, both = (
        ae.estimate(mixture(), ae.Strategy(data=8, expert=8, zero=zero), "a100", pods(8)).update_ns for zero in (0, 1)
    )
    kept = of_experts / 8 + (mixture().parameters - of_experts) / 8
    assert both / one == pytest.approx(kept / left, rel=2e-3)


@pytest.mark.parametrize(
    ("strategy", "model", "words"),
    [
        ({"data": 4, "expert": 3}, None, "can't be shared out among 3 of data × context = 4 NPUs; 2 or 4 would do"),
        ({"context": 3}, GPT, "64 tokens can't be divided among 3 NPUs; 2 or 4 would do"),
        ({"context": 2}, "vgg16", "has no blocks of tokens to share out; leave context out"),
        ({"data": 2, "expert": 2}, GPT, "has no experts to share out; leave expert out"),
        ({"data": 16, "expert": 16}, mixture(), "8 experts can't be divided among 16 NPUs; 8 would do"),
        ({"context": 2, "exchange_embeddings": True}, None, "no tokens to share out; leave context out"),
        ({"context": 0}, None, "context"),
    ],
)
def test_what_cannot_be_says_what_could(strategy, model, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.memory(model or GPT, ae.Strategy(**strategy))


def test_a_token_goes_to_no_more_experts_than_there_are():
    with pytest.raises(ae.ConfigError, match="can't go to 3 of 2 experts; top_k is at most 2"):
        mixture(experts=2, top_k=3)


@pytest.mark.parametrize("cut", [ae.Strategy(context=2), ae.Strategy(data=2, expert=2)])
def test_traces_and_files_of_1_0_have_a_collective_for_each_communication(cut):
    model = mixture()
    table = sorted((str(one.collective), one.size) for one in ae.communications(model, cut))
    nodes = ae.traces.from_strategy(model, cut, "a100").nodes[0]
    assert len([node for node in nodes if node.type.name == "COMM_COLL_NODE"]) == len(table)
    layers = ae.generate_workload(model, cut, "a100").layers
    works = [work for layer in layers for work in (layer.forward, layer.input_gradient, layer.weight_gradient)]
    assert sorted((str(work.collective), work.size) for work in works if work.collective) == table


def test_without_groups_a_mixture_is_a_workload_like_others():
    layers = ae.generate_workload(mixture(), ae.Strategy(tensor=2), "a100").layers
    sends = {layer.name: layer.forward.collective for layer in layers if layer.name.startswith("block1_")}
    assert [name for name, collective in sends.items() if collective] == ["block1_projection", "block1_combine"]
    assert sends["block1_mlp1"] is None


def test_routing_reads_and_writes_each_token_as_often_as_it_goes_somewhere():
    dispatch = Dispatch(name="dispatch", tokens=8, width=4, top_k=2)
    assert (dispatch.takes, dispatch.gives) == ((8, 4), (16, 4))
    assert dispatch.forward(3).elements == 3 * (8 + 16) * 4
    combine = Combine(name="combine", tokens=8, width=4, top_k=2)
    assert (combine.takes, combine.gives) == ((16, 4), (8, 4))
    assert (combine.forward(1).flops, combine.kept_bytes(1)) == (2 * 16 * 4, 16 * 4 * BYTES)
