"""What if: its settings, what follows them, what it refuses, what it asks, and the way out of it as code and files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.instruments import what_if, what_if_runs, what_if_words
from astra_edu.course.instruments.question import confront
from astra_edu.course.instruments.what_if import WhatIf
from astra_edu.course.instruments.what_if_code import code, loading
from astra_edu.course.instruments.what_if_jobs import MADE_HERE, SINGLE, dlrm, find_inputs, transformer
from astra_edu.course.instruments.what_if_runs import phases, ran
from astra_edu.course.instruments.which import MORE, NONE
from astra_edu.course.widgets import Timeline
from astra_edu.system import Implementation
from astra_edu.workload import Layer, Work

INPUTS = Path(__file__).parents[3] / "exercises" / "inputs" / "asplos2022" / "ex3"
GIB = 2**30
MODEL = "the messages share links; ASTRA-sim's contention-free model says"


@pytest.fixture
def view():
    return WhatIf("dgx2", "VGG-16", inputs=INPUTS, compute_scale=0.41, ask=False)


def move(view, **given):
    """As the view does it: other settings may be brought in line, and what can't be is said."""
    view.values = view.values | given
    return view.data["scene"]


def values_of(view, name):
    return next(setting.values for setting in view.settings if setting.name == name)


# What is shown


def test_it_starts_with_exercise_3(view):
    assert repr(view).startswith("WhatIf(<5,632.316 µs in all: compute 751.019 µs")
    scene = view.data["scene"]
    assert scene["headline"] == "5,632.316 µs in all"
    assert "Dimension 1's bandwidth bounds this run." in scene["sentences"]
    assert scene["sentences"][0].startswith("dgx2: 16 DGX-2 of 16 V100")
    bundle = view._repr_mimebundle_()[0]
    assert bundle["text/plain"].endswith(view.summary())


def test_the_scale_that_gives_the_tutorials_number_is_said(view):
    says = "The file's compute times are a TPU's; on {} the tutorial takes them × {}."
    for given, words in (
        ({"compute_scale": 1}, says.format("dgx2", 0.41)),
        ({"platform": "tpu"}, ""),
        ({"compute_scale": 0.41}, says.format("tpu", 1)),
        ({"workload": "DLRM-like"}, ""),
        ({"workload": "VGG-16", "platform": "dgx2"}, ""),
    ):
        told = [one for one in move(view, **given)["sentences"] if "the tutorial takes" in one]
        assert told == [words] * bool(words), given


def test_the_timeline_is_the_runs(view):
    for bandwidth in (6.25, 12.5):
        scene = move(view, bandwidth_1=bandwidth)
        assert scene["view"] == Timeline(view.result).data


def test_the_numbers_are_the_results_own(view):
    scene = move(view, bandwidth_1=12.5)
    result = view.result
    assert scene["numbers"] == {
        "time": (result.total_ns, format_ns(result.total_ns)),
        "compute": (result.compute_ns, format_ns(result.compute_ns)),
        "exposed communication": (result.exposed_ns, format_ns(result.exposed_ns)),
        "sent by an NPU": (result.message_bytes, format_bytes(result.message_bytes)),
        "network cost": (result.network_cost, f"${result.network_cost:,.0f}"),
    }
    time, used, sent = view.scene(view.values).bars
    assert [(part.look, part.size) for part in time.bars[0].parts] == [
        ("compute", result.compute_ns / 1e3),
        ("exposed communication", result.exposed_ns / 1e3),
    ]
    for d, row in enumerate(result.dimensions.to_dict("records")):
        assert used.bars[d].label == sent.bars[d].label == f"{d}: Switch of 16"
        assert used.bars[d].size == pytest.approx(100 * row["utilisation"])
        assert used.bars[d].limit == pytest.approx(100 * row["busy"])
        assert used.bars[d].said == f"{100 * row['utilisation']:.1f} %, busy {100 * row['busy']:.1f} %"
        assert (sent.bars[d].size * 2**20, sent.bars[d].said) == (row["bytes"], format_bytes(row["bytes"]))


