"""Where the browser's tests are required, none of them is skipped unseen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSING = "raise ModuleNotFoundError(f'No module named {__name__!r}', name=__name__)\n"


def outcome(folder, required, missing, test):
    """Exit code and words of one test of the browser, without a module or program of that name."""
    if missing == "chromium":
        environment = {"PATH": str(folder)}
    else:
        (folder / f"{missing}.py").write_text(MISSING)
        environment = {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    environment = os.environ | {"ASTRA_REQUIRE_BROWSER": required} | environment
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", f"tests/browser/{test}"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


PLAYER = "test_player_browser.py"
ONE = f"{PLAYER}::test_without_a_timing_there_is_one_clock"


@pytest.mark.parametrize(("missing", "test"), [("anywidget", PLAYER), ("playwright", ONE), ("chromium", ONE)])
def test_a_skip_is_a_failure_if_the_browser_is_required(tmp_path, missing, test):
    code, said = outcome(tmp_path, "1", missing, test)
    assert code in (1, 2)  # failed, or not even collected
    assert "the browser's tests are required, but: " in said
    assert missing in said.lower()


def test_else_it_is_skipped(tmp_path):
    code, said = outcome(tmp_path, "0", "playwright", ONE)
    assert (code, "1 skipped" in said) == (0, True)
