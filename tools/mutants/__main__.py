"""Put faults into the project and see whether the named tests notice them.

python -m tools.mutants [word ...] [--jobs N] [--list]: all faults, or those with a word in their table, file, test or
description. It ends with an error if one survives, if a text to be changed is gone, or if a test fails without a fault.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tools.mutants.fault import ROOT, Fault, FaultError, tables
from tools.mutants.trial import KILLED, SURVIVED, chosen, copy_to, passes, verdict

EQUIVALENT = "equivalent"


def line(state: str, seconds: float, name: str, fault: Fault) -> str:
    reason = fault.equivalent or fault.test
    return f"{state:10} {seconds:5.1f} s  {name:8}  {fault.wrong}\n{'':20}{Path(fault.file).name}; {reason}"


def judge(found: list[tuple[str, Fault]], jobs: int, folder: Path) -> dict[str, int]:
    """How many of each verdict; every one is printed when it is known, in the table's order."""
    copies: SimpleQueue[Path] = SimpleQueue()
    for k in range(jobs):
        copies.put(copy_to(folder / str(k)))

    def with_a_copy(act, it):  # type: ignore[no-untyped-def]
        copy, start = copies.get(), time.perf_counter()
        try:
            return act(it, copy), time.perf_counter() - start
        finally:
            copies.put(copy)

    counts = dict.fromkeys((KILLED, SURVIVED, EQUIVALENT), 0)
    tests = dict.fromkeys(fault.test for _, fault in found if not fault.equivalent)
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda test: with_a_copy(passes, test), tests):
            pass
        states = pool.map(
            lambda each: (EQUIVALENT, 0.0) if each[1].equivalent else with_a_copy(verdict, each[1]), found
        )
        for (name, fault), (state, seconds) in zip(found, states, strict=True):
            counts[state] += 1
            print(line(state, seconds, name, fault), flush=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="which faults: words in their table, file, test or description")
    parser.add_argument("--jobs", type=int, default=2, help="copies that are tried at a time")
    parser.add_argument("--list", action="store_true", help="only say which")
    asked = parser.parse_args()
    try:
        found = chosen(tables(), asked.words)
        for _, fault in found:
            fault.applied(ROOT)
        if asked.list:
            print(*(f"{name:8}  {fault.wrong}" for name, fault in found), sep="\n")
            return 0
        with tempfile.TemporaryDirectory() as folder:
            counts = judge(found, max(1, asked.jobs), Path(folder))
    except FaultError as error:
        print(f"✗ {error}", file=sys.stderr)
        return 2
    print(", ".join(f"{n} {state}" for state, n in counts.items()), f"of {len(found)}")
    return 1 if counts[SURVIVED] or not found else 0


if __name__ == "__main__":
    sys.exit(main())
