"""Where one NPU of each role is shown, all that is counted counts all NPUs: the same as with everyone=True."""

from dataclasses import replace

import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.run import run_trace
from astra_edu.run.lost_ends import lost_ends
from tools.one_for_each import case

SWITCH = ae.TracePlatform(ae.Block("Switch", 8, 50, 500), ae.TraceSystem.of("direct"))


@pytest.fixture(autouse=True)
def of_the_followed_alone(monkeypatch):
    for limit in ("FEWEST_FOR_ROLES", "FEWEST_FOR_FOLDS", "MOST_SHOWN"):
        monkeypatch.setattr(run_trace, limit, 0)


def said(trace, platform, **settings):
    """The result by roles and of all; or what either refuses the run with."""
    found = []
    for everyone in (False, True):
        try:
            found.append(ae.simulate(trace, platform, everyone=everyone, progress=False, **settings))
        except ae.ConfigError as refused:
            found.append(str(refused))
    return found


def check_tables(few, every):
    """Whether everything that counts, sums up or takes means says the same."""
    by_name = [table.sort_index() for table in (few.layers, every.layers)]
    pd.testing.assert_frame_equal(*by_name, check_exact=True)
    pd.testing.assert_frame_equal(few.utilisation(777), every.utilisation(777), rtol=1e-12)
    assert few.statistics == every.statistics
    assert few.title.startswith(every.title)
    assert (few.npus, few.times, repr(few)) == (every.npus, every.times, repr(every))


def check_shown(few, every):
    """Whether what has a row for each node of those who are followed says how many NPUs do the same."""
    rows, own = few.nodes, every.nodes
    assert rows["NPUs"].sum() == len(own)
    assert {npu: few.count_of(npu) for npu in few.npu_names} == few.of_all.counts
    assert {f"NPU {npu}" for npu in few.npu_names} == {name.partition(" (")[0] for name in few.npu_names.values()}
    assert f"shown by {len(few.npu_names):,} that stand for all" in few.title


@pytest.mark.parametrize("first", range(0, 120, 60))
@pytest.mark.parametrize("aware", [True, False])
def test_random_jobs_by_roles_count_what_everyone_counts(first, aware):
    compared = 0
    for seed in range(first, first + 60):
        trace, platform = case(seed)
        few, every = said(trace, replace(platform, congestion_aware=aware))
        if isinstance(few, str):
            assert few == every
            continue
        if few.of_all is None:
            continue
        compared += 1
        check_tables(few, every)
        check_shown(few, every)
    assert compared > 3


def test_dimensions_count_the_chunks_of_all_npus():
    compared = 0
    for seed in range(80):
        trace, platform = case(seed)
        few, every = said(trace, replace(platform, congestion_aware=False), record=True)
        if isinstance(few, str) or few.of_all is None or not every.stays:
            continue
        compared += 1
        check_tables(few, every)
        pd.testing.assert_frame_equal(few.dimensions, every.dimensions, check_exact=True)
        assert few.dimensions["times"].sum() > len(few.stays)
    assert compared > 5


def test_how_busy_a_dimension_is_is_the_mean_of_all_npus():
    trace = ae.traces.Builder(16)
    rows = [list(range(first, first + 4)) for first in range(0, 16, 4)]
    done = [trace.all_reduce("of the first row", 2**20, group=rows[:1])]
    done.append(trace.all_reduce("of other rows", 4096, group=rows[1:]))
    trace.all_reduce("sum", 4096, after=done)
    network = ae.Block("Switch", 4, 50, 500), ae.Block("Switch", 4, 50, 500)
    few, every = said(trace.build(), ae.TracePlatform(network, ae.TraceSystem.of("direct")), record=True)
    assert list(few.of_all.counts.values()) == [4, 12]
    pd.testing.assert_frame_equal(few.dimensions, every.dimensions, check_exact=True)


def test_one_slow_npu_of_many_is_one_of_many_in_the_mean():
    trace = ae.traces.Builder(8)
    done = None
    for number in range(3):
        done = trace.compute(f"computation {number}", [1] * 7 + [101], after=done)
    trace.all_reduce("sum", 2**20, after=done)
    few, every = said(trace.build(), SWITCH)
    assert list(few.of_all.counts.values()) == [7, 1]
    row = few.layers.loc[("computation 0", "compute")]
    assert (row["times"], row["mean_ns"], row["longest_ns"]) == (8, (7 * 1000 + 101_000) / 8, 101_000)
    check_tables(few, every)
    assert few.title == "a trace of 32 nodes on 8 NPUs, shown by 2 that stand for all"


@pytest.mark.parametrize("named", [True, False])
def test_npus_of_a_role_may_call_their_nodes_otherwise(named):
    nodes = [
        [
            {"id": 10 * npu + 1, "name": f"kind {npu % 3}" if named else "", "type": "COMP_NODE"}
            | {"duration_micros": 5 + (npu == 7)},
            {"id": 10 * npu + 2, "name": "sum", "type": "COMM_COLL_NODE", "data_deps": [10 * npu + 1]}
            | {"attr": {"comm_type": 0, "comm_size": 4096}},
        ]
        for npu in range(8)
    ]
    few, every = said(ae.traces.from_nodes(nodes), SWITCH)
    assert few.of_all.counts == {0: 7, 7: 1}
    assert len(few.layers) == (4 if named else 9)
    check_tables(few, every)


def waits_for_another(second, size=85, by=1):
    """Rows of four NPUs; those of the second one, or of both, wait for a message before they send theirs."""
    trace = ae.traces.Builder(8)
    done = trace.compute("first", 1)
    for npu in range(8):
        ahead, behind = (npu // 4 * 4 + (npu + step) % 4 for step in (by, -by))
        if npu >= 4 or not second:
            came = trace.receive("in", size, behind, on=npu, after=done, tag=7)
            trace.send("out", size, ahead, on=npu, after=came, tag=7)
    return trace.build()


def other_orders():
    """In groups along the second dimension each half begins with another collective. NPU 0's group is the last."""
    trace = ae.traces.Builder(8)
    for npu in reversed(range(8)):
        sizes = (4096, 8192) if npu < 4 else (8192, 4096)
        done = None
        for size in sizes:
            done = trace.all_reduce("sum", size, on=[npu], group=[npu % 4, npu % 4 + 4], after=done)
    return trace.build()


@pytest.mark.parametrize("rendezvous", [True, False])
@pytest.mark.parametrize(
    ("trace", "stuck", "first"),
    [
        (waits_for_another(False), 8, 0),
        (waits_for_another(False, by=3), 8, 0),
        (waits_for_another(True), 4, 4),
        (other_orders(), 8, 0),
    ],
)
def test_a_refusal_counts_all_npus_and_names_the_lowest(trace, stuck, first, rendezvous, monkeypatch):
    folded = []
    monkeypatch.setattr(run_trace, "lost_ends", lambda *given: folded.append(1) or lost_ends(*given))
    network = ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 50, 500)
    system = ae.TraceSystem.of("ring", rendezvous=rendezvous)
    few, every = said(trace, ae.TracePlatform(network, system, congestion_aware=True))
    assert folded
    assert few == every
    assert few.startswith(f"{stuck} of 8 NPUs never finish; first NPU {first};")


def test_where_npu_0_stands_for_all_a_refusal_counts_all():
    trace = ae.traces.from_nodes(
        [[{"id": 1, "type": "METADATA_NODE"}, {"id": 2, "type": "COMP_NODE"} | {"data_deps": [1]}]] * 4
    )
    few, every = said(trace, ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring")))
    assert few == every
    assert few.startswith("4 of 4 NPUs never finish; first NPU 0;")
