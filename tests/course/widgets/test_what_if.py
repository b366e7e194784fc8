"""The what-if view: its controls, what follows them, what it refuses, and the way out of it as code and files."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.widgets import what_if
from astra_edu.course.widgets.samples import MADE_HERE, SINGLE, dlrm, find_inputs, transformer
from astra_edu.course.widgets.what_if import WhatIf
from astra_edu.course.widgets.what_if_code import code, loading
from astra_edu.course.widgets.what_if_setting import Setting
from astra_edu.course.widgets.what_if_words import differences, dimensions, numbers
from astra_edu.system import Implementation
from astra_edu.workload import Layer, Work

INPUTS = Path(__file__).parents[3] / "exercises" / "inputs" / "asplos2022" / "ex3"


@pytest.fixture
def view():
    return WhatIf("dgx2", "VGG-16", inputs=INPUTS, compute_scale=0.41)


def row(view, d):
    return view.platform.rows[d]


def alert(view):
    return view.head.html if "astra-alert" in view.head.html else ""


def test_it_starts_with_exercise_3(view):
    assert repr(view).startswith("WhatIf(<5,632.316 µs in all: compute 751.019 µs")
    assert "5,632.316 µs in all" in view.head.html
    assert "This is the baseline" in view.head.html
    assert "Dimension 1&#x27;s bandwidth bounds this run." in view.answer.html
    assert view.timeline.result is view.result
    assert view._repr_mimebundle_()["text/plain"].endswith(view.summary())


def test_every_control_changes_the_run_and_everything_that_is_said_of_it(view):
    for control, value in [
        (row(view, 1).bandwidth, 12.5),
        (row(view, 1).latency, 1000),
        (row(view, 0).links, 3),
        (row(view, 0).npus, 8),
        (row(view, 0).topology, "FullyConnected"),
        (row(view, 0).algorithm, "ring"),
        (view.platform.endpoint_delay, 100),
        (view.platform.splits, 8),
        (view.platform.active_chunks, 2),
        (view.platform.scheduling, "FIFO"),
        (view.platform.intra_dimension, "SCF"),
        (view.platform.inter_dimension, "themis"),
        (view.platform.inter_dimension, "baseline"),
        (view.platform.optimization, "baseline"),
        (view.platform.count, 1),
        (view.work.compute_scale, 1),
        (view.work.comm_scale, 0.5),
        (view.work.passes, 2),
        (view.work.names, "DLRM-like"),
        (view.platform.presets, "tpu"),
    ]:
        before = view.result, view.timeline.data, view.answer.html
        control.value = value
        assert not alert(view), control.description
        assert view.result.total_ns != before[0].total_ns, control.description
        assert view.timeline.result is view.result
        assert view.timeline.data != before[1]
        assert view.answer.html != before[2]


def test_one_change_is_one_simulation(view, monkeypatch):
    runs, run = [], Setting.run
    monkeypatch.setattr(Setting, "run", lambda setting: runs.append(setting) or run(setting))
    view.platform.presets.value = "conv-4d"
    view.work.names.value = "all-to-all"
    row(view, 0).topology.value = "Switch"
    view.back.click()
    assert len(runs) == 4


@pytest.mark.parametrize("name", ae.PRESETS)
def test_a_preset_is_shown_as_it_is_and_known_again(view, name):
    view.platform.presets.value = name
    assert view.platform.platform() == ae.preset(name)
    assert view.platform.presets.value == name
    bandwidth = row(view, 0).bandwidth
    before = bandwidth.value
    bandwidth.value = 2 * before
    assert view.platform.presets.value == ""
    bandwidth.value = before
    assert view.platform.presets.value == name


def test_exercise_2_by_its_topologies_alone():
    view = WhatIf("ring", "all-reduce")
    for topology, name in (("Switch", "switch"), ("FullyConnected", "fully-connected"), ("Ring", "ring")):
        row(view, 0).topology.value = topology
        assert view.platform.presets.value == name


def test_links_follow_what_is_needed_and_otherwise_stay():
    view = WhatIf("fully-connected", "all-reduce")
    row(view, 0).npus.value = 16
    assert row(view, 0).links.value == 15
    row(view, 0).npus.value = 8
    assert row(view, 0).links.value == 7
    row(view, 0).links.value = 14
    row(view, 0).npus.value = 10
    assert row(view, 0).links.value == 14
    assert not alert(view)


def test_more_dimensions_are_added_and_taken_away(view):
    before = view.result.total_ns
    view.platform.count.value = 4
    assert [d.npus for d in view.result.platform.network] == [16, 16, 4, 4]
    view.platform.count.value = 2
    assert view.result.total_ns == before
    assert view.platform.presets.value == "dgx2"


def test_what_cannot_be_simulated_is_a_sentence_and_the_last_picture_stays(view):
    picture = view.timeline.data
    row(view, 0).npus.value = 12
    assert "power of two" in alert(view)
    assert "power of two" in view.head.said
    assert "astra-stale" in view.picture._dom_classes
    assert "astra-gone" in view.below._dom_classes
    assert view.timeline.data == picture
    assert view.pin.disabled
    assert view.save.disabled
    row(view, 0).npus.value = 16
    assert not alert(view)
    assert not {"astra-stale", "astra-gone"} & {*view.picture._dom_classes, *view.below._dom_classes}
    assert not view.pin.disabled


def test_too_few_links_name_the_dimension():
    view = WhatIf("fully-connected", "all-reduce")
    row(view, 0).links.value = 3
    assert "dimension 0: links is 3; a FullyConnected of 8 NPUs needs at least 7" in alert(view)


def test_warnings_of_a_run_are_shown(view):
    view.platform.presets.value = "conv-3d"
    view.work.names.value = "small transformer"
    row(view, 0).npus.value = 6
    row(view, 0).algorithm.value = "ring"
    row(view, 1).npus.value = 2
    assert "Beware: a model_parallel_NPU_group of 4 doesn&#x27;t fit dimensions of 6 x 2 x 4 NPUs" in view.head.html


def test_changes_are_told_against_the_baseline(view):
    row(view, 1).bandwidth.value = 12.5
    assert "3,990.975 µs in all, 1.41 times as fast as the baseline (5,632.316 µs)" in view.head.html
    assert "Changed: dimension 1, per link: 6.25 GB/s → 12.5 GB/s." in view.head.html
    view.pin.click()
    assert "This is the baseline" in view.head.html
    row(view, 1).bandwidth.value = 6.25
    assert "1.41 times as long as the baseline (3,990.975 µs)" in view.head.html
    view.work.compute_scale.value = 1
    view.back.click()
    assert view.result.total_ns == pytest.approx(3_990_975)
    assert row(view, 1).bandwidth.value == 12.5
    assert view.work.compute_scale.value == 0.41


def test_another_workload_is_a_baseline_of_its_own(view):
    view.work.names.value = "all-reduce"
    assert "This is the baseline" in view.head.html
    assert view.baseline.result is view.result


def test_the_numbers_are_the_results_own(view):
    row(view, 1).bandwidth.value = 12.5
    result, before = view.result, view.baseline.result
    total, compute, _, sent, cost = numbers(result, before)
    assert total == ("total time", "3,990.975 µs", "5,632.316 µs", "−29.1 %")
    assert compute == ("compute", "751.019 µs", "751.019 µs", "none")
    assert sent[1:] == ("525.73 MiB", "525.73 MiB", "none")
    assert cost == ("network cost", f"${result.network_cost:,.0f}", f"${before.network_cost:,.0f}", "+4.0 %")
    for d, cells in enumerate(dimensions(result, before)):
        assert cells[1] == ("150", "12.5")[d]
        assert cells[3] == f"{100 * result.dimensions['busy'][d]:.1f} %"
        assert cells[5] == f"{100 * before.dimensions['utilisation'][d]:.1f} %"


def test_a_part_without_a_price_is_no_error():
    tile = replace(ae.Dimension.of("Switch", 4, 25, 500), kind="Tile")
    view = WhatIf(ae.Platform((tile,), ae.SystemConfig.of("ring")), "all-reduce")
    assert numbers(view.result, view.result)[-1] == ("network cost", "–", "–", "–")


def test_settings_that_differ_are_found_whichever_has_them():
    assert differences({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == ["b: 3 → 2", "c: 4 → –"]
    assert differences({"a": "1"}, {"a": "1"}) == []


def test_what_would_help_most_is_simulated_on_demand(view):
    assert "Changes, each simulated" not in view.answer.html + view.helped.html
    assert "bounds this run" in view.answer.html
    seen = []
    view.helped.observe(lambda change: seen.append(change.new), "html")
    view.help.click()
    assert "Simulating changes" in seen[0]
    assert "Changes, each simulated" in view.helped.html
    assert "Twice the bandwidth on dimension 1 (12.5 GB/s a link) would make it 3,990.975 µs" in view.helped.html
    assert "Twice the bandwidth on dimension 1" in view.helped.said
    assert "bounds this run" not in view.answer.html  # it is said once
    assert "total time" in view.answer.html
    view.platform.splits.value = 8  # the answer was of another run
    assert view.helped.html == view.helped.said == ""
    assert "bounds this run" in view.answer.html


def test_the_answer_stands_between_its_button_and_the_picture(view):
    (column,) = (box for box in view.children[0].children if view.picture in box.children)
    places = [column.children.index(part) for part in (view.helped, view.picture, view.below)]
    buttons = next(i for i, part in enumerate(column.children) if view.help in getattr(part, "children", ()))
    assert buttons + 1 == places[0] < places[1] < places[2]


def test_slow_runs_act_when_the_slider_is_let_go_until_they_are_fast_again(view, monkeypatch):
    assert len(view.sliders) > 10
    monkeypatch.setattr(what_if, "SLOW_S", 0)
    view.platform.splits.value = 8
    assert not any(slider.continuous_update for slider in view.sliders)
    assert what_if.WHEN_LET_GO in view.pace.html
    monkeypatch.setattr(what_if, "SLOW_S", 1e9)
    view.platform.splits.value = 4
    assert all(slider.continuous_update for slider in view.sliders)
    assert what_if.WHILE_THEY_MOVE in view.pace.html


def test_a_large_run_is_explained_and_a_very_large_one_simulated_only_on_demand(view, monkeypatch):
    monkeypatch.setattr(what_if, "MOST_EXPLAINED", 10)
    monkeypatch.setattr(what_if, "MOST_PHASES", 1000)
    view.platform.splits.value = 8
    assert "press “what would help most?”" in view.answer.html
    assert view.run.layout.display == "none"
    before = view.result
    view.platform.splits.value = 64
    assert "press “simulate it”" in alert(view)
    assert view.run.layout.display == ""
    assert view.result is before
    view.run.click()
    assert view.result.platform.system.splits == 64
    assert not alert(view)
    assert view.run.layout.display == "none"


@pytest.mark.parametrize("workload", ["VGG-16", "GPT-3, 3 layers", *MADE_HERE, *SINGLE])
def test_how_many_phases_a_run_has_is_about_known_before(workload):
    for name in ("tpu", "3d-switch-themis"):
        view = WhatIf(name, workload, inputs=INPUTS, passes=2)
        assert 0.2 < len(view.result.stays) / view.setting.phases < 1.5


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
        row(view, 0).latency.value = 20
        view.platform.splits.value = 6
        view.platform.scheduling.value = "FIFO"
        view.work.passes.value = 2
    names = executed(view.answer.code)
    assert names["platform"] == view.result.platform
    assert names["work"] == view.result.workload
    assert names["result"].total_ns == view.result.total_ns
    assert capsys.readouterr().out == f"{view.result!r}\n"
    assert ("ae.preset" in view.answer.code) is not edited


def test_the_code_of_a_workload_file_loads_it(view):
    assert f'load_workload("{INPUTS.as_posix()}/vgg16.txt", compute_scale=0.41)' in view.answer.code
    assert executed(view.answer.code)["result"].total_ns == view.result.total_ns
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
    row(view, 1).bandwidth.value = 12.5
    view.folder.value = "mine/dgx"
    view.save.click()
    assert sorted(os.listdir("mine/dgx")) == ["network.json", "system.txt", "workload.txt"]
    platform = ae.load_astra_sim(network="mine/dgx/network.json", system="mine/dgx/system.txt")
    work = ae.load_workload("mine/dgx/workload.txt")
    assert platform == view.result.platform
    assert ae.simulate(work, platform).total_ns == view.result.total_ns
    assert "--network-configuration=mine/dgx/network.json" in view.saved.html


def test_a_folder_that_cannot_be_written_is_a_sentence(view, tmp_path):
    (tmp_path / "file").write_text("")
    view.folder.value = str(tmp_path / "file")
    view.save.click()
    assert "✗" in view.saved.html
    assert "can&#x27;t be written" in view.saved.html


def test_a_platform_and_a_workload_of_ones_own():
    network = tuple(ae.Dimension.of("Ring", 4, 62.5, 333) for _ in range(5))
    platform = ae.Platform(network, ae.SystemConfig.of("_".join(["ring"] * 5), splits=5, active_chunks=20))
    work = transformer(group=16)
    view = WhatIf(platform, work)
    assert view.work.names.value == what_if.YOURS
    assert (view.result.platform, view.result.workload) == (platform, work)
    assert view.result.total_ns == ae.simulate(work, platform).total_ns


def test_the_tutorials_files_are_found_from_a_notebooks_folder_and_left_out_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(INPUTS.parents[3] / "notebooks")
    assert find_inputs().resolve() == INPUTS
    monkeypatch.chdir(tmp_path)
    assert find_inputs() is None
    view = WhatIf()
    assert view.work.names.options == (*MADE_HERE, *SINGLE)
    with pytest.raises(ae.ConfigError, match="workload is 'VGG-16'"):
        WhatIf(workload="VGG-16")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"platform": "dgx3"}, "preset is 'dgx3'; did you mean 'dgx2'"),
        ({"platform": 8}, "preset is 8"),
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
