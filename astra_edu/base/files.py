"""Files: opened, read and written, or a sentence that says why that is not possible."""

from __future__ import annotations

from collections.abc import Iterable
from errno import EACCES
from os import W_OK, PathLike, access, fspath, fstat, replace, strerror
from os.path import realpath
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from uuid import uuid4

from astra_edu.base.errors import ConfigError, shown

FileName = str | PathLike[str]

LARGEST = 64 * 2**20


def path_of(path: FileName) -> Path:
    """What a person gives as a file's name, as a Path. Raises ConfigError for what names no file."""
    if isinstance(path, Path) and "\0" not in str(path):  # made once and asked for often
        return path
    if not isinstance(path, (str, PathLike)) or isinstance(fspath(path), bytes):
        raise ConfigError(f"{shown(path)} is no path; give one as text, such as 'results/run.json'.")
    if "\0" in str(path):
        raise ConfigError(f"{shown(str(path))} is no path: there is a zero byte in it.")
    return Path(path)


def what_is_at(path: FileName, what: str) -> str:
    """What is there: "file", "folder", "pipe" (or any device), or "" for nothing. what: what should be there.

    Raises ConfigError where that can't be seen: in a locked folder, or for a name that is too long.
    """
    file = path_of(path)
    try:
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except PermissionError as error:
        raise ConfigError(f"{_cut(file)} can't be looked at ({error.strerror}); {what} is expected.") from None
    except OSError as error:
        raise ConfigError(f"{_cut(file)} is no path ({error.strerror}); {what} is expected.") from None
    except ValueError:  # a lone surrogate, which no file system can have in a name
        raise ConfigError(f"{_cut(file)} is no path; {what} is expected.") from None
    return "folder" if S_ISDIR(mode) else "file" if S_ISREG(mode) else "pipe"


def ready_folder(path: FileName, what: str) -> Path:
    """The path of a folder, made if need be. Raises ConfigError where there is something else, or it can't be made."""
    folder = path_of(path)
    if what_is_at(folder, what) in ("file", "pipe"):
        raise ConfigError(f"{_cut(folder)} is a file; {what} is expected.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{_cut(folder)} can't be made: {error.strerror}.") from error
    return folder


def existing(path: FileName, what: str) -> Path:
    """The path of a file that is there and should be `what` ("a network file").

    Raises ConfigError when it is missing, a folder, no path at all, or something that has no end, such as a pipe.
    """
    file = path_of(path)
    match what_is_at(file, what):
        case "folder":
            raise ConfigError(f"{file} is a folder; {what} is expected.")
        case "pipe":
            raise ConfigError(f"{file} is a device or a pipe; {what} is expected.")
        case "":
            raise ConfigError(f"{file}: no such file; {what} is expected. {_beside(file)}")
    return file


def in_folder(folder: Path) -> list[Path]:
    """What a folder has. Raises ConfigError for one that can't be read."""
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"folder {folder} can't be read: {error.strerror}.") from None


def _beside(file: Path) -> str:
    """What the folder of a file that isn't there has."""
    if what_is_at(file.parent, "a folder") != "folder":
        return "Nor is its folder there."
    near = sorted(p.name for p in in_folder(file.parent) if not p.name.startswith("."))[:10]
    return f"Its folder has: {', '.join(near) or 'nothing'}."


def _cut(file: Path) -> str:
    return shown(str(file)) if len(str(file)) > 200 or not str(file).isprintable() else str(file)


def read_text(path: FileName, what: str) -> str:
    """The text of the file at `path`, which should be `what` ("a network file").

    Raises ConfigError when it is missing, a folder, unreadable, empty, over 64 MiB or not text.
    """
    file = existing(path, what)
    try:
        with open(file, "rb", buffering=0) as raw:
            if fstat(raw.fileno()).st_size > LARGEST:
                raise ConfigError(f"{file} has over 64 MiB; {what} is much smaller.")
            text = raw.read().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not a text file (byte {error.start}); {what} is expected.") from error
    if "\0" in text:
        raise ConfigError(f"{file} is not a text file (it has zero bytes); {what} is expected.")
    if not text.strip():
        raise ConfigError(f"{file} is empty; {what} is expected.")
    return text


def write_text(path: FileName, text: str) -> Path:
    """Write `text` to `path`, as write_bytes does, and return the path."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ConfigError(f"{shown(path, 80)} can't be written: {error.reason}.") from error
    return write_bytes(path, [content])


def write_bytes(path: FileName, parts: Iterable[bytes]) -> Path:
    """Write the parts one after the other to `path`, making the folder if need be, and return the path.

    They go to a file beside it that then takes its place: a file that was there stays whole until the new one is.
    Raises ConfigError where that isn't possible, and for folders, devices and pipes.
    """
    file = path_of(path)
    if (there := what_is_at(file, "a file")) not in ("", "file"):
        kind = "a folder" if there == "folder" else "a device or a pipe"
        raise ConfigError(f"{_cut(file)} can't be written: it is {kind}.")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _replace(Path(realpath(file)), parts)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{_cut(file)} can't be written: {reason}.") from error
    return file


def _replace(file: Path, parts: Iterable[bytes]) -> None:
    if file.exists() and not access(file, W_OK):
        raise PermissionError(EACCES, strerror(EACCES))
    beside = file.with_name(f".astra_edu-{uuid4().hex}")
    try:
        with beside.open("xb") as out:
            out.writelines(parts)
        if file.exists():
            beside.chmod(S_IMODE(file.stat().st_mode))
        replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)
