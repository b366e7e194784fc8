"""Our side, in a process of its own for each row, so that its memory is known and a run can be given up."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time
from types import TracebackType
from typing import Any

import psutil

import astra_edu as ae
from tools.bench_cpp.case import Case, Platform, Row
from tools.bench_cpp.cpp import WAITED, Answer, write


class TooLongError(Exception):
    """A run took longer than its row allows."""


class Worker:
    """A process that makes a row's cases, runs them and says how long that took."""

    def __init__(self, row: Row) -> None:
        """Start it."""
        self.row = row
        self.folder = Path(tempfile.mkdtemp())
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, row, self.folder), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, what: str, *given: Any, limit: float | None = None) -> Any:
        """The answer to one of Server's methods. limit: CPU seconds. Raises TooLongError, and what it raised."""
        limit = limit or self.row.limit
        process = psutil.Process(self._process.pid)
        begin, waited = sum(process.cpu_times()[:2]), perf_counter() + WAITED * limit
        self._pipe.send((what, given))
        while not self._pipe.poll(0.2):
            if sum(process.cpu_times()[:2]) - begin > limit or perf_counter() > waited:
                raise TooLongError
        said = self._pipe.recv()
        if isinstance(said, BaseException):
            raise said
        return said

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()
        shutil.rmtree(self.folder)


def serve(pipe: Connection, row: Row, folder: Path) -> None:
    """Answer what Worker.ask asks until the process is ended."""
    os.environ["TQDM_DISABLE"] = "1"  # no bars between the lines of the table
    server = Server(row, folder)
    while True:
        try:
            what, given = pipe.recv()
        except EOFError:  # who asked has gone
            return
        try:
            pipe.send(getattr(server, what)(*given))
        except Exception as error:  # it belongs to who asked
            pipe.send(error if isinstance(error, ae.ConfigError) else RuntimeError(f"{type(error).__name__}: {error}"))


def load() -> None:
    """Load what simulating needs, so that the first run isn't charged for it: `import` is a row of its own."""
    switch = ae.Block("Switch", 4, 50, 500)
    model = ae.transformer("small", hidden=8, heads=4, blocks=4, sequence=8, vocabulary=64)
    for aware in (False, True):
        platform = ae.TracePlatform([switch, switch], ae.TraceSystem.of(["ring"] * 2), congestion_aware=aware)
        for batch in (4, 64):  # followed one by one, and by roles
            strategy = ae.Strategy(tensor=4, pipeline=4, batch=batch)
            ae.simulate(ae.traces.from_strategy(model, strategy, "a100", platform), platform, progress=False)
        ae.simulate(ae.traces.collective("all_reduce", 4096, npus=16), platform, progress=False)
    ring = ae.preset("ring")
    for system in (ring.system, replace(ring.system, bus=ae.system.Bus(10, 5, 3, 0.001))):
        ae.simulate(ae.Workload.micro("all-reduce", 2**20), replace(ring, system=system), progress=False)


class Server:
    """What the process does. Times in CPU seconds."""

    def __init__(self, row: Row, folder: Path) -> None:
        warnings.simplefilter("ignore")
        self.folder = folder
        self.makers = row.make() if row.make else []
        self.call = row.call
        self.case: Case | None = None
        self.said = ""
        load()

    def count(self) -> int:
        """How many cases there are."""
        return len(self.makers)

    def make(self, number: int) -> tuple[str, str, float]:
        """Make a case; its name, its program, and how long that took."""
        self.case = None
        gc.collect()
        begin = process_time()
        self.case = self.makers[number]()
        return self.case.name, self.case.program, process_time() - begin

    def answers(self) -> int:
        """How many NPUs say when they finish; in 1.0 one number is for all."""
        assert self.case is not None
        return 1 if isinstance(self.case.platform, ae.Platform) else self.case.platform.npus

    def files(self) -> list[str]:
        """Write the case's files into the folder, in place of the last one's; the arguments for the C++ program."""
        assert self.case is not None
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        return write(self.case, self.folder)

    def simulate(self) -> float:
        """Simulate the case as it is in memory."""
        assert self.case is not None
        return timed(lambda case=self.case: ae.simulate(case.work, case.platform, progress=False).total_ns)

    def read_and_simulate(self) -> float:
        """Read the case's files, check them, and simulate what they say."""
        assert self.case is not None
        return timed(lambda: from_files(self.case.platform, self.folder).total_ns)

    def settings(self) -> tuple[Platform]:
        """The case's platform."""
        assert self.case is not None
        return (self.case.platform,)

    def read_of(self, platform: Platform, folder: str) -> None:
        """Read and simulate another process's files."""
        from_files(platform, Path(folder)).total_ns  # noqa: B018 - it may be found only when it is asked for

    def answer(self) -> Answer:
        """What the case's files come to."""
        assert self.case is not None
        result = from_files(self.case.platform, self.folder)
        if isinstance(self.case.platform, ae.Platform):
            return (result.total_ns,), ()
        return tuple(result.finish_ns), tuple(result.exposed_ns)

    def called(self) -> float:
        """Call what the row calls, made anew each time; a refusal counts as an answer."""
        assert self.call is not None
        return timed(partial(self._or_refused, self.call()))

    def refused(self) -> str:
        """How the last call was refused; empty where it wasn't."""
        return self.said

    def _or_refused(self, call: Callable[[], Any]) -> None:
        try:
            call()
        except ae.ConfigError as error:
            self.said = str(error)

    def peak(self) -> float:
        """The most memory the process has had, in MB (10^6 bytes)."""
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6  # ru_maxrss is also what started it


def from_files(platform: Platform, folder: Path) -> Any:
    """The run of what is in the files of a case; platform: for what isn't in them."""
    network, system, work = (str(folder / name) for name in ("network", "system", "workload"))
    if isinstance(platform, ae.Platform):
        return ae.simulate(ae.load_workload(work), ae.load_astra_sim(network, system), progress=False)
    read = ae.load_astra_sim(
        network,
        system,
        num_queues_per_dim=platform.system.queues,
        rendezvous_protocol=platform.system.rendezvous,
        memory=str(folder / "remote-memory"),
        congestion_aware=platform.congestion_aware,
    )
    return ae.simulate(ae.traces.load_trace(work), read, progress=False)


def timed(call: Any) -> float:
    """CPU seconds of a call."""
    gc.collect()
    begin = process_time()
    call()
    return process_time() - begin
