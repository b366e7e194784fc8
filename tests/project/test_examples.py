"""Every public name has an example in its docstring, and every example gives what it shows."""

import doctest
import importlib.util
import inspect
import pkgutil
from pathlib import Path

import pytest

import astra_edu as ae

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["astra_edu", *sorted(m.name for m in pkgutil.walk_packages(ae.__path__, "astra_edu."))]
NO_EXAMPLE_YET = {
    "astra_edu.network": {"Part", "Row", "Wires", "dimensions"},
    "astra_edu.course.widgets": {"Timing"},  # a protocol
    "astra_edu.system": {"Bus", "ScheduleTime", "Stretch"},
}
"""Public in their package, not in astra_edu: how a simulation works inside, not how to use it."""


def examples(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name), name)
    return [each for each in found if each.examples]


def in_source(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    return spec is not None and ">>> " in Path(spec.origin).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in MODULES if in_source(name)])
def test_examples_give_what_they_show(name, tmp_path, monkeypatch, registries):
    (tmp_path / "exercises").symlink_to(ROOT / "exercises")
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(verbose=False)
    for example in examples(name):
        example.globs["ae"] = ae
        runner.run(example)
    assert runner.failures == 0


def without_example(package: str) -> set[str]:
    module = importlib.import_module(package)
    things = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return {
        name
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and ">>> " not in (thing.__doc__ or "")
    }


def is_package(name: str) -> bool:
    return importlib.util.find_spec(name).submodule_search_locations is not None


@pytest.mark.parametrize("package", [name for name in MODULES if is_package(name) and "check" not in name])
def test_every_public_name_has_an_example(package):
    assert without_example(package) == NO_EXAMPLE_YET.get(package, set())
