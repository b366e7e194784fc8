"""Does this machine have what the course needs? It says what it lacks, and installs nothing (`make check-room`).

python -m tools.check_room: with any Python 3. Before the course is installed it looks at what the installation needs;
afterwards, with the Python of .venv, at what was installed, down to a kernel that answers.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
DISK_MB = 1200
MEMORY_MB = 2000
PORT = 8888
LONGEST_PATH = 95  # of this folder on Windows: JupyterLab's longest file goes into it
READS_ALL_PATHS = (3, 13)  # Python reads the .pth file that names this folder as UTF-8, on Windows too
SILENT: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
BROWSERS = ("firefox", "google-chrome", "chromium", "chromium-browser", "microsoft-edge", "brave-browser")


class Finding(NamedTuple):
    """ok: None where the course does without it. what, advice: a sentence each."""

    ok: bool | None  # only an annotation: an older Python reads this file, too
    what: str
    advice: str = ""


def here(with_make: str, without: str) -> str:
    """The one of the two that can be typed here."""
    return with_make if shutil.which("make") else without


def python() -> Finding:
    """The Python that runs this."""
    have = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, OLDEST))
    return Finding(
        sys.version_info[:2] >= OLDEST,
        f"Python {have}",
        f"Python {wanted} or newer is needed: sudo apt install python{wanted} python{wanted}-venv (Debian, Ubuntu), "
        "brew install python@3.13 (macOS), or the installer of python.org (Windows).",
    )


def environments() -> Finding:
    """Whether virtual environments can be made, by uv or by Python itself."""
    if shutil.which("uv"):
        return Finding(True, "uv makes the virtual environment")
    try:
        import ensurepip  # noqa: F401
    except ImportError:
        package = "python{}.{}-venv".format(*sys.version_info)
        return Finding(False, "virtual environments", f"Python can't make one: sudo apt install {package}.")
    return Finding(True, "virtual environments")


def installer(folder: str) -> list[str]:
    """The command that would install simpy in a folder, with whatever there is; none if there is nothing."""
    if shutil.which("uv"):
        return ["uv", "pip", "install", "--quiet", "--no-deps", "--no-cache", "--target", folder, "simpy"]
    maker = sys.executable
    if find_spec("pip") is None:
        maker = os.path.join(folder, "venv", "Scripts" if sys.platform == "win32" else "bin", "python")
        if subprocess.call([sys.executable, "-m", "venv", os.path.join(folder, "venv")], **SILENT):
            return []
    words = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--timeout", "10", "--retries", "1"]
    return [maker, *words, "--dest", folder, "simpy"]


def network() -> Finding:
    """Whether packages can be had, as pip or uv is set up here."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            command = installer(folder)
            if not command:
                return Finding(None, "not tried whether packages can be downloaded", "There is no pip yet.")
            if subprocess.call(command, timeout=60, **SILENT) == 0:
                return Finding(True, "packages can be downloaded")
    except (subprocess.TimeoutExpired, OSError):  # on Windows also a folder in which something is still open
        pass
    return Finding(
        False,
        "packages can't be downloaded",
        "The first start installs from the network (some 250 MB): is there a proxy? With none at all, use the course "
        "as a page in the browser, served by a machine that has it (make site BUNDLE=1).",
    )


def disk() -> Finding:
    """Room in this folder for what is installed."""
    free = shutil.disk_usage(str(ROOT)).free // 10**6
    return Finding(
        free >= DISK_MB,
        f"{free:,} MB free on this disk",
        f"{DISK_MB:,} MB are needed; put the folder on another disk or make room.",
    )


def memory() -> Finding:
    """What the machine has in all, where Python can say it without other packages."""
    try:
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6
    except (AttributeError, ValueError, OSError):
        return Finding(None, "memory: not known here", f"Have {MEMORY_MB:,} MB.")
    return Finding(
        have >= MEMORY_MB,
        f"{have:,} MB of memory",
        f"JupyterLab, a browser and a notebook want {MEMORY_MB:,} MB; close other programs.",
    )


def folder() -> Finding:
    """Whether this folder can be written, and is no folder that gets lost."""
    tried = ROOT / f".check-room-{os.getpid()}"  # tempfile tries for ever where Windows lets nobody write
    try:
        tried.touch()
        tried.unlink()
    except OSError as error:
        return Finding(False, "this folder can't be written", f"{error}: copy the course to a folder of your own.")
    if sys.platform == "win32" and len(str(ROOT)) > LONGEST_PATH:
        return Finding(False, "this folder's path is long", "Windows stops at 260 signs: move it to C:\\astra-edu.")
    if sys.platform == "win32" and sys.version_info[:2] < READS_ALL_PATHS and not str(ROOT).isascii():
        advice = "On Windows Python can do with them from 3.13 on; use that, or move the folder to C:\\astra-edu."
        return Finding(False, "this folder's path has letters beyond a to z", advice)
    return Finding(True, "this folder can be written")


