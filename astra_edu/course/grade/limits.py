"""What a student's notebook may do to the machine: how much memory, how large a file, and what Python refuses it.

The limits are the operating system's. The refusals are an audit hook's: they stop and note what ordinary code does, the
network, other programs, files elsewhere; code in C can get around them. What holds against that is sandbox.py's.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

NETWORK = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")
PROCESSES = (
    "subprocess.Popen",
    "os.system",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.exec",
    "os.spawn",
    "pty.spawn",
)
SIGNALS = ("os.kill", "os.killpg")
CHANGES = (
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
    *("os.chown", "os.utime", "shutil.rmtree", "shutil.move"),
)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MOST_NOTED = 20


def limit(memory_gib: float, file_mib: int, processes: int) -> None:
    """Limit this process and all that it starts, where the system can: memory (GiB), one file (MiB), processes."""
    limit_memory(memory_gib)
    _limit("RLIMIT_FSIZE", file_mib * 2**20)
    _limit("RLIMIT_NPROC", processes)
    _limit("RLIMIT_CORE", 0)


def limit_memory(gib: float) -> None:
    """Limit this process' memory, where the system can."""
    _limit("RLIMIT_AS", int(gib * 2**30))


def _limit(name: str, most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(OSError, ValueError):  # macOS has some of them in name only
        resource.setrlimit(kind, (most, most))


def die_with_parent() -> None:
    """End this process when the one that started it ends, however that ends. Linux; elsewhere nothing."""
    if sys.platform == "linux":
        pr_set_pdeathsig, sigkill = 1, 9
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, sigkill, 0, 0, 0)


def keep_orphans() -> None:
    """Make processes whose parents end this process's own, so that none gets away. Linux; elsewhere nothing."""
    if sys.platform == "linux":
        pr_set_child_subreaper = 36
        ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def refuse(folder: Path, hidden: Sequence[str], noted: list[str]) -> None:
    """From here on, refuse the network, other programs, changes outside the folder, and what is hidden; note all tries.

    hidden: folders in which nothing may be read, as absolute paths.
    """
    inside = os.path.realpath(folder)
    busy = False

    def within(path: str, place: str) -> bool:
        return path == place or path.startswith(place + os.sep)

    def may_change(path: Any, at: Any = None) -> bool:
        if isinstance(path, int):
            return True  # it is open already
        name = os.fsdecode(path)
        if isinstance(at, int) and at >= 0 and not os.path.isabs(name):
            try:
                name = os.path.join(os.readlink(f"/proc/self/fd/{at}"), name)
            except OSError:  # macOS doesn't say there which folder it is
                return False
        real = os.path.realpath(name)
        return within(real, inside) or real == os.devnull

    def may_read(path: Any) -> bool:
        if isinstance(path, int) or not hidden:
            return True
        real = os.path.realpath(os.fsdecode(path))
        alike = real.casefold()  # macOS opens SOLUTIONS as solutions
        return within(real, inside) or not any(within(alike, place.casefold()) for place in hidden)

    def stop(what: str) -> None:
        if len(noted) < MOST_NOTED and what not in noted:
            noted.append(what)
        raise PermissionError(f"While graded, a notebook can't do this: {what}.")

    def hook(event: str, args: tuple[Any, ...]) -> None:
        nonlocal busy
        if busy or not (event in _READS or event in _ASKED):
            return
        busy = True
        try:
            if event in _READS and args[0] is not None and not may_read(args[0]):
                stop(f"read {_short(args[0])}")
            if event in _ASKED:
                _ASKED[event](event, args, may_change, stop)
        finally:
            busy = False

    sys.addaudithook(hook)


_READS = ("open", "os.listdir", "os.scandir")
Stop = Callable[[str], None]
MayChange = Callable[..., bool]


def _opened(event: str, args: tuple[Any, ...], may_change: MayChange, stop: Stop) -> None:
    path, mode, flags = args[0], args[1] or "", args[2] or 0
    writes = bool(set(mode) & set("wax+")) if mode else bool(flags & _WRITES)
    if writes and path is not None and not may_change(path):
        stop(f"write {_short(path)}")


def _network(event: str, args: tuple[Any, ...], may_change: MayChange, stop: Stop) -> None:
    stop("use the network")


def _process(event: str, args: tuple[Any, ...], may_change: MayChange, stop: Stop) -> None:
    stop("start another program" if "fork" not in event else "start another process")


def _signal(event: str, args: tuple[Any, ...], may_change: MayChange, stop: Stop) -> None:
    stop("send signals to processes")


def _changed(event: str, args: tuple[Any, ...], may_change: MayChange, stop: Stop) -> None:
    two = event in ("os.rename", "os.link", "shutil.move")
    where = args[2 if two else 1 :]
    at = [one for one in where if isinstance(one, int)][-2:] if two else [one for one in where if isinstance(one, int)]
    for k, path in enumerate(args[: 2 if two else 1]):
        directory = at[min(k, len(at) - 1)] if at and event not in ("os.chmod", "os.truncate") else None
        if not may_change(path, directory):
            stop(f"change or delete {_short(path)}")


def _short(path: Any) -> str:
    return os.fsdecode(path)[-60:] if isinstance(path, str | bytes | os.PathLike) else "a file"


_ASKED: dict[str, Callable[[str, tuple[Any, ...], MayChange, Stop], None]] = {
    "open": _opened,
    **dict.fromkeys(NETWORK, _network),
    **dict.fromkeys(PROCESSES, _process),
    **dict.fromkeys(SIGNALS, _signal),
    **dict.fromkeys(CHANGES, _changed),
}
