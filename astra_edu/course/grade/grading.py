"""Going through a folder of notebooks: a judge for each, some at once, and each result kept as soon as it is there."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import ready_folder, write_text
from astra_edu.course.grade.asked import asked_in, code_cells, official
from astra_edu.course.grade.marks import Graded, Order, as_json, graded, judged
from astra_edu.course.grade.sandbox import CONFINED, Stage, works
from astra_edu.course.grade.submissions import (
    Submission,
    UnreadableError,
    exercise_of,
    hints_seen,
    names_asked,
    read_notebook,
    submissions,
    texts,
    unknown_questions,
    worth_a_look,
)

VERSION = 1
"""Of what is kept; another one is graded anew."""
GRACE_S = 30
"""Beyond its minutes, for a judge to say so itself."""
PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Settings:
    """How to grade. course: the folder with exercises/ and solutions/. exercises: which, none for all.

    minutes: for a notebook; seconds: for one of its cells or questions; memory_gib: of a notebook's process.
    """

    course: Path = PACKAGE.parent
    exercises: tuple[str, ...] = ()
    workers: int = 2
    minutes: float = 5.0
    seconds: int = 60
    memory_gib: float = 4.0


@contextmanager
def stage(settings: Settings) -> Iterator[Stage]:
    """A folder with the copies that notebooks get: this package, the inputs, and matplotlib's list of fonts."""
    with tempfile.TemporaryDirectory(prefix="astra-grade-") as name:
        folder = Path(name)
        shutil.copytree(PACKAGE, folder / "astra_edu", ignore=shutil.ignore_patterns("__pycache__", "grade-*"))
        inputs = settings.course / "exercises" / "inputs"
        if not inputs.is_dir():
            raise ConfigError(f"{inputs} isn't there; --course names the folder of the course.")
        shutil.copytree(inputs, folder / "exercises" / "inputs")
        (folder / "matplotlib").mkdir()
        fonts = {**os.environ, "MPLCONFIGDIR": str(folder / "matplotlib"), "MPLBACKEND": "agg"}
        subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=fonts, capture_output=True)
        folder.chmod(0o700)
        yield Stage(folder, settings.memory_gib, works(folder))


def fingerprint(settings: Settings) -> str:
    """Of all that decides a mark besides the notebook: this package, and the exercises."""
    found = hashlib.sha256(str((VERSION, settings.minutes, settings.seconds, settings.memory_gib)).encode())
    for path in sorted([*PACKAGE.rglob("*.py"), *(settings.course / "exercises").glob("*.ipynb")]):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def grade_all(
    folder: Path, kept: Path, settings: Settings, say: Callable[[str], None] = lambda words: None
) -> list[Graded]:
    """Grade what is in the folder; what is kept already, of the same notebooks, isn't graded again.

    say(words): told how it goes. Raises ConfigError where there is nothing to grade.
    """
    if sys.platform == "win32":
        raise ConfigError("Grading needs Linux or macOS: on Windows, use WSL, where limits on a process can be set.")
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder.")
    exercises = official(settings.course)
    if unknown := [name for name in settings.exercises if name not in exercises]:
        raise ConfigError(f"There is no {unknown[0]}; the exercises are {', '.join(exercises)}.")
    ready_folder(kept, "a folder for the results")
    found = [one for one in submissions(folder) if kept.resolve() not in one.path.resolve().parents]
    if not found:
        raise ConfigError(f"{folder} has no notebooks (*.ipynb).")
    mark = fingerprint(settings)
    with stage(settings) as place, ThreadPoolExecutor(settings.workers) as pool:
        say(f"{len(found)} notebooks. {CONFINED[place.confined]}")
        jobs = {pool.submit(_one, one, kept, settings, exercises, place, mark): one for one in found}
        results = {}
        for count, job in enumerate(as_completed(jobs), 1):
            results[jobs[job].file] = job.result()
            say(f"{count} of {len(found)}: {jobs[job].file}: {in_short(job.result())}")
    return [one for file in sorted(results) if (one := results[file]) is not None]


def in_short(result: Graded | None) -> str:
    """One line for whoever waits."""
    if result is None:
        return "another exercise, left out"
    if result.problem:
        return result.problem
    words = f"{result.exercise}, {result.right} of {result.questions} right, {result.seconds:.1f} s"
    return f"{words}. {result.trouble}" if result.trouble else words


