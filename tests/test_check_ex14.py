"""Exercise 14's checks: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import json
import math
import re
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.check import ex14
from astra_edu.course.check.ex14.hints import paid, samples
from astra_edu.course.check.ex14.search import best, dollars, estimate, shapes
from astra_edu.course.studies.case_studies.design import JOB, design_cost, network, ports, train_design

RING, CONNECTED, SWITCH = "Ring", "FullyConnected", "Switch"
SOLUTION = Path(__file__).parent.parent / "solutions" / "ex14_design_a_platform.ipynb"


def cost(topology, npus, bandwidth, prices, ring=1.0, pairs=0.5, parts=("link", "switch", "NIC")):
    if topology == RING:
        return 64 * ring * prices["link"] * bandwidth
    if topology == CONNECTED:
        return 64 * pairs * (npus - 1) * prices["link"] * bandwidth
    return 64 * sum(prices[part] for part in parts) * bandwidth


def spent(*shape):
    """A design with these (topology, NPUs, share of the money)."""
    prices = dollars(tuple((topology, npus) for topology, npus, _ in shape))

    def design(budget):
        return [(t, n, share * budget / price) for (t, n, share), price in zip(shape, prices, strict=True)]

    return design


def better(first, second, budget, cost=design_cost, rank=samples):
    affordable = [one for one in (first, second) if cost(one) <= budget]
    return max(affordable, key=rank, default=None)


GOOD = spent((RING, 8, 0.46), (CONNECTED, 4, 0.42), (CONNECTED, 2, 0.12))

# check: (right answers, [(a wrong one, words of what it is told)])
CHECKS = {
    "dimension_cost": (
        [cost],
        [
            (lambda **c: cost(**c, pairs=1), "Two fully connected NPUs share one link"),
            (lambda **c: cost(**c, ring=2), "Neighbours on a ring share one link"),
            (lambda **c: cost(**c, ring=0.5 if c["npus"] == 2 else 1), "also with n = 2"),
            (lambda **c: cost(**c, ring=2, pairs=1), "count each link once"),
            (lambda **c: cost(**c, ring=(c["npus"] - 1) / c["npus"]), "A ring is closed"),
            (lambda **c: cost(**c) * c["npus"] / 64, "one group of NPUs"),
            (lambda **c: cost(**c) / 64, "one NPU's share"),
            (lambda **c: cost(**c, parts=("link", "switch")), "a NIC, too"),
            (lambda **c: cost(**c, parts=("link",)), "a port for each link"),
            (lambda **c: cost(**c, parts=("switch", "NIC")), "connected to its switch by a link"),
            (lambda **c: cost(**c) / c["bandwidth"], "for each GB/s"),
            (lambda **c: 2 * cost(**c), "too large"),
        ],
    ),
    "throughput": (
        [lambda design: JOB.samples / train_design(design).total_ns * 1e9],
        [
            (lambda design: samples(design) / 8, "iterations a second"),
            (lambda design: samples(design) / 64, "one NPU's share"),
            (lambda design: 8 * samples(design), "as many samples as copies"),
            (lambda design: samples(design) / 1e9, "for each ns"),
            (lambda design: samples(design) / 1e6, "for each µs"),
            (lambda design: samples(design) / 1e3, "for each ms"),
            (lambda design: 8e9 / train_design(design).compute_ns[0], "leaves out the communication"),
            (lambda design: 8e9 / train_design(design).exposed_ns[0], "the exposed communication alone"),
            (lambda design: train_design(design).total_ns / 1e9, "the time of an iteration in seconds"),
        ],
    ),
    "better": (
        [better, lambda first, second, budget: better(second, first, budget)],
        [
            (lambda first, second, budget: None, "you buy none, but one of the two costs"),
            (lambda first, second, budget: first, "you take"),
            (lambda first, second, budget: better(first, second, math.inf), "it can't be paid"),
            (lambda **c: better(**c, rank=lambda one: -design_cost(one)), "what is left of a budget trains nothing"),
            (lambda **c: better(**c, rank=lambda one: -samples(one)), "samples a second rather than"),
            (lambda first, second, budget: [(RING, 64, 1)], "Return one of the two designs, or None"),
            (lambda first, second, budget: "first", "Return one of the two designs, or None"),
        ],
    ),
    "design": (
        [GOOD, spent((RING, 8, 0.46), (CONNECTED, 2, 0.27), (CONNECTED, 4, 0.27))],
        [
            (
                lambda budget: [(RING, 8, 500), (RING, 2, 250), (RING, 4, 250)],
                "too much. That is $128,000 for dimension 0, $118,400 for dimension 1, $118,400 for dimension 2.",
            ),
            (lambda budget: [(SWITCH, 64, 500)], "too much. That is all for one dimension."),
            (spent((RING, 8, 0.23), (CONNECTED, 4, 0.21), (CONNECTED, 2, 0.06)), "are left over"),
            (spent((RING, 8, 0.9), (RING, 8, 0.1)), "Dimension 0 is paid for in vain"),
            (spent((RING, 8, 0.4), (CONNECTED, 4, 0.3), (CONNECTED, 2, 0.3)), "Dimension 2 is paid for in vain"),
            (spent((RING, 8, 0.2), (CONNECTED, 4, 0.7), (CONNECTED, 2, 0.1)), "Dimension 0 is the bottleneck"),
            (spent((SWITCH, 64, 1)), "100% of it goes to switches"),
            (spent((RING, 8, 0.43), (RING, 8, 0.57)), "ports are free"),
            (lambda budget: [(CONNECTED, 8, 5), (RING, 8, 5)], "7 + 2 = 9 ports; it has 6"),
            (lambda budget: [(RING, 16, 5), (RING, 4, 5)], "would end inside dimension 0, a Ring of 16"),
            (lambda budget: [(RING, 8, 5), (RING, 4, 5)], "8 × 4 = 32 NPUs; there are 64"),
            (lambda budget: [("ring", 8, 5), (RING, 8, 5)], "did you mean 'Ring'"),
            (lambda budget: [(CONNECTED, 2, 1)] * 6, "6 dimensions; 4 is the most"),
            (lambda budget: [(RING, 8), (RING, 8)], "give (topology, NPUs, GB/s of one link)"),
            (lambda budget: [(RING, 8, -1), (RING, 8, 5)], "must be greater than 0"),
            (lambda budget: [(RING, 8, math.nan), (RING, 8, 5)], "finite number"),
            (lambda budget: "Ring", "a design is a list such as"),
        ],
    ),
}
WRONG = [(name, wrong, words) for name, (_, wrongs) in CHECKS.items() for wrong, words in wrongs]


@pytest.mark.parametrize(("name", "right"), [(name, right) for name, (rights, _) in CHECKS.items() for right in rights])
def test_right_answers(name, right):
    verdict = getattr(ex14, name)(right)
    assert verdict.ok, verdict
    assert verdict.message.startswith("Right")


@pytest.mark.parametrize(("name", "wrong", "words"), WRONG)
def test_wrong_answers_are_told_why(name, wrong, words):
    verdict = getattr(ex14, name)(wrong)
    assert verdict.ok is False
    assert words in verdict.message


@pytest.mark.parametrize("name", [*CHECKS, "predicted_gain"])
def test_a_stub_is_not_answered_yet(name):
    def stub(*_, **__):
        raise NotImplementedError("How many?")

    verdict = getattr(ex14, name)(stub)
    assert verdict.ok is None
    assert "How many?" in verdict.message


@pytest.mark.parametrize("name", [*CHECKS, "predicted_gain"])
@pytest.mark.parametrize("value", [None, "many", math.nan, [None], {"a": 1}, -1, object(), ae.Block])
def test_an_answer_that_is_none(name, value):
    assert getattr(ex14, name)(lambda *_, **__: value).ok is False


@pytest.mark.parametrize("name", CHECKS)
def test_a_function_that_breaks_is_reported_with_its_error(name):
    verdict = getattr(ex14, name)(lambda *_, **__: 1 / 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message


def test_a_guess_is_answered_with_the_truth():
    verdict = ex14.predicted_gain(lambda: 3)
    assert (verdict.ok, verdict.guess) == (True, True)
    gain = samples(best(ex14.LARGE).design) / samples(best(ex14.SMALL).design)
    assert f"the simulator says {gain:,.6g} times" in verdict.message


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] == "design"])
def test_no_design_is_given_away(name, wrong, words):
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
    assert sum(text.startswith("✓ Right") for text in said) == len(CHECKS)
