"""The checks of exercise 10: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import math
import re
from math import inf, log

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.check import ex10
from astra_edu.course.check.ex10.cases import CLUSTERS, SEEDS, mean_ms, setting_of


def server(workers, size_mib, servers, bandwidth, latency_ns, ways=2, hops=2):
    return ways * (hops * latency_ns / 1e3 + workers * size_mib / 1024 / (servers * bandwidth) * 1e6)


def in_step(compute_us, exchange_us, kind=max):
    return sum(kind(row) + exchange_us for row in compute_us)


def by_worker(compute_us):
    return [*zip(*compute_us, strict=True)]


def harmonic(workers):
    return sum(1 / k for k in range(1, workers + 1))


def free(compute_us, transfer_us, latency_us, trips=2):
    return sum(1e6 / (c + trips * (transfer_us + latency_us)) for c in compute_us)


def rate(compute_us, transfer_us, latency_us, trips=2):
    return min(free(compute_us, transfer_us, latency_us, trips), 1e6 / transfer_us)


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "server_us": (
        ex10.server_us,
        server,
        [
            (lambda **c: server(**c, ways=1), "That is the push"),
            (lambda **c: server(**c, hops=1), "crosses two links"),
            (lambda **c: server(**(c | {"workers": 1})), "one worker's message"),
            (lambda **c: server(**(c | {"servers": 1})), "one central server"),
            (lambda **c: server(**(c | {"workers": c["workers"] - 1})), "a machine of its own"),
            (lambda **c: server(**(c | {"latency_ns": c["latency_ns"] * c["workers"]})), "Latencies overlap"),
            (lambda **c: server(**(c | {"latency_ns": 0})), "without any latency"),
            (lambda **c: server(**(c | {"latency_ns": 1000 * c["latency_ns"]})), "given in ns"),
            (lambda **c: server(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: server(**c) / 1e3, "in ms"),
            (lambda **c: server(**c) / 1e6, "in seconds"),
            (lambda **c: 1.5 * server(**c), "too large"),
        ],
    ),
    "synchronous_us": (
        ex10.synchronous_us,
        in_step,
        [
            (
                lambda compute_us, exchange_us: max(map(sum, by_worker(compute_us))) + len(compute_us) * exchange_us,
                "own sum",
            ),
            (lambda compute_us, exchange_us: sum(map(max, compute_us)), "exchanges are missing"),
            (lambda compute_us, exchange_us: sum(map(max, compute_us)) + exchange_us, "in every iteration"),
            (lambda **c: in_step(**c, kind=lambda row: sum(row) / len(row)), "with the mean"),
            (lambda **c: in_step(**c, kind=min), "the fastest one's"),
            (lambda **c: in_step(**c, kind=sum), "at the same time"),
            (
                lambda compute_us, exchange_us: len(compute_us) * (max(map(max, compute_us)) + exchange_us),
                "doesn't come in every",
            ),
            (lambda compute_us, exchange_us: in_step(by_worker(compute_us), exchange_us), "A row is an iteration"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "slowest_in_means": (
        ex10.slowest_in_means,
        harmonic,
        [
            (lambda workers: 1, "one worker's mean"),
            (lambda workers: workers, "So bad it isn't"),
            (lambda workers: log(workers), "not 0"),
            (lambda workers: 1 + log(workers), "from above"),
            (lambda workers: log(workers) + 0.5772156649, "A good approximation; the sum"),
            (lambda workers: 1 / workers, "the fastest takes"),
            (lambda workers: harmonic(workers) - 1, "some time, too"),
            (lambda workers: 2 * workers / (workers + 1), "uniform times"),
            (lambda workers: harmonic(workers + 1), "too large for workers = 1"),
        ],
    ),
    "asynchronous_per_s": (
        ex10.asynchronous_per_s,
        rate,
        [
            (free, "More than the server can take"),
            (lambda **c: 1e6 / c["transfer_us"], "do the workers bring it"),
            (lambda **c: rate(**c, trips=1), "pushes and pulls"),
            (lambda **c: rate(**c, trips=0), "they take time"),
            (lambda **c: rate(**(c | {"latency_us": 0})), "latency is missing"),
            (lambda **c: min(free(**c), 5e5 / c["transfer_us"]), "two directions"),
            (lambda **c: rate(**(c | {"compute_us": [max(c["compute_us"])] * len(c["compute_us"])})), "Nobody waits"),
            (
                lambda **c: rate(
                    **(c | {"compute_us": [sum(c["compute_us"]) / len(c["compute_us"])] * len(c["compute_us"])})
                ),
                "Add up rates",
            ),
            (lambda **c: rate(**c) / len(c["compute_us"]), "one worker's share"),
            (lambda **c: rate(**c) / 1e3, "for each ms"),
            (lambda **c: rate(**c) / 1e6, "for each µs"),
        ],
    ),
}


def right_rule(clocks, worker, bound):
    return clocks[worker] - min(clocks) <= bound


RULES = [
    (lambda clocks, worker, bound: True, "Too loose.*asynchronous mode"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) < bound, "Too strict.*exactly.*deadlock"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= bound + 1, "Too loose.*one more"),
    (lambda clocks, worker, bound: clocks[worker] == min(clocks), "Too strict.*bound of 0"),
    (lambda clocks, worker, bound: max(clocks) - min(clocks) <= bound, "A deadlock.*stops everybody"),
    (lambda clocks, worker, bound: max(clocks) - clocks[worker] <= bound, "wrong way round"),
    (lambda clocks, worker, bound: clocks[worker] <= bound, "A deadlock.*lead over the slowest"),
    (lambda clocks, worker, bound: clocks[worker] - sum(clocks) / len(clocks) <= bound, "the average"),
    (lambda clocks, worker, bound: False, "A deadlock: having finished .* should"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= 2 * bound, "Too loose: having finished"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= bound // 2, "Too strict: having finished"),
    (lambda clocks, worker, bound: clocks[worker] - sorted(clocks)[len(clocks) // 2] <= bound, "Too loose: having"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks), "it should return True or False"),
    (lambda clocks, worker, bound: None, "returns None"),
    (lambda clocks, worker: True, "TypeError"),
]
CHECKS = NUMBERS | {
    "may_start": (ex10.may_start, right_rule, RULES),
    "chosen": (
        ex10.chosen,
        lambda: {"A": 3, "B": "Bulk-synchronous", "C": "asynchronous"},
        [
            (lambda: {"A": inf, "B": inf, "C": inf}, "A takes .* overshoot. B takes .* 5 ms for a push"),
            (lambda: {"A": 0, "B": "bulk-synchronous", "C": 2}, "A takes .*15 workers.* C takes .* puts off"),
            (lambda: {"A": 4, "B": 16, "C": "bulk_synchronous"}, "B takes .* C takes .* waiting for one"),
            (lambda: {"A": 3, "B": "synchronous", "C": 4}, "B: 'synchronous' is no mode; did you mean"),
            (lambda: {"A": 3.5, "B": 0, "C": 4}, "A: 3.5 is no bound"),
            (lambda: {"A": 3, "B": -1, "C": 4}, "B: -1 is no bound"),
            (lambda: {"A": 3, "B": True, "C": 4}, "B: True is no bound"),
            (lambda: {"A": 3, "C": 4}, "an entry for each of A, B, C"),
            (lambda: 3, "Return a dict"),
        ],
    ),
}
WRONG = [(name, wrong, words) for name, (_, _, all_wrong) in CHECKS.items() for wrong, words in all_wrong]
ALL = {name: check for name, (check, *_) in CHECKS.items()} | {"predicted_slowdown": ex10.predicted_slowdown}


@pytest.mark.parametrize("name", CHECKS)
def test_the_right_answer(name):
    check, right, _ = CHECKS[name]
    verdict = check(right)
    assert verdict.ok, verdict


@pytest.mark.parametrize(("name", "wrong", "words"), WRONG)
def test_wrong_answers_are_told_why(name, wrong, words):
    verdict = CHECKS[name][0](wrong)
    assert verdict.ok is False
    assert re.search(words, verdict.message), verdict


@pytest.mark.parametrize("name", ALL)
def test_a_stub_is_not_answered_yet(name):
    def stub(*_, **__):
        raise NotImplementedError("How many?")

    verdict = ALL[name](stub)
    assert verdict.ok is None
    assert repr(verdict) == "… Not answered yet: How many?"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", [None, "many", math.nan, math.inf, [None], {"a": 1}, -1, object()])
def test_an_answer_that_is_none(name, value):
    assert ALL[name](lambda *_, **__: value).ok is False


@pytest.mark.parametrize("name", ALL)
def test_a_function_that_breaks_is_reported_with_its_error(name):
    verdict = ALL[name](lambda *_, **__: 1 // 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] in NUMBERS])
def test_no_right_value_is_given_away(name, wrong, words):
    """A number in a verdict is the question's own or the student's, never the answer to the case it names."""
    check, right, _ = NUMBERS[name]
    asked = []
    check(lambda **case: asked.append(dict(case)) or right(**case))
    message = check(wrong).message
    shown = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", message.replace(",", ""))}
    for case in asked:
        if all(f"{key} = {value}" in message for key, value in case.items()):
            own = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", str(case))}
            student = re.search(r"you have ([\d,.]*\d)", message)
            own |= {float(student[1].replace(",", ""))} if student else set()
            assert float(right(**case)) not in shown - own


@pytest.mark.parametrize(("name", "wrong", "words"), [case for case in WRONG if case[0] == "chosen"])
def test_no_choice_is_given_away(name, wrong, words):
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
