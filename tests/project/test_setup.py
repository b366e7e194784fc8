"""What a new machine gets: the files, the packages, the order of the imports, the commands."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import astra_edu

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "astra_edu"

# Each part imports only from the parts before it.
IMPORT_ORDER = (
    *("base", "clock", "collectives", "network", "system", "pipeline", "workload", "traces", "run", "explain"),
    *("formats", "explore", "reliability", "measured", "cli"),
    *("course.word", "course.glossary_models", "course.glossary", "course.algorithm_looks", "course.paper"),
    *("course.studies", "course.plots", "course.widgets", "course.instruments", "course.check", "course.grade"),
    "course.dashboard",
)
FRONT = ("__init__", "__main__", "moved")  # the public names; what brings them from where they are

HEAVY = (
    *("simpy", "yaml", "google.protobuf", "networkx"),
    *("numpy", "pandas", "matplotlib", "ipywidgets", "anywidget", "IPython"),
    *("astra_edu.network.drops.network", "astra_edu.network.credits", "astra_edu.network.ns3.engine"),
)

LOCK_FILES = re.compile(r"(.*\.lock|.*-lock\.(json|ya?ml)|pylock.*\.toml)")
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("conda", "anaconda", "org"),
        ("deb", "debian", "org"),
    )
]


def requirement(text: str) -> tuple[str, frozenset[str]]:
    """ "numpy>=2.0,<3" and "numpy >=2.0,<3" are both ("numpy", {">=2.0", "<3"})."""
    name, ranges = re.fullmatch(r"([\w-]+)\s*(.*)", text).groups()
    return name, frozenset(filter(None, ranges.split(",")))


def test_environment_yml_and_pyproject_ask_for_the_same_packages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pyproject = {"python": frozenset([project["requires-python"]]), "pip": frozenset()}
    extras = project["optional-dependencies"]
    assert set(extras) == {
        "notebook",
        "pytorch",
        "test",
        "docs",
        "site",
        "handout",
        "explore",
        "fit",
        "ns3",
    }  # PyTorch: to record a run of one's own; docs, site and handout: what others are given; explore: to keep sweeps;
    # fit: parameters of measured runs; ns3: a simulator beside this one
    for requirements in (project["dependencies"], extras["notebook"], extras["test"]):
        pyproject |= map(requirement, requirements)

    *conda, last = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    *by_pip, package = last["pip"]
    environment = dict(map(requirement, [*conda, *by_pip]))

    def ranges(name, packages):
        return ",".join(sorted(packages[name], reverse=True)) or "any" if name in packages else "nothing"

    assert package == "-e ."
    assert [
        f"{name}: pyproject.toml asks for {ranges(name, pyproject)}, environment.yml for {ranges(name, environment)}"
        for name in sorted(pyproject.keys() | environment.keys())
        if pyproject.get(name) != environment.get(name)
    ] == []


@pytest.mark.parametrize("name", ["LICENSE", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_the_project_has_its_papers(name):
    assert (ROOT / name).read_text(encoding="utf-8").strip()


def test_the_example_in_the_readme_prints_what_it_shows():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL).groups()
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert run.stdout == shown


def test_every_name_that_texts_and_notebooks_use_exists():
    texts = [ROOT / "README.md", *(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "solutions").glob("*.ipynb")]
    used = {name for path in texts for name in re.findall(r"\bae\.(\w+)", path.read_text(encoding="utf-8"))}
    assert {name for name in used if not hasattr(astra_edu, name)} == set()


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git clone, or no git")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for name in listed.stdout.split("\0") if (path := ROOT / name).is_file()]


def test_no_lock_file_is_tracked(tracked):
    assert [path.name for path in tracked if LOCK_FILES.fullmatch(path.name)] == []


def test_no_tracked_file_names_a_package_registry(tracked):
    assert [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ] == []


def test_a_clone_on_windows_has_the_same_bytes(tracked, tmp_path):
    command = ["git", "-c", "core.autocrlf=true", "-c", "core.eol=crlf"]
    clone = tmp_path / "clone"
    subprocess.run([*command, "clone", "-q", "--no-checkout", str(ROOT), str(clone)], check=True)
    shutil.copy(ROOT / ".gitattributes", clone / ".git" / "info" / "attributes")  # also before it is committed
    subprocess.run([*command, "checkout", "-q", "HEAD"], cwd=clone, check=True)
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=clone, check=True, capture_output=True, text=True)
    assert [line for line in listed.stdout.splitlines() if line.split()[1] not in ("w/lf", "w/-text", "w/none")] == []


def test_importing_the_package_loads_nothing_heavy():
    code = f"import astra_edu, json, sys; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert json.loads(run.stdout) == []


def modules_imported(path: Path) -> Iterator[str]:
    """The modules of astra_edu that a file imports, inside functions and by a string, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module="astra_edu", names=names):
                yield from (f"astra_edu.{alias.name}" for alias in names)
            case ast.ImportFrom(level=0, module=str(module)):
                yield module
            case ast.ImportFrom():
                pytest.fail(f"{path.relative_to(ROOT)}, line {node.lineno}: write the whole name, astra_edu.…")
            case ast.Constant(value=str(text)) if re.fullmatch(r"astra_edu(\.\w*)+", text):
                yield text


