"""Exercise 13: what its words rely on, and what is special about its checks."""

import pytest
from answers.ex13 import GIB, MIB, QUESTIONS, disagreeing, files, readable, times, unmatched

import astra_edu as ae
from astra_edu.course.check import ex13
from astra_edu.explain import explain


def test_what_is_shown_may_be_changed_and_the_check_stays_as_it_is(monkeypatch):
    """Whoever mends ex13.SYSTEM itself, in a cell of their own, isn't judged by what they have made of it."""
    for key, names in ex13.SYSTEM.items():
        if key.endswith("-implementation"):
            monkeypatch.setitem(ex13.SYSTEM, key, names * 4)
    assert ex13.corrected(files).ok


def test_an_answer_may_change_what_it_gets():
    def in_place(nodes):
        for own in nodes:
            for node in own:
                if "duration_micros" in node:
                    node["duration_micros"] //= 1000
        return nodes

    assert ex13.in_microseconds(in_place).ok


@pytest.mark.parametrize(("wrong", "words"), QUESTIONS["corrected"][1])
def test_no_bandwidth_is_given_away(wrong, words):
    message = ex13.corrected(wrong).message
    assert "419" not in message
    assert "0.93" not in message
    assert "1e9" not in message


def test_a_guess_is_answered_with_the_truth():
    verdict = ex13.speedup(lambda: 1)
    assert (verdict.ok, verdict.guess) == (True, True)
    assert "the simulator says 1.90332 times" in verdict.message


def test_case_1_prints_what_the_tutorial_does():
    """28,600 and 4,120 cycles are what ASTRA-sim's tutorial at MICRO 2024 shows."""
    attributes = ex13.recorded_attributes()
    for topology, time in (("Ring", 28_600), ("FullyConnected", 4_120)):
        broken = ex13.run_in_2024(attributes, topology)
        assert broken.total_ns == time == ex13.run_in_2024(attributes, topology, gb_s=5000).total_ns
        assert ex13.run_in_2024(readable(attributes), topology).total_ns > 2 * time
        assert "All collectives and messages of NPU 0 have 0 bytes" in repr(explain(broken))


def test_case_2_hides_all_communication():
    runs = [ae.simulate(ae.traces.from_nodes(ex13.converted()), platform) for platform in ex13.PLATFORMS.values()]
    assert [run.compute_ns[0] for run in runs] == [195_206_000] * 2
    assert runs[1].total_ns / runs[0].total_ns < 1.01
    assert "was it filled with ns?" in repr(explain(runs[0]))
    mended = ae.traces.from_nodes(times(ex13.converted(), lambda ns: round(ns / 1000)))
    fast, slow = (ae.simulate(mended, platform).total_ns for platform in ex13.PLATFORMS.values())
    assert slow / fast > 1.5


def test_case_3_never_ends_and_could():
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500))
    with pytest.raises(ae.ConfigError, match="has no counterpart"):
        ae.simulate(ae.traces.from_nodes(ex13.stuck()), ring)
    assert sorted(unmatched(ex13.stuck())) == [
        (1, 2, 1, MIB),
        (1, 2, 1, 2 * MIB),
        (3, 2, 2, 2 * MIB),
        (3, 2, 102, 2 * MIB),
    ]
    good = ex13.pipeline(4, 3, 2 * MIB)
    assert not unmatched(good)
    assert ae.simulate(ae.traces.from_nodes(good), ring).total_ns > 0


def test_case_4_is_at_odds_and_could_agree():
    ring = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("ring", splits=4))
    with pytest.raises(ae.ConfigError, match="group"):
        ae.simulate(ae.traces.from_nodes(ex13.quarrel(), ex13.GROUPS), ring)
    assert disagreeing(ex13.quarrel(), ex13.GROUPS) == {"1": [2, 5], "2": [5]}
    good = ex13.grouped(ex13.GROUPS, 3, MIB)
    assert not disagreeing(good, ex13.GROUPS)
    assert ae.simulate(ae.traces.from_nodes(good, ex13.GROUPS), ring).total_ns > 0


def test_case_5_does_not_see_the_links_between_machines():
    work = ae.traces.collective("all_reduce", bytes=GIB, npus=32)

    def total(gb_s, mend=lambda *files: files):
        network = ex13.NETWORK | {"bandwidth": [450, gb_s]}
        return ae.simulate(work, ex13.platform(*mend(network, ex13.SYSTEM))).total_ns

    assert total(100) == total(1)
    assert total(1, files) > 20 * total(100, files)
    assert total(100, files) > 1.06 * total(100)


@pytest.mark.parametrize("name", QUESTIONS)
def test_verdicts_are_short_though_answers_are_long(name):
    judge = getattr(ex13, name)
    assert all(len(judge(wrong).message) < 300 for wrong, _ in QUESTIONS[name][1])
    assert len(judge(lambda *_, **__: 1 / 0).message) < 200