def _one(
    one: Submission, kept: Path, settings: Settings, exercises: dict[str, Any], place: Stage, mark: str
) -> Graded | None:
    """The result of one notebook, from what is kept or from a judge; None for an exercise that isn't asked for."""
    digest = hashlib.sha256(mark.encode() + one.path.read_bytes()).hexdigest()
    file = kept / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', one.file)[-80:]}-{digest[:12]}.json"
    if file.is_file():
        try:
            return replace(graded(file.read_text(encoding="utf-8")), student=one.student, file=one.file)
        except (ValueError, KeyError, TypeError):
            pass  # half a file: graded again
    start = time.monotonic()
    bare = Graded(one.student, one.file, "", digest, confined=CONFINED[place.confined])
    try:
        notebook = read_notebook(one.path)
        exercise = exercise_of(one.path, notebook, exercises)
    except (UnreadableError, OSError) as error:
        return None if settings.exercises and not _may_be(one, settings) else replace(bare, problem=str(error))
    if settings.exercises and exercise not in settings.exercises:
        return None
    hidden = _hidden(one.folder, kept, *(settings.course / name for name in ("solutions", "tests")))
    result = _judged(replace(bare, exercise=exercise), notebook, settings, exercises[exercise], place, hidden)
    result = replace(result, seconds=round(time.monotonic() - start, 1))
    write_text(file, as_json(result))
    return result


def _hidden(*folders: Path) -> tuple[str, ...]:
    """The folders that a notebook must not read; not one that has Python or this package in it."""
    needed = [Path(place).resolve() for place in (sys.prefix, sys.base_prefix, PACKAGE)]
    found = [folder.resolve() for folder in folders]
    return tuple(str(folder) for folder in found if not any(place.is_relative_to(folder) for place in needed))


def _may_be(one: Submission, settings: Settings) -> bool:
    """Whether a file that can't be read is meant for one of the exercises asked for, as far as its name says."""
    named = re.findall(r"ex\d+", one.file)
    return not named or bool(set(named) & set(settings.exercises))


def _judged(
    bare: Graded,
    notebook: dict[str, Any],
    settings: Settings,
    exercise: tuple[Path, dict[str, Any]],
    place: Stage,
    hidden: tuple[str, ...],
) -> Graded:
    path, printed = exercise
    cells, asked = code_cells(notebook), asked_in(code_cells(printed))
    with tempfile.TemporaryDirectory(prefix="run-", dir=place.folder) as work:
        order = Order(
            bare.exercise,
            tuple(cells),
            names_asked(asked, asked_in(cells)),
            str(settings.course.resolve()),
            str(Path(work) / "notebook"),
            str(place.folder),
            settings.memory_gib,
            place.confined,
            settings.minutes,
            settings.seconds,
            hidden,
        )
        said, problem = _ask_judge(order, settings)
    if problem:
        return replace(bare, problem=problem)
    result = judged(said)
    seen = hints_seen(notebook)
    marks = tuple(replace(mark, hint=seen.get(mark.question, 0)) for mark in result.marks)
    old = unknown_questions(cells, bare.exercise, {one.question for one in asked})
    notes = [*result.notes, *worth_a_look(cells)]
    if old:
        notes.append(f"It asks {', '.join(old[:5])}, which this release doesn't have: is it of another year?")
    solution = settings.course / "solutions" / path.name
    model = read_notebook(solution) if solution.is_file() else None
    written = tuple(texts(notebook, printed, model))
    return replace(bare, marks=marks, notes=tuple(notes), late=result.late, texts=written)


def _ask_judge(order: Order, settings: Settings) -> tuple[str, str]:
    """(What the judge says, "") or ("", why it says nothing)."""
    environment = {**os.environ, "ASTRA_EDU_PROGRESS": "off", "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-P", "-m", "astra_edu.course.grade.outside"]
    try:
        done = subprocess.run(
            command,
            input=as_json(order),
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60 * settings.minutes + GRACE_S,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return "", f"Judging it took more than {settings.minutes:g} minutes, and was stopped."
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return "", f"The judge stopped: {last[:300]}"
    return done.stdout, ""
