"""`make check-room`: what it says where something is missing, and that it runs with no package at all."""

import ast
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace

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
    assert check_room.kernel() == (True, "a notebook's kernel imports the course", "Install again.")


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


def test_where_there_is_no_make_nothing_says_make(monkeypatch, capsys):
    """As on Windows."""
    monkeypatch.setattr(check_room.shutil, "which", lambda name: None)
    for look in ("kernel", "network", "environments"):
        monkeypatch.setattr(check_room, look, lambda: Finding(True, "good"))
    monkeypatch.setattr(check_room, "packages", lambda: iter(()))
    assert check_room.main() == 0
    assert "This machine is ready: python -m tools.lab.\n" in capsys.readouterr().out
    monkeypatch.setattr(check_room, "installed", lambda: False)
    assert check_room.main() == 0
    said = capsys.readouterr().out
    assert said.endswith("This machine can have the course: the README's lines for pip or Windows install it.\n")
    assert "make lab" not in said


@pytest.mark.parametrize(
    ("path", "version", "says"),
    [
        ("/kurs", (3, 11, 9), "this folder can be written"),
        ("/" + 95 * "x", (3, 13, 0), "this folder's path is long"),
        ("/Łódź", (3, 12, 4), "this folder's path has letters beyond a to z"),
        ("/Łódź", (3, 13, 0), "this folder can be written"),
    ],
)
def test_a_path_that_windows_can_t_do_with_is_said(tmp_path, monkeypatch, path, version, says):
    folder = type("Folder", (type(tmp_path),), {"__str__": lambda self: path})(tmp_path)
    monkeypatch.setattr(check_room, "ROOT", folder)
    monkeypatch.setattr(check_room, "sys", SimpleNamespace(platform="win32", version_info=Version(*version)))
    assert check_room.folder().what == says


def test_the_longest_file_that_is_installed_fits_into_windows_260_signs():
    inside = Path(sysconfig.get_path("purelib"))
    longest = max(len(str(path.relative_to(inside))) for path in inside.rglob("*"))
    assert check_room.LONGEST_PATH + len("/.venv/Lib/site-packages/") + longest < 260


def test_a_python_before_3_13_can_t_start_where_the_path_of_the_course_isn_t_in_its_code_page(tmp_path):
    """Why check-room asks for 3.13: the same as Łukasz in Windows' cp1252, here with ASCII."""
    if sys.version_info >= check_room.READS_ALL_PATHS:
        pytest.skip("this Python reads it")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "course.pth").write_text(str(tmp_path / "Łódź"), encoding="utf-8")
    environ = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run([tmp_path / "env" / "bin" / "python", "-c", ""], env=environ, capture_output=True, text=True)
    assert "UnicodeDecodeError" in done.stderr


def test_a_folder_that_can_t_be_written_is_said_at_once(tmp_path, monkeypatch):
    def denied(self):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(Path, "touch", denied)
    assert check_room.folder()[:2] == (False, "this folder can't be written")


def test_a_folder_in_which_something_is_still_open_is_no_traceback(monkeypatch):
    """As on Windows, where nobody can delete what a program that was stopped had open."""

    def late(command, **rest):
        raise subprocess.TimeoutExpired(command, 60)

    def busy(folder):
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(subprocess, "call", late)
    monkeypatch.setattr(check_room.tempfile.TemporaryDirectory, "cleanup", busy)
    monkeypatch.setattr(check_room, "installer", lambda folder: ["pip"])
    assert check_room.network()[:2] == (False, "packages can't be downloaded")
