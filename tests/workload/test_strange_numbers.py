"""NumPy's integers don't wrap round, and no time is negative, not a number or infinite."""

import math

import numpy as np
import pytest

import astra_edu as ae


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_the_operations_of_numpys_batches_are_those_of_pythons(kind):
    batch = kind(100)
    assert ae.model("gpt3").flops(batch) == ae.model("gpt3").flops(100)


@pytest.mark.parametrize("strange", [-1e9, math.nan, math.inf])
@pytest.mark.parametrize(
    "time",
    [
        ae.device("a100").memory_ns,
        ae.device("a100").operations_ns,
        ae.Dimension.of("Ring", 4, 50, 500).message_ns,
        lambda size: ae.Block("Ring", 4, 50, 500).message_ns(size, 1),
    ],
)
def test_a_time_of_a_strange_amount_is_refused(time, strange):
    with pytest.raises(ae.ConfigError, match="must be"):
        time(strange)


def test_a_peak_in_16_bits_is_computed_with_in_full():
    small, usual = (ae.Device("d", kind(60000)).gemm_ns(ae.Gemm(4096, 4096, 4096)) for kind in (np.float16, float))
    assert small == pytest.approx(usual, rel=1e-3)
