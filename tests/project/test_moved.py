"""Modules that have moved: old names work and say where to look."""

import importlib
import warnings

import pytest

import astra_edu as ae
from astra_edu import moved


@pytest.mark.parametrize("old", moved.MOVED)
def test_an_old_name_gives_the_module_at_its_new_place_and_warns(old):
    moved.sys.modules.pop(f"astra_edu.{old}", None)
    with warnings.catch_warnings(action="ignore"):
        importlib.import_module(f"astra_edu.{old}".rpartition(".")[0])
    with pytest.warns(DeprecationWarning, match=r"is astra_edu.* now"):
        module = importlib.import_module(f"astra_edu.{old}")
    new, _ = moved.new_name(f"astra_edu.{old}")
    assert module is importlib.import_module(new) or (old == "execution" and module.TraceResult is ae.TraceResult)
    assert module.__spec__.name == new


def test_what_has_left_a_folder_is_no_name_of_the_package():
    moved.sys.modules.pop("astra_edu.execution.memory", None)
    with pytest.warns(DeprecationWarning, match="remote_memory"):
        memory = importlib.import_module("astra_edu.execution.memory")
    assert memory.RemoteMemory is ae.RemoteMemory
    assert callable(ae.memory)


def test_what_people_type_stays_without_a_warning():
    with warnings.catch_warnings(action="error"):
        from astra_edu.check import answered, ex1, ex14  # noqa: F401
        from astra_edu.plots import timeline

        from astra_edu import measured

        assert ae.plots.timeline is timeline
        assert ae.measured is measured


def test_what_is_below_a_moved_package_is_found_once():
    moved.sys.modules.pop("astra_edu.endpoint", None)
    with pytest.warns(DeprecationWarning, match="course.studies.endpoint"):
        import astra_edu.endpoint.torus as old
    import astra_edu.course.studies.endpoint.torus as new

    assert old is new


def test_what_was_measured_has_moved_out_of_the_course():
    moved.sys.modules.pop("astra_edu.course.studies.measured", None)
    with pytest.warns(DeprecationWarning, match="astra_edu.measured"):
        from astra_edu.course.studies.measured.tables import sweep
    from astra_edu.measured import sweep as here

    assert sweep is here


def test_a_module_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("astra_edu.never")


def test_a_package_whose_modules_went_to_several_places_still_has_its_names():
    for name in [name for name in moved.sys.modules if name.startswith("astra_edu.execution")]:
        del moved.sys.modules[name]
    with pytest.warns(DeprecationWarning, match="take its names from astra_edu"):
        from astra_edu.execution import TracePlatform
    with pytest.warns(DeprecationWarning, match=r"system\.remote_memory now"):
        from astra_edu.execution.memory import RemoteMemory
    assert (TracePlatform, RemoteMemory) == (ae.TracePlatform, ae.RemoteMemory)
    assert callable(ae.memory)
