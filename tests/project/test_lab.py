"""`make lab`: what it says, what it asks of JupyterLab, and one real start."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from jupyterlab.labapp import LabApp

from astra_edu.course.dashboard.browser import can_open_browser
from tools.lab import ROOT, START, arguments, first_answer, main, quiet_settings

NEWS = "@jupyterlab/apputils-extension:notification"
STATE = {"@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True}}


def test_exercise_1_agrees_with_the_tutorial():
    expected = "Exercise 1, 1 MiB all-reduce on a ring of 8 NPUs: 45.681 µs (tutorial: 45.681 µs)"
    assert first_answer() == expected


def test_the_notebook_it_opens_is_there():
    assert (ROOT / START).is_file()


@pytest.mark.parametrize("encoding", ["cp437", pytest.param("cp1252", marks=pytest.mark.thorough), "ascii"])
def test_a_terminal_that_lacks_a_sign_sees_all_the_others(encoding):
    environ = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tools.lab", "--originals", "--version"]
    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, timeout=60)
    micro = "u" if encoding == "ascii" else "µ"
    assert f"45.681 {micro}s (tutorial: 45.681 {micro}s)" in run.stdout.decode(encoding)
    assert run.returncode == 0


@pytest.mark.parametrize(
    ("platform", "environ", "opens"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ("darwin", {}, True),
        ("darwin", {"SSH_TTY": "/dev/ttys001"}, False),
        ("win32", {}, True),
    ],
)
def test_a_browser_opens_only_where_it_would_be_seen(platform, environ, opens):
    assert can_open_browser(environ, platform) is opens


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("browser", [True, False])
def test_jupyterlab_is_told_of_root_and_of_a_missing_browser(root, browser):
    words = arguments("token", root=root, browser=browser)
    assert ("--allow-root" in words) is root
    assert ("--no-browser" in words) is not browser


def test_settings_are_written_where_there_were_none(tmp_path):
    written = json.loads(quiet_settings(tmp_path).read_text())
    assert written == STATE | {NEWS: {"fetchNews": "false", "checkForUpdates": False}}


def test_settings_of_others_are_kept(tmp_path):
    target = tmp_path / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    target.parent.mkdir(parents=True)
    theirs = {"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}
    target.write_text(json.dumps(theirs | {NEWS: {"fetchNews": "true", "doNotDisturbMode": True}}))
    assert json.loads(quiet_settings(tmp_path).read_text()) == theirs | STATE | {
        NEWS: {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}
    }


def test_a_kernel_finds_the_course_also_where_site_packages_doesn_t_name_it(tmp_path, monkeypatch):
    """-S leaves site-packages out: as after a folder was moved, or with Python 3.12 in a Łukasz's on Windows."""
    command = [sys.executable, "-S", "-c", "import astra_edu"]
    environ = os.environ | {"PYTHONPATH": ""}
    assert subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True).returncode == 1
    monkeypatch.setattr(LabApp, "initialize_server", lambda words: sys.exit(0))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["--originals"])
    assert os.environ["PYTHONPATH"] == f"{ROOT}{os.pathsep}{tmp_path}"
    subprocess.run(command, cwd=tmp_path, check=True)


def status(address: str) -> int:
    try:
        with urlopen(address, timeout=10) as answer:
            return answer.status
    except HTTPError as error:
        return error.code


@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_beside_a_taken_port_and_stops_when_told_to(tmp_path, ends):
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environ = os.environ | own | {"SSH_TTY": "so that no browser opens"}
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        taken = other.getsockname()[1]
        command = [sys.executable, "-m", "tools.lab", f"--port={taken}"]
        with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as server:
            try:
                lines = iter(server.stdout.readline, "")
                address = next(line.strip() for line in lines if line.startswith("http"))
                base, port, token = re.fullmatch(r"(http://localhost:(\d+)/).*token=(\w+)", address).groups()
                assert int(port) != taken
                assert status(f"{base}lab?token={token}") == 200
                assert status(f"{base}api/contents") == 403
                with urlopen(f"{base}api/contents?token={token}", timeout=10) as answer:
                    names = {entry["name"] for entry in json.load(answer)["content"]}
                assert {"notebooks", "exercises"} <= names
                assert not names & {"solutions", "tests"}
                server.send_signal(ends)
                assert server.wait(timeout=10) == 0
            finally:
                server.kill()


HANGS = """
import asyncio
from jupyter_server.serverapp import ServerApp
from tools import lab

async def forever(self):
    {}

ServerApp._cleanup, lab.PATIENCE_S = forever, 1.0
lab.main(["--originals", "--no-browser", "--port=0"])
"""


@pytest.mark.parametrize(
    ("ends", "what"),
    [
        (signal.SIGINT, "await asyncio.sleep(600)"),
        (signal.SIGTERM, "raise RuntimeError"),
        pytest.param(signal.SIGINT, "raise RuntimeError", marks=pytest.mark.thorough),
        pytest.param(signal.SIGTERM, "await asyncio.sleep(600)", marks=pytest.mark.thorough),
    ],
)
def test_it_ends_though_something_in_it_does_not(tmp_path, ends, what):
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    command = [sys.executable, "-c", HANGS.format(what)]
    environ = os.environ | own | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as server:
        try:
            next(line for line in iter(server.stdout.readline, "") if line.startswith("http"))
            server.send_signal(ends)
            assert server.wait(timeout=10) == 1
        finally:
            server.kill()
