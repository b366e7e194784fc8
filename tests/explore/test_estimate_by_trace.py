"""An estimate on a TracePlatform is the strategy's trace, simulated, and where its time goes.

Jobs of all groups there are, drawn at random: copies, tensor, context and expert groups, stages, ZeRO, orders of
passes.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from halves import some

import astra_edu as ae
from astra_edu.base.intervals import common, covered, gaps

SWITCH = "halvingDoubling"
VIRTUAL = {"interleaved": 2, "zb-v": 2, "v-half": 2, "v-min": 2}
ORDERS = ("1f1b", "1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "dualpipe")
MODEL = ae.transformer("m", hidden=2048, heads=16, blocks=8, sequence=2048, vocabulary=32_768, attention="flash")


def networks(cut: ae.Strategy, copies: float, algorithm: str = SWITCH) -> tuple[ae.Platform, ae.TracePlatform]:
    """A dimension for each group, for both versions. copies: 2**30 bytes/s of those among copies."""
    sizes = sorted({1, cut.context, cut.expert, cut.shard_group or 1, cut.copies})
    dims = [(cut.tensor, 300, 500), *((large // small, copies, 1000) for small, large in pairwise(sizes))]
    dims = [dim for dim in (*dims, (cut.pipeline, 25, 1000)) if dim[0] > 1]
    system = ae.SystemConfig.of("_".join([algorithm] * len(dims)), splits=1)
    first = ae.Platform(tuple(ae.Dimension.of("Switch", *dim) for dim in dims), system)
    blocks = tuple(ae.Block("Switch", *dim) for dim in dims)
    return first, ae.TracePlatform(blocks, ae.TraceSystem.of([algorithm] * len(dims)))


def any_job(seed: int) -> tuple[ae.Model, ae.Strategy, float]:
    """A model, a strategy by any groups that it and a trace can have, and the copies' bandwidth."""
    rng = Random(seed)
    while True:
        try:
            model, cut = drawn(rng)
            copies = rng.choice([25, 100])
            if cut.npus > 1 and ae.traces.from_strategy(model, cut, "h100", networks(cut, copies)[1]):
                return model, cut, copies
        except ae.ConfigError:
            continue


def drawn(rng: Random) -> tuple[ae.Model, ae.Strategy]:
    """They may not fit each other. Raises ConfigError for a strategy that nobody has."""
    experts = rng.random() < 0.35
    data, tensor, pipeline = rng.choice([1, 2, 4]), rng.choice([1, 1, 2, 4]), rng.choice([1, 1, 2, 4])
    context, expert = rng.choice([1, 1, 2]), rng.choice([2, 4]) if experts else 1
    order = rng.choice(ORDERS) if pipeline > 1 else "1f1b"
    sequence_parallel, size = tensor > 1 and rng.random() < 0.6, rng.choice([1, 2])
    hides = [name for name in ("gradients", "parameters", "tensor", "expert") if rng.random() < 0.6]
    model = ae.transformer(
        "m",
        hidden=rng.choice([1024, 2048]),
        heads=16,
        kv_heads=rng.choice([4, 16]),
        blocks=8,
        sequence=rng.choice([1024, 2048]),
        vocabulary=rng.choice([1024, 32_768]),
        attention="flash",
        experts=8 if experts else 1,
        top_k=2 if experts else 1,
    )
    zero = rng.choice([0, 1, 2, 3]) if data * context > 1 else 0
    may = {"parameters": zero > 0, "tensor": sequence_parallel, "expert": expert > 1}
    return model, ae.Strategy(
        data=data,
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=expert,
        zero=zero,
        batch=data * pipeline * size * rng.choice([2, 4]),
        micro_batch=size,
        pipeline_order=order,
        virtual=VIRTUAL.get(order, 1),
        sequence_parallel=sequence_parallel,
        overlap=tuple(name for name in hides if may.get(name, True)),
        context_by=rng.choice(["ring", "all-gather"]) if context > 1 else "all-gather",
        recompute=rng.choice(["none", "selective", "full"]),
        reshard=zero < 3 or rng.random() < 0.6,
    )


SEEDS = range(60)
MESSAGES = ("activations ", "gradient ")
"""How the names of what stages send each other begin."""


def simulated(model: ae.Model | str, cut: ae.Strategy, platform: ae.TracePlatform, device: str = "h100"):
    return ae.simulate(ae.traces.from_strategy(model, cut, device, platform), platform, progress=False)


@pytest.mark.thorough
def test_there_are_jobs_of_all_kinds():
    cuts = [any_job(seed)[1] for seed in SEEDS]
    for name in ("data", "tensor", "pipeline", "context", "expert", "zero"):
        assert sum(getattr(cut, name) > 1 for cut in cuts) >= 6, name
    assert len({cut.pipeline_order for cut in cuts}) > 4


