"""What leads in widgets and figures where messages share links, and that nothing changes where they don't."""

import re
from html import unescape

import pytest

import astra_edu as ae
from astra_edu.cli.run import run

GIB = 2**30
MODEL = "the messages share links; ASTRA-sim's contention-free model says 2,502.433 µs"
FREE = "37,536.341 µs"


def platform(algorithm):
    return ae.Platform((ae.Dimension.of("Switch", 16, 50, 500),), ae.SystemConfig.of(algorithm, splits=1))


def explorer(algorithm):
    return ae.Explorer("all-reduce", algorithm, (("Switch", 16, 50, 500),), GIB, splits=1, ask=False)


@pytest.fixture(scope="module")
def runs():
    work = ae.Workload.micro("all-reduce", GIB)
    return {algorithm: ae.simulate(work, platform(algorithm)) for algorithm in ("direct", "ring")}


def test_the_explorer_leads_with_the_bound():
    view = explorer("direct")
    assert view.data["scene"]["headline"] == f"at least 37,500.000 µs: {MODEL}"
    assert view.data["scene"]["sentences"][0] == "1.875 GiB sent by the busiest NPU, 1 chunk of 2 steps"
    assert "Over the links there are, the bytes alone need 37,500.000 µs." in view.summary()
    view.set(algorithm_0="ring")
    assert view.data["scene"]["headline"] == f"{FREE}: 1.875 GiB sent by the busiest NPU, 1 chunk of 30 steps"


def test_the_player_says_so_in_its_title_and_its_picture():
    shared, free = explorer("direct").player, explorer("ring").player
    assert shared.data["title"] == "direct all-reduce on 16 NPUs, at least 37,500.000 µs"
    assert shared.data["caveat"] == MODEL.replace("2,502.433", "2,502.432")  # without the update
    for step in range(3):
        picture = unescape(shared.svg(step))
        assert ">direct all-reduce on 16 NPUs, at least 37,500.000 µs</text>" in picture
        assert f"Beware: {shared.data['caveat']}.</desc>" in picture
    assert free.data["title"] == "ring all-reduce on 16 NPUs"
    assert free.data["caveat"] == ""
    assert "Beware" not in free.svg(1)


def test_a_player_of_a_network_too_large_to_draw_says_so_too():
    network, schedule = ae.Dimension.of("Switch", 128, 50, 500), ae.schedule("all-reduce", "direct", 128)
    player = ae.Player(schedule, ae.time_schedule(schedule, network, GIB))
    picture = unescape(player.svg(0))
    assert ">direct all-reduce on 128 NPUs, at least 39,687.500 µs</text>" in picture
    assert "showing counts Beware: the messages share links;" in picture


def test_figures_of_runs_lead_with_the_bound(runs):
    picture = ae.plots.compute_and_exposed(runs)
    assert picture.table.splitlines()[0].split("  ")[0] == "run"
    assert re.search(r"^direct +37,500.001 +0.000 +2,502.433 +2,502.433", picture.table, re.MULTILINE)
    assert re.search(r"^ring +- +0.000", picture.table, re.MULTILINE)
    assert f"direct: at least 37,500.001 µs ({MODEL})" in picture.alt
    notes = [text.get_text() for text in picture.figure.axes[0].texts]
    assert notes == ["at least 37,500.001 µs", FREE]
    assert "at least" not in ae.plots.compute_and_exposed({"ring": runs["ring"]}).table


def test_timelines_lead_with_the_bound(runs):
    for algorithm, said in (("direct", f"at least 37,500.001 µs in all:\n{MODEL}"), ("ring", f"{FREE} in all")):
        picture = ae.plots.timeline(runs[algorithm])
        titles = [axes.get_title(loc) for axes in picture.figure.axes for loc in ("left", "center")]
        assert any(title.startswith(said) for title in titles), titles
    assert f"It takes at least 37,500.001 µs: {MODEL}." in ae.plots.timeline(runs["direct"]).alt


