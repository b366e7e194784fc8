"""A release of Pyodide, Python for browsers: its core, its lock file, and the packages compiled for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tools.site.wheels import SiteError

VERSION = "314.0.3"
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
LOCK = "pyodide-lock.json"
CORE = {
    LOCK: "c963d22858f6bcb8f41586a2142f03905ab370c88ea22a86a2736e95fac2a8f3",
    "pyodide.mjs": "5cfc46f5dcbaf2a16f26e2363f441873eb424762609cc03db00d6a2ace4d00e5",
    "pyodide.asm.mjs": "1a9775427ef6e8abaa7db88ece0515422d1886915ae5c9093776410c865dfd8d",
    "pyodide.asm.wasm": "e7f8fac36f8bf11085309cbc5c829b3ec3057c18bf1d73b05a6741612d63cdbf",
    "python_stdlib.zip": "444c770dfd75a32097fc0a7d5c1413fd3140601f49c3a1f2e9af0376fcd124b4",
}
"""{a file of the core: its sha256}: what a site has of it, wherever it came from."""


@dataclass(frozen=True)
class Release:
    """Where it is: a folder with its files, or its CDN."""

    folder: Path | None

    def read(self, name: str, sha256: str) -> bytes:
        """A file of it, checked where sha256 is given. Raises SiteError where it isn't there or is another."""
        try:
            data = (self.folder / name).read_bytes() if self.folder else urlopen(CDN + name, timeout=60).read()
        except (OSError, URLError) as error:
            where = self.folder or CDN
            raise SiteError(
                f"{name} of Pyodide {VERSION} can't be had from {where}: {error}. Give a folder with the release, "
                "unpacked: PYODIDE=folder."
            ) from None
        if sha256 and hashlib.sha256(data).hexdigest() != sha256:
            raise SiteError(f"{name} in {self.folder or CDN} isn't that of Pyodide {VERSION}: its checksum differs.")
        return data

    def core(self, target: Path) -> dict[str, Any]:
        """Write the core's files into a folder; its lock file."""
        for name, sha256 in CORE.items():
            if name != LOCK:
                (target / name).write_bytes(self.read(name, sha256))
        found: dict[str, Any] = json.loads(self.read(LOCK, "" if self.folder else CORE[LOCK]))
        return found

    def packages(self, target: Path, bundle: bool) -> Callable[[dict[str, Any]], str | None]:
        """Where a package of the release is found in a site: on the CDN, or bundled in the folder."""

        def there(entry: dict[str, Any]) -> str | None:
            name = entry["file_name"]
            if not bundle:
                return CDN + str(name)
            if self.folder and not (self.folder / name).exists():
                return None
            (target / name).write_bytes(self.read(name, entry["sha256"]))
            return str(name)

        return there