@pytest.mark.parametrize("seed", some(SEEDS, 16))
def test_it_takes_as_long_as_the_trace_simulated_and_the_update(seed: int):
    model, cut, copies = any_job(seed)
    first, second = networks(cut, copies)
    found, closed = ae.estimate(model, cut, "h100", second), ae.estimate(model, cut, "h100", first)
    run = simulated(model, cut, second)
    assert found.total_ns == run.total_ns + found.update_ns
    assert found.update_ns == closed.update_ns
    assert found.repeated_ns == pytest.approx(closed.repeated_ns, rel=1e-3, abs=2)
    assert min(found.split.values()) >= 0
    assert sum(found.split.values()) == found.total_ns
    assert found.compute_ns == pytest.approx(closed.compute_ns, rel=0.03)  # not always the same stage is busiest
    assert found.memory == closed.memory
    for stage in range(cut.pipeline):
        moments = found.memory_timeline(stage)
        assert moments[-1].ns == found.total_ns
        assert max(moment.total for moment in moments) == pytest.approx(
            max(moment.total for moment in closed.memory_timeline(stage)), rel=0.35
        )


@pytest.mark.parametrize("order", ["1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "v-half", "dualpipe"])
def test_passes_of_the_pipeline_are_the_simulated_ones(order: str):
    cut = ae.Strategy(pipeline=4, data=2, batch=16, pipeline_order=order, virtual=VIRTUAL.get(order, 1))
    platform = networks(cut, 50)[1]
    found = ae.estimate(MODEL, cut, "h100", platform)
    width = cut.npus // cut.pipeline
    for stage in range(cut.pipeline):
        own = [span for span in found.pipeline.spans if span.stage == stage]
        computed = [span for span in found.simulated.timeline if (span.npu, span.lane) == (stage * width, "compute")]
        assert sum(span.end_ns - span.start_ns for span in own) == sum(one.end_ns - one.start_ns for one in computed)
        assert {(span.start_ns, span.end_ns) for span in own} <= {
            (one.start_ns, other.end_ns) for one in computed for other in computed
        }
        assert [span.start_ns for span in own] == sorted(span.start_ns for span in own)
    assert max(span.end_ns for span in found.pipeline.spans) == found.pipeline.total_ns <= found.total_ns


def test_a_group_by_itself_has_all_that_is_exposed():
    for cut, name in (
        (ae.Strategy(tensor=4), "tensor group"),
        (ae.Strategy(tensor=4, sequence_parallel=True, overlap=("tensor",)), "tensor group"),
        (ae.Strategy(data=4, zero=1), "exchange"),
        (ae.Strategy(data=4, overlap=()), "exchange"),
        (ae.Strategy(pipeline=4, batch=8), "waiting"),
    ):
        first, second = networks(cut, 50)
        found, closed = ae.estimate(MODEL, cut, "h100", second), ae.estimate(MODEL, cut, "h100", first)
        idle = {part: ns for part, ns in found.split.items() if part not in ("compute", "repeated", "update") and ns}
        assert set(idle) == {name}
        assert idle[name] == found.simulated.total_ns - found.compute_ns
        assert found.split[name] == pytest.approx(closed.split[name], rel=0.02)


def test_gathers_of_zero_3_within_passes_count_with_the_tensor_group_and_once_an_iteration_with_the_exchange():
    within, once = ae.Strategy(data=4, zero=3), ae.Strategy(data=4, zero=3, pipeline=2, batch=8, reshard=False)
    for cut, waited in ((within, True), (once, False)):
        found = ae.estimate(MODEL, cut, "h100", networks(cut, 50)[1])
        assert (found.tensor_ns > 0) == waited
        assert found.data_ns > 0


@pytest.mark.parametrize("by", ["ring", "all-gather"])
def test_each_group_has_the_time_of_its_own_nodes_where_nothing_computes(by: str):
    """Told by the nodes' names, of an NPU of the last stage, which has the words and is busiest."""
    cut = ae.Strategy(data=2, tensor=2, context=2, context_by=by, pipeline=2, batch=8, overlap=())
    platform = networks(cut, 50)[1]
    found = ae.estimate(MODEL, cut, "h100", platform)
    spans = [span for span in found.simulated.timeline if span.npu == cut.npus // 2]
    computed = [(span.start_ns, span.end_ns) for span in spans if span.lane == "compute"]
    assert covered(computed) == found.compute_ns
    free = gaps(computed, 0, found.simulated.total_ns)

    sends = [span for span in spans if span.lane == "communication"]

    def exposed(word: str) -> float:
        own = [span for span in sends if word in span.layer and not span.layer.startswith(MESSAGES)]
        return covered(common(free, [(span.start_ns, span.end_ns) for span in own]))

    assert found.context_ns == exposed("keys and values") > 0
    assert found.data_ns == exposed("weight gradients") > 0
    assert found.tensor_ns == exposed("") - found.context_ns - found.data_ns > 0
    assert found.waiting_ns == covered(free) - exposed("")


def test_dualpipe_s_stages_with_the_same_part_add_up_their_gradients_in_the_exchange():
    cut = ae.Strategy(pipeline=4, batch=8, pipeline_order="dualpipe")
    first, second = networks(cut, 50)
    found, closed = ae.estimate(MODEL, cut, "h100", second), ae.estimate(MODEL, cut, "h100", first)
    assert found.data_ns == pytest.approx(closed.data_ns, rel=0.05)
    assert found.data_ns > 0


def test_exchanged_embeddings_which_no_closed_form_knows_are_the_copies():
    cut = ae.Strategy(data=8, micro_batch=256, exchange_embeddings=True)
    first, second = networks(cut, 50)
    with pytest.raises(ae.ConfigError, match="exchanged embeddings"):
        ae.estimate("dlrm", cut, "a100", first)
    found, run = ae.estimate("dlrm", cut, "a100", second), simulated("dlrm", cut, second, "a100")
    assert found.total_ns == run.total_ns + found.update_ns
    assert found.tensor_ns == found.waiting_ns == 0 < found.data_ns


def test_what_links_allow_leads_and_belongs_to_groups_as_what_is_seen_does():
    cut = ae.Strategy(data=4, tensor=2, overlap=())
    platform = networks(cut, 50, "direct")[1]
    found, run = ae.estimate(MODEL, cut, "h100", platform), simulated(MODEL, cut, platform)
    assert run.bound_ns
    assert run.bound_ns > run.total_ns
    assert found.bound_ns - found.update_ns == pytest.approx(run.bound_ns, abs=1)
    assert found.at_least.compute_ns == found.compute_ns
    assert found.at_least.data_ns / found.data_ns == pytest.approx(found.at_least.tensor_ns / found.tensor_ns, rel=1e-3)
    assert repr(found).startswith("<at least ")


def test_a_roofline_s_computations_are_operations_not_whole_micros():
    cut = ae.Strategy(data=4)
    plain = networks(cut, 50)[1]
    system = ae.TraceSystem.of(SWITCH, roofline=True, peak_performance=990, local_memory_bandwidth=3000)
    found, other = (ae.estimate(MODEL, cut, "h100", each) for each in (plain, replace(plain, system=system)))
    assert abs(other.compute_ns - ae.estimate(MODEL, cut, "h100", networks(cut, 50)[0]).compute_ns) < 100
    assert found.compute_ns % 1000 == 0
    assert other.compute_ns % 1000


def test_what_no_trace_can_say_is_refused_with_its_reason():
    overlapping = ae.Strategy(data=3, context=4, shard_group=6, zero=3, batch=3)
    platform = ae.TracePlatform(ae.Block("Switch", 12, 50, 500), ae.TraceSystem.of("ring"))
    with pytest.raises(ae.ConfigError, match="overlap without one being in the other") as said:
        ae.traces.from_strategy(MODEL, overlapping, "h100", platform)
    with pytest.raises(ae.ConfigError) as found:
        ae.estimate(MODEL, overlapping, "h100", platform)
    assert str(found.value) == str(said.value)
    platform = networks(ae.Strategy(data=4), 50)[1]
    recorded = replace(platform, system=ae.TraceSystem.of(SWITCH, replay_only=True))
    with pytest.raises(ae.ConfigError, match="replay_only"):
        ae.estimate(MODEL, ae.Strategy(data=4), "h100", recorded)
    with pytest.raises(ae.ConfigError, match="but the network has 4"):
        ae.estimate(MODEL, ae.Strategy(data=8), "h100", platform)


def test_searches_go_by_the_clock_of_the_first_version():
    platform = networks(ae.Strategy(data=4), 50)[1]
    plans = ae.plans("vgg16", npus=4, batch=64)
    for search in (
        lambda: ae.fastest(MODEL, [ae.Strategy(data=4)], "h100", platform),
        lambda: ae.fastest("vgg16", plans, "h100", platform),
        lambda: ae.explore.iteration.groups(platform, ae.Strategy(data=4)),
    ):
        with pytest.raises(ae.ConfigError, match=r"go by the clock of 1\.0.*ae\.estimate\(model, found\.strategy"):
            search()


def test_it_says_the_rest_as_other_estimates_do():
    cut = ae.Strategy(data=4, pipeline=2, batch=16)
    first, second = networks(cut, 50)
    found, closed = ae.estimate(MODEL, cut, "h100", second), ae.estimate(MODEL, cut, "h100", first)
    assert (found.tokens, found.flops, found.fits, found.launching_ns) == (closed.tokens, closed.flops, closed.fits, 0)
    assert found.mfu == pytest.approx(closed.mfu * closed.total_ns / found.total_ns)
    assert f"{found.total_ns / 1e6:,.3f} ms" in found.table
    assert found.table.splitlines()[0] == closed.table.splitlines()[0]
    assert closed.range_ns
    assert found.range_ns is None  # runs were compared with estimates by the clock of 1.0
    assert ae.step_times(found, steps=10).base_ns == found.total_ns
    assert (closed.simulated, found.simulated.total_ns) == (None, found.total_ns - found.update_ns)
