"""Orders that split the backward pass: every pass, the papers' bubbles and activations, times that aren't equal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.timelines.cells import cells_of
from astra_edu.pipeline import ORDERS, Pass, passes, run_pipeline
from astra_edu.pipeline.places import FOLDED, LOOPED, part_of, place_of, placement_of
from astra_edu.pipeline.zero_bubble import _pattern

SPLIT = {"zb-h1": 1, "zb-v": 2, "v-half": 2, "v-min": 2}
"""Virtual stages of each."""


def run(order: str, stages: int, micro_batches: int, forward: int = 1000, backward: int = 2000, **more: object):
    """forward, backward: of a part."""
    virtual = SPLIT.get(order, 1)
    return run_pipeline(
        order,
        stages,
        micro_batches,
        [forward] * stages * virtual,
        [backward] * stages * virtual,
        virtual=virtual,
        **more,
    )


@settings(deadline=None)
@given(st.sampled_from(sorted(SPLIT)), st.integers(1, 9), st.integers(1, 24))
def test_every_pass_is_there_once_and_every_run_ends(order: str, stages: int, micro_batches: int):
    virtual = SPLIT[order]
    wanted = {Pass(kind, i, v) for kind in "FBW" for i in range(micro_batches) for v in range(virtual)}
    for stage in passes(order, stages, micro_batches, virtual):
        assert set(stage) == wanted
        assert len(stage) == len(wanted)
        for v in range(virtual):
            for kinds in ("FB", "BW"):
                for i in range(micro_batches):
                    first, second = (stage.index(Pass(kind, i, v)) for kind in kinds)
                    assert first < second
    assert run(order, stages, micro_batches).busy_ns == (3000 * virtual * micro_batches,) * stages


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(sorted(SPLIT)),
    st.integers(2, 6),
    st.integers(1, 12),
    st.integers(0, 500),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_each_pass_waits_for_what_it_needs(order, stages, micro_batches, p2p, blocking, rng):
    """With times that differ: passes of a stage don't overlap, and none begins before what it needs has arrived."""
    virtual = SPLIT[order]
    parts = stages * virtual
    forward, backward = ([rng.randint(1, 1000) for _ in range(parts)] for _ in range(2))
    weights = [rng.randint(0, own) for own in backward]
    done = run_pipeline(
        order, stages, micro_batches, forward, backward, p2p, virtual, blocking=blocking, weight_ns=weights
    )
    spans = {(span.kind, span.micro_batch, done.part(span)): span for span in done.spans}
    lasts = {"F": forward, "B": [b - w for b, w in zip(backward, weights, strict=True)], "W": weights}
    for (kind, i, part), span in spans.items():
        assert span.end_ns - span.start_ns == lasts[kind][part]
        if kind == "W":
            assert span.start_ns >= spans["B", i, part].end_ns
            continue
        if kind == "F" and part == 0:
            continue
        before = ("F", i, part - 1) if kind == "F" else ("B", i, part + 1) if part + 1 < parts else ("F", i, part)
        way = p2p if spans[before].stage != span.stage else 0
        assert span.start_ns >= spans[before].end_ns + way
    for a, b in zip(done.spans, done.spans[1:], strict=False):
        if a.stage == b.stage:
            assert a.end_ns <= b.start_ns


