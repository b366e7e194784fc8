"""Where one NPU stands for all, following everyone must say the same."""

from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae

MIB = 2**20
BLOCKS = st.tuples(
    st.sampled_from(["Ring", "FullyConnected", "Switch"]),
    st.sampled_from([2, 3, 4, 8]),
    st.sampled_from([12.5, 50, 100]),
    st.sampled_from([1, 500, 700]),
)


@settings(max_examples=100, deadline=None)
@given(
    blocks=st.lists(BLOCKS, min_size=1, max_size=2),
    aware=st.booleans(),
    how=st.sampled_from(["ring", "direct", "direct2"]),
    name=st.sampled_from(["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]),
    splits=st.sampled_from([1, 3, 4]),
    active=st.sampled_from([1, 1, 2]),
    optimization=st.sampled_from(["baseline", "localBWAware"]),
    size=st.sampled_from([4096, 100_000, MIB]),
)
def test_one_npu_for_all_says_what_everyone_says(blocks, aware, how, name, splits, active, optimization, size):
    settings = {"splits": splits, "active_chunks": active, "optimization": optimization}
    system = ae.TraceSystem.of([how] * len(blocks), local_memory_bandwidth=100, **settings)
    platform = ae.TracePlatform(tuple(ae.Block(*block) for block in blocks), system, congestion_aware=aware)
    trace = ae.traces.collective(name, size, platform.npus)
    alone, everyone = ae.simulate(trace, platform), ae.simulate(trace, platform, everyone=True)
    assert alone.finish_ns == everyone.finish_ns
    assert alone.one_for_all or aware
