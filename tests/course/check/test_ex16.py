"""Exercise 16: its cards, their faults, and what its notebook says of them."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from answers.ex16 import QUESTIONS
from answers.ex16 import broken as found_out

from astra_edu import ConfigError, measured
from astra_edu.course.check import ex16
from astra_edu.course.check.ex16 import CHECKED
from astra_edu.course.check.ex16.laws import bounds, broken
from astra_edu.course.check.ex16.sets import FAULTS, JOBS, surprising, worked
from astra_edu.course.check.ex16.surprises import OUTCOMES, WHY, rows
from astra_edu.course.check.hints import hints_of

SOLUTION = Path(__file__).parents[3] / "solutions" / "ex16_a_machine_lies.ipynb"
CASES = [(job, law, k) for job in range(len(JOBS)) for law, faults in FAULTS.items() for k in range(len(faults))]


def laws_broken(card):
    """All of them."""
    return [
        law
        for law, (claimed, bound) in bounds(card).items()
        if (claimed > bound if law == "operations" else claimed < bound)
    ]


@pytest.mark.parametrize("job", range(len(JOBS)))
def test_what_is_worked_out_breaks_no_law_and_says_enough_for_all(job):
    card = worked(job).card
    assert laws_broken(card) == []
    assert set(bounds(card)) == set(ex16.LAWS) == set(FAULTS)
    assert 0.4 < card.mfu < 1


@pytest.mark.parametrize(("job", "law", "fault"), CASES)
def test_a_fault_breaks_its_own_law_and_no_other_and_claims_a_likely_mfu(job, law, fault):
    card = FAULTS[law][fault](worked(job))
    assert laws_broken(card) == [law] == [broken(card)]
    assert 0.4 < card.mfu < 1
    claimed, bound = bounds(card)[law]
    assert max(claimed / bound, bound / claimed) > 1.03


def test_measured_cards_are_rows_as_they_stand_and_break_no_law():
    every = measured.runs()
    assert len(surprising()) >= 5
    for card in surprising():
        row = every.loc[int(card.source.split("row ")[1].split()[0])]
        assert (card.tokens_per_s, card.iteration_ms) == (row.tokens_per_s_per_gpu, row.iter_time_ms)
        assert card.flops_per_token * card.tokens_per_s == pytest.approx(row.tflops_per_gpu * 1e12)
        assert measured.sources()["where"][row.source_id].startswith(card.source.partition(", ")[2])
        assert row.tflops_per_gpu > card.peaks[16]
        assert broken(card) == ""


def test_a_set_has_a_measured_card_and_one_or_two_that_lie_and_another_number_gives_other_ones():
    counts = set()
    for number in range(1, 25):
        cards = ex16.cards(number)
        assert [(card.name, card.number) for card in cards] == [(letter, number) for letter in "ABCDE"]
        assert sum(card.measured for card in cards) == 1
        counts.add(sum(bool(broken(card)) for card in cards))
        assert len({card.job for card in cards}) == 5
    assert counts == {1, 2}
    assert len({ex16.sheet(ex16.cards(number)) for number in range(1, 25)}) == 24
    with pytest.raises(ConfigError, match="number"):
        ex16.cards(-1)


def test_the_sets_that_are_asked_about_have_every_law_and_every_fault():
    asked = [card for number in CHECKED for card in ex16.cards(number)]
    assert {broken(card) for card in asked} == {"", *ex16.LAWS}
    assert [broken(card) for card in asked] == list(map(found_out, asked))
    ratios = {law: set() for law in ("bytes", "memory")}
    for card in asked:
        if (law := broken(card)) in ratios:
            claimed, bound = bounds(card)[law]
            ratios[law].add(bound / claimed > (3 if law == "bytes" else 5))
    assert ratios["bytes"] == {True, False}


def test_nothing_on_a_card_but_its_figures_says_that_it_lies():
    true, false = set(), set()
    for number in range(1, 200):
        for card in ex16.cards(number):
            if not card.measured:
                (false if broken(card) else true).add(card.source)
    assert true == false
    assert {field.name for field in fields(ex16.Card)}.isdisjoint({"law", "fault", "lies"})


def test_a_suspicion_is_noted_and_not_judged():
    said = {ex16.suspect(lambda letter=letter: letter).message[:24] for letter in "ABCDE"}
    assert len(said) == 5
    assert ex16.suspect(lambda: " b ").guess
    assert ex16.suspect(lambda: "F").ok is False


def test_the_surprises_are_what_their_reasons_say():
    fast, both, twins = rows()
    assert [len(each) for each in (fast, both, twins)] == [1, 1, 2]
    assert fast.iloc[0].precision == "NVFP4"
    assert both.iloc[0].recompute == "full"
    assert both.iloc[0].hfu_pct / both.iloc[0].mfu_pct == pytest.approx(4 / 3, rel=0.01)
    same = twins.drop(columns=list(OUTCOMES))
    assert same.iloc[0].equals(same.iloc[1])
    limits = measured.ranges(twins)
    assert (limits.low_ms < twins.iter_time_ms).all()
    assert (twins.iter_time_ms < limits.high_ms).all()
    assert set(WHY) < set(ex16.REASONS)
    seen = [*fast.index, *both.index, *twins.index]
    assert f"loc[{seen}]" in SOLUTION.read_text(encoding="utf-8")
    assert f"loc[{seen[0]}]" in hints_of("ex16", "why").nudge


def test_the_notebooks_own_answers_are_right():
    cells = json.loads(SOLUTION.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    said = ["".join(output["data"].get("text/plain", "")) for output in outputs if "data" in output]
    assert sum(text.startswith("✓ Right") for text in said) == len(QUESTIONS)
    printed = "".join("".join(output["text"]) for output in outputs if "text" in output)
    for card in ex16.cards(3):
        assert (f"{card.name}: it breaks the law of {broken(card)}" in printed) == bool(broken(card))
