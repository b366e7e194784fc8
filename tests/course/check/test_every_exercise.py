"""All exercises alike: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import math
import re
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import astra_edu as ae
from astra_edu.course import check

ROOT = Path(__file__).parents[3]
NO_ANSWERS = [None, "many", math.nan, math.inf, [None], [1, 2, 3], {}, {"a": 1}, -1, object(), ae.Strategy]


class Question(NamedTuple):
    """A question of an exercise, and the answers that are tried."""

    name: str
    judge: Any
    rights: list
    wrongs: list

    def __repr__(self):
        return self.name


def questions():
    """Every question, guesses as well, which have no right and wrong answers."""
    for exercise in check.EXERCISES:
        answers, module = import_module(f"answers.{exercise}"), import_module(f"astra_edu.course.check.{exercise}")
        given = getattr(answers, "GIVEN", {})
        table = answers.QUESTIONS | dict.fromkeys(answers.GUESSES, ([], []))
        for name, (right, wrongs) in table.items():
            judge = partial(getattr(module, name), **given.get(name, {}))
            yield Question(f"{exercise}.{name}", judge, right if isinstance(right, list) else [right], wrongs)


ALL = list(questions())
JUDGED = [question for question in ALL if question.rights]
TOLD = {}


def told(question):
    """What is said of each wrong answer that is tried."""
    if question.name not in TOLD:
        TOLD[question.name] = [question.judge(wrong) for wrong, _ in question.wrongs]
    return TOLD[question.name]


def test_every_exercise_has_its_notebooks_and_its_answers():
    for exercise in check.EXERCISES:
        for folder in ("solutions", "exercises"):
            assert len(list((ROOT / folder).glob(f"{exercise}_*.ipynb"))) == 1, (exercise, folder)
    tried = {path.stem for path in (ROOT / "tests" / "answers").glob("ex*.py")}
    assert tried == set(check.EXERCISES)


def test_an_exercise_is_a_folder(tmp_path):
    for name in ("ex10", "ex2", "shared"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "ex3.py").touch()
    assert check.exercises_in([str(tmp_path)]) == ("ex2", "ex10")


def test_exercises_are_found_and_loaded_when_they_are_asked_for():
    assert {"answered", "ex1", "ex14"} <= set(dir(check))
    assert tuple(sorted(check.EXERCISES, key=lambda name: int(name[2:]))) == check.EXERCISES
    assert check.ex1 is import_module("astra_edu.check.ex1")
    with pytest.raises(AttributeError, match="ex99"):
        _ = check.ex99


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_a_right_answer_passes(question):
    for verdict in map(question.judge, question.rights):
        assert verdict.ok, verdict
        assert re.match("→ " if verdict.guess else "✓ (Right|Here|Proven)", repr(verdict))


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_a_wrong_answer_is_told_why(question):
    for verdict, (_, words) in zip(told(question), question.wrongs, strict=True):
        assert verdict.ok is False, words
        assert words in verdict.message or re.search(words, verdict.message, re.DOTALL), verdict
        assert len(verdict.message) < 600


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_at_least_three_wrong_answers_are_known(question):
    assert len(question.wrongs) >= 3


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_at_least_three_mistakes_have_words_of_their_own(question):
    guess = question.judge(question.rights[0]).guess
    assert len({verdict.message for verdict in told(question)}) >= (1 if guess else 3)


@pytest.mark.parametrize("question", ALL, ids=repr)
def test_a_stub_is_not_answered_yet(question):
    def stub(*_, **__):
        raise NotImplementedError("How many?")

    verdict = question.judge(stub)
    assert verdict.ok is None
    assert repr(verdict) == "… Not answered yet: How many?"


@pytest.mark.parametrize("question", ALL, ids=repr)
def test_an_answer_that_is_none(question):
    passed = [value for value in NO_ANSWERS if question.judge(lambda *_, value=value, **__: value).ok is not False]
    assert passed == []


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_a_function_that_breaks_is_reported_with_its_error(question):
    verdict = question.judge(lambda *_, **__: 1 // 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message
    assert len(verdict.message) < 400


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_no_right_value_is_given_away(question):
    """A number in a verdict is the question's own or the student's, never the answer to the case it names."""
    right, asked = question.rights[0], []
    question.judge(lambda **case: asked.append(repr_of(case)) or right(**case))
    values = [numeric(right(**case)) for case in asked]
    for verdict in told(question):
        shown = numbers(verdict.message)
        student = re.search(r"you have ([\d,.]*\d)", verdict.message)
        for case, known in zip(asked, values, strict=True):
            named = all(f"{key} = {value}" in verdict.message for key, value in case.items()) and case
            if named and not known <= {None}:
                assert not known & (shown - numbers(str(case)) - (numbers(student[1]) if student else set())), verdict


def repr_of(case):
    """A case that stays as it is, whatever the answer does to its lists."""
    return {key: list(value) if isinstance(value, list) else value for key, value in case.items()}


def numbers(text):
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text.replace(",", ""))}


def numeric(answer):
    """The numbers that an answer is, {None} if it is none."""
    try:
        return {float(value) for value in (answer if isinstance(answer, (list, tuple)) else [answer])}
    except (TypeError, ValueError):
        return {None}
