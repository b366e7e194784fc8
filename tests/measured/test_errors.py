"""How far off the predictions of the runs that ship are, and that README and its figure say the same."""

from __future__ import annotations

import math
import statistics
from xml.etree import ElementTree

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.goals import agreement_in_words

# Reached, of the predictions of each source: how many of its runs; median and mean error of time, and of memory; which
# part of those that ran are said to fit, and of those that failed, not to. None: not measured.
REACHED = {
    "fms_fsdp": (5, (0.073, 0.066), None, 1, None),
    "internevo": (28, (0.033, 0.038), None, 1, None),
    "levanter": (7, None, None, 1, None),
    "maxtext": (6, (0.028, 0.113), None, 0.83, None),
    "megatron_bridge": (113, (0.050, 0.073), None, 0.99, None),
    "megatron_llama": (2, (0.017, 0.017), None, 1, None),
    "mpt": (109, (0.028, 0.038), None, 1, None),
    "nanotron": (1582, (0.057, 0.117), (0.071, 0.100), 0.99, 0.83),
    "simumax_b200": (23, (0.020, 0.022), (0.012, 0.015), 1, None),
    "torchtitan": (13, (0.055, 0.078), (0.030, 0.063), 1, None),
    "tpu_recipes": (22, (0.076, 0.110), None, 0.95, None),
    "vtrain_multi": (55, (0.048, 0.080), None, 1, None),
    "vtrain_single": (648, (0.041, 0.061), None, 1, None),
}


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    return measured.compared(measured.runs())


@pytest.fixture(scope="module")
def table(compared) -> pd.DataFrame:
    return measured.error_table(compared)


@pytest.mark.parametrize("source", REACHED)
def test_predictions_are_as_near_as_they_were(table, source):
    """Who makes one better may tighten its bound."""
    predicted, time, memory, fit, unfit = REACHED[source]
    row = table.loc[source]
    assert row.predicted >= predicted
    bounds = {"time": time or (None, None), "memory": memory or (None, None)}
    for what, (median, mean) in bounds.items():
        for column, most in ((f"{what}, median", median), (f"{what}, mean", mean)):
            assert math.isnan(row[column]) if most is None else row[column] <= most, column
    for column, least in (("ran, said to fit", fit), ("failed, said not to", unfit)):
        assert math.isnan(row[column]) if least is None else row[column] >= least, column


def test_every_source_has_its_bounds(table):
    assert {*table.index} == {*REACHED}


KINDS = {
    "vTrain, one node: time": (648, 0.041, 0.061),
    "vTrain, several nodes: time": (55, 0.048, 0.080),
    "nanotron: time": (495, 0.057, 0.117),
    "nanotron: memory": (495, 0.071, 0.100),
    "Megatron-LM, MegaScale, MLPerf, Llama 3, MT-NLG: time": (2, 0.017, 0.017),
    "Megatron-Bridge, TorchTitan, MPT, InternEvo, TPUs: time": (291, 0.036, 0.060),
    "SimuMax: time": (23, 0.020, 0.022),
    "SimuMax: memory": (23, 0.012, 0.015),
}


def test_kinds_of_runs_reach_their_goals(compared):
    found = measured.agreement(compared)
    assert list(found.index) == list(KINDS)
    assert found.reached.all()
    for name, (runs, median, mean) in KINDS.items():
        assert found.runs[name] == runs
        assert found["median"][name] <= median
        assert found["mean"][name] <= mean


def test_a_kind_s_errors_are_those_of_its_sources(compared):
    """By hand, for a kind of several sources; one whose runs are twice as slow doesn't reach its goal."""
    of = ["megatron_bridge", "torchtitan", "mpt", "internevo", "tpu_recipes", "maxtext", "levanter"]
    own = compared[compared.compared_source.isin(of)].time_error.abs().dropna()
    name = "Megatron-Bridge, TorchTitan, MPT, InternEvo, TPUs: time"
    assert measured.agreement(compared)["median"][name] == own.median()
    assert measured.agreement(compared)["mean"][name] == own.mean()
    off = compared.assign(time_error=compared.time_error.where(compared.compared_source != "vtrain_multi", -0.5))
    assert list(measured.agreement(off).query("not reached").index) == ["vTrain, several nodes: time"]
    assert measured.agreement(compared.query("compared_source == 'fms_fsdp'")).empty


