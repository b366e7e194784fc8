"""The course for students: one zip without solutions, tests and the instructors' pages (`make students`).

python -m tools.students [--out FILE]: the same files give the same zip, byte by byte. It installs and starts by itself:
unzip it, `make lab` (or the README's lines for pip and Windows).

The checks are in it, since they judge at home: their modules are packed, so that nobody reads an answer by accident.
That hides nothing from who wants to see: a packed module can be unpacked in a line of Python, and a check's function
can be called. Grades come from `python -m astra_edu grade`, where another process judges.
"""

from __future__ import annotations

import argparse
import base64
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from astra_edu.base.printable import never_fails

ROOT = Path(__file__).resolve().parent.parent
TOP = "astra-edu"
FOLDERS = ("astra_edu", "notebooks", "exercises")
FILES = ("LICENSE", "CHANGELOG.md", "docs/clocks.md", "environment.yml", "pyproject.toml", "tools/overrides.json")
TOOLS = ("__init__", "check_room", "lab", "work")
TARGETS = ("help", "lab", "update", "check-room", "clean", "$(VENV)/lab-installed", "$(INSTALLED)")
LEFT_OUT = {"__pycache__", ".ipynb_checkpoints", ".DS_Store", "results", "leaderboard.csv"}
WHEN = (2022, 2, 28, 0, 0, 0)  # of every file in the zip: the day of the tutorial
STUB = '''"""What judges this exercise, packed: no answer is read by accident. It is out of sight, not secret."""

import base64
import zlib

exec(compile(zlib.decompress(base64.b85decode("{packed}")), __name__, "exec"))
'''


def packed(source: str) -> str:
    """A module that does what `source` does, with its text out of sight."""
    return STUB.format(packed=base64.b85encode(zlib.compress(source.encode(), 9)).decode())


def judges(path: Path) -> bool:
    """Whether a module knows answers: those of astra_edu/course/check/exNN."""
    return path.suffix == ".py" and re.fullmatch(r"astra_edu/course/check/ex\d+/\w+\.py", path.as_posix()) is not None


def makefile(text: str) -> str:
    """The Makefile with what students have: its other targets need what the zip lacks."""
    blocks: list[list[str]] = [[]]  # what begins at the margin, with the comment above it
    for line in text.splitlines():
        if line[:1].strip() and not (blocks[-1] and blocks[-1][-1].startswith("#")):
            blocks.append([])
        blocks[-1].append(line)
    kept: list[str] = []
    for block in blocks:
        rule = next((line for line in block if not line.startswith("#")), "")
        names = found[1].split() if (found := re.match(r"((?:[\w/$().-]+ ?)+):(?!=)", rule)) else []
        if ".PHONY" in names and "help" in rule:
            block = [".PHONY: " + " ".join(name for name in TARGETS if not name.startswith("$")), ""]
        if not names or ".PHONY" in names or set(names) & set(TARGETS):
            kept += block
    return "\n".join(kept) + "\n"


def readme(text: str) -> str:
    """The README's beginning, and what it says of the use from Python; a student has no solutions and no tests."""
    sections = re.split(r"\n(?=## )", text)
    wanted = ("# ", "## Start", "## Use it", "## Which clock", "## ASTRA-sim", "## Licence")
    return "\n".join(section for section in sections if section.startswith(wanted)).rstrip() + "\n"


def contents(root: Path = ROOT) -> Iterator[tuple[str, bytes]]:
    """(Name in the zip, content) of every file."""
    paths = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()]
    paths += [root / name for name in FILES] + [root / "tools" / f"{name}.py" for name in TOOLS]
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix()):
        inside = path.relative_to(root)
        if LEFT_OUT & set(inside.parts) or path.suffix == ".pyc":
            continue
        content = path.read_bytes()
        yield inside.as_posix(), packed(content.decode()).encode() if judges(inside) else content
    for name, made in (("Makefile", makefile), ("README.md", readme)):
        yield name, made((root / name).read_text(encoding="utf-8")).encode()


def write(out: Path, root: Path = ROOT) -> int:
    """Write the zip; returns how many files it has."""
    out.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    with zipfile.ZipFile(out, "w") as file:
        for name, content in contents(root):
            entry = zipfile.ZipInfo(f"{TOP}/{name}", WHEN)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # as on Linux, wherever it was made
            file.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
            number += 1
    return number


def main() -> int:
    never_fails(sys.stdout)
    parser = argparse.ArgumentParser(prog="python -m tools.students", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / f"{TOP}-students.zip")
    out = parser.parse_args().out
    number = write(out)
    print(
        f"{out}: {number} files, {out.stat().st_size / 1e6:.1f} MB. The checks' answers are out of sight, not secret."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
