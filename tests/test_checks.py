"""The exercises' checks: right answers pass, plausible wrong ones are told why, and nothing is given away."""

import math
import re

import pytest

from astra_edu.course.check import answered, ex1, ex2

GIB = 2**30 / 1e9


# check: (a right answer, [(a wrong one, words of what it is told)])
CHECKS = {
    ex1.steps: (
        lambda npus: 2 * (npus - 1),
        [
            (lambda npus: npus - 1, "one phase"),
            (lambda npus: 2 * npus, "too many"),
            (lambda npus: npus, "two phases apart"),
            (lambda npus: npus * (npus - 1), "all NPUs"),
            (lambda npus: 14, "too large for npus = 2: you have 14. It is right in 1 of the 5"),
        ],
    ),
    ex1.message_bytes: (
        lambda size, splits, npus: size // splits // npus,
        [
            (lambda size, splits, npus: size // npus, "preferred-dataset-splits"),
            (lambda size, splits, npus: size // splits, "a whole split"),
            (lambda size, splits, npus: size, "the whole collective"),
            (lambda size, splits, npus: 14 * size, "too large"),
        ],
    ),
    ex1.message_ns: (
        lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * links * GIB)),
        [
            (lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * links)), "2³⁰"),
            (lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * GIB)), "one link"),
            (lambda size, bandwidth, links, latency: int(size / (bandwidth * links * GIB)), "latency is missing"),
            (lambda size, bandwidth, links, latency: 2 * latency + int(size / (bandwidth * links * GIB)), "1 hop away"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * links * GIB), "whole nanoseconds"),
            (lambda size, bandwidth, links, latency: latency, "latency alone"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * links), "2³⁰"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * GIB), "one link"),
            (lambda size, bandwidth, links, latency: size / (bandwidth * links * GIB), "latency is missing"),
            (lambda size, bandwidth, links, latency: latency + round(size / (bandwidth * links * GIB)), "rounds down"),
        ],
    ),
    ex1.total_ns: (
        lambda npus, splits, message_ns, endpoint_delay: (
            splits * (endpoint_delay + 2 * (npus - 1) * (message_ns + endpoint_delay))
        ),
        [
            (lambda npus, splits, message_ns, endpoint_delay: splits * 2 * (npus - 1) * message_ns, "missing"),
            (
                lambda npus, splits, message_ns, endpoint_delay: (
                    endpoint_delay + 2 * (npus - 1) * (message_ns + endpoint_delay)
                ),
                "That is one split",
            ),
            (
                lambda npus, splits, message_ns, endpoint_delay: (
                    splits * 2 * (npus - 1) * (message_ns + endpoint_delay)
                ),
                "before its first message",
            ),
            (
                lambda npus, splits, message_ns, endpoint_delay: (
                    splits * (endpoint_delay + (npus - 1) * (message_ns + endpoint_delay))
                ),
                "the all-gather is as long again",
            ),
            (lambda npus, splits, message_ns, endpoint_delay: 45681, "too large"),
        ],
    ),
    ex1.sent_mib: (
        lambda npus, size_mib: 2 * (npus - 1) / npus * size_mib,
        [
            (lambda npus, size_mib: (npus - 1) / npus * size_mib, "sends as much again"),
            (lambda npus, size_mib: size_mib, "share of the data"),
            (lambda npus, size_mib: 2 * size_mib, "not exact"),
            (lambda npus, size_mib: 2 * (npus - 1) * size_mib, "all NPUs send together"),
        ],
    ),
    ex2.latency_floor_ns: (
        lambda npus, latency, endpoint_delay, splits: (
            splits * (endpoint_delay + 2 * (npus - 1) * (latency + endpoint_delay))
        ),
        [
            (
                lambda npus, latency, endpoint_delay, splits: splits * 2 * (npus - 1) * latency,
                "endpoint has a delay too",
            ),
            (lambda npus, latency, endpoint_delay, splits: latency + endpoint_delay, "count the steps"),
            (
                lambda npus, latency, endpoint_delay, splits: (
                    endpoint_delay + 2 * (npus - 1) * (latency + endpoint_delay)
                ),
                "one split's",
            ),
            (lambda npus, latency, endpoint_delay, splits: 0, "too small"),
        ],
    ),
    ex2.crossover_mib: (
        lambda floor_us, slope_us_per_mib: floor_us / slope_us_per_mib,
        [
            (lambda floor_us, slope_us_per_mib: slope_us_per_mib / floor_us, "Upside down"),
            (lambda floor_us, slope_us_per_mib: floor_us * slope_us_per_mib, "no size"),
            (lambda floor_us, slope_us_per_mib: floor_us, "a time"),
            (lambda floor_us, slope_us_per_mib: 1, "too small"),
        ],
    ),
    ex2.ranking: (
        lambda: ["FullyConnected", "Ring", "Switch"],
        [
            (lambda: ["FullyConnected", "Ring", "Ring"], "list of the three names"),
            (lambda: ["Ring", "Switch"], "list of the three names"),
            (lambda: "Ring", "list of the three names"),
        ],
    ),
    ex2.injection_gb_s: (
        lambda links, bandwidth: links * bandwidth,
        [
            (lambda links, bandwidth: bandwidth, "one link"),
            (lambda links, bandwidth: links * bandwidth / 2, "each direction"),
            (lambda links, bandwidth: 2 * links * bandwidth, "sending and receiving together"),
            (lambda links, bandwidth: 350, "too large"),
        ],
    ),
    ex2.my_reduce_scatter: (
        lambda step, npu, npus: ((npu + 1) % npus, (npu - 1 - step) % npus),
        [
            (lambda step, npu, npus: ((npu + 1) % npus, npu), "Step 2: NPU 0 sends chunk X0 .* second time"),
            (lambda step, npu, npus: ((npu + 1) % npus, (npu - step) % npus), r"Nearly: on 4 NPUs .* at NPU i \+ 3"),
            (lambda step, npu, npus: (npu + 1, (npu - 1 - step) % npus), r"there is no NPU 4"),
            (lambda step, npu, npus: ((npu + 1 + step) % npus, (npu + 1 + step) % npus), "but no ring"),
            (lambda step, npu, npus: npu, "two numbers"),
            (lambda step, npu, npus: (npu, npu), "doesn't send to itself"),
        ],
    ),
    ex2.one_port_ns: (
        lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / (bandwidth * GIB),
        [
            (lambda npus, size, splits, bandwidth: 2 * size / npus / (bandwidth * GIB), "share one port"),
            (lambda npus, size, splits, bandwidth: (npus - 1) * size / npus / (bandwidth * GIB), "one phase"),
            (lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / bandwidth, "2³⁰"),
            (lambda npus, size, splits, bandwidth: 2 * size / (bandwidth * GIB), "keeps its own share"),
        ],
    ),
}
WRONG = [(check, wrong, words) for check, (_, all_wrong) in CHECKS.items() for wrong, words in all_wrong]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_right_answer(check):
    verdict = check(CHECKS[check][0])
    assert verdict.ok, verdict
    assert repr(verdict).startswith("→ " if check is ex2.ranking else "✓ ")


