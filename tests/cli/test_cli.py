"""The command line and its reports; the reports' figures are tests/exact/test_reports.py."""

import gc
import re
import subprocess
import sys
from pathlib import Path

import click.testing
import pytest

import astra_edu as ae
from astra_edu.__main__ import main
from astra_edu.base.few_collections import NEW_OBJECTS
from astra_edu.run.reports import write_reports

ROOT = Path(__file__).parents[2]
INPUTS = ROOT / "exercises/inputs"
EX1 = INPUTS / "asplos2022/ex1"
BASE = ["tutorial_result.csv", "EndToEnd.csv", "detailed.csv", "backend_end_to_end.csv", "backend_dim_info.csv"]


def files(network, system, workload):
    return [
        f"--network-configuration={network}",
        f"--system-configuration={system}",
        f"--workload-configuration={workload}",
    ]


RING = files(EX1 / "ring.json", EX1 / "ring.txt", EX1 / "all_reduce.txt")


def run(*args, code=0):
    """What `python -m astra_edu run` says on stdout and stderr, after checking its exit code."""
    outcome = click.testing.CliRunner().invoke(main, ["run", *map(str, args)])
    assert outcome.exit_code == code, outcome.output
    assert "Traceback" not in outcome.output
    return outcome.output


def test_what_is_said_and_which_files_there_are(tmp_path):
    folder = tmp_path / "new" / "folder"
    said = run(*RING, f"--path={folder}")
    assert "unnamed run: <45.681 µs in all" in said
    assert f"New folder {folder}: {', '.join(BASE[:1])}" in said
    assert sorted(file.name for file in folder.iterdir()) == sorted(
        [*BASE, "unnamed run_dimension_utilization.csv"], key=str
    )
    assert f"\nFolder {folder}: " in run(*RING, f"--path={folder}")


def test_the_module_runs_in_a_process_of_its_own(tmp_path):
    command = [sys.executable, "-m", "astra_edu"]
    ran = subprocess.run([*command, "run", *RING], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert "45.681" in ran.stdout
    assert (tmp_path / "tutorial_result.csv").exists()
    assert "run" in subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def row_of(path, row):
    return (path / "tutorial_result.csv").read_text().splitlines()[row].split(",")


def test_a_run_may_be_repeated_and_rows_filled_in_any_order(tmp_path):
    for row in (2, 1, 1):
        run(*RING, f"--path={tmp_path}", f"--run-name=r{row}", "--total-stat-rows=3", f"--stat-row={row}")
    assert row_of(tmp_path, 0)[0] == "Name"
    assert row_of(tmp_path, 1) == [""] * 5
    assert row_of(tmp_path, 2) == ["r1", "45.681000", "0.000000", "45.681000", "1.750000"]
    assert row_of(tmp_path, 3)[:2] == ["r2", "45.681000"]
    run(*RING, f"--path={tmp_path}", "--run-name=new")
    assert len((tmp_path / "tutorial_result.csv").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "spelled",
    [
        ["--units-count", "2", "4", "--links-count", "2", "2", "--link-bandwidth", "7.5", "9", "--link-latency=1", "2"],
        ["--units-count=2", "4", "--link-bandwidth=7.5", "--link-bandwidth=9", "--link-latency", "1", "2"],
    ],
)
def test_overrides_take_several_values(spelled, tmp_path):
    network = (ae.Dimension("Ring", 4, 2, 50, 500), ae.Dimension("Ring", 4, 2, 50, 500))
    system = ae.SystemConfig.of("ring_ring")
    ae.save_astra_sim(ae.Platform(network, system), tmp_path / "n.json", tmp_path / "s.txt")
    run(*files(tmp_path / "n.json", tmp_path / "s.txt", EX1 / "all_reduce.txt"), f"--path={tmp_path}", *spelled)
    meant = ae.Platform((ae.Dimension("Ring", 2, 2, 7.5, 1), ae.Dimension("Ring", 4, 2, 9, 2)), system)
    total = ae.simulate(ae.Workload.micro("all-reduce", 2**20), meant).total_ns
    assert row_of(tmp_path, 1)[1] == f"{total / 1000:.6f}"


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        (["--injection-scale=3"], {"injection_scale": 3}),
        (["--rendezvous-protocol=true"], {"rendezvous_protocol": True}),
        (["--rendezvous-protocol", "1"], {"rendezvous_protocol": True}),
        (["--num-queues-per-dim=2"], {"num_queues_per_dim": 2}),
    ],
)
def test_options_of_the_system_arrive(options, changes, tmp_path):
    system = tmp_path / "ring.txt"
    text = (EX1 / "ring.txt").read_text()
    system.write_text(text.replace("active-chunks-per-dimension: 1", "active-chunks-per-dimension: 3"))
    run(*files(EX1 / "ring.json", system, EX1 / "all_reduce.txt"), f"--path={tmp_path}", *options)
    work = ae.load_workload(EX1 / "all_reduce.txt")
    changed = ae.simulate(work, ae.load_astra_sim(EX1 / "ring.json", system, **changes)).total_ns
    assert row_of(tmp_path, 1)[1] == f"{changed / 1000:.6f}"
    assert changed != ae.simulate(work, ae.load_astra_sim(EX1 / "ring.json", system)).total_ns


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "Missing option '--network-configuration'"),
        (files("nowhere.json", EX1 / "ring.txt", EX1 / "all_reduce.txt"), "nowhere.json: no such file"),
        (files(EX1, EX1 / "ring.txt", EX1 / "all_reduce.txt"), "is a folder"),
        (
            files(EX1 / "ring.txt", EX1 / "ring.txt", EX1 / "all_reduce.txt"),
            "no JSON (Expecting value). It looks like a system file",
        ),
        ([*RING, "--units-count", "4", "4"], "--units-count has 2 values, but the network has 1 dimensions"),
        ([*RING, "--units-count", "--path=x"], "'--units-count' needs a value for each dimension"),
        ([*RING, "--links-count"], "'--links-count' needs a value for each dimension"),
        ([*RING, "--units-count", "four"], "'four' is not a valid integer"),
        ([*RING, "--links-count", "1"], "dimension 0 with --links-count: links is 1; a Ring of 8 NPUs needs"),
        ([*RING, "--link-latency", "-1"], "latency is -1"),
        ([*RING, "--comm-scale=nan"], "comm_scale is nan"),
        ([*RING, "--num-passes=0"], "passes is 0"),
        ([*RING, "--num-passes=1.5"], "'1.5' is not a valid integer"),
        ([*RING, "--num-pases=1"], "Did you mean '--num-passes'"),
        ([*RING, "--stat-row=1"], "stat-row is 1; of total-stat-rows = 1 the last one is 0"),
        ([*RING, "--stat-row=-1"], "stat-row is -1"),
        ([*RING, "--run-name=a/b"], "no / or \\ can be in it"),
        ([*RING, f"--path={EX1 / 'ring.txt'}"], "is a file; a folder for the reports is expected"),
    ],
)
def test_errors_are_a_sentence_and_exit_code_2(args, words):
    said = run(*args, code=2)
    assert words in " ".join(said.split())
    assert said.count("Error:") == 1


