"""Choices that candidates have when they are asked for: what there is of each, and that the search finds the best."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from halves import some

import astra_edu as ae
from astra_edu.explore.iteration import candidates, groups
from astra_edu.explore.iteration.also import ALSO, SPLIT_ORDERS
from astra_edu.explore.iteration.compute_bound import compute_bound_ns, waited_bound_ns
from astra_edu.explore.iteration.stage_times import stage_times_on_links
from astra_edu.workload.strategies.alike import abridged

SIZES = {"hidden": 512, "heads": 8, "sequence": 256, "vocabulary": 1000}
MODEL = ae.transformer("m", **SIZES, blocks=8, attention="flash")
PODS = ae.Platform(
    (ae.Dimension.of("Switch", 4, 220, 1000), ae.Dimension.of("Switch", 2, 25, 2500)),
    ae.SystemConfig.of("halvingDoubling_halvingDoubling", splits=1),
)
PLAIN = candidates(MODEL, 8, 16, whole_space=True)


@cache
def of_all() -> tuple[ae.Strategy, ...]:
    """With all choices that there are."""
    return tuple(candidates(MODEL, 8, 16, whole_space=True, also="all"))


def has(cut: ae.Strategy) -> dict[str, bool]:
    return {
        "rings": cut.context_by == "ring",
        "shard-groups": cut.shard_group is not None,
        "sharded-stages": cut.pipeline > 1 and cut.zero > 1,
        "tensor-overlap": "tensor" in cut.overlap,
        "split-orders": cut.pipeline_order in SPLIT_ORDERS,
    }


@pytest.mark.parametrize("name", ALSO)
def test_each_choice_is_there_when_it_is_asked_for_and_no_other(name):
    found = candidates(MODEL, 8, 16, whole_space=True, also=[name])
    assert len(found) == len(set(found)) > len(PLAIN)
    assert set(PLAIN) < set(found)
    assert tuple(cut for cut in found if not any(has(cut).values())) == PLAIN
    for cut in set(found) - set(PLAIN):
        assert [each for each, there in has(cut).items() if there] == [name]
        cut.check(MODEL)


def test_a_choice_may_be_given_as_a_text():
    found = [candidates(MODEL, 4, 8, whole_space=True, also=also) for also in ("rings", ["rings"], ())]
    assert found[0] == found[1] != found[2]


def test_nothing_is_left_out_that_is_possible():
    """Every strategy that differs from a usual one by one choice, tried by hand."""
    found = set(of_all())
    tried = 0
    for cut in PLAIN:
        changes = [{"context_by": "ring"}, {"overlap": ("gradients", "tensor")}]
        changes += [{"shard_group": group} for group in (2, 4) if group < cut.copies]
        if cut.pipeline > 1 and cut.zero:
            changes += [{"zero": 2}, {"zero": 3}, {"zero": 3, "reshard": False}]
        if cut.pipeline_order == "1f1b" and cut.pipeline > 1:
            changes += [{"pipeline_order": order, "virtual": n} for order in SPLIT_ORDERS for n in (1, 2)]
        for change in changes:
            try:
                other = replace(cut, **change)
                other.check(MODEL)
            except ae.ConfigError:
                continue
            tried += 1
            assert other in found, other
    assert tried > 100
    assert {order for cut in found if (order := cut.pipeline_order) in SPLIT_ORDERS} == set(SPLIT_ORDERS)


def test_choices_come_together():
    found = [has(cut) for cut in of_all()]
    assert any(each["rings"] and each["tensor-overlap"] for each in found)
    assert any(each["split-orders"] and each["shard-groups"] for each in found)
    assert any(each["sharded-stages"] and each["shard-groups"] for each in found)


@pytest.mark.parametrize("seed", some(range(2), 1))
def test_the_fastest_of_them_is_the_best_of_all_that_fit(seed):
    """Every candidate of a sample estimated, against the search by bounds; and each bound held against its estimate."""
    device = replace(ae.device("a100"), memory_bytes=4 * 10**8)
    every = sorted(set(of_all()) - set(PLAIN), key=repr)
    sample = random.Random(seed).sample(every, 120)
    about, times = abridged(MODEL), {}
    for cut in sample:
        if ae.memory(MODEL, cut).fits(device):
            try:
                took = ae.estimate(MODEL, cut, device, PODS)
            except ae.ConfigError:
                continue
            times[cut] = took.bound_ns or took.total_ns
            rounded = cut.micro_batches * cut.pipeline * cut.virtual
            assert compute_bound_ns(about, cut, device) <= times[cut] + 2 * rounded
            waited = waited_bound_ns(about, cut, device, groups(PODS, cut))
            assert compute_bound_ns(about, cut, device) <= waited <= times[cut] + 2 * rounded
            assert stage_times_on_links(about, cut, device, PODS).bound_ns <= times[cut] + 2 * rounded
    found = ae.fastest(MODEL, sample, device, PODS, fits=True)
    assert (found.bound_ns or found.total_ns) == min(times.values()) == times[found.strategy]


@pytest.mark.parametrize("recompute", ["none", "full"])
def test_what_hides_of_pairs_of_passes_is_not_waited_for(recompute):
    """DualPipe computes with one micro-batch while those from the other end are on their way to experts and back."""
    model = ae.transformer("m", **SIZES, blocks=16, attention="flash", experts=8, top_k=2)
    groups_of = {"data": 4, "expert": 4, "pipeline": 2}
    cut = ae.Strategy(**groups_of, micro_batch=2, batch=256, pipeline_order="dualpipe", recompute=recompute)
    pods = ae.Platform((ae.Dimension.of("Switch", 8, 50, 500),), ae.SystemConfig.of("direct", splits=1))
    usual = replace(cut, pipeline_order="1f1b")
    ns = {each: took.bound_ns for each in (cut, usual) if (took := ae.estimate(model, each, "a100", pods))}
    assert waited_bound_ns(abridged(model), cut, ae.device("a100"), groups(pods, cut)) <= ns[cut] < ns[usual]
    assert ae.fastest(model, [usual, cut], "a100", pods).strategy == cut


@pytest.mark.parametrize("zero", [0, 1])
def test_of_few_blocks_dualpipe_is_estimated_too(zero):
    """A model that is not abridged, with the same blocks as one that is."""
    few, more = (ae.transformer("m", **SIZES, blocks=blocks, attention="flash") for blocks in (2, 4))
    cut = ae.Strategy(data=2, pipeline=2, batch=16, pipeline_order="dualpipe", zero=zero)
    pods = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("direct", splits=1))
    one, two = (ae.estimate(model, cut, "a100", pods) for model in (few, more))
    assert one.compute_ns < two.compute_ns < 2 * one.compute_ns
    assert one.data_ns < two.data_ns


@pytest.mark.thorough
def test_they_are_worth_it_where_links_are_slow():
    slow = replace(PODS, network=tuple(replace(d, bandwidth=d.bandwidth / 8) for d in PODS.network))
    usual, more = (ae.fastest(MODEL, candidates(MODEL, 8, 16, also=also), "a100", slow) for also in ((), "all"))
    assert (more.bound_ns or more.total_ns) < (usual.bound_ns or usual.total_ns)


@pytest.mark.parametrize(
    ("also", "sentence"),
    [
        ("ring", "also is 'ring'; did you mean 'rings'"),
        (["rings", "zero"], "also is 'zero'"),
        (5, r'also is 5; give names such as \("rings", "split-orders"\), or "all"'),
    ],
)
def test_another_choice_is_refused(also, sentence):
    with pytest.raises(ae.ConfigError, match=sentence):
        candidates(MODEL, 8, 16, also=also)
