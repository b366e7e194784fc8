"""Sizes, times and counts as a person reads them, and stretches of time put together."""

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import common, covered, gaps, in_rows, merged, shares_of_periods
from astra_edu.base.table import text_table
from astra_edu.base.units import bytes_per_ns, format_bytes, format_ns, parse_bytes, several


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "0 ns"),
        (0.5, "0.5 ns"),
        (9999, "9999 ns"),
        (10_000, "10.000 µs"),
        (45_681, "45.681 µs"),
        (99_999_999, "99,999.999 µs"),
        (100_000_000, "100.000 ms"),
        (1_655_238_430, "1,655.238 ms"),
    ],
)
def test_times(time_ns, text):
    assert format_ns(time_ns) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "1 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (3 * 2**19, "1.5 MiB"),
        (2**30 - 2**20, "1023 MiB"),
        (2**30, "1 GiB"),
        (2**40, "1 TiB"),
    ],
)
def test_sizes(size, text):
    assert format_bytes(size) == text
    assert parse_bytes(text) == size


def test_a_megabyte_is_a_million_bytes_and_a_gb_a_second_of_the_network_is_not():
    assert parse_bytes("25 MB") == 25_000_000
    assert parse_bytes("1 KiB") == parse_bytes("1.024 kB") == 1024
    assert bytes_per_ns(50) == 50 * 2**30 / 1e9
    with pytest.raises(ConfigError, match="a byte can't be divided"):
        parse_bytes("0.3 B")


def test_counts():
    assert [several(n, "stage") for n in (0, 1, 2)] == ["0 stages", "1 stage", "2 stages"]
    assert several(1200, "pass") == "1,200 passes"
    assert several(2, "batch") == "2 batches"
    assert several(1, "micro-batch") == "1 micro-batch"


def test_names_go_to_the_left_and_numbers_to_the_right():
    assert text_table(["run", "µs", "of"], [["a", 10, "x"], ["bcde", 5, "yz"]], left=(0, 2)) == (
        "run   µs  of\na     10  x\nbcde   5  yz"
    )


def test_stretches_of_time():
    overlapping = [(5, 15), (0, 10), (20, 30), (30, 40)]
    assert merged(overlapping) == [(0, 15), (20, 40)]
    assert covered(overlapping) == 35
    assert gaps(overlapping, 0, 50) == [(15, 20), (40, 50)]
    assert common(overlapping, [(12, 25)]) == [(12, 15), (20, 25)]
    assert shares_of_periods(overlapping, 10, 4) == [1, 0.5, 1, 1]
    assert in_rows(overlapping, lambda one: one) == [[(0, 10), (20, 30), (30, 40)], [(5, 15)]]
