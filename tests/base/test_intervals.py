"""Shares of periods: stretches of equal ones say what going through all periods says, however long it is."""

import random

from astra_edu.base.intervals import common_stretches, merged, shares_of_periods, stretches_of_shares


def one_by_one(intervals, period, count):
    """Each period looked at by itself."""
    shares = [0.0] * count
    for start, end in merged(intervals):
        for k in range(int(start // period), min(int(-(-end // period)), count)):
            shares[k] += min(end, (k + 1) * period) - max(start, k * period)
    return [share / period for share in shares]


def test_the_same_shares_as_period_by_period():
    dice = random.Random(12)
    for _ in range(2000):
        ends = [(dice.choice([dice.randint(0, 90), 90 * dice.random()]), dice.randint(0, 40)) for _ in range(5)]
        intervals = [(start, start + length) for start, length in ends]
        period, count = dice.randint(1, 30), dice.randint(0, 12)
        found = stretches_of_shares(intervals, period, count)
        assert shares_of_periods(intervals, period, count) == one_by_one(intervals, period, count)
        edges = [0, *(end for _, end, _ in found)]
        assert edges == [*(begin for begin, _, _ in found), count]


def test_a_long_stretch_is_one():
    assert stretches_of_shares([(5, 10**12 - 5)], 10, 10**11) == [
        (0, 1, 0.5),
        (1, 10**11 - 1, 1.0),
        (10**11 - 1, 10**11, 0.5),
    ]


def test_common_stretches_change_where_one_of_them_does():
    dice = random.Random(7)
    for _ in range(300):
        several = []
        for _ in range(dice.randint(1, 4)):
            start = dice.randint(0, 50)
            several.append(stretches_of_shares([(start, start + dice.randint(0, 90))], 7, 15))
        alike = [shares for begin, end, shares in common_stretches(several) for _ in range(begin, end)]
        each = [[share for begin, end, share in stretches for _ in range(begin, end)] for stretches in several]
        assert alike == list(zip(*each, strict=True))
    assert common_stretches([[], []]) == []
