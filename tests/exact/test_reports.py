"""The six CSV reports of ASTRA-sim 1.0, byte for byte.

The files in data/reports are those of the C++ simulator (tag tutorial-asplos2023): for the tutorials' scripts, run as
they are, and for four random configurations whose inputs lie beside them.
"""

from pathlib import Path

import click.testing
import pytest

from astra_edu.cli import main

TESTS = Path(__file__).parents[1]
INPUTS = TESTS.parent / "exercises/inputs"
REPORTS = TESTS / "data/reports"
EX1 = INPUTS / "asplos2022/ex1"
EX3 = INPUTS / "asplos2022/ex3"
EX31 = INPUTS / "asplos2023/ex3-1"
EX32 = INPUTS / "asplos2023/ex3-2"
BASE = ["tutorial_result.csv", "EndToEnd.csv", "detailed.csv", "backend_end_to_end.csv", "backend_dim_info.csv"]


def files(network, system, workload):
    return [
        f"--network-configuration={network}",
        f"--system-configuration={system}",
        f"--workload-configuration={workload}",
    ]


RING = files(EX1 / "ring.json", EX1 / "ring.txt", EX1 / "all_reduce.txt")


def ex2_1():
    for row in range(11):
        yield [
            f"--run-name={2**row}",
            *files(*(INPUTS / "asplos2022/ex2" / name for name in ("ring.json", "ring.txt", "all_reduce.txt"))),
            f"--comm-scale={2**row}",
            "--total-stat-rows=11",
            f"--stat-row={row}",
        ]


def ex3_1_of_2022():
    for row, (name, scale) in enumerate((("dgx2", ["--compute-scale=0.41"]), ("tpu", []))):
        inputs = files(EX3 / f"{name}.json", EX3 / f"{name}.txt", EX3 / "vgg16.txt")
        yield [f"--run-name={name.upper()}-VGG16", *inputs, *scale, "--total-stat-rows=2", f"--stat-row={row}"]


def ex3_1_of_2023():
    for row, (name, order) in enumerate((("analytical", "baseline"), ("themis", "themis"))):
        inputs = files(EX31 / "3d_switch.json", EX31 / f"3d_switch_{order}.txt", EX31 / "all_reduce.txt")
        yield [f"--run-name={name}", *inputs, "--comm-scale=1024", "--total-stat-rows", "2", "--stat-row", str(row)]


def ex3_2_of_2023():
    """Exercise 3-2 as shipped: the same job without and with congestion, which is another program and a YAML file."""
    for row, (name, network) in enumerate((("analytical", "direct.json"), ("congestion", "congestion.yml"))):
        inputs = files(EX32 / network, EX32 / "direct.txt", EX32 / "all_reduce.txt")
        yield [f"--run-name={name}", *inputs, "--comm-scale=1024", "--total-stat-rows", "2", "--stat-row", str(row)]


def ex4_vanilla():
    names = ("torus.json", "torus.txt", "vanilla.txt")
    inputs = files(*(INPUTS / "asplos2022/ex4" / name for name in names))
    rows = ["--total-stat-rows=1", "--stat-row=0"]
    yield ["--run-name=exercise_4_vanilla", *inputs, "--num-passes=20", *rows]


def own_inputs(name, *options):
    names = ("network.json", "system.txt", "workload.txt")
    yield ["--run-name=run", *files(*(REPORTS / name / file for file in names)), *options]


SCRIPTS = {
    "ex1": lambda: [["--run-name=Exercise 1", *RING]],
    "ex2-1": ex2_1,
    "ex3-1-2022": ex3_1_of_2022,
    "ex3-1-2023": ex3_1_of_2023,
    "ex3-2-2023": ex3_2_of_2023,
    "ex4-vanilla": ex4_vanilla,
    "uneven-layers": lambda: own_inputs("uneven-layers", "--num-passes=3", "--compute-scale=0.41"),
    "nothing-on-a-dimension": lambda: own_inputs("nothing-on-a-dimension"),
    "shared-bus": lambda: own_inputs("shared-bus", "--num-passes=2"),
    "shared-bus-between-ns": lambda: own_inputs(
        "shared-bus-between-ns", "--comm-scale=0.41", "--rendezvous-protocol=true"
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_tutorials_scripts_leave_the_files_that_astra_sim_leaves(name, tmp_path):
    for args in SCRIPTS[name]():
        ran = click.testing.CliRunner().invoke(main, ["run", *args, f"--path={tmp_path}/"])
        assert ran.exit_code == 0, ran.output
    expected = sorted(REPORTS.glob(f"{name}/*.csv"))
    assert {file.name for file in expected} >= set(BASE)
    for file in expected:
        assert (tmp_path / file.name).read_text() == file.read_text(), file.name
