"""Networks and algorithms side by side, against sums by hand."""

import re

import pytest

import astra_edu as ae
from astra_edu.course.studies.wirings import compared, orders, wires

MIB = 2**20
SHARD = 8 * MIB
RATE = 50 * 2**30 / 1e6  # bytes in a µs over a link
NETWORKS = {name: ae.Dimension.of(name, npus=8, bandwidth=50, latency=500) for name in ae.Topology}
CELL = re.compile(r"([\d,.]+) / ([\d,.]+)( !)?")


def rows(text):
    return [line.split() for line in text.splitlines()[1:]]


def number(text):
    return float(text.replace(",", ""))


def cells(*given):
    """{algorithm: [(time, bound, whether messages meet) for each network]}."""
    return {
        line.split()[0]: [(number(time), number(bound), bool(mark)) for time, bound, mark in CELL.findall(line)]
        for line in compared(NETWORKS, *given).splitlines()[1:]
    }


def test_links_are_counted_and_hops_go_the_shorter_way():
    text = wires(NETWORKS)
    assert "hops to NPU 1..7" in text.splitlines()[0]
    assert rows(text) == [
        ["Ring", "2", *"1234321", "100.0"],
        ["FullyConnected", "7", *"1111111", "350.0"],
        ["Switch", "1", *"2222222", "50.0"],
    ]


def test_times_and_bounds_are_those_by_hand():
    found = cells(64 * MIB)
    hops = sum((1, 2, 3, 4, 3, 2, 1)) / 7
    wanted = {  # a shard's sum takes 0.05 µs more
        "ring": [
            (14 * (0.5 + SHARD / (2 * RATE)), 14 * SHARD / (2 * RATE)),
            (14 * (0.5 + SHARD / RATE), 14 * SHARD / (7 * RATE)),
            (14 * (1 + SHARD / RATE), 14 * SHARD / RATE),
        ],
        "direct": [
            (2 * (4 * 0.5 + SHARD / (2 * RATE)), 14 * hops * SHARD / (2 * RATE)),
            (2 * (0.5 + SHARD / RATE), 14 * SHARD / (7 * RATE)),
            (2 * (1 + SHARD / RATE), 14 * SHARD / RATE),
        ],
    }
    for algorithm, expected in wanted.items():
        for (time, bound, _), (by_hand, least) in zip(found[algorithm], expected, strict=True):
            assert (time, bound) == (pytest.approx(by_hand, abs=0.9), pytest.approx(least, abs=0.51))


def test_marks_stand_where_messages_share_links():
    found = {algorithm: [mark for *_, mark in row] for algorithm, row in cells(64 * MIB).items()}
    assert found == {
        "ring": [False, False, False],
        "direct": [True, False, True],
        "halving-doubling": [True, False, False],
        "double-binary-tree": [True, False, True],
        "single-master": [True, False, True],
    }


def test_other_algorithms_can_be_asked_for_and_none_there_isnt():
    assert list(cells(MIB, ["direct"])) == ["direct"]
    with pytest.raises(ae.ConfigError, match="did you mean 'direct'"):
        compared(NETWORKS, MIB, ["dirct"])


def test_the_second_dimension_carries_what_the_first_leaves():
    found = rows(orders((100, 100), (25, 700), 64 * MIB))
    assert [row[:3] for row in found] == [["8", "×", "2"], ["4", "×", "4"], ["2", "×", "8"]]
    for row in found:
        for links, time in zip((((100, 0.1), (25, 0.7)), ((25, 0.7), (100, 0.1))), (row[3], row[5]), strict=True):
            assert number(time) == pytest.approx(by_hand((int(row[0]), int(row[2])), links), abs=0.4)


def by_hand(shape, links):
    """µs of halving-doubling: each switch is two hops, each step half of what is left of the data."""
    total, carried = 0.0, 64 * MIB
    for npus, (bandwidth, latency) in zip(shape, links, strict=True):
        steps = npus.bit_length() - 1
        total += 2 * (steps * 2 * latency + carried * (1 - 1 / npus) / (bandwidth * 2**30 / 1e6))
        carried /= npus
    return total
