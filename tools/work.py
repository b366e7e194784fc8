"""The folder that JupyterLab opens: copies of the notebooks to write in, so that the project's own stay as they are.

python -m tools.work [--pull]: copy what is missing, and bring what is new without losing an answer. --pull: get the
project's newest version first, by git (`make update`).

Beside each copy the notebook it was made from is kept (work/.from). When that is no longer the project's, three
versions are put together, cell by cell: what only one side changed is taken from there, what both changed stands there
twice, the student's second. The notebook as it was goes to work/older first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "work"
MARK = {"code": "# Yours, as it was before the update:\n", "markdown": "*Yours, as it was before the update:*\n\n"}

Cell = dict[str, Any]


def originals(root: Path = ROOT) -> Iterator[Path]:
    """All that a work folder has copies of, as paths in the project."""
    for folder, pattern in (("notebooks", "*.ipynb"), ("exercises", "*.ipynb"), ("exercises/inputs", "**/*")):
        found = (path.relative_to(root) for path in sorted((root / folder).glob(pattern)) if path.is_file())
        yield from (path for path in found if not any(part.startswith(".") for part in path.parts))


def prepare(root: Path = ROOT, work: Path = WORK) -> list[str]:
    """Bring the work folder up to date. Returns a sentence for each notebook that a student has to know of."""
    first = not work.exists()
    said, wrong = list[str](), list[str]()
    for path in originals(root):
        try:
            said.append(_bring(root / path, work, path))
        except OSError as error:  # a full disk; on Windows also a file that another program has open
            wrong.append(
                f"{path.as_posix()} couldn't be written ({error.strerror or error}); the next start tries it again."
            )
    return [*([] if first else filter(None, said)), *wrong]


def _bring(original: Path, work: Path, path: Path) -> str:
    mine, base = work / path, work / ".from" / path
    new = original.read_bytes()
    had = base.read_bytes() if base.is_file() else None
    words = ""
    if not mine.is_file():
        words = "" if had is not None else f"{path.as_posix()} is new."
        _write(mine, new)
    elif new != had and mine.read_bytes() not in (new, had):
        words = _notebook(mine, had, new, work, path) if path.suffix == ".ipynb" else _input(path)
    elif new != had and mine.read_bytes() == had:
        words = f"{path.as_posix()} is a newer one."
        _write(mine, new)
    if new != had:
        _write(base, new)
    return words


def _input(path: Path) -> str:
    return f"{path.as_posix()}: you changed it, so it stays yours; delete it and start again for the newest."


def _notebook(mine: Path, had: bytes | None, new: bytes, work: Path, path: Path) -> str:
    """Put the student's notebook and the newest together; the first is kept as it is, too."""
    import nbformat

    older = _older(work, path)
    theirs = nbformat.reads(new.decode(), as_version=4)
    try:
        yours = nbformat.reads(mine.read_text(encoding="utf-8"), as_version=4)
        base = nbformat.reads(had.decode(), as_version=4).cells if had else []
    except (ValueError, nbformat.ValidationError, AttributeError):  # half a file, or not a notebook
        shutil.copyfile(mine, older)
        _write(mine, new)
        return f"{path.as_posix()} can't be read as a notebook: it is kept as {older.relative_to(work).as_posix()}."
    if [cell.source for cell in yours.cells] == [cell.source for cell in base]:
        _write(mine, new)
        return f"{path.as_posix()} is a newer one."
    shutil.copyfile(mine, older)
    theirs.cells = merged(base, yours.cells, theirs.cells)
    _write(mine, (nbformat.writes(theirs) + "\n").encode())
    return f"{path.as_posix()} is a newer one, with what you wrote; as it was: {older.relative_to(work).as_posix()}."


def merged(base: list[Cell], mine: list[Cell], new: list[Cell]) -> list[Cell]:
    """The cells of the newest notebook with all that a student wrote, changed or added.

    base: those of the notebook that the student began with. Cells are known by their ids.
    """
    was, yours = ({cell["id"]: cell for cell in cells} for cells in (base, mine))
    taken = {cell["id"] for cell in (*mine, *new)}
    placed: list[tuple[str, Cell]] = []  # with the id of the cell in whose place it stands
    for cell in new:
        own, old = yours.get(cell["id"]), was.get(cell["id"])
        if own is None or (old and own["source"] == old["source"] != cell["source"]):
            placed.append((cell["id"], cell))
        elif own["source"] == cell["source"] or (old and old["source"] == cell["source"]):
            placed.append((cell["id"], own))
        else:
            placed += [(cell["id"], cell), (cell["id"], _marked(own, taken))]
    there = {name for name, _ in placed}
    before = ""
    for cell in mine:
        old = was.get(cell["id"])
        if cell["id"] not in there and (old is None or old["source"] != cell["source"]):
            position = max((k + 1 for k, (name, _) in enumerate(placed) if name == before), default=0)
            placed.insert(position, (cell["id"], _marked(cell, taken) if old else cell))
            there.add(cell["id"])
        before = cell["id"] if cell["id"] in there else before
    return [cell for _, cell in placed]


def _marked(cell: Cell, taken: set[str]) -> Cell:
    """The student's version of a cell, under an id that no other cell has."""
    number = 1
    while (name := f"{cell['id'][:56]}-yours{number}") in taken:
        number += 1
    taken.add(name)
    return type(cell)(cell | {"id": name, "source": MARK.get(cell["cell_type"], "") + cell["source"]})


def _older(work: Path, path: Path) -> Path:
    """A file that isn't there yet, for a notebook as it was."""
    folder = work / "older"
    folder.mkdir(exist_ok=True)
    number = 1
    while (found := folder / f"{path.stem}.{number}{path.suffix}").exists():
        number += 1
    return found


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing, also if somebody pulls the plug."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def pull(root: Path = ROOT) -> str:
    """Get the project's newest version. Returns what went wrong, in a sentence, or ""."""
    if not (root / ".git").exists():
        return "This folder isn't a clone: unzip the newest course over it, what you wrote stays. Then start it again."
    try:
        done = subprocess.run(
            ["git", "pull", "--ff-only"], cwd=root, capture_output=True, encoding="utf-8", errors="replace"
        )
    except FileNotFoundError:
        return "There is no git here: unzip the newest course over this folder, what you wrote stays."
    if done.returncode:
        return f"git couldn't get the newest version, and nothing was changed. It says:\n{done.stderr.strip()}"
    return ""


def main(words: list[str]) -> int:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a folder's name that the terminal can't show
    wrong = pull() if "--pull" in words else ""
    if wrong:
        print(wrong, file=sys.stderr)
    if find_spec("nbformat"):
        print("\n".join(prepare()) or f"{WORK} has the newest notebooks.")
    else:
        print("Nothing is installed yet: the first start brings the notebooks.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