def test_the_picture_is_the_platform(view):
    move(view, bandwidth_1=75, topology_1="Ring")
    stage = view.scene(view.values).stage
    links = {link.name: link for link in stage.links}
    assert [links[f"links {d}"].says for d in (0, 1)] == [("150 GB/s",), ("150 GB/s",)]
    assert links["links 0"].wide == links["links 1"].wide == (14.0,)
    move(view, bandwidth_0=12.5)
    links = {link.name: link for link in view.scene(view.values).stage.links}
    assert links["links 0"].wide == (1.5 + 12.5 / 2,)
    says = {frame.name: frame.text or frame.says[0] for frame in stage.frames}
    assert says == {
        **{"NPU": "NPU", "dimension 0": "16 NPUs", "dimension 1": "16 NPUs"},
        **{"words: dimension 0": "0: Switch", "words: dimension 1": "1: Ring"},
    }
    boxes = [frame.box for frame in stage.frames if frame.box[2]]
    assert all(x >= 0 and x + wide <= stage.size[0] for x, _, wide, _ in boxes)


def shared(algorithm):
    network = ae.Dimension.of("Switch", 16, 50, 500), ae.Dimension.of("Ring", 2, 50, 500)
    return ae.Platform(network, ae.SystemConfig.of(f"{algorithm}_ring", splits=1))


def test_the_bound_leads_where_messages_share_links():
    view = WhatIf(shared("direct"), ae.Workload.micro("all-reduce", GIB), ask=False)
    scene = view.scene(view.values)
    assert scene.headline == f"at least 37,500.001 µs in all: {MODEL} {format_ns(view.result.total_ns)}"
    assert scene.numbers["time"] == (view.result.bound_ns, "at least 37,500.001 µs")
    least, without = scene.bars[0].bars
    assert (least.said, least.size) == ("at least 37,500.001 µs", view.result.bound_ns / 1e3)
    assert (without.label, without.said) == ("without queues", format_ns(view.result.total_ns))
    assert scene.view["total"] == "at least 37,500.001 µs"
    assert repr(view).startswith(f"WhatIf(<at least 37,500.001 µs in all: {MODEL} ")
    asked = WhatIf(shared("direct"), ae.Workload.micro("all-reduce", GIB)).answer(view.values)
    assert asked.why.startswith(
        "Now it takes at least 37,500.001 µs. With twice the bandwidth on dimension 0: at least"
    )
    free = WhatIf(shared("ring"), ae.Workload.micro("all-reduce", GIB), ask=False)
    assert "at least" not in free.summary()
    assert len(free.scene(free.values).bars[0].bars) == 1


def test_warnings_of_a_run_are_shown(view):
    move(view, platform="conv-3d", workload="small transformer")
    scene = move(view, npus_0=6, algorithm_0="ring", npus_1=2)
    assert "Beware: a model_parallel_NPU_group of 4 doesn't fit dimensions of 6 x 2 x 4 NPUs" in " ".join(
        scene["sentences"]
    )


def test_a_part_without_a_price_is_no_error():
    tile = replace(ae.Dimension.of("Switch", 4, 25, 500), kind="Tile")
    view = WhatIf(ae.Platform((tile,), ae.SystemConfig.of("ring")), "all-reduce")
    assert "network cost" not in what_if_words.numbers(view.result)


# Settings


def test_every_setting_changes_the_run(view):
    for name, value in [
        ("bandwidth_1", 12.5),
        ("latency_1", 1000),
        ("links_0", 3),
        ("npus_0", 8),
        ("topology_0", "FullyConnected"),
        ("algorithm_0", "ring"),
        ("endpoint_delay", 100),
        ("splits", 8),
        ("active_chunks", 2),
        ("scheduling", "FIFO"),
        ("intra_dimension", "SCF"),
        ("inter_dimension", "themis"),
        ("inter_dimension", "baseline"),
        ("optimization", "baseline"),
        ("dimensions", 1),
        ("compute_scale", 1),
        ("comm_scale", 0.5),
        ("passes", 2),
        ("workload", "DLRM-like"),
        ("platform", "tpu"),
    ]:
        before = view.result, view.data["scene"]
        move(view, **{name: value})
        assert not view.data["problem"], name
        assert view.result.total_ns != before[0].total_ns, name
        assert view.data["scene"]["view"] != before[1]["view"], name
        assert view.data["scene"]["code"] != before[1]["code"], name


