"""The zip for students: what is in it, what isn't, and that it judges as the course does."""

import inspect
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import students
from tools.students import ROOT, TOP, judges, makefile, packed, readme, write

ASK = """
import json, sys
from importlib import import_module
from astra_edu.course import check
said = {}
for exercise in check.EXERCISES:
    module, answers = (import_module(f"{package}.{exercise}") for package in ("astra_edu.course.check", "answers"))
    for name, (right, wrongs) in answers.QUESTIONS.items():
        given = getattr(answers, "GIVEN", {}).get(name, {})
        rights = right if isinstance(right, list) else [right]
        tried = [*rights, *(wrong for wrong, *_ in wrongs[:1])]
        said[f"{exercise}.{name}"] = [str(getattr(module, name)(answer, **given)) for answer in tried]
json.dump([check.__file__, said], sys.stdout)
"""


@pytest.fixture(scope="module")
def unzipped(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("students")
    write(folder / "course.zip")
    with zipfile.ZipFile(folder / "course.zip") as file:
        file.extractall(folder)
    return folder / TOP


def test_the_same_files_give_the_same_zip(unzipped):
    again = unzipped.parent / "again.zip"
    write(again)
    assert again.read_bytes() == (unzipped.parent / "course.zip").read_bytes()


def test_it_has_what_is_worked_with_and_nothing_with_answers(unzipped):
    files = {path.relative_to(unzipped).as_posix() for path in unzipped.rglob("*") if path.is_file()}
    for folder in ("notebooks", "exercises"):
        assert {f"{folder}/{path.name}" for path in (ROOT / folder).glob("*.ipynb")} <= files
    assert {path.name for path in unzipped.iterdir()} == {
        "astra_edu", "notebooks", "exercises", "tools", "docs", "LICENSE", "CHANGELOG.md", "README.md", "Makefile",
        "environment.yml", "pyproject.toml",
    }  # fmt: skip
    assert {name for name in files if name.startswith("docs/")} == {"docs/clocks.md"}
    assert not [name for name in files if "solutions" in name or name.endswith(".pyc") or "/results/" in name]
    text = "".join((unzipped / name).read_text() for name in files if name.endswith(".py") and judges(Path(name)))
    assert text.count("exec(compile(") == len([name for name in files if judges(Path(name))]) > 14
    assert "lambda" not in text
    assert "Mistake" not in text


def test_its_checks_say_what_the_course_s_say_and_show_no_answer(unzipped):
    def asked(package: Path) -> tuple[str, dict[str, list[str]]]:
        environ = os.environ | {"PYTHONPATH": f"{package}{os.pathsep}{ROOT / 'tests'}", "ASTRA_EDU_PROGRESS": "off"}
        command = [sys.executable, "-c", ASK]
        done = subprocess.run(command, cwd=ROOT / "exercises", env=environ, capture_output=True, text=True, check=True)
        where, said = json.loads(done.stdout)
        return where, said

    where, theirs = asked(unzipped)
    assert Path(where).is_relative_to(unzipped)
    _, ours = asked(ROOT)
    assert theirs == ours
    assert sum(len(said) for said in ours.values()) > 200
    space = {"__name__": "exN"}
    exec(packed("def truth(n):\n    return 2 * n\n"), space)
    assert space["truth"](3) == 6
    with pytest.raises(OSError, match="source"):
        inspect.getsource(space["truth"])


def make(folder: Path, *words: str) -> str:
    """What make says, as from a shell, even where these tests were started by make."""
    environ = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True, env=environ, check=True).stdout


def test_its_makefile_names_only_what_works_there(unzipped):
    made = make(unzipped, "help")
    assert [line.split()[1] for line in made.splitlines()] == ["help", "lab", "update", "check-room", "clean"]
    dry = make(unzipped, "-n", "lab", "PYTHON=python3")
    assert "pip install" in dry
    assert "tools.lab" in dry
    text = makefile("# why\nlab: x ## start\n\trun\n\n# gone\nbench: ## fast\n\tgo\n\nclean:\n\trm\n")
    assert text.strip() == "# why\nlab: x ## start\n\trun\n\nclean:\n\trm"


def test_its_readme_names_nothing_that_it_lacks():
    text = readme((ROOT / "README.md").read_text(encoding="utf-8"))
    assert "make lab" in text
    assert "## Use it from Python" in text
    assert not [word for word in ("solutions/", "make test", "make site", "tests/", "benchmarks/") if word in text]


def test_the_command_says_where_it_is(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["students", "--out", str(tmp_path / "a" / "b.zip")])
    assert students.main() == 0
    assert "out of sight, not secret" in capsys.readouterr().out
    assert (tmp_path / "a" / "b.zip").is_file()
