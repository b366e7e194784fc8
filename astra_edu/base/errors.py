"""Errors for people: what is wrong, where, and what would be right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from operator import index
from typing import Any, SupportsIndex, TypeVar

T = TypeVar("T")

LARGEST_WHOLE = 2**64 - 1
"""The largest whole number that ASTRA-sim's types hold, and the largest that is taken here."""
_MOST_SHOWN = 200


class ConfigError(ValueError):
    """A value, a file or a combination of them that can't be simulated.

    >>> try:
    ...     ae.Dimension.of("Ring", 8, bandwidth=0, latency=500)
    ... except ae.ConfigError as error:
    ...     print(error)
    bandwidth is 0; it must be greater than 0.
    """


def shown(value: object, most: int = _MOST_SHOWN) -> str:
    """A value in an error's sentence: what Python shows of it, cut after `most` characters; never fails.

    >>> from astra_edu.base.errors import shown
    >>> shown("ring"), shown(10**400)
    ("'ring'", 'a whole number of 401 digits')
    """
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a whole number of {_digits(value)} digits"
    try:
        text = repr(value)
    except Exception:  # whatever a stranger's repr raises
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _digits(value: int) -> int:
    guess = int((abs(value).bit_length() - 1) * math.log10(2))
    return guess + 1 + int(abs(value) >= 10 ** (guess + 1))


def instance_of(name: str, value: object, kind: type[T] | tuple[type[T], ...], right: str) -> T:
    """Return `value` if it is of that kind, else say that `name` isn't, and what would be `right`.

    >>> from astra_edu.base.errors import instance_of
    >>> instance_of("schedule", "ring", ae.Schedule, 'give one such as ae.schedule("all-reduce", "ring", 8)')
    Traceback (most recent call last):
    astra_edu.base.errors.ConfigError: schedule is 'ring'; give one such as ae.schedule("all-reduce", "ring", 8).
    """
    if isinstance(value, kind):
        return value
    raise ConfigError(f"{name} is {shown(value)}; {right}.")


def list_of(name: str, value: object, right: str) -> tuple[Any, ...]:
    """Return what `value` lists as a tuple, or say that it lists nothing (nor does a text), and what is `right`."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", None) != 0:
        return tuple(value)
    raise ConfigError(f"{name} is {shown(value)}; {right}.")


def text_of(name: str, value: object) -> str:
    """Return `value` if it is a text that can be written into a file, or say that `name` must be one."""
    if not isinstance(value, str) or (not value.isascii() and _surrogates(value)):
        raise ConfigError(f"{name} is {shown(value)}; it must be a text.")
    return value


def _surrogates(value: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in value)


def flag(name: str, value: object) -> bool:
    """Return `value` if it is True or False, or say that `name` must be."""
    return instance_of(name, value, bool, "it must be True or False")


def function(name: str, value: object, right: str) -> Callable[..., Any]:
    """Return `value` if it can be called, or say that `name` can't, and what would be `right`."""
    if callable(value):
        return value
    raise ConfigError(f"{name} is {shown(value)}; {right}.")


def answer_of(name: str, own: Callable[..., T], *given: Any) -> T:
    """What somebody's function returns. Raises ConfigError where it doesn't take what it is given; what goes wrong
    inside of it is its own."""
    try:
        return own(*given)
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        raise ConfigError(f"{name} was called with {', '.join(map(shown, given))}: {error}.") from None


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of `allowed`, else say which ones are, nearest first."""
    names = [str(a) for a in allowed]
    if isinstance(value, str) and value in names:
        return str(value)
    raise ConfigError(f"{name} is {shown(value)}; {suggestion(value, names)}")


def suggestion(value: object, allowed: Iterable[str]) -> str:
    """The end of an error sentence: the nearest allowed name, then all of them."""
    from difflib import get_close_matches

    names = list(allowed)
    lowered = {name.lower(): name for name in names}
    said = shown(value).strip("'").lower() if isinstance(value, str) else ""
    near = get_close_matches(said, list(lowered), n=1, cutoff=0.5)
    hint = f"did you mean {lowered[near[0]]!r}? " if near else ""
    return f"{hint}Allowed: {', '.join(names)}."


def whole_64(name: str, value: object) -> int:
    """Return `value` as an int that 64 bits without a sign can hold, as a trace's file has them, or say so."""
    number = whole(name, value, at_least=0)
    if number >= 2**64:
        raise ConfigError(f"{name} is {number:.3g}; that is more than the 64 bits of a trace's file hold (1.8e19).")
    return number


def whole(name: str, value: object, at_least: int) -> int:
    """Return `value` as an int, or say that `name` must be a whole number from `at_least` to 2**64 - 1."""
    if type(value) is int and at_least <= value <= LARGEST_WHOLE:
        return value
    huge = isinstance(value, int) and value.bit_length() > 64  # perhaps beyond all floats
    number = 0.0 if huge else _finite(name, value)
    exact = index(value) if isinstance(value, SupportsIndex) else int(number)  # floats have 53 bits only
    if number != int(number) or exact < at_least:
        raise ConfigError(f"{name} is {shown(value)}; it must be a whole number, {at_least} or more.")
    if exact > LARGEST_WHOLE:
        raise ConfigError(f"{name} is {shown(value)}; ASTRA-sim's 64 bits hold at most {LARGEST_WHOLE:,}.")
    return exact


def positive(name: str, value: object) -> float:
    """Return `value` as a float, or say that `name` must be greater than zero."""
    number = _finite(name, value)
    if number <= 0:
        raise ConfigError(f"{name} is {shown(value)}; it must be greater than 0.")
    return number


def not_negative(name: str, value: object) -> float:
    """Return `value` as a float, or say that `name` must be zero or more."""
    number = _finite(name, value)
    if number < 0:
        raise ConfigError(f"{name} is {shown(value)}; it must be 0 or more.")
    return number


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ConfigError(f"{name} is {shown(value)}; it must be a number.")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        raise ConfigError(f"{name} is {shown(value)}; it must be a finite number.")
    return number
