"""What whole processes cost: Python alone, the import, the tutorials' command lines.

python -m benchmarks.processes [times]

CPU time, the least and the median of `times` runs. Python itself is in all of them.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

INPUTS = Path(__file__).resolve().parents[1] / "exercises/inputs"


def run(exercise: str, network: str, system: str, workload: str, folder: str) -> list[str]:
    files = {"network": network, "system": system, "workload": workload}
    options = [f"--{kind}-configuration={INPUTS / exercise / file}" for kind, file in files.items()]
    return ["-m", "astra_edu", "run", *options, f"--path={folder}"]


def cpu_ms(words: list[str]) -> float:
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(sys.executable, [sys.executable, *words], os.environ, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    assert not status, words
    return 1000 * (used.ru_utime + used.ru_stime)


def main(times: int) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else everything is compiled again each time
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            "python": ["-c", "pass"],
            "import astra_edu": ["-c", "import astra_edu"],
            "exercise 1": run("asplos2022/ex1", "ring.json", "ring.txt", "all_reduce.txt", folder),
            "exercise 3-1": run("asplos2023/ex3-1", "3d_switch.json", "3d_switch_themis.txt", "all_reduce.txt", folder),
        }
        taken: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(1 + times):  # the first one may compile
            for name, words in cases.items():
                taken[name].append(cpu_ms(words))
    for name, found in taken.items():
        print(f"{name:18} {min(found[1:]):6.1f} ms, median {statistics.median(found[1:]):6.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
