"""Exercise 10: what its words rely on, and what is special about its checks."""

import re
from math import inf

import pytest
from answers.ex10 import QUESTIONS, right_rule

from astra_edu.base.errors import ConfigError
from astra_edu.course.check import ex10
from astra_edu.course.check.ex10.cases import CLUSTERS, SEEDS, mean_ms, setting_of


@pytest.mark.parametrize(("wrong", "words"), QUESTIONS["chosen"][1])
def test_no_choice_is_given_away(wrong, words):
    message = ex10.chosen(wrong).message
    given = wrong()
    for own in map(repr, given.values() if isinstance(given, dict) else ()):
        message = message.replace(own, "")
    assert not re.search(r"\b[34]\b", message)


# The rule.


def test_a_rule_may_be_written_in_other_ways():
    def one_by_one(clocks, worker, bound):
        return all(clocks[worker] - bound <= other for other in clocks)

    def with_sorting(clocks, worker, bound):
        own = clocks[worker]
        clocks.sort()
        return own <= clocks[0] + bound

    assert ex10.may_start(one_by_one).ok
    assert ex10.may_start(with_sorting).ok


def test_a_rule_is_asked_what_it_could_be_asked():
    asked = []
    ex10.may_start(lambda **case: asked.append(case) or right_rule(**case))
    assert {type(case["clocks"]) for case in asked} == {list}
    assert {0, 1, 3, inf} <= {case["bound"] for case in asked}
    assert {len(case["clocks"]) for case in asked} >= {1, 2, 5}
    answers = [right_rule(**case) for case in asked]
    assert 0.2 < sum(answers) / len(answers) < 0.9


# The choice: what the words of the exercise rely on.


def test_each_cluster_needs_another_mode():
    times = {
        letter: {setting: mean_ms(letter, setting) for setting in ("bulk-synchronous", 0, 3, 8, inf)}
        for letter in CLUSTERS
    }
    best = {letter: min(of_one, key=of_one.get) for letter, of_one in times.items()}
    assert best == {"A": 3, "B": "bulk-synchronous", "C": inf}
    for letter, case in CLUSTERS.items():
        others = [time for setting, time in times[letter].items() if setting != best[letter]]
        assert times[letter][best[letter]] < 0.9 * case.goal_ms
        assert min(others) > 1.1 * case.goal_ms


def test_runs_of_a_case_differ_by_their_seed():
    case = CLUSTERS["C"]
    assert case.run(2, SEEDS[0]).updates == case.run(2).updates != case.run(2, SEEDS[1]).updates
    assert case.run("bulk-synchronous").mode == "bulk-synchronous"
    assert case.run(inf).mode == "asynchronous"
    assert case.run(2).mode == "staleness bound 2"


def test_settings_are_read_as_they_are_meant():
    assert setting_of("Bulk synchronous") == setting_of("bulk_synchronous") == "bulk-synchronous"
    assert setting_of("Asynchronous ") == setting_of(inf) == inf
    assert setting_of(2) == setting_of(2.0) == 2
    assert mean_ms("C", "asynchronous") == mean_ms("C", inf)
    assert CLUSTERS["C"].run("asynchronous").mode == "asynchronous"
    for large in (10**400, 1e300):
        with pytest.raises(
            ConfigError, match='a bound above 1,000,000 never makes anybody wait; "asynchronous" says so'
        ):
            setting_of(large)
    verdict = ex10.chosen(lambda: dict.fromkeys(CLUSTERS, 10**400))
    assert verdict.ok is False
    assert verdict.message.startswith("A: a bound above 1,000,000")
    with pytest.raises(ConfigError, match="Or give a bound"):
        setting_of("fast")
    with pytest.raises(ConfigError, match="cluster is 'D'"):
        mean_ms("D", 1)


def test_the_prediction_is_answered_with_both_modes():
    verdict = ex10.predicted_slowdown(lambda: 4)
    assert repr(verdict).startswith("→ You said 4 times; the simulator says 1.1 times")
    assert "Bulk-synchronous workers make 3.98 times fewer" in verdict.message
    assert "very close" in ex10.predicted_slowdown(lambda: 1.1).message
