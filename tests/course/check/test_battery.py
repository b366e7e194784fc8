"""Answers in every form that a student would give them, with the verdict that each must get.

Each right answer of tests/answers is given again by functions that call their parameters otherwise, that return NumPy's
numbers or a Fraction, that spoil what they are given, that spell names in another way; and wrong again as text, as
True, a hundredth off, in other units. Each mistake that a check names is made, and must be told its own words.
"""

import re
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from course.check.test_every_exercise import JUDGED
from halves import half

from astra_edu.course.check import units

UNITS = {"bytes": 1024, "KiB": 1 / 1024, "ns": 1 / 1000, "µs": 1000, "MiB": 1024, "GB/s": 1024, "a share": 100}


ASKED = {}


def asked_of(question):
    """What a question calls an answer with, once for each case."""
    if question.name not in ASKED:
        asked = ASKED[question.name] = []
        question.judge(lambda **case: asked.append(dict(case)) or question.rights[0](**case))
    return ASKED[question.name]


def is_number(question):
    """Is the right answer a number for the last case?"""
    asked = asked_of(question)
    value = question.rights[0](**asked[-1]) if asked else None
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def has_parameters(question):
    return any(asked_of(question))


def has_lists(question):
    return any(isinstance(value, list) for case in asked_of(question)[:1] for value in case.values())


RIGHT_AS = {
    "a NumPy number": np.float64,
    "an array without dimensions": np.array,
    "an array with one entry": lambda value: np.array([value]),
    "a fraction": Fraction,
    "a decimal": Decimal,
    "a whole number, if it is one": lambda value: np.int64(value) if value == int(value) else float(value),
}
WRONG_AS = {
    "text": (str, "text"),
    "a list": (lambda value: [value, value], "should return a number"),
    "True": (bool, "should return a number|too|Predict"),
    "nothing": (lambda value: None, "Does it end with `return`"),
    "a complex number": (complex, "should return a number"),
    "3 % more": (lambda value: 1.03 * value + 0.01, ""),
    "3 % less": (lambda value: 0.97 * value - 0.01, ""),
    "without end": (lambda value: float("inf"), "finite"),
    "of 400 digits": (lambda value: 10**400, "finite"),
}


def of(question, make):
    """The right answer, its value made into something else."""
    return lambda **case: make(question.rights[0](**case))


@pytest.mark.parametrize("question", half(JUDGED), ids=repr)
def test_a_right_number_is_right_in_every_type(question):
    for form, make in RIGHT_AS.items() if is_number(question) else ():
        verdict = question.judge(of(question, make))
        assert verdict.ok, (form, verdict)


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_what_is_no_right_number_is_wrong(question):
    for form, (make, words) in WRONG_AS.items() if is_number(question) else ():
        verdict = question.judge(of(question, make))
        if not verdict.guess:
            assert verdict.ok is False, form
            assert re.search(words, verdict.message), form


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_parameters_may_have_other_names(question):
    if not has_parameters(question):
        return
    names = list(asked_of(question)[0])
    right, scope = question.rights[0], {}
    mine = [f"mine_{k}" for k in range(len(names))]
    for parameters in (mine, [*mine, "/"], [*mine, "debug=False"], [names[0], *mine[1:]]):
        passed = ", ".join(f"{name}={own}" for name, own in zip(names, parameters, strict=False))
        exec(f"def answer({', '.join(parameters)}): return right({passed})", {"right": right}, scope)
        assert question.judge(scope["answer"]).ok, (parameters, question.judge(scope["answer"]))


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_too_few_or_too_many_parameters_are_named(question):
    if not has_parameters(question):
        return
    names = list(asked_of(question)[0])
    if names:
        assert re.search(r"Your function takes (no arguments|.*); it gets \d: ", question.judge(lambda: 1).message)
    verdict = question.judge(lambda a, b, c, d, e, f, g, h: 1)
    assert verdict.ok is False
    assert "Your function takes a, b, c, d, e, f, g, h; it gets" in verdict.message