CONGESTION = INPUTS / "asplos2023/ex3-2"


def congestion(*options, code=0):
    inputs = files(CONGESTION / "congestion.yml", CONGESTION / "direct.txt", CONGESTION / "all_reduce.txt")
    return run(*inputs, "--comm-scale=1024", *options, code=code)


def test_the_options_of_the_congestion_aware_program(tmp_path):
    assert "<40,008.217 µs in all" in congestion(f"--path={tmp_path}")
    assert not (tmp_path / "backend_end_to_end.csv").exists()
    other = ("--npus-count", "8", "--bandwidth", "100", "--latency=250")
    assert "<20,004.925 µs in all" in congestion(*other, f"--path={tmp_path}")
    assert "--links-count has no meaning" in congestion("--links-count=1", code=2)


def test_warnings_are_said_without_a_traceback(tmp_path):
    workload = tmp_path / "work.txt"
    workload.write_text("DATA\n2\na -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 0 1\nb -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 4096 1\n")
    said = run(*files(EX1 / "ring.json", EX1 / "ring.txt", workload), f"--path={tmp_path}")
    assert "Warning: layer a: the all-reduce of its weight gradient has 0 bytes" in said


def test_names_with_commas_stay_in_their_cell(tmp_path):
    result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    write_reports(result, tmp_path, "small, slow", 0, 2)
    write_reports(result, tmp_path, "large", 1, 2)
    lines = (tmp_path / "tutorial_result.csv").read_text().splitlines()
    assert [line.partition(",45.681")[0] for line in lines[1:]] == ['"small, slow"', "large"]


