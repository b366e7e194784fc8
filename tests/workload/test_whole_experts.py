"""Experts that a tensor group's NPUs have whole: what they compute, send and keep, by hand."""

from dataclasses import replace
from math import prod

import pytest

import astra_edu as ae
from astra_edu.explore.iteration import groups
from astra_edu.workload.compute import Experts

TOKENS, HIDDEN, TOP_K = 256, 64, 2
SHAPE = {"hidden": HIDDEN, "heads": 8, "blocks": 2, "sequence": TOKENS, "vocabulary": 512}
MIXED = ae.transformer("mixed", **SHAPE, attention="flash", experts=16, top_k=TOP_K)
WHOLE = ae.Strategy(tensor=4, data=4, sequence_parallel=True, expert=8, whole_experts=True)
PARTS = ae.Strategy(tensor=4, data=4, sequence_parallel=True, expert=2)
"""The same experts on as many NPUs, a quarter of each."""


def test_tokens_go_once_from_each_npu_of_a_tensor_group_to_all_that_have_experts():
    sent = [one for one in ae.communications(MIXED, WHOLE) if one.group == "expert"]
    assert {(one.npus, one.size, str(one.collective)) for one in sent} == {
        (8, TOKENS // 4 * TOP_K * HIDDEN * 2, "all-to-all")
    }
    assert len(sent) == 2 * 2 * 2  # there and back, forward and backward, in each block
    assert not [one for one in ae.communications(MIXED, WHOLE) if "dispatch" in one.operator and one.group == "tensor"]
    parts = {one.size for one in ae.communications(MIXED, PARTS) if one.group == "expert"}
    assert parts == {TOKENS * TOP_K * HIDDEN * 2}  # all NPUs of a tensor group send the same tokens


def test_they_are_as_much_to_compute_and_to_keep_as_parts_of_twice_as_many():
    for operator in (each for each in MIXED.operators if isinstance(each, Experts)):
        whole, part = WHOLE.part(operator), PARTS.part(operator)
        assert whole.parameters == operator.parameters // 8
        assert part.parameters == pytest.approx(whole.parameters, rel=0.02)  # in rows all have the biases
        assert whole.forward(1).flops == part.forward(1).flops
        assert isinstance(whole, Experts)
        assert (whole.inputs, whole.outputs, whole.experts) == (operator.inputs, operator.outputs, 2)
        assert WHOLE.sharing(operator) == PARTS.sharing(operator) == 2
    whole, part = ae.memory(MIXED, WHOLE), ae.memory(MIXED, PARTS)
    assert whole.state == pytest.approx(part.state, rel=0.01)
    assert whole.activations < part.activations  # nobody keeps the tokens of the whole tensor group


@pytest.mark.parametrize(
    ("dims", "placement", "expert", "expected"),
    [
        ((4, 4), "tensor-first", 8, {"expert": [4, 2], "expert data": [2]}),
        ((16,), "tensor-first", 8, {"expert": [8], "expert data": [2]}),
        ((4, 4), "data-first", 8, {"expert": [2, 4], "expert data": [2]}),
        ((4, 4), "tensor-first", 4, {"expert": [4], "expert data": [4]}),
        ((4, 4), "tensor-first", 16, {"expert": [4, 4]}),
    ],
)
def test_their_group_is_whole_tensor_groups_of_neighbouring_copies(dims, placement, expert, expected):
    network = tuple(ae.Dimension.of("Switch", npus, 100, 500) for npus in dims)
    platform = ae.Platform(network, ae.SystemConfig.of("_".join(["ring"] * len(dims))))
    cut = ae.Strategy(tensor=4, data=4, sequence_parallel=True, expert=expert, whole_experts=True, placement=placement)
    found = {name: [d.npus for d in part.network] for name, part in groups(platform, cut).items() if "expert" in name}
    assert found == expected
    assert prod(found["expert"]) == expert


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"expert": 4, "data": 4}, "tensor=2 or more and sequence_parallel=True"),
        ({"expert": 4, "data": 4, "tensor": 4}, "tensor=2 or more and sequence_parallel=True"),
        (
            {"expert": 2, "data": 4, "tensor": 4, "sequence_parallel": True},
            "among 2 of tensor × data × context = 16 NPUs, whole tensor groups of 4; 4 would do",
        ),
        ({"expert": 12, "data": 4, "tensor": 4, "sequence_parallel": True}, "8 or 16 would do"),
        ({"whole_experts": 1}, "whole_experts is 1"),
        ({"whole_experts": False, "expert": 8, "data": 4, "tensor": 4}, "4 would do, or whole_experts=True"),
    ],
)
def test_what_they_cannot_be_is_refused_with_what_can(settings, says):
    with pytest.raises(ae.ConfigError) as error:
        ae.Strategy(**{"whole_experts": True} | settings)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("tensor", "expert", "says"),
    [
        (4, 16, "block1_mlp1: 8 whole experts can't be divided among 16 NPUs; expert=8 would do."),
        (4, 64, "block1_mlp1: 8 whole experts can't be divided among 64 NPUs; expert=8 would do."),
        (16, 16, "16 NPUs; whole tensor groups of 16 can't share them out, so leave whole_experts out."),
    ],
)
def test_more_npus_than_experts_are_refused_with_the_number_that_was_given(tensor, expert, says):
    """It spoke of expert / tensor NPUs, or of numbers for the tensor group."""
    cut = ae.Strategy(data=16, tensor=tensor, sequence_parallel=True, expert=expert, whole_experts=True)
    with pytest.raises(ae.ConfigError) as error:
        ae.communications("mixtral-8x7b", cut)
    assert str(error.value).endswith(says)


def test_a_workload_of_the_first_version_has_a_tensor_group_s_experts_or_everybody_s():
    """tests/workload/test_own_lines.py has what such lines send and take."""
    with pytest.raises(ae.ConfigError, match=r"need more; .* share out experts \(expert=16 or 4\)"):
        ae.generate_workload(MIXED, WHOLE, "a100")
    for expert, parallelism in ((4, "HYBRID_DATA_MODEL"), (16, "MODEL")):
        work = ae.generate_workload(MIXED, replace(WHOLE, expert=expert), "a100")
        assert {each.parallelism for each in work.layers if "routed_tokens" in each.name} == {parallelism}
