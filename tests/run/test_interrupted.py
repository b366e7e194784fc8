"""Ctrl-C in the middle of a run: what had happened until then is there, and nothing that hadn't."""

from __future__ import annotations

import pytest

import astra_edu as ae
from astra_edu.workload import Layer, Work

LAYERS = [Layer(f"layer {k}", Work(20_000, None, 0), Work(0, None, 0), Work(0, "all-reduce", 2**20)) for k in range(4)]


@pytest.fixture
def stopping_loop():
    """A loop of one's own that Ctrl-C stops in its second layer's computation."""

    @ae.LOOPS.add("STOPPED")
    def stopped(npu):
        """Begins a computation and is interrupted."""
        yield from npu.compute(npu.layers[0].forward)
        yield from npu.communicate(npu.layers[0].weight_gradient)
        npu.issue(npu.layers[1].weight_gradient)
        yield from npu.compute(npu.layers[1].forward)
        raise KeyboardInterrupt

    yield "STOPPED"
    del ae.LOOPS["STOPPED"]


def test_a_training_loop_that_is_interrupted_leaves_what_was_done(stopping_loop):
    with pytest.raises(
        ae.Interrupted, match=r"interrupted at .* of simulated time, after 1 of 4 collectives"
    ) as caught:
        ae.simulate(ae.Workload(stopping_loop, LAYERS), ae.preset("ring"))
    so_far = caught.value.so_far
    whole = ae.simulate(ae.Workload("DATA", LAYERS), ae.preset("ring"))
    assert so_far.interrupted
    assert not whole.interrupted
    assert so_far.compute_ns == 40_000
    assert so_far.total_ns == max(span.end_ns for span in so_far.timeline)
    assert "until it was interrupted" in repr(so_far)
    assert ae.so_far() is so_far
    assert isinstance(caught.value, KeyboardInterrupt)


def computing(npus=4, layers=6, slow=None):
    """A trace in which NPUs compute and reduce, layer by layer."""
    trace, last = ae.traces.Builder(npus), None
    for layer in range(layers):
        times = [10] * npus
        if slow is not None:
            times[slow] = 15
        last = trace.all_reduce(f"sum {layer}", 4096, after=trace.compute(f"layer {layer}", times, after=last))
    return trace.build()


def ring(npus=4, aware=False, pipeline=0):
    blocks = [ae.Block("Ring", npus, 50, 500)]
    if pipeline:
        blocks.append(ae.Block("Switch", pipeline, 50, 500))
    return ae.TracePlatform(blocks, ae.TraceSystem.of(["ring"] * len(blocks)), congestion_aware=aware)


def large_job():
    """A job whose NPUs are followed by roles, and its platform of rings and a switch."""
    model = ae.transformer("small", blocks=8, hidden=64, heads=8, sequence=64, vocabulary=512)
    strategy = ae.Strategy(tensor=8, pipeline=4, batch=8)
    return ae.traces.from_strategy(model, strategy, "a100", network=(8, 4))


def stops_at(monkeypatch, nodes):
    """Ctrl-C as soon as an NPU has carried out so many nodes."""
    from astra_edu.traces.npu import TraceNpu

    over = TraceNpu.over

    def over_or_stop(npu, task):
        over(npu, task)
        if npu.ended == nodes:
            raise KeyboardInterrupt

    monkeypatch.setattr(TraceNpu, "over", over_or_stop)


CASES = {
    "all alike": (lambda: (computing(), ring()), {}),
    "joined phases": (lambda: (computing(slow=1), ring()), {}),
    "everyone": (lambda: (computing(slow=1), ring()), {"everyone": True}),
    "by roles": (lambda: (large_job(), ring(8, pipeline=4)), {}),
    "by roles, congestion-aware": (lambda: (large_job(), ring(8, aware=True, pipeline=4)), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_what_ran_until_a_trace_was_interrupted_is_what_the_whole_run_says_of_that_time(name, monkeypatch):
    job, how = CASES[name]
    trace, platform = job()
    whole = ae.simulate(trace, platform, **how)
    with monkeypatch.context() as patch:
        stops_at(patch, 5)
        with pytest.raises(
            ae.Interrupted, match=r"interrupted at .* of simulated time, after [\d,]+ of [\d,]+ nodes"
        ) as caught:
            ae.simulate(trace, platform, **how)
    so_far = caught.value.so_far
    assert so_far.interrupted
    assert 0 < so_far.total_ns < whole.total_ns
    assert max(len(so_far.ran_by(npu)) for npu in range(trace.npus)) == 5
    for npu in range(trace.npus):
        known = {(ran.node.id, ran.start_ns, ran.end_ns) for ran in whole.ran_by(npu)}
        assert {(ran.node.id, ran.start_ns, ran.end_ns) for ran in so_far.ran_by(npu)} <= known
    assert "until it was interrupted" in repr(so_far)
    assert so_far.bound_ns is None
    assert len(so_far.timeline) >= 5
