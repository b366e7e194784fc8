"""Which files a trace has: PREFIX.0.et, PREFIX.1.et, ..., the same with .json, or one file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count, islice
from pathlib import Path

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, in_folder, path_of, what_is_at

_RANKED = re.compile(r"(.+)\.(0|[1-9][0-9]*)\.(et|json)", re.DOTALL)
_WHAT = "execution traces"


def is_trace(path: FileName) -> bool:
    """Whether a trace is meant, not a text workload: there are files with this prefix, or its content isn't text."""
    file = path_of(path)
    there = what_is_at(file, "a workload file")
    if there == "file":
        try:
            with file.open("rb") as start:
                return file.suffix == ".et" or start.read(64).lstrip()[:1] in (b"{", b"[")
        except OSError:
            return False
    return file.suffix != ".txt" and bool(_traces_in(file.parent) or (there == "folder" and _traces_in(file)))


def files_of(path: FileName) -> list[Path]:
    """The files of the trace that a prefix or one of its files stands for: one for each NPU, or the one for all.

    Raises ConfigError where there is none, saying what there is, and where an NPU has no file.
    """
    file = path_of(path)
    there_is = what_is_at(file, f"a prefix of {_WHAT}")
    ranked = _RANKED.fullmatch(file.name) if there_is == "file" else None
    if there_is == "file" and not ranked:
        return [file]
    prefix = file.with_name(ranked[1]) if ranked else file
    there = _traces_in(prefix.parent)
    for kind in [ranked[3]] if ranked else ["et", "json"]:
        if ranks := there.get(prefix.name, {}).get(kind):
            return _complete(ranks, prefix, kind)
    raise ConfigError(_nothing(file, _traces_in(file) if there_is == "folder" else there, there_is == "folder"))


def prefix_of(file: Path) -> Path:
    """What stands before the number: of traces/work.0.et it is traces/work; a path without number stays as it is."""
    ranked = _RANKED.fullmatch(file.name)
    return file.with_name(ranked[1]) if ranked else file


def _traces_in(folder: Path) -> dict[str, dict[str, dict[int, Path]]]:
    """The traces of a folder: prefix to kind of file to NPU to file."""
    found: dict[str, dict[str, dict[int, Path]]] = {}
    if what_is_at(folder, "a folder") == "folder":
        for file in in_folder(folder):
            if match := _RANKED.fullmatch(file.name):
                found.setdefault(match[1], {}).setdefault(match[3], {})[int(match[2])] = file
    return found


def _complete(ranks: Mapping[int, Path], prefix: Path, kind: str) -> list[Path]:
    last = max(ranks)
    if missing := last + 1 - len(ranks):
        first = ", ".join(map(str, islice((npu for npu in count() if npu not in ranks), min(missing, 10))))
        more = f" and {missing - 10} more" if missing > 10 else ""
        raise ConfigError(f"{prefix}.N.{kind}: there are NPUs 0 to {last}, but no file for {first}{more}.")
    return [ranks[npu] for npu in range(last + 1)]


def _nothing(file: Path, there: Mapping[str, Mapping[str, Mapping[int, Path]]], is_folder: bool) -> str:
    if not is_folder and what_is_at(file.parent, "a folder") != "folder":
        return f"{file}: there are no {_WHAT} with this prefix, nor is its folder there."
    start = f"{file} is a folder; a prefix of {_WHAT} is expected" if is_folder else f"{file} is no prefix of {_WHAT}"
    if not there:
        return f"{start}: there is no file {'PREFIX' if is_folder else file.name}.0.et."
    from difflib import get_close_matches

    near = get_close_matches(file.name, there, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    counts = [f"{name} ({max(map(len, kinds.values()))} NPUs)" for name, kinds in sorted(there.items())]
    return f"{start}{hint} There are: {', '.join(counts[:10])}{' and more' if len(counts) > 10 else ''}."
