"""Logs of MLPerf Training: steps that are in them, and what can't be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import astra_edu as ae
from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured.__main__ import main


def line(seconds: object, **metadata: object) -> str:
    """As NVIDIA's submissions log it, behind what a launcher puts before."""
    about = {"file": "callbacks.py", "lineno": 480} | metadata
    logged = {"key": "tracked_stats", "value": {"train_step_time": seconds, "loss": 7.7}, "metadata": about}
    return f"3: :::MLLOG {json.dumps(logged)}"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "result_0.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_steps_are_read_and_nothing_else(tmp_path: Path):
    other = ':::MLLOG {"key": "tracked_stats", "value": {"warmup_time": 47.7}, "metadata": {"step": 0}}'
    path = written(
        tmp_path, "srun: ...", other, line(0.5, step=31.0, samples_count=512.0), line(0.25, samples_count=768)
    )
    found = measured.mlperf_steps(path)
    assert found.ns.tolist() == [500_000_000, 250_000_000]
    assert found.samples.tolist() == [512, 768]
    assert found.step.isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["nothing"], "has no train_step_time of an MLPerf log"),
        ([line(0.5), ':::MLLOG {"value": {"train_step_time"'], "line 2: train_step_time can't be read"),
        (['{}:::MLLOG "train_step_time"'], "line 1: train_step_time can't be read"),
        ([':::MLLOG {"value": "train_step_time"}'], "line 1: train_step_time can't be read"),
        ([line("fast")], "train_step_time is 'fast'"),
        ([line(0)], "train_step_time is 0"),
        ([line(1e300)], "train_step_time is 1e\\+300; it must be in s, from 1 ns to 1e\\+18 ns"),
        ([line(1e-12)], "train_step_time is 1e-12; it must be in s"),
        ([line(0.5), line(0.5, step=float("nan"))], "line 2: train_step_time can't be read"),
        ([line(0.5, step=float("inf"))], "line 1: train_step_time can't be read"),
        ([line(0.5, samples_count=1e30)], "line 1: train_step_time can't be read"),
        ([line(0.5, step=31.5)], "line 1: train_step_time can't be read"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, lines: list[str], words: str):
    with pytest.raises(ConfigError, match=words):
        measured.mlperf_steps(written(tmp_path, *lines))


def test_no_file():
    with pytest.raises(ConfigError, match=r"nowhere\.txt can't be read"):
        measured.mlperf_steps("nowhere.txt")
    for strange in (None, b"result_0.txt", 5, "\0"):
        with pytest.raises(ConfigError, match="is no path"):
            measured.mlperf_steps(strange)


def test_a_spread_is_found_again_among_more_npus_than_floats_below_1_tell_apart():
    steps = ae.step_times(1e9, steps=5000, npus=10**16, spread=0.02, pauses_per_h=0)
    assert measured.spread_of(steps.ns, 10**16) == pytest.approx(0.02, rel=0.1)


def test_a_number_is_no_list_of_steps_even_as_an_array():
    with pytest.raises(ConfigError, match="give the times of steps"):
        measured.spread_of(np.array(5), 8)


@pytest.mark.parametrize("npus", [1, 8, 5000])
def test_the_spread_is_that_of_the_steps(npus: int):
    steps = ae.step_times(2e9, 20_000, npus=npus, spread=0.05, pauses_per_h=0)
    assert measured.spread_of(steps.ns, npus) == pytest.approx(0.05, rel=0.05)


def test_twenty_steps_at_least():
    assert measured.spread_of([10] * 20, 8) == 0
    with pytest.raises(ConfigError, match="there are 19 steps"):
        measured.spread_of([10] * 19, 8)


def test_runs_of_one_submission_count_each_by_its_own_median(tmp_path: Path):
    """The second is twice as slow, and varies as much."""
    for run in (1, 2):
        steps = ae.step_times(run * 1e9, 3000, npus=8, spread=0.02, pauses_per_h=0, seed=run)
        lines = [line(9.0), *(line(ns / 1e9) for ns in steps.ns)]
        (tmp_path / f"result_{run}.txt").write_text("\n".join(lines), encoding="utf-8")
    files = [str(tmp_path / f"result_{run}.txt") for run in (1, 2)]
    run = CliRunner().invoke(main, ["steps", *files, "--npus", "8", "--skip", "1"])
    assert run.output.startswith("6,000 steps, p50 2.05")
    assert float(run.output.split("a spread of ")[1].split()[0]) == pytest.approx(0.02, rel=0.05)
    few = CliRunner().invoke(main, ["steps", *files, "--npus", "8", "--skip", "3000"])
    assert "there are 2 steps" in few.output
