"""The instructors' pages: plans that add up, names that exist, quiz answers that the simulator gives."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.base.units import GIB, MIB
from astra_edu.course import check
from astra_edu.course.check.ex5 import volume_mib
from astra_edu.course.check.mistake import Mistake
from astra_edu.network import Dimension
from astra_edu.system import time_schedule
from tools import instructor

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "instructor"
NAME = re.compile(r"\b((?:\d\d|ex\d+)_\w+)\b(?:: ((?:\*[^*]+\*(?:, )?)+))?")


def rows(page: str) -> list[list[str]]:
    """The rows of a page's last table, without its head."""
    lines = [line for line in (PAGES / page).read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    start = max(k for k, line in enumerate(lines) if set(line) <= set("|-"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start + 1 :]]


def headings(name: str) -> set[str]:
    """The headings of a notebook or an exercise."""
    folder = ROOT / ("exercises" if name.startswith("ex") else "notebooks")
    cells = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize(("page", "minutes"), [("three_hours.md", 180), ("one_hour.md", 60)])
def test_a_plan_adds_up(page, minutes):
    plan = rows(page)
    times = [(int(start), int(end)) for start, end, *_ in plan]
    assert times[0][0] == 0
    assert times[-1][1] == minutes
    assert all(before[1] == after[0] for before, after in pairwise(times))
    for (start, end), row in zip(times, plan, strict=True):
        assert start < end
        if freed := re.search(r": (\d+)$", row[6]):
            assert int(freed[1]) <= end - start
            section = row[6].rpartition(":")[0]
            while section.count("*") == 1:
                section = section.rpartition(":")[0]
            assert not section.startswith("*") or section in row[3]


@pytest.mark.parametrize("page", ["three_hours.md", "one_hour.md", "goals.md", "map.md", "quiz_answers.md"])
def test_every_notebook_and_section_named_is_there(page):
    found = NAME.findall((PAGES / page).read_text(encoding="utf-8"))
    assert found
    for name, sections in found:
        assert set(re.findall(r"\*([^*]+)\*", sections)) <= headings(name), name


def test_every_notebook_has_its_goals_and_every_instrument_and_exercise_its_place():
    notebooks = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {row[0] for row in rows("goals.md")} == notebooks
    instruments = {row[2] for row in rows("map.md")}
    assert all(hasattr(ae, name) for name in instruments)
    exercises = {name for row in rows("map.md") for name in re.findall(r"ex\d+_\w+", row[3])}
    assert exercises == {path.stem for path in (ROOT / "exercises").glob("*.ipynb")}
    text = (PAGES / "map.md").read_text(encoding="utf-8")
    for row in rows("map.md"):
        used = (ROOT / "notebooks" / f"{row[1].partition(':')[0]}.ipynb").read_text(encoding="utf-8")
        assert f"{row[2]}(" in used, (row, text)


def test_the_page_of_misconceptions_is_what_the_checks_say(monkeypatch):
    monkeypatch.chdir(ROOT / "exercises")
    made = instructor.page()
    assert (PAGES / "misconceptions.md").read_text(encoding="utf-8") == made, "run python -m tools.instructor"
    said = set(re.findall(r"^\| (.+?) \|", made, re.MULTILINE))
    assert len(said) > 220
    from course.check.test_every_exercise import JUDGED

    assert all(f"### `{question.name}`" in made for question in JUDGED)


def test_a_mistake_of_a_check_is_on_the_page_and_its_numbers_are_those_of_the_case(monkeypatch):
    row = instructor._row(Mistake(lambda n: 2 * n, "Twice as much."), lambda n: n * n, [{"n": 2}, {"n": 3}])
    assert row == ("Twice as much.", "n = 3", "6", "9")
    found = instructor.judged(check.ex1, "steps", {})
    assert found[0][1:] == ("npus = 2", "1", "2")
    assert check.ex1.steps(lambda npus: npus - 1).message == found[0].says


def _floor_us(topology: str, algorithm: str) -> str:
    wires = Dimension.of(topology, 8, 50, 500)
    return f"{time_schedule(ae.schedule('all-reduce', algorithm, 8), wires, 0, 0).total_ns / 1000:g} µs"


def _links(npus: int) -> str:
    return ", ".join(str(Dimension.of(one, npus, 50, 500).links) for one in ("Ring", "Switch", "FullyConnected"))


def _sent(npus: int) -> float:
    platform = ae.Platform((Dimension.of("Ring", npus, 50, 500),), ae.SystemConfig.of("ring"))
    return ae.simulate(ae.Workload.micro("all-reduce", GIB), platform).message_bytes / GIB


def _carried(*npus: int) -> str:
    answers = []

    def ask(size_mib, npus, dimension):  # what the check takes for right
        left = size_mib
        for n in npus[:dimension]:
            left /= n
        return 2 * left * (npus[dimension] - 1) / npus[dimension]

    assert volume_mib(ask).ok
    answers = [f"{ask(GIB / MIB, npus, dimension):,.0f}" for dimension in range(len(npus))]
    return ", ".join(answers)


def test_the_quiz_has_the_answers_of_the_simulator():
    def gradients(tensor, data):
        return 2 * 2 * 175e9 / tensor * (data - 1) / data / GIB

    def keeps(parameters, data):
        return parameters * 16 / data / 1e9

    assert check.ex7.gradient_bytes(
        lambda parameters, tensor, data: gradients(tensor, data) * parameters / 175e9 * GIB
    ).ok
    assert check.ex8.bubble(lambda stages, micro_batches: (stages - 1) / (micro_batches + stages - 1)).ok
    steps = [str(ae.schedule("all-reduce", "ring", n).step_count) for n in (8, 16)]
    truth = [
        steps,
        [f"{_sent(n):g}" for n in (8, 4)],
        [_floor_us("Ring", "ring"), _floor_us("FullyConnected", "direct")],
        [_links(8), _links(16)],
        [f"{gradients(1, 8):,.1f}", f"{gradients(8, 8):,.1f}"],
        [f"{keeps(10e9, 8):g}", f"{keeps(20e9, 16):g}"],
        [f"{(p - 1) / (m + p - 1):.1%}".replace("%", " %") for p, m in ((4, 8), (8, 32))],
        [_carried(8, 8, 8), _carried(2, 32)],
    ]
    assert [row[1:3] for row in rows("quiz_answers.md")] == truth
