"""Direct's all-reduce between its two steps: tokens that are back in the ns in which the last message comes.

Which of the two is first differs from NPU to NPU, or is changed by a computation that ends in this ns. ASTRA-sim 2.x
gives the same numbers as following everyone.
"""

import pytest
from tied_jobs import followed, said, shortcuts

import astra_edu as ae
from astra_edu.clock.foreseen import DisturbedError
from astra_edu.run import run_trace
from astra_edu.run.one_for_all import OneForAll


def job(npus, bandwidth, operations, how="direct", aware=False, **settings):
    """operations: ns of a computation, or the bytes of an all-reduce as a text; none waits for another."""
    trace = ae.traces.Builder(npus)
    for what in operations:
        if isinstance(what, str):
            trace.all_reduce("sum", int(what))
        else:
            trace.compute("compute", num_ops=1000 * what, tensor_size=1)
    plain = {"endpoint_delay": 1, "scheduling": "FIFO", "local_memory_bandwidth": 50, "peak_performance": 1}
    system = ae.TraceSystem.of(how, **plain | {"optimization": "baseline", "roofline": True} | settings)
    return trace.build(), ae.TracePlatform(ae.Block("Ring", npus, bandwidth, 1), system, congestion_aware=aware)


SUMS = job(4, 5, [13, 3, "4", "4", "32"])
CASES = [
    (job(8, 1, [5, "8"]), [11] * 8),
    (job(8, 2, [5, "8"], how="oneDirect", local_memory_bandwidth=10), [11] * 8),
    (job(4, 5, [3, "4"], splits=8), [49] * 4),
    (SUMS, [20, 20, 21, 21]),
    (job(5, 1, ["80"], aware=True, endpoint_delay=2, splits=8), [118, 118, 117, 118, 118]),
]


@pytest.mark.parametrize(("case", "finish"), CASES)
def test_the_gate_opens_as_in_astra_sim(case, finish):
    result = ae.simulate(*case, progress=False)
    assert list(result.finish_ns) == finish
    assert said(result) == followed(*case)


def test_only_what_ends_in_such_a_ns_disturbs():
    for micros, disturbs in ((2, True), (1000, False)):
        case = job(8, 1, [micros, "8"])
        alone = OneForAll(*case)
        if disturbs:
            with pytest.raises(DisturbedError):
                alone.run()
        else:
            alone.run()
            assert ae.simulate(*case, progress=False).one_for_all


def test_who_stands_for_a_role_and_phases_that_are_timed_at_once_know_it_too():
    assert all(found == followed(*SUMS) for found in shortcuts(*SUMS).values())


def test_a_run_that_is_too_large_to_follow_everyone_says_that_it_may_be_wrong(monkeypatch):
    monkeypatch.setattr(run_trace, "MOST_FOR_A_TIE", 0)
    for case, finish in CASES[3:]:
        with pytest.warns(UserWarning, match="NPU 0 stands for all"):
            found = ae.simulate(*case, progress=False)
        assert found.one_for_all
        assert abs(found.total_ns - max(finish)) < 10


def test_two_queues_whose_messages_share_links():
    _, platform = job(4, 2, ["4"], aware=True, queues=2)
    trace = ae.traces.Builder(4)
    before = "reduce_scatter all_gather all_gather all_to_all all_gather all_to_all reduce_scatter all_gather"
    for collective in before.split():
        getattr(trace, collective)(collective, 4)
    trace.all_reduce("first", 4)
    trace.all_reduce("last", 4)
    assert ae.simulate(trace.build(), platform, progress=False).finish_ns == (56, 56, 55, 56)