def part_of(module: str) -> str:
    """ "network" of astra_edu.network.links, "course.plots" of what is in there."""
    _, part, *rest = [*module.split("."), ""]
    return f"course.{rest[0]}" if part == "course" and rest and rest[0] else part


def test_imports_point_downwards():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        part = part_of(module)
        if part in FRONT or module == "astra_edu.course.__init__":
            continue
        assert part in IMPORT_ORDER, f"{part} has no place in IMPORT_ORDER yet"
        allowed = IMPORT_ORDER[: IMPORT_ORDER.index(part) + 1]
        others = {other for other in modules_imported(path) if other.partition(".")[0] == "astra_edu"}
        wrong += [f"{path.relative_to(ROOT)} imports {o}" for o in sorted(others) if part_of(o) not in allowed]
    assert wrong == []


@pytest.fixture
def folder(tmp_path) -> Path:
    """The Makefile and what its installation depends on, in a folder of their own."""
    folder = tmp_path / "astra"
    (folder / "tools").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "tools/overrides.json"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run make as from a shell, even where these tests were started by make."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    return subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True, env=environment)


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_an_old_python_is_told_what_to_install(folder):
    old = script(folder / "old", "exit 1")
    run = make(folder, "lab", f"PYTHON={old}")
    assert run.returncode != 0
    assert "Python 3.11 or newer is needed" in run.stdout
    assert "sudo apt install python3.11" in run.stdout
    assert "brew install" in run.stdout


def test_a_python_without_venv_is_told_which_package(folder, monkeypatch):
    script(folder / "bin" / "uv", "exit 1")
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=":")
    debian = script(folder / "debian", 'case "$2" in *ensurepip*) exit 1;; *venv*) echo python3.12-venv;; esac')
    run = make(folder, "lab", f"PYTHON={debian}")
    assert run.returncode != 0
    assert "sudo apt install python3.12-venv" in run.stdout


def test_a_folder_with_signs_that_a_shell_reads_is_installed(folder):
    moved = folder.rename(folder.with_name("Anna's Kurs (2) & Łódź"))
    (moved / "tools" / "__init__.py").touch()
    (moved / "tools" / "lab.py").write_text("def quiet_settings(): pass\n")
    python = script(
        moved / ".venv" / "bin" / "python", f'case "$*" in *pip*) exit 0;; esac; exec {sys.executable} "$@"'
    )
    script(moved / "bin" / "uv", "exit 1")
    run = make(moved, ".venv/lab-installed", f"PATH={moved / 'bin'}:{os.environ['PATH']}")
    assert run.returncode == 0, run.stderr
    assert (python.parents[1] / "installed-in").read_text(encoding="utf-8") == f"{moved}\n"
    assert make(moved, "-n", "lab").stdout.split() == [".venv/bin/python", "-m", "tools.lab"]


@pytest.mark.parametrize("target", ["check-room", "update"])
def test_where_python3_is_too_old_another_one_looks_round(folder, target):
    """As on macOS, where python3 is Apple's 3.9 beside Homebrew's python3.13."""
    old = script(folder / "bin" / "python3", 'case "$1" in -c) exit 1;; esac; echo old; exit 3')
    new = script(folder / "bin" / "python3.13", 'case "$1" in -c) exit 0;; esac; echo "new $*"; exit 3')
    what = {"check-room": "tools.check_room", "update": "tools.work --pull"}[target]
    run = make(folder, target, f"PYTHON={old} {new}")
    assert run.stdout.splitlines()[0] == f"new -m {what}"
    assert make(folder, target, f"PYTHON={old}", f"PATH={folder / 'bin'}:{os.environ['PATH']}").stdout.startswith("old")


@pytest.fixture
def installed(folder) -> Path:
    script(folder / ".venv" / "bin" / "python", "exit 0")
    (folder / ".venv" / "installed-in").write_text(f"{folder}\n")
    (folder / ".venv" / "lab-installed").touch()
    return folder


def test_a_second_start_installs_nothing(installed):
    assert make(installed, "-n", "lab").stdout.split() == [".venv/bin/python", "-m", "tools.lab"]


def test_a_folder_that_was_moved_is_installed_again(installed):
    moved = installed.rename(installed.with_name("elsewhere"))
    assert "pip install" in make(moved, "-n", "lab").stdout


def test_new_packages_in_pyproject_are_installed(installed):
    later = (installed / ".venv" / "lab-installed").stat().st_mtime + 10
    os.utime(installed / "pyproject.toml", (later, later))
    assert "pip install" in make(installed, "-n", "lab").stdout


def test_no_module_is_long():
    long = {path.name: lines for path in PACKAGE.rglob("*.py") if (lines := len(path.read_text().splitlines())) >= 260}
    assert long == {}


def test_the_ci_says_what_is_missing_to_who_may_not_install_it():
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        (place / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "run", place / ".ci" / "run")
        (place / "bin").mkdir()
        for tool in ("bash", "env", "dirname"):
            (place / "bin" / tool).symlink_to(shutil.which(tool))
        done = subprocess.run(
            [place / ".ci" / "run"],
            env={"PATH": str(place / "bin")},
            user=65534 if os.geteuid() == 0 else None,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    needed = "make git chromium firefox-esr bubblewrap nodejs python3 python3-venv"
    assert done.stderr.startswith(f"Not installed: {needed}. Without root")
    assert f"apt-get install {needed}\n" in done.stderr
