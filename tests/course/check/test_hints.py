"""Help comes in three levels, one at a time; what its small cases say is right, and none is the answer itself."""

import re
from html import unescape
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest
from answers import ex1 as answers_1
from answers import ex2 as answers_2

from astra_edu.course.check import EXERCISES, ex1, record
from astra_edu.course.check.hints import LEVELS, hints_of
from astra_edu.course.check.question import QUESTIONS, Question
from astra_edu.course.check.verdict import Verdict
from tools.exercises import REGION
from tools.notebooks import read

ROOT = Path(__file__).parents[3]
for each in EXERCISES:
    import_module(f"astra_edu.course.check.{each}")
ASKED = [question for each in EXERCISES for question in QUESTIONS[each] if not question.guess]
"""All that has a right answer."""
WIDE = 92
"""Characters that stand beside each other in a card."""


@pytest.fixture(autouse=True)
def session(monkeypatch):
    """Nobody has asked for anything."""
    monkeypatch.setattr(record, "_SESSION", record._Session())


def fresh(question):
    """The same question for somebody who has just begun."""
    return Question(question.__wrapped__, question.guess)


@pytest.mark.parametrize("question", ASKED, ids=repr)
def test_every_question_has_a_nudge_a_picture_that_fits_and_nearly_the_answer(question):
    hints = question.hints
    assert len({hints.nudge, hints.picture, hints.nearly}) == 3
    lines = dedent(hints.picture).strip("\n").splitlines()
    assert len(lines) >= 3
    assert max(map(len, lines)) <= WIDE
    for text in (hints.nudge, hints.nearly):
        assert text == " ".join(text.split())
        assert len(text) > 40
        assert text.endswith((".", "?", ":"))


@pytest.mark.parametrize("question", ASKED, ids=repr)
def test_the_three_levels_come_one_at_a_time(question):
    asked, hints = fresh(question), question.hints
    said = [asked.hint() for _ in range(4)]
    assert [hint.level for hint in said] == [1, 2, 3, 3]
    parts = [hints.nudge, hints.picture.strip().splitlines()[0].strip(), hints.nearly]
    for level, hint in enumerate(said[:3]):
        for text in (repr(hint), unescape(re.sub("<.*?>", "", hint._repr_html_()))):
            shown = text.replace("`", "")  # in a card, code stands in another type
            assert [part.replace("`", "") in shown for part in parts] == [k == level for k in range(3)]
            assert LEVELS[level] in text
            assert (f"{question.name}.hint()" in text) == (level < 2)


@pytest.mark.parametrize("question", ASKED, ids=repr)
def test_no_hint_is_the_answer(question):
    [path] = (ROOT / "solutions").glob(f"{question.exercise}_*.ipynb")
    codes = [region["code"] for cell in read(path).cells for region in REGION.finditer(cell.source)]
    lines = {line.split("=")[-1].removeprefix("return").strip() for code in codes for line in code.splitlines()}
    hints = question.hints
    for text in (hints.nudge, hints.picture, hints.nearly):
        assert [line for line in lines if len(line) > 12 and line in text] == []


def test_the_check_of_an_answer_gives_the_same_hints():
    asked = fresh(ex1.total_ns)
    wrong = asked(lambda **_: 1)
    assert [wrong.hint().level, asked.hint().level, asked(lambda **_: 2).hint().level] == [1, 2, 3]
    assert "no question" in repr(Verdict(False, "no").hint())


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_question_without_hints_says_so(exercise):
    import_module(f"astra_edu.course.check.{exercise}")
    for question in QUESTIONS[exercise]:
        hint = fresh(question).hint()
        assert hint.level == (0 if question.hints is None else 1)
        if not hint.level:
            assert repr(hint).startswith("? No hint: ")
            assert ("any guess will do" in hint.words) == question.guess


def test_who_has_an_exercise_of_their_own_has_no_hints():
    assert hints_of("ex99", "steps") is None
    assert hints_of("", "steps") is None


def test_hints_that_are_seen_are_noted(monkeypatch):
    monkeypatch.setattr(record, "_SESSION", record._Session())
    asked = fresh(ex1.steps)
    asked.hint(), asked.hint()
    assert record.known()[0].of("ex1.steps") == record.Standing(hints=2)


def test_the_small_cases_are_right():
    one, two = ({name: q[0] for name, q in answers.QUESTIONS.items()} for answers in (answers_1, answers_2))
    one = {name: right[0] if isinstance(right, list) else right for name, right in one.items()}
    two = {name: right[0] if isinstance(right, list) else right for name, right in two.items()}
    pictures = {question.name: question.hints.picture for question in ASKED}
    assert pictures["ex1.steps"].count("-->") == one["steps"](3)
    assert f"{one['message_bytes'](12, 2, 3):.0f} bytes each, of one chunk" in pictures["ex1.message_bytes"]
    assert f"whole ns count: {one['message_ns'](1000, 1, 2, 20)}" in pictures["ex1.message_ns"]
    assert f"{20 + 1000 / (2 * 2**30 / 1e9):.2f} ns" in pictures["ex1.message_ns"]
    assert pictures["ex1.total_ns"].count("|message|") == 2 * one["steps"](2)
    assert f"in all {one['sent_mib'](3, 6):.0f} MiB" in pictures["ex1.sent_mib"]
    assert pictures["ex2.latency_floor_ns"].count("|latency|") == 2 * one["steps"](2)
    assert two["crossover_mib"](sizes_mib=[2, 4], times_us=[20, 30]) == 10 / 5
    sent = re.findall(r"shard (\d)", pictures["ex2.my_reduce_scatter"].partition("step 0")[2])
    wanted = [two["my_reduce_scatter"](step, npu, 3)[1] for step in range(2) for npu in range(3)]
    assert list(map(int, sent)) == wanted
    port = one["sent_mib"](4, 12)
    assert f"in all {port:.0f} MiB" in pictures["ex2.one_port_ns"]
    assert pictures["ex2.one_port_ns"].count("3 MiB to") * 3 == port