def test_what_was_compared_and_read_back_without_a_source_is_of_no_kind(compared, tmp_path):
    compared.head(3).assign(compared_source="").to_csv(tmp_path / "mine.csv", index=False)
    assert measured.agreement(pd.read_csv(tmp_path / "mine.csv")).empty


def test_both_errors_count():
    """Four runs that are near and one that is far off, of a source whose name begins as another's does."""
    columns = {"compared_source": "nanotron", "compared_ran": True, "memory_error": math.nan, "refused": ""}
    near = pd.DataFrame({"time_error": [0.01, -0.02, 0.0, 0.03, -0.9]}).assign(**columns)
    assert measured.agreement(near)["mean"].item() == pytest.approx(0.192)
    assert not measured.agreement(near).reached.item()
    assert measured.agreement(near.head(4)).reached.item()
    assert measured.agreement(near.assign(compared_source="nanotron_next")).empty


def test_the_command_says_which_goals_are_reached(compared):
    words = agreement_in_words(measured.agreement(compared)).splitlines()
    assert words[0].split("  ")[0] == "runs of"
    assert len(words) == 1 + len(KINDS)
    assert all(line.endswith("yes") for line in words[1:])
    assert "495" in words[3]
    assert "5.6% (10%)" in words[3]
    assert agreement_in_words(measured.agreement(compared.head(0))) == ""


def test_what_was_compared_is_summed_up_without_comparing_it_again(compared, table):
    assert measured.compared(compared) is compared
    some = measured.runs().query("source_id == 'simumax_b200'")
    assert measured.error_table(some).equals(table.loc[["simumax_b200"]])
    assert measured.refusals(compared).runs.sum() == table.runs.sum() - table.predicted.sum()


def test_readme_and_its_figure_say_what_the_errors_are(compared):
    """After a change of parameters or runs, `python -m tools.errors` makes both anew."""
    pytest.importorskip("matplotlib")
    from astra_edu.course.plots import prediction_errors
    from tools.errors import FIGURE, README, SHOWN, section

    alt = prediction_errors(compared).alt
    assert SHOWN.findall(README.read_text(encoding="utf-8")) == [section(compared, alt)]
    drawn = ElementTree.parse(FIGURE)
    assert [each.text for each in drawn.iter("{http://purl.org/dc/elements/1.1/}description")] == [alt]


def test_the_figure_that_ships_has_a_dot_for_each_run_where_its_ratio_is(compared):
    """Read from the file: the dots' places are a straight line of the logarithms of measured over predicted."""
    from tools.errors import FIGURE

    svg = "{http://www.w3.org/2000/svg}"
    groups = {each.get("id"): each for each in ElementTree.parse(FIGURE).iter(f"{svg}g")}
    dots = {
        name.removeprefix("runs-"): sorted(float(dot.get("x")) for dot in group.iter(f"{svg}use"))
        for name, group in groups.items()
        if name and name.startswith("runs-")
    }
    errors = compared.dropna(subset="time_error").groupby("compared_source").time_error
    logs = {source: sorted(-math.log1p(error) for error in each) for source, each in errors}
    assert {source: len(each) for source, each in dots.items()} == {source: len(each) for source, each in logs.items()}
    places, ratios = ([each for source in sorted(of) for each in of[source]] for of in (dots, logs))
    one, per_log = statistics.linear_regression(ratios, places)[::-1]
    assert per_log > 0
    assert max(abs(one + per_log * ratio - place) for ratio, place in zip(ratios, places, strict=True)) < 0.01
