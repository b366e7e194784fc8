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
