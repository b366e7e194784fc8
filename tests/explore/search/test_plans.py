"""Plans, a strategy for each layer group: against estimate, against all plans, and against limits of memory."""

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from halves import half, some

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration import Plan, Plans
from astra_edu.explore.iteration.plan_search import fastest_plan
from astra_edu.explore.iteration.plan_times import resharded
from astra_edu.explore.iteration.plans import check_of_plan

A100 = ae.device("a100")
SMALL = ae.transformer("small", hidden=256, heads=8, blocks=4, sequence=128, vocabulary=2000)


def platform(npus, inside=2, fast=100, slow=10):
    network = ae.Dimension.of("Ring", inside, fast, 500), ae.Dimension.of("Switch", npus // inside, slow, 2000)
    return ae.Platform(network, ae.SystemConfig.of("ring_halvingDoubling", splits=1))


def ns(found):
    return found.bound_ns or found.total_ns


@pytest.mark.parametrize("model", some([SMALL, ae.model("vgg16"), ae.model("gnmt")], 1), ids=lambda m: m.name)
def test_a_plan_of_one_strategy_is_what_estimate_says(model):
    network, plans = platform(4), ae.plans(model, 4, 16)
    seen = 0
    for strategy in plans.strategies:
        try:
            alone = ae.estimate(model, strategy, A100, network)
        except ConfigError:
            continue
        planned = ae.estimate(model, Plan(plans.starts, (strategy,) * len(plans.starts)), A100, network)
        assert planned.total_ns == ns(alone)
        assert planned.compute_ns == alone.compute_ns
        assert planned.update_ns == alone.update_ns
        assert planned.memory_bytes == pytest.approx(ae.memory(model, strategy).total, rel=1e-12)
        assert planned.split["sharing out anew"] == 0
        seen += 1
    assert seen > 10


def can_gather(strategy):
    return strategy.copies > 1 and strategy.micro_batches == 1


def random_plans(dice):
    npus = dice.choice([2, 4, 8])
    network = platform(npus, 2, dice.choice([20, 100, 400]), dice.choice([2, 10, 50]))
    if dice.random() < 0.5:
        hidden = dice.choice([128, 512])
        model = ae.transformer("t", hidden=hidden, heads=8, blocks=2, sequence=dice.choice([32, 256]), vocabulary=1000)
        whole = ae.plans(model, npus, dice.choice([8, 16]), groups=2)
    else:
        whole = ae.plans("vgg16", npus, dice.choice([8, 64]), groups=3)
    some = [replace(each, zero=dice.choice([each.zero, 3])) if can_gather(each) else each for each in whole.strategies]
    few = dice.sample(some, min(len(some), 7 if len(whole.starts) < 4 else 5))
    return Plans(whole.model, whole.starts, tuple(few)), network


@pytest.mark.parametrize("seed", half(range(24)))
def test_the_fastest_is_that_of_all_plans_within_any_limit_of_memory(seed):
    plans, network = random_plans(Random(seed))
    every = [ae.estimate(plans.model, plan, A100, network) for plan in plans]
    assert len(every) == plans.size
    kept = sorted(each.memory_bytes for each in every)
    for limit in (None, kept[len(kept) // 2], kept[len(kept) // 10], kept[0]):
        found = ae.estimate(plans.model, fastest_plan(plans, A100, network, limit), A100, network)
        assert limit is None or found.memory_bytes <= limit
        best = min(each.total_ns for each in every if limit is None or each.memory_bytes <= limit)
        rounding = 2 + max(strategy.micro_batches for strategy in plans.strategies)
        assert best <= found.total_ns <= best + rounding


def test_a_limit_of_what_a_plan_keeps_to_the_last_bit_lets_it_pass():
    """Groups of 3 keep parts of a byte, whose sum depends on the order in which they are added up."""
    model = ae.transformer("t", hidden=256, heads=8, blocks=2, sequence=32, vocabulary=1000)
    network = ae.Platform((ae.Dimension.of("FullyConnected", 3, 20, 0),), ae.SystemConfig.of("direct", splits=4))
    whole = ae.plans(model, 3, 24, groups=2)
    for seed in range(3):
        plans = Plans(model, whole.starts, tuple(Random(seed).sample(whole.strategies, 6)))
        every = [ae.estimate(model, plan, A100, network) for plan in plans]
        for limit in sorted({each.memory_bytes for each in every})[::8]:
            found = ae.estimate(model, fastest_plan(plans, A100, network, limit), A100, network)
            assert found.memory_bytes <= limit
            assert found.total_ns <= min(each.total_ns for each in every if each.memory_bytes <= limit) + 26


def test_plans_of_another_model_are_refused():
    given = {"model": "resnet50", "device": "a100", "platform": platform(4)}
    with pytest.raises(ConfigError, match="model is ResNet-50, and these are plans for VGG-16"):
        ae.search({"strategy": ae.plans("vgg16", 4, 16)}, run=ae.estimate, given=given)
    with pytest.raises(ConfigError, match="model is ResNet-50, and these are plans for VGG-16"):
        ae.fastest("resnet50", ae.plans("vgg16", 4, 16), "a100", platform(4))
    with pytest.raises(ConfigError, match="give model"):
        ae.search({"strategy": ae.plans("vgg16", 4, 16)}, run=ae.estimate)
    with pytest.raises(ConfigError, match="batch is '16'"):
        ae.plans("vgg16", 4, "16", strategies=[ae.Strategy(data=4, batch=16)])


def test_where_nothing_fits_the_least_is_named():
    plans, network = ae.plans(SMALL, 4, 16, groups=2), platform(4)
    least = min(ae.estimate(SMALL, plan, A100, network).memory_bytes for plan in some_plans(plans))
    with pytest.raises(ConfigError, match=rf"the least is {least / 2**30:,.1f} GiB"):
        fastest_plan(plans, A100, network, least * 0.9)


def some_plans(plans):
    """The frugal ones: each group's strategy of least memory, of all numbers of micro-batches."""
    for strategies in plans.by_micro_batches.values():
        for same in strategies:
            yield Plan(plans.starts, (same,) * len(plans.starts))


def test_resharding_gathers_what_an_npu_lacks():
    """4 NPUs, 16 samples: from 4 shares to 1, everybody gathers the 3 others'; back, gradients are gathered."""
    network = ae.Platform((ae.Dimension.of("Ring", 4, 10, 500),), ae.SystemConfig.of("ring", splits=1))
    cut = ae.plans("vgg16", 4, 16, groups=2)
    start = cut.starts[1]
    model = cut.model
    elements = 1
    for size in model.operators[start - 1].gives:
        elements *= size
    data, tensor = ae.Strategy(data=4, micro_batch=4), ae.Strategy(tensor=4, batch=16, micro_batch=16)
    own = ae.simulate(ae.Workload.micro("all-gather", 4 * elements * 2, 0), network).total_ns
    ahead = resharded(model, start, data, tensor, network)
    assert (ahead.forward_ns, ahead.backward_ns) == (own, 0)
    back = resharded(model, start, tensor, data, network)
    assert (back.forward_ns, back.backward_ns) == (0, own)
    half = ae.Strategy(data=2, tensor=2, micro_batch=8)
    pair = ae.Platform((ae.Dimension.of("Ring", 2, 10, 500),), ae.SystemConfig.of("ring", splits=1))
    links = ae.Platform((ae.Dimension("Ring", 2, 2, 10, 500),), pair.system)
    took = ae.simulate(ae.Workload.micro("all-gather", 4 * elements * 2, 0), links).total_ns
    assert resharded(model, start, data, half, network).forward_ns == took


@pytest.mark.thorough
def test_a_plan_that_mixes_is_faster_where_one_strategy_suits_one_part_alone():
    """One weird trick (arXiv 1404.5997): convolutions by samples, fully connected layers by columns."""
    network = ae.Platform((ae.Dimension.of("Ring", 4, 5, 500),), ae.SystemConfig.of("ring", splits=1))
    plans = ae.plans("vgg16", 4, 32)
    mixed = ae.fastest("vgg16", plans, "v100", network)
    alone = ae.fastest("vgg16", plans.strategies, "v100", network)
    assert mixed.total_ns < 0.8 * ns(alone)
    names = [plans.model.operators[start].name for start in plans.starts]
    tensor = dict(zip(names, (strategy.tensor for strategy in mixed.plan.strategies), strict=True))
    assert {tensor[name] for name in names if "conv" in name} == {1}
    assert max(tensor.values()) == 4


@pytest.mark.parametrize(
    ("strategy", "why"),
    [
        (ae.Strategy(pipeline=2, batch=4), "a pipeline"),
        (ae.Strategy(tensor=2, sequence_parallel=True), "sequence parallelism"),
        (ae.Strategy(data=2, zero=2, batch=4), "ZeRO-2 or 3"),
        (ae.Strategy(data=2, overlap=()), "gradients that hide behind nothing"),
        (ae.Strategy(data=2, zero=3, overlap=("gradients", "parameters")), "gathered parameters that hide"),
        (ae.Strategy(data=2, tensor=2, placement="data-first"), "neighbours"),
    ],
)
def test_what_no_layer_group_can_have_is_said(strategy, why):
    with pytest.raises(ConfigError, match=why):
        check_of_plan(strategy)


def test_groups_begin_where_one_output_is_passed_on():
    for model in (SMALL, ae.model("resnet50"), ae.model("vgg16"), ae.model("dlrm")):
        if not any(o.after for o in model.operators):
            continue
        starts = ae.plans(model, 1, 4).starts
        places = {operator.name: i for i, operator in enumerate(model.operators)}
        for start in starts[1:]:
            crossing = set()
            for i in range(start, len(model.operators)):
                before = [places[n] for n in model.operators[i].after if n in places] or [i - 1]
                crossing |= {one for one in before if one < start}
            assert len(crossing) == 1


def test_all_layer_groups_have_one_precision():
    """Which one strategy of several layer groups stands for in what is shared out anew and what an update moves."""
    several = [ae.Strategy(data=4, precision=each) for each in ("fp8", "fp32")]
    with pytest.raises(ConfigError, match="have precision fp8 and fp32; give all the same"):
        Plan((0, 8), several)
    with pytest.raises(ConfigError, match="have precision fp8 and fp32; give all the same"):
        ae.plans(SMALL, 4, 4, strategies=several)
    alike = [ae.Strategy(data=4, precision="bf16"), ae.Strategy(tensor=4, batch=4, micro_batch=4)]
    assert ae.plans(SMALL, 4, 4, groups=1, strategies=alike).size == 8


def test_sizes_and_names():
    plans = ae.plans("vgg16", npus=2, batch=4, groups=2)
    assert plans.size == len(list(plans)) == sum(len(s) ** 2 for s in plans.by_micro_batches.values())
    assert len({repr(plan) for plan in plans}) == plans.size
    with pytest.raises(ConfigError, match="give a divisor"):
        ae.plans(SMALL, 4, 16, groups=3)
    for pair in product(plans.strategies, repeat=2):
        if pair[0].micro_batches != pair[1].micro_batches:
            with pytest.raises(ConfigError, match="all must have the same"):
                Plan(plans.starts, pair)
            break


@pytest.mark.thorough
def test_a_search_says_which_plans_it_is_the_optimum_of_as_one_with_a_pipeline_may_be_faster():
    """On a network so slow, stages send least."""
    network, given = platform(4, 2, 5, 1), {"model": SMALL, "device": A100}
    found = ae.search({"strategy": ae.plans(SMALL, 4, 4)}, run=ae.estimate, given=given | {"platform": network})
    assert found.how.endswith(f"layer groups, of {found.size:,} plans without pipelines or sequence parallelism")
    stages = ae.estimate(SMALL, ae.Strategy(pipeline=4, batch=4, micro_batch=1), A100, network)
    assert ns(stages) < found.best["at_least_ns"]
