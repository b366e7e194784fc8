"""Ranges beside predictions: how the measured runs of a kind spread around theirs."""

from __future__ import annotations

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.base.errors import ConfigError
from astra_edu.measured.spread import measured_spread

RUN = {
    "model": "GPT",
    "layers": 24,
    "hidden": 2048,
    "heads": 16,
    "gpus": 8,
    "dp": 8,
    "gbs_seq": 64,
    "mbs": 4,
    "seq": 1024,
}


def test_the_stored_figures_are_those_of_the_runs_that_ship():
    """Of three small sources here; `python -m astra_edu.measured spread` makes all."""
    rows = measured.runs()
    some = rows[rows.source_id.isin(["simumax_b200", "torchtitan", "internevo"])]
    said: list[str] = []
    stored = {(row.stack, row.machines): tuple(row) for row in measured.spread().itertuples(index=False)}
    for each in measured_spread(some, said.append)[:-1]:
        assert stored[each.stack, each.machines] == tuple(each)
    assert len(said) == 4


def test_two_thirds_of_the_runs_are_within_their_range():
    rows = measured.runs().query("source_id == 'vtrain_single'").iloc[::10]
    found = measured.ranges(rows)
    within = (found.low_ms <= rows.iter_time_ms) & (rows.iter_time_ms <= found.high_ms)
    assert 0.5 < within.mean() < 0.85
    assert set(found.kind) == {"Megatron-DeepSpeed on Ampere"}
    assert found.index.equals(rows.index)


@pytest.mark.parametrize(
    ("hardware", "system", "kind"),
    [
        ("H100", "nanotron", "nanotron on Hopper"),
        ("H100", "something", "nanotron on Hopper"),
        ("H100", "NeMo 25.11", "Megatron-Bridge on Hopper"),
        ("H100", "InternEvo", "nanotron on Hopper"),
        ("MI300X", "Megatron-LM", "all runs"),
    ],
)
def test_the_nearest_kind_is_named(hardware: str, system: str, kind: str):
    found = measured.ranges(pd.DataFrame([RUN | {"hardware": hardware, "system": system}])).iloc[0]
    assert found.kind == kind
    assert 0 < found.low_ms < found.high_ms


def test_what_is_not_predicted_has_no_range():
    found = measured.ranges(pd.DataFrame([RUN | {"hardware": "abacus", "system": ""}])).iloc[0]
    assert pd.isna(found.low_ms)
    assert found.kind == ""


def test_runs_without_a_measured_time_have_no_spread():
    rows = pd.DataFrame([RUN | {"hardware": "H100", "system": "nanotron"}])
    with pytest.raises(ConfigError, match="none of these runs has both a measured and a predicted time"):
        measured_spread(rows)
