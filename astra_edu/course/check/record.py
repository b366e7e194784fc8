"""What becomes of each question: kept for this session, and in one small file of the learner's, which is never sent.

The file is `progress.json` in the user's folder for data, or the one that ASTRA_EDU_PROGRESS names. With
ASTRA_EDU_PROGRESS=off, in tests, and in the folder of solutions, where nobody tries anything, there is none. A file
that can't be read or written disturbs no check; one that holds something else is left alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import read_text, ready_folder, what_is_at, write_text
from astra_edu.base.json_text import json_errors
from astra_edu.base.locked import locked

VERSION = 1
MOST = 2**31
"""No count is larger than that."""
BROWSER = Path("/drive")
"""Where JupyterLite keeps what it doesn't forget with the tab."""
PATIENCE_S = 2.0
"""How long a check waits for another notebook that writes the file."""


@dataclass(frozen=True)
class Standing:
    """What has become of one question.

    tries: different answers that were judged, up to the first right one. hints: the highest level seen, 0 for none.
    """

    tries: int = 0
    right: bool = False
    hints: int = 0

    @property
    def at_once(self) -> bool:
        """Whether the first answer that was judged was right."""
        return self.right and self.tries == 1

    def tried(self, right: bool) -> Standing:
        """After one more answer; what comes after a right one doesn't count."""
        return self if self.right else replace(self, tries=self.tries + 1, right=right)

    def hinted(self, level: int) -> Standing:
        """After a look at the hint of a level."""
        return replace(self, hints=max(level, self.hints))


@dataclass(frozen=True)
class Record:
    """How far somebody has come. questions: by their names, such as "ex1.steps"; read: names of notebooks."""

    questions: Mapping[str, Standing] = field(default_factory=dict)
    read: frozenset[str] = frozenset()

    def of(self, question: str) -> Standing:
        """What has become of a question."""
        return self.questions.get(question, Standing())

    def changed(self, question: str, change: Callable[[Standing], Standing]) -> Record:
        """The same with another standing of one question."""
        return replace(self, questions={**self.questions, question: change(self.of(question))})

    def with_read(self, notebook: str) -> Record:
        """The same with one more notebook that is read."""
        return replace(self, read=self.read | {notebook})

    def beside(self, other: Record) -> Record:
        """What either of the two knows; of a question, what the one that has come further with it says, this one if
        both have its answer.
        """
        names = {**self.questions, **other.questions}
        further = {
            name: max(self.of(name), other.of(name), key=lambda one: (one.right, 0 if one.right else one.tries))
            for name in names
        }
        hinted = {name: one.hinted(max(self.of(name).hints, other.of(name).hints)) for name, one in further.items()}
        return Record(hinted, self.read | other.read)


def as_text(record: Record) -> str:
    """The file's text."""
    questions = {
        name: {"tries": one.tries, "right": one.right, "hints": one.hints}
        for name, one in sorted(record.questions.items())
    }
    content = {"astra_edu progress": VERSION, "questions": questions, "read": sorted(record.read)}
    return json.dumps(content, indent=1) + "\n"


def from_text(text: str, where: str) -> Record:
    """The record that a file's text holds. Raises ConfigError for anything else."""
    with json_errors(where):
        found = json.loads(text)
    try:
        if found["astra_edu progress"] != VERSION:
            raise ValueError
        questions = {str(name): _standing(**one) for name, one in found["questions"].items()}
        return Record(questions, frozenset(map(str, found["read"])))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ConfigError(f"{where} holds no progress that this release wrote; it is left as it is.") from None


def _standing(tries: Any, right: Any, hints: Any) -> Standing:
    if type(right) is not bool or not all(type(count) is int and 0 <= count < MOST for count in (tries, hints)):
        raise ValueError
    return Standing(tries, right, hints)


def file_of_learner() -> Path | None:
    """Where the progress is kept, None where it isn't. Raises ConfigError where no folder can be found for it."""
    named = os.environ.get("ASTRA_EDU_PROGRESS", "")
    try:
        if named.lower() == "off" or "PYTEST_VERSION" in os.environ or Path.cwd().name == "solutions":
            return None
        return Path(named).expanduser().absolute() if named else _data_folder() / "astra_edu" / "progress.json"
    except (OSError, RuntimeError) as error:
        raise ConfigError(f"there is no folder to keep it in ({error}).") from None


def _data_folder() -> Path:
    """Where a user's programs keep their data on this system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "emscripten" and BROWSER.is_dir():
        return BROWSER
    chosen = os.environ.get("XDG_DATA_HOME", "")
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".local" / "share"


class _Session:
    """What this process knows: also each question's last verdict and level of help, and why its file can't be used."""

    def __init__(self) -> None:
        self.record = Record()
        self.verdicts: dict[str, str] = {}
        self.levels: dict[str, int] = {}
        self.problem = ""


_SESSION = _Session()


def judged_anew(question: str, verdict: str) -> bool:
    """Whether a verdict is another than the last one on this question, which it is from now on."""
    before, _SESSION.verdicts[question] = _SESSION.verdicts.get(question), verdict
    return before != verdict


def next_level(question: str, most: int) -> int:
    """The level of help after the last one that was given, which the last stays."""
    level = _SESSION.levels[question] = min(_SESSION.levels.get(question, 0) + 1, most)
    return level


def change(update: Callable[[Record], Record]) -> None:
    """Change what is known, here and in the file. It raises nothing: a check goes on, whatever becomes of the file."""
    _SESSION.record = update(_SESSION.record)
    _SESSION.problem = ""
    try:
        if file := file_of_learner():
            folder = ready_folder(file.parent, "a folder for the progress")
            with locked(folder, PATIENCE_S):
                write_text(file, as_text(update(_kept(file))))
    except (ConfigError, OSError) as error:
        _SESSION.problem = str(error)


def known() -> tuple[Record, str]:
    """(How far the learner has come, "" or why that is not kept)."""
    try:
        file = file_of_learner()
        kept = _kept(file) if file else Record()
    except (ConfigError, OSError) as error:
        return _SESSION.record, str(error)
    return kept.beside(_SESSION.record), _SESSION.problem


def _kept(file: Path) -> Record:
    """What the file holds. Raises ConfigError as from_text."""
    if not what_is_at(file, "a file"):
        return Record()
    return from_text(read_text(file, "a file of progress"), str(file))
