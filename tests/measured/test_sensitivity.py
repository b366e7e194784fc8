"""Each fitted parameter in one table, and how much predictions depend on it."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from importlib import import_module
from statistics import median

import click.testing
import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured.__main__ import main
from astra_edu.measured.clock import Clock
from astra_edu.measured.jobs import job_of
from astra_edu.measured.kept import kept_of
from astra_edu.measured.parameters import MEMORY_TABLE, TABLE, Parameters
from astra_edu.measured.sensitivity import in_words
from astra_edu.measured.step import step_of
from astra_edu.measured.stored import closest, every

module = import_module("astra_edu.measured.sensitivity")  # whose name is the function's, too
ROWS = measured.runs().query("source_id == 'simumax_b200'")
RATES = {"matrix", "attention", "memory", "small_tile", "link", "nic"}


@pytest.fixture(scope="module")
def found() -> pd.DataFrame:
    """As if these were the runs that ship."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("astra_edu.measured.runs"), "runs", lambda: ROWS)
        return measured.sensitivity()


@pytest.fixture(scope="module")
def of_megatron(found) -> pd.DataFrame:
    return found[found["stack"] == "Megatron-LM"].set_index(["of", "parameter"])


def test_every_parameter_of_every_stack_has_a_line_with_what_it_is(found):
    wanted = []
    for fitted in every():
        for of, given, table in (("time", fitted.time, TABLE), ("memory", fitted.memory, MEMORY_TABLE)):
            for name, value in asdict(given).items() if given else ():
                known = table[name]
                what = (known.unit, known.words, known.least, known.most)
                wanted.append((fitted.stack, ", ".join(fitted.machines), of, name, value, *what))
    columns = ["stack", "machines", "of", "parameter", "value", "unit", "meaning", "least", "most"]
    assert list(found[columns].itertuples(index=False, name=None)) == wanted


def test_runs_are_those_that_take_the_parameters(found):
    by_stack = found.groupby(["stack", "machines"], sort=False).runs.first()
    assert by_stack["Megatron-LM", "b200"] == len(ROWS) == by_stack.sum()
    others = found[found["stack"] != "Megatron-LM"]
    assert others.change.isna().all()
    assert found[found["stack"] == "Megatron-LM"].change.notna().all()


