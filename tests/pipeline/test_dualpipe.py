"""DualPipe: the report's bubble and activations, pairs of passes, both ways, what is refused, explained and drawn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.timelines.cells import cells_of
from astra_edu.explain.inputs_of_pipeline import again
from astra_edu.pipeline import Pass, PassSpan, passes, run_pipeline
from astra_edu.pipeline.both_ways import pairs_of
from astra_edu.pipeline.dualpipe import bubble_ns, dualpipe
from astra_edu.pipeline.kept import most_kept
from astra_edu.pipeline.places import both_ways

STAGES = st.integers(1, 6).map(lambda half: 2 * half)
COUNTS = STAGES.flatmap(lambda p: st.tuples(st.just(p), st.integers(p, 3 * p).map(lambda half: 2 * half)))


def run(stages: int, micro_batches: int, forward: int = 1000, backward: int = 2000, **more: object) -> ae.PipelineRun:
    return run_pipeline("dualpipe", stages, micro_batches, forward, backward, **more)


@settings(deadline=None, max_examples=60)
@given(COUNTS)
def test_every_pass_is_there_once_in_both_ways(counts: tuple[int, int]):
    stages, micro_batches = counts
    listed = passes("dualpipe", stages, micro_batches)
    for stage, own in enumerate(listed):
        done = {kind: [each.micro_batch for each in own if each.kind == kind] for kind in "FBW"}
        assert sorted(done["F"]) == sorted(done["B"]) == list(range(micro_batches))
        assert len(set(done["W"])) == len(done["W"])  # the others' backward passes are whole
        assert len(done["W"]) == stages - 1 - min(stage, stages - 1 - stage)
        mirrored = [each._replace(micro_batch=(each.micro_batch + micro_batches // 2) % micro_batches) for each in own]
        assert tuple(mirrored) == listed[stages - 1 - stage]


@settings(deadline=None, max_examples=80)
@given(COUNTS, st.integers(1, 10_000), st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_bubble_is_the_reports(counts: tuple[int, int], forward: int, weights: int, hidden: int):
    """(p / 2 - 1)(F&B + B - 3 W) on the two stages in the middle, where B - W is as long as F and W no longer.

    F&B is F + B less what is hidden; then the other stages, with fewer pairs, are busier and wait less.
    """
    assume(weights <= forward and hidden <= forward)
    stages, micro_batches = counts
    backward = forward + weights
    done = run(stages, micro_batches, forward, backward, weight_ns=weights, hidden_ns=hidden)
    wanted = bubble_ns(stages, forward, backward, weights, pair_ns=forward + backward - hidden)
    waits = [done.total_ns - busy for busy in done.busy_ns]
    assert waits[stages // 2 - 1] == waits[stages // 2] == wanted == max(waits)
    if not hidden:
        assert waits == [wanted] * stages
        assert done.total_ns == micro_batches * (forward + backward) + wanted


@pytest.mark.parametrize("stages", [2, 4, 8, 16])
def test_the_reports_table(stages: int):
    """Table 2 of arXiv 2412.19437 with F = W = B / 2: less bubble than ZB1P and 1F1B, p + 1 micro-batches kept."""
    done, micro_batches = run(stages, 2 * stages), 2 * stages
    early, split = (run_pipeline(order, stages, micro_batches, 1000, 2000) for order in ("1f1b", "zb-h1"))
    bubbles = [each.total_ns - micro_batches * 3000 for each in (done, split, early)]
    assert bubbles == [(stages // 2 - 1) * 2000, (stages - 1) * 1000, (stages - 1) * 3000]
    assert done.in_flight == (stages + 1,) * stages
    assert max(early.in_flight) == max(split.in_flight) == stages


@settings(deadline=None, max_examples=60)
@given(COUNTS, st.integers(0, 300), st.booleans(), st.randoms(use_true_random=False))
def test_each_pass_waits_for_what_it_needs(counts: tuple[int, int], p2p: int, blocking: bool, rng):
    """With times that differ: passes of a stage don't overlap, none begins before what it needs has arrived, and one
    of a pair waits for both and sends on with the other."""
    stages, micro_batches = counts
    forward, backward = ([rng.randint(1, 1000) for _ in range(stages)] for _ in range(2))
    weights = [rng.randint(0, own) for own in backward]
    hidden = [rng.randint(0, min(both)) for both in zip(forward, reversed(backward), strict=True)]
    done = run(
        stages, micro_batches, forward, backward, p2p_ns=p2p, blocking=blocking, weight_ns=weights, hidden_ns=hidden
    )
    spans = {(span.kind, span.micro_batch, done.part(span)): span for span in done.spans}
    earlier = {b: a for a, b in pairwise(done.spans) if a.stage == b.stage}

    def arrives(span: PassSpan) -> int:
        """When what a pass needs is there."""
        kind, i, part = span.kind, span.micro_batch, done.part(span)
        if (kind, part) == ("F", 0):
            return 0
        if kind == "W":
            return spans["B", i, part].end_ns
        before = ("F", i, part - 1) if kind == "F" else ("B", i, part + 1) if part + 1 < stages else ("F", i, part)
        return done.sent_ns(spans[before]) + (p2p if spans[before].stage != span.stage else 0)

    for (kind, i, part), span in spans.items():
        assert span.stage == (stages - 1 - part if 2 * i >= micro_batches else part)
        begins = done.pairs[span].start_ns if kind == "B" and span in done.pairs else span.start_ns
        lasts = {"F": forward[part], "W": weights[part], "B": backward[part]}[kind]
        lasts -= weights[part] if kind == "B" and not done.is_last(span) else 0
        if span not in done.pairs:
            assert span.end_ns - span.start_ns == lasts
        elif kind == "F":
            other = done.pairs[span]
            both = lasts + backward[stages - 1 - part] - hidden[part]
            assert (span.end_ns, other.end_ns) == (other.start_ns, span.start_ns + both)
            assert done.sent_ns(span) == done.sent_ns(other) == other.end_ns
        assert begins >= arrives(span)
        before = earlier.get(span)
        if not blocking and not (kind == "B" and span in done.pairs):  # and it does begin then
            needed = max(map(arrives, [span, *filter(None, [done.pairs.get(span)])]))
            assert begins == max(needed, before.end_ns if before else 0)
    for a, b in pairwise(done.spans):
        assert a.stage != b.stage or a.end_ns <= b.start_ns
    path = done.critical_path()
    assert sum(segment.end_ns - segment.start_ns for segment in path) == done.total_ns
    assert all(segment.lane in ("compute", "transfer") for segment in path)


def test_pairs_are_of_opposite_ways_and_never_a_stages_first_backward_pass():
    for own in passes("dualpipe", 8, 20):
        pairs = pairs_of(own, 20)
        first = next(place for place, each in enumerate(own) if each.kind == "B")
        assert first - 1 not in pairs
        for place in pairs:
            a, b = own[place : place + 2]
            assert (a.kind, b.kind) == ("F", "B")
            assert (a.micro_batch < 10) != (b.micro_batch < 10)
        assert all(("W", own[place + 1].micro_batch, 0) not in own for place in pairs)


def test_a_stage_keeps_what_its_two_parts_need():
    """By hand: two stages and four micro-batches, of which those that go down need 5 and those that go up 2: of the two
    that are kept first 7, then another one down, 12, after which one goes for each that comes."""
    assert most_kept("dualpipe", 0, 2, 4, 1, (5.0, 2.0)) == 12
    assert most_kept("dualpipe", 1, 2, 4, 1, (5.0, 2.0)) == 9
    assert most_kept("dualpipe", 0, 8, 20, 1, (1.0, 1.0)) == 9


@pytest.mark.parametrize(
    ("stages", "micro_batches", "said"),
    [
        (5, 20, "stages is 5; .* an even number of stages: 4 or 6."),
        (1, 4, "stages is 1; .* an even number of stages: 2."),
        (4, 6, "micro_batches is 6 for 4 stages; .* at least twice the stages: 8 is the least."),
        (4, 7, "8 is the least"),
        (4, 11, "micro_batches is 11 for 4 stages; .*: 10 or 12."),
    ],
)
def test_counts_that_do_not_do_are_refused_with_the_nearest(stages: int, micro_batches: int, said: str):
    with pytest.raises(ConfigError, match=said):
        run(stages, micro_batches)


def test_no_more_is_hidden_than_there_is():
    with pytest.raises(ConfigError, match="hidden_ns is 1,001 for part 0, whose forward pass takes 1,000 ns and the"):
        run(2, 4, 1000, 2000, hidden_ns=1001)
    with pytest.raises(ConfigError, match="no more than 900 ns of them can be hidden"):
        run(2, 4, 1000, [2000, 900], hidden_ns=[901, 0])
    assert run_pipeline("1f1b", 2, 4, 1000, 2000, hidden_ns=5) == run_pipeline("1f1b", 2, 4, 1000, 2000)


def test_an_order_of_ones_own_may_go_both_ways():
    """All forward passes, then all backward passes: whole ones, or split ones; nothing of them is a pair."""

    @both_ways
    def whole(stage: int, stages: int, micro_batches: int):
        ways = [range(micro_batches // 2), range(micro_batches // 2, micro_batches)]
        first, second = ways if 2 * stage < stages else ways[::-1]
        forward = [i for both in zip(first, second, strict=True) for i in both]
        yield from (Pass("F", i) for i in forward)
        yield from (Pass("B", i) for both in zip(second, first, strict=True) for i in both)

    @both_ways
    def split(stage: int, stages: int, micro_batches: int):
        for each in whole(stage, stages, micro_batches):
            yield each
            if each.kind == "B":
                yield Pass("W", each.micro_batch)

    one, two = (run_pipeline(order, 4, 4, 1000, 2000) for order in (whole, split))
    assert not one.pairs
    assert one.busy_ns == two.busy_ns == (12_000,) * 4
    assert two.total_ns < one.total_ns  # a stage needn't wait for the weights of the one behind it
    with pytest.raises(ConfigError, match="stage 0 never runs B of micro-batch 3"):
        passes(both_ways(lambda s, p, m: [each for each in dualpipe(s, p, m) if each[:2] != ("B", 3)]), 2, 4)
    late = both_ways(lambda s, p, m: sorted(whole(s, p, m), key=lambda each: (each.kind, each.micro_batch)[::-1]))
    with pytest.raises(ConfigError, match=r"Stage 0 is to run B of micro-batch 0 and waits for its own F of it"):
        run_pipeline(late, 2, 4, 1, 2)
    near = both_ways(lambda s, p, m: [Pass(kind, e[1]) for kind in "FB" for e in whole(s, p, m) if e[0] == "F"])
    with pytest.raises(ConfigError, match=r"Stage 2 is to run B of micro-batch 2 and waits for B of .* 2 on stage 1"):
        run_pipeline(near, 4, 4, 1, 2)


def test_an_explanation_repeats_the_same_order_with_the_same_parts():
    done = run(4, 8, p2p_ns=50, weight_ns=700, hidden_ns=100)
    folded = run_pipeline("zb-v", 4, 8, 2000, 4000, p2p_ns=50, virtual=2, weight_ns=1500)
    for each in (done, folded):
        assert again(each) == each.total_ns
        assert f"in the order {each.order}" in str(each.explain())
    assert again(done, p2p_ns=0) == run(4, 8, weight_ns=700, hidden_ns=100).total_ns
    half = run(4, 8, 1000, 1000, p2p_ns=50, weight_ns=350, hidden_ns=100)
    assert again(done, backward_ns=[1000] * 4) == half.total_ns


def test_cells_tell_both_ways_apart():
    shown = cells_of(run(4, 8))["dualpipe"]
    assert {cell.look.name for cell in shown.cells} == {"forward", "backward", "weight gradient"}
    assert {cell.short[-1] for cell in shown.cells} == {"↓", "↑"}
    assert all((cell.short[-1] == "↑") == (int(cell.short[:-1]) >= 4) for cell in shown.cells)


def test_a_trace_runs_as_the_pipeline_does():
    """Messages of no bytes to speak of: the same passes, to the last µs and what a message takes at least."""
    trace = ae.traces.from_pipeline("dualpipe", 4, 8, forward_micros=1000, backward_micros=2000, bytes=64)
    network = ae.TracePlatform((ae.Block("Switch", 4, 50, 1),), ae.TraceSystem.of("direct"))
    ran, alone = ae.simulate(trace, network), run(4, 8)
    assert alone.total_ns / 1000 <= ran.total_ns / 1e6 <= 1.001 * alone.total_ns / 1000


def test_weights_are_split_off_wherever_the_order_does_it():
    """Here on all stages but the first, which alone was asked once: their W took no time."""

    @both_ways
    def later(stage: int, stages: int, micro_batches: int):
        for each in dualpipe(stage, stages, micro_batches):
            if stage or each.kind != "W":
                yield each

    done = run_pipeline(later, 4, 8, 1000, 2000, weight_ns=700)
    assert done.split
    assert {span.end_ns - span.start_ns for span in done.spans if span.kind == "W"} == {700}
    assert done.busy_ns == (24_000,) * 4


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"weight_ns": 2001}, "weight_ns is 2,001, and backward_ns, of which it is a part, 2,000"),
        ({"weight_ns": 1000, "pair_ns": 1999}, "pair_ns is 1,999; one of the two passes takes 2,000 ns by itself"),
        ({"weight_ns": 1000, "stages": 7}, "6 or 8"),
    ],
)
def test_no_bubble_of_times_that_cannot_be(given: dict[str, int], words: str):
    with pytest.raises(ConfigError, match=words):
        bubble_ns(**({"stages": 8, "forward_ns": 1000, "backward_ns": 2000} | given))


def test_an_array_of_no_dimensions_is_a_number():
    assert run(4, 8, hidden_ns=np.array(5)) == run(4, 8, hidden_ns=5)