def test_one_change_is_one_simulation(view):
    for given in ({"platform": "conv-4d"}, {"workload": "all-to-all"}, {"bandwidth_0": 12.5}):
        before = ran.cache_info().misses
        move(view, **given)
        assert ran.cache_info().misses == before + 1


@pytest.mark.parametrize("name", ae.PRESETS)
def test_a_preset_is_shown_as_it_is_and_known_again(view, name):
    move(view, workload="all-reduce")
    move(view, platform=name)
    assert view.result.platform == ae.preset(name)
    assert (view.values["platform"], view.values["based"]) == (name, name)
    before = view.values["splits"]
    move(view, splits=3)
    assert view.values["platform"] == "edited"
    assert view.result.platform == replace(ae.preset(name), system=replace(ae.preset(name).system, splits=3))
    move(view, splits=before)
    assert view.values["platform"] == name


def test_what_has_no_control_is_as_on_the_platform_that_it_is_based_on():
    view = WhatIf("torus", "all-to-all", ask=False)
    move(view, latency_0=20)
    assert view.values["based"] == "torus"
    assert not view.result.platform.system.boost
    assert "based" not in view.data["hidden"]
    again = WhatIf(view.data["short"])
    assert again.result.platform == view.result.platform


def test_exercise_2_by_its_topologies_alone():
    view = WhatIf("ring", "all-reduce")
    for topology, name in (("Switch", "switch"), ("FullyConnected", "fully-connected"), ("Ring", "ring")):
        move(view, topology_0=topology)
        assert view.values["platform"] == name


def test_links_follow_what_is_needed_and_otherwise_stay():
    view = WhatIf("fully-connected", "all-reduce")
    for given, links in (({"npus_0": 16}, 15), ({"npus_0": 8}, 7), ({"links_0": 14}, 14), ({"npus_0": 10}, 14)):
        move(view, **given)
        assert view.values["links_0"] == links
    assert not view.data["problem"]


def test_an_algorithm_without_a_control_stays_whatever_the_topology():
    view = WhatIf("ring", "all-reduce", ask=False, controls=["topology_0"])
    move(view, topology_0="FullyConnected")
    assert view.data["problem"] == ""
    assert [view.values[f"{name}_0"] for name in ("topology", "algorithm", "links")] == ["FullyConnected", "ring", 7]


def test_more_dimensions_are_added_and_taken_away(view):
    before = view.result.total_ns
    move(view, dimensions=4)
    assert [d.npus for d in view.result.platform.network] == [16, 16, 4, 4]
    assert "latency_3" not in view.data["hidden"]
    move(view, dimensions=2)
    assert view.result.total_ns == before
    assert view.values["platform"] == "dgx2"
    assert "latency_2" in view.data["hidden"]


def test_what_cannot_be_simulated_is_greyed_and_explained_and_the_last_picture_stays(view):
    greyed = view.data["greyed"]["npus_0"]
    npus = values_of(view, "npus_0")
    assert {npus[int(place)] for place in greyed} == {n for n in npus if n & (n - 1)}
    scene = view.data["scene"]
    move(view, npus_0=12)
    assert "halving-doubling needs a power of two; 12 NPUs is none" in view.data["problem"]
    view.check(view.data["nearest"])
    assert view.data["scene"] == scene
    move(view, npus_0=16)
    assert view.data["problem"] == ""


def test_too_few_links_name_the_dimension():
    view = WhatIf("fully-connected", "all-reduce")
    move(view, links_0=3)
    assert "dimension 0: links is 3; a FullyConnected of 8 NPUs needs at least 7" in view.data["problem"]


def test_any_number_can_be_given_in_python(view):
    view.set(bandwidth_1=33.25, npus_0=32, latency_0=7.5)
    assert view.result.platform.network[1].bandwidth == 33.25
    assert 33.25 in values_of(view, "bandwidth_1")
    assert WhatIf(view.text, inputs=INPUTS).result.total_ns == view.result.total_ns
    before = view.text
    for given, said in (({"npus_0": 2.5}, "npus is 2.5"), ({"bandwidth_1": 0}, "bandwidth is 0")):
        with pytest.raises(ae.ConfigError, match=said):
            view.set(**given)
        assert view.text == before
        assert next(iter(given.values())) not in values_of(view, next(iter(given)))


