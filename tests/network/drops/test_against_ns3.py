"""A quick part of `python -m tools.against_ns3`: ns-3 3.44's own figures beside ours."""

import pytest

pytest.importorskip("networkx")

from statistics import median

from tools.against_ns3 import SHAPES, Compared, compared, order_kept, rows, settings, within

VARIANTS = ("NewReno", "Cubic", "Dctcp")
QUICK = [f"incast{n}-10g-Tcp{name}-{buffer}k" for n in (2, 4, 8) for name in VARIANTS for buffer in (32, 256)]
QUICK += [f"dumbbell4-cross30-10g-Tcp{name}-128k" for name in ("NewReno", "Dctcp")]


@pytest.fixture(scope="module")
def cases():
    return [compared(row) for row in rows() if row["case"] in QUICK]


def test_all_quick_cases_are_stored(cases):
    assert sorted(case.name for case in cases) == sorted(QUICK)


def test_completion_is_within_15_percent_in_the_median(cases):
    assert within(case.time_ratio for case in cases) < 0.05
    assert sum(abs(case.time_ratio - 1) < 0.15 for case in cases) >= 0.8 * len(cases)


def test_drops_are_within_a_factor_of_1_5_in_the_median(cases):
    dropping = [case.drop_ratio for case in cases if case.theirs_dropped or case.ours_dropped]
    assert len(dropping) > 10
    assert within(dropping) < 0.5


def test_designs_come_in_the_same_order(cases):
    right, pairs = order_kept(cases)
    assert pairs > 20
    assert right >= 0.85 * pairs


def test_every_stored_case_can_be_played():
    stored = rows()
    assert len(stored) > 200
    for row in stored:
        assert row["shape"] in SHAPES
        assert settings(row).payload == int(row["segment_bytes"])


def case(theirs_ns=100, ours_ns=100, theirs_dropped=0, ours_dropped=0, name="a-b"):
    return Compared(name, "incast", theirs_ns, ours_ns, theirs_dropped, ours_dropped, 0, 0, 0, 0, 0.0)


def test_ratios_are_taken_either_way():
    assert within([0.5, 2.0, 2.0]) == 1.0
    assert within([0.9, 1.0, 1.1]) == pytest.approx(0.1, abs=0.02)
    assert case().drop_ratio == 1.0
    assert case(ours_dropped=3).drop_ratio == float("inf")
    assert case(theirs_dropped=4, ours_dropped=2).drop_ratio == 0.5
    assert median([case(ours_ns=80).time_ratio]) == 0.8


def test_the_order_counts_pairs_that_differ_in_one_word():
    three = [case(100, 10, name="x-1"), case(200, 20, name="x-2"), case(400, 5, name="x-4")]
    assert order_kept(three) == (1, 3)
    assert order_kept([*three[:2], case(150, 1, name="y-2")]) == (2, 2)
    assert order_kept([case(100, name="x-1"), case(101, name="x-2")]) == (0, 0)