@pytest.mark.parametrize(("check", "wrong", "words"), WRONG)
def test_wrong_answers_are_told_why(check, wrong, words):
    verdict = check(wrong)
    assert verdict.ok is False
    assert re.search(words, verdict.message), verdict


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_at_least_three_wrong_answers_are_known(check):
    assert len(CHECKS[check][1]) >= 3


@pytest.mark.parametrize("check", [*CHECKS, ex1.predicted_time, ex2.predicted_growth], ids=lambda check: check.__name__)
def test_a_stub_is_not_answered_yet(check):
    def stub(*_, **__):
        raise NotImplementedError("How many steps?")

    verdict = check(stub)
    assert verdict.ok is None
    assert repr(verdict) == "… Not answered yet: How many steps?"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("value", [None, "many", math.nan, math.inf, [1, 2, 3], {}])
def test_an_answer_that_is_none(check, value):
    assert check(lambda *_, **__: value).ok is False


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_function_that_breaks_is_reported_with_its_error(check):
    verdict = check(lambda *_, **__: 1 // 0)
    assert verdict.ok is False
    assert "ZeroDivisionError" in verdict.message


@pytest.mark.parametrize(("check", "wrong", "words"), WRONG)
def test_no_right_value_is_given_away(check, wrong, words):
    """A number in a verdict is the question's own or the student's, never the answer to the case it names."""
    right, asked = CHECKS[check][0], []
    check(lambda **case: asked.append(case) or right(**case))
    message = check(wrong).message
    named = [case for case in asked if all(f"{key} = {value}" in message for key, value in case.items())]
    numbers = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", message.replace(",", ""))}
    for case in named:
        own = (
            {*map(float, case.values()), float(wrong(**case))} if case and check is not ex2.my_reduce_scatter else None
        )
        assert own is None or float(right(**case)) not in numbers - own


@pytest.mark.parametrize("answer", [lambda step, npu, npus: npu, lambda step, npu, npus: (npu // step, 0)])
def test_a_player_shows_an_answer_up_to_where_it_breaks(answer):
    from astra_edu.course.widgets import Player

    player = Player(ex2.own_schedule(answer, 4))
    assert "our function" in player.data["problem"]


def test_predictions_are_answered_whatever_they_are():
    assert "the simulator says 79.481 µs: a factor 4 too low" in ex1.predicted_time(lambda: 20).message
    assert repr(ex1.predicted_time(lambda: 20)).startswith("→ You said 20 µs")
    assert "is that in µs?" in ex1.predicted_time(lambda: 0.08).message
    assert "very close" in ex1.predicted_time(lambda: 78).message
    assert "simulator says 383.841 times" in ex2.predicted_growth(lambda: 1024).message
    assert ex2.ranking(lambda: ["fullyconnected", "ring", "switch"]).message.startswith("Right")
    assert "opposite" in ex2.ranking(lambda: ["Switch", "Ring", "FullyConnected"]).message
    assert "1 of your 3 places" in ex2.ranking(lambda: ["Ring", "FullyConnected", "Switch"]).message
    assert ex1.predicted_time(lambda: 0).ok is False
    assert ex1.predicted_time(lambda: None).ok is False


def test_code_that_uses_an_answer_says_that_there_is_none(capsys):
    with answered():
        raise NotImplementedError("How many?")
    with answered():
        ex1.steps(stub).require()
    assert capsys.readouterr().out == "Not answered yet: How many?\n" * 2


def test_code_that_uses_a_wrong_answer_says_so_without_a_traceback(capsys):
    with answered():
        print(f"{None:,.1f}")
    with answered():
        ex1.steps(lambda npus: npus).require()
        print("not reached")
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Not right yet: see the check above (TypeError: ")
    assert second == "Not right yet: see the check above"


def test_code_that_uses_a_right_answer_runs(capsys):
    with answered():
        ex1.steps(lambda npus: 2 * (npus - 1)).require()
        print("reached")
    assert capsys.readouterr().out == "reached\n"


def test_a_run_that_is_interrupted_stops():
    with pytest.raises(KeyboardInterrupt), answered():
        raise KeyboardInterrupt


def stub(*_, **__):
    raise NotImplementedError("How many?")
