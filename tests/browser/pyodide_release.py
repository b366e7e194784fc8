"""Pyodide's release for tests, out of a package that carries it: its own CDN isn't everywhere where tests run."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

CARRIER = "open-webui==0.12.4"
"""It has Pyodide 314.0.3 with packages whose checksums are those of Pyodide's own lock file; see tools/site/release.py,
which checks the core's."""


def release(folder: Path) -> Path:
    """Unpack it into a folder, once."""
    target = folder / "pyodide"
    if not (target / "pyodide-lock.json").exists():
        words = ["download", "--no-deps", "--quiet", "--disable-pip-version-check", "--dest", str(folder), CARRIER]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        (carrier,) = folder.glob("open_webui-*.whl")
        target.mkdir(exist_ok=True)
        with zipfile.ZipFile(carrier) as file:
            for name in (name for name in file.namelist() if "/pyodide/" in name and not name.endswith("/")):
                (target / Path(name).name).write_bytes(file.read(name))
        carrier.unlink()
    return target
