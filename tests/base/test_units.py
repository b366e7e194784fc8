"""Sizes are read to the last byte, and what is no size in bytes is refused."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import astra_edu as ae
from astra_edu.base.units import parse_bytes


@pytest.mark.parametrize(("power", "unit"), list(enumerate(["B", "KB", "MB", "GB", "TB"])))
def test_a_decimal_has_its_own_bytes(power, unit):
    for tenths in range(0 if power else 10, 200, 1 if power else 10):
        assert parse_bytes(f"{tenths / 10} {unit}") == tenths * 1000**power // 10


@pytest.mark.parametrize("size", [2**53 + 1, 10**18 + 1, str(2**53 + 1), np.int64(2**53 + 1), Decimal(2**53 + 1)])
def test_no_byte_is_lost(size):
    assert parse_bytes(size) == int(size)


@pytest.mark.parametrize("text", ["1 Gb", "1 Mb", "1 Kib", "1 Gbit", "8 bits", "1 Gbps", "1 kbit"])
def test_bits_are_refused(text):
    with pytest.raises(ae.ConfigError, match="in bits; write bytes"):
        parse_bytes(text)


@pytest.mark.parametrize("text", ["1 gb", "1 GB", "1 Gb/s", "1e999999999", "1e-999999999", "9" * 5000, Fraction(1, 3)])
def test_what_is_no_size_says_so_at_once(text):
    if text in ("1 gb", "1 GB"):
        assert parse_bytes(text) == 10**9
    else:
        with pytest.raises(ae.ConfigError):
            parse_bytes(text)
