"""Changes that can't be calculated with are left out, and what was never given isn't blamed."""

import pytest

import astra_edu as ae


@pytest.mark.parametrize(("bandwidth", "latency"), [(6e14, 500), (50, 1e-9), (6e14, 1e-9)])
def test_a_platform_at_its_limits_is_explained(bandwidth, latency):
    ring = ae.Platform(ae.Dimension.of("Ring", 8, bandwidth, latency), ae.SystemConfig.of("ring"))
    assert ae.simulate(ae.Workload.micro("all-reduce", 65536), ring).explain().sentences
