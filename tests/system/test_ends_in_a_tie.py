"""A phase of direct that ends in the ns of a computation: which is first is what following every message says."""

import random
from dataclasses import replace

import pytest
from tied_jobs import followed, said

import astra_edu as ae
from astra_edu.collectives import Collective
from astra_edu.network.folded import AmbiguousError
from astra_edu.run import run_trace
from astra_edu.run.one_for_all import OneForAll, undisturbed
from astra_edu.system.implementation import Implementation


def small(draw, how="direct"):
    """Computations of 1 ns and collectives of a few bytes on a ring of four, where nearly all ends in the same ns."""
    trace, made = ae.traces.Builder(4), []
    for k in range(draw.choice([5, 6, 7])):
        after = draw.sample(made, min(len(made), draw.choice([0, 1, 1]))) or None
        if draw.random() < 0.5:
            made.append(trace.compute(f"{k}", 0, after=after))
        else:
            collective = getattr(trace, draw.choice(["all_reduce", "reduce_scatter", "all_gather"]))
            made.append(collective(f"{k}", 4 * draw.choice([1, 2, 4]), after=after))
    return trace.build(), on_a_ring(draw.choice([0, 1]), how, draw.choice([None, 1, 5]))


def on_a_ring(latency=0, how="direct", memory=None):
    system = replace(ae.TraceSystem.of([how], splits=1), endpoint_delay=1, local_memory_bandwidth=memory)
    return ae.TracePlatform(ae.Block("Ring", 4, 1, latency), system)


def test_the_last_message_was_sent_after_the_computation_began():
    trace = ae.traces.Builder(4)
    first = trace.compute("first", 0)
    trace.all_reduce("last", 4, after=trace.compute("second", 0, after=first))
    trace.reduce_scatter("at once", 4)
    trace.all_reduce("then", 4, after=first)
    job = trace.build(), on_a_ring()
    assert run_trace.fits(*job)
    assert said(ae.simulate(*job, progress=False)) == followed(*job)


def test_the_last_of_messages_that_leave_together_was_sent_before_a_computation_that_ends_with_it_began():
    trace = ae.traces.Builder(4)
    trace.compute("behind it", 0, after=trace.all_to_all("exchange", 4))
    trace.compute("third", 0, after=trace.compute("first", 0))
    trace.compute("second", 0)
    job = trace.build(), on_a_ring()
    assert said(run_trace._one_for_all(*job, record=False, strict=True)) == followed(*job)


def test_a_window_of_two_is_narrower_than_the_number_of_peers():
    """ASTRA-sim 2.x finishes at 2,030 ns: a computation ends while a phase goes on message by message."""
    trace = ae.traces.Builder(8)
    scattered = trace.reduce_scatter("scattered", 800)
    first = trace.compute("first", 0)
    trace.compute("beside", 1, after=first)
    small = trace.all_reduce("small", 16, after=scattered)
    trace.compute("beside, too", 1, after=first)
    trace.all_reduce("last", 64, after=small)
    system = ae.TraceSystem.of(
        ["direct2"], splits=8, active_chunks=1, scheduling="LIFO", endpoint_delay=2, local_memory_bandwidth=1
    )
    job = trace.build(), ae.TracePlatform(ae.Block("Ring", 8, 1, 2), system)
    result = ae.simulate(*job, progress=False)
    assert result.finish_ns == (2030,) * 8
    assert said(result) == followed(*job)


def test_a_computation_that_ends_when_a_message_comes():
    """All NPUs but the last end the computation first: the message that ends the phase is sent in its sender's turn."""
    trace = ae.traces.Builder(6)
    first = trace.compute("c9", 0)
    for name in ("c10", "c11", "c12"):
        trace.compute(name, 0)
    sent = trace.all_to_all("x13", 48)
    trace.compute("c14", 0, after=first)
    trace.compute("c16", 0, after=sent)
    trace.compute("c17", 0)
    system = ae.TraceSystem.of("direct3", scheduling="LIFO", splits=4, active_chunks=4, endpoint_delay=1)
    job = trace.build(), ae.TracePlatform(ae.Block("Ring", 6, 1, 0), system)
    with pytest.raises(AmbiguousError):
        OneForAll(*job).run()
    starts = {row.start_ns for row in ae.simulate(*job, progress=False).ran if row.node.name == "c17"}
    assert starts == {5, 6}


def test_only_a_window_that_is_used_matters():
    system = ae.TraceSystem.of("ring")
    ways = system.implementations | {Collective.ALL_TO_ALL: (Implementation.parse("direct1"),)}
    platform = ae.TracePlatform(ae.Block("Ring", 8, 1, 2), replace(system, implementations=ways))
    assert undisturbed(ae.traces.collective("all_reduce", 800, npus=8), platform)
    assert not undisturbed(ae.traces.collective("all_to_all", 800, npus=8), platform)
    congested = replace(platform, congestion_aware=True)  # where such a phase is followed once, by itself
    assert undisturbed(ae.traces.collective("all_to_all", 800, npus=8), congested)


