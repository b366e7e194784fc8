"""Names of a package that are loaded when somebody asks for them, so that importing it costs next to nothing.

A package's `__init__.pyi` says where its names come from, each in a line such as `from astra_edu.run.simulate import
simulate as simulate`. Type checkers and editors read the same file, so a name stands in one place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any

VIEWS: dict[str, str] = {}
"""What is made of runs further up: the name of a function to the module that has it. The front of the package says."""


def public_names(
    package: str, file: str, keep: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package. file: its `__init__.py`, with the stub beside it.

    A name stays what the stub says when a module of the same name is loaded from the package; keep: others that do.

    >>> import astra_edu.collectives.schedule
    >>> astra_edu.collectives.schedule("all-gather", "ring", 4).step_count
    3
    >>> "schedule" in dir(astra_edu.collectives)
    True
    """
    with open(f"{file}i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from ")]
    modules = {name: module for _, module, _, name, _, _ in lines}
    names = sorted(modules)
    kept = {*keep, *(name for name in names if modules[name] != package)}

    class Package(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            if name not in kept or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = None if modules[name] == package else import_module(modules[name])
        found = getattr(module, name) if hasattr(module, name) else import_module(f"{modules[name]}.{name}")
        sys.modules[package].__dict__[name] = found
        return found

    sys.modules[package].__class__ = Package
    return load, lambda: names, names


def is_a(value: object, kind: str) -> bool:
    """Whether a value is of a class, given as "module.Class", that needn't be loaded to say no.

    >>> from astra_edu.base.late import is_a
    >>> is_a(ae.preset("ring"), "astra_edu.system.config.Platform"), is_a(8, "astra_edu.system.config.Platform")
    (True, False)
    """
    module, _, name = kind.rpartition(".")
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))


def view(name: str) -> Callable[..., Any]:
    """The function of this name that makes something of a run."""
    made: Callable[..., Any] = getattr(import_module(VIEWS[name]), name)
    return made
