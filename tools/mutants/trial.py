"""A test run on a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.mutants.fault import ROOT, Fault, FaultError

KILLED, SURVIVED = "killed", "survived"
LIMIT_S = 300


def copy_to(folder: Path, root: Path = ROOT) -> Path:
    """The files that git knows or would add, copied; without git, all but what is hidden or made."""
    list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(list_files, cwd=root, capture_output=True, text=True)
    if listed.returncode:
        made = shutil.ignore_patterns(".*", "build", "__pycache__")
        return Path(shutil.copytree(root, folder, ignore=made, dirs_exist_ok=True))
    for name in filter(None, listed.stdout.split("\0")):
        if (source := root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name)
    return folder


def command(test: str) -> list[str]:
    """What runs one named test: node's runner for JavaScript, else pytest."""
    path, _, name = test.partition("::")
    if not path.endswith(".js"):
        return [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", test]
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        raise FaultError("node is not installed: apt-get install nodejs")
    return [node, "--test", "--test-reporter=tap", f"--test-name-pattern=^{re.escape(name)}$", path]


def run(test: str, folder: Path) -> tuple[int, str]:
    """The test's exit code in that copy, and what it said."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",  # a fault and its cure may be of the same second and size
        "ASTRA_REQUIRE_BROWSER": "1",
    }
    try:
        done = subprocess.run(
            command(test), cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return 1, f"not over after {LIMIT_S} s"
    return done.returncode, done.stdout + done.stderr


def passes(test: str, folder: Path) -> None:
    """Refuse a test that fails, or isn't there, while there is no fault."""
    code, said = run(test, folder)
    if code or (".js::" in test and not re.search(r"^# pass [1-9]", said, re.MULTILINE)):
        raise FaultError(f"{test} doesn't pass without a fault:\n{said[-3000:]}")


def verdict(fault: Fault, folder: Path) -> str:
    """KILLED or SURVIVED, in a copy of the project that is as before afterwards."""
    path = folder / fault.file
    before = path.read_bytes()
    path.write_text(fault.applied(folder), encoding="utf-8")
    try:
        code, said = run(fault.test, folder)
    finally:
        path.write_bytes(before)
    if code not in (0, 1):  # pytest's others: not found, nothing collected
        raise FaultError(f"{fault.test} can't be run with {fault.wrong!r}:\n{said[-3000:]}")
    return KILLED if code else SURVIVED


def chosen(faults: dict[str, list[Fault]], words: Iterable[str]) -> list[tuple[str, Fault]]:
    """Those with any of the words in their table's name, file, test or description; without words, all."""
    found = [(name, fault) for name, table in faults.items() for fault in table]
    wanted = [word.lower() for word in words]
    if not wanted:
        return found
    return [each for each in found if any(word in " ".join(_texts(*each)).lower() for word in wanted)]


def _texts(name: str, fault: Fault) -> tuple[str, ...]:
    return name, fault.file, fault.test, fault.wrong
