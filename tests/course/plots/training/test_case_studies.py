"""Figures of case studies 1 and 2."""

import pytest

import astra_edu as ae
from astra_edu.course.plots import all_reduce_bars, bandwidth_used, training_bars
from astra_edu.course.studies.case_studies import (
    JOBS,
    Job,
    all_reduces,
    case_study_platform,
    gpt3,
    train,
)

GIB = 2**30

SMALL = Job("GPT-3, 2 blocks", gpt3(2), JOBS["GPT-3"].strategy)


def test_figures_say_what_they_show():
    rows = all_reduces(["W-2D", "Conv-3D"], ["baseline", "Themis, SCF"], [2**20, GIB])
    lines = bandwidth_used(rows)
    assert "baseline, 1 GiB: W-2D 51%, Conv-3D 61%." in lines.alt
    assert len(lines.table.splitlines()) == 5
    bars = all_reduce_bars([row for row in rows if row.size == GIB])
    assert "W-2D, Themis, SCF: 4,064.184 µs, 98% of the bandwidth used." in bars.alt
    runs = {"small": {system: train(SMALL, case_study_platform(system, splits=4)) for system in ("W-2D", "Conv-3D")}}
    stacks = training_bars(runs, "W-2D")
    assert "small: W-2D 1.00 (" in stacks.alt
    assert [line.split()[-1] for line in stacks.table.splitlines()[1:2]] == ["1.000"]
    for picture in (lines, bars, stacks):
        assert "<img alt=" in picture._repr_html_()
        assert ("no release switches on" in picture.note) == (picture is not stacks)


def test_figures_refuse_what_they_can_not_show():
    rows = all_reduces(["W-2D"], ["baseline"], [2**20, 2**21])
    with pytest.raises(ae.ConfigError, match=r"2 sizes; give those of one size"):
        all_reduce_bars(rows)
    with pytest.raises(ae.ConfigError, match=r"all rows are of 1 MiB"):
        bandwidth_used(rows[:1])
    for figure in (all_reduce_bars, bandwidth_used):
        for nothing in ((), None, [1]):
            with pytest.raises(ae.ConfigError, match=r"all_reduces\(\)"):
                figure(nothing)
    with pytest.raises(ae.ConfigError, match=r"give runs by workload"):
        training_bars({}, "W-2D")
    with pytest.raises(ae.ConfigError, match=r"reference of small is 'W-3D'"):
        training_bars({"small": {"W-2D": train(SMALL, case_study_platform("W-2D", splits=1))}}, "W-3D")
