"""Old keywords that work for one more release, with a warning that names the new one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def renamed(**new_names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: keyword `old` is `new` now, given as renamed(old="new").

    >>> @renamed(on="device")
    ... def fits(device):
    ...     return device
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     fits(on="a100")
    'a100'
    >>> print(caught[0].message)
    fits(on=...) is fits(device=...) now; the old name goes with release 0.3.

    Raises TypeError where both are given.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def with_old_names(*args: P.args, **kwargs: P.kwargs) -> R:
            for old, new in new_names.items():
                if old in kwargs:
                    kwargs[new] = _value(function.__name__, old, new, kwargs)
            return function(*args, **kwargs)

        return with_old_names

    return decorate


def _value(function: str, old: str, new: str, kwargs: dict[str, object]) -> object:
    if new in kwargs:
        raise TypeError(f"{function}() got {old}=, the old name of {new}=, as well as {new}=")
    text = f"{function}({old}=...) is {function}({new}=...) now; the old name goes with release 0.3."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return kwargs.pop(old)
