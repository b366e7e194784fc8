"""`make check-room`: what it says where something is missing, and that it runs with no package at all."""

import ast
import os
import shutil
import socket
import subprocess
import sys
from collections import namedtuple

import pytest

from tools import check_room
from tools.check_room import ROOT, Finding, line

Version = namedtuple("Version", "major minor micro")


def test_what_is_installed_here_is_found_ready(capsys, monkeypatch):
    monkeypatch.setattr(check_room, "kernel", lambda: Finding(True, "a kernel"))
    monkeypatch.setattr(check_room, "browser", lambda: Finding(True, "a browser"))
    assert check_room.main() == 0
    said = capsys.readouterr().out
    assert "ok    exercise 1 gives 45.681 us" in said
    assert said.endswith("This machine is ready: make lab.\n")
    assert said.isascii()


def test_a_kernel_imports_the_course():
    assert check_room.kernel() == (True, "a notebook's kernel imports the course", "Run make lab again.")


def test_it_reads_and_starts_with_the_standard_library_alone(tmp_path):
    tree = ast.parse((ROOT / "tools" / "check_room.py").read_text(encoding="utf-8"), feature_version=(3, 7))
    top = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    top |= {str(node.module).partition(".")[0] for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert top <= sys.stdlib_module_names
    (tmp_path / "tools").mkdir()
    for name in ("__init__.py", "check_room.py"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools" / name)
    code = "from tools import check_room as c; c.network = lambda: c.Finding(False, 'no net', 'a page'); c.main()"
    python = getattr(sys, "_base_executable", sys.executable)
    command = [python, "-I", "-c", f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; {code}"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}, check=True)
    assert "LACKS no net\n      a page\n" in done.stdout
    assert done.stdout.endswith("Something is missing: what to do stands below it.\n")


@pytest.mark.parametrize(("version", "good"), [((3, 10, 9), False), ((3, 11, 0), True), ((3, 14, 1), True)])
def test_an_old_python_is_told_what_to_install(monkeypatch, version, good):
    monkeypatch.setattr(sys, "version_info", Version(*version))
    found = check_room.python()
    assert found.ok is good
    assert found.what == "Python " + ".".join(map(str, version))
    assert "sudo apt install python3.11 python3.11-venv" in found.advice


def test_a_full_disk_and_little_memory_are_said(monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("Use", "free")(900 * 10**6))
    assert line(check_room.disk()) == (
        "LACKS 900 MB free on this disk\n      1,200 MB are needed; put the folder on another disk or make room."
    )
    monkeypatch.setattr(os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 10**9 // 4096}[name])
    assert check_room.memory().ok is False


def test_where_nothing_answers_the_course_in_the_browser_is_named(monkeypatch):
    monkeypatch.setattr(check_room, "installer", lambda folder: [sys.executable, "-c", "raise SystemExit(1)"])
    assert check_room.network()[:2] == (False, "packages can't be downloaded")
    assert "make site BUNDLE=1" in check_room.network().advice
    monkeypatch.setattr(check_room, "installer", lambda folder: [])
    assert check_room.network().ok is None


def test_a_taken_port_is_a_note_not_a_fault(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(check_room, "PORT", taken.getsockname()[1])
        assert check_room.port().ok is None
    assert check_room.port().ok is True


def test_a_package_that_is_missing_or_too_old_is_named_with_what_is_needed(monkeypatch):
    from importlib import metadata

    real = metadata.version

    def version(name):
        if name == "numpy":
            return "1.26.4"
        if name == "anywidget":
            raise metadata.PackageNotFoundError
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    assert [line(found) for found in check_room.packages()] == [
        "LACKS numpy 1.26.4\n      numpy<3,>=2.0 is needed: make lab.",
        "LACKS anywidget isn't installed\n      anywidget<1,>=0.9.13 is needed: make lab.",
    ]