def test_a_guess_of_who_leads_goes_by_the_phases_durations():
    """Themis, where NPU 0 stands for all though it isn't sure: messages that are followed tell less of who leads."""
    system = ae.TraceSystem.of(
        ["direct1", "direct1"], splits=2, active_chunks=1, inter_dimension="themis", intra_dimension="SCF"
    )
    blocks = ae.Block("FullyConnected", 4, 1, 1), ae.Block("FullyConnected", 4, 4, 1)
    trace = ae.traces.Builder(16)
    for k, size in enumerate([1024, 256, 256]):
        trace.all_reduce(f"{k}", size)
    job = trace.build(), ae.TracePlatform(blocks, system)
    guess = OneForAll(*job, strict=False)
    guess.run()
    assert guess.npu.finished_ns == ae.simulate(*job, everyone=True, progress=False).total_ns == 1962


def test_a_narrow_window_on_two_rings_with_congestion():
    """ASTRA-sim 2.x finishes at 82 ns on 12 NPUs and at 84 ns on 4: which NPU has its turn first matters."""
    system = ae.TraceSystem.of(["direct", "direct2"], splits=4, active_chunks=1, endpoint_delay=2)
    blocks = ae.Block("Ring", 4, 5, 2), ae.Block("Ring", 4, 1, 2)
    platform = ae.TracePlatform(blocks, replace(system, optimization="localBWAware"), congestion_aware=True)
    found = ae.simulate(ae.traces.collective("all_reduce", 16, npus=16), platform, progress=False).finish_ns
    assert sorted(found) == [82] * 12 + [84] * 4


@pytest.mark.parametrize(
    ("blocks", "hows", "settings", "total_ns"),
    [
        (("Ring", 5, 5), ["direct1", "direct6", "direct1"], {"scheduling": "LIFO", "local_memory_bandwidth": 5}, 86),
        (("Switch", 2, 1), ["direct2", "ring", "direct"], {"scheduling": "FIFO", "local_memory_bandwidth": 50}, 50),
    ],
)
def test_chunks_of_direct_on_three_dimensions_with_congestion(blocks, hows, settings, total_ns):
    """Totals of ASTRA-sim 2.x: which of two chunks that leave two dimensions in one ns is first in the third."""
    kind, bandwidth, latency = blocks
    system = ae.TraceSystem.of(hows, splits=4, active_chunks=1, endpoint_delay=1, **settings)
    platform = ae.TracePlatform((ae.Block(kind, 2, bandwidth, latency),) * 3, system, congestion_aware=True)
    job = ae.traces.collective("all_reduce", 64 if kind == "Ring" else 32, npus=8), platform
    result = ae.simulate(*job, progress=False)
    assert result.one_for_all
    assert result.total_ns == total_ns
    assert said(result) == followed(*job)


def test_a_message_of_direct_that_takes_as_long_as_the_endpoint_with_congestion():
    """ASTRA-sim 2.x finishes at 14 ns on two NPUs, at 15 ns on three."""
    platform = ae.TracePlatform(
        ae.Block("Ring", 5, 1, 1), ae.TraceSystem.of("direct", splits=1, endpoint_delay=2), congestion_aware=True
    )
    for active in 1, 4:
        system = replace(platform.system, active_chunks=active)
        job = ae.traces.collective("all_reduce", 10, npus=5), replace(platform, system=system)
        with pytest.raises(AmbiguousError):
            OneForAll(*job).run()
        assert ae.simulate(*job, progress=False).finish_ns == (14, 15, 15, 15, 14)


def test_chunks_that_come_to_one_queue_in_another_order_at_each_npu():
    """ASTRA-sim 2.x never finishes: of 8 chunks on three dimensions, NPUs take those of two dimensions by turns."""
    system = ae.TraceSystem.of(
        ["halvingDoubling", "direct3", "direct2"], splits=8, endpoint_delay=2, active_chunks=1, scheduling="LIFO"
    )
    job = (
        ae.traces.collective("all_reduce", 64, npus=8),
        ae.TracePlatform((ae.Block("FullyConnected", 2, 5, 2),) * 3, system),
    )
    with pytest.raises(AmbiguousError):
        OneForAll(*job).run()
    for everyone in False, True:
        with pytest.raises(ae.ConfigError, match="8 of 8 NPUs never finish"):
            ae.simulate(*job, everyone=everyone, progress=False)


def test_a_guess_is_made_also_where_a_phase_itself_is_a_tie():
    """Many NPUs aren't followed for the sake of a tie: the time is one that may be another by a few ns."""
    system = ae.TraceSystem.of("direct", splits=1, active_chunks=1, endpoint_delay=2)
    platform = ae.TracePlatform(ae.Block("Ring", 515, 1, 1), system, congestion_aware=True)
    with pytest.warns(UserWarning, match="it matters which of them has its turn first"):
        guess = ae.simulate(ae.traces.collective("all_reduce", 1030, npus=515), platform, progress=False)
    assert guess.one_for_all


@pytest.mark.parametrize("how", ["direct", "direct2"])
def test_small_jobs(how):
    draw, compared = random.Random(3), 0
    for _ in range(100):
        job = small(draw, how)
        try:
            found = said(run_trace._one_for_all(*job, record=False, strict=True))
        except AmbiguousError:
            continue
        assert found == followed(*job)
        compared += 1
    assert compared > 60
