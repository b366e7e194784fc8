"""A warning points to the line that called the package, so that each caller sees it once."""

import pytest

import astra_edu as ae
from astra_edu.workload import Layer, Work


def test_of_a_run():
    empty = Layer("embedding", Work(10, None, 0), Work(10, None, 0), Work(10, ae.Collective.ALL_REDUCE, 0))
    ring = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("ring", splits=1))
    with pytest.warns(UserWarning, match="has 0 bytes") as seen:
        ae.simulate(ae.Workload("DATA", (empty,)), ring, progress=False)
    assert seen[0].filename == __file__


def test_of_a_trace_that_is_read(tmp_path):
    ae.traces.save_trace(ae.traces.collective("all_reduce", 0, npus=4), tmp_path / "t")
    with pytest.warns(UserWarning, match="0 bytes") as seen:
        ae.traces.load_trace(tmp_path / "t")
    assert seen[0].filename == __file__
