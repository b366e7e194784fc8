"""How an answer is asked: with copies of its own, whatever its parameters are called; and how its value is read."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.card import Rows
from astra_edu.course.check.verdict import NoAnswerError

Case = Mapping[str, Any]
"""The arguments of one call, by their names."""
Answer = Callable[..., Any]
Reader = Callable[[Any, Case], Any]
"""read(value, case): the number that an answer gives for a case, or several; raises NoAnswerError where it is none."""

NOTHING_RETURNED = "Does it end with `return`?"
MOST_SHOWN = 80
"""Characters of a value."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def call(answer: Answer, case: Case) -> Any:
    """The answer for one case, of which it gets a copy. Raises NoAnswerError for a stub, or for a function that breaks.

    A function may call its parameters as it likes: those with names of the case's get these, the others what is left,
    in its order.
    """
    if not callable(answer):
        raise NoAnswerError(False, f"Give the check your function itself, without calling it; it got {shown(answer)}.")
    by_place, by_name = _arguments(answer, deepcopy(dict(case)))
    try:
        return answer(*by_place, **by_name)
    except NotImplementedError as question:
        raise NoAnswerError(None, f"Not answered yet: {question}".removesuffix(": ")) from None
    except (NoAnswerError, ConfigError) as error:
        raise NoAnswerError(False, capital(str(error))) from None
    except (Exception, SystemExit) as error:
        words = f": {error}" if str(error) else ""
        when = f" (asked{of(case)})" if of(case) else ""
        raise NoAnswerError(False, f"Your function stops with {type(error).__name__}{words}{when}.") from None


def _arguments(answer: Answer, case: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The case as (arguments by place, arguments by name) that the answer takes; NoAnswerError if it takes others."""
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):  # some functions written in C have none
        return (), case
    if _binds(signature, (), case):
        return (), case
    names = [name for name, parameter in signature.parameters.items() if parameter.kind in _POSITIONAL]
    left = iter([key for key in case if key not in names])
    by_place = tuple(case[name] if name in case else case[next(left)] for name in names[: len(case)])
    by_place += tuple(case[key] for key in left)
    if len(by_place) == len(case) and _binds(signature, by_place, {}):
        return by_place, {}
    takes = f"takes {', '.join(signature.parameters)}" if signature.parameters else "takes no arguments"
    gets = f"gets {len(case)}: {', '.join(case)}" if case else "gets none"
    sides = (("your function takes", ", ".join(signature.parameters) or "none"), ("it gets", ", ".join(case) or "none"))
    raise NoAnswerError(False, f"Your function {takes}; it {gets}.", sides)


def _binds(signature: inspect.Signature, by_place: Sequence[Any], by_name: Case) -> bool:
    try:
        signature.bind(*by_place, **by_name)
    except TypeError:
        return False
    return True


def number(value: Any, case: Case = {}, among: Any = None) -> float:  # noqa: B006 - never changed
    """The value as a float; a NumPy array with one entry is its entry. Raises NoAnswerError when it is none.

    among: what the value is one entry of.
    """
    value = value.item() if getattr(value, "size", 0) == 1 and hasattr(value, "item") else value
    sides = _sides(value, "a number")
    given = f"Your function returns {shown(value)}{of(case)}"
    if among is not None:
        given = f"Your function returns {shown(among)}{of(case)}, and in it {shown(value)}"
    if value is None and among is None:
        raise NoAnswerError(False, f"{given}; it should return a number. {NOTHING_RETURNED}", sides)
    if isinstance(value, str | bytes):
        verb = "be" if among is not None else "return"
        raise NoAnswerError(False, f"{given}, a text; it should {verb} a number, without quotes.", sides)
    try:
        if isinstance(value, bool):
            raise TypeError
        result = float(value)
    except (TypeError, ValueError):
        raise NoAnswerError(False, f"{given}; it should return a number.", sides) from None
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise NoAnswerError(False, f"{given}; that is no finite number.", _sides(value, "a finite number"))
    return result


def _sides(value: Any, form: str) -> Rows:
    """What a function returns beside what it should."""
    return ("you return", shown(value)), ("expected", form)


def whole_number(value: Any, case: Case = {}, among: Any = None) -> int:  # noqa: B006 - never changed
    """The value as an int. Raises NoAnswerError as `number`, and when it has a fraction."""
    found = number(value, case, among)
    if found != int(found):
        inside = "" if among is None else f", and in it {shown(value)}"
        whole = shown(value if among is None else among)
        words = f"Your function returns {whole}{of(case)}{inside}; that should be a whole number."
        raise NoAnswerError(False, words, _sides(value, "a whole number"))
    return int(found)


def several(count: int, form: str) -> Reader:
    """A reader of lists, tuples and arrays of so many numbers; form: what they are, in an error."""

    def read(value: Any, case: Case) -> tuple[float, ...]:
        entries = listed(value)
        if entries is None or len(entries) != count:
            words = f"Your function returns {shown(value)}; it should return {form}.{hint(value)}"
            raise NoAnswerError(False, words, _sides(value, form))
        return tuple(number(entry, case, value) for entry in entries)

    return read


def listed(value: Any) -> list[Any] | None:
    """The entries of a list, a tuple, an array or what is gone through once; None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(value) if isinstance(value, list | tuple | Iterator) else None


def capital(words: str) -> str:
    """A sentence that begins as sentences do, or with a name of Python's as it is written.

    >>> from astra_edu.course.check.asked import capital
    >>> capital("the batch is 3."), capital("pipeline_order is 'zb'.")
    ('The batch is 3.', "pipeline_order is 'zb'.")
    """
    return words if "_" in words.split(" ")[0] else words[:1].upper() + words[1:]


def hint(value: Any) -> str:
    """A word for whoever has printed the answer instead of returning it."""
    return f" {NOTHING_RETURNED}" if value is None else ""


def shown(value: Any) -> str:
    """The value as Python would show it, cut off where it is long."""
    try:
        text = repr(value)
    except Exception:  # an int of 5,000 digits, or an object whose repr breaks
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def of(case: Case) -> str:
    """For which arguments, at the end of a sentence; not those that are too long to be read."""
    short = [f"{key} = {value!r}" for key, value in case.items() if len(repr(value)) <= MOST_SHOWN]
    return f" for {', '.join(short)}" if short else ""
