"""Where a check changes its mind: just below and just above each threshold."""

from types import SimpleNamespace

import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.course.check import ex3, ex4, ex6
from astra_edu.course.check.ex9 import choice
from astra_edu.workload import Layer, Work
from astra_edu.workload.strategies import Memory


@pytest.mark.parametrize(("exposed", "hides"), [(499, True), (500, False), (501, False)])
def test_most_of_a_hidden_collective_is_not_exposed(monkeypatch, exposed, hides):
    others = {f"{kind} {what}": [1000] for kind in ex3.KINDS for what in ("exposed", "communication")}
    table = pd.DataFrame(others | {"weight gradient exposed": [exposed]})
    monkeypatch.setattr(ex3, "run", lambda *_: SimpleNamespace(layers=table))
    assert ex3.hidden(lambda: ["weight gradient"], "").ok == hides


@pytest.mark.parametrize(("images", "wins", "right"), [(5, 5, True), (5, 6, False), (5, 4, False), (1, 1, True)])
def test_enough_images_are_the_fewest_that_do(monkeypatch, images, wins, right):
    monkeypatch.setattr(ex3, "_dgx2_wins", lambda given, _: given >= wins)
    assert ex3.enough_images(lambda: images, "").ok == right


def test_more_images_than_a_memory_holds_are_not_simulated(monkeypatch):
    monkeypatch.setattr(ex3, "_dgx2_wins", lambda given, _: given >= 10_000)
    assert ex3.enough_images(lambda: 10_000, "").ok
    assert "won't fit" in ex3.enough_images(lambda: 10_001, "").message


@pytest.mark.parametrize(("new", "right"), [(1_000_999, False), (1_001_000, True), (999_001, False), (999_000, True)])
def test_orders_differ_from_a_thousandth_on(monkeypatch, new, right):
    nothing = Work(1, None, 0)
    work = ae.Workload("DATA", [Layer(name, nothing, nothing, nothing) for name in "ab"])
    times = {"DATA": 1_000_000, "DATA_REORDER": new}
    monkeypatch.setattr(ex4, "_run", lambda loop, *_: SimpleNamespace(total_ns=times[loop], exposed_ns=0))
    verdict = ex4.my_case(lambda: work)
    assert verdict.ok == right
    if right:
        assert ("the weight gradient" if new > 1_000_000 else "the input gradient") in verdict.message


@pytest.mark.parametrize(("splits", "well"), [(8, True), (9, True), (10, False)])
def test_a_number_of_chunks_within_a_hundredth_is_well_guessed(monkeypatch, splits, well):
    times = {8: 1000, 9: 1009, 10: 1010}
    monkeypatch.setattr(ex6, "all_reduce", lambda *_, splits: SimpleNamespace(total_ns=times.get(splits, 5000)))
    assert ("Well guessed" in ex6.predicted_splits(lambda: splits).message) == well


@pytest.mark.parametrize(("most", "given", "right"), [(2, 2, True), (2, 3, False), (2, 1, False)])
def test_believable_is_up_to_all_of_the_bandwidth(monkeypatch, most, given, right):
    monkeypatch.setattr(ex6, "_share", lambda active: active / most)
    assert ex6.believable(lambda: given).ok == right


@pytest.mark.parametrize(
    ("longer", "right", "words"),
    [
        (1.0005, True, "finds nothing faster"),
        (1.0006, True, "more than the fastest there is"),
        (1.05, True, "5.0 % more than the fastest there is"),
        (1.051, False, "5 % more than the fastest that does"),
    ],
)
def test_a_strategy_may_be_a_twentieth_slower_than_the_fastest(monkeypatch, longer, right, words):
    split = dict.fromkeys(choice.HINTS, 1.0)
    best, found = (SimpleNamespace(total_ns=time, split=split) for time in (10**9, 10**9 * longer))
    strategy = SimpleNamespace(pipeline=1)
    memory = SimpleNamespace(total=10 * 2**30)
    monkeypatch.setattr(choice, "_strategy", lambda answer: (strategy, memory))
    monkeypatch.setattr(choice, "estimate", lambda *_: found)
    monkeypatch.setattr(choice, "_best", lambda _: best)
    verdict = choice.fast(None)
    assert verdict.ok == right
    assert words in verdict.message


@pytest.mark.parametrize(("gib", "right"), [(80, True), (80.001, False)])
def test_a_strategy_fits_up_to_the_last_byte(monkeypatch, gib, right):
    part = gib * 2**30
    memory = Memory(part, 0, 0, 0)
    monkeypatch.setattr(choice, "_strategy", lambda answer: (SimpleNamespace(pipeline=1), memory))
    assert choice.fits(None).ok == right
