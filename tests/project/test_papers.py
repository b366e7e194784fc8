"""What README and CONTRIBUTING show is what happens: their code runs, their commands and files exist."""

import ast
import contextlib
import importlib
import io
import json
import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest

import astra_edu as ae
from tools import exercises

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")}
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?:^    .*\n(?:\n(?=    ))*)+", re.MULTILINE)


def sections(paper: str) -> dict[str, str]:
    _, *rest = re.split(r"^## (.*)\n", PAPERS[paper], flags=re.MULTILINE)
    return dict(zip(rest[::2], rest[1::2], strict=True))


def blocks(section: str) -> list[tuple[str, str]]:
    return [(code, shown or "") for code, shown in BLOCK.findall(section)]


def is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return "ae." in code


@pytest.fixture
def folder(tmp_path, monkeypatch, registries) -> Path:
    (tmp_path / "exercises").symlink_to(ROOT / "exercises")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(code: str, names: dict[str, object], monkeypatch) -> str:
    """What it prints. Code whose first line is the path of a module becomes that module."""
    if path := re.match(r"# (astra_edu\S+)/(\w+)/__init__\.py\n", code):
        package, name = path[1].replace("/", "."), path[2]
        module = types.ModuleType(f"{package}.{name}")
        exec(compile(code, path[0], "exec"), module.__dict__)
        monkeypatch.setattr(importlib.import_module(package), name, module, raising=False)
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "block", "exec"), names)
    return printed.getvalue()


CASES = [(paper, title) for paper in PAPERS for title, text in sections(paper).items() if blocks(text)]


@pytest.mark.parametrize(("paper", "title"), CASES, ids=[title for _, title in CASES])
def test_a_block_prints_what_it_shows(paper, title, folder, monkeypatch):
    names: dict[str, object] = {}
    for code, shown in blocks(sections(paper)[title]):
        assert run(code, names, monkeypatch) == shown


def test_the_indented_lines_of_the_readme_run(folder):
    names = {"ae": ae}
    codes = [re.sub("^    ", "", each, flags=re.MULTILINE) for each in INDENTED.findall(PAPERS["README.md"])]
    python = [code for code in codes if is_python(code)]
    assert len(python) == 5
    for code in python:
        exec(compile(code, "README.md", "exec"), names)
    assert (folder / "mine.json").exists()
    assert (folder / "all_reduce.0.et").exists()


def test_the_command_line_of_the_readme_runs(folder):
    (command,) = re.findall(r"^    python -m (astra_edu run (?:.*\\\n)*.*)$", PAPERS["README.md"], re.MULTILINE)
    words = shlex.split(command.replace("\\\n", " "))
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    subprocess.run([sys.executable, "-m", *words], cwd=folder, env=environment, check=True, capture_output=True)
    assert len(list((folder / "results").glob("*.csv"))) == 6


def test_the_question_of_the_exercise_shown_is_one(folder, monkeypatch):
    (judging, _), (cell, _) = blocks(sections("CONTRIBUTING.md")["An exercise"])
    run(judging, {}, monkeypatch)
    assert len(exercises.regions(cell, "CONTRIBUTING.md")) == 1
    question = exercises.REGION.sub(exercises.stub, cell)
    assert "    # how many steps does an all-gather take" in question
    assert run(question, {}, monkeypatch).startswith("… Not answered yet: your code for steps\n")


@pytest.mark.parametrize("title", [title for paper, title in CASES if paper == "CONTRIBUTING.md"])
def test_what_is_added_takes_less_than_30_lines(title):
    code = "".join(code for code, _ in blocks(sections("CONTRIBUTING.md")[title]))
    assert len([line for line in code.splitlines() if line.strip()]) < 30


@pytest.mark.parametrize("paper", PAPERS)
def test_every_make_command_and_every_file_named_exists(paper):
    text = PAPERS[paper]
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets
    named = re.findall(r"`((?:astra_edu|notebooks|tests|tools|exercises|solutions|benchmarks)/[\w./-]*)`", text)
    assert [name for name in named if "NN" not in name and "99" not in name and not (ROOT / name).exists()] == []


def test_the_readme_says_how_large_it_is():
    said = re.search(
        r"simulator is some ([\d,]+) lines and the course around it ([\d,]+)", PAPERS["README.md"]
    ).groups()
    commands = re.findall(r"^    (find .*)$", PAPERS["README.md"], re.MULTILINE)
    for about, command in zip(said, commands, strict=True):
        counted = subprocess.run(command, shell=True, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        assert int(about.replace(",", "")) == pytest.approx(int(counted), rel=0.05)
    dozen = re.findall(r"^\| `(astra_edu/\S+\.py)` \|", PAPERS["README.md"], re.MULTILINE)
    assert len(dozen) == 12
    assert sum(len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in dozen) < 2000


def test_the_cases_that_agree_are_as_many_as_are_stored():
    """What README and notebook 03 say of ASTRA-sim 1.0: so many runs in all, and of each kind."""
    files = {path.stem: path for path in (ROOT / "tests" / "data").glob("astra_sim_1_*.jsonl")}
    stored = {name.removeprefix("astra_sim_1_"): len(path.read_text().splitlines()) for name, path in files.items()}
    kinds = [stored[name] for name in ("tutorial", "random", "corners")]
    counts = [sum(stored.values()), *kinds, sum(stored.values()) - sum(kinds)]
    notebook = json.loads((ROOT / "notebooks" / "03_inside_astra_sim.ipynb").read_text(encoding="utf-8"))
    (told,) = (text for cell in notebook["cells"] if "## How far to trust it" in (text := "".join(cell["source"])))
    for text, form in (
        (
            PAPERS["README.md"],
            r"All (\d+)\s+cases .*?: (\d+) of the .*?, (\d+) random .*?, (\d+) around .*?, and (\d+) that",
        ),
        (told, r"with (\d+) runs .*?: (\d+) of the .*?, (\d+) at random, (\d+) around .*?, and (\d+) that"),
    ):
        assert [int(number) for number in re.search(form, text, re.DOTALL).groups()] == counts
