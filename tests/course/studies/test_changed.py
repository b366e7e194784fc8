"""One thing is changed and nothing else; a dimension runs dry between its first chunk and its last."""

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.course.studies.changed import faster, nearer, runs_dry, with_system

DGX2 = ae.preset("dgx2")


def test_faster_changes_the_bandwidth_of_one_dimension_only():
    changed = faster(DGX2, 1, 4)
    assert changed.network[0] == DGX2.network[0]
    assert changed.network[1] == replace(DGX2.network[1], bandwidth=25)
    assert changed.system == DGX2.system


def test_nearer_changes_the_latency_of_every_dimension_only():
    changed = nearer(DGX2, 4)
    assert changed.network == tuple(replace(each, latency=each.latency / 4) for each in DGX2.network)
    assert [each.latency for each in nearer(DGX2).network] == [each.latency / 2 for each in DGX2.network]
    assert changed.system == DGX2.system


def test_with_system_changes_what_is_named_only():
    changed = with_system(DGX2, splits=16, scheduling="FIFO")
    assert (changed.network, changed.system) == (
        DGX2.network,
        replace(DGX2.system, splits=16, scheduling="FIFO"),
    )


def idle(result, d):
    """The gaps between the spans of a dimension, one after the other."""
    gaps, until = 0, None
    for start, end in sorted((span.start_ns, span.end_ns) for span in result.timeline if span.dimension == d):
        gaps += max(0, start - until) if until is not None else 0
        until = end if until is None else max(until, end)
    return gaps


@pytest.mark.parametrize(("d", "times"), [(0, 1), (0, 16), (1, 16)])
def test_a_dimension_runs_dry_in_the_gaps_of_its_timeline(d, times):
    work = ae.Workload.micro("all-reduce", 2**24)
    result = ae.simulate(work, with_system(faster(DGX2, d, times), splits=16))
    for dimension in (0, 1):
        assert runs_dry(result, dimension) == pytest.approx(idle(result, dimension), abs=result.total_ns * 1e-6)
    assert max(runs_dry(result, dimension) for dimension in (0, 1)) > 0


def test_a_dimension_that_nothing_went_over_never_runs_dry():
    work = ae.Workload.micro("all-reduce", 2**20)
    assert runs_dry(ae.simulate(work, ae.preset("ring")), 3) == 0


@pytest.mark.parametrize(("d", "times"), [(2, 2), (-1, 2), (True, 2), ("0", 2), (0, 0), (0, -1), (0, "2")])
def test_what_cant_be_is_refused(d, times):
    with pytest.raises(ae.ConfigError):
        faster(DGX2, d, times)
    if d == 0:
        with pytest.raises(ae.ConfigError):
            nearer(DGX2, times)
