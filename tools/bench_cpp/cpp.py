"""The C++ program's side: its input files, one run of it, and what it says."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from threading import Timer

import astra_edu as ae
from astra_edu.traces import Trace, collective, save_trace
from tools.bench_cpp.case import Case

PROGRAMS = {
    "unaware": ("AstraSim_Analytical_Congestion_Unaware", "2.x, congestion-unaware"),
    "aware": ("AstraSim_Analytical_Congestion_Aware", "2.x, congestion-aware, one dimension"),
    "multidim": (
        "AstraSim_Analytical_Congestion_Aware_Multidim",
        "2.x, congestion-aware, several dimensions (a branch)",
    ),
    "v1": ("AstraSim1_Analytical", "1.0, analytical"),
}
"""Each program's name as a file, and what it is."""

WAITED = 5
"""A process that gets a fifth of a core, or that sleeps, is waited for this many times as long as it may compute."""

Answer = tuple[tuple[int, ...], tuple[int, ...]]
"""When each NPU finishes, and its exposed communication, in ns; in 1.0 the total alone, and nothing."""

_FINISHED = re.compile(r"sys\[(\d+)\] finished, (\d+) cycles, exposed communication (\d+) cycles")
_PASSES = re.compile(r"all passes finished at time: (\d+)")


@dataclass(frozen=True)
class Ran:
    """One run: CPU seconds (its own and the kernel's for it), its answer, and why there is none."""

    seconds: float
    answer: Answer | None
    stopped: str = ""


def programs_in(paths: Sequence[str]) -> dict[str, Path]:
    """The programs among files and folders. Raises SystemExit for a path that has none."""
    found: dict[str, Path] = {}
    for given in paths:
        path = Path(given).expanduser().resolve()
        here = {kind: path / name if path.is_dir() else path for kind, (name, _) in PROGRAMS.items()}
        new = {kind: file for kind, file in here.items() if file.is_file() and file.name == PROGRAMS[kind][0]}
        if not new:
            names = ", ".join(name for name, _ in PROGRAMS.values())
            raise SystemExit(
                f"{given} is none of the C++ programs, and has none of them in it; they are called {names}."
            )
        found |= new
    return found


def write(case: Case, folder: Path) -> list[str]:
    """Write the files of a case into a folder; return the arguments for its program."""
    with warnings.catch_warnings(action="ignore"):
        if isinstance(case.platform, ae.Platform):
            ae.save_astra_sim(case.platform, network=folder / "network", system=folder / "system")
            assert isinstance(case.work, ae.Workload)
            ae.save_workload(case.work, folder / "workload")
            return [
                *(f"--{what}-configuration={folder / what}" for what in ("network", "system", "workload")),
                f"--path={folder}/",
                "--run-name=run",
                "--total-stat-rows=1",
                "--stat-row=0",
            ]
        ae.save_astra_sim(
            case.platform, network=folder / "network", system=folder / "system", memory=folder / "remote-memory"
        )
        assert isinstance(case.work, Trace)
        save_trace(case.work, folder / "workload")
    parts = ("network", "system", "remote-memory", "workload")
    arguments = [f"--{what}-configuration={folder / what}" for what in parts]
    if case.work.groups:
        arguments.append(f"--comm-group-configuration={folder / 'workload.groups.json'}")
    if case.platform.system.queues != 1:
        arguments.append(f"--num-queues-per-dim={case.platform.system.queues}")
    if case.platform.system.rendezvous:
        arguments.append("--rendezvous-protocol=true")
    return arguments


def run(program: Path, arguments: Sequence[str], folder: Path, limit: float = 60, npus: int = 1, tries: int = 1) -> Ran:
    """Run the program in a folder, where it puts what it logs. limit: CPU seconds.

    npus: so many have to say when they finish, else there is no answer; one that breaks down after that has given it.
    tries: how often it may break down (a signal ends it: its memory is sometimes spoilt) before that is its answer.
    """
    ran = _run(program, arguments, folder, limit, npus)
    if tries > 1 and ran.stopped.startswith("it broke down"):
        return run(program, arguments, folder, limit, npus, tries - 1)
    return ran


def _run(program: Path, arguments: Sequence[str], folder: Path, limit: float, npus: int) -> Ran:
    with (folder / "said").open("w") as said:
        process = subprocess.Popen([program, *arguments], cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        timer = Timer(WAITED * limit, process.kill)
        timer.start()
        with suppress(ProcessLookupError):  # it is over already
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (ceil(limit), ceil(limit)))
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    text = (folder / "said").read_text(errors="replace")
    if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return Ran(seconds, None, f"more than {limit:g} s")
    answer = answer_in(text)
    if answer is None or len(answer[0]) < npus:
        how = f"broke down ({-process.returncode})" if process.returncode < 0 else f"stopped with {process.returncode}"
        return Ran(seconds, None, f"it {how}: {text.strip()[-60:]!r}")
    return Ran(seconds, answer)


def answer_in(text: str) -> Answer | None:
    """What the program has printed; None where it gives no answer."""
    if passes := _PASSES.search(text):
        return (int(passes[1]),), ()
    rows = sorted(tuple(map(int, row)) for row in _FINISHED.findall(text))
    if not rows:
        return None
    return tuple(row[1] for row in rows), tuple(row[2] for row in rows)


def empty_run(kind: str, program: Path) -> float:
    """CPU seconds of a run that has next to nothing to do: what the process itself costs. The least of five."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = write(nothing(kind), Path(folder))
        return min(run(program, arguments, Path(folder)).seconds for _ in range(5))


def nothing(kind: str) -> Case:
    """The least there is: 4 NPUs and one small collective."""
    if kind == "v1":
        platform = ae.Platform((ae.Dimension.of("Ring", 4, 50, 500),), ae.SystemConfig.of("ring", splits=1))
        return Case("nothing", ae.Workload.micro("all-reduce", 64), platform)
    blocks = [ae.Block("Ring", 4, 50, 500)] * (2 if kind == "multidim" else 1)
    system = ae.TraceSystem.of(["ring"] * len(blocks), splits=1)
    platform_2 = ae.TracePlatform(blocks, system, congestion_aware=kind != "unaware")
    return Case("nothing", collective("all_reduce", 64, npus=platform_2.npus), platform_2)


def differences(ours: Answer, theirs: Answer) -> str:
    """In words where two answers differ; empty where they don't."""
    if ours == theirs:
        return ""
    for what, left, right in zip(("finishes at", "has exposed communication of"), ours, theirs, strict=True):
        if len(left) != len(right):
            return f"{len(left)} NPUs here, {len(right)} there"
        for npu, (here, there) in enumerate(zip(left, right, strict=True)):
            if here != there:
                return f"NPU {npu} {what} {here:,} ns here, {there:,} ns there"
    return ""