def spoil(value):
    """Change everything that can be changed in what an answer was given."""
    for inner in list(value.values() if isinstance(value, dict) else value):
        if isinstance(inner, dict | list):
            spoil(inner)
    value.clear()


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_an_answer_may_spoil_what_it_is_given(question):
    if not has_lists(question):
        return
    right = question.rights[0]

    def spoiling(**case):
        result = right(**deepcopy(case))
        for value in case.values():
            if isinstance(value, list):
                spoil(value)
        return result

    for _ in range(2):
        assert question.judge(spoiling).ok, question.judge(spoiling)


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_what_an_answer_has_spoilt_is_not_what_it_is_judged_by(question):
    """Sorted, turned round or emptied in place: that is right only where the right answer, done so, is right, too."""
    if not has_lists(question):
        return
    right = question.rights[0]

    def with_lists(change, case, keep):
        lists = {k: deepcopy(v) if keep else v for k, v in case.items() if isinstance(v, list)}
        for value in lists.values():
            change(value)
        return right(**(case | lists))

    for change in (list.reverse, list.clear, partial(list.sort, key=repr)):
        in_place = question.judge(lambda change=change, **case: with_lists(change, case, keep=False))
        on_copies = question.judge(lambda change=change, **case: with_lists(change, case, keep=True))
        assert in_place.ok == on_copies.ok, (in_place, on_copies)
    assert question.judge(right).ok


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_another_unit_is_known(question, monkeypatch):
    if not is_number(question):
        return
    asked = []
    monkeypatch.setattr(
        "astra_edu.course.check.judge.in_other_units",
        lambda right, unit: asked.append(unit) or units.in_other_units(right, unit),
    )
    question.judge(lambda **case: -1)
    for unit in tuple(asked):
        kind = next(kind for kind in units.KINDS if unit in kind)
        for other, factor in ((other, kind[unit] / size) for other, size in kind.items() if other != unit):
            verdict = question.judge(of(question, lambda value, factor=factor: float(value) * factor))
            assert verdict.ok is False
            assert re.search(f"in {re.escape(other)}|Those are|kind|GB|take the|bits|in [µm]?s", verdict.message), (
                other,
                verdict,
            )


def mistakes_of(question, monkeypatch):
    """Every mistake that a question knows."""
    known = []
    module = import_module(question.judge.func.__module__)
    if hasattr(module, "judge"):
        before = module.judge
        monkeypatch.setattr(
            module, "judge", lambda *args, **more: known.append((args[2], args[3])) or before(*args, **more)
        )
        question.judge(question.rights[0])
    return tuple(known)


@pytest.mark.parametrize("question", JUDGED, ids=repr)
def test_every_mistake_is_told_its_own_words(question, monkeypatch):
    for cases, mistakes in mistakes_of(question, monkeypatch):
        values = [[mistake.function(**case) for case in cases] for mistake in mistakes]
        for mistake, mine in zip(mistakes, values, strict=True):
            verdict = question.judge(lambda mistake=mistake, **case: mistake.function(**case))
            assert verdict.ok is False, mistake.message
            assert verdict.message in {
                m.message for m, other in zip(mistakes, values, strict=True) if close(mine, other)
            }


def close(a, b):
    return np.allclose(np.array(a, float), np.array(b, float), rtol=1e-3, atol=6)


SPELLINGS = {
    "upper case": str.upper,
    "lower case": str.lower,
    "underscores": lambda name: name.replace("-", "_").replace(" ", "_"),
    "no hyphens": lambda name: name.replace("-", "").replace(" ", ""),
    "spaces": lambda name: name.replace("-", " "),
    "a space after it": lambda name: name + " ",
    "NumPy's": np.str_,
}


def respelt(value, spell):
    """The same answer with every name in it spelt otherwise."""
    match value:
        case str():
            return spell(value)
        case dict():
            return {respelt(key, spell): respelt(entry, spell) for key, entry in value.items()}
        case list() | tuple():
            return type(value)(respelt(entry, spell) for entry in value)
        case set():
            return {respelt(entry, spell) for entry in value}
    return value


NAMED = ("ex2.ranking", "ex3.hidden", "ex4.backward_order", "ex7.needed", "ex7.order", "ex10.chosen", "ex12.best")


@pytest.mark.parametrize("question", [q for q in JUDGED if repr(q) in NAMED], ids=repr)
def test_names_may_be_spelt_otherwise(question):
    for spelling, spell in SPELLINGS.items():
        verdict = question.judge(lambda spell=spell, **case: respelt(question.rights[0](**case), spell))
        assert verdict.ok, (spelling, verdict)


def test_the_battery_is_large():
    numeric = sum(map(is_number, JUDGED))
    assert sum(len(question.wrongs) for question in JUDGED) > 800
    assert numeric * (len(RIGHT_AS) + len(WRONG_AS)) + len(NAMED) * len(SPELLINGS) > 700
    assert sum(map(has_parameters, JUDGED)) > 70
    assert sum(map(has_lists, JUDGED)) > 20
