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
