"""Files: opened, read and written, or a sentence that says why that is not possible."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from astra_edu.base.errors import ConfigError

FileName = str | PathLike[str]

LARGEST = 64 * 2**20


def existing(path: FileName, what: str) -> Path:
    """The path of a file that is there and should be `what` ("a network file").

    Raises ConfigError when it is missing, a folder, no path at all, or something that has no end, such as a pipe.
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
    if not file.is_file():
        raise ConfigError(f"{file} is a device or a pipe; {what} is expected.")
    return file


def read_text(path: FileName, what: str) -> str:
    """The text of the file at `path`, which should be `what` ("a network file").

    Raises ConfigError when it is missing, a folder, unreadable, empty, over 64 MiB or not text.
    """
    file = existing(path, what)
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


def write_text(path: FileName, text: str) -> None:
    """Write `text` to `path`, making the folder if need be. Raises ConfigError when that isn't possible."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ConfigError(f"{str(path)[:80]} can't be written: {error.reason}.") from error
    write_bytes(path, [content])


def write_bytes(path: FileName, parts: Iterable[bytes]) -> None:
    """Write the parts one after the other to `path`, as write_text does."""
    file = Path(path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as out:
            out.writelines(parts)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{str(file)[:80]} can't be written: {reason}.") from error
