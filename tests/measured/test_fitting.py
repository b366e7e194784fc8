"""Fits of parameters: they find what made the times, and leave alone what no run says anything of."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.fitting import Set, fit_memory, fit_time, halves, runs_of, step_seconds
from astra_edu.measured.kept import logged_of
from astra_edu.measured.parameters import MemoryParameters, Parameters

SOME = Set("nanotron", ("h100",), ("nanotron",))


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return measured.runs().query("source_id == 'nanotron' and status == 'ok'")


def test_only_runs_of_the_set_that_say_something_are_fitted_to(rows):
    found = runs_of(measured.runs(), SOME)
    assert len(found) == (rows.mfu_pct >= 5).sum()
    assert {run.job.stack.name for run in found} == {"nanotron"}
    assert runs_of(rows, replace(SOME, machines=("a100",))) == runs_of(rows, replace(SOME, stack="TorchTitan")) == []


def test_halves_are_all_runs_and_have_none_in_common(rows):
    runs = runs_of(rows.head(60), SOME)
    one, other = halves(runs)
    assert (len(one) + len(other), abs(len(one) - len(other)) <= 1) == (len(runs), True)
    assert {id(run) for run in one} | {id(run) for run in other} == {id(run) for run in runs}
    assert halves(runs) == (one, other)


def test_a_fit_finds_the_parameters_that_made_the_times(rows):
    """Times made with a slower product and network; the rest of the parameters as where the fit begins."""
    runs = runs_of(rows.query("mfu_pct >= 5").iloc[::60], SOME)
    truth = Parameters(matrix=0.5, nic=0.4)
    made = [replace(run, seconds=took) for run, took in zip(runs, step_seconds(runs, truth), strict=True)]
    found = fit_time(made)
    for ours, theirs in zip(step_seconds(made, found), step_seconds(made, truth), strict=True):
        assert ours == pytest.approx(theirs, rel=0.03)
    assert found.matrix == pytest.approx(0.5, rel=0.1)
    assert (found.experts, found.exchange) == (0.8, 0.6)  # none has experts


def test_one_run_moves_no_parameter_far(rows):
    runs = runs_of(rows.query("mfu_pct >= 5").head(1), SOME)
    one = replace(runs[0], seconds=1.5 * step_seconds(runs, Parameters())[0])
    found = fit_time([one])
    assert step_seconds([one], found)[0] == pytest.approx(one.seconds, rel=0.03)
    for name, first in vars(Parameters()).items():
        assert first / 2.2 < getattr(found, name) < 2.2 * first, name


def test_memory_is_fitted_to_what_was_kept(rows):
    runs = runs_of(rows.query("mfu_pct >= 5").iloc[::60], SOME)
    truth = MemoryParameters(activations=1.5, base_gigabytes=2)
    made = [replace(run, kept=logged_of(run.job, truth).total) for run in runs]
    found = fit_memory(made)
    assert found is not None
    for run in made:
        assert logged_of(run.job, found).total == pytest.approx(run.kept, rel=0.03)
    assert fit_memory([replace(run, kept=None) for run in runs]) is None
