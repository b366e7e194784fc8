"""What a student on Windows has, as far as that can be seen elsewhere: the course from the zip, in a folder with spaces
and other letters than a terminal's, without what Windows lacks (windows/sitecustomize.py)."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from itertools import cycle
from pathlib import Path

import pytest
from tornado.websocket import websocket_connect

from tools import check_room
from tools.students import ROOT, TOP, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the other tests see it there")
INPUTS = "exercises/inputs/asplos2022/ex1"
RUN = ("run", f"--network-configuration={INPUTS}/ring.json", f"--system-configuration={INPUTS}/ring.txt")
COMMANDS = {
    "work": ["-m", "tools.work"],
    "lab": ["-m", "tools.lab", "--version"],
    "room": ["-c", "from tools import check_room as c; c.kernel = c.folder = c.port; raise SystemExit(c.main())"],
    "run": ["-m", "astra_edu", *RUN, f"--workload-configuration={INPUTS}/all_reduce.txt", "--path=Łódź ä"],
    "progress": ["-c", "from astra_edu.check import ex1; print(ex1.steps(lambda n: 2 * (n - 1)))"],
}
SAYS = {"lab": "45.681 [µu]s", "room": "ok +exercise 1 gives 45.681 us", "run": "45.681", "progress": "Right"}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("windows") / "Anna's Kurs Łódź (2) & mehr"
    write(folder / "course.zip")
    with zipfile.ZipFile(folder / "course.zip") as file:
        file.extractall(folder)
    return folder / TOP


def environ(course: Path, encoding: str) -> dict[str, str]:
    """That of a terminal on Windows."""
    others = ("PYTEST", "PYTHON", "ASTRA_EDU")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return kept | {
        **{"PYTHONPATH": str(ROOT / "tests" / "project" / "windows"), "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding},
        **{"LOCALAPPDATA": str(course.parent / "AppData")},
    }


@pytest.mark.parametrize(("command", "encoding"), list(zip(COMMANDS, cycle(("cp437", "cp1252")), strict=False)))
def test_what_is_typed_on_windows_works_and_is_readable(course, command, encoding):
    words = [sys.executable, *COMMANDS[command]]
    done = subprocess.run(words, cwd=course, env=environ(course, encoding), capture_output=True)
    said, wrong = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert done.returncode == 0, said + wrong
    assert "Traceback" not in wrong
    assert re.search(SAYS.get(command, ""), said), said
    if command == "progress":
        kept = course.parent / "AppData" / "astra_edu" / "progress.json"
        assert json.loads(kept.read_text(encoding="utf-8"))["questions"]["ex1.steps"]["right"]


def test_the_readme_s_lines_for_windows_are_words_to_cmd_and_powershell_alike():
    """No sign that one of them reads otherwise; and what check-room asks for on Windows is said."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| Windows \| (.*) \|$", readme, re.MULTILINE)
    lines = re.findall("`([^`]+)`", row)
    assert len(lines) == 3
    for line in lines:
        program, *rest = re.findall(r'"[^"]*"|\S+', line)
        assert re.fullmatch(r"py|\.venv\\Scripts\\\w+", program)  # PowerShell runs what has a folder in its name
        assert all(re.fullmatch(r'[\w.-]+|"\.\[\w+\]"', word) for word in rest)
    assert "Scripts\\activate" not in readme  # which PowerShell as it comes refuses to run
    assert f"more than {check_room.LONGEST_PATH} signs" in readme
    assert ".".join(map(str, check_room.READS_ALL_PATHS)) in readme


def test_grading_says_in_a_sentence_that_it_can_t(course):
    done = subprocess.run(
        [sys.executable, "-m", "astra_edu", "grade", "."], cwd=course, env=environ(course, "cp437"), capture_output=True
    )
    assert done.returncode == 1
    assert done.stderr.decode("cp437") == (
        "Error: Grading needs Linux or macOS: on Windows, use WSL, where limits on a process can be set.\n"
    )


def test_the_dashboard_serves_and_says_what_it_can_t(course):
    words = [sys.executable, "-m", "astra_edu", "dashboard", "--no-token", "--no-browser", "--port=0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}

    async def answer(address: str) -> str:
        page = await websocket_connect(f"{address.replace('http', 'ws')}socket")
        await page.write_message('{"side": "a", "open": "cut"}')
        return str(await asyncio.wait_for(page.read_message(), 60))

    with subprocess.Popen(words, cwd=course, env=environ(course, "cp1252"), **pipes) as server:
        try:
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            assert [server.stdout.readline() for _ in range(2)] == [
                "Ctrl-C ends it.\n",
                "This system doesn't hold a page to --memory; to --seconds it does.\n",
            ]
            assert "set" in json.loads(asyncio.run(answer(address)))
            server.send_signal(signal.SIGINT)
            rest, _ = server.communicate(timeout=30)
            assert rest == "\nThe dashboard has ended.\n"
        finally:
            server.kill()
