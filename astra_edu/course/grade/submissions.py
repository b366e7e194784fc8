"""The notebooks of a class: whose each is, which exercise it answers, and what is in it besides answers.

Folders as they come: all in one folder (`ex1_anna.ipynb`), a folder for each student (`anna/ex1_….ipynb`), or
nbgrader's (`submitted/anna/ex1/….ipynb`). Which exercise it is, the questions in it say; a name alone only where there
are none.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from astra_edu.course.grade.asked import Asked, asked_in, code_cells, source
from astra_edu.course.grade.marks import Text

LARGEST_MIB = 50
_LEFT_OUT = {".ipynb_checkpoints", ".git", ".venv", "__pycache__", "__MACOSX"}
_NBGRADER = {"source", "release", "autograded", "feedback"}
_QUESTION = re.compile(r"\b(ex\d+)\.(\w+)\s*\(")
_HINT = re.compile(r"Hint (\d) of \d")
_ASKED = re.compile(r"^\s*\*Your answer(?: \([^)]*\))?:\s*\*?")
"""What a place for an answer says, in this release's exercises and in earlier ones'."""


class UnreadableError(Exception):
    """A file that can't be graded; the message says why, to a person."""


@dataclass(frozen=True)
class Submission:
    """A file and whose it is. file: relative to the folder of all."""

    student: str
    path: Path
    file: str
    folder: Path


def submissions(folder: Path) -> Iterator[Submission]:
    """The notebooks of a folder, in the order of their names."""
    paths = sorted(path for path in folder.rglob("*.ipynb") if path.is_file() and not path.is_symlink())
    for path in paths:
        parts = tuple(map(_printable, path.relative_to(folder).parts))
        if parts[-1].startswith("._"):  # what macOS puts beside a file in a zip
            continue
        if _LEFT_OUT & set(parts) or (parts[0] in _NBGRADER and (folder / "submitted").is_dir()):
            continue
        yield Submission(_student(parts), path, "/".join(parts), folder)


def _printable(name: str) -> str:
    """A name, also one in another code than this system's, such as a zip from Windows may have."""
    return name.encode("utf-8", "backslashreplace").decode()


def _student(parts: tuple[str, ...]) -> str:
    if parts[0] == "submitted" and len(parts) > 2:
        parts = parts[1:]
    if len(parts) > 1:
        return parts[0]
    name = Path(parts[0]).stem
    apart = re.sub(r"^ex\d+(_[a-z]+)*?(?=[_-][^_-]+$)|[_-]?ex\d+\w*$", "", name).strip("_- ")
    return apart or name


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook in a file. Raises UnreadableError with a sentence for what is none that can be graded."""
    if path.stat().st_size > LARGEST_MIB * 2**20:
        raise UnreadableError(f"The file has more than {LARGEST_MIB} MiB. Clear the outputs and hand it in again.")
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"The file is no notebook: it can't be read as JSON ({error})."[:300]) from None
    cells = found.get("cells") if isinstance(found, dict) else None
    if isinstance(found, dict) and "worksheets" in found:
        raise UnreadableError("The notebook has the format of before 2015, version 3. Open and save it in JupyterLab.")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise UnreadableError("The file is JSON, but no notebook: it has no list of cells.")
    language = _language(found.get("metadata"))
    if language not in ("", "python"):
        raise UnreadableError(f"The notebook is for a kernel of {language}; the exercises are for Python's.")
    return dict(found)


def _language(metadata: Any) -> str:
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(found.get(key), str):
            return str(found[key]).lower()[:40]
    return ""


def exercise_of(path: Path, notebook: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Which exercise a notebook answers. Raises UnreadableError where that is none that is known."""
    asked = Counter(name for text in code_cells(notebook) for name, _ in _QUESTION.findall(text))
    named = re.search(r"ex\d+", path.as_posix().rpartition("/")[2]) or re.search(r"ex\d+", path.parent.name)
    name = asked.most_common(1)[0][0] if asked else named[0] if named else ""
    if name not in known:
        what = f"It asks about {name}" if name else "It asks none of the exercises' questions"
        raise UnreadableError(f"{what}; the exercises here are {', '.join(known)}.")
    return name


def names_asked(official: tuple[Asked, ...], own: tuple[Asked, ...]) -> dict[str, tuple[str, ...]]:
    """For each question's key the functions that may answer it, by name: what the notebook gives the check, first."""
    given = {one.key: one.function for one in own}
    return {one.key: tuple(dict.fromkeys((given.get(one.key, one.function), one.function))) for one in official}


def unknown_questions(own: list[str], exercise: str, questions: set[str]) -> list[str]:
    """Questions that the notebook asks and that this release doesn't have, as in one of an earlier year."""
    asked = {one.question for one in asked_in(own)}
    return sorted(one for one in asked if one.startswith(f"{exercise}.") and one not in questions)


def texts(notebook: Mapping[str, Any], exercise: Mapping[str, Any], solution: Mapping[str, Any] | None) -> list[Text]:
    """What the student has written: the Markdown that isn't the exercise's, with the heading above it."""
    printed = {_squeezed(source(cell)) for cell in exercise["cells"] if cell["cell_type"] == "markdown"}
    models = {cell.get("id"): source(cell) for cell in (solution or {"cells": []})["cells"]}
    found, under = list[Text](), ""
    for cell in notebook["cells"]:
        if cell.get("cell_type") != "markdown":
            continue
        words = source(cell)
        if _squeezed(words) in printed:
            heading = re.findall(r"^#+\s*(.+)$", words, re.MULTILINE)
            under = heading[-1].strip() if heading else under
        elif own := _ASKED.sub("", words).strip():
            found.append(Text(under, own[:20_000], models.get(cell.get("id"), "")))
    return found


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def hints_seen(notebook: Mapping[str, Any]) -> dict[str, int]:
    """The highest level of help that the stored outputs show, by question: what was deleted isn't seen."""
    seen: dict[str, int] = {}
    for cell in notebook["cells"]:
        if cell.get("cell_type") != "code":
            continue
        said = json.dumps(cell.get("outputs", []))[:500_000]
        levels = [int(level) for level in _HINT.findall(said)]
        names = re.findall(r"\b(ex\d+\.\w+)\.hint\(", source(cell) + said) or [
            one.question for one in asked_in([source(cell)])
        ]
        if levels and names:
            seen[names[0]] = max(seen.get(names[0], 0), *levels)
    return seen


_WORTH_A_LOOK = {
    r"\bsolutions?[/\\]": "names the folder of solutions",
    r"\binspect\.|__closure__|\bgc\.get_|_getframe|f_back": "looks into other code",
    r"\bctypes\b|\bcffi\b": "uses C directly",
    r"\bsys\.modules\b|sys\.settrace|addaudithook": "changes what Python has loaded",
    r"\bsubprocess\b|\bos\.system\b|^\s*!|\bos\.fork\b|\bmultiprocessing\b": "starts programs",
    r"\bsocket\b|\burllib\b|\brequests\b": "uses the network",
    r"\.check\.ex\d+\s+import\s+_|\bex\d+\._|\bTELLING\b": "uses a checker's inside",
}


def worth_a_look(cells: list[str]) -> list[str]:
    """What a teacher may want to read in the code; it changes no mark."""
    code = "\n".join(cells)
    return [f"The code {words}." for form, words in _WORTH_A_LOOK.items() if re.search(form, code, re.MULTILINE)]
