"""`python -m astra_edu run2`: ASTRA-sim 2.x's command line, as its examples' scripts use it."""

import json
import re
import subprocess
import sys

import click.testing
import pytest
from platforms_2 import NETWORK, SYSTEM, network_text, write

import astra_edu as ae
from astra_edu.cli import main
from astra_edu.traces.load import save_trace


def run(args, code=0):
    """What run2 says on stdout and on stderr, after checking its exit code."""
    outcome = click.testing.CliRunner().invoke(main, ["run2", *map(str, args)])
    assert outcome.exit_code == code, outcome.output
    assert "Traceback" not in outcome.output
    return outcome.stdout, outcome.stderr


def finish(stdout):
    found = re.findall(r"^sys\[(\d+)\] finished, (\d+) cycles, exposed communication (\d+) cycles\.$", stdout, re.M)
    assert [int(npu) for npu, _, _ in found] == list(range(len(found)))
    return [int(cycles) for _, cycles, _ in found]


def options(folder, trace=None, **files):
    """The options of the examples' scripts, with an = each."""
    paths = write(folder, **files)
    save_trace(trace or ae.traces.collective("all_reduce", bytes=2**20, npus=8), folder / "traces" / "work")
    return [
        f"--workload-configuration={folder / 'traces' / 'work'}",
        f"--system-configuration={paths['system']}",
        f"--remote-memory-configuration={paths['memory']}",
        f"--network-configuration={paths['network']}",
    ]


def test_an_example_as_its_script_runs_it(tmp_path):
    """117 780 cycles are what ASTRA-sim 2.x's regression test expects of all 8 NPUs."""
    for program in ("--congestion-aware", "--congestion-unaware"):
        stdout, stderr = run([program, *options(tmp_path)])
        assert finish(stdout) == [117_780] * 8
        assert "<117.780 µs in all (all NPUs alike): compute 0 ns" in stdout
        assert not stderr


def test_options_without_an_equals_sign_and_in_any_order(tmp_path):
    split = [part for option in reversed(options(tmp_path)) for part in option.split("=", 1)]
    assert finish(run([*split, "--congestion-aware"])[0]) == [117_780] * 8


def test_it_is_the_congestion_aware_program_or_not(tmp_path):
    files = {
        "network": network_text(topology=("Switch",)),
        "system": SYSTEM | {"all-to-all-implementation": ["direct"]},
    }
    args = options(tmp_path, ae.traces.collective("all_to_all", bytes=2**20, npus=8), **files)
    aware, unaware = (finish(run([program, *args])[0])[0] for program in ("--congestion-aware", "--congestion-unaware"))
    assert aware > 2 * unaware
    assert finish(run(args)[0])[0] == unaware


@pytest.mark.parametrize(
    ("args", "changes"),
    [
        (["--injection-scale=3"], {"injection_scale": 3}),
        (["--injection-scale", "0.5"], {"injection_scale": 0.5}),
        (["--num-queues-per-dim=2"], {"num_queues_per_dim": 2}),
        (["--rendezvous-protocol"], {"rendezvous_protocol": True}),
        (["--rendezvous-protocol=true"], {"rendezvous_protocol": True}),
        (["--rendezvous-protocol", "true"], {"rendezvous_protocol": True}),
        (["--rendezvous-protocol", "--congestion-unaware"], {"rendezvous_protocol": True}),
        (["--rendezvous-protocol=false", "--congestion-aware"], {"congestion_aware": True}),
    ],
)
def test_options_of_the_system_arrive(args, changes, tmp_path):
    system = SYSTEM | {"active-chunks-per-dimension": 4}
    given = options(tmp_path, system=system)
    platform = ae.load_astra_sim(**write(tmp_path, system=system), **changes)
    expected = ae.simulate(ae.traces.collective("all_reduce", bytes=2**20, npus=8), platform).finish_ns
    assert finish(run([*given, *args])[0]) == list(expected)
    assert changes.get("congestion_aware") or finish(run(given)[0]) != list(expected)


@pytest.mark.parametrize("option", ["--comm-scale=4", "--compute-scale=0.5"])
def test_scales_without_effect_are_said_to_have_none(option, tmp_path):
    stdout, stderr = run([*options(tmp_path), option])
    assert finish(stdout) == [117_780] * 8
    assert stderr == f"Warning: {option.partition('=')[0]} has no effect, as in ASTRA-sim 2.x.\n"
    assert not run([*options(tmp_path), f"{option.partition('=')[0]}=1"])[1]


def test_what_astra_sim_passes_over(tmp_path):
    stdout, stderr = run(
        [*options(tmp_path), "--logging-configuration=x.toml", "--logging-folder", "log", "--npus=7", "--fast", "very"]
    )
    assert finish(stdout) == [117_780] * 8
    passed_over, configuration, folder = sorted(stderr.splitlines(), key=lambda line: "--logging" in line)
    assert passed_over == "Warning: passed over, as ASTRA-sim 2.x does: --npus=7 --fast very"
    assert configuration == "Warning: --logging-configuration has no effect here: nothing is logged but what you see."
    assert folder.startswith("Warning: --logging-folder has no effect here")


