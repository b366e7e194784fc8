"""The browser of the tests, one for all measurements, and what it has measured."""

import pytest
from browser.conftest import chromium, lab, open_page, run_all, run_cell  # noqa: F401 - fixtures


@pytest.fixture
def report(benchmark):
    """report(times, what): the browser measures itself; pytest-benchmark keeps the median (ms) beside its own table."""

    def said(times, what):
        times = sorted(times)
        benchmark.extra_info["median_ms"] = round(times[len(times) // 2], 2)
        benchmark.extra_info["slowest_ms"] = round(times[-1], 2)
        print(f"\n{what}: median {times[len(times) // 2]:.2f} ms, slowest {times[-1]:.2f} ms of {len(times)}")

    return said