def wish(view, **values):
    """As the view sends it."""
    view.wish = {"values": values, "number": "view.1"}
    assert view.answered == "view.1"


def test_what_is_set_together_stays_as_it_was_given():
    view = WhatIf("ring", "all-reduce", ask=False)
    view.set(topology_0="Switch", algorithm_0="ring")
    assert (view.values["topology_0"], view.values["algorithm_0"]) == ("Switch", "ring")
    view.set(platform="dgx2", bandwidth_0=33)
    assert view.values["platform"] == "edited"
    assert [d.bandwidth for d in view.result.platform.network] == [33, 6.25]
    assert [d.npus for d in view.result.platform.network] == [16, 16]


def test_back_to_a_pinned_setting_is_back_to_all_of_it():
    view = WhatIf("ring", "all-reduce", ask=False)
    wish(view, topology_0="Switch")
    wish(view, algorithm_0="ring")
    pinned, total = dict(view.values), view.result.total_ns
    wish(view, topology_0="Ring")
    wish(view, **pinned)
    assert (view.values, view.result.total_ns) == (pinned, total)
    wish(view, topology_0="Ring")
    wish(view, topology_0="Switch")
    assert view.values["algorithm_0"] == "halvingDoubling"  # as ever, where the topology alone is moved


def test_what_only_the_run_refuses_is_not_set_either():
    view = WhatIf("ring", "all-reduce", ask=False)
    text, data = view.text, view.data
    for given, said in (
        ({"passes": 1.5}, "passes is 1.5"),
        ({"size": 0}, "does nothing"),
        ({"size": 1e18}, "104 days"),
    ):
        with pytest.raises(ae.ConfigError, match=said):
            view.set(**given)
        assert (view.text, view.data) == (text, data)


@pytest.mark.parametrize(
    "given", [{"bandwidth_0": float("nan")}, {"bandwidth_0": float("inf")}, {"dimensions": 5}, {"dimensions": 1.5}]
)
def test_what_is_no_number_of_anything_is_refused(given):
    view = WhatIf("ring", "all-reduce", ask=False)
    [name] = given
    with pytest.raises(ae.ConfigError, match=f"{name} is "):
        view.set(**given)
    with pytest.raises(ae.ConfigError, match="bandwidth_0 is 'inf'"):
        WhatIf("platform=ring workload=all-reduce bandwidth_0=1e400")
    with pytest.raises(ae.ConfigError, match="dimensions is '7'"):
        WhatIf("platform=ring workload=all-reduce dimensions=7")


def test_a_line_of_text_may_spell_a_number_otherwise():
    view = WhatIf("platform=ring workload=all-reduce bandwidth_0=25.0 latency_0=1e3 size=1e6", ask=False)
    assert [view.values[name] for name in ("bandwidth_0", "latency_0", "size")] == [25, 1000, 10**6]
    assert WhatIf("platform=ring workload=all-reduce size=9007199254740").values["size"] == 9007199254740


def test_a_wish_for_what_there_is_not_does_not_stay():
    view = WhatIf("ring", "all-reduce", ask=False)
    for values in (None, {"nope": 1}):
        view.wish = {"values": values, "number": repr(values)}
        assert view.answered == repr(values)
    wish(view, bandwidth_0=100)
    assert (view.data["problem"], view.result.platform.network[0].bandwidth) == ("", 100)


def test_a_line_of_text_that_names_a_platform_brings_all_it_has():
    view = WhatIf("platform=tpu workload=all-reduce size=1073741824", inputs=INPUTS)
    assert view.result.platform == ae.preset("tpu")
    changed = WhatIf("platform=tpu bandwidth_0=124 workload=all-reduce", inputs=INPUTS)
    assert changed.values["platform"] == "edited"
    assert [d.bandwidth for d in changed.result.platform.network] == [124, 62]


def test_a_large_run_is_explained_and_a_very_large_one_simulated_only_on_demand(view, monkeypatch):
    monkeypatch.setattr(what_if_words, "MOST_EXPLAINED", 10)
    monkeypatch.setattr(what_if, "MOST_PHASES", 1000)
    assert "press “what would help most?”" in move(view, splits=8)["sentences"][-1]
    before = view.result
    move(view, splits=64)
    assert "press “simulate it”" in view.data["problem"]
    assert ["simulate", "simulate it"] in map(list, view.data["actions"])
    assert view.result is before
    view.act = {"name": "simulate", "count": 1}
    assert view.result.platform.system.splits == 64
    assert view.data["problem"] == ""
    assert ["simulate", "simulate it"] not in map(list, view.data["actions"])


