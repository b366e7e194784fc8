"""A row measured: both programs in turn, their answers compared."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from astra_edu import ConfigError
from tools.bench_cpp.case import Row
from tools.bench_cpp.cpp import differences, run
from tools.bench_cpp.worker import TooLongError, Worker

Programs = Mapping[str, Path]
Stored = Mapping[str, float]

START_SECONDS = 300
"""What isn't timed, starting and making a case, may take so long."""

TRIES = 4
"""The C++ program now and then breaks down in its memory where it doesn't the next time."""

ENOUGH_SECONDS = 20
"""No further round of a case begins after so long."""


@dataclass
class Times:
    """Of one case, each the median of its rounds, in CPU seconds.

    ours: simulating alone. files: with its files read and checked. theirs: the whole C++ process. stopped, cpp_stopped:
    why there is none. differ: where the two answers do. made: seconds that making the case took. refused: in what words
    what is called says no, which may be all that is wanted of it.
    """

    name: str
    ours: float | None = None
    files: float | None = None
    theirs: float | None = None
    stopped: str = ""
    cpp_stopped: str = ""
    differ: str = ""
    made: float | None = None
    refused: str = ""


@dataclass
class Measured:
    """A row's times; peak: of our process, in MB."""

    row: Row
    cases: list[Times] = field(default_factory=list)
    peak: float | None = None

    def ratios(self, files: bool = False) -> list[float]:
        """How many times as fast as the C++ program, for each case with both times."""
        pairs = [(case.theirs, case.files if files else case.ours) for case in self.cases]
        return [theirs / ours for theirs, ours in pairs if theirs is not None and ours is not None]

    @property
    def reached(self) -> bool | None:
        """Whether the goal is; None where that can't be said."""
        goal, row = self.row.goal, self.row
        said: list[bool | None] = []
        if any(case.stopped for case in self.cases):
            return False
        ratios = self.ratios(goal.files)
        if goal.seconds is not None:
            said.append(max(case.ours for case in self.cases if case.ours is not None) <= goal.seconds)
        if goal.times is not None:
            said.append(median(ratios) >= goal.times if ratios else None)
        if goal.worst is not None:
            said.append(min(ratios) >= goal.worst if ratios else None)
        if goal.megabytes is not None and row.make is not None:
            said.append(None if self.peak is None else self.peak <= goal.megabytes)
        return False if False in said else None if None in said or not said else True


def measure(row: Row, programs: Programs, stored: Stored) -> Measured:
    """Run a row. stored: the C++ program's times by "row/case", for where the program isn't there."""
    if row.command:
        return _whole_process(row, programs, stored)
    measured = Measured(row)
    with Worker(row) as worker:
        try:
            count = worker.ask("count", limit=START_SECONDS)
            if count > 1:
                _warm(worker)
            for number in range(count):
                times = Times("")
                measured.cases.append(times)
                try:
                    _both(row, worker, number, programs, stored, times)
                except ConfigError as error:
                    times.stopped = f"refused: {error}"
                    if times.cpp_stopped and times.theirs is None and count > 1:
                        measured.cases.pop()  # neither program has an answer
            if row.call:
                measured.cases.append(Times(""))
                measured.cases[-1].ours = _median(row.rounds, lambda: worker.ask("called"))
                measured.cases[-1].refused = worker.ask("refused")
            measured.peak = worker.ask("peak")
            if row.goal.megabytes is not None and row.make and row.cpp:
                measured.peak = _peak_of_reading(row)
        except TooLongError:
            measured.cases[-1].stopped = f"more than {row.limit:g} s"
        except RuntimeError as error:
            measured.cases[-1].stopped = f"broke down: {error}"
    return measured


def _peak_of_reading(row: Row) -> float:
    """Memory of a process that reads a row's last case and simulates it: the trace isn't made there."""
    with Worker(row) as maker, Worker(row) as reader:
        maker.ask("make", maker.ask("count", limit=START_SECONDS) - 1, limit=START_SECONDS)
        maker.ask("files", limit=START_SECONDS)
        reader.ask("read_of", *maker.ask("settings"), str(maker.folder), limit=START_SECONDS)
        peak: float = reader.ask("peak")
    return peak


def _warm(worker: Worker) -> None:
    """What is imported late is, before the first of many cases is timed once."""
    worker.ask("make", 0, limit=START_SECONDS)
    worker.ask("files")
    worker.ask("read_and_simulate")


def _both(row: Row, worker: Worker, number: int, programs: Programs, stored: Stored, times: Times) -> None:
    """One case by both, in turn."""
    times.name, kind, times.made = worker.ask("make", number, limit=START_SECONDS)
    program = programs.get(kind) if row.cpp else None
    arguments: Sequence[str] = worker.ask("files", limit=START_SECONDS) if row.cpp else ()
    if program is None and row.cpp:
        times.theirs = stored.get(f"{row.name}/{times.name}")
        times.cpp_stopped = "" if times.theirs is not None else "not there"
    ours: list[float] = []
    files: list[float] = []
    theirs: list[float] = []
    answer = None
    begin = perf_counter()
    while len(ours) < row.rounds and (not ours or perf_counter() - begin < ENOUGH_SECONDS):
        if program is not None and not times.cpp_stopped:
            ran = run(program, arguments, worker.folder, row.limit, worker.ask("answers"), TRIES)
            answer, times.cpp_stopped = ran.answer, ran.stopped
            if answer is not None:
                theirs.append(ran.seconds)
                times.theirs = median(theirs)
        ours.append(worker.ask("simulate"))
        times.ours = median(ours)
        if row.cpp:
            files.append(worker.ask("read_and_simulate"))
            times.files = median(files)
    if answer is not None:
        times.differ = differences(worker.ask("answer"), answer)


def _whole_process(row: Row, programs: Programs, stored: Stored) -> Measured:
    """Whole processes, in turn."""
    times = Times("")
    with tempfile.TemporaryDirectory() as folder:
        known = row.theirs and programs.get(row.theirs[0])
        command = [part.format(python=sys.executable, folder=folder) for part in row.command]
        theirs, ours = [], []
        for _ in range(row.rounds):
            if known:
                ran = run(known, [part.format(folder=folder) for part in row.theirs[1:]], Path(folder), row.limit)
                times.cpp_stopped = ran.stopped
                theirs.append(ran.seconds)
            ours.append(_seconds_of(command, Path(folder)))
    times.ours = median(ours)
    times.theirs = median(theirs) if theirs else stored.get(f"{row.name}/")
    return Measured(row, [times])


def _seconds_of(command: Sequence[str], folder: Path) -> float:
    """CPU seconds of a process of ours. Raises SystemExit with what it said where it fails."""
    with (folder / "ours").open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {(folder / 'ours').read_text()[-500:]}")
    return used.ru_utime + used.ru_stime


def _median(rounds: int, once: Callable[[], float]) -> float:
    times: list[float] = []
    begin = perf_counter()
    while len(times) < rounds and (not times or perf_counter() - begin < ENOUGH_SECONDS):
        times.append(once())
    return median(times)
