"""Exercise 14: what its words rely on, and what is special about its checks."""

import json
import re
from pathlib import Path

import pytest
from answers.ex14 import CONNECTED, GOOD, QUESTIONS, RING, SWITCH, cost

from astra_edu.course.check import ex14
from astra_edu.course.check.ex14.advice import paid, samples
from astra_edu.course.check.ex14.search import best, dollars, estimate, shapes
from astra_edu.course.studies.case_studies.design import design_cost, network, ports

SOLUTION = Path(__file__).parents[3] / "solutions" / "ex14_design_a_platform.ipynb"


def test_a_guess_is_answered_with_the_truth():
    verdict = ex14.predicted_gain(lambda: 3)
    assert (verdict.ok, verdict.guess) == (True, True)
    gain = samples(best(ex14.LARGE).design) / samples(best(ex14.SMALL).design)
    assert f"the simulator says {gain:,.6g} times" in verdict.message


@pytest.mark.parametrize(("wrong", "words"), QUESTIONS["design"][1])
def test_no_design_is_given_away(wrong, words):
    """The words may name a dimension by its number and its dollars, but no topology and no NPUs that aren't its own."""
    advice = ex14.design(wrong).message.partition("is asked for.")[2]
    assert not re.search(r"Ring|FullyConnected|GB/s of \d|\d NPUs", advice), advice


def test_budgets_are_several_and_the_search_keeps_to_them():
    assert len(set(ex14.BUDGETS)) == 3
    for budget in ex14.BUDGETS:
        found = best(budget)
        assert design_cost(found.design) <= budget * (1 + 1e-9)
        assert found.throughput == samples(found.design)
        assert samples(GOOD(budget)) <= found.throughput


def test_the_search_looks_at_every_shape_and_finds_what_a_wider_one_finds():
    assert len(shapes()) == 263
    assert len(set(shapes())) == 263
    likely = sorted(shapes(), key=estimate)[:40]
    budget = 100_000
    for shape in likely[6:]:
        prices = dollars(shape)
        even = [(t, n, budget / len(shape) / price) for (t, n), price in zip(shape, prices, strict=True)]
        assert samples(even) < best(budget).throughput


def test_more_money_trains_faster():
    throughputs = [best(budget).throughput for budget in (ex14.SMALL, *ex14.BUDGETS, ex14.LARGE)]
    assert throughputs == sorted(throughputs)


@pytest.mark.parametrize(("pairs", "ring"), [(40, 90), (36, 120), (40, 120), (35, 100)])
def test_a_dimension_where_a_dollar_more_brings_nothing(pairs, ring):
    shape = [(CONNECTED, 4, 50), (CONNECTED, 2, pairs), (RING, 8, ring)]
    cost = design_cost(shape)
    verdict = ex14.design(lambda budget: [(t, n, 0.999999 * weight * budget / cost) for t, n, weight in shape])
    assert verdict.ok is False
    assert "Dimension 2 is the bottleneck: a dollar more there helps, and one more in dimension 1 brings nothing." in (
        verdict.message
    )


def test_a_ring_of_two_has_two_links_in_the_check_and_in_what_a_design_costs():
    """Twice what the one link of two fully connected NPUs costs, in dollars and in ports."""
    ring, connected = ([(RING, 4, 60), (topology, 2, 50), (RING, 8, 40)] for topology in (RING, CONNECTED))
    assert paid(ring)[1] == pytest.approx(2 * paid(connected)[1])
    assert paid(ring)[1] == pytest.approx(cost(RING, 2, 50, {"link": 4.0}))
    assert [ports(block) for block in network(ring)] == [2, 2, 2]


def test_ports():
    blocks = network([(RING, 8, 1), (CONNECTED, 4, 1), (SWITCH, 2, 1)])
    assert [ports(block) for block in blocks] == [2, 3, 1]
    assert [block.latency for block in blocks] == [100, 500, 500]


def test_the_better_of_two_is_asked_in_every_way():
    kinds = set()
    for first, second, budget in ex14._pairs():
        kinds.add((design_cost(first) <= budget, design_cost(second) <= budget, samples(first) > samples(second)))
    assert {kind[:2] for kind in kinds} == {(True, True), (True, False), (False, True), (False, False)}
    assert (True, False, False) in kinds  # the faster one can't be paid


def test_the_notebooks_own_answers_are_right():
    cells = json.loads(SOLUTION.read_text(encoding="utf-8"))["cells"]
    said = [
        "".join(output["data"]["text/plain"])
        for cell in cells
        for output in cell.get("outputs", [])
        if "text/plain" in output.get("data", {})
    ]
    assert sum(text.startswith("✓ Right") for text in said) == len(QUESTIONS)