def port() -> Finding:
    """JupyterLab's port; it takes the next one that is free."""
    with socket.socket() as one:
        taken = one.connect_ex(("127.0.0.1", PORT)) == 0
    return Finding(
        None if taken else True, "port {} is {}".format(PORT, "taken" if taken else "free"), "Another is used."
    )


def browser() -> Finding:
    """Something that opens a page."""
    if sys.platform in ("win32", "darwin") or any(map(shutil.which, BROWSERS)):
        return Finding(True, "a browser")
    return Finding(None, "no browser found here", "Open the printed address on a machine that has one.")


def before() -> Iterator[Finding]:
    """What an installation needs."""
    for look in (python, environments, folder, disk, memory, network, port, browser):
        yield look()
    if not shutil.which("make"):
        yield Finding(None, "no make", "Not needed: the README's lines for pip and Windows do the same.")


def packages() -> Iterator[Finding]:
    """Each package of the notebooks, in a version that the course was made for."""
    import tomllib
    from importlib import metadata

    from packaging.requirements import Requirement

    with open(str(ROOT / "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    for wanted in map(Requirement, project["dependencies"] + project["optional-dependencies"]["notebook"]):
        try:
            have = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            have = ""
        if not have or not wanted.specifier.contains(have, prereleases=True):
            how = here("make lab", 'pip install -e ".[notebook]"')
            yield Finding(False, "{} {}".format(wanted.name, have or "isn't installed"), f"{wanted} is needed: {how}.")


def answer() -> Finding:
    """The tutorial's first exercise, against its printed result."""
    from tools.lab import first_answer

    ours, theirs = re.findall(r"[\d.]+ µs", first_answer())
    return Finding(ours == theirs, "exercise 1 gives {}".format(ours.replace("µ", "u")), "The tutorial has " + theirs)


def kernel() -> Finding:
    """A kernel as a notebook has it: it starts, imports the course and answers."""
    from jupyter_client.manager import start_new_kernel

    try:
        manager, client = start_new_kernel(startup_timeout=60, cwd=str(ROOT / "notebooks"), **SILENT)
    except Exception as error:
        return Finding(False, "no kernel starts", f"{type(error).__name__}: {error}. Delete .venv and install again.")
    try:
        said = client.execute_interactive("import astra_edu", timeout=60, output_hook=lambda message: None)
    except TimeoutError:
        return Finding(False, "a kernel doesn't answer", "Is something blocking connections to 127.0.0.1 (a firewall)?")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return Finding(said["content"]["status"] == "ok", "a notebook's kernel imports the course", "Install again.")


def after() -> Iterator[Finding]:
    """What was installed."""
    for look in (python, folder, port, browser):
        yield look()
    missing = list(packages())
    yield from missing
    if not missing:
        yield Finding(True, "all packages in the versions that the course was made for")
        yield answer()
        yield kernel()
    if sys.platform.startswith("linux") and not shutil.which("bwrap"):
        yield Finding(None, "no bubblewrap", "Only who grades others' notebooks wants it: sudo apt install bubblewrap.")


def installed() -> bool:
    """Whether this Python is one in which the course was installed."""
    try:
        from importlib.metadata import version

        version("astra-edu")
    except ImportError:
        return False
    return True


def line(finding: Finding) -> str:
    """One finding as it is printed, in signs that every console has."""
    state = {True: "ok    ", False: "LACKS ", None: "note  "}[finding.ok]
    advice = "" if finding.ok else "\n      " + finding.advice if finding.advice else ""
    return (state + finding.what + advice).encode("ascii", "replace").decode()


def main() -> int:
    """Print what is there and what isn't. Returns 1 if something is missing."""
    good = True
    stage = after if installed() else before
    for finding in stage():
        print(line(finding))
        sys.stdout.flush()
        good = good and finding.ok is not False
    if not good:
        print("\nSomething is missing: what to do stands below it.")
    elif stage is before:
        how = here("make lab installs it", "the README's lines for pip or Windows install it")
        print(f"\nThis machine can have the course: {how}.")
    else:
        print("\nThis machine is ready: {}.".format(here("make lab", "python -m tools.lab")))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