def test_what_is_moved_after_a_platform_that_is_too_large_is_moved_on_it(view, monkeypatch):
    monkeypatch.setattr(what_if, "MOST_PHASES", 10)
    wish(view, platform="torus")
    assert view.values["npus_0"] == ae.preset("torus").network[0].npus
    wish(view, bandwidth_0=50)
    assert "press “simulate it”" in view.data["problem"]
    assert (view.values["platform"], view.values["bandwidth_0"]) == ("edited", 50)
    view.act = {"name": "simulate", "count": 1}
    network = view.result.platform.network
    assert [d.npus for d in network] == [d.npus for d in ae.preset("torus").network]
    assert (network[0].bandwidth, network[1]) == (50, ae.preset("torus").network[1])


def test_messages_that_must_be_followed_one_by_one_are_counted(monkeypatch):
    mesh = ae.Platform((ae.Dimension.of("Mesh", 64, 25, 500),), ae.SystemConfig.of("ring", splits=4))
    ring = ae.Platform((ae.Dimension.of("Ring", 64, 25, 500),), ae.SystemConfig.of("ring", splits=4))
    one = ae.Workload.micro("all-reduce", 2**20)
    followed = 2 * 63 * 64  # 2 · (N - 1) steps of a message of every NPU
    assert what_if_runs.messages(one, mesh) == followed
    assert what_if_runs.messages(one, ring) == 0
    monkeypatch.setattr(what_if, "MOST_MESSAGES", followed - 1)
    view = ae.WhatIf(ring, one, ask=False)
    move(view, topology_0="Mesh", algorithm_0="ring")
    assert (
        "8,064 messages to follow one by one, too many to follow a slider; press “simulate it”" in view.data["problem"]
    )
    view.act = {"name": "simulate", "count": 1}
    assert view.result.platform.network[0].topology == "Mesh"
    assert view.result.total == ae.simulate(one, view.result.platform).total


def test_the_nearest_that_is_not_too_large_can_be_taken(view, monkeypatch):
    monkeypatch.setattr(what_if, "MOST_PHASES", 1000)
    wish(view, splits=32)
    wish(view, splits=64)
    nearest = view.data["nearest"]
    assert len([name for name in nearest if nearest[name] != view.values[name]]) == 1
    wish(view, **nearest)
    assert (view.data["problem"], view.values) == ("", nearest)


def test_python_is_told_how_to_run_what_is_too_large(view, monkeypatch):
    monkeypatch.setattr(what_if, "MOST_PHASES", 1000)
    with pytest.raises(ae.ConfigError, match=r"too many to follow a slider; ae\.simulate runs it all the same\.$"):
        view.set(splits=64)


@pytest.mark.parametrize("workload", ["VGG-16", "GPT-3, 3 layers", *MADE_HERE, *SINGLE])
def test_how_many_phases_a_run_has_is_about_known_before(workload):
    for name in ("tpu", "3d-switch-themis"):
        result = WhatIf(name, workload, inputs=INPUTS, passes=2).result
        assert 0.2 < len(result.stays) / phases(result.workload, result.platform, 2) < 1.5


# What it asks


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"platform": "dgx2", "workload": "VGG-16", "compute_scale": 0.41}, "dimension 1"),
        ({"platform": "tpu", "workload": "VGG-16"}, "dimension 0"),
        ({"platform": "dgx2", "workload": "VGG-16", "compute_scale": 20}, NONE),
        ({"platform": "torus", "workload": "all-reduce", "size": 2**24}, "dimension 0"),
    ],
)
def test_where_twice_the_bandwidth_helps_most_is_found_by_trying(given, value):
    view = WhatIf(**({"inputs": INPUTS} | given))
    question, answer = view.question(view.values), view.answer(view.values)
    assert answer.value == value
    assert {*question.choices} == {*(f"dimension {d}" for d in range(len(view.result.platform.network))), MORE, NONE}
    times = []
    for d, dimension in enumerate(view.result.platform.network):
        network = list(view.result.platform.network)
        network[d] = replace(dimension, bandwidth=2 * dimension.bandwidth)
        times.append(ae.simulate(view.result.workload, replace(view.result.platform, network=tuple(network))).total_ns)
        assert f"on dimension {d}: {format_ns(times[d])}" in answer.why
    if value.startswith("dimension"):
        assert times.index(min(times)) == int(value[-1])
    else:
        assert min(times) > 0.99 * view.result.total_ns
    assert confront(question, answer, value).right


