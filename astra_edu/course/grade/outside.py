"""The judge of one notebook: its cells run in a confined process, then the exercise's questions are asked about them.

The checker, the cases, the right answers and the verdicts are in this process only; of the notebook's it gets values.
Started for each notebook with an order on its standard input: `python -m astra_edu.course.grade.outside`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from importlib import import_module
from pathlib import Path
from types import GeneratorType, MethodType
from typing import Any

from astra_edu.clock.generators import Event
from astra_edu.course.check.ex4.recorder import Call as RecordedCall
from astra_edu.course.check.ex4.recorder import Issued
from astra_edu.course.check.judge import TELLING
from astra_edu.course.check.question import Question
from astra_edu.course.check.verdict import Verdict
from astra_edu.course.grade.asked import Asked, asked_in, code_cells, defines, official
from astra_edu.course.grade.limits import keep_orphans, limit_memory
from astra_edu.course.grade.marks import NOTED, OPEN, RIGHT, STOPPED, WRONG, Judged, Mark, Order, as_json, order
from astra_edu.course.grade.peer import GoneError, LateError, Peer
from astra_edu.course.grade.sandbox import Confined, Stage
from astra_edu.workload.npu import Npu, RunningLayer, Task

MOST_STARTS = 4
"""How often a notebook is begun anew because something in it ended its process."""
GRACE_S = 5
AGAIN = 10
"""What has once run out of its time gets so much less of it from then on."""
MEMORY_GIB = 8
"""Of the judge itself."""
_NPU = ("compute", "wait", "communicate", "issue", "cycle")
_MAY = {
    Npu: ("layers", "passes", "options", *_NPU),
    RunningLayer: ("index", "name", "forward", "input_gradient", "weight_gradient", "tasks"),
    Task: (
        "layer",
        "kind",
        "work",
        "involved",
        "update_ns",
        "computed_ns",
        "exposed_ns",
        "communication_ns",
        "in_flight",
    ),
}


def export(value: Any) -> str:
    """What of the judge's goes by reference: an NPU, its layers and tasks, what it gives, and its methods."""
    if isinstance(value, GeneratorType):
        return "generator"
    if isinstance(value, MethodType) and isinstance(value.__self__, Npu) and value.__name__ in (*_NPU, "begin"):
        return "function"
    kinds = (*_MAY, Issued, RecordedCall, Event)
    return "object" if isinstance(value, kinds) or type(value).__module__.startswith("simpy") else ""


def allowed(value: Any, name: str) -> bool:
    """Whether a training loop may have this of what it is given."""
    return any(isinstance(value, kind) and name in names for kind, names in _MAY.items())


