"""The search for the fastest: what became of all strategies, and what is left when it is interrupted."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.explore.iteration import best_first, candidates, plan_search
from astra_edu.explore.iteration.searched import Searched, reason
from astra_edu.run import run_loop

MODEL = ae.transformer("m", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000)
PODS = ae.Platform(
    (ae.Dimension.of("Switch", 4, 220, 1000), ae.Dimension.of("Switch", 2, 25, 2500)),
    ae.SystemConfig.of("halvingDoubling_halvingDoubling", splits=1),
)
TIGHT = replace(ae.device("a100"), memory_bytes=10**9)
EVERY = candidates(MODEL, 8, 16, whole_space=True)


def value(strategy: ae.Strategy) -> int:
    took = ae.estimate(MODEL, strategy, TIGHT, PODS)
    return took.bound_ns or took.total_ns


def test_it_says_what_became_of_all():
    """Counted again, one by one."""
    found = ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    searched = found.searched
    assert searched.candidates == len(EVERY)
    fit = [cut for cut in EVERY if ae.memory(MODEL, cut).fits(TIGHT)]
    assert searched.not_fitting <= len(EVERY) - len(fit)
    refused, values = Counter[str](), dict[ae.Strategy, int]()
    for cut in fit:
        try:
            values[cut] = value(cut)
        except ae.ConfigError as error:
            refused[reason(error)] += 1
    assert values[found.strategy] == min(values.values())
    assert set(searched.refused) <= set(refused)
    assert all(searched.refused[why] <= refused[why] for why in searched.refused)
    shorter = sum(ns < values[found.strategy] for ns in values.values())
    assert 1 + shorter <= searched.estimated <= len(values)
    assert searched.rest == len(EVERY) - sum(searched.refused.values()) - searched.not_fitting - searched.estimated > 0
    assert not searched.interrupted


def test_what_is_refused_is_counted_by_its_reason():
    uneven = ae.Platform(
        (ae.Dimension.of("Switch", 3, 220, 1000), ae.Dimension.of("Switch", 2, 25, 2500)),
        ae.SystemConfig.of("ring_ring", splits=1),
    )
    one = ae.Strategy(data=6, batch=12)
    others = [ae.Strategy(data=3, tensor=2, batch=batch) for batch in (12, 24)]
    found = ae.fastest(MODEL, [one, *others], ae.device("a100"), uneven)
    assert found.strategy == one
    assert sum(found.searched.refused.values()) == 2
    (why,) = found.searched.refused
    assert "can't be cut out of … × … NPUs" in why
    assert not any(sign.isdigit() for sign in why)
    assert re.search(rf"  refused +2; 2: {re.escape(why[:20])}", found.table)


def test_the_table_has_it():
    found = ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    lines = dict(line.strip().split("  ", 1) for line in found.table.splitlines() if "  " in line.strip())
    said = {name: int(lines[name].split()[0].replace(",", "").strip(";")) for name in ("fastest of", "not fitting")}
    assert said == {"fastest of": len(EVERY), "not fitting": found.searched.not_fitting}
    assert int(lines["estimated"].replace(",", "")) == found.searched.estimated
    assert "fastest of" not in ae.estimate(MODEL, found.strategy, TIGHT, PODS).table


def test_what_is_found_equals_its_estimate():
    found = ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    assert found == ae.estimate(MODEL, found.strategy, TIGHT, PODS)


def stop_after(count: int, monkeypatch: pytest.MonkeyPatch) -> list[ae.Strategy]:
    """Press Ctrl-C when so many strategies were estimated; those that were."""
    done: list[ae.Strategy] = []
    estimate = best_first.on_links

    def pressed(times):
        if len(done) == count:
            raise KeyboardInterrupt
        done.append(times.strategy)
        return estimate(times)

    monkeypatch.setattr(best_first, "on_links", pressed)
    return done


@pytest.mark.parametrize("count", [1, 2, 5])
def test_interrupted_it_has_the_fastest_so_far(count, monkeypatch):
    done = stop_after(count, monkeypatch)
    with pytest.raises(
        ae.Interrupted, match=rf"after [\d,]+ of {len(EVERY):,} strategies; ae.so_far\(\) has"
    ) as stopped:
        ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    best = stopped.value.so_far
    assert ae.so_far() is best
    assert best.strategy == min(done, key=lambda cut: (value(cut), EVERY.index(cut)))
    assert best.searched.interrupted
    assert best.searched.estimated == count
    assert "interrupted" in best.table
    assert "not reached" in best.table


def test_interrupted_before_anything_is_known_it_is_interrupted_as_ever(monkeypatch):
    stop_after(0, monkeypatch)
    with pytest.raises(KeyboardInterrupt) as stopped:
        ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    assert not isinstance(stopped.value, ae.Interrupted)


def test_interrupted_when_all_is_known_but_the_answer_it_has_the_fastest(monkeypatch):
    """The pipeline of the one that is left is simulated once more, with all that is said of it."""
    found = ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    whole, pressed = best_first.iteration, list[bool]()

    def pressed_once(times):
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return whole(times)

    monkeypatch.setattr(best_first, "iteration", pressed_once)
    with pytest.raises(ae.Interrupted) as stopped:
        ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    assert stopped.value.so_far == found


def test_what_is_given_twice_counts_twice():
    small, large = (replace(ae.Strategy(data=8, batch=16), zero=zero) for zero in (3, 0))
    least, most = (ae.memory(MODEL, cut).total for cut in (small, large))
    assert least < most
    device = replace(TIGHT, memory_bytes=int(least) + 1)
    searched = ae.fastest(MODEL, [large, small, large], device, PODS, fits=True).searched
    assert (searched.candidates, searched.not_fitting, searched.estimated, searched.rest) == (3, 2, 1, 0)
    with pytest.raises(ae.ConfigError, match="doesn't fit into 8 × a100 by this strategy: the least"):
        ae.fastest(MODEL, [large, large], device, PODS, fits=True)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("24 blocks can't be cut into 16 stages.", "… blocks can't be cut into … stages."),
        ("1,024 NPUs; 3.5 do", "… NPUs; … do"),
        ("no numbers", "no numbers"),
    ],
)
def test_reasons_have_no_numbers(words, left):
    assert reason(ae.ConfigError(words)) == left


def test_few_reasons_are_shown():
    many = Searched(20, {f"reason {letter}": count for count, letter in enumerate("abcde", 1)}, 0, 5)
    assert many.lines["  refused"] == "15; 5: reason e; 4: reason d; 3: reason c; …"
    assert many.lines["  cut by bound"] == "0"
    assert len(Searched(2, {"x" * 100: 1}, 0, 1).lines["  refused"]) < 80


def test_what_the_model_cannot_have_is_counted_and_not_in_the_way():
    few = [ae.Strategy(tensor=8, batch=16), ae.Strategy(tensor=16, batch=16), ae.Strategy(data=8, batch=16)]
    odd = ae.transformer("odd", hidden=1000, heads=10, blocks=2, sequence=128, vocabulary=1000)
    found = ae.fastest(odd, few, ae.device("a100"), PODS, fits=True)
    assert found.strategy == few[2]
    assert sum(found.searched.refused.values()) == 2
    assert list(ae.fitting(odd, few, "a100")) == [few[2]]
    for search in (ae.fitting, lambda *given: ae.fastest(*given, PODS)):
        with pytest.raises(ae.ConfigError, match="10 heads can't be divided among 16 NPUs"):
            search(odd, few[:2], "a100")


def test_of_some_that_cannot_be_had_and_others_too_large_it_names_the_least_that_is_needed():
    odd = ae.transformer("odd", hidden=1000, heads=10, blocks=2, sequence=128, vocabulary=1000)
    few = [ae.Strategy(tensor=8, batch=16), ae.Strategy(data=8, batch=16)]
    tiny = replace(ae.device("a100"), memory_bytes=10**6)
    with pytest.raises(ae.ConfigError, match="doesn't fit into 8 × a100 by this strategy"):
        ae.fastest(odd, few, tiny, PODS, fits=True)


def test_what_was_interrupted_comes_back_from_another_process(monkeypatch):
    stop_after(1, monkeypatch)
    with pytest.raises(ae.Interrupted) as stopped:
        ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)
    again = pickle.loads(pickle.dumps(stopped.value))
    assert str(again) == str(stopped.value)
    assert again.so_far == stopped.value.so_far
    assert again.so_far.searched == stopped.value.so_far.searched


def test_a_search_of_plans_that_is_interrupted_has_the_best_of_what_it_has_searched(monkeypatch):
    plans = ae.plans(MODEL, npus=8, batch=64)
    assert len(plans.by_micro_batches) > 3
    pressed_after, search, done = 2, plan_search._within, []

    def pressed(table, most_ns):
        if len(done) == pressed_after:
            raise KeyboardInterrupt
        done.append(search(table, most_ns))
        return done[-1]

    monkeypatch.setattr(plan_search, "_within", pressed)
    with pytest.raises(
        ae.Interrupted, match=r"after 2 of \d+ numbers of micro-batches; .* has the fastest plan"
    ) as stopped:
        ae.fastest(MODEL, plans, "a100", PODS)
    best = stopped.value.so_far
    assert ae.so_far() is best
    assert best.plan.strategies == [label for label in done if label is not None][-1].strategies
    pressed_after, done = 0, []
    with pytest.raises(KeyboardInterrupt) as before:
        ae.fastest(MODEL, plans, "a100", PODS)
    assert not isinstance(before.value, ae.Interrupted)


@pytest.mark.parametrize("search", ["estimate", "fastest", "plans"])
def test_a_collective_that_was_interrupted_is_not_what_has_happened_until_then(search, monkeypatch):
    """It is one of many that were to be simulated, and of it alone nothing would be said that was asked for."""
    stop_after(1, monkeypatch)
    with pytest.raises(ae.Interrupted) as before:
        ae.fastest(MODEL, EVERY, TIGHT, PODS, fits=True)

    def pressed(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_loop, "go_through", pressed)
    fresh = replace(PODS, network=(ae.Dimension.of("Switch", 8, 220, 1234 + len(search)),))
    fresh = replace(fresh, system=ae.SystemConfig.of("halvingDoubling", splits=1))
    asked = {
        "estimate": lambda: ae.estimate(MODEL, ae.Strategy(data=8), "a100", fresh),
        "fastest": lambda: ae.fastest(MODEL, [ae.Strategy(data=8), ae.Strategy(tensor=8)], "a100", fresh),
        "plans": lambda: ae.fastest(MODEL, ae.plans(MODEL, npus=8, batch=64), "a100", fresh),
    }
    with pytest.raises(KeyboardInterrupt) as stopped:
        asked[search]()
    assert not isinstance(stopped.value, ae.Interrupted)
    assert ae.so_far() is before.value.so_far


def test_strategies_of_different_batches_are_compared_by_time_a_sample():
    """A small batch is over sooner, and trains no faster."""
    few, many = ae.Strategy(tensor=8), ae.Strategy(data=8)
    assert value(few) < value(many) < 8 * value(few)
    assert ae.fastest(MODEL, [few, many], "a100", PODS).strategy == many
    cuts = [cut for batch in (8, 16, 32) for cut in candidates(MODEL, 8, batch)][::7]
    each = {cut: value(cut) / cut.samples for cut in cuts}
    found = ae.fastest(MODEL, cuts, "a100", PODS).strategy
    assert each[found] == min(each.values())
    assert value(found) > min(map(value, cuts))