def test_given_runs_have_lines_of_their_own_parameters_alone(found):
    wanted = found[found.runs > 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(measured.sensitivity(ROWS), wanted)
    assert 0 < len(wanted) < len(found)


def test_what_a_parameter_is_fitted_to_is_named(found):
    fitted_to = found.groupby("stack").fitted_to.first()
    assert fitted_to["Megatron-DeepSpeed"] == "vtrain_single, vtrain_multi"
    assert fitted_to["MLPerf"] == "mlperf (doesn't ship)"
    shipped = set(measured.sources().index)
    for words in fitted_to:
        for source in words.split(", "):
            assert (source in shipped) != source.endswith("(doesn't ship)")


def test_a_parameter_comes_from_the_fit_or_from_judgement(found, of_megatron):
    """SimuMax's runs are of one node; some have expert groups."""
    came, depend = of_megatron.loc["time"].comes_from, of_megatron.loc["time"].depend
    assert came["matrix"] == f"fit, {len(ROWS)} runs depend on it"
    judged = [name for name, words in came.items() if words == "judgement, no run depends on it"]
    assert judged == [name for name, runs in depend.items() if runs == 0]
    assert "host_pipeline" in judged
    for name in judged:
        assert of_megatron.value["time", name] == pytest.approx(getattr(Parameters(), name), rel=0.002)
    assert set(found[found.runs == 0].comes_from) == {"fit, to other runs"}
    jobs = [job_of(row) for row in ROWS.astype(object).where(ROWS.notna(), None).to_dict("records")]
    assert depend["exchange"] == sum(job.cut.expert > 1 for job in jobs) > 0


def test_what_other_runs_moved_is_no_judgement():
    """On one node nothing depends on network cards, whose rate other runs of the stack have told."""
    found = measured.sensitivity(measured.runs().query("source_id == 'nanotron' and gpus == 8").head(3))
    nic = found.set_index("parameter").loc["nic"]
    assert (nic.depend, nic.comes_from) == (0, "fit, to other runs")
    assert nic.value < 0.9 * Parameters().nic


def test_changes_by_hand(of_megatron):
    """Those parameters of which a step's time, or what is kept, is a sum."""
    jobs = [job_of(row) for row in ROWS.astype(object).where(ROWS.notna(), None).to_dict("records")]
    given = closest("b200", "Megatron-LM")
    totals = [step_of(job, Clock(job.machine, given.time, job.bits)).total for job in jobs]
    rest = {
        "step_ms": [given.time.step_ms * 1e-3] * len(jobs),
        "micro_batch_us": [given.time.micro_batch_us * 1e-6 * job.cut.micro_batches for job in jobs],
    }
    for name, parts in rest.items():
        wanted = median(10 * part / total for part, total in zip(parts, totals, strict=True))
        assert of_megatron.change["time", name] == pytest.approx(wanted)
    kept = [kept_of(job, given.memory) for job in jobs]
    wanted = median(10 * each.base / each.total for each in kept)
    assert of_megatron.change["memory", "base_gigabytes"] == pytest.approx(wanted, rel=1e-3)


def test_what_is_quicker_takes_less_and_what_takes_longer_more(of_megatron):
    for name, change in of_megatron.loc["time"].change.items():
        assert change <= 0 if name in RATES else change >= 0, name
        assert abs(change) < 10
    assert (of_megatron.loc["memory"].change >= 0).all()
    assert of_megatron.change["time", "matrix"] < -3


def test_at_a_limit_what_led_there_is_said(monkeypatch):
    """A share of 1 can't become larger: the change is that from a share which is that much smaller."""
    ours = closest("b200", "Megatron-LM")
    at_most = replace(ours, time=replace(ours.time, matrix=1.0))
    below = replace(ours, time=replace(ours.time, matrix=1 / 1.1))
    changes = []
    for each in (at_most, below):
        monkeypatch.setattr(module, "every", lambda each=each: (each,))
        monkeypatch.setattr(module, "closest", lambda machine, stack, each=each: each)
        found = measured.sensitivity(ROWS.head(3)).set_index(["of", "parameter"])
        changes.append(found.change["time", "matrix"])
    assert changes[0] == pytest.approx(changes[1])
    assert changes[0] < 0


def test_parameters_at_their_limits_are_marked(found):
    near = 1.005
    for row in found.itertuples():
        at = {"least": row.value <= row.least * near, "most": row.value >= row.most / near}
        assert row.stopped == next((name for name, there in at.items() if there), "")
    stopped = found[found.stopped != ""].set_index(["stack", "parameter"]).stopped
    assert stopped["Megatron-DeepSpeed", "host_pipeline"] == "least"
    assert stopped["nanotron", "link"] == "most"


def test_the_command_prints_the_table_of_every_stack(found, monkeypatch):
    monkeypatch.setattr(module, "sensitivity", lambda: found)
    said = click.testing.CliRunner().invoke(main, ["parameters"])
    assert said.exit_code == 0, said.output
    assert said.output == in_words(found) + "\n"
    assert "Megatron-LM on b200; fitted to simumax_b200; 23 runs" in said.output
    assert len(re.findall("^of +parameter +value", said.output, re.MULTILINE)) == len(every())
    for words in (meaning.words for table in (TABLE, MEMORY_TABLE) for meaning in table.values()):
        assert words in said.output


def test_rows_that_are_none_are_a_sentence():
    with pytest.raises(ConfigError, match="rows is 5; give a pandas DataFrame"):
        measured.sensitivity(5)
    nothing = measured.sensitivity(pd.DataFrame([{"gpus": -1}]))
    assert len(nothing) == 0
    assert "change" in nothing.columns