def test_process_groups(tmp_path):
    node = {"id": 1, "type": "COMM_COLL_NODE", "attr": {"comm_type": 0, "comm_size": 2**20}}
    halves = {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}
    nodes = [[node | {"attr": node["attr"] | {"pg_name": str(1 + npu // 4)}}] for npu in range(8)]
    args = options(tmp_path, ae.traces.from_nodes(nodes, halves))
    (tmp_path / "other.json").write_text(json.dumps({"1": [0, 2, 1, 3], "2": [4, 6, 5, 7]}))
    in_order, beside, other = (
        finish(run([*args, *more])[0])[0]
        for more in (
            [f"--comm-group-configuration={tmp_path / 'traces/work.groups.json'}"],
            [],
            ["--comm-group-configuration", tmp_path / "other.json"],
        )
    )
    assert in_order == beside < other
    (tmp_path / "traces/work.groups.json").unlink()
    assert "process group '1', which isn't defined" in run([*args, "--comm-group-configuration=empty"], code=2)[1]


def test_warnings_are_a_line_each(tmp_path):
    system = {
        key: value for key, value in SYSTEM.items() if key not in ("scheduling-policy", "collective-optimization")
    }
    stderr = run(options(tmp_path, system=system))[1]
    assert [line.partition(":")[0] for line in stderr.splitlines()] == ["Warning", "Warning"]
    refused = run(options(tmp_path, system=system, network=network_text(npus=(4,))), code=2)[1]
    assert refused.count("Warning:") == 2
    assert refused.count("Error:") == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda args: [], "Missing option '--workload-configuration'"),
        (lambda args: args[:2] + args[3:], "Missing option '--remote-memory-configuration'"),
        (lambda args: [*args, "--injection-scal=2"], "Did you mean '--injection-scale'"),
        (lambda args: [*args[:3], args[3].replace("network-", "netwrk-")], "Did you mean '--network-configuration'"),
        (lambda args: [*args, "--injection-scale=nan"], "injection_scale is nan"),
        (lambda args: [*args, "--injection-scale=two"], "'two' is not a valid float"),
        (lambda args: [*args, "--num-queues-per-dim=0"], "num_queues_per_dim is 0"),
        (lambda args: [*args, "--rendezvous-protocol=maybe"], "'maybe' is not a valid boolean"),
        (lambda args: [args[0] + "s", *args[1:]], "works is no prefix of execution traces; did you mean 'work'"),
        (
            lambda args: [args[0] + "x" * 5000, *args[1:]],
            "is no path (File name too long); a prefix of",
        ),
        (lambda args: ["--workload-configuration=", *args[1:]], "is a folder; a prefix of execution traces"),
        (lambda args: [*args[:3], args[3] + "x"], "network.ymlx: no such file; a network file"),
        (lambda args: [args[0], args[1].replace("system.json", "network.yml"), *args[2:]], "same version are expected"),
        (lambda args: [*args, "--comm-group-configuration=nowhere.json"], "nowhere.json: no such file"),
    ],
)
def test_errors_are_a_sentence_and_exit_code_2(change, words, tmp_path):
    stderr = " ".join(run(change(options(tmp_path)), code=2)[1].split())
    assert words in stderr
    assert stderr.count("Error:") == 1


def test_files_of_version_1(tmp_path):
    args = options(tmp_path)
    ae.save_astra_sim(ae.preset("ring"), tmp_path / "n.json", tmp_path / "s.txt")
    ae.save_workload(ae.Workload.micro("all-reduce", 8), tmp_path / "w.txt")
    stderr = run([f"--workload-configuration={tmp_path / 'w.txt'}", *args[1:]], code=2)[1]
    assert "w.txt is a workload of ASTRA-sim 1.0; the command for it is run." in stderr
    first = [f"--system-configuration={tmp_path / 's.txt'}", f"--network-configuration={tmp_path / 'n.json'}"]
    assert "`run` is for it, not `run2`" in run([*args, *first], code=2)[1]
    assert "files of ASTRA-sim 2.x; the command for them is run2" in second_version_with_run(args)


def second_version_with_run(args):
    outcome = click.testing.CliRunner().invoke(main, ["run", args[0], args[1], args[3]])
    assert outcome.exit_code == 2
    return " ".join(outcome.stderr.split())


def test_traces_for_another_number_of_npus(tmp_path):
    args = options(tmp_path, ae.traces.collective("all_reduce", bytes=2**20, npus=4), network=NETWORK)
    assert "the trace is for 4 NPUs, the network has 8" in run(args, code=2)[1]


def test_the_module_runs_in_a_process_of_its_own(tmp_path):
    command = [sys.executable, "-m", "astra_edu"]
    ran = subprocess.run([*command, "run2", *options(tmp_path)], capture_output=True, encoding="utf-8", check=True)
    assert finish(ran.stdout) == [117_780] * 8


def test_help_says_which_program_is_which():
    text = " ".join(run(["--help"])[0].split())
    for words in ("AstraSim_Analytical_Congestion_Aware", "PREFIX.0.et", "--congestion-aware / --congestion-unaware"):
        assert words in text
    outcome = click.testing.CliRunner().invoke(main, ["--help"])
    assert "run2 Run execution traces as ASTRA-sim 2.x does." in " ".join(outcome.output.split())
