"""What bounds a run: the critical path, its shares, and the changes that are claimed to help."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.explain import Change, changes, critical_path, explain, shares
from astra_edu.workload import Layer, Work

INPUTS = Path(__file__).parents[2] / "exercises/inputs"


def run(folder, network, work, system=None, passes=1, **scales):
    here = INPUTS / folder
    platform = ae.load_astra_sim(here / f"{network}.json", here / f"{system or network}.txt")
    return ae.simulate(ae.load_workload(here / f"{work}.txt", **scales), platform, passes)


EXAMPLES = {
    "exercise 1": lambda: run("asplos2022/ex1", "ring", "all_reduce"),
    "exercise 1 at 1 GiB": lambda: run("asplos2022/ex1", "ring", "all_reduce", comm_scale=1024),
    "VGG-16 on DGX-2": lambda: run("asplos2022/ex3", "dgx2", "vgg16", compute_scale=0.41),
    "VGG-16 on TPU": lambda: run("asplos2022/ex3", "tpu", "vgg16"),
    "GPT-3 on DGX-2": lambda: run("asplos2022/ex3", "dgx2", "gpt3", compute_scale=0.41),
    "exercise 4": lambda: run("asplos2022/ex4", "torus", "vanilla", passes=3),
    "baseline": lambda: run("asplos2023/ex3-1", "3d_switch", "all_reduce", "3d_switch_baseline", comm_scale=1024),
    "Themis": lambda: run("asplos2023/ex3-1", "3d_switch", "all_reduce", "3d_switch_themis", comm_scale=1024),
    "congestion": lambda: run("asplos2023/ex3-2", "direct", "all_reduce", comm_scale=1024),
}

ALGORITHMS = {
    "Ring": ["ring", "direct"],
    "Switch": ["halvingDoubling", "direct2"],
    "FullyConnected": ["direct", "ring"],
}


@st.composite
def platforms(draw):
    dims = []
    names = []
    for _ in range(draw(st.integers(1, 3))):
        topology = draw(st.sampled_from(sorted(ALGORITHMS)))
        speed = draw(st.sampled_from([1, 6.25, 50])), draw(st.sampled_from([0, 1, 500]))
        dims.append(ae.Dimension.of(topology, draw(st.sampled_from([1, 2, 4])), *speed))
        names.append(draw(st.sampled_from([*ALGORITHMS[topology], "doubleBinaryTree"])))
    system = ae.SystemConfig.of(
        "_".join(names),
        scheduling=draw(st.sampled_from(["LIFO", "FIFO"])),
        endpoint_delay=draw(st.sampled_from([0, 1, 10])),
        splits=draw(st.integers(1, 6)),
        active_chunks=draw(st.integers(1, 3)),
        queues=draw(st.integers(1, 2)),
        optimization=draw(st.sampled_from(["localBWAware", "baseline"])),
        intra_dimension=draw(st.sampled_from(["FIFO", "SCF", "RG", "lessRemainingPhaseFirst"])),
        inter_dimension=draw(st.sampled_from(["baseline", "roundRobin", "themis"])),
        rendezvous=draw(st.booleans()),
    )
    return ae.Platform(tuple(dims), system)


@st.composite
def workloads(draw):
    def work():
        size = draw(st.sampled_from([64, 4096, 100_000]))
        return Work(
            draw(st.sampled_from([0, 1, 5, 1000])),
            draw(st.sampled_from([None, "all-reduce", "all-gather", "reduce-scatter", "all-to-all"])),
            size,
        )

    loop = draw(st.sampled_from(["DATA", "DATA_REORDER", "MODEL", "HYBRID_DATA_MODEL", "DISTRIBUTED_INFERENCE"]))
    count = draw(st.integers(1, 3))
    layers = [Layer(f"l{i}", work(), work(), work(), draw(st.sampled_from([0, 1, 70]))) for i in range(count)]
    return ae.Workload(loop, tuple(layers))


@settings(max_examples=150)
@given(workloads(), platforms(), st.integers(1, 2))
def test_the_path_covers_the_run_and_its_shares_add_up(workload, platform, passes):
    result = ae.simulate(workload, platform, passes)
    path = critical_path(result)
    assert [s.start_ns for s in path] == [0, *(s.end_ns for s in path[:-1])]
    assert path[-1].end_ns == result.total_ns
    found = shares(result, path)
    assert sum(found.values()) == result.total_ns
    assert min(found.values()) > 0
    assert found.get("compute", 0) <= result.compute_ns


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_longer_endpoint_delay_costs_what_the_path_says(name):
    result = EXAMPLES[name]()
    found = shares(result, critical_path(result))
    system = result.platform.system
    slower = ae.Platform(result.platform.network, replace(system, endpoint_delay=system.endpoint_delay + 1))
    more = ae.simulate(result.workload, slower, result.passes).total_ns - result.total_ns
    assert more == found["endpoint delay"] / system.endpoint_delay > 0


def test_the_shares_of_exercise_1_are_the_terms_of_its_formula():
    found = shares(result := EXAMPLES["exercise 1"](), critical_path(result))
    assert dict(found) == {
        "dimension 0's latency": 4 * 14 * 500,
        "dimension 0's bandwidth": 4 * 14 * 305,
        "endpoint delay": 4 * (14 + 1) * 10,
        "update time": 1,
    }


def test_a_memory_bound_that_nothing_tried_helps_against():
    bound = replace(ae.Dimension.of("Ring", 4, 50, 500), hbm_latency=1000, hbm_scale=1)
    platform = ae.Platform((bound,), ae.SystemConfig.of("ring", splits=1))
    said = explain(ae.simulate(ae.Workload.micro("all-reduce", 4096), platform))
    assert said.bound == "memory time"
    assert sum(said.shares.values()) == pytest.approx(said.before_ns)
    assert said.sentences[0] == "Memory time bounds this run."
    assert "None of the 5 single changes tried makes it more than 1 % faster." in said.sentences


def test_a_shared_bus_has_its_share():
    from astra_edu.system import Bus

    platform = ae.preset("ring")
    busy = replace(platform, system=replace(platform.system, bus=Bus(G=0.1)))
    said = explain(ae.simulate(ae.Workload.micro("all-reduce", 2**20), busy))
    free = shares(result := ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform), critical_path(result))
    assert said.bound == "shared bus"
    assert sum(said.shares.values()) == said.before_ns
    assert {name: said.shares[name] for name in free if name.startswith("dimension")} == {
        name: ns for name, ns in free.items() if name.startswith("dimension")
    }
    assert dict(said.changes)["a shared bus of half the L, o, g and G"] < said.before_ns


DIAGNOSES = {
    "exercise 1": "dimension 0's latency",
    "exercise 1 at 1 GiB": "dimension 0's bandwidth",
    "VGG-16 on DGX-2": "dimension 1's bandwidth",
    "VGG-16 on TPU": "dimension 0's bandwidth",
    "GPT-3 on DGX-2": "compute",
    "exercise 4": "compute",
    "baseline": "scheduling",
    "Themis": "bandwidth of all dimensions",
    "congestion": "dimension 0's bandwidth",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_known_diagnoses(name):
    assert explain(EXAMPLES[name]()).bound == DIAGNOSES[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_change_alters_the_run_and_says_how_in_words_of_its_own(name):
    result = EXAMPLES[name]()
    tried = list(changes.candidates(result))
    assert len({change.description for change in tried}) == len(tried) >= 5
    for change in tried:
        assert (change.workload or result.workload, change.platform or result.platform) != (
            result.workload,
            result.platform,
        )


def test_the_times_of_changes_are_those_of_platforms_made_by_hand():
    ring = EXAMPLES["exercise 1"]()
    system, work = ring.platform.system, ring.workload
    told = dict(explain(ring).changes)

    def total(bandwidth=50, latency=500, **settings):
        platform = ae.Platform((ae.Dimension.of("Ring", 8, bandwidth, latency),), replace(system, **settings))
        return ae.simulate(work, platform).total_ns

    assert told == {
        "twice the bandwidth on dimension 0 (100 GB/s a link)": total(bandwidth=100),
        "half the latency on dimension 0 (250 ns a link)": total(latency=250),
        "an endpoint delay of 5 instead of 10 ns": total(endpoint_delay=5),
        "half as many chunks to a collective (2 splits instead of 4)": total(splits=2),
        "twice as many chunks to a collective (8 splits instead of 4)": total(splits=8),
        "up to 2 instead of 1 chunks at once on a dimension": total(active_chunks=2),
    }


def test_where_all_bandwidths_bound_together_no_one_of_them_is_recommended():
    said = explain(EXAMPLES["Themis"]())
    one = [ns for what, ns in said.changes if what.startswith("twice the bandwidth on dimension")]
    (every,) = (ns for what, ns in said.changes if what == "twice the bandwidth on all dimensions")
    assert len(one) == 3
    assert said.sentences[0] == (
        "The bandwidth of all dimensions together bounds this run: twice as much on all makes it "
        f"{said.before_ns / every:.2f} times as fast, on any one of them {said.before_ns / min(one):.2f} times as fast "
        "at most."
    )
    assert not any("twice the bandwidth on dimension" in sentence.lower() for sentence in said.sentences)


def test_a_dimension_is_busy_as_long_in_words_as_in_the_table():
    layers = [
        Layer(f"layer {i}", *[Work(1000, None, 0)] * 2, Work(1000, "all-reduce", size))
        for i, size in enumerate((2**20, 64))
    ]
    result = ae.simulate(ae.Workload("DATA", layers), ae.preset("3d-switch"))
    assert any(sum(stay.phase.duration.sent) == 0 for stay in result.stays)
    (sentence,) = (said for said in explain(result, changes=False).sentences if "had a chunk" in said)
    for d, share in enumerate(result.dimensions["busy"]):
        assert re.search(rf"[dD]imension {d} (had a chunk on it )?for {100 * share:.1f} %", sentence), sentence


def test_themis_is_what_the_baseline_lacks():
    said = explain(EXAMPLES["baseline"]())
    assert said.changes[0] == (
        "Themis, smallest chunk first (instead of baseline, FIFO)",
        EXAMPLES["Themis"]().total_ns,
    )
    assert "13,635.871 µs, 2.57 times as fast" in repr(said)
    assert "dimension 1 for 12.5 %, dimension 2 for 1.6 %" in repr(said)


def test_compute_that_is_twice_as_fast_is_a_workload_of_half_the_times():
    result = EXAMPLES["GPT-3 on DGX-2"]()
    told = dict(explain(result).changes)["compute that is twice as fast"]

    def half(work):
        return replace(work, compute_ns=(work.compute_ns + 1) // 2)

    layers = tuple(
        replace(
            x,
            forward=half(x.forward),
            input_gradient=half(x.input_gradient),
            weight_gradient=half(x.weight_gradient),
        )
        for x in result.workload.layers
    )
    assert told == ae.simulate(replace(result.workload, layers=layers), result.platform).total_ns < result.total_ns


def one_layer(compute, size):
    nothing = Work(0, None, 0)
    return ae.Workload("DATA", (Layer("<fc>", Work(compute, None, 0), nothing, Work(0, "all-reduce", size)),))


def test_communication_that_hides_is_said_to_make_no_difference():
    said = explain(ae.simulate(one_layer(10**9, 4096), ae.preset("ring")))
    assert any("hidden behind compute, so the network makes next to no difference" in s for s in said.sentences)
    seen = explain(ae.simulate(one_layer(10**4, 2**20), ae.preset("ring")))
    assert not any("next to no difference" in s for s in seen.sentences)


def test_a_collective_of_0_bytes_is_named_and_nothing_is_warned_of_again(recwarn):
    result = ae.simulate(one_layer(1000, 0), ae.preset("ring"))
    recwarn.clear()
    said = explain(result)
    assert not recwarn.list
    assert "Layer <fc>: the all-reduce of its weight gradient has 0 bytes and takes no time." in said.sentences
    assert "No collective is carried out, so the network makes no difference." in said.sentences
    assert "<fc>" not in said._repr_html_()
    assert "&lt;fc&gt;" in said._repr_html_()


def test_more_than_the_links_carry_is_said_and_not_recommended():
    said = repr(explain(EXAMPLES["congestion"]()))
    assert "puts 62.2 times as many bytes on dimension 0's links as they carry" in said
    told = explain(EXAMPLES["exercise 1 at 1 GiB"]())
    assert "up to 2 instead of 1 chunks" not in " ".join(what for what, _ in told.changes)
    assert "Left out" in told.sentences[-1]
    direct = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("direct"))
    meets = explain(ae.simulate(ae.Workload.micro("all-reduce", 64), direct))
    assert any("on dimension 0 messages share links" in s for s in meets.sentences)


def test_without_changes_nothing_is_simulated(monkeypatch):
    result = EXAMPLES["baseline"]()
    monkeypatch.setattr(changes, "simulate", None)
    said = explain(result, changes=False)
    assert said.bound == "dimension 0's bandwidth"
    assert said.changes == ()
    assert sum(said.shares.values()) == said.before_ns == result.total_ns
    with pytest.raises(TypeError):
        explain(result)


def test_changes_of_ones_own():
    result = EXAMPLES["exercise 1"]()
    switch = ae.preset("switch")
    said = explain(result, changes=[Change("a switch", platform=switch)])
    assert said.changes == (("a switch", ae.simulate(result.workload, switch).total_ns),)
    assert said.sentences[-1] == "A switch would make it 58.449 µs, 1.28 times as long."
    wrong = ae.SystemConfig.of("ring_ring")
    with pytest.raises(ae.ConfigError, match="2 implementations"):
        explain(result, changes=[Change("two", platform=replace(result.platform, system=wrong))])


def test_large_runs_are_compared_over_one_pass_and_with_few_changes(monkeypatch):
    result = EXAMPLES["exercise 4"]()
    monkeypatch.setattr(changes, "_LARGE", len(result.stays) - 1)
    monkeypatch.setattr(changes, "_WORK", len(result.stays))
    said = explain(result)
    once = ae.simulate(result.workload, result.platform, 1).total_ns
    assert (said.passes, said.before_ns, len(said.changes)) == (1, once, 4)
    assert sum(said.shares.values()) == result.total_ns > once
    assert f"over 1 of {result.passes} passes" in said.sentences[-2]
    assert said.sentences[-1].endswith("more changes were not tried, as the run is large.")


def test_the_table_holds_every_change_and_the_run_as_it_is():
    said = explain(EXAMPLES["exercise 1"]())
    table = said.table
    assert list(table.columns) == ["total_ns", "times as fast"]
    assert table.loc["as it is"].tolist() == [45_681, 1]
    assert dict(said.changes).items() <= table["total_ns"].to_dict().items()
    assert table["total_ns"].is_monotonic_increasing
    page = said._repr_html_()
    assert all(what in page for what, _ in said.changes)


def test_a_broken_dimension_is_named():
    network = [ae.Dimension.of("Switch", 4, 50, 500), ae.Dimension.of("Switch", 4, 25, 500)]
    platform = ae.Platform(network, ae.SystemConfig.of("halvingDoubling_halvingDoubling"))
    work = ae.workload.Work(1000, "all-reduce", 2**20)
    layer = ae.workload.Layer("layer", work, work, work)

    def said(group):
        grouped = ae.Workload("HYBRID_TRANSFORMER", (layer,), ("model_parallel_NPU_group:", str(group)))
        return str(ae.simulate(grouped, platform).explain(changes=False))

    assert "groups break dimension 1 in two; result.dimensions and the timeline call its parts 1 and 2" in said(8)
    assert "break dimension" not in said(4)


def test_a_run_that_takes_no_time_has_nothing_to_explain():
    idle = ae.run_pipeline("gpipe", stages=2, micro_batches=1, forward_ns=0, backward_ns=0)
    with pytest.raises(ae.ConfigError, match="takes no time"):
        idle.explain()
