"""Every check, one after the other, up to the first that fails: what `make test` does after installing.

python -m tools.test: the same where there is no make. It needs pip install -e ".[notebook,test,site]".
With --all (`make test ARGS=--all`) more random cases are tried, and what is seen twice is looked at twice.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NO_BARS = {"TQDM_DISABLE": "1"}
"""A progress bar comes after a second, so that whether an output has one depends on what else a machine does."""
KEEP_COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Hundreds of processes would each compile what they import, a kernel of a notebook for two seconds."""
COMMANDS = (
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "tools.exercises --check",
    "tools.notebooks check",
    "pytest -q -n 2 --dist loadscope --no-loadscope-reorder -m 'not thorough' tests",
    "pytest -n2 --dist loadscope --nbval --nbval-current-env --nbval-sanitize-with=tools/nbval.cfg notebooks solutions",
)


def main(asked: list[str]) -> int:
    """Run the commands. Returns the exit code of the first that fails, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tools.test", description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the tests that are marked as thorough, too")
    thorough = parser.parse_args(asked).all
    everywhere = os.environ | {"MPLCONFIGDIR": str(ROOT / ".cache" / "matplotlib")} | KEEP_COMPILED
    for command in COMMANDS:
        command = command.replace(" -m 'not thorough'", "") if thorough else command
        print(f"python -m {command}", flush=True)
        environment = everywhere | (NO_BARS if "--nbval" in command else {})
        done = subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=ROOT, env=environment)
        if done.returncode:
            print(f"It failed: python -m {command}", file=sys.stderr)
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
