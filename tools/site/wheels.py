"""The wheels of a site: ours, and those it needs that are pure Python, from the package index that pip uses."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
UTF8 = os.environ | {"PYTHONUTF8": "1"}
"""For programs whose words are read here: on Windows they would be in a code page."""
PYTHON = "3.14"
"""Of the Pyodide release."""
WHERE = {
    "python_version": PYTHON, "python_full_version": f"{PYTHON}.0", "sys_platform": "emscripten",
    "platform_system": "Emscripten", "platform_machine": "wasm32", "os_name": "posix", "extra": "",
    "implementation_name": "cpython", "platform_python_implementation": "CPython",
}  # fmt: skip
PURE = (
    "--only-binary=:all:",
    "--platform",
    "any",
    "--python-version",
    PYTHON,
    "--implementation",
    "py",
    "--abi",
    "none",
)


class SiteError(Exception):
    """What the site can't be made without."""


@dataclass(frozen=True)
class Wheel:
    """A wheel on disk. needs: the names of other packages; imports: its modules."""

    path: Path
    name: str
    version: str
    needs: tuple[str, ...]
    imports: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> Wheel:
        """What a file says of itself."""
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
            about = next(name for name in names if name.endswith(".dist-info/METADATA"))
            metadata = message_from_bytes(file.read(about))
        tops = {name.split("/")[0] for name in names if name.endswith(".py")}
        modules = {top.removesuffix(".py") for top in tops if "." not in top.removesuffix(".py")}
        requirements = [Requirement(line) for line in metadata.get_all("Requires-Dist") or ()]
        needs = [
            canonicalize_name(each.name) for each in requirements if not each.marker or each.marker.evaluate(WHERE)
        ]
        name = canonicalize_name(metadata["Name"])
        return cls(path, name, metadata["Version"], tuple(sorted(set(needs))), tuple(sorted(modules)))

    @property
    def sha256(self) -> str:
        """Of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def own(folder: Path) -> Wheel:
    """astra_edu's own wheel, built into a folder; its name tells builds apart, as browsers keep what they had."""
    for old in folder.glob("astra_edu-*.whl"):
        old.unlink()
    _pip("wheel", "--no-deps", "--quiet", "--wheel-dir", str(folder), str(ROOT))
    (found,) = folder.glob("astra_edu-*.whl")
    name, version, *tags = found.name.split("-")
    build = int(Wheel.of(found).sha256[:8], 16)
    return Wheel.of(found.rename(folder / "-".join((name, version, str(build), *tags))))


INPUTS = Path("home", "exercises", "inputs")
"""Where notebooks look for their input files from the folder in which Pyodide starts a kernel, /home/pyodide."""


def inputs(folder: Path) -> Wheel:
    """The exercises' input files as a wheel, for pages from which a kernel can't reach the site's files: browsers allow
    that over HTTPS and on the machine itself only.
    """
    found = folder / "astra_edu_inputs-1-py3-none-any.whl"
    about, source = "astra_edu_inputs-1", ROOT / "exercises" / "inputs"
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            file.write(path, f"{about}.data/data" / INPUTS / path.relative_to(source))
        file.writestr(f"{about}.dist-info/METADATA", "Metadata-Version: 2.1\nName: astra-edu-inputs\nVersion: 1\n")
        file.writestr(f"{about}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}.dist-info/RECORD", "")
    return Wheel.of(found)


def pure(name: str, folder: Path) -> Wheel | None:
    """A package's newest pure wheel, from the folder if it was put there before; None if there is none."""
    if not (found := list(_called(name, folder))):
        try:
            _pip("download", "--no-deps", "--quiet", "--dest", str(folder), *PURE, name)
        except SiteError:
            return None
        found = list(_called(name, folder))
    return Wheel.of(found[0])


def _called(name: str, folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*.whl") if canonicalize_name(path.name.split("-")[0]) == name)


def _pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    done = subprocess.run(command, env=UTF8, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise SiteError(f"pip {words[0]} of {words[-1]} failed: {done.stderr.strip().splitlines()[-1:]}")
