"""The pipeline simulator: against the closed form, against an independent longest path, and with orders that fail."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra_edu.base.errors import ConfigError
from astra_edu.pipeline import ORDERS, Pass, PassSpan, closed_form, passes, run_pipeline

SIZES = st.integers(1, 6)
TIMES = st.integers(0, 50)


@st.composite
def regular(draw):
    """(order, stages, micro-batches, virtual) for which the closed form is meant."""
    order = draw(st.sampled_from(["gpipe", "1f1b", "interleaved"]))
    stages, virtual = draw(SIZES), draw(st.integers(1, 4)) if order == "interleaved" else 1
    micro_batches = draw(st.integers(1, 4)) * stages if virtual > 1 else draw(st.integers(1, 12))
    return order, stages, micro_batches, virtual


# ---- where the closed form holds ----


@given(regular(), st.integers(1, 40), st.integers(1, 40))
def test_equal_stages_and_instant_transfers_give_the_closed_form(case, forward, backward):
    order, p, m, v = case
    run = run_pipeline(order, p, m, forward * v, backward * v, virtual=v)
    assert run.total_ns == pytest.approx(closed_form.total_ns(p, m, forward * v, backward * v, v))
    assert run.bubble == pytest.approx(closed_form.bubble(p, m, v))
    assert run.bubble_over_ideal == pytest.approx(closed_form.bubble_over_ideal(p, m, v))
    assert run.in_flight == pytest.approx([closed_form.in_flight(order, s, p, m, v) for s in range(p)])


def test_figures_of_the_closed_form_by_hand():
    assert closed_form.total_ns(4, 8, 10, 20) == 11 * 30
    assert closed_form.bubble_over_ideal(4, 8) == 3 / 8
    assert closed_form.bubble(4, 8) == 3 / 11
    assert closed_form.bubble_over_ideal(4, 8, virtual=2) == 3 / 16
    assert [closed_form.in_flight("gpipe", s, 4, 8) for s in range(4)] == [8] * 4
    assert [closed_form.in_flight("1f1b", s, 4, 8) for s in range(4)] == [4, 3, 2, 1]
    p, v = 4, 2
    assert closed_form.in_flight("interleaved", 0, p, 8, v) == p * (1 + (p - 1) / (p * v))
    with pytest.raises(ConfigError, match="order is 'mine'"):
        closed_form.in_flight("mine", 0, 4, 8)
    with pytest.raises(ConfigError, match="stage is 4; stages are 0 to 3"):
        closed_form.in_flight("1f1b", 4, 4, 8)
    with pytest.raises(ConfigError, match="micro_batches is 0"):
        closed_form.bubble(4, 0)


def test_four_stages_and_their_passes_by_hand():
    order = passes("1f1b", 4, 6)
    text = [" ".join(f"{each.kind}{each.micro_batch}" for each in stage) for stage in order]
    assert text == [
        "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5",
        "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5",
        "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 B5",
        "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5",
    ]
    assert [each.micro_batch for each in passes("gpipe", 2, 3)[1]] == [0, 1, 2, 2, 1, 0]


def test_interleaved_order_of_the_paper():
    """Figure 4 of arXiv 2104.04473: 4 devices with 2 virtual stages each, 8 micro-batches; its first device."""
    first = passes("interleaved", 4, 8, 2)[0]
    assert [(each.micro_batch, each.virtual_stage) for each in first if each.kind == "F"] == [
        (i, c) for start in (0, 4) for c in (0, 1) for i in range(start, start + 4)
    ]
    assert [(each.micro_batch, each.virtual_stage) for each in first if each.kind == "B"] == [
        (i, c) for start in (0, 4) for c in (1, 0) for i in range(start, start + 4)
    ]
    assert "".join(each.kind for each in first) == "F" * 10 + "FB" * 6 + "B" * 10
    assert passes("interleaved", 4, 6, 1) == passes("1f1b", 4, 6)


# ---- where it doesn't ----


@given(SIZES, st.integers(1, 10), TIMES, TIMES, st.integers(1, 20))
def test_a_transfer_costs_gpipe_one_way_there_and_back(p, m, forward, backward, p2p):
    run = run_pipeline("gpipe", p, m, forward, backward, p2p)
    assert run.total_ns == closed_form.total_ns(p, m, forward, backward) + 2 * (p - 1) * p2p


def test_transfers_cost_1f1b_more_than_gpipe_and_interleaving_no_longer_pays():
    """1F1B lets few micro-batches in, so a stage has nothing to do while its next one travels."""
    gpipe, one = (run_pipeline(name, 4, 8, 12, 24, 2).total_ns for name in ("gpipe", "1f1b"))
    assert closed_form.total_ns(4, 8, 12, 24) < gpipe < one
    at_once, slowly = (
        [run_pipeline("interleaved", 4, 8, 12, 24, p2p, v).total_ns for v in (1, 2, 4)] for p2p in (0, 20)
    )
    assert at_once == sorted(at_once, reverse=True)
    assert slowly == sorted(slowly)


@given(SIZES, st.integers(1, 8), st.data())
def test_the_slowest_stage_paces_all(p, m, data):
    forward, backward = (data.draw(st.lists(TIMES, min_size=p, max_size=p)) for _ in "FB")
    gpipe, one = (run_pipeline(name, p, m, forward, backward) for name in ("gpipe", "1f1b"))
    through = sum(forward) + sum(backward)
    assert gpipe.total_ns == through + (m - 1) * (max(forward) + max(backward))
    slowest = max(f + b for f, b in zip(forward, backward, strict=True))
    for run in (gpipe, one):
        assert run.total_ns >= max(through, m * slowest)
    assert one.busy_ns == tuple(m * (f + b) for f, b in zip(forward, backward, strict=True))


def test_the_closed_form_with_the_mean_is_too_low_if_stages_differ():
    run = run_pipeline("1f1b", 4, 8, [10, 10, 20, 10], [20, 20, 40, 20])
    assert run.total_ns > closed_form.total_ns(4, 8, 12.5, 25)
    assert run.idle_shares[2] < run.idle_shares[0]


def test_a_remainder_goes_to_the_first_parts():
    run = run_pipeline("interleaved", 2, 4, 11, 7, virtual=3)
    lasts = {(s.kind, s.virtual_stage): s.end_ns - s.start_ns for s in run.spans}
    assert [lasts["F", c] for c in range(3)] == [4, 4, 3]
    assert [lasts["B", c] for c in range(3)] == [3, 2, 2]
    assert run.busy_ns == (4 * 18, 4 * 18)


def test_times_for_each_part_of_the_model():
    run = run_pipeline("interleaved", 2, 2, [1, 2, 3, 4], [5, 6, 7, 8], [10, 20, 30], virtual=2)
    lasts = {(s.kind, s.virtual_stage * 2 + s.stage): s.end_ns - s.start_ns for s in run.spans}
    assert lasts == {("F", part): part + 1 for part in range(4)} | {("B", part): part + 5 for part in range(4)}
    start = {(s.kind, s.virtual_stage * 2 + s.stage): s.start_ns for s in run.spans if s.micro_batch == 0}
    assert [start["F", part] for part in range(4)] == [0, 11, 33, 66]
    assert start["B", 3] == 70
    one_stage = run_pipeline("interleaved", 1, 2, 4, 4, p2p_ns=100, virtual=2)
    assert one_stage.total_ns == 16  # nothing travels


# ---- against a longest path ----


def longest_path(order, lasts, travels, blocking):
    """When each pass ends, by going over all passes until nothing changes; None if some wait for ever."""
    stages = len(order)
    parts = len(lasts) // 2
    ends = {}
    changed = True
    while changed:
        changed = False
        for stage, of_stage in enumerate(order):
            free = 0
            for kind, i, v in of_stage:
                step = v * stages + stage if kind == "F" else 2 * parts - 1 - v * stages - stage
                if step and (step - 1, i) not in ends:
                    break
                arrived = ends[step - 1, i] + travels[step - 1] if step else 0
                end = max(free, arrived) + lasts[step]
                changed |= ends.get((step, i)) != end
                ends[step, i] = end
                free = end + (travels[step] if blocking else 0)
    return ends if len(ends) == sum(map(len, order)) else None


@given(st.data(), SIZES, st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_the_simulation_is_the_longest_path(data, p, v, m, blocking):
    parts = p * v
    forward, backward = (data.draw(st.lists(TIMES, min_size=parts, max_size=parts)) for _ in "FB")
    p2p = data.draw(st.lists(TIMES, min_size=parts - 1, max_size=parts - 1))
    random = Random(data.draw(st.integers(0, 10_000)))
    kind = data.draw(st.sampled_from(["regular", "swapped", "shuffled"]))
    order = [list(stage) for stage in passes("interleaved" if m % p == 0 or v == 1 else sequential(v), p, m, v)]
    for stage in order:
        if kind == "shuffled":
            random.shuffle(stage)
        elif kind == "swapped":
            k = random.randrange(len(stage) - 1)
            stage[k : k + 2] = stage[k + 1], stage[k]
    travels = [*p2p, 0, *reversed(p2p), 0] if p > 1 else [0] * 2 * parts
    ends = longest_path(order, [*forward, *reversed(backward)], travels, blocking)
    if ends is None:
        with pytest.raises(ConfigError, match="standstill"):
            run_pipeline(order, p, m, forward, backward, p2p, v, blocking)
        return
    run = run_pipeline(order, p, m, forward, backward, p2p, v, blocking)
    assert run.total_ns == max(ends.values())
    for s in run.spans:
        part = s.virtual_stage * p + s.stage
        assert s.end_ns == ends[part if s.kind == "F" else 2 * parts - 1 - part, s.micro_batch]


def sequential(v):
    """One micro-batch at a time, for any number of virtual stages."""

    def order(stage, stages, micro_batches, virtual):
        for i in range(micro_batches):
            yield from (Pass("F", i, c) for c in range(v))
            yield from (Pass("B", i, c) for c in reversed(range(v)))

    return order


@given(regular())
def test_no_stage_does_two_things_at_once_and_nothing_comes_before_what_it_needs(case):
    order, p, m, v = case
    run = run_pipeline(order, p, m, 3 * v, 5 * v, 2, v)
    spans = [[s for s in run.spans if s.stage == stage] for stage in range(p)]
    for of_stage in spans:
        assert all(a.end_ns <= b.start_ns for a, b in pairwise(of_stage))
        assert len(of_stage) == 2 * m * v
    end = {(s.kind, s.virtual_stage * p + s.stage, s.micro_batch): s.end_ns for s in run.spans}
    travel = 2 if p > 1 else 0
    for s in run.spans:
        part = s.virtual_stage * p + s.stage
        if s.kind == "F" and part:
            assert s.start_ns >= end["F", part - 1, s.micro_batch] + travel
        elif s.kind == "B":
            last = part == p * v - 1
            needed = end["F", part, s.micro_batch] if last else end["B", part + 1, s.micro_batch] + travel
            assert s.start_ns >= needed


# ---- what a run says ----


def test_a_run_and_its_table():
    run = run_pipeline("1f1b", 4, 8, 10, 20)
    assert repr(run) == "<1f1b, 4 stages, 8 micro-batches: 330 ns, bubble 27.3 %, at most 4 in flight>"
    assert run.spans[0] == PassSpan(0, "F", 0, 0, 0, 10)
    assert run.ideal_ns == 240
    table = run.table()
    assert list(table["busy (ns)"]) == [240] * 4
    assert list(table["idle (ns)"]) == [90] * 4
    assert list(table["in flight"]) == [4, 3, 2, 1]
    assert table.index.name == "stage"
    virtual = run_pipeline("interleaved", 4, 8, 10, 20, virtual=2)
    assert repr(virtual).startswith("<interleaved, 4 stages of 2 virtual stages, 8 micro-batches: 285 ns, ")
    nothing = run_pipeline("gpipe", 2, 1, 0, 0)
    assert (nothing.total_ns, nothing.bubble, nothing.bubble_over_ideal, nothing.idle_shares) == (0, 0, 0, (0, 0))


def test_orders_of_ones_own(monkeypatch):
    def in_turn(stage, stages, micro_batches, pause=3):
        for i in range(micro_batches):
            yield "F", i
            yield "B", i

    run = run_pipeline(in_turn, 3, 5, 10, 20)
    assert (run.order, run.total_ns, run.in_flight) == ("in_turn", 5 * 3 * 30, (1, 1, 1))
    monkeypatch.setitem(ORDERS, "mine", in_turn)
    assert run_pipeline("mine", 3, 5, 10, 20).spans == run.spans
    assert run_pipeline([list(in_turn(0, 3, 5))] * 3, 3, 5, 10, 20).order == "own order"
    assert run.passes == run_pipeline(run.passes, 3, 5, 1, 1).passes


def test_the_sender_is_held_up_only_if_it_blocks():
    passing, blocking = (run_pipeline("gpipe", 2, 2, 10, 10, 5, blocking=b) for b in (False, True))
    assert [s.start_ns for s in passing.spans if s.stage == 0] == [0, 10, 50, 60]
    assert [s.start_ns for s in blocking.spans if s.stage == 0] == [0, 15, 55, 70]
    assert (passing.total_ns, blocking.total_ns) == (70, 80)


# ---- what is refused ----


def waits_for_itself(stage, stages, micro_batches):
    return [Pass("B", 0), Pass("F", 0)]


def one_stage_goes_on_alone(stage, stages, micro_batches):
    in_turn = [Pass(kind, i) for i in range(micro_batches) for kind in "FB"]
    return sorted(in_turn, reverse=True) if stage == stages - 1 else in_turn


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (lambda s, p, m: [("F", 0)], "stage 0 never runs F of micro-batch 1 and 2 other passes."),
        (lambda s, p, m: [("F", 0), ("F", 1), ("B", 0)], "stage 0 never runs B of micro-batch 1."),
        (lambda s, p, m: [("F", 0), ("F", 0), ("B", 0), ("B", 1)], "stage 0 runs F of micro-batch 0 twice."),
        (lambda s, p, m: [("F", 2)], r"stage 0 is to run \('F', 2\); a pass is Pass\(kind, micro-batch\) with kind 'F' "
                                     "or 'B', micro-batch 0 to 1."),
        (lambda s, p, m: [("f", 0)], r"stage 0 is to run \('f', 0\)"),
        (lambda s, p, m: [[]], r"stage 0 is to run \[\]"),
        (lambda s, p, m: [7], "stage 0 is to run 7"),
        (lambda s, p, m: None, "stage 0 has None for its passes"),
        (lambda s, p, m: "F0 B0", "stage 0 has 'F0 B0' for its passes"),
        ([[("F", 0)]], "the order has passes for 1 stage, and there are 2."),
        (7, "order is 7; give a function, the passes of each stage, or a name: gpipe, 1f1b, interleaved, dualpipe,"),
        ("1F1B", "order is '1F1B'; did you mean '1f1b'?"),
    ],
)  # fmt: skip
def test_orders_that_are_none(order, message):
    with pytest.raises(ConfigError, match=message):
        run_pipeline(order, 2, 2, 10, 20)


def test_a_pass_too_many_at_the_end_is_seen():
    with pytest.raises(ConfigError, match="stage 0 runs B of micro-batch 0 twice"):
        run_pipeline([[("F", 0), ("B", 0), ("B", 0)]], 1, 1, 1, 1)


def test_passes_may_be_lists():
    lists = [[["F", 0], ["B", 0]]]
    assert run_pipeline(lists, 1, 1, 1, 1).passes == ((Pass("F", 0), Pass("B", 0)),)


def test_an_endless_order_is_stopped():
    def endless(stage, stages, micro_batches):
        while True:
            yield Pass("F", 0)

    with pytest.raises(ConfigError, match="stage 0 runs F of micro-batch 0 twice"):
        run_pipeline(endless, 2, 2, 10, 20)


def test_a_standstill_says_who_waits_for_what():
    with pytest.raises(ConfigError) as error:
        run_pipeline(waits_for_itself, 1, 1, 10, 20)
    assert str(error.value) == (
        "This order comes to a standstill at 0 ns. "
        "Stage 0 is to run B of micro-batch 0 and waits for its own F of it, which comes later."
    )
    with pytest.raises(ConfigError) as error:
        run_pipeline(one_stage_goes_on_alone, 3, 2, 10, 20, 5)
    assert str(error.value) == (
        "This order comes to a standstill at 25 ns. "
        "Stage 0 is to run B of micro-batch 0 and waits for B of micro-batch 0 on stage 1. "
        "Stage 1 is to run B of micro-batch 0 and waits for B of micro-batch 0 on stage 2. "
        "Stage 2 is to run F of micro-batch 1 and waits for F of micro-batch 1 on stage 1."
    )
    with pytest.raises(ConfigError, match=r"on stage 6\. 2 more stages wait, too\.$"):
        run_pipeline(one_stage_goes_on_alone, 8, 2, 10, 20)
    virtual = passes("interleaved", 2, 2, 2)
    with pytest.raises(ConfigError, match="Stage 0 is to run F of micro-batch 0 through virtual stage 1 and waits for "
                                          "F of micro-batch 0 through virtual stage 0 on stage 1"):  # fmt: skip
        run_pipeline((virtual[0], tuple(reversed(virtual[1]))), 2, 2, 10, 20, virtual=2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"stages": 0}, "stages is 0; it must be a whole number, 1 or more."),
        ({"stages": 2.5}, "stages is 2.5"),
        ({"micro_batches": 10**9}, "4 stages and 1,000,000,000 micro-batches make 8,000,000,000 passes; 2,000,000 are"),
        (
            {"stages": 10**7, "virtual": 2, "order": "interleaved"},
            "micro-batches through 2 virtual stages each make 320,000,000",
        ),
        ({"blocking": "x"}, "blocking is 'x'; it must be True or False."),
        (
            {"order": lambda: []},
            r"<lambda>\(\) is no order \(too many positional arguments\): an order is a function of",
        ),
        ({"order": lambda stage, stages, micro_batches, rate: []}, "missing a required argument: 'rate'"),
        ({"order": max}, "max is no order: an order is a function of stage, stages and micro_batches"),
        ({"forward_ns": 10**19}, "forward_ns is more than 1,000,000,000,000,000,000 ns"),
        ({"p2p_ns": [0, 10**19, 0]}, r"p2p_ns\[1\] is more than"),
        ({"micro_batches": 0}, "micro_batches is 0"),
        ({"virtual": 0}, "virtual is 0"),
        (
            {"virtual": 2},
            "virtual is 2, but 1f1b puts one virtual stage on a stage; an order for several is",
        ),
        ({"order": lambda s, p, m: [], "virtual": 2}, "virtual is 2, but <lambda> puts one virtual stage"),
        ({"forward_ns": -1}, "forward_ns is -1; it must be a whole number, 0 or more."),
        ({"backward_ns": 1.5}, "backward_ns is 1.5"),
        ({"forward_ns": [1, 2, 3, -4]}, r"forward_ns\[3\] is -4"),
        ({"forward_ns": [1, 2, 3]}, "forward_ns has 3 numbers; give one for all, or 4 of them."),
        ({"forward_ns": "ten"}, "forward_ns is 'ten'; it must be a number."),
        ({"p2p_ns": [1]}, "p2p_ns has 1 number; give one for all, or 3 of them."),
        ({"order": "interleaved", "virtual": 2, "backward_ns": [1]}, "give one for all, or 4 or 8 of them."),
        ({"order": "interleaved", "virtual": 2, "micro_batches": 9}, "a multiple of 4: 8 or 12."),
        ({"order": "interleaved", "virtual": 2, "micro_batches": 3}, "a multiple of 4: 4 is the least."),
    ],
)
def test_numbers_out_of_range(changed, message):
    good = {"order": "1f1b", "stages": 4, "micro_batches": 8, "forward_ns": 10, "backward_ns": 20}
    with pytest.raises(ConfigError, match=message):
        run_pipeline(**good | changed)


def test_whole_numbers_of_other_types_will_do():
    numpy = pytest.importorskip("numpy")
    run = run_pipeline("1f1b", 4.0, numpy.int64(8), numpy.array([10, 10, 10, 10]), 20.0, numpy.array([0, 0, 0]))
    assert run == run_pipeline("1f1b", 4, 8, 10, 20)


def test_importing_the_package_loads_no_simulator():
    code = "import astra_edu.pipeline, sys; sys.exit(any(m in sys.modules for m in ('simpy', 'numpy', 'pandas')))"
    subprocess.run([sys.executable, "-c", code], check=True)
