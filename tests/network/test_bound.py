"""What links allow at least: the busiest NPU's bytes are those that are counted."""

import pytest

import astra_edu as ae
from astra_edu.collectives import ALGORITHMS
from astra_edu.collectives.counts import counts
from astra_edu.network.bound import bandwidth_bound_ns


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_on_a_switch_the_busiest_npu_s_bytes_take_their_time(algorithm):
    for collective in ALGORITHMS[algorithm]:
        for npus in (2, 3, 8, 12):
            try:
                schedule = ae.schedule(collective.value, algorithm, npus)
            except ae.ConfigError:  # powers of two only
                assert npus in (3, 12)
                continue
            switch = ae.Dimension.of("Switch", npus, 50, 500)
            for size in (1, 1001, 2**20):
                moved = counts(schedule, schedule.buffer_bytes(size))
                least = max(moved.sent, moved.received) / switch.injection_bandwidth
                assert bandwidth_bound_ns(schedule, [switch], size) == pytest.approx(least, rel=1e-12)
