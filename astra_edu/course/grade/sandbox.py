"""Where a student's notebook runs: in bubblewrap where that works, else as a plain process; and how it is ended.

Each gets a folder of its own with a copy of the exercises' inputs and of this package. In bubblewrap it sees that
folder, Python and the system's programs, and nothing else: no other student's work, no solutions, no network, no other
process.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

FILE_MIB = 64
FOLDER_MIB = 512
"""What a notebook may write in all."""
MOST_PROCESSES = 32
"""Processes and threads. OpenBLAS and the like get one thread."""
_LOOK_S = 0.25
HOME = "/course"

CONFINED = {
    True: "Each notebook ran in bubblewrap: no network, no other process, no file but Python's, the system's and a "
    "copy of the inputs.",
    False: "No bubblewrap here: memory, time, files and processes are limited, and Python refuses the network, other "
    "programs and changes outside its folder. Code in C could get around these refusals, and the notebook can read "
    "what you can read. Grade on Linux with bubblewrap, or in a container, if you don't trust the notebooks.",
}


@dataclass(frozen=True)
class Stage:
    """What all notebooks of one grading share. folder: with a copy of astra_edu, of exercises/inputs, and of fonts.

    memory_gib: of one notebook. confined: whether bubblewrap works here.
    """

    folder: Path
    memory_gib: float
    confined: bool


def _mounts(stage: Path, work: Path) -> list[str]:
    """What is seen inside, as bubblewrap's options."""
    shown = ["--size", str(FILE_MIB * 2**20), "--tmpfs", "/tmp"]  # before all that may lie in it
    for place in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(place):
            shown += ["--symlink", os.readlink(place), place]
        elif os.path.exists(place):
            shown += ["--ro-bind", place, place]
    prefixes = [sys.base_prefix, sys.prefix, *map(sysconfig.get_path, ("purelib", "platlib", "stdlib"))]
    python = [str(Path(sys.executable).parent), str(Path(sys.executable).resolve().parent)]
    for place in ("/usr", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", *prefixes, *python):
        shown += ["--ro-bind-try", place, place]
    shown += ["--proc", "/proc", "--dev", "/dev"]
    return [*shown, "--bind", str(work), HOME, "--ro-bind", str(stage / "astra_edu"), f"{HOME}/astra_edu"]


def _bubblewrap(stage: Path, work: Path) -> list[str]:
    return [
        *(shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session"),
        *("--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"),
        *_mounts(stage, work),
        *("--chdir", f"{HOME}/exercises", "--"),
    ]


def _python() -> list[str]:
    return [sys.executable, "-P", "-s", "-B"]


def works(stage: Path) -> bool:
    """Whether bubblewrap starts this Python here; some containers and systems don't let it."""
    if not shutil.which("bwrap"):
        return False
    work = stage / "tried"
    (work / "exercises").mkdir(parents=True, exist_ok=True)
    (work / "astra_edu").mkdir(exist_ok=True)
    command = [*_bubblewrap(stage, work), *_python(), "-c", "import astra_edu, IPython; print('it works')"]
    tried = subprocess.run(command, env=_environment(HOME), capture_output=True, text=True, timeout=60)
    return tried.stdout.strip() == "it works"


def _environment(home: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {
        **{"HOME": home, "TMPDIR": f"{home}/exercises", "LANG": "C.UTF-8", "PYTHONUTF8": "1", "PYTHONPATH": home},
        **{"MPLCONFIGDIR": f"{home}/matplotlib", "MPLBACKEND": "agg", "IPYTHONDIR": f"{home}/ipython"},
        **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        **{"ASTRA_EDU_PROGRESS": "off", "PYTHONDONTWRITEBYTECODE": "1", "TQDM_DISABLE": "1"},
    }


def ready(stage: Stage, work: Path) -> None:
    """A folder for one run of one notebook, as if nothing had run there before."""
    shutil.rmtree(work, ignore_errors=True)
    for part in ("exercises", "matplotlib"):
        shutil.copytree(stage.folder / part, work / part)
    if stage.confined:
        (work / "astra_edu").mkdir()
    else:
        shutil.copytree(stage.folder / "astra_edu", work / "astra_edu")


class Confined:
    """A notebook's process, watched until it is ended. ended: why it was ended from here, "" if it wasn't."""

    def __init__(self, stage: Stage, work: Path) -> None:
        """Start it. link: the connection to it."""
        ready(stage, work)
        self.link, theirs = socket.socketpair()
        self.work, self.stage, self.ended = work, stage, ""
        home = HOME if stage.confined else str(work)
        limits = (str(stage.memory_gib), str(FILE_MIB), str(_threads_of_user() + MOST_PROCESSES))
        command = [*(_bubblewrap(stage.folder, work) if stage.confined else ()), *_python()]
        command += ["-m", "astra_edu.course.grade.inside", str(theirs.fileno()), f"{home}", *limits]
        self._process = subprocess.Popen(
            command,
            cwd=work / "exercises",
            env=_environment(home),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    def end(self, why: str = "") -> None:
        """End it and all that it started."""
        self.ended = self.ended or why
        self._over.set()
        self._watch.join()  # it kills all that runs: not what is started next
        self._kill()
        self.link.close()
        self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for _ in range(50):  # what is starting others is faster than one look
            left = _started()
            for one in left:
                with contextlib.suppress(psutil.Error):
                    one.kill()
            if not left:
                return
            time.sleep(0.02)

    def _look(self) -> None:
        while not self._over.wait(_LOOK_S):
            if why := self._too_much():
                self.ended = why
                self._kill()
                return

    def _too_much(self) -> str:
        members = _started()
        if len(members) > MOST_PROCESSES:
            return f"it started more than {MOST_PROCESSES} processes"
        memory = 0
        for one in members:
            with contextlib.suppress(psutil.Error):
                memory += one.memory_info().rss
        if memory > self.stage.memory_gib * 2**30:
            return f"it used more than {self.stage.memory_gib:g} GiB of memory"
        if _size(self.work) > FOLDER_MIB * 2**20:
            return f"it wrote more than {FOLDER_MIB} MiB"
        return ""


def _started() -> list[psutil.Process]:
    """All that this process has started, and what that has, as far as it is alive."""
    try:
        return [one for one in psutil.Process().children(recursive=True) if _alive(one)]
    except psutil.Error:  # one of them ended meanwhile
        return []


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _threads_of_user() -> int:
    """The limit on processes counts all that a user has, of whatever program."""
    count = 0
    mine = os.getuid()
    for one in psutil.process_iter(["uids", "num_threads"]):
        if one.info["uids"] and one.info["uids"].real == mine:
            count += one.info["num_threads"] or 1
    return count


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total
