"""The process in which a student's notebook runs: it runs cells and answers calls, and knows no verdict.

Started by sandbox.py with a connection to the judge: `python -m astra_edu.course.grade.inside FD FOLDER`.
"""

from __future__ import annotations

import ast
import io
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from astra_edu.course.grade.limits import die_with_parent, limit, refuse
from astra_edu.course.grade.peer import Peer

LONGEST_OUTPUT = 100_000
"""Characters of what a notebook prints that are kept; the rest is dropped."""


class CellTooLongError(BaseException):
    """A cell runs for too long."""


class Bounded(io.TextIOBase):
    """A stream that keeps the beginning of what is written to it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.kept: list[str] = []
        self.count = 0

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        if self.count < LONGEST_OUTPUT:
            self.kept.append(str(text)[: LONGEST_OUTPUT - self.count])
        self.count += len(text)
        return len(text)


def is_stub(node: ast.stmt) -> bool:
    """Whether a function does nothing but say what is to be answered."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = [line for line in node.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    called = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(called, ast.Name) and called.id == "NotImplementedError"


def stubs_in(source: str) -> set[str]:
    """The names that a cell leaves as stubs: of several definitions the last one counts."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    last = {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name, node in last.items() if is_stub(node)}


class Notebook:
    """A notebook that runs, cell by cell. names: of the functions that are asked for."""

    def __init__(self, names: list[str], noted: list[str]) -> None:
        """Begin with nothing run."""
        from IPython.core.interactiveshell import InteractiveShell

        self.shell = InteractiveShell.instance()
        self.names, self.noted = names, noted
        self.stubs: dict[str, Any] = {}
        self.answers: dict[str, Any] = {}

    def run(self, source: str, seconds: int) -> dict[str, Any]:
        """Run one cell: its error, "" for none, and how much it printed. What it defines is kept."""
        out = sys.stdout = sys.stderr = Bounded()
        error: BaseException | None = None
        try:
            with at_most(seconds):
                done = self.shell.run_cell(source, store_history=False)  # type: ignore[no-untyped-call]
                error = done.error_before_exec or done.error_in_exec
        except BaseException as caught:  # whatever a cell raises, the next one runs
            error = caught
        finally:
            sys.stdout = sys.stderr = Bounded()
        stubs = stubs_in(source)
        for name in self.names:
            found = self.shell.user_ns.get(name)
            if found is None or found is self.stubs.get(name) or found is self.answers.get(name):
                continue
            (self.stubs if name in stubs else self.answers)[name] = found
        late = isinstance(error, CellTooLongError)
        words = f"it took more than {seconds} s" if late else _words(error) if error else ""
        return {"error": words, "kind": type(error).__name__ if error else "", "printed": out.count}

    def answer(self, name: str) -> Any:
        """The last definition of a name that isn't a stub; a stub, if that is all; None for neither."""
        return self.answers.get(name, self.stubs.get(name))

    def refused(self) -> list[str]:
        """What the notebook tried and can't do."""
        return list(self.noted)


def _words(error: BaseException) -> str:
    try:
        words = re.sub(r"<ipython-input[^>]*>, ", "", str(error))  # its names of cells say nothing
        return f"{type(error).__name__}: {words}"[:500]
    except Exception:
        return type(error).__name__


class at_most:  # noqa: N801 - used like a function
    """Stop what runs inside after so many seconds, where the system has alarms; the judge stops it in any case."""

    def __init__(self, seconds: int) -> None:
        """Keep the limit."""
        self.seconds = seconds

    def __enter__(self) -> None:
        def ring(*_: object) -> None:
            raise CellTooLongError

        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, ring)
            signal.alarm(self.seconds)

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)


def export(value: Any) -> str:
    """What of a student's goes by reference: functions, and what is gone through once."""
    if isinstance(value, FunctionType | BuiltinFunctionType | MethodType | type):
        return "function"
    if isinstance(value, Iterator):
        return "generator"
    return "function" if callable(value) and not is_dataclass(value) else ""


def main(descriptor: int, folder: Path, limits: list[float]) -> None:
    """Answer the judge until it hangs up."""
    die_with_parent()
    link = socket.socket(fileno=descriptor)
    os.set_inheritable(descriptor, False)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    import astra_edu.course.check  # noqa: F401 - loaded before the limits, like IPython

    noted: list[str] = []
    notebook: list[Notebook] = []

    def begin(names: list[str], hidden: list[str]) -> bool:
        notebook[:] = [Notebook(names, noted)]
        limit(limits[0], int(limits[1]), int(limits[2]))
        refuse(folder, hidden, noted)
        return True

    peer = Peer(
        link,
        export,
        lambda value, name: False,
        {
            "begin": begin,
            "run": lambda source, seconds: notebook[0].run(source, seconds),
            "answer": lambda name: notebook[0].answer(name),
            "refused": lambda: notebook[0].refused(),
        },
    )
    peer.serve()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), [float(one) for one in sys.argv[3:6]])
