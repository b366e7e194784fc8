"""Files that belong together: all of them are written, or none is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import what_is_at


@contextmanager
def all_or_none(files: Sequence[Path]) -> Iterator[list[Path]]:
    """A list, for the files that are begun one after the other within it. An error, or Ctrl-C, takes away those of them
    that weren't there before, and says which have taken the place of older ones: these can't be had back.

    >>> from pathlib import Path
    >>> files = [Path("pair.0"), Path("pair.1")]
    >>> try:
    ...     with all_or_none(files) as done:
    ...         done.append(files[0])
    ...         _ = files[0].write_text("half")
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     print(files[0].exists())
    False
    """
    older = {file: _as_it_is(file) for file in files if what_is_at(file, "a file")}
    done: list[Path] = []
    try:
        yield done
    except BaseException as error:
        for file in done:
            if file not in older:
                with suppress(OSError):
                    file.unlink(missing_ok=True)
        replaced = [file for file in done if file in older and _as_it_is(file) != older[file]]
        if not replaced:
            raise
        what = _mixed(replaced)
        if isinstance(error, ConfigError):
            raise ConfigError(f"{error} {what}") from error.__cause__
        error.add_note(what)
        raise


def _as_it_is(file: Path) -> tuple[int, ...]:
    """What is another one when another file has taken its place."""
    with suppress(OSError):
        about = file.stat()
        return about.st_dev, about.st_ino, about.st_mtime_ns, about.st_size
    return ()


def _mixed(replaced: Sequence[Path]) -> str:
    last = f" to {replaced[-1].name}" if len(replaced) > 1 else ""
    return f"{replaced[0]}{last} ({len(replaced)}) have been written over, the others haven't: write all of them again."