class Student:
    """A notebook that has been run, begun anew where something in it ends its process."""

    def __init__(self, wanted: Order) -> None:
        """Nothing runs yet."""
        self.order, self.notes = wanted, list[str]()
        self.until = time.monotonic() + 60 * wanted.minutes
        self.skipped: set[int] = set()
        self.errors: dict[int, str] = {}
        self.late: dict[str, None] = {}
        self.late_cells: set[int] = set()
        self.starts = 0
        self.peer: Peer | None = None
        self.process: Confined | None = None

    def note(self, words: str) -> None:
        """Keep a sentence, once."""
        if words not in self.notes:
            self.notes.append(words)

    def seconds(self, late: bool) -> int:
        """What a cell or a question has, if it, or a cell that it stands in, has run out of its time before."""
        return min(self.order.seconds, max(2, self.order.seconds // AGAIN)) if late else self.order.seconds

    def seconds_of(self, function: str) -> int:
        """What a question about a function has."""
        return self.seconds(any(defines(self.order.cells[cell], function) for cell in self.late_cells))

    def end(self, why: str = "") -> str:
        """End its process; why it ended, in words."""
        process, self.process, self.peer = self.process, None, None
        if process is None:
            return ""
        process.end(why)
        return process.ended

    def begun(self) -> Peer:
        """The connection to it, with all cells run. Raises GoneError where that can't be had any more."""
        while self.peer is None:
            if self.starts >= MOST_STARTS:
                raise GoneError(f"the notebook ended its process {MOST_STARTS} times")
            if time.monotonic() >= self.until:
                raise LateError(f"the {self.order.minutes:g} minutes for this notebook were over")
            self.starts += 1
            self._run()
        return self.peer

    def _run(self) -> None:
        stage = Stage(Path(self.order.stage), self.order.memory_gib, self.order.confined)
        self.process = Confined(stage, Path(self.order.work))
        peer = Peer(self.process.link, export, allowed)
        cell = -1
        try:
            self._within(peer, 60)
            names = sorted({name for names in self.order.names.values() for name in names})
            peer.ask("begin", names, list(self.order.hidden))
            again = []
            for cell in range(len(self.order.cells)):
                if self._cell(peer, cell) == "NameError":
                    again.append(cell)
            for cell in again:  # cells out of order: what they need may be there now
                self._cell(peer, cell)
            for tried in peer.ask("refused"):
                self.note(f"It tried to {str(tried)[:200]}, and couldn't.")
        except (GoneError, Exception) as gone:
            said = str(gone) if isinstance(gone, GoneError) else f"its process answered otherwise than agreed ({gone})"
            why = self.end() or said[:300]
            if cell < 0:
                raise GoneError(f"its process couldn't begin ({why})") from None
            self.skipped.add(cell)
            if isinstance(gone, LateError):
                self.late[f"code cell {cell + 1}"] = None
            self.note(f"Code cell {cell + 1} was ended: {why}. The notebook was run again without it.")
            return
        self.peer = peer

    def _cell(self, peer: Peer, cell: int) -> str:
        if cell in self.skipped:
            return ""
        seconds = self.seconds(cell in self.late_cells)
        self._within(peer, seconds + GRACE_S)
        done = peer.ask("run", self.order.cells[cell], seconds)
        if done["kind"] == "CellTooLongError" and cell not in self.late_cells:
            self.late_cells.add(cell)
            self.late[f"code cell {cell + 1}"] = None
            self.note(f"Code cell {cell + 1} stopped: it took more than {seconds} s.")
        error = str(done["error"])[:300]
        if error:
            self.errors[cell] = error
        else:
            self.errors.pop(cell, None)
        if done["printed"] > 10**7:
            self.note(f"Code cell {cell + 1} printed {done['printed']:,} characters; the first ones were kept.")
        return str(done["kind"])

    def missing(self, function: str) -> tuple[str, str]:
        """What becomes of a question whose function isn't there, and why it isn't."""
        for cell, error in self.errors.items():
            if defines(self.order.cells[cell], function):
                return WRONG, f"Its cell, code cell {cell + 1}, stops before the function is there: {error}"
        return OPEN, f"The notebook has no function {function}."

    def _within(self, peer: Peer, seconds: float) -> None:
        peer.deadline = min(time.monotonic() + seconds, self.until)


def judge_all(wanted: Order, asked: tuple[Asked, ...]) -> Judged:
    """Ask every question."""
    TELLING.set(True)
    student = Student(wanted)
    module = import_module(f"astra_edu.course.check.{wanted.exercise}")
    marks = tuple(_mark(student, one, getattr(module, one.question.partition(".")[2])) for one in asked)
    for cell, error in sorted(student.errors.items()):
        if cell not in student.late_cells and not error.startswith("NotImplementedError"):
            student.note(f"Code cell {cell + 1} stopped: {error}")
    student.end()
    return Judged(marks, tuple(student.notes), tuple(student.late))


def _mark(student: Student, asked: Asked, question: Question[...]) -> Mark:
    made = partial(Mark, asked.question, asked.key, asked.function, question.guess)
    try:
        peer = student.begun()
        seconds = min(float(student.seconds_of(asked.function)), student.until - time.monotonic())
        peer.deadline = time.monotonic() + seconds
        with alarm(seconds + GRACE_S):
            answers = (peer.ask("answer", name) for name in student.order.names.get(asked.key, (asked.function,)))
            answer = next((one for one in answers if one is not None), None)
            if answer is None:
                return made(*student.missing(asked.function))
            verdict = question(answer, *asked.places, **asked.names)
    except LateError as late:
        student.end()
        student.late[asked.key] = None
        has = student.seconds_of(asked.function)
        why = "" if has == student.order.seconds else ", once its cell has run out of its time"
        return made(STOPPED, f"{str(late)[:1].upper()}{str(late)[1:]}: a question has {has} s{why}.")
    except GoneError as gone:
        why = student.end() or str(gone)
        return made(STOPPED, f"The answer couldn't be asked: {why}.")
    except Exception as error:  # a value that no checker has thought of
        student.note(f"{asked.key} couldn't be judged: {type(error).__name__}: {str(error)[:200]}.")
        return made(WRONG, "What the function returns can't be judged; its values are none that the check can read.")
    return made(_state(verdict), verdict.message[:4000], tuple((str(a), str(b)) for a, b in verdict.compared))


def _state(verdict: Verdict) -> str:
    if verdict.ok is None:
        return OPEN
    return (NOTED if verdict.guess else RIGHT) if verdict.ok else WRONG


class alarm:  # noqa: N801 - used like a function
    """Stop a check that an answer keeps busy for longer than the answer's own time."""

    def __init__(self, seconds: float) -> None:
        """Keep the limit."""
        self.seconds = max(seconds, 0.1)

    def __enter__(self) -> None:
        def ring(*_: object) -> None:
            raise LateError("it took too long")

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Do what the order on standard input says; the marks go to standard output."""
    wanted = order(sys.stdin.read())
    out, sys.stdout = sys.stdout, sys.stderr
    keep_orphans()
    limit_memory(MEMORY_GIB)
    course = Path(wanted.course)
    os.chdir(Path(wanted.stage) / "exercises")
    _, notebook = official(course)[wanted.exercise]
    out.write(as_json(judge_all(wanted, asked_in(code_cells(notebook)))))
    out.flush()


if __name__ == "__main__":
    main()
