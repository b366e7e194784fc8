"""A run of too many messages is refused with a way out, and the way is one."""

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError

MODEL = ae.transformer("tiny", hidden=64, heads=4, blocks=2, sequence=16, vocabulary=64)
STRATEGY = ae.Strategy(data=8, tensor=4)


def platform(copies, aware=False):
    """Four NPUs that divide a layer, and so many copies."""
    blocks = ae.Block("Switch", 4, 100, 500), ae.Block("Switch", copies, 25, 700)
    return ae.TracePlatform(blocks, ae.TraceSystem.of(["ring", "ring"], splits=4), congestion_aware=aware)


def test_a_scaled_trace_with_process_groups_is_refused_and_one_with_whole_dimensions_runs():
    grouped = ae.traces.from_strategy(MODEL, STRATEGY, "a100")
    large = ae.traces.scale(grouped, 2048, dims=(4, 8), copies=1)
    assert len(large.groups) == 512 + 4
    with pytest.raises(ConfigError) as told:
        ae.simulate(large, platform(512, aware=True), progress=False)
    assert told.match(
        r"about [\d,]+ messages would have to be followed one by one, as the NPUs don't all do the same; "
    )
    assert "where groups are whole dimensions of the network, as ae.traces.from_strategy(..., network=)" in str(
        told.value
    )

    whole = ae.traces.from_strategy(MODEL, STRATEGY, "a100", network=platform(8).blocks)
    small, scaled = ae.simulate(whole, platform(8), everyone=True), ae.traces.scale(whole, 2048, dims=(4, 8), copies=1)
    assert ae.simulate(whole, platform(8)).finish_ns == small.finish_ns
    result = ae.simulate(scaled, platform(512), progress=False)
    assert (result.one_for_all, result.total_ns > small.total_ns) == (True, True)


def test_direct_round_a_large_congested_ring_is_refused_at_once_with_the_size_that_runs():
    trace = ae.traces.collective("all_reduce", 2**26, 65_536)
    direct = ae.TracePlatform(ae.Block("Ring", 65_536, 50, 500), ae.TraceSystem.of("direct"), congestion_aware=True)
    with pytest.raises(ae.ConfigError, match=r"a ring of 65,536 NPUs.* Take 6,324 NPUs .* ring in place of direct"):
        ae.simulate(trace, direct)
    assert ae.simulate(trace, replace(direct, congestion_aware=False)).one_for_all
