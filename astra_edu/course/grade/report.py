"""What grading leaves: two tables (CSV), a page for each student and one for the class (HTML), all without scripts."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from astra_edu.base.files import write_text
from astra_edu.course.check.card import NOTED, OPEN, RIGHT, STYLE, WRONG, card
from astra_edu.course.grade import marks
from astra_edu.course.grade.marks import STATES, Graded, Mark

TEMPLATES = Path(__file__).parent / "templates"
_KINDS = {marks.RIGHT: RIGHT, marks.WRONG: WRONG, marks.OPEN: OPEN, marks.NOTED: NOTED, marks.STOPPED: WRONG}
_NUMBER = re.compile(r"(?<![\w#])-?\d[\d,]*(\.\d+)?(e[+-]?\d+)?")


@dataclass(frozen=True)
class Student:
    """One student's notebooks. page: the file of the report."""

    name: str
    page: str
    notebooks: tuple[Graded, ...]

    @property
    def right(self) -> int:
        """Questions that are right, in all notebooks."""
        return sum(one.right for one in self.notebooks)

    @property
    def questions(self) -> int:
        """Questions there are."""
        return sum(one.questions for one in self.notebooks)

    @property
    def look(self) -> str:
        """What a teacher should look at, in a few words."""
        found = [f"{one.file}: not graded" for one in self.notebooks if one.problem]
        stopped = sum(one.count(marks.STOPPED) for one in self.notebooks)
        found += [f"{stopped} not judged"] if stopped else []
        notes = sum(len(one.notes) for one in self.notebooks)
        return "; ".join([*found, *([f"{notes} note{'s' * (notes > 1)}"] if notes else [])])


def by_student(results: Iterable[Graded]) -> tuple[Student, ...]:
    """The results of each student, who get pages of different names whatever they are called."""
    found: dict[str, list[Graded]] = defaultdict(list)
    for one in results:
        found[one.student].append(one)
    pages: Counter[str] = Counter()
    students = []
    for name in sorted(found):
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:60]
        plain = f"student-{plain}".lower()
        pages[plain] += 1
        page = f"{plain}{f'-{pages[plain]}' if pages[plain] > 1 else ''}.html"
        students.append(Student(name, page, tuple(sorted(found[name], key=lambda one: (one.exercise, one.file)))))
    return tuple(students)


def same_words(message: str) -> str:
    """What messages have in common that differ in their numbers: those who get them make the same mistake."""
    return _NUMBER.sub("#", message)


def mistakes(results: Sequence[Graded]) -> list[tuple[str, int, str]]:
    """(Question, students, message) for what is wrong, the most frequent first.

    Of messages that differ in their numbers only, it is the one that most were given.
    """
    who: dict[tuple[str, str], set[str]] = defaultdict(set)
    told: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    order = {mark.key: number for number, mark in enumerate(mark for one in results for mark in one.marks)}
    for one in results:
        for mark in one.marks:
            if mark.state == marks.WRONG:
                same = mark.key, same_words(mark.message)
                who[same].add(one.student)
                told[same][mark.message] += 1
    found = [(same[0], len(students), told[same].most_common(1)[0][0]) for same, students in who.items()]
    return sorted(found, key=lambda row: (-row[1], order[row[0]], row[2]))


def counts(results: Sequence[Graded]) -> list[tuple[str, Counter[str]]]:
    """How many answers to each question ended in each state."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in sorted(results, key=lambda one: (len(one.exercise), one.exercise)):
        for mark in one.marks:
            found[mark.key][mark.state] += 1
    return list(found.items())


def _cell(value: object) -> object:
    """A text that a spreadsheet doesn't take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" and value else value


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def grades_table(results: Sequence[Graded]) -> str:
    """A row for each notebook, as CSV."""
    head = ("student", "exercise", "right", "questions", "not answered", "not judged", "predicted", "file", "problem")
    rows = (
        (
            *(one.student, one.exercise, one.right, one.questions, one.count(marks.OPEN), one.count(marks.STOPPED)),
            *(one.count(marks.NOTED), one.file, one.trouble),
        )
        for one in results
    )
    return _table(head, rows)


def questions_table(results: Sequence[Graded]) -> str:
    """A row for each question of each notebook, as CSV."""
    head = ("student", "exercise", "question", "state", "hint", "message", "file")
    rows = (
        (one.student, one.exercise, mark.key, mark.state, mark.hint, mark.message, one.file)
        for one in results
        for mark in one.marks
    )
    return _table(head, rows)


def _card(mark: Mark) -> Markup:
    word = mark.state.capitalize() if mark.state == marks.STOPPED else ""
    made = card(_KINDS[mark.state], mark.message, mark.compared, word=word)
    return Markup(made.removeprefix(f"<style>{STYLE}</style>"))


def write_report(results: Sequence[Graded], folder: Path) -> Path:
    """Write the tables and pages into a folder; the class's page."""
    pages = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True)
    looks = {"css": Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")), "card_style": Markup(STYLE)}
    students = by_student(results)
    for student in students:
        cards = {mark: _card(mark) for one in student.notebooks for mark in one.marks}
        page = pages.get_template("student.html").render(
            title=student.name,
            notebooks=student.notebooks,
            cards=cards,
            right=student.right,
            questions=student.questions,
            **looks,
        )
        write_text(folder / student.page, page)
    index = pages.get_template("index.html").render(
        title="The class",
        all=results,
        students=students,
        states=STATES,
        questions=counts(results),
        mistakes=mistakes(results),
        confined=results[0].confined if results else "",
        **looks,
    )
    write_text(folder / "grades.csv", grades_table(results))
    write_text(folder / "questions.csv", questions_table(results))
    write_text(folder / "index.html", index)
    return folder / "index.html"
