"""Which packages the kernel in the browser loads, and from where: a lock file in Pyodide's format.

What a release of Pyodide has is taken from it, by its address or from a folder; what it hasn't are pure wheels.
`import astra_edu` in a cell then loads it with all it needs, so that no notebook has to be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tools.site.wheels import SiteError, Wheel

KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
"""What a kernel loads before it is ready."""
COURSE = ("astra-edu", "ipywidgets", "anywidget", "numpy", "matplotlib", "astra-edu-inputs")
"""What the notebooks import, and the files that they read."""
LEFT_OUT = {"widgetsnbextension", "jupyterlab-widgets", "pexpect", "psutil", "colorama", "tzdata"}
"""What only a server needs, or another system."""
MORE_IMPORTS = {"astra-edu": COURSE[1:]}
"""What a package loads late, so that its wheel doesn't ask for it."""

LATE = {"pyyaml"}
"""What the course does without until a file of ASTRA-sim 2.x's networks is read, with a sentence then."""

Entry = dict[str, Any]


def lock(
    release: Mapping[str, Any], there: Callable[[Entry], str | None], wheel: Callable[[str], Wheel | None]
) -> tuple[dict[str, Any], list[str]]:
    """The lock file, and the names of packages that can't be had. Raises SiteError where one isn't in LATE.

    release: Pyodide's own lock file. there: the address of a file of the release, None if it isn't at hand.
    wheel: the pure wheel of a package.
    """
    packages: dict[str, Entry] = {}
    missing: list[str] = []
    wanted = [*KERNEL, *COURSE]
    for name in wanted:  # grows
        if name in packages or name in missing or name in LEFT_OUT:
            continue
        known = release["packages"].get(name)
        if known and (address := there(known)):
            packages[name] = known | {"file_name": address, "unvendored_tests": False}
        elif found := wheel(name):
            packages[name] = _entry(found)
        elif name in LATE:
            missing.append(name)
            continue
        else:
            raise SiteError(
                f"{name} can't be had: the release hasn't it, and pip finds no pure wheel. Is there a network?"
            )
        wanted += packages[name]["depends"]
    for entry in packages.values():
        entry["depends"] = [name for name in entry["depends"] if name in packages]
    return {"info": release["info"], "packages": dict(sorted(packages.items()))}, missing


def _entry(wheel: Wheel) -> Entry:
    return {
        "name": wheel.name,
        "version": wheel.version,
        "file_name": wheel.path.name,
        "install_dir": "site",
        "sha256": wheel.sha256,
        "package_type": "package",
        "imports": list(wheel.imports),
        "depends": [*wheel.needs, *MORE_IMPORTS.get(wheel.name, ())],
        "unvendored_tests": False,
    }
