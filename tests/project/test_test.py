"""`python -m tools.test`: every check in turn, up to the first that fails."""

import gc
import subprocess
from weakref import ref

import pytest
from forgotten import forget_widgets
from halves import half

import astra_edu as ae
from tools import test


def ran(monkeypatch, *asked, fails=""):
    """[(what was called, its environment)] of all checks; the one with `fails` in it fails."""
    calls = []

    def run(command, cwd, env):
        calls.append((" ".join(command[2:]), env))
        return subprocess.CompletedProcess(command, 3 if fails and fails in calls[-1][0] else 0)

    monkeypatch.setattr(test.subprocess, "run", run)
    return test.main(list(asked)), calls


def test_only_notebooks_are_compared_without_progress_bars(monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    code, calls = ran(monkeypatch)
    assert code == 0
    assert len(calls) == len(test.COMMANDS)
    silent = [said for said, env in calls if env.get("TQDM_DISABLE") == "1"]
    assert silent == [said for said, _ in calls if "--nbval" in said]
    assert len(silent) == 1


def test_what_python_compiles_is_kept_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    _, calls = ran(monkeypatch)
    assert {env["PYTHONDONTWRITEBYTECODE"] for _, env in calls} == {""}  # to Python, the same as none


def test_all_leaves_nothing_out(monkeypatch):
    (left_out,) = [said for said, _ in ran(monkeypatch)[1] if "thorough" in said]
    _, calls = ran(monkeypatch, "--all")
    assert left_out.replace(" -m not thorough", "") in [said for said, _ in calls]
    assert not [said for said, _ in calls if "thorough" in said]


def test_it_ends_with_the_first_that_fails(monkeypatch):
    code, calls = ran(monkeypatch, fails="mypy")
    assert code == 3
    assert [said for said, _ in calls] == ["ruff check .", "ruff format --check .", "mypy"]


def test_half_of_the_random_cases_are_in_every_run():
    (first, second, third) = half("abc")
    assert (first, third) == ("a", "c")
    assert second == pytest.param("b", marks=pytest.mark.thorough)


def test_collections_of_garbage_leave_out_what_was_there_before_the_first_test():
    assert gc.get_freeze_count() > 10_000


def test_a_widget_that_nobody_holds_goes_with_all_that_it_shows():
    widget = ae.Player(ae.schedule("all-reduce", "ring", 4))
    seen = ref(widget)
    del widget
    forget_widgets()
    gc.collect()
    assert seen() is None
