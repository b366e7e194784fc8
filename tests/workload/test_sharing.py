"""What rings, hybrid sharding, kept parameters and hidden collectives send and keep: by hand, and by NumPy."""

from dataclasses import replace

import numpy as np
import pytest

import astra_edu as ae
from astra_edu.workload.compute import Combine
from astra_edu.workload.strategies.overlapped import Item, makespan, units
from astra_edu.workload.strategies.tables import what_is_sent_and_kept

HIDDEN, HEADS, BLOCKS, TOKENS, BYTES = 256, 8, 4, 64, 2
SHAPE = {"hidden": HIDDEN, "heads": HEADS, "blocks": BLOCKS, "sequence": TOKENS, "vocabulary": 512}
FLASH = ae.transformer("flash", **SHAPE, attention="flash")
MIXED = ae.transformer("mixed", **SHAPE, attention="flash", experts=8, top_k=2)


def of_group(model, strategy, group):
    return [one for one in ae.communications(model, strategy) if one.group == group]


def refusal(model, **settings):
    with pytest.raises(ae.ConfigError) as error:
        ae.communications(model, ae.Strategy(**settings))
    return str(error.value)


# Ring


@pytest.mark.parametrize("npus", [2, 4])
def test_causal_attention_round_a_zigzag_ring_is_whole_attention_and_each_step_has_as_many_scores(npus):
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((TOKENS, 16)) for _ in range(3))
    early_and_late = np.split(np.arange(TOKENS), 2 * npus)
    own = [np.concatenate([early_and_late[i], early_and_late[-1 - i]]) for i in range(npus)]
    whole = np.where(np.tri(TOKENS, dtype=bool), np.exp(q @ k.T), 0)
    whole = whole @ v / whole.sum(axis=1, keepdims=True)
    seen = []
    for me in range(npus):
        summed, weights = np.zeros((len(own[me]), 16)), np.zeros((len(own[me]), 1))
        for step in range(npus):
            theirs = own[(me - step) % npus]
            looks = own[me][:, None] >= theirs[None, :]
            scores = np.where(looks, np.exp(q[own[me]] @ k[theirs].T), 0)
            summed, weights = summed + scores @ v[theirs], weights + scores.sum(axis=1, keepdims=True)
            seen.append(looks.sum() - (len(own[me]) // 2 if step == 0 else 0))  # half of the diagonal's two squares
        np.testing.assert_allclose(summed / weights, whole[own[me]])
    assert len(set(seen)) == 1


@pytest.mark.parametrize("tensor", [1, 2])
@pytest.mark.parametrize("context", [2, 4, 8])
def test_a_ring_sends_what_a_gather_brings_and_its_gradients_one_step_further(context, tensor):
    ring, gather = (
        of_group(FLASH, ae.Strategy(context=context, tensor=tensor, batch=6, micro_batch=2, context_by=way), "context")
        for way in ("ring", "all-gather")
    )
    own = 2 * 2 * TOKENS // context * HIDDEN // tensor * BYTES  # keys and values of two samples
    assert {(one.size, one.collective, one.npus) for one in ring} == {(own, None, context)}
    assert [one.times // 3 for one in ring[:3]] == [context - 1, context - 1, context]
    assert sum(one.sent_bytes for one in ring) == sum(one.sent_bytes for one in gather) + 3 * BLOCKS * own
    assert (ring[0].held_bytes, gather[0].held_bytes) == (2 * own, (context - 1) * own)


@pytest.mark.parametrize(("recompute", "rounds"), [("none", 1), ("selective", 2), ("full", 2)])
def test_attention_that_is_computed_again_needs_the_round_again(recompute, rounds):
    first = of_group(FLASH, ae.Strategy(context=4, context_by="ring", recompute=recompute), "context")[0]
    assert first.times == 3 * rounds


def test_the_steps_of_a_ring_compute_the_attention_of_all_keys_once():
    cut = ae.Strategy(context=4, context_by="ring", micro_batch=2)
    found = list(units(FLASH, cut, ae.communications(FLASH, cut)))
    assert len(found) == BLOCKS
    products = sum(gemm.flops for item in found[0].forward for work in item.computes for gemm in work.gemms)
    assert products == 2 * 2 * (2 * HEADS * 16 * TOKENS // 2 * HIDDEN // HEADS)  # two products of half of all scores
    messages = [[item.sent.content for item in items if item.sent] for items in (found[0].forward, found[0].backward)]
    assert [len(each) for each in messages] == [3, 7]


# Sharding


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_hybrid_sharding_scatters_within_and_sums_up_across(zero):
    cut = ae.Strategy(data=8, zero=zero, shard_group=4)
    name = "block1_mlp1"
    weights = (4 * HIDDEN * HIDDEN + 4 * HIDDEN) * BYTES
    sums = [one for one in ae.communications(FLASH, cut) if one.operator == name and one.content == "weight gradients"]
    assert [(str(one.collective), one.group, one.npus, one.size) for one in sums] == [
        ("reduce-scatter", "shard", 4, weights),
        ("all-reduce", "replica", 2, weights // 4),
    ]
    gathers = [one for one in ae.communications(FLASH, cut) if one.operator == name and one.content == "parameters"]
    assert {(one.group, one.npus, one.size) for one in gathers} == {("shard", 4, weights // 4)}
    assert len(gathers) == (2 if zero == 3 else 1)
    kept, alone, all_ = (ae.memory(FLASH, each) for each in (cut, ae.Strategy(data=4, zero=zero), ae.Strategy(data=8)))
    assert kept == alone
    assert kept.optimiser == all_.optimiser / 4


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_experts_are_shared_out_within_a_shard_group_as_all_the_rest(zero):
    """Nobody keeps less than one of as many as their collectives are among."""
    cut = ae.Strategy(data=8, zero=zero, shard_group=4)
    kept, gradients = (
        ae.memory(MIXED, cut),
        [one for one in of_group(MIXED, cut, "shard") if "gradients" in one.content],
    )
    assert {one.npus for one in gradients} == {4}
    assert sum(one.size for one in gradients) == BYTES * MIXED.parameters
    assert kept.optimiser == 12 * MIXED.parameters / 4
    assert kept.parameters == BYTES * MIXED.parameters / (4 if zero == 3 else 1)


def test_a_shard_group_of_all_copies_is_plain_zero():
    plain, named = (ae.Strategy(data=8, zero=3, shard_group=group) for group in (None, 8))
    assert ae.communications(FLASH, plain) == ae.communications(FLASH, named)
    assert ae.memory(FLASH, plain) == ae.memory(FLASH, named)


def test_parameters_that_are_kept_are_gathered_once_a_micro_batch_and_whole_meanwhile():
    cut, kept = (ae.Strategy(data=4, zero=3, batch=8, reshard=reshard) for reshard in (True, False))
    gathers = [
        sum(one.sent_bytes for one in ae.communications(FLASH, each) if one.content == "parameters")
        for each in (cut, kept)
    ]
    assert gathers[0] == 2 * gathers[1]
    assert ae.memory(FLASH, kept).parameters == 4 * ae.memory(FLASH, cut).parameters
    assert ae.memory(FLASH, kept).gradients == ae.memory(FLASH, cut).gradients


def test_with_stages_parameters_are_gathered_and_gradients_reduced_once_an_iteration():
    cut = ae.Strategy(data=4, pipeline=2, batch=32, zero=3, reshard=False)
    found = of_group(FLASH, cut, "data")
    assert {(one.content, one.phase, str(one.collective), one.times) for one in found} == {
        ("parameters", "forward", "all-gather", 1),
        ("weight gradients", "weight gradient", "reduce-scatter", 1),
    }
    plain = ae.Strategy(data=4, pipeline=2, batch=32, zero=1)
    assert ae.memory(FLASH, cut) == ae.memory(FLASH, plain)
    assert sum(one.sent_bytes for one in found) == sum(one.sent_bytes for one in of_group(FLASH, plain, "data"))


@pytest.mark.parametrize("order", ["1f1b", "zb-h1"])
def test_stages_that_reshard_gather_for_both_passes_of_every_micro_batch_and_reduce_once(order):
    cut = ae.Strategy(data=4, pipeline=2, batch=32, zero=3, pipeline_order=order)
    found = of_group(FLASH, cut, "data")
    assert {(one.content, one.phase, str(one.collective), one.times) for one in found} == {
        ("parameters", "forward", "all-gather", 8),
        ("parameters", "input gradient", "all-gather", 8),
        ("weight gradients", "weight gradient", "reduce-scatter", 1),
    }
    kept = replace(cut, reshard=False)
    once = of_group(FLASH, kept, "data")
    gathers, gathered_once = (
        sum(one.sent_bytes for one in each if one.content == "parameters") for each in (found, once)
    )
    assert gathers == 16 * gathered_once
    own, whole = ae.memory(FLASH, cut), ae.memory(FLASH, kept)
    assert 4 * own.parameters == whole.parameters
    assert own.gradients == whole.gradients == whole.parameters  # summed up whole, 2 bytes each
    assert own.optimiser == whole.optimiser
    block = sum(FLASH.operators[i].parameters for i in FLASH.blocks[-1])
    assert own.buffers - whole.buffers == pytest.approx(2 * block * 3 / 4)  # the other three's shares of one block


def test_stages_with_zero_2_reduce_every_micro_batch_into_their_share_of_the_gradients():
    cut = ae.Strategy(data=4, pipeline=2, batch=32, zero=2)
    found = of_group(FLASH, cut, "data")
    assert {(one.content, one.phase, str(one.collective), one.times) for one in found} == {
        ("weight gradients", "weight gradient", "reduce-scatter", 8),
        ("parameters", "update", "all-gather", 1),
    }
    own, whole = ae.memory(FLASH, cut), ae.memory(FLASH, replace(cut, zero=1))
    assert 4 * own.gradients == whole.gradients
    assert (own.parameters, own.optimiser) == (whole.parameters, whole.optimiser)
    block = sum(FLASH.operators[i].parameters for i in FLASH.blocks[-1])
    assert own.buffers - whole.buffers == pytest.approx(2 * 2 * block * 3 / 4)  # one block's, and the next one's


# Pieces


def test_pieces_send_and_compute_what_the_whole_does():
    for model, settings, kind in (
        (FLASH, {"tensor": 4, "sequence_parallel": True, "overlap": ("tensor",)}, "tensor"),
        (MIXED, {"data": 4, "expert": 4, "overlap": ("expert",)}, "expert"),
    ):
        cut = ae.Strategy(**settings)
        sent = ae.communications(model, cut)
        found = list(units(model, cut, sent))
        assert {unit.kind for unit in found} == {kind}
        for unit in found:
            names = [model.operators[unit.at].name, *(model.operators[i].name for i in unit.operators)]
            following = model.operators[unit.operators[-1] + 1]
            names += [following.name] * isinstance(following, Combine)
            for phase, items in (("forward", unit.forward), ("input gradient", unit.backward)):
                whole = {one for one in sent if one.operator in names and one.phase == phase and one.group == kind}
                assert sum(item.sent.size for item in items if item.sent) == sum(one.size for one in whole)
            flops = sum(work.flops for item in unit.forward for work in item.computes)
            assert flops == sum(cut.part(model.operators[i]).forward(1).flops for i in unit.operators)


def test_a_list_takes_as_long_as_what_cannot_hide():
    sent = ae.communications("vgg16", ae.Strategy(data=8))[0]
    work = (ae.model("vgg16").operators[0].forward(1),)
    sends, computes = Item((), sent=sent), Item((), work)
    assert makespan((computes, sends), (5, 3)) == 5
    assert makespan((computes, sends._replace(after=(0,))), (5, 3)) == 8
    assert makespan((sends, sends, computes._replace(after=(0,)), computes._replace(after=(1,))), (7, 7, 2, 2)) == 16
    assert makespan((sends, sends, computes._replace(after=(0,)), computes._replace(after=(1,))), (2, 2, 7, 7)) == 16


# What can't be


def test_what_does_not_exist_or_divide_is_refused_with_numbers_that_do():
    assert 'attention="flash"' in refusal(ae.transformer("scores", **SHAPE), context=2, context_by="ring")
    assert "context=32 would do" in refusal(FLASH, context=64, context_by="ring")
    assert "context=2 or 4 would do" in refusal(FLASH, context=3, context_by="ring")
    assert "context=2 or more" in refusal(FLASH, context_by="ring")
    window = ae.transformer("window", **SHAPE, attention="flash", window=16)
    assert "16 tokens only" in refusal(window, context=2, context_by="ring")
    assert "2 or 4 would do" in refusal(FLASH, data=8, zero=3, shard_group=3)
    assert "zero=1, 2 or 3" in refusal(FLASH, data=8, shard_group=2)
    assert "leave shard_group out" in refusal(MIXED, data=8, expert=2, zero=1, shard_group=2)
    assert "zero=3" in refusal(FLASH, data=8, zero=1, reshard=False)
    assert "zero=1 or 0" in refusal(FLASH, data=2, pipeline=2, batch=8, zero=2, pipeline_order="dualpipe")
    assert "sequence_parallel=True" in refusal(FLASH, tensor=2, overlap=("tensor",))
    assert "expert=2 or more" in refusal(MIXED, data=2, overlap=("expert",))
    assert "pieces=2 or 4" in refusal(FLASH, tensor=2, sequence_parallel=True, overlap=("tensor",), pieces=3)
    assert "zero=0" in refusal(FLASH, data=2, overlap=("parameters",))
    assert "'gradients', 'parameters', 'tensor', 'expert'" in refusal(FLASH, overlap="gradients")


@pytest.mark.parametrize(
    "settings",
    [
        {"context": 2, "context_by": "ring"},
        {"data": 4, "zero": 3, "overlap": ("gradients", "parameters")},
        {"data": 4, "zero": 3, "shard_group": 2},
        {"data": 4, "overlap": ()},
        {"tensor": 2, "sequence_parallel": True, "overlap": ("tensor",)},
    ],
)
def test_what_no_loop_of_astra_sim_1_can_say_is_refused_and_made_as_a_trace(settings):
    cut = ae.Strategy(**settings)
    with pytest.raises(ae.ConfigError, match="from_strategy"):
        ae.generate_workload(FLASH, cut, "a100")
    assert ae.traces.from_strategy(FLASH, cut, "a100").npus == cut.npus


def test_a_trace_s_messages_go_round_each_context_group():
    cut = ae.Strategy(data=2, context=4, tensor=2, context_by="ring")
    trace = ae.traces.from_strategy(FLASH, cut, "a100")
    for npu, nodes in enumerate(trace.nodes):
        to = {node.number("comm_dst") for node in nodes if node.type.name == "COMM_SEND_NODE"}
        copy, place = npu // 8, npu % 8
        assert to == {8 * copy + (place + 2) % 8}
        sends = [node for node in nodes if node.type.name == "COMM_SEND_NODE"]
        assert sum(node.number("comm_size") for node in sends) == sum(
            one.sent_bytes for one in of_group(FLASH, cut, "context")
        )


def test_a_workload_says_hybrid_sharding_as_an_all_reduce_and_kept_parameters_as_one_gather():
    plain = ae.Strategy(data=4, zero=1)
    hidden = ae.Strategy(data=4, zero=1, shard_group=2, overlap=("gradients", "parameters"))
    assert ae.generate_workload(FLASH, plain, "a100") == ae.generate_workload(FLASH, hidden, "a100")
    again, kept = (
        ae.generate_workload(FLASH, ae.Strategy(data=4, zero=3, reshard=reshard), "a100") for reshard in (True, False)
    )
    gathers = [[bool(layer.input_gradient.collective) for layer in work.layers] for work in (again, kept)]
    assert any(gathers[0])
    assert not any(gathers[1])
    assert [layer.forward for layer in again.layers] == [layer.forward for layer in kept.layers]


def test_the_table_of_what_is_sent_and_kept_says_what_the_lists_do():
    ways = {
        "gather": ae.Strategy(context=4),
        "ring": ae.Strategy(context=4, context_by="ring"),
        "nothing": ae.Strategy(),
    }
    big = ae.transformer("big", hidden=4096, heads=32, blocks=2, sequence=8192, vocabulary=32_000, attention="flash")
    header, rows = what_is_sent_and_kept(big, ways)
    table = {str(row[0]): dict(zip(header, row, strict=True)) for row in rows}
    for name, cut in ways.items():
        sent, kept = ae.communications(big, cut), ae.memory(big, cut)
        for column, size in (
            ("sent", sum(one.sent_bytes for one in sent)),
            ("waited for", sum(one.sent_bytes for one in sent if one.blocking)),
            ("optimiser", kept.optimiser),
            ("activations", kept.activations),
            ("buffers", kept.buffers),
        ):
            assert table[name][column] == (f"{size / 1e9:,.2f}" if size else "–"), (name, column)
    assert table["ring"]["waited for"] == table["nothing"]["sent"] == "–"


def test_the_default_is_what_it_was():
    plain = ae.Strategy(data=4, zero=3, context=2)
    said = ae.Strategy(
        data=4, zero=3, context=2, context_by="all-gather", shard_group=None, reshard=True, overlap=["gradients"]
    )
    assert plain == said
    assert {one.blocking for one in of_group(FLASH, plain, "context")} == {True}
