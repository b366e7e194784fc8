"""The answers of ASTRA-sim 1.0's congestion-aware program (tag tutorial-asplos2023), random configurations.

A case has the three files' text, the total in us and the run's rows of detailed.csv, which begin with its name.
"""

import json
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.run.reports import write_reports

DATA = Path(__file__).parents[1] / "data"
CASES = [json.loads(line) for line in (DATA / "congestion_aware_1.jsonl").open()]
FILES = {"network": "network.yml", "system": "system.txt", "workload": "workload.txt"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_same_answer_as_the_congestion_aware_program(case, tmp_path):
    for part, name in FILES.items():
        (tmp_path / name).write_text(case[part])
    work = ae.load_workload(tmp_path / FILES["workload"])
    result = ae.simulate(work, ae.load_astra_sim(tmp_path / FILES["network"], tmp_path / FILES["system"]))
    assert f"{result.total_ns / 1000:.6f}" == case["total_us"]
    write_reports(result, tmp_path, "congestion", row=1, rows=2)  # beside an analytical one, as in exercise 3-2
    lines = (tmp_path / "detailed.csv").read_text().splitlines()
    assert [line.rstrip(",") for line in lines if "congestion" in line] == case["detailed"]
