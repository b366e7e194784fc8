"""The widgets' JavaScript without a browser: node's own test runner, and no packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

TESTS = sorted(Path(__file__).parents[2].glob("js/*.test.js"))


def test_every_test_of_the_javascript_passes(node: str) -> None:
    done = subprocess.run([node, "--test", *map(str, TESTS)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