def test_a_sweep_of_runs_has_a_column_of_bounds():
    sizes, work = [2**20, GIB], [ae.Workload.micro("all-reduce", size) for size in (2**20, GIB)]
    swept = {name: [ae.simulate(each, platform(name)) for each in work] for name in ("direct", "ring")}
    picture = ae.plots.size_sweep(sizes, swept)
    assert picture.table.splitlines()[0].split() == [
        "MiB", "direct", "(µs)", "direct,", "at", "least", "(µs)", "ring", "(µs)"
    ]  # fmt: skip
    assert picture.table.splitlines()[2].split() == ["1024", "2,502.433", "37,500.001", "37,536.341"]
    labels = [line.get_label() for line in picture.figure.axes[0].lines]
    assert "direct: at least, as its messages share links" in labels
    assert "ring: at least, as its messages share links" not in labels
    times = {name: [run.total_ns for run in found] for name, found in swept.items()}
    assert "at least" not in ae.plots.size_sweep(sizes, times).table


def test_estimated_iterations_lead_with_the_bound():
    strategy = ae.Strategy(data=8)
    took = {
        name: ae.estimate(
            "gpt2",
            strategy,
            "a100",
            ae.Platform((ae.Dimension.of("Switch", 8, 25, 1000),), ae.SystemConfig.of(name, splits=1)),
        )
        for name in ("direct", "halvingDoubling")
    }
    picture = ae.plots.iteration_times(took)
    shared, free = took["direct"], took["halvingDoubling"]
    assert picture.table.splitlines()[0].split()[2:4] == ["at", "least"]
    assert picture.table.splitlines()[1].split()[1] == f"{shared.bound_ns / 1e6:,.3f}"
    assert picture.table.splitlines()[2].split()[1] == "-"
    assert f"direct: at least {shared.bound_ns / 1e6:,.3f} ms (the messages share links;" in picture.alt
    assert f"halvingDoubling: {free.total_ns / 1e6:,.3f} ms; " in picture.alt
    assert "at least" not in ae.plots.iteration_times({"free": free}).table


def test_a_trace_is_explained_with_each_dimension_by_itself():
    """Both dimensions' bandwidths added up would carry this; the second one's alone doesn't."""
    network = ae.Block("Switch", 8, 450, 500), ae.Block("Switch", 8, 50, 500)
    system = ae.TraceSystem.of(["direct", "direct"])
    trace = ae.traces.collective("all_to_all", 448 * 2**20, npus=64)
    run = ae.simulate(trace, ae.TracePlatform(network, system))
    assert run.bound_ns == pytest.approx(448 / 1024 * 7 / 8 / 50 * 1e9, rel=1e-3)
    said = repr(run.explain(changes=False))
    assert f"Its links allow it in 7,656.250 µs at least: {run.caveat}." in said


def test_the_command_line_prints_the_bound_and_the_files_stay(tmp_path, capsys):
    files = {kind: str(tmp_path / kind) for kind in ("network", "system", "workload")}
    reports = []
    for algorithm in ("direct", "ring"):
        ae.save_astra_sim(platform(algorithm), network=files["network"], system=files["system"])
        ae.save_workload(ae.Workload.micro("all-reduce", GIB), files["workload"])
        options = [f"--{kind}-configuration={path}" for kind, path in files.items()]
        run.main([*options, f"--path={tmp_path / algorithm}", "--run-name=x"], standalone_mode=False)
        reports.append("".join(path.read_text() for path in sorted((tmp_path / algorithm).glob("*.csv"))))
    shared, free = (line for line in capsys.readouterr().out.splitlines() if line.startswith("x: "))
    assert shared.startswith(f"x: <at least 37,500.001 µs in all: {MODEL}: compute")
    assert free.startswith(f"x: <{FREE} in all: compute")
    assert "2502.433" in reports[0]
    assert "37500" not in reports[0]
