"""Where one NPU stands for all, following everyone must say the same."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.system import Bus
from tools.one_for_all import compare

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


ONCE_WRONG = {
    "a request takes its partner's link": (388, 1652, 1935, 2182),
    "Themis: who begins a second collective first": (159, 862, 979, 982, 1013, 1096, 1371, 2150, 2195),
    "Themis: who has the lead after messages over several hops": (502343,),
    "chunks that overtake each other": (201, 226, 488, 1946, 2340),
    "which phase is a collective's last, and still has its place when the next begins": (500533,),
    "two queues' messages on the bus": (903844,),
}


@pytest.mark.parametrize("seed", [*range(150), *(seed for seeds in ONCE_WRONG.values() for seed in seeds)])
def test_random_runs_by_default_say_what_everyone_says(seed):
    found = compare(seed)
    assert found.agree, f"{found.default} by default, {found.everyone} by everyone: {found.platform}"


def both(trace, blocks, hows, **settings):
    system = ae.TraceSystem.of(hows, local_memory_bandwidth=50, **settings)
    platform = ae.TracePlatform(tuple(ae.Block(*block) for block in blocks), system)
    return [ae.simulate(trace, platform, everyone=everyone).finish_ns for everyone in (False, True)]


def test_direct2_hands_the_lead_on_in_no_known_way():
    trace = ae.traces.Builder(8)
    trace.all_gather("c", 4096, after=trace.all_gather("b", MIB, after=trace.all_reduce("a", MIB)))
    blocks = ("FullyConnected", 4, 50, 1), ("FullyConnected", 2, 1, 500)
    settings = {"splits": 8, "active_chunks": 8, "intra_dimension": "SCF", "inter_dimension": "themis"}
    default, everyone = both(trace.build(), blocks, ["direct2", "direct"], **settings)
    assert default == everyone


def test_on_a_bus_chunks_overtake_each_other_as_their_messages_come():
    trace = ae.traces.Builder(8)
    trace.all_reduce("gradients", 777, after=trace.compute("compute", 5))
    blocks = ("Ring", 4, 50, 1), ("Ring", 2, 1, 0)
    settings = {"splits": 16, "endpoint_delay": 0, "intra_dimension": "lessRemainingPhaseFirst"}
    settings |= {"optimization": "localBWAware", "bus": Bus(L=1, o=2, g=3, G=0.01)}
    default, everyone = both(trace.build(), blocks, ["halvingDoubling", "ring"], **settings)
    assert default == everyone


@pytest.mark.parametrize("how", ["ring", "direct"])
def test_where_nothing_overtakes_and_nobody_is_asked_one_npu_still_stands_for_all(how):
    system = ae.TraceSystem.of([how] * 2, splits=8, active_chunks=2, queues=2)
    platform = ae.TracePlatform((ae.Block("Switch", 8, 50, 500), ae.Block("Ring", 4, 25, 500)), system)
    assert ae.simulate(ae.traces.collective("all_reduce", MIB, 32), platform).one_for_all


def test_where_too_many_would_have_to_be_followed_the_run_says_that_it_may_be_wrong():
    trace = ae.traces.Builder(32)
    second = trace.all_to_all("b", 100_000, after=trace.all_gather("a", 4096))
    trace.all_gather("c", 100_000, after=second)
    system = ae.TraceSystem.of("oneRing", splits=16, queues=8, intra_dimension="lessRemainingPhaseFirst")
    platform = ae.TracePlatform((ae.Block("Ring", 8, 50, 1), ae.Block("Ring", 4, 50, 500)), system)
    with pytest.warns(UserWarning, match=r"NPU 0 stands for all.*everyone=True"):
        assert ae.simulate(trace.build(), platform).one_for_all
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ae.simulate(ae.traces.collective("all_reduce", 4096, 32), platform)
