"""The compiled wheel: a build hook makes it, nothing of it lies beside the sources, and its times are the pure ones."""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import astra_edu as ae
from tools.compiled import LEVEL

ROOT = Path(__file__).parents[2]
compiler = pytest.mark.skipif(not (shutil.which("cc") or shutil.which("gcc")), reason="there is no C compiler")


def said_by(folder):
    """What the cases come to with the package in a folder: a line each, and before them how it runs."""
    command = [sys.executable, "-P", ROOT / "tests" / "compiled_cases.py"]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    ran = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert not ran.returncode, ran.stderr
    kind, *cases = ran.stdout.splitlines()
    return kind, cases


def wheel_of_today(tmp_path):
    """The compiled wheel. What the same compilers made of the same sources isn't made again: it takes minutes."""
    made_of = hashlib.sha256(f"{sys.version} {version('mypy')} {sysconfig.get_platform()}".encode())
    engine = [path for path in sorted((ROOT / "astra_edu").rglob("*.py")) if "course" not in path.parts]
    for path in (*engine, ROOT / "pyproject.toml", ROOT / "tools/compiled.py"):
        made_of.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    kept = ROOT / ".cache" / "compiled" / made_of.hexdigest()
    if not kept.exists():
        environment = os.environ | {"HATCH_BUILD_HOOKS_ENABLE": "1", LEVEL: "0"}
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "wheels"]
        built = subprocess.run(build, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
        assert not built.returncode, built.stdout + built.stderr
        shutil.rmtree(kept.parent, ignore_errors=True)
        kept.parent.mkdir(parents=True)
        shutil.move(tmp_path / "wheels", kept)
    (wheel,) = kept.iterdir()
    return wheel


@compiler
def test_compiled_and_pure_runs_are_the_same_to_the_ns_and_type(tmp_path):
    wheel = wheel_of_today(tmp_path)
    assert not [*(ROOT / "astra_edu").rglob("*.so"), *(ROOT / "astra_edu").rglob("*.pyd")]
    assert "none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as parts:
        parts.extractall(tmp_path / "installed")
    kind, compiled = said_by(tmp_path / "installed")
    assert kind == "compiled"
    kind, pure = said_by(ROOT)
    assert kind == "pure Python"
    assert compiled == pure
    assert len(pure) > 50


def test_which_one_is_used_is_said():
    said = subprocess.run([sys.executable, "-m", "astra_edu", "--version"], text=True, capture_output=True, check=True)
    assert said.stdout == f"astra_edu {ae.__version__}, pure Python\n"
