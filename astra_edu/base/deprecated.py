"""Old keywords that work for one more release, with a warning that names the new one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

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
        called = function.__qualname__.removesuffix(".__init__").rpartition("<locals>.")[2]

        @wraps(function)
        def with_old_names(*args: P.args, **kwargs: P.kwargs) -> R:
            if kwargs:  # most calls have none
                for old, new in new_names.items():
                    if old in kwargs:
                        kwargs[new] = _value(called, old, new, kwargs)
            return function(*args, **kwargs)

        return with_old_names

    return decorate


def renamed_fields(**new_names: str) -> Callable[[type[R]], type[R]]:
    """The same for the fields of a dataclass: old keywords of its constructor, and old attributes, still work."""

    def decorate(cls: type[R]) -> type[R]:
        setattr(cls, "__init__", renamed(**new_names)(cls.__init__))  # noqa: B010
        return renamed_attributes(**new_names)(cls)

    return decorate


def renamed_attributes(**new_names: str) -> Callable[[type[R]], type[R]]:
    """The same for what is read off an object: a method, a property, or a field of a NamedTuple."""

    def decorate(cls: type[R]) -> type[R]:
        for old, new in new_names.items():
            setattr(cls, old, property(_reader(cls.__name__, old, new)))
        return cls

    return decorate


def renamed_names(module: str, **new_names: str) -> Callable[[str], Any]:
    """The __getattr__ of a module in which the name `old` is `new` now, given as renamed_names(__name__, old="new")."""

    def of_module(name: str) -> Any:
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        text = f"{module}.{name} is {module}.{new_names[name]} now; the old name goes with release 0.3."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], new_names[name])

    return of_module


def _reader(cls: str, old: str, new: str) -> Callable[[object], object]:
    def read(self: object) -> object:
        text = f"{cls}.{old} is {cls}.{new} now; the old name goes with release 0.3."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    return read


def _value(function: str, old: str, new: str, kwargs: dict[str, object]) -> object:
    if new in kwargs:
        raise TypeError(f"{function}() got {old}=, the old name of {new}=, as well as {new}=")
    text = f"{function}({old}=...) is {function}({new}=...) now; the old name goes with release 0.3."
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return kwargs.pop(old)
