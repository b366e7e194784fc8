"""Memory as an iteration goes on: it begins and ends with the state, and its peak is what ae.memory says."""

from __future__ import annotations

import pytest

import astra_edu as ae

MODEL = ae.transformer("m", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000)
PODS = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))


def estimate(order: str, virtual: int = 1, **more: object) -> ae.Iteration:
    cut = ae.Strategy(**({"pipeline": 4, "batch": 8} | more), pipeline_order=order, virtual=virtual)
    return ae.estimate(MODEL, cut, "a100", PODS)


@pytest.mark.parametrize(
    ("order", "virtual", "more"),
    [
        ("gpipe", 1, {}),
        ("1f1b", 1, {}),
        ("zb-h1", 1, {}),
        ("interleaved", 2, {}),
        ("interleaved", 2, {"batch": 32}),
        ("interleaved", 2, {"recompute": "full"}),
        ("interleaved", 2, {"stage_blocks": (1, 1, 1, 1, 1, 1, 1, 1)}),
        ("zb-v", 2, {}),
        ("v-half", 2, {}),
        ("v-min", 2, {"batch": 16}),
        ("dualpipe", 1, {}),
    ],
)
@pytest.mark.parametrize("stage", range(4))
def test_the_peak_is_what_memory_says(order: str, virtual: int, more: dict[str, object], stage: int):
    """Of all orders, though the first and the last part of the model keep something else than those between."""
    found = estimate(order, virtual, **more)
    moments = found.memory_timeline(stage)
    kept = ae.memory(MODEL, found.strategy, stage=stage)
    assert max(moment.total for moment in moments) == pytest.approx(kept.total)
    assert {moment.state for moment in moments} == {kept.state}


@pytest.mark.parametrize("order", ["gpipe", "1f1b", "zb-h1"])
def test_it_begins_and_ends_without_activations(order: str):
    found = estimate(order)
    for stage in range(4):
        first, *_, last = moments = found.memory_timeline(stage)
        assert (first.ns, last.ns) == (0, found.total_ns)
        assert last.activations == pytest.approx(0, abs=1)
        assert [moment.ns for moment in moments] == sorted({moment.ns for moment in moments})
        assert (first.activations == 0) == (stage > 0)


def test_what_is_there_for_a_moment_is_there_in_passes_alone():
    """Buffers in all passes, what is recomputed in backward passes; in bubbles neither."""
    found = estimate("1f1b", recompute="full")
    for stage in range(4):
        own = ae.memory(MODEL, found.strategy, stage=stage)
        passes = [span for span in found.pipeline.spans if span.stage == stage]
        for moment in found.memory_timeline(stage):
            now = [span.kind for span in passes if span.start_ns <= moment.ns < span.end_ns]
            assert moment.buffers == own.buffers * bool(now)
            assert moment.recomputed == own.recomputed * ("B" in now)
            assert moment.fragmentation == pytest.approx(0.03 * moment.total)
        assert max(moment.total for moment in found.memory_timeline(stage)) == pytest.approx(own.total)


def test_a_block_that_is_gathered_shows_in_the_timeline():
    pods = ae.Platform((ae.Dimension.of("Switch", 4, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
    found = ae.estimate(MODEL, ae.Strategy(data=4, batch=8, zero=3), "a100", pods)
    most = max(found.memory_timeline(0), key=lambda moment: moment.total)
    assert most.buffers == ae.memory(MODEL, found.strategy).buffers > 0


def test_recomputing_lowers_the_peak():
    plain, again = (
        max(m.total for m in estimate("1f1b", recompute=how).memory_timeline(0)) for how in ("none", "full")
    )
    assert again < plain


def test_a_stage_that_is_not_there():
    with pytest.raises(ae.ConfigError, match="there are the stages 0 to 3"):
        estimate("1f1b").memory_timeline(4)
