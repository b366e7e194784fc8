"""Every sign that the project prints can be printed on every console."""

import subprocess
import sys
from pathlib import Path

import pytest

from astra_edu.base.printable import PLAIN, printable

ENCODINGS = ("cp932", "gbk", "big5", "euc_kr", "cp1252", "cp437", "ascii", "utf-8")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_whatever_a_console_lacks_is_written_plainly(encoding):
    text = "".join(PLAIN) + "2³⁰ 🙂"
    assert printable(text, encoding).encode(encoding)
    assert printable("plain", encoding) == "plain"


def test_powers_stay_powers():
    assert printable("2³⁰ bytes, 10⁹", "ascii") == "2^30 bytes, 10^9"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_command_line_runs_on_every_console(encoding, tmp_path):
    folder = Path(__file__).parents[2] / "exercises" / "inputs" / "asplos2022" / "ex1"
    args = ["run", f"--network-configuration={folder}/ring.json", f"--system-configuration={folder}/ring.txt"]
    args += [f"--workload-configuration={folder}/all_reduce.txt", f"--path={tmp_path}"]
    done = subprocess.run(
        [sys.executable, "-m", "astra_edu", *args], capture_output=True, env={"PYTHONIOENCODING": encoding}, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "cp932"])
def test_a_verdict_is_printed_on_every_console(encoding):
    code = "from astra_edu.check import ex1; print(ex1.steps(lambda n: 2 * (n - 1))); print(ex1.steps(lambda n: n))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={"PYTHONIOENCODING": encoding, "ASTRA_EDU_PROGRESS": "off"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"+ Right")