def test_on_one_dimension_it_asks_how_much_it_helps():
    view = WhatIf("ring", "all-reduce", size=2**30)
    assert view.question(view.values).unit == "times"
    assert view.answer(view.values).value == pytest.approx(2, rel=0.01)
    small = WhatIf("ring", "all-reduce", size=2**14)
    assert small.answer(small.values).value == pytest.approx(1, rel=0.01)


def test_before_a_prediction_no_number_is_shown():
    view = WhatIf("dgx2", "VGG-16", inputs=INPUTS)
    assert view.veiled
    assert "µs" not in view.summary() + view._repr_mimebundle_()[0]["text/plain"]
    view.predict("dimension 1")
    assert "5,632.316 µs" not in view.summary()  # the compute scale is 1 here
    assert view.result.total in view.summary()
    assert view.committed[0].right


def test_what_would_help_most_is_simulated_on_demand(view):
    assert "Twice the bandwidth" not in " ".join(view.data["scene"]["sentences"])
    view.act = {"name": "help", "count": 1}
    told = " ".join(view.data["scene"]["sentences"])
    assert "Twice the bandwidth on dimension 1 (12.5 GB/s a link) would make it 3,990.975 µs" in told
    assert told.count("bounds this run") == 1
    told = " ".join(move(view, splits=8)["sentences"])
    assert "Twice the bandwidth" not in told  # the answer was of another run


# The way out


def executed(lines):
    names = {}
    exec(lines, names)
    return names


@pytest.mark.parametrize("preset", ["dgx2", "torus", "conv-4d", "3d-switch-themis"])
@pytest.mark.parametrize("workload", [*MADE_HERE, "all-reduce"])
@pytest.mark.parametrize("edited", [False, True])
def test_the_code_builds_the_same(preset, workload, edited, capsys):
    view = WhatIf(preset, workload, comm_scale=0.5)
    if edited:
        view.set(latency_0=20, splits=6, scheduling="FIFO", passes=2)
    lines = view.scene(view.values).code
    names = executed(lines)
    assert names["platform"] == view.result.platform
    assert names["work"] == view.result.workload
    assert names["result"].total_ns == view.result.total_ns
    assert capsys.readouterr().out == f"{view.result!r}\n"
    assert ("ae.preset" in lines) is not edited


def test_the_code_of_a_workload_file_loads_it(view):
    lines = view.data["scene"]["code"]
    assert f'load_workload("{INPUTS.as_posix()}/vgg16.txt", compute_scale=0.41)' in lines
    assert executed(lines)["result"].total_ns == view.result.total_ns
    assert loading(Path("a") / "b.txt", 1, 2) == 'ae.load_workload("a/b.txt", comm_scale=2)'


def test_the_code_of_unusual_platforms_and_workloads():
    dimension = ae.Dimension("Ring", 4, 2, 12.5, 0.5, nic=3.5, router=2, kind="Pod")
    each = [Implementation.parse_all(name) for name in ("direct2", "ring", "ring", "direct")]
    platform = ae.Platform(
        (dimension,), ae.SystemConfig(*each, boost=False, queues=2, active_chunks=4, rendezvous=True)
    )
    work = Work(5, None, 0)
    layer = Layer('a"b\\c', work, work, Work(0, ae.Collective.ALL_REDUCE, 4096), 3, "DATA")
    workload = ae.Workload("HYBRID_CUSTOMIZED", (layer,))
    names = executed(code(platform, workload, 1))
    assert (names["platform"], names["work"]) == (platform, workload)


