"""A folder that one process at a time works in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep

from astra_edu.base.errors import ConfigError

PATIENCE_S = 60
"""How long another process may take."""


@contextmanager
def locked(folder: Path, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Wait until no other process is in here with this folder. It ends with the process, however that ends.

    Raises ConfigError when another one takes longer than that, a minute unless given. Where the file system knows no
    locks, nobody waits.

    >>> from pathlib import Path
    >>> from astra_edu.base.locked import locked
    >>> with locked(Path()):
    ...     print("alone")
    alone
    """
    try:
        handle = _handle(folder)
    except OSError:
        yield
        return
    try:
        end = monotonic() + patience_s
        while not _taken(handle):
            if monotonic() > end:
                raise ConfigError(f"another process has been writing into {folder} for {patience_s:g} s.")
            sleep(0.01)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _handle(folder: Path) -> int:
    """Something to lock that leaves nothing behind in the folder: itself, or on Windows a file that stands for it."""
    if os.name != "nt":
        return os.open(folder, os.O_RDONLY)
    from hashlib import sha256
    from tempfile import gettempdir

    name = sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return os.open(Path(gettempdir()) / f"astra_edu-{name}.lock", os.O_RDWR | os.O_CREAT)


def _taken(handle: int) -> bool:
    try:
        if os.name == "nt":
            windows = import_module("msvcrt")
            windows.locking(handle, windows.LK_NBLCK, 1)
        else:
            unix = import_module("fcntl")
            unix.flock(handle, unix.LOCK_EX | unix.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except (ImportError, AttributeError, OSError):  # a browser has no flock, and nobody else in it
        return True
    return True