def test_a_damaged_report_of_an_earlier_run(tmp_path):
    (tmp_path / "tutorial_result.csv").write_bytes(bytes(range(256)))
    result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    with pytest.raises(ae.ConfigError, match=r"tutorial_result.csv is not a text file .* earlier run"):
        write_reports(result, tmp_path, "late", 1, 2)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--path=" + "x" * 300, "is no path (File name too long); a folder for the reports is expected"),
        (
            "--total-stat-rows=100000000",
            "total-stat-rows is 100,000,000; with 10 rows for each run 100,000 is the",
        ),
        ("--num-passes=10000000", "passes is 10,000,000; of 1 layer 100,000 are the most"),
        ("--num-passes=99999999999999999999", "64 bits hold at most"),
        ("--run-name=\udcc3\udca9", "the console's encoding can't hold its letters. Set PYTHONUTF8=1"),
        ("--compute-scale=1e15", "64 bits"),
    ],
)
def test_what_would_never_end_is_refused_at_once(option, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    workload = tmp_path / "work.txt"
    workload.write_text("DATA\n1\na -1 50000 NONE 0 5 NONE 0 5 ALLREDUCE 4096 1\n")
    said = run(*files(EX1 / "ring.json", EX1 / "ring.txt", workload), option, code=2)
    assert words in " ".join(said.split())


def test_a_utilisation_of_too_many_periods(tmp_path):
    workload = tmp_path / "work.txt"
    workload.write_text("DATA\n1\na -1 100000000000001 NONE 0 5 NONE 0 5 ALLREDUCE 4096 1\n")
    said = run(*files(EX1 / "ring.json", EX1 / "ring.txt", workload), f"--path={tmp_path}", code=2)
    assert "a row every 10 µs, 10,000,000 rows are the most" in " ".join(said.split())


def test_runs_at_the_same_time_share_the_reports(tmp_path):
    """Eight processes, each with its row: none is lost, and none fails."""
    command = [sys.executable, "-m", "astra_edu", "run", *RING, f"--path={tmp_path}", "--total-stat-rows=8"]
    rows = [[*command, f"--stat-row={row}", f"--run-name=r{row}"] for row in range(8)]
    subprocess.run(rows[0], check=True, capture_output=True)
    others = [subprocess.Popen(row, stdout=subprocess.DEVNULL) for row in rows[1:]]
    assert [process.wait() for process in others] == [0] * 7
    for name in BASE[:3]:
        text = (tmp_path / name).read_text()
        assert [f"r{row}" for row in range(8) if f"r{row}," not in text] == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("measurd", "command is 'measurd'; did you mean 'measured'? Allowed: dashboard, grade, measured, run, run2."),
        ("", "command is ''; Allowed: dashboard"),
        ("--runs", "No such option '--runs'"),
    ],
)
def test_a_command_that_is_none_is_told_which_there_are(asked, said):
    outcome = click.testing.CliRunner().invoke(main, [asked])
    assert outcome.exit_code == 2
    assert said in outcome.output


def test_measured_prints_the_table_of_a_file_and_draws_it(tmp_path):
    pytest.importorskip("matplotlib")
    mine, figure = tmp_path / "mine.csv", tmp_path / "errors.svg"
    ae.measured.runs().query("source_id in ('simumax_b200', 'tpu_recipes')").to_csv(mine, index=False)
    said = click.testing.CliRunner().invoke(main, ["measured", str(mine), "--figure", str(figure)])
    assert said.exit_code == 0, said.output
    assert re.search(r"^simumax_b200 +23 +23 +1\.9%", said.output, re.MULTILINE)
    assert "1  tpu_recipes: the model is wan2.1-14b; only transformers" in said.output
    assert "simumax_b200, 23 runs: median 1.00" in figure.read_text(encoding="utf-8")
    said = click.testing.CliRunner().invoke(main, ["measured", str(mine), "--figure", str(tmp_path / "errors")])
    assert said.exit_code == 2
    assert "must end with .svg, .png, .pdf" in said.output


def test_nothing_is_collected_while_the_command_line_is_loaded():
    count = "import gc; seen = []; gc.callbacks.append(lambda what, _: seen.append(what)); import {}; print(len(seen))"
    few, all_in_all = (
        int(subprocess.run([sys.executable, "-c", count.format(name)], capture_output=True, text=True).stdout)
        for name in ("contextlib, threading, astra_edu.base.few_collections", "astra_edu.__main__")
    )
    assert all_in_all <= few + 2


def test_the_collector_is_held_back_while_a_command_runs(tmp_path, monkeypatch):
    seen = []

    def watched(*given):
        seen.append(gc.get_threshold()[0])
        return write_reports(*given)

    monkeypatch.setattr("astra_edu.cli.run.write_reports", watched)
    before = gc.get_threshold()
    run(*RING, f"--path={tmp_path}")
    assert seen == [NEW_OBJECTS]
    assert gc.get_threshold() == before
