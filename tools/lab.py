"""`make lab`: one answer first, then JupyterLab on the first notebook.

python -m tools.lab [--originals] [JupyterLab's options]. It opens copies in the folder work (tools/work.py), which git
doesn't see; --originals: the project's own files, the solutions among them, for who writes them.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import threading
from collections.abc import MutableMapping
from pathlib import Path

import zmq

from astra_edu.base.printable import never_fails
from astra_edu.course.dashboard.browser import can_open_browser
from tools import work

ROOT = Path(__file__).resolve().parent.parent
START = "notebooks/00_start_here.ipynb"
TUTORIAL_NS = 45_681
PATIENCE_S = 10.0
"""How long kernels and extensions may take to end. Where that fails, jupyter_server closes its port and stays."""


def first_answer() -> str:
    """Exercise 1 of the ASPLOS 2022 tutorial, run on the tutorial's own files."""
    import astra_edu as ae

    inputs = ROOT / "exercises" / "inputs" / "asplos2022" / "ex1"
    platform = ae.load_astra_sim(network=inputs / "ring.json", system=inputs / "ring.txt")
    result = ae.simulate(ae.load_workload(inputs / "all_reduce.txt"), platform)
    ours, theirs = (f"{ns / 1000:.3f} µs" for ns in (result.total_ns, TUTORIAL_NS))
    return f"Exercise 1, 1 MiB all-reduce on a ring of 8 NPUs: {ours} (tutorial: {theirs})"


def quiet_settings(prefix: Path = Path(sys.prefix)) -> Path:
    """Add our settings (no news pop-up, no update check) to those of the environment in `prefix`."""
    ours = json.loads((Path(__file__).parent / "overrides.json").read_text(encoding="utf-8"))
    target = prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    merged = settings | {plugin: settings.get(plugin, {}) | values for plugin, values in ours.items()}
    if merged != settings:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(merged, indent=2) + "\n", encoding="utf-8")
    return target


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0  # Windows has no such thing


def let_kernels_find_the_course(environ: MutableMapping[str, str]) -> None:
    """Also where this folder was moved since, or Python can't read its path in site-packages (see check_room)."""
    environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), environ.get("PYTHONPATH"))))


def arguments(token: str, *, root: bool, browser: bool, folder: Path = work.WORK) -> list[str]:
    """JupyterLab's command line. It refuses root unless told otherwise, so it is told only then."""
    return [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{START}",
        f"--IdentityProvider.token={token}",
        "--Application.log_level=ERROR",
        *(["--KernelManager.transport_encryption=auto"] if zmq.has("curve") else []),
        f"--LabApp.workspaces_dir={Path(sys.prefix, 'share', 'jupyter', 'lab', 'workspaces')}",
        *(["--allow-root"] if root else []),
        *([] if browser else ["--no-browser"]),
    ]


def main(argv: list[str]) -> None:
    """Print the first answer, then serve until Ctrl-C or SIGTERM; what else is in `argv` goes to JupyterLab."""
    never_fails(sys.stdout)
    originals, argv = "--originals" in argv, [word for word in argv if word != "--originals"]
    print(first_answer(), flush=True)
    folder = ROOT if originals else work.WORK
    for words in [] if originals else work.prepare():
        print(words, flush=True)
    quiet_settings()
    let_kernels_find_the_course(os.environ)

    from jupyterlab.labapp import LabApp

    token, browser = secrets.token_hex(16), can_open_browser(os.environ, sys.platform)
    server = LabApp.initialize_server([*arguments(token, root=is_root(), browser=browser, folder=folder), *argv])

    def announce() -> None:
        opens = "opens in your browser, or open" if browser else "is running: open"
        address = f"{server.connection_url}lab/tree/{START}?token={token}"
        print(f"\nJupyterLab {opens} this address; Ctrl-C stops it.\n\n{address}\n", flush=True)

    def stop(*_: object) -> None:
        server.stop(from_signal=True)
        late = threading.Timer(PATIENCE_S, os._exit, [1])
        late.daemon = True
        late.start()

    for ends in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ends, stop)
    server.io_loop.add_callback(announce)  # when it listens: its port may be another than the one asked for
    server.start()


if __name__ == "__main__":
    main(sys.argv[1:])
