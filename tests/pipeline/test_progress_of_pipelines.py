"""A long pipeline says how far it is."""

import pytest

import astra_edu as ae
from astra_edu.base.progress import told


@pytest.mark.parametrize(("order", "passes"), [("1f1b", 1024), ("dualpipe", 1034)])
def test_a_long_pipeline_says_how_many_passes_are_done(order, passes, monkeypatch):
    monkeypatch.setattr("astra_edu.base.progress.OFTEN", 0)
    said = []
    with told(said.append):
        ae.run_pipeline(order, 4, 128, 1000, 2000)
    counts = [int(line.split()[3].replace(",", "")) for line in said]
    assert said[0].startswith("simulating the pipeline: ")
    assert said[0].endswith(f" of {passes:,} passes")
    assert counts == sorted(counts)
    assert 0 < counts[0] < counts[-1] <= passes
