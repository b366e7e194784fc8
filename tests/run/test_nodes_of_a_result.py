"""The table of what ran: made with a bar, and made again where that was interrupted."""

import pytest

import astra_edu as ae
from astra_edu.base.progress import told


def test_a_bar_tells_how_far_it_is_and_ctrl_c_ends_it():
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), platform, everyone=True)

    def stop(_):
        raise KeyboardInterrupt

    with told(stop), pytest.raises(KeyboardInterrupt):
        len(result.nodes)
    said = []
    with told(said.append):
        assert list(result.nodes["NPU"]) == [0, 1, 2, 3]
    assert said == ["listing nodes: 0 of 4 NPUs"]


def test_every_npu_answers_for_its_own_nodes_where_npu_0_stands_for_all():
    trace = ae.traces.Builder(3)
    for npu in range(3):
        trace.compute(f"alone on {npu}", 5, on=npu)
    platform = ae.TracePlatform(ae.Block("Ring", 3, 50, 500), ae.TraceSystem.of("ring"))
    alone, everyone = (ae.simulate(trace.build(), platform, everyone=followed) for followed in (False, True))
    assert alone.one_for_all
    for npu in range(3):
        assert list(alone.ran_by(npu)) == list(everyone.ran_by(npu))
        assert [(ran.npu, ran.node.name) for ran in alone.ran_by(npu)] == [(npu, f"alone on {npu}")]