@pytest.mark.parametrize("stages", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("times", [(10, 20, 10), (12, 20, 10), (20, 30, 10)], ids=str)
def test_zb_h1_has_the_papers_bubble_and_no_more_memory_than_1f1b(stages: int, times: tuple[int, int, int]):
    """Table 2 of arXiv 2401.10241: (p - 1)(T_F + T_B - T_W), where weights take no longer than the forward pass."""
    forward, backward, weights = times
    done = run("zb-h1", stages, 4 * stages, forward, backward, weight_ns=[weights] * stages)
    bubble = done.total_ns - 4 * stages * (forward + backward)
    assert bubble == (stages - 1) * (forward + backward - 2 * weights)
    assert done.in_flight == (stages,) * stages  # until W: every stage as much as the first one of 1F1B
    assert max(run("1f1b", stages, 4 * stages).in_flight) == stages


@pytest.mark.parametrize("stages", range(2, 17))
def test_zb_v_has_next_to_no_bubble_in_1f1bs_memory(stages: int):
    """Its last stage waits for p - 1 passes of a part before it begins: no order does better."""
    done = run("zb-v", stages, 4 * stages)
    bubble = done.total_ns - 6000 * 4 * stages
    assert 1000 * (stages - 1) <= bubble <= 1500 * (stages - 1) + 1000
    assert max(done.in_flight) <= stages
    assert bubble < run("zb-h1", stages, 4 * stages, 2000, 4000).total_ns - 6000 * 4 * stages


@pytest.mark.parametrize("stages", range(2, 25))
def test_v_half_and_v_min_keep_about_a_half_and_a_third(stages: int):
    """Of 1F1B's p micro-batches (arXiv 2405.15362: p/2 and p/3 for long pipelines), with less bubble than it."""
    half, least = (max(run(order, stages, 4 * stages).in_flight) for order in ("v-half", "v-min"))
    assert half <= stages / 2 + 2
    assert least <= stages / 3 + 2
    orders = ("v-half", "v-min")
    totals = [
        run("1f1b", stages, 4 * stages, 2000, 4000).total_ns,
        *(run(o, stages, 4 * stages).total_ns for o in orders),
    ]
    assert totals[1] <= totals[2] < totals[0]


@pytest.mark.parametrize("stages", range(1, 33))
@pytest.mark.parametrize("way", [2, 3])
def test_patterns_fit_and_keep_as_long_as_the_papers(stages: int, way: int):
    """4 or 6 passes for each stage, in units of 6: a third or a half of 2 p parts, and what waiting adds."""
    pattern = _pattern(stages, way)
    assert pattern.fits
    assert pattern.longest <= 2 * way * (stages - 1) + 16


@given(st.integers(1, 20), st.sampled_from([LOOPED, FOLDED]))
def test_places_and_parts_are_each_others_inverse(stages: int, placement: str):
    for part in range(2 * stages):
        stage, v = place_of(part, stages, placement)
        assert part_of(stage, v, stages, placement) == part
    assert placement_of("anything") == LOOPED
    assert placement_of(ORDERS["zb-v"]) == FOLDED


def test_nothing_travels_between_the_parts_of_the_last_stage():
    done = run("zb-v", 4, 8, p2p_ns=100)
    assert done.p2p_ns == (100, 100, 100, 0, 100, 100, 100)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: passes("zb-v", 4, 8), "virtual is 1; a folded order has 2 virtual stages"),
        (lambda: passes("v-min", 4, 8, 3), "virtual is 3; a folded order has 2 virtual stages"),
        (lambda: passes("zb-h1", 4, 8, 2), "virtual is 2, but zb-h1 puts one virtual stage on a stage"),
        (lambda: passes([["F0"]], 1, 1), "with kind 'F' or 'B'"),
        (lambda: passes([[("F", 0), ("W", 0), ("B", 0)]], 1, 1), "stage 0 runs W of micro-batch 0 before its B"),
        (lambda: passes([[("F", 0), ("B", 0), ("W", 1)]], 1, 1), "with kind 'F', 'B' or 'W'"),
        (lambda: passes([[("F", 0), ("B", 0), ("W", 0)], [("F", 0), ("B", 0)]], 2, 1), "stage 1 never runs W of"),
        (lambda: run("zb-h1", 2, 2, weight_ns=[1000, 2001]), "weight_ns is 2,001 for part 1, whose whole backward"),
    ],
)
def test_what_cannot_be_is_said(ask, said: str):
    with pytest.raises(ConfigError, match=said):
        ask()


def test_orders_that_do_not_split_do_not_ask_about_weights():
    assert run("1f1b", 4, 8) == run("1f1b", 4, 8, weight_ns=500)
    assert not run("1f1b", 4, 8).split
    assert run("zb-h1", 4, 8).split


@pytest.mark.parametrize("order", SPLIT)
def test_what_bounds_them_can_be_explained_and_drawn(order: str):
    done = run(order, 4, 8, p2p_ns=50)
    assert "bubble" in str(done.explain())
    assert sum(segment.end_ns - segment.start_ns for segment in done.critical_path()) == done.total_ns
    assert {cell.look.name for cell in cells_of(done)[order].cells} == {"forward", "backward", "weight gradient"}
