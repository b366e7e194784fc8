"""Text files: read, or a sentence that says why that is not possible, and written."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from astra_edu.errors import ConfigError

LARGEST = 64 * 2**20


def read_text(path: str | PathLike[str], what: str) -> str:
    """The text of the file at `path`, which should be `what` ("a network file").

    Raises ConfigError when it is missing, a folder, unreadable, empty, over 64 MiB or not text.
    """
    file = Path(path)
    try:
        folder, there_is = file.is_dir(), file.exists()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{str(file)[:80]!r} is no path; {what} is expected.") from error
    if folder:
        raise ConfigError(f"{file} is a folder; {what} is expected.")
    if not there_is:
        near = sorted(p.name for p in file.parent.glob("[!.]*"))[:10] if file.parent.is_dir() else []
        there = (
            f"Its folder has: {', '.join(near) or 'nothing'}." if file.parent.is_dir() else "Nor is its folder there."
        )
        raise ConfigError(f"{file}: no such file; {what} is expected. {there}")
    try:
        if file.stat().st_size > LARGEST:
            raise ConfigError(f"{file} has over 64 MiB; {what} is much smaller.")
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not a text file (byte {error.start}); {what} is expected.") from error
    if "\0" in text:
        raise ConfigError(f"{file} is not a text file (it has zero bytes); {what} is expected.")
    if not text.strip():
        raise ConfigError(f"{file} is empty; {what} is expected.")
    return text


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write `text` to `path`, making the folder if need be. Raises ConfigError when that isn't possible."""
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{str(file)[:80]} can't be written: {reason}.") from error


def looks_like(text: str) -> str:
    """The end of an error sentence for a file that is another kind of ASTRA-sim's files; empty if it is none."""
    start = text.lstrip()[:1]
    if start == "{":
        return " It looks like a network file."
    if "scheduling-policy:" in text:
        return " It looks like a system file."
    if "ALLREDUCE" in text or "ALLTOALL" in text:
        return " It looks like a workload file."
    return ""
