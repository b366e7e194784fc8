"""Which strategies there are, which fit, which is fastest: against trying all of them."""

import contextlib
import itertools
import random
from dataclasses import replace

import pytest
from halves import few, quarter, some

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration import (
    StageTimes,
    candidates,
    described,
    fastest,
    fewest_npus,
    fitting,
    npus_needed,
)
from astra_edu.explore.iteration.candidates import frugal, possible_numbers
from astra_edu.explore.iteration.compute_bound import compute_bound_ns
from astra_edu.explore.iteration.parts import Part
from astra_edu.explore.iteration.stage_times import stage_times
from astra_edu.workload.compute import DEVICES
from astra_edu.workload.strategies.alike import abridged

A100, V100 = DEVICES["a100"], DEVICES["v100"]
GIB = 2**30
SMALL = ae.transformer("small", hidden=1024, heads=16, blocks=12, sequence=512, vocabulary=8000)


def machines(npus, inside=4):
    network = [ae.Dimension.of("Switch", inside, 200, 700), ae.Dimension.of("Switch", npus // inside, 25, 2000)]
    return ae.Platform(network, ae.SystemConfig.of("halvingDoubling_ring", splits=1))


# --- candidates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "npus", "batch"), [(SMALL, 8, 8), ("vgg16", 4, 16), ("gpt2", 5, 10), (SMALL, 6, 12)])
def test_candidates_are_different_and_possible(model, npus, batch):
    model = ae.model(model) if isinstance(model, str) else model
    found = candidates(model, npus, batch)
    assert len(set(found)) == len(found) > 5
    for strategy in found:
        strategy.check(model)
        assert (strategy.npus, strategy.samples) == (npus, batch)
        assert strategy.pipeline_order != "gpipe"
        assert strategy.data > 1 or strategy.zero == 0
        assert strategy.tensor > 1 or not strategy.sequence_parallel


def test_all_that_is_possible_is_there():
    """Every combination that Strategy and the model accept, tried one by one; ZeRO-2 and 3 with stages if asked for."""
    expected = set()
    for data, tensor, pipeline in ((d, t, 8 // d // t) for d in (1, 2, 4, 8) for t in (1, 2, 4, 8) if 8 % (d * t) == 0):
        for micro_batch in (1, 2, 4, 8, 16):
            for zero in range(4) if data > 1 else (0,):
                for recompute in ("none", "selective", "full"):
                    for sequence in (False, True) if tensor > 1 else (False,):
                        for virtual in (1, 2, 3, 4, 6, 12) if pipeline > 1 else (1,):
                            try:
                                strategy = ae.Strategy(
                                    data=data,
                                    tensor=tensor,
                                    pipeline=pipeline,
                                    batch=16,
                                    micro_batch=micro_batch,
                                    zero=zero,
                                    recompute=recompute,
                                    sequence_parallel=sequence,
                                    virtual=virtual,
                                    pipeline_order="interleaved" if virtual > 1 else "1f1b",
                                )
                                strategy.check(SMALL)
                            except ae.ConfigError:
                                continue
                            expected.add(strategy)
    sharded = candidates(SMALL, 8, 16, also=("sharded-stages",))
    assert {each for each in sharded if each.reshard} == expected
    assert {replace(each, reshard=True) for each in sharded if not each.reshard} < expected
    usual = {each for each in expected if each.pipeline == 1 or each.zero < 2}
    assert set(candidates(SMALL, 8, 16)) == usual < expected


def test_a_model_without_blocks_has_nothing_to_recompute_or_to_interleave():
    for strategy in candidates("resnet50", 8, 16):
        assert (strategy.recompute, strategy.virtual, strategy.sequence_parallel) == ("none", 1, False)


@pytest.mark.parametrize(
    ("model", "npus", "batch", "sentence"),
    [
        ("gpt2", 7, 3, "GPT-2 and a batch of 3 .* among 7 NPUs, .*; 6 or 8 NPUs would do"),
        ("vgg16", 97, 16, "VGG-16 and a batch of 16 .* among 97 NPUs, .*; 96 or 100 NPUs would do"),
    ],
)
def test_a_batch_that_cant_be_shared_out_names_the_nearest(model, npus, batch, sentence):
    with pytest.raises(ae.ConfigError, match=sentence) as problem:
        candidates(model, npus, batch)
    below, above = map(int, str(problem.value).split("; ")[1].split(" NPUs")[0].split(" or "))
    for fewer_or_more in range(below + 1, above):
        with pytest.raises(ae.ConfigError):
            candidates(model, fewer_or_more, batch)
    assert candidates(model, below, batch)
    assert candidates(model, above, batch)


def test_the_frugal_strategy_keeps_least_of_its_groups():
    least = {}
    for strategy in candidates(SMALL, 8, 16):
        groups = (strategy.data, strategy.tensor, strategy.pipeline)
        least[groups] = min(least.get(groups, 1e99), ae.memory(SMALL, strategy).total)
    assert {
        (each.data, each.tensor, each.pipeline): ae.memory(SMALL, each).total for each in frugal(SMALL, 8, 16)
    } == least


# --- what fits ------------------------------------------------------------------------------------------------------


def test_what_fits_is_what_memory_says():
    all_of_them = candidates("gpt3", 64, 16)
    fit = fitting("gpt3", all_of_them, A100)
    assert 0 < len(fit) < len(all_of_them)
    for strategy in all_of_them[::23]:
        kept = ae.memory("gpt3", strategy)
        assert (strategy in fit) == kept.fits(A100)
        assert fit.get(strategy, kept) == kept


def test_a_model_that_fits_nowhere_says_what_would_do():
    strategies = candidates("gpt3", 32, 4)
    with pytest.raises(ae.ConfigError) as problem:
        fitting("gpt3", strategies, V100)
    sentence = str(problem.value)
    least = min(ae.memory("gpt3", strategy).total for strategy in strategies) / GIB
    assert "GPT-3 doesn't fit into 32 × v100 by any of the" in sentence
    assert f"{least:,.1f} GiB for each NPU, {least - 32:,.1f} GiB more than its 32.0 GiB" in sentence
    assert "128 of them would do" in sentence
    assert fitting("gpt3", candidates("gpt3", 128, 4), V100)
    with pytest.raises(ae.ConfigError, match="doesn't fit into 64 × v100"):
        fitting("gpt3", candidates("gpt3", 64, 4), V100)
    roomier = replace(V100, memory_bytes=int(least * GIB) + 1)
    assert fitting("gpt3", strategies, roomier)


def test_one_strategy_that_doesnt_fit_is_told_too():
    with pytest.raises(ae.ConfigError, match=r"by this strategy: the least, data 1 × tensor 1 × pipeline 1, micro-"):
        fitting("gpt3", [ae.Strategy()], A100)


# --- the fastest ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", some([(SMALL, 8, 16), ("vgg16", 8, 64)], 1))
def test_the_fastest_is_the_fastest_of_all(case):
    model, npus, batch = case
    on, strategies = machines(npus), candidates(model, npus, batch)
    each = [ae.estimate(model, strategy, A100, on).total_ns for strategy in strategies]
    found = fastest(model, strategies, A100, on)
    assert found.total_ns == min(each)
    assert found.total_ns == ae.estimate(model, found.strategy, A100, on).total_ns
    assert fastest(model, reversed(strategies), A100, on).total_ns == found.total_ns


def test_bounds_are_bounds():
    on, about = machines(8), abridged(SMALL)
    for strategy in candidates(SMALL, 8, 16)[::7]:
        times = stage_times(about, strategy, A100, on)
        assert isinstance(times, StageTimes)
        total = ae.estimate(SMALL, strategy, A100, on).total_ns
        roundings = strategy.micro_batches * len(times.parts)
        assert compute_bound_ns(about, strategy, A100) <= times.bound_ns + roundings
        assert times.bound_ns <= total


@pytest.mark.parametrize("stages", [2, 4])
def test_bounds_are_bounds_where_micro_batches_go_both_ways(stages):
    model = ae.transformer("twelve", hidden=1024, heads=8, blocks=12, sequence=512, vocabulary=1000)
    on = ae.Platform((ae.Dimension.of("Switch", stages, 200, 700),), ae.SystemConfig.of("halvingDoubling", splits=1))
    for batch, blocks in itertools.product((8, 10, 16), ("even", "uneven", "ends")):
        cut = ae.Strategy(pipeline=stages, pipeline_order="dualpipe", batch=batch, stage_blocks=blocks)
        times, total = stage_times(abridged(model), cut, A100, on), ae.estimate(model, cut, A100, on).total_ns
        assert compute_bound_ns(abridged(model), cut, A100) <= times.bound_ns + batch * len(times.parts)
        assert 0.8 * total < times.bound_ns <= total


@pytest.mark.parametrize("order", ["zb-h1", "zb-v", "v-half", "v-min"])
@pytest.mark.parametrize("stages", [2, 3])
def test_bounds_are_bounds_where_backward_passes_are_split(order, stages):
    model = ae.transformer("twelve", hidden=1024, heads=8, blocks=12, sequence=512, vocabulary=1000)
    on = ae.Platform((ae.Dimension.of("Switch", stages, 200, 700),), ae.SystemConfig.of("halvingDoubling", splits=1))
    about, virtual = abridged(model), 1 if order == "zb-h1" else 2
    for batch, blocks in itertools.product((1, 2, 4, 8), ("even", "uneven", "ends")):
        cut = ae.Strategy(pipeline=stages, pipeline_order=order, virtual=virtual, batch=batch, stage_blocks=blocks)
        times = stage_times(about, cut, A100, on)
        assert compute_bound_ns(about, cut, A100) <= times.bound_ns + batch * len(times.parts)
        assert times.bound_ns <= ae.estimate(model, cut, A100, on).total_ns


def test_the_bound_of_a_split_order_by_hand():
    """Two stages, F, B and W of 10, 10 and 5 ns and of 10, 10 and 15 ns, two micro-batches: the second stage begins at
    10 and works for 70 ns, while the first ends by 10 + 40 + 10 + 5, as the second's weights may wait."""
    parts = (Part(10, 15, (0, 0, 0), 0, 0, 5), Part(10, 25, (0, 0, 0), 0, 0, 15))
    cut = ae.Strategy(pipeline=2, pipeline_order="zb-h1", batch=2)
    assert StageTimes(SMALL, cut, parts, (0,), 0, 0).bound_ns == 80
    light = (parts[0], Part(10, 12, (0, 0, 0), 0, 0, 2))
    assert StageTimes(SMALL, cut, light, (3,), 0, 0).bound_ns == 10 + 3 + 40 + 3 + 10 + 5
    assert ae.run_pipeline("zb-h1", 2, 2, (10, 10), (15, 12), (3,), weight_ns=(5, 2)).total_ns == 71
    whole = replace(cut, pipeline_order="1f1b")
    assert StageTimes(SMALL, whole, parts, (0,), 0, 0).bound_ns == 10 + 70 + 15


def test_strategies_that_cant_be_cut_out_of_the_platform_are_left_out():
    on = machines(12, inside=4)
    strategies = [ae.Strategy(tensor=tensor, data=12 // tensor, batch=12) for tensor in (1, 2, 4)]
    with pytest.warns(UserWarning, match="keeps"):
        assert fastest("gpt3", [*strategies, ae.Strategy(tensor=3, data=4)], A100, on).strategy in strategies
    with pytest.raises(ae.ConfigError, match="a tensor group of 3 NPUs can't be cut out of 4 × 3 NPUs"):
        fastest("gpt3", [ae.Strategy(tensor=3, data=4)], A100, on)


def test_a_fastest_that_doesnt_fit_is_warned_of_with_both_sizes():
    strategy = ae.Strategy(data=1, tensor=8)
    sentence = (
        r"the fastest of these, data 1 × tensor 8 × pipeline 1, micro-batches of 1, keeps 3\d\d\.\d GiB on each NPU, "
        r"and a100 has 80\.0 GiB; ae\.fitting"
    )
    with pytest.warns(UserWarning, match=sentence):
        found = fastest("gpt3", [strategy], A100, machines(8))
    assert repr(found).startswith(f"<{found.total_ns / 1e6:,.3f} ms by {described(strategy)}: compute ")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("device", some([replace(A100, memory_bytes=None), A100], 1))
def test_nothing_is_said_of_memory_where_it_fits_or_isnt_known(device):
    fastest("gpt2", candidates("gpt2", 8, 8), device, machines(8))


def test_nothing_to_choose_from():
    with pytest.raises(ae.ConfigError, match="no strategies to choose the fastest from"):
        fastest("gpt3", [], A100, machines(8))
    with pytest.raises(ae.ConfigError, match="no strategies that could fit"):
        fitting("gpt3", [], A100)


# --- how many NPUs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "grow"),
    [
        (ae.Strategy(data=16, zero=2, recompute="full", sequence_parallel=True), "tensor"),
        (ae.Strategy(tensor=16, zero=2, recompute="full", sequence_parallel=True), "data"),
        (ae.Strategy(tensor=8, recompute="full", batch=64), "pipeline"),
    ],
)
def test_as_many_npus_as_needed_and_not_one_more(strategy, grow):
    found = npus_needed("gpt3", V100, strategy, grow)
    assert ae.memory("gpt3", found).fits(V100)
    for fewer in range(1, getattr(found, grow)):
        try:
            smaller = replace(found, **{grow: fewer}, batch=found.samples if grow != "data" else fewer)
            assert not ae.memory("gpt3", smaller).fits(V100)
        except ae.ConfigError:
            continue


def test_the_fewest_npus_of_all():
    for model, on in (("gpt2", V100), ("turing-nlg", A100)):
        found = fewest_npus(model, on)
        kept = [ae.memory(model, each).total for each in candidates(model, found.npus, found.npus)]
        assert ae.memory(model, found).total == min(kept) <= on.memory_bytes
        if found.npus > 1:
            half = found.npus // 2
            assert not any(ae.memory(model, each).fits(on) for each in candidates(model, half, half))
    with pytest.raises(ae.ConfigError, match="GPT-3 doesn't fit into tiny even on 65,536 NPUs"):
        fewest_npus("gpt3", replace(V100, name="tiny", memory_bytes=10**6), batch=1)


def test_copies_bring_their_own_samples():
    found = npus_needed("gpt3", V100, ae.Strategy(tensor=16, zero=3, batch=4, micro_batch=2, recompute="full"), "data")
    assert found.data > 1
    assert found.samples == 4 * found.data


def test_what_no_group_makes_fit_names_the_best():
    with pytest.raises(
        ae.ConfigError, match=r"GPT-3 fits into v100 with no data group of up to 1,024 NPUs: with 1,024"
    ):
        npus_needed("gpt3", V100, ae.Strategy(tensor=4, zero=2), "data")
    with pytest.raises(ae.ConfigError, match="grow is 'micro_batch'; Allowed: data, tensor, pipeline"):
        npus_needed("gpt3", V100, ae.Strategy(), "micro_batch")


def test_a_strategy_in_words():
    assert described(ae.Strategy()) == "data 1 × tensor 1 × pipeline 1, micro-batches of 1"
    whole = ae.Strategy(
        data=2, tensor=4, pipeline=2, batch=8, micro_batch=2, pipeline_order="interleaved", virtual=3, zero=1,
        sequence_parallel=True, recompute="full",
    )  # fmt: skip
    assert described(whole) == (
        "data 2 × tensor 4 × pipeline 2, micro-batches of 2, 3 virtual stages each, ZeRO-1, sequence parallel, "
        "full recomputation"
    )


def test_models_without_blocks_have_pipelines_whatever_the_micro_batches():
    pipelines = [each for each in ae.candidates("vgg16", 4, 64) if each.pipeline == 4]
    assert {each.micro_batch for each in pipelines} == {2**k for k in range(7)}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ae.fitting("gpt2", ae.Strategy(), "a100"), "give several"),
        (lambda: ae.fitting("gpt2", [1, 2], "a100"), "strategy is 1"),
        (lambda: ae.fastest("gpt2", 5, "a100", ae.preset("ring")), "give several"),
        (lambda: ae.fewest_npus("gpt2", "a100", batch=0), "batch is 0"),
        (lambda: ae.estimate("gpt2", ae.Strategy(), "a100", 5), "platform is 5"),
        (lambda: ae.npus_needed("transformer-1t", "a100", ae.Strategy(), "tensor"), "fits into a100 with no tensor"),
        (lambda: ae.candidates("vgg16", 10_007, 3), "NPUs would do"),
    ],
)
def test_what_makes_no_search_is_told_so_and_soon(call, says):
    with pytest.raises(ae.ConfigError) as raised:
        call()
    assert says in str(raised.value)


@pytest.mark.parametrize(("name", "batch"), [("vgg16", 3), ("gpt2", 8), ("dlrm", 4)])
def test_the_numbers_of_npus_that_would_do_are_those_with_a_candidate(name, batch):
    there = []
    for npus in range(1, 150):
        with contextlib.suppress(ConfigError):
            there += [npus] * bool(candidates(name, npus, batch))
    model = ae.model(name)
    assert possible_numbers(model, batch, 149) == there


MIXTURE = ae.transformer(
    "mixture", hidden=256, heads=8, blocks=6, sequence=128, vocabulary=1000, experts=4, top_k=2, feedforward=512
)


@pytest.mark.parametrize(
    "model", [MIXTURE, ae.transformer("dense", hidden=256, heads=8, blocks=7, sequence=64, vocabulary=99)]
)
def test_the_whole_space_has_every_group_and_every_way_to_share_blocks(model):
    found = ae.candidates(model, 16, 32, whole_space=True)
    assert len(found) == len(set(found))
    assert set(ae.candidates(model, 16, 32)) <= set(found)
    assert {cut.context for cut in found} == {1, 2, 4, 8, 16}
    assert {cut.expert for cut in found} == ({1, 2, 4} if model is MIXTURE else {1})
    blocks = len(model.blocks)
    assert {cut.pipeline for cut in found} == {n for n in (1, 2, 4, 8, 16) if n <= blocks}
    assert {cut.stage_blocks for cut in found} == {"even", "ends"} if blocks == 6 else {"even", "uneven"}
    for cut in found:
        assert cut.npus == 16
        cut.check(model)
    assert {cut.virtual for cut in found if cut.stage_blocks != "even"} >= {1}


@pytest.mark.parametrize("seed", quarter(range(3)))
def test_the_fastest_of_the_whole_space_is_the_best_of_all_that_fit(seed):
    """Every candidate looked at, against the search by bounds."""
    rng = random.Random(seed)
    platform = ae.Platform(
        (ae.Dimension.of("Switch", 4, rng.choice([50, 300]), 500), ae.Dimension.of("Switch", 2, 25, 1000)),
        ae.SystemConfig.of("halvingDoubling_halvingDoubling", splits=1),
    )
    model = ae.transformer("m", hidden=1024, heads=8, blocks=6, sequence=512, vocabulary=1000)
    device = replace(ae.device("a100"), memory_bytes=rng.choice([10**9, 2 * 10**9]))
    some = rng.sample(ae.candidates(model, 8, 16, whole_space=True), len(few(range(150), 60)))
    found = ae.fastest(model, some, device, platform, fits=True)
    times = {}
    for cut in some:
        if ae.memory(model, cut).fits(device):
            try:
                one = ae.estimate(model, cut, device, platform)
            except ae.ConfigError:
                continue
            times[cut] = one.bound_ns or one.total_ns
    assert found.total_ns == min(times.values()) == times[found.strategy]


def test_where_nothing_fits_the_fastest_says_what_would():
    device = replace(ae.device("a100"), memory_bytes=10**6)
    pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
    with pytest.raises(ae.ConfigError, match="GPT-2 doesn't fit into 8 × a100 by any of the 135 strategies"):
        ae.fastest("gpt2", ae.candidates("gpt2", 8, 8), device, pods, fits=True)


def test_a_bar_is_shown_for_many_strategies_alone(capsys, monkeypatch):
    """Few are looked at soon, and what a notebook prints mustn't depend on how busy the machine is."""
    monkeypatch.setattr("astra_edu.base.progress.perf_counter", iter(range(10**6)).__next__)
    pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
    some = ae.candidates("gpt2", 8, 8)
    ae.fastest("gpt2", some, "a100", pods, fits=True)
    assert "the fastest" not in capsys.readouterr().err
    monkeypatch.setattr("astra_edu.explore.iteration.best_first.FEW", len(some) - 1)
    ae.fastest("gpt2", some, "a100", pods, fits=True)
    assert "the fastest" in capsys.readouterr().err
