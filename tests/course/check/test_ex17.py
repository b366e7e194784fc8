"""Exercise 17: its designs, its bound, and what its notebook says of them."""

import json
from pathlib import Path

import pytest
from answers.ex17 import QUESTIONS, bound, cheapest, dollars, unbeaten

import astra_edu as ae
from astra_edu.course.check import ex17
from astra_edu.course.check.ex17.designs import swept
from astra_edu.course.check.ex17.rules import beats, samples

SOLUTION = Path(__file__).parents[3] / "solutions" / "ex17_cheapest_within.ipynb"


@pytest.fixture(scope="module")
def table():
    return ae.sweep(ae.simulate, ex17.GRID, given=ex17.GIVEN, progress=False)


def test_a_guess_is_answered_with_the_truth(table):
    fastest = table.nsmallest(1, "at_least_ns")
    good = table[table["at_least_ns"] <= 1.05 * fastest["at_least_ns"].item()]
    percent = 100 * good["network_cost"].min() / fastest["network_cost"].item()
    verdict = ex17.predicted_share(lambda: 50)
    assert (verdict.ok, verdict.guess) == (True, True)
    assert f"the simulator says {percent:,.6g} %" in verdict.message
    assert 30 < percent < 80


def test_the_bound_holds_for_every_platform_of_the_grid(table):
    for row in table.itertuples(index=False):
        assert bound(size=ex17.SIZE, npus=ex17.NPUS, gb_s=row[:2]) <= row.at_least_ns
    assert not table["error"].any()


def test_a_platform_costs_its_bandwidths_times_their_prices(table):
    inside, between = ex17.prices()
    for row in table.itertuples(index=False):
        assert row[0] * inside + row[1] * between == pytest.approx(row.network_cost)
        limit = row.at_least_ns
        assert dollars(limit_ns=limit, size=ex17.SIZE, npus=ex17.NPUS, prices=ex17.prices()) <= row.network_cost


def test_the_chosen_one_is_on_the_frontier_and_what_is_cheaper_there_is_too_slow(table):
    points = swept()
    assert points == list(zip(table["network_cost"], table["at_least_ns"], strict=True))
    chosen, best = cheapest(points, 0.05), unbeaten(points)
    limit = 1.05 * min(ns for _, ns in points)
    assert chosen in best
    assert {points[k] for k in best} == set(
        ae.DesignSpace(table, x="network_cost", y="at_least_ns")
        .frontier[["network_cost", "at_least_ns"]]
        .itertuples(index=False, name=None)
    )
    assert all(points[k][1] > limit for k in best if points[k][0] < points[chosen][0])
    least = dollars(limit_ns=limit, size=ex17.SIZE, npus=ex17.NPUS, prices=ex17.prices())
    assert 1.05 < points[chosen][0] / least < 1.15


def test_the_sets_that_are_asked_have_ties_and_equal_points():
    for points in samples(18, 8):
        assert len(set(points)) < len(points)
        same_price = [a for a in points for b in points if a[0] == b[0] and a[1] > b[1]]
        same_time = [a for a in points for b in points if a[1] == b[1] and a[0] > b[0]]
        assert same_price
        assert same_time
        assert 2 < len(unbeaten(points)) < len(points)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [((1, 2), (1, 3), True), ((1, 2), (2, 2), True), ((1, 2), (1, 2), False), ((1, 3), (2, 2), False)],
)
def test_beats(one, other, wanted):
    assert beats(one, other) is wanted


def test_the_notebooks_own_answers_are_right_and_the_finer_sweep_keeps_the_limit():
    cells = json.loads(SOLUTION.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    said = ["".join(output["data"].get("text/plain", "")) for output in outputs if "data" in output]
    assert sum(text.startswith("✓ Right") for text in said) == len(QUESTIONS)
    printed = "".join("".join(output["text"]) for output in outputs if "text" in output)
    inside, between = ex17.prices()
    assert f"${295 * inside + 39 * between:,.0f}: at most" in printed
