"""A process for each open page: what one page computes neither holds up another nor is seen by it, and ends with it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from threading import RLock

from astra_edu.course.grade.limits import limit

if sys.platform == "win32":
    _CONTEXT = multiprocessing.get_context("spawn")
else:  # what all of them import is in memory once
    _CONTEXT = multiprocessing.get_context("forkserver")
    _CONTEXT.set_forkserver_preload(["astra_edu.course.dashboard.designs"])


@dataclass(frozen=True)
class Limits:
    """seconds: for one answer; memory_gib: for one page's process; pages: at once; idle_minutes: until it ends."""

    seconds: float = 60
    memory_gib: float = 2
    pages: int = 64
    idle_minutes: float = 30


class StoppedError(Exception):
    """There will be no answer, and why."""


class Worker:
    """A page's process. Ask it from one thread at a time; end it from any."""

    def __init__(self, limits: Limits) -> None:
        """Start it."""
        self._limits, self._asking = limits, RLock()
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, limits.memory_gib), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid or 0

    def ask(self, text: str) -> bytes:
        """Its answer. Raises StoppedError, and is of no use any more, where there is none in time."""
        with self._asking:
            try:
                self._pipe.send_bytes(text.encode())
                there = wait([self._pipe, self._process.sentinel], self._limits.seconds)
                if self._pipe in there:
                    return self._pipe.recv_bytes()
                if there:  # on Windows one that ends as it begins leaves its pipe open
                    raise EOFError
            except (EOFError, OSError):
                self.end()
                raise StoppedError("The process of this page has ended.") from None
            self.end()
            raise StoppedError(f"This took longer than {self._limits.seconds:g} s and was stopped.")

    def end(self) -> None:
        """End it; whoever is asking it hears so."""
        self._process.kill()
        with self._asking:
            self._pipe.close()
            self._process.join()


def _serve(pipe: Connection, memory_gib: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    warnings.simplefilter("ignore")  # what matters of them stands on the page
    limit(memory_gib, file_mib=64, processes=512)
    from astra_edu.course.dashboard.designs import Designs

    designs = Designs()
    while True:
        try:
            pipe.send_bytes(designs.answer(pipe.recv_bytes()).encode())
        except (EOFError, OSError):  # nobody is there any more
            return