def test_the_files_are_those_that_astra_sim_reads(view, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    move(view, bandwidth_1=12.5)
    said = view.save("mine/dgx")
    assert sorted(os.listdir("mine/dgx")) == ["network.json", "system.txt", "workload.txt"]
    platform = ae.load_astra_sim(network="mine/dgx/network.json", system="mine/dgx/system.txt")
    work = ae.load_workload("mine/dgx/workload.txt")
    assert platform == view.result.platform
    assert ae.simulate(work, platform).total_ns == view.result.total_ns
    assert "--network-configuration=mine/dgx/network.json" in view.data["note"]
    assert view.data["note"] == " ".join(said)


def test_a_folder_that_cannot_be_written_is_a_sentence(view, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "what_if").write_text("")
    view.act = {"name": "save", "count": 1}
    assert "can't be written" in view.data["problem"]
    with pytest.raises(ae.ConfigError, match="can't be written"):
        view.save()


def test_a_platform_and_a_workload_of_ones_own():
    network = tuple(ae.Dimension.of("Ring", 4, 62.5, 333) for _ in range(5))
    platform = ae.Platform(network, ae.SystemConfig.of("_".join(["ring"] * 5), splits=5, active_chunks=20))
    work = transformer(group=16)
    view = WhatIf(platform, work)
    assert (view.values["workload"], view.values["platform"]) == (what_if.YOURS, "yours")
    assert (view.result.platform, view.result.workload) == (platform, work)
    assert view.result.total_ns == ae.simulate(work, platform).total_ns
    move(view, platform="dgx2")
    move(view, platform="yours")
    assert view.result.platform == platform


def test_the_tutorials_files_are_found_from_a_notebooks_folder_and_left_out_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(INPUTS.parents[3] / "notebooks")
    assert find_inputs().resolve() == INPUTS
    monkeypatch.chdir(tmp_path)
    assert find_inputs() is None
    assert values_of(WhatIf(), "workload") == (*MADE_HERE, *SINGLE)
    with pytest.raises(ae.ConfigError, match="workload is 'VGG-16'"):
        WhatIf(workload="VGG-16")


def test_a_saved_page_holds_other_bandwidths_and_their_timelines(view, monkeypatch):
    state = view.state()
    monkeypatch.setattr(WhatIf, "state", lambda self: state)  # which simulates all that it stores
    before = {text: entry["scene"] for text, entry in state["stored"].items()}
    for bandwidth in (3.125, 12.5):
        other = WhatIf("dgx2", "VGG-16", inputs=INPUTS, compute_scale=0.41)
        other.set(bandwidth_1=bandwidth)
        scene = before[other.text]
        assert scene["headline"] == other.result.in_all
        assert state["views"][scene["view"]] == Timeline(other.result).data
    assert len(view.page()) < 4_000_000


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"platform": "dgx3"}, "preset is 'dgx3'; did you mean 'dgx2'"),
        ({"platform": 8}, "preset is 8"),
        ({"platform": "bandwidth_0=x"}, "bandwidth_0 is 'x'"),
        ({"workload": "all-reduc"}, "did you mean 'all-reduce'"),
        ({"workload": 3}, "workload is 3"),
        ({"size": "large"}, "size is 'large'"),
        ({"compute_scale": 0}, "compute_scale is 0"),
        ({"comm_scale": -1}, "comm_scale is -1"),
        ({"passes": 0}, "passes is 0"),
        ({"platform": "ring", "workload": "GPT-3, 3 layers", "inputs": INPUTS}, "must divide the 8 NPUs"),
        ({"inputs": "nowhere"}, "no such file"),
    ],
)
def test_what_makes_no_start_is_refused(wrong, said):
    with pytest.raises(ae.ConfigError, match=said):
        WhatIf(**({"inputs": INPUTS} | wrong))


def test_the_workloads_made_here_have_the_bytes_that_their_shapes_give():
    embeddings = dlrm(batch=10, tables=3, width=5).layers[0]
    assert embeddings.forward.size == 10 * 3 * 5 * 2
    block = transformer(blocks=1, hidden=8, tokens=16, group=2)
    assert [layer.forward.size for layer in block.layers] == [16 * 8 * 2] * 2
    assert [layer.weight_gradient.size for layer in block.layers] == [4 * 8 * 8 // 2 * 2, 8 * 8 * 8 // 2 * 2]


def test_a_scale_is_written_with_all_its_digits():
    assert loading(Path("gpt3.txt"), 1 / 3, 2) == f'ae.load_workload("gpt3.txt", compute_scale={1 / 3}, comm_scale=2)'
