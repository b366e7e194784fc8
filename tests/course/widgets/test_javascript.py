"""The widgets' JavaScript without a browser: node's own test runner, and no packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = sorted(Path(__file__).parents[2].glob("js/*.test.js"))


@pytest.fixture(scope="session")
def node() -> str:
    """Where node is. Without it the test is skipped, or fails if the browser's tests are required."""
    found = shutil.which("node") or shutil.which("nodejs")
    missing = "node is not installed: apt-get install nodejs"
    if not found and os.environ.get("ASTRA_REQUIRE_BROWSER") == "1":
        pytest.fail(missing)
    if not found:
        pytest.skip(missing)
    return str(found)


def test_every_test_of_the_javascript_passes(node: str) -> None:
    done = subprocess.run([node, "--test", *map(str, TESTS)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
