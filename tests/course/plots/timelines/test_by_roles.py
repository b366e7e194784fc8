"""Figures of runs in which one NPU of each role is shown: means are those of all, and lanes say for whom they stand."""

import pytest

pytest.importorskip("matplotlib")

import astra_edu as ae
from astra_edu.run import run_trace


@pytest.fixture
def both(monkeypatch):
    """The same run by roles and with everyone: two stages, in the second of which one NPU is slow."""
    monkeypatch.setattr(run_trace, "FEWEST_FOR_ROLES", 0)
    monkeypatch.setattr(run_trace, "MOST_SHOWN", 0)
    trace = ae.traces.Builder(16)
    first = trace.compute("work", [5] * 8 + [9] * 7 + [30])
    trace.all_reduce("sum", 2**16, after=first, involved_dim=[True, False])
    network = ae.Block("Switch", 8, 50, 500), ae.Block("Switch", 2, 50, 500)
    platform, made = ae.TracePlatform(network, ae.TraceSystem.of("direct")), trace.build()
    few, every = (ae.simulate(made, platform, everyone=everyone) for everyone in (False, True))
    assert few.of_all.counts == {0: 8, 8: 7, 15: 1}
    return few, every


def test_use_is_the_mean_of_all(both):
    few, every = (ae.plots.utilisation({"run": run}) for run in both)
    assert few.table == every.table


def test_layers_of_an_npu_are_those_of_who_is_shown_for_it(both):
    few, every = both
    for npu in (3, 12, 15):
        assert ae.plots.layers(few, npu=npu).table == ae.plots.layers(every, npu=npu).table


def test_lanes_say_for_how_many_npus_they_stand(both):
    few, _ = both
    rows = ae.plots.trace_timeline(few).table.splitlines()
    assert [row.partition("  ")[0] for row in rows[1:4]] == ["NPU 0 ×8", "NPU 8 ×7", "NPU 15"]
    assert [few.shown_for(npu) for npu in (0, 7, 9, 15)] == [0, 0, 8, 15]
    named = ae.plots.trace_timeline(few, npus=[9, 10, 15]).table.splitlines()
    assert [row.partition("  ")[0] for row in named[1:3]] == ["NPU 8 ×7", "NPU 15"]
    assert named[3] == ""
