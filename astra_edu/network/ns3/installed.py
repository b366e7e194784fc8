"""ns-3's Python bindings, where they are installed; where they aren't, a sentence on how to get them."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from astra_edu.base.errors import ConfigError

T = TypeVar("T")

HOW = (
    'pip install -e ".[ns3]" brings it (ns-3 3.44 with its Python bindings, some 500 MB, GPL-2.0), on Linux on x86-64 '
    "with Python 3.11 to 3.13 and a C++ compiler (g++)"
)
MODULES = ("core", "network", "internet", "traffic-control", "point-to-point")
_SOURCES = ("driver.cc", "streams.cc")


def missing() -> str:
    """Why ns-3 can't be used here and how it could be, in a sentence; "" where it can.

    >>> from astra_edu.network.ns3.installed import missing
    >>> missing() == "" or missing().startswith("ns-3 ")
    True
    """
    here = "a browser" if sys.platform == "emscripten" else f"{platform.system()} on {platform.machine()}"
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"ns-3 can't be used here ({here}): {HOW}."
    if place() is None or find_spec("cppyy") is None:
        return f"ns-3 isn't installed here: {HOW}."
    return ""


def place() -> Path | None:
    """The folder in which the wheel has put ns-3; None where there is none."""
    spec = find_spec("ns3")  # a package without a module of its own, so any folder of that name is found, too
    places = (spec and spec.submodule_search_locations) or ()
    return next((Path(p) for p in places if (Path(p) / "include" / "ns3" / "core-module.h").is_file()), None)


@cache
def bindings() -> tuple[Any, Any]:
    """(ns-3's namespace, ours in driver.cc and streams.cc). Takes some 5 s the first time.

    Raises ConfigError where ns-3 isn't installed, can't be loaded, or is in use with another resolution of time.
    """
    why = missing()
    if why:
        raise ConfigError(why)
    try:
        return _quietly(_load)
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(f"ns-3 is installed but can't be loaded ({error}); {HOW}.") from error


def _load() -> tuple[Any, Any]:
    """Only the modules that are needed; the wheel's own loader takes three times as long for all."""
    used = "ns3.ns" in sys.modules
    cppyy, root = import_module("cppyy"), place()
    assert root is not None
    if not used:
        cppyy.add_include_path(str(root / "include"))
        cppyy.add_library_path(str(root / "lib64"))
        for module in MODULES:
            cppyy.include(f"ns3/{module}-module.h")
        for module in MODULES:
            cppyy.load_library(str(next((root / "lib64").glob(f"libns3*-{module}.so"))))
    ns = cppyy.gbl.ns3
    if ns.Time.GetResolution() != ns.Time.PS:
        if used:
            raise ConfigError(
                "ns-3 has been imported by something else in this Python, and its clock may count in ns by now; "
                "begin a new one (in Jupyter: restart the kernel)."
            )
        ns.Time.SetResolution(ns.Time.PS)
    for name in _SOURCES:
        cppyy.cppdef(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return ns, cppyy.gbl.astra_edu


def _quietly(load: Callable[[], T]) -> T:
    """What `load` returns; what it writes to standard error is shown only where it fails."""
    with tempfile.TemporaryFile() as said:
        own = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            return load()
        except BaseException as error:
            said.seek(0)
            error.add_note(said.read().decode("utf-8", "replace"))
            raise
        finally:
            os.dup2(own, 2)
            os.close(own)
