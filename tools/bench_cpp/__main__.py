"""The command; see the package."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from astra_edu.clock.kind import kind as kind_of_ours
from tools.bench_cpp.cpp import PROGRAMS, empty_run, programs_in
from tools.bench_cpp.measure import Measured, Programs, measure
from tools.bench_cpp.rows import all_rows
from tools.bench_cpp.stored import cpu_name, load, save
from tools.bench_cpp.table import MARKDOWN_HEAD, head, line, markdown_line

ROOT = Path(__file__).parents[2]
THERE = (
    "import sys; sys.path.append(sys.argv.pop(1)); from tools.bench_cpp.__main__ import main; sys.exit(bool(main()))"
)
"""What another environment's Python runs: its own astra_edu, these tools."""


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return how many answers differ."""
    parser = argparse.ArgumentParser(prog="make bench-cpp", description=__doc__)
    parser.add_argument("programs", nargs="*", help="the C++ programs, or folders that have them")
    parser.add_argument(
        "--only", action="append", default=[], help="rows whose names have this in them; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="the names of the rows, and nothing else")
    parser.add_argument("--rounds", type=int, help="how often each case is timed")
    parser.add_argument("--limit", type=float, help="after how many CPU seconds a run is given up")
    parser.add_argument("--growth", action="store_true", help="how time grows, as exponents and as docs/growth.svg")
    parser.add_argument("--markdown", action="store_true", help="the table as README has it, after the other")
    parser.add_argument("--store", action="store_true", help="keep the C++ program's times for where there is none")
    parser.add_argument("--python", help="of an environment whose astra_edu is measured: .venv-compiled/bin/python")
    given = parser.parse_args(arguments)
    if given.python:
        words = sys.argv[1:] if arguments is None else arguments
        rest = [word for k, word in enumerate(words) if "--python" not in (word.partition("=")[0], *words[k - 1 : k])]
        return subprocess.call([given.python, "-P", "-c", THERE, str(ROOT), *rest])
    rows = [row for row in all_rows() if not given.only or any(word in row.name for word in given.only)]
    if given.list:
        print(*(f"{row.name:24}{row.what}" for row in rows), sep="\n")
        return 0
    programs = programs_in(given.programs)
    times = load()
    print(
        f"CPU: {cpu_name()}. Times are CPU seconds, medians; ours ({kind_of_ours()}) of simulating alone, and with "
        "files read and checked."
    )
    if programs:
        for kind, program in programs.items():
            print(f"{PROGRAMS[kind][1]}: {program.name}; {empty_run(kind, program):.3f} s where it has nothing to do")
    else:
        print(f"No C++ program is given: its times were stored on {times.date}, on {times.cpu}.")
    if given.growth:
        show_growth(programs, given.only)
        return 0
    print(head())
    found: list[Measured] = []
    for row in rows:
        changes = {"rounds": given.rounds, "limit": given.limit}
        found.append(measure(row.with_(**changes), programs, times.seconds))
        print(line(found[-1]), flush=True)
        if given.store:
            save(found, times)
    if given.markdown:
        print(MARKDOWN_HEAD, *map(markdown_line, found), sep="\n")
    differing = [(m.row.name, case) for m in found for case in m.cases if case.differ]
    for name, case in differing:
        print(f"DIFFERENT ANSWERS: {name}, {case.name}: {case.differ}", file=sys.stderr)
    return len(differing)


def show_growth(programs: Programs, only: Sequence[str] = ()) -> None:
    """Measure how time grows, print it as Markdown and draw it."""
    from tools.bench_cpp.growth import all_series, grow, markdown  # here: the processes that measure import this module
    from tools.bench_cpp.growth_figure import FIGURE, alt_text, draw

    series = [one for one in all_series() if not only or any(word in f"{one.doubles} {one.name}" for word in only)]
    grown = [grow(one, programs) for one in series]
    print(markdown(grown))
    draw(grown)
    print(f"\n![{alt_text(grown)}]({FIGURE.parent.name}/{FIGURE.name})")


if __name__ == "__main__":
    sys.exit(bool(main()))
