"""Errors for people: what is wrong, where, and what would be right."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from operator import index
from typing import SupportsIndex


class ConfigError(ValueError):
    """A value, a file or a combination of them that can't be simulated.

    >>> try:
    ...     ae.Dimension.of("Ring", 8, bandwidth=0, latency=500)
    ... except ae.ConfigError as error:
    ...     print(error)
    bandwidth is 0; it must be greater than 0.
    """


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of `allowed`, else say which ones are, nearest first."""
    names = [str(a) for a in allowed]
    if isinstance(value, str) and value in names:
        return str(value)
    raise ConfigError(f"{name} is {value!r}; {suggestion(value, names)}")


def suggestion(value: object, allowed: Iterable[str]) -> str:
    """The end of an error sentence: the nearest allowed name, then all of them."""
    names = list(allowed)
    lowered = {name.lower(): name for name in names}
    near = get_close_matches(str(value).lower(), list(lowered), n=1, cutoff=0.5)
    hint = f"did you mean {lowered[near[0]]!r}? " if near else ""
    return f"{hint}Allowed: {', '.join(names)}."


def whole_64(name: str, value: object) -> int:
    """Return `value` as an int that 64 bits without a sign can hold, as a trace's file has them, or say so."""
    number = whole(name, value, at_least=0)
    if number >= 2**64:
        raise ConfigError(f"{name} is {number:.3g}; that is more than the 64 bits of a trace's file hold (1.8e19).")
    return number


def whole(name: str, value: object, at_least: int) -> int:
    """Return `value` as an int, or say that `name` must be a whole number of at least `at_least`."""
    if type(value) is int and value >= at_least:
        return value
    number = _finite(name, value)
    exact = index(value) if isinstance(value, SupportsIndex) else int(number)  # floats have 53 bits only
    if number != int(number) or exact < at_least:
        raise ConfigError(f"{name} is {value!r}; it must be a whole number, {at_least} or more.")
    return exact


def positive(name: str, value: object) -> float:
    """Return `value` as a float, or say that `name` must be greater than zero."""
    number = _finite(name, value)
    if number <= 0:
        raise ConfigError(f"{name} is {value!r}; it must be greater than 0.")
    return number


def not_negative(name: str, value: object) -> float:
    """Return `value` as a float, or say that `name` must be zero or more."""
    number = _finite(name, value)
    if number < 0:
        raise ConfigError(f"{name} is {value!r}; it must be 0 or more.")
    return number


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ConfigError(f"{name} is {value!r}; it must be a number.")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        raise ConfigError(f"{name} is {value!r}; it must be a finite number.")
    return number
