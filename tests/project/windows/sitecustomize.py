"""Python as Windows has it, as far as that can be had elsewhere: what Windows lacks is taken away from this process.

What the standard library and the packages do at their import, by where they are, they do before; so what is seen is
whether the project itself asks for something that Windows lacks.
"""

import contextlib
import importlib
import os
import shutil
import signal
import sys

BEFORE = (
    *("asyncio", "concurrent.futures.process", "getpass", "multiprocessing.popen_spawn_posix", "multiprocessing.pool"),
    *("multiprocessing.resource_tracker", "subprocess", "tempfile", "urllib.request", "uuid", "webbrowser", "zipfile"),
    *(
        "click.testing",
        "psutil",
        "tornado.web",
        "tornado.websocket",
        "jupyterlab.labapp",
        "nbconvert",
        "IPython",
        "tqdm.auto",
    ),
    *("matplotlib.font_manager", "jupyter_client.manager", "ipykernel.kernelapp", "zmq.asyncio"),
)
for name in BEFORE:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


class Missing:
    """Modules that there are none of."""

    NAMES = ("fcntl", "grp", "pwd", "resource", "termios")

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self.NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
for name in Missing.NAMES:
    sys.modules.pop(name, None)
for module, names in (
    (os, ("fork", "forkpty", "geteuid", "getpgid", "getuid", "killpg", "mkfifo", "setsid", "sysconf")),
    (signal, ("SIGALRM", "alarm", "setitimer")),
):
    for name in names:
        delattr(module, name)
real = shutil.which
shutil.which = lambda name, *rest, **more: None if name in ("make", "bwrap") else real(name, *rest, **more)
if "--multiprocessing-fork" not in sys.orig_argv:  # else the standard library wants Windows' own way to begin
    sys.platform = "win32"
