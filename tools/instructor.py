"""The instructors' page of misconceptions, made from the checks: docs/instructor/misconceptions.md.

python -m tools.instructor [--check]: write it, or only say whether it would be another one.

A question's mistakes are taken from its check as it runs: the wrong functions that it knows, with the sentence for
whoever has written one, and what such a function gives beside the right value. What isn't judged by such functions is
asked with the wrong answers of tests/answers, and what it says to them is written down.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "instructor" / "misconceptions.md"
LONGEST = 60
"""Characters of a case or a value in the table."""
TOP = """# Misconceptions, and what helps

This page is made from the checks by `python -m tools.instructor`; a test holds it to them. **It has right answers in
it**: `make students` leaves it out, as it does the solutions.

For each question: the three levels of help, which a student gets by `ex1.steps.hint()`, one at a time; and the mistakes
that the check knows, with what it says to them. The last columns are one case: what who makes the mistake gets, and
what is right. A wrong value in somebody's notebook can be looked up here.
"""


UNIT = re.compile(r"^(?:That is|Those are) in (.+?)[;,]")


class Row(NamedTuple):
    """One mistake. case, gives, right: "" where it isn't a number that is compared."""

    says: str
    case: str = ""
    gives: str = ""
    right: str = ""


def judged(module: ModuleType, name: str, given: Mapping[str, Any]) -> list[Row]:
    """The mistakes that a question's judge is called with, none where it is judged otherwise."""
    question = getattr(module, name)
    home = sys.modules[question._judge.__module__]
    rows: list[Row] = []

    def keep(answer: Any, truth: Any, cases: Any, mistakes: Any, praise: str, *more: Any, **options: Any) -> Any:
        unit = options.get("unit") or (more[1] if len(more) > 1 else "")
        rows.extend(_row(one, truth, cases) for one in mistakes)
        if units := [_row(one, truth, cases) for one in (in_other_units(truth, unit) if unit else ())]:
            values = [f"{row.gives} ({UNIT.search(row.says)[1]})" for row in units if UNIT.search(row.says)]
            rows.append(
                Row(
                    "The right value in another unit, which it names.", units[0].case, ", ".join(values), units[0].right
                )
            )
        return verdict.Verdict(True, praise)

    in_other_units = import_module("astra_edu.course.check.units").in_other_units
    verdict = import_module("astra_edu.course.check.verdict")
    real = vars(home).get("judge")
    if real is None:
        return rows
    try:
        home.judge = keep  # type: ignore[attr-defined]
        question(lambda *args, **kwargs: 0, **given)
    finally:
        home.judge = real  # type: ignore[attr-defined]
    return rows


def _row(mistake: Any, truth: Any, cases: Sequence[Mapping[str, Any]]) -> Row:
    """The mistake in the first case in which it isn't right by chance."""
    for case in cases:
        gives, right = (function(**deepcopy(dict(case))) for function in (mistake.function, truth))
        if _number(gives) != _number(right):
            asked = ", ".join(f"{key} = {value!r}" for key, value in case.items())
            return Row(mistake.message, asked if len(asked) <= LONGEST else "", _number(gives), _number(right))
    return Row(mistake.message)


def _number(value: Any) -> str:
    values = value if isinstance(value, list | tuple) else (value,)
    try:
        text = ", ".join(f"{float(one):,.6g}" for one in values)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def tried(module: ModuleType, name: str, given: Mapping[str, Any], wrongs: Sequence[Any]) -> list[Row]:
    """What the check says to the wrong answers that the tests try, each sentence once."""
    said = dict.fromkeys(getattr(module, name)(wrong, **given).message for wrong, _ in wrongs)
    return [Row(words) for words in said]


def questions(exercise: str) -> Iterator[tuple[str, Any, list[Row]]]:
    """(Name, question, mistakes) of an exercise, as its notebook asks them."""
    module = import_module(f"astra_edu.course.check.{exercise}")
    answers = import_module(f"tests.answers.{exercise}")
    from astra_edu.course.grade.asked import asked_in, code_cells, official

    _, notebook = official(ROOT)[exercise]
    for one in dict.fromkeys(asked.question.partition(".")[2] for asked in asked_in(code_cells(notebook))):
        question, given = getattr(module, one), getattr(answers, "GIVEN", {}).get(one, {})
        if question.guess:
            yield one, question, []
        else:
            _, wrongs = answers.QUESTIONS[one]
            yield one, question, judged(module, one, given) or tried(module, one, given, wrongs)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _table(rows: Sequence[Row]) -> list[str]:
    if not any(row.gives for row in rows):
        return ["| the check says |", "|---|", *(f"| {_cell(row.says)} |" for row in rows)]
    lines = ["| the check says | for | they get | right is |", "|---|---|---|---|"]
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in rows]


def page() -> str:
    """The whole page."""
    os.environ["ASTRA_EDU_PROGRESS"] = "off"
    from astra_edu.course import check
    from astra_edu.course.grade.asked import official, source

    lines = [TOP.rstrip()]
    notebooks = official(ROOT)
    for exercise in check.EXERCISES:
        title = source(notebooks[exercise][1]["cells"][0]).splitlines()[0].lstrip("# ")
        lines += ["", f"## {title}"]
        for name, question, rows in questions(exercise):
            lines += ["", f"### `{exercise}.{name}`", "", (getdoc(question) or "").splitlines()[0], ""]
            if question.guess:
                lines.append("A prediction: none is wrong. Ask for a reason before it is committed.")
                continue
            if hints := question.hints:
                picture = dedent(hints.picture).strip("\n").splitlines()
                lines += [f"1. {hints.nudge}", "2. A small case:", "", "        " + "\n        ".join(picture).rstrip()]
                lines += ["", f"3. {hints.nearly}", ""]
            lines += _table(rows)
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether the page is as it would be made")
    made = page()
    if parser.parse_args().check:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made:
            return 0
        print(f"{PAGE.relative_to(ROOT)} isn't what the checks say; run python -m tools.instructor.")
        return 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
