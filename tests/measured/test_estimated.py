"""Estimates beside measured runs: the ranges that ship are those of the runs, and an iteration has its kind's."""

from dataclasses import replace
from importlib import import_module

import pytest
from click.testing import CliRunner

import astra_edu as ae
from astra_edu import measured
from astra_edu.explore.iteration import beside as lines_that_ship
from astra_edu.explore.iteration.beside import BELOW_MS, beside
from astra_edu.measured.__main__ import main
from astra_edu.measured.estimated import measured_beside, store, strategy_of
from astra_edu.measured.jobs import job_of
from astra_edu.workload.compute.alike import kind_of

RUNS = measured.runs()


@pytest.mark.thorough
def test_lines_that_ship_are_what_the_runs_give():
    """All of them: `python -m astra_edu.measured estimates` has to be run after what changes estimates."""
    said: list[str] = []
    assert measured_beside(RUNS, say=said.append) == list(lines_that_ship._lines())
    assert len(said) == len(lines_that_ship._lines()) > 5


def test_the_lines_of_one_source_that_ship_are_what_its_runs_give():
    """No other source has runs on such machines whose recomputation is known."""
    blackwell = [line for line in lines_that_ship._lines() if line.machines == "Blackwell"]
    assert measured_beside(RUNS.query("source_id == 'simumax_b200'"), say=lambda _: None) == blackwell
    assert len(blackwell) == 2


@pytest.mark.parametrize(
    ("command", "module", "made"),
    [("estimates", "estimated", "measured_beside"), ("spread", "spread", "measured_spread")],
)
def test_what_is_found_is_stored_unless_it_is_not_to_be(command, module, made, monkeypatch):
    stored: list[object] = []
    of = import_module(f"astra_edu.measured.{module}")
    monkeypatch.setattr(of, made, lambda rows, say: ["found"])
    monkeypatch.setattr(of, "store", stored.append)
    assert CliRunner().invoke(main, [command, "--no-store"]).exit_code == 0
    assert stored == []
    assert CliRunner().invoke(main, [command]).exit_code == 0
    assert stored == [["found"]]


def test_small_pieces_of_work_are_furthest_from_their_estimate():
    for machine in ("a100", "h100"):
        middles = [line.middle for below in BELOW_MS if (line := beside(machine, min(below, 1e6) - 1))]
        assert middles == sorted(middles, reverse=True)
        assert middles[-1] > 1


def test_an_iteration_has_the_range_of_its_kind():
    machine = ae.machine("h100")
    took = ae.estimate("llama3-8b", ae.Strategy(data=8, zero=3, recompute="full"), machine.device, machine.platform(8))
    line = beside("h100", took.compute_ns / took.strategy.micro_batches / 1e6)
    assert took.range_ns == pytest.approx((line.low * took.total_ns, line.high * took.total_ns))
    assert f"runs like it took {line.low:.2f} to {line.high:.2f} times as long" in took.table


def test_there_is_no_range_where_nothing_like_it_was_measured():
    machine = ae.machine("h100")
    slower = replace(machine.device, matrix_efficiency=0.5)
    cut = ae.Strategy(data=8, zero=3)
    assert ae.estimate("llama3-8b", cut, slower, machine.platform(8)).range_ns is None
    gaudi = ae.machine("gaudi2")
    took = ae.estimate("llama3-8b", cut, gaudi.device, gaudi.platform(8))
    assert took.range_ns is None
    assert "runs like it" not in took.table
    assert beside("mi300x", 50) is None


def test_a_rows_job_is_a_strategy_of_the_same_npus_and_samples():
    for number in (0, 700, 1700, 2650):
        row = RUNS.loc[number].where(RUNS.loc[number].notna(), None).to_dict()
        try:
            job = job_of(row)
        except ae.ConfigError:
            continue
        found = strategy_of(job)
        assert found.npus == row["gpus"]
        assert found.samples == job.cut.data * job.cut.micro_batch * job.cut.micro_batches


def test_runs_without_a_time_give_no_lines():
    with pytest.raises(ae.ConfigError, match="none of these runs has both"):
        measured_beside(RUNS.query("source_id == 'levanter'"), say=lambda _: None)


def test_lines_are_stored_and_read_again(tmp_path, monkeypatch):
    lines = list(lines_that_ship._lines())
    monkeypatch.setattr(lines_that_ship, "FILE", tmp_path / "beside.csv")
    monkeypatch.setattr("astra_edu.measured.estimated.FILE", tmp_path / "beside.csv")
    store(lines)
    lines_that_ship._lines.cache_clear()
    assert list(lines_that_ship._lines()) == lines
    assert {kind_of(name) for name in ("a100", "h100")} <= {line.machines for line in lines}
    lines_that_ship._lines.cache_clear()


def test_runs_in_8_bits_are_held_against_no_estimate():
    with pytest.raises(ae.ConfigError, match="none of these runs has both"):
        measured_beside(RUNS.query("source_id == 'torchtitan' and precision == 'fp8'"), say=lambda _: None)
