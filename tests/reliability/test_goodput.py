"""A job that fails: against lists of failures worked out on paper, a slower way, Daly's figures and the formula."""

from dataclasses import replace
from math import exp, inf, isclose, sqrt

import pytest

import astra_edu as ae
from astra_edu.reliability import (
    KINDS,
    best_every,
    daly_s,
    goodput_share,
    intervals,
    over_seeds,
    young_s,
)
from astra_edu.reliability import run as reliability_run
from astra_edu.reliability.published import REPORTS, reports

DAY = 86_400
JOB = ae.TrainingJob(
    npus=1000,
    iteration_s=10,
    npu_mtbf_h=10_000,
    checkpoint_every=100,
    checkpoint_bytes="2 TB",
    storage_gb_s=20,
    detect_s=60,
    restart_s=540,
)


@pytest.fixture
def fails(monkeypatch):
    """Failures at the times that a test wants."""

    def at(*times_s):
        class Listed:
            def __init__(self, _):
                self.gaps = [b - a for a, b in zip((0, *times_s), times_s, strict=False)]

            def expovariate(self, _):
                return self.gaps.pop(0) if self.gaps else 1e12

            def random(self):
                return 0.0

        monkeypatch.setattr(reliability_run, "Random", Listed)

    return at


def spans(result):
    return [(span.kind, round(span.start_s, 6), round(span.end_s, 6)) for span in result.spans]


def hours(result):
    return {kind: round(seconds, 6) for kind, seconds in result.seconds.items() if seconds}


def test_what_is_trained_since_the_last_checkpoint_is_lost(fails):
    fails(1500)
    result = ae.goodput(JOB, days=3600 / DAY)
    assert spans(result) == [
        ("useful", 0, 1000),
        ("checkpoint", 1000, 1100),
        ("lost", 1100, 1500),
        ("restart", 1500, 1560),
        ("restart", 1560, 2100),
        ("useful", 2100, 3100),
        ("checkpoint", 3100, 3200),
        ("useful", 3200, 3600),
    ]
    assert result.share == 2400 / 3600
    assert result.iterations == 240
    assert result.lost_npu_h == 1000 * 400 / 3600
    assert result.failures_s == (1500,)


def test_a_checkpoint_that_isnt_stored_yet_counts_for_nothing(fails):
    fails(1050)
    assert spans(ae.goodput(JOB, days=1650 / DAY))[:3] == [
        ("lost", 0, 1000),
        ("checkpoint", 1000, 1050),
        ("restart", 1050, 1110),
    ]


def test_a_failure_while_it_restarts_begins_the_restart_anew(fails):
    fails(1500, 1900)
    result = ae.goodput(JOB, days=2600 / DAY)
    assert [span for span in spans(result) if span[0] == "restart"] == [
        ("restart", 1500, 1560),
        ("restart", 1560, 1900),
        ("restart", 1900, 1960),
        ("restart", 1960, 2500),
    ]


def test_an_asynchronous_checkpoint_holds_training_up_for_its_snapshot_only_and_counts_once_it_is_stored(fails):
    job = replace(JOB, snapshot_s=5)
    fails(1500)
    assert spans(ae.goodput(job, days=1500 / DAY)) == [
        ("useful", 0, 1000),
        ("checkpoint", 1000, 1005),
        ("useful", 1005, 1500),
    ]
    fails(1104)  # it is stored at 1105
    assert spans(ae.goodput(job, days=1704 / DAY))[:3] == [
        ("lost", 0, 1000),
        ("checkpoint", 1000, 1005),
        ("lost", 1005, 1104),
    ]
    fails(1106)
    assert spans(ae.goodput(job, days=1706 / DAY))[:3] == [
        ("useful", 0, 1000),
        ("checkpoint", 1000, 1005),
        ("lost", 1005, 1106),
    ]


def test_the_next_checkpoint_waits_until_the_one_before_is_stored(fails):
    fails()
    slow = replace(JOB, snapshot_s=5, storage_gb_s=1)  # 2000 s to store
    assert spans(ae.goodput(slow, days=3100 / DAY)) == [
        ("useful", 0, 1000),
        ("checkpoint", 1000, 1005),
        ("useful", 1005, 2005),
        ("waiting", 2005, 3005),
        ("checkpoint", 3005, 3010),
        ("useful", 3010, 3100),
    ]


def test_a_failure_ends_what_is_being_stored(fails):
    fails(1500)
    slow = replace(JOB, snapshot_s=5, storage_gb_s=0.5)  # 4000 s to store
    assert spans(ae.goodput(slow, days=3105 / DAY))[-2:] == [("useful", 2100, 3100), ("checkpoint", 3100, 3105)]


def test_without_a_spare_all_wait_for_the_repair(fails):
    fails(500, 3000)
    job = replace(JOB, spares=1, repair_h=2)
    result = ae.goodput(job, days=10_000 / DAY)
    assert [span for span in spans(result) if span[0] == "waiting"] == [("waiting", 3060, 560 + 7200)]
    assert hours(result)["waiting"] == 4700


def test_nobody_fails_while_all_wait(fails):
    fails(500, 3000, 3500)
    assert len(ae.goodput(replace(JOB, spares=1, repair_h=2), days=10_000 / DAY).failures_s) == 2


def test_a_job_that_shrinks_trains_on_more_slowly_and_takes_the_node_in_after_a_checkpoint(fails):
    fails(500)
    job = replace(JOB, node_npus=100, spares=0, repair_h=0.5, shrink=True)
    result = ae.goodput(job, days=4000 / DAY)
    end = 1100 + 1000 * 10 / 9
    assert spans(result) == [
        ("lost", 0, 500),
        ("restart", 500, 560),
        ("restart", 560, 1100),
        ("useful", 1100, round(end, 6)),
        ("checkpoint", round(end, 6), round(end + 100, 6)),
        ("useful", round(end + 100, 6), round(end + 100 + 1000 * 10 / 9, 6)),
        ("checkpoint", round(end + 100 + 1000 * 10 / 9, 6), round(end + 200 + 1000 * 10 / 9, 6)),
        ("restart", round(end + 200 + 1000 * 10 / 9, 6), 4000),
    ]
    assert [span.nodes for span in result.spans] == [10, 10, 9, 9, 9, 9, 9, 10]
    assert result.seconds["useful"] == pytest.approx(2000)
    assert result.seconds["shrunk"] == pytest.approx(2 * 1000 / 9)


def by_scanning(job, failures_s, total_s):
    """The useful seconds, from the list of failures alone: interval by interval, without events."""
    useful = now = 0.0
    failures = [*failures_s, inf]
    while now < total_s:
        end, stored = now + job.interval_s, now + job.interval_s + job.blocked_s
        failed = next(at for at in failures if at > now)
        if failed > min(stored, total_s):
            useful += min(end, total_s) - now
            now = stored
            continue
        now = failed + job.recovery_s
        while (again := next(at for at in failures if at > failed)) < now:
            failed, now = again, again + job.recovery_s
    return useful


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("change", [{}, {"npu_mtbf_h": 1000}, {"checkpoint_every": 7}, {"restart_s": 0, "detect_s": 0}])
def test_the_same_as_by_scanning_the_failures(change, seed):
    job = replace(JOB, **change)
    result = ae.goodput(job, days=20, seed=seed)
    assert result.seconds["useful"] == pytest.approx(by_scanning(job, result.failures_s, 20 * DAY), rel=1e-9)


SYNCHRONOUS = {"often": {"npu_mtbf_h": 1500}, "seldom": {"npu_mtbf_h": 20_000}, "short": {"checkpoint_every": 20}}
ASYNCHRONOUS = {"behind": {"snapshot_s": 4}, "slow storage": {"snapshot_s": 4, "storage_gb_s": 1, "npu_mtbf_h": 3000}}


@pytest.mark.parametrize("change", [*SYNCHRONOUS.values(), *ASYNCHRONOUS.values()], ids=[*SYNCHRONOUS, *ASYNCHRONOUS])
def test_the_formula_is_within_the_error_of_the_runs(change):
    job = replace(JOB, **change)
    found = over_seeds(job, days=300 * job.mtbf_s / DAY, seeds=range(5))
    assert found.standard_error < 0.01
    assert abs(found.mean - goodput_share(job)) < 4 * found.standard_error


def test_the_formula_is_dalys():
    m, r, step, stored = JOB.mtbf_s, 600, 1000, 100
    daly = m * exp(r / m) * (exp((step + stored) / m) - 1) / step
    assert goodput_share(JOB) == pytest.approx(1 / daly)
    assert goodput_share(replace(JOB, npu_mtbf_h=inf)) == 1000 / 1100


@pytest.mark.parametrize(("mtbf_min", "best_min"), [(24 * 60, 117), (6 * 60, 57), (15, 9.1)])
def test_dalys_own_figures(mtbf_min, best_min):
    """Figures 3 to 5 of his paper: a dump takes 5 minutes, a restart 10."""
    found = daly_s(5 * 60, mtbf_min * 60) / 60
    assert round(found, 1 if best_min < 10 else 0) == best_min
    assert young_s(5 * 60, mtbf_min * 60) == sqrt(2 * 5 * mtbf_min) * 60
    job = ae.TrainingJob(1, 1, mtbf_min / 60, 1, 5 * 60 * 10**9, 1, restart_s=600)
    assert best_every(job) / 60 == pytest.approx(found, rel=0.01)


def test_the_best_interval_is_found_by_search_among_all():
    for change in ({}, {"npu_mtbf_h": 300}, {"snapshot_s": 2}, {"storage_gb_s": 1, "snapshot_s": 2}):
        job = replace(JOB, **change)
        shares = {every: goodput_share(replace(job, checkpoint_every=every)) for every in range(1, 2000)}
        assert best_every(job) == max(shares, key=shares.get)


def test_the_best_simulated_interval_is_where_young_and_daly_say():
    found = intervals(JOB, days=80, seeds=range(4))
    best = found.best.job.interval_s
    assert found.daly_s / 1.5 < best < found.daly_s * 1.5
    assert found.daly_s < found.young_s
    table = found.table.set_index("interval_s")
    assert table["simulated"].idxmax() == best
    assert (abs(table["simulated"] - table["formula"]) < 4 * table["standard_error"]).all()
    assert table["simulated"].iloc[0] < table["simulated"].max() > table["simulated"].iloc[-1]


@pytest.mark.parametrize("seed", range(3))
def test_every_second_is_spent_on_one_thing(seed):
    for change in ({}, {"spares": 2}, {"spares": 0, "shrink": True}, {"snapshot_s": 9}):
        job = replace(JOB, node_npus=8, repair_h=6, **change)
        result = ae.goodput(job, days=15, seed=seed)
        assert result.spans[0].start_s == 0
        assert isclose(result.spans[-1].end_s, 15 * DAY)
        assert all(a.end_s == b.start_s for a, b in zip(result.spans, result.spans[1:], strict=False))
        assert sum(result.seconds.values()) == pytest.approx(15 * DAY)
        assert set(result.seconds) == set(KINDS)
        assert result.table["share"].sum() == pytest.approx(1)


def test_as_many_failures_as_the_mtbf_says_and_the_same_for_a_seed():
    runs = [ae.goodput(JOB, days=100, seed=seed) for seed in range(8)]
    expected = 8 * 100 * DAY / JOB.mtbf_s
    assert abs(sum(len(run.failures_s) for run in runs) - expected) < 4 * sqrt(expected)
    assert ae.goodput(JOB, days=100, seed=3).failures_s == runs[3].failures_s != runs[4].failures_s


def test_a_job_that_never_fails_only_stores():
    result = ae.goodput(replace(JOB, npu_mtbf_h=inf), days=11_000 / DAY)
    assert result.share == pytest.approx(10 / 11)
    assert repr(result) == "<goodput 90.9 % of 0.127315 days: 0 failures; checkpoint 9.1 %>"


def test_an_iteration_is_what_a_run_takes_and_at_least_what_its_links_allow():
    trace = ae.traces.collective("all_to_all", "1 MiB", npus=8)
    platform = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("direct"))
    run = ae.simulate(trace, platform)
    assert run.bound_ns > run.total_ns
    assert replace(JOB, iteration_s=run).iteration_s == run.bound_ns / 1e9


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"npus": 0}, "npus is 0"),
        ({"npu_mtbf_h": 0}, "npu_mtbf_h is 0; it must be greater than 0"),
        ({"iteration_s": "10"}, "give seconds, or what ae.simulate"),
        ({"node_npus": 7}, "npus is 1000; it must be a multiple of node_npus, which is 7"),
        ({"shrink": True}, "give spares=0, for example"),
        ({"checkpoint_bytes": "many"}, "size is 'many'"),
        ({"checkpoint_every": 10**13}, "1e[+]?12 s are the most"),
        ({"snapshot_s": -1}, "snapshot_s is -1"),
    ],
)
def test_what_is_no_job_is_told(change, says):
    with pytest.raises(ae.ConfigError, match=says):
        replace(JOB, **change)


def test_too_many_events_are_told():
    with pytest.raises(ae.ConfigError, match="checkpoints and failures would have to be followed"):
        ae.goodput(replace(JOB, npu_mtbf_h=1e-3), days=365)
    with pytest.raises(ae.ConfigError, match=r"give an ae.TrainingJob"):
        ae.goodput("job", days=1)
    with pytest.raises(ae.ConfigError, match="two at least"):
        over_seeds(JOB, 1, [1])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: best_every(replace(JOB, npu_mtbf_h=1e-3, restart_s=10_000)), "no interval leaves any goodput"),
        (lambda: best_every(replace(JOB, npu_mtbf_h=inf)), "nothing ever fails"),
        (lambda: intervals(replace(JOB, npu_mtbf_h=inf), 1, range(2)), "nothing ever fails"),
        (lambda: intervals(JOB, 1, 5), "seeds is 5; give whole numbers"),
        (lambda: intervals(JOB, 1, range(2), []), "every is empty; give numbers"),
        (lambda: intervals("job", 1), "job is 'job'; give an ae.TrainingJob"),
        (lambda: goodput_share(None), "job is None; give an ae.TrainingJob"),
        (lambda: best_every(5), "job is 5; give an ae.TrainingJob"),
    ],
)
def test_what_has_no_goodput_or_no_best_interval_is_told(wrong, says):
    with pytest.raises(ae.ConfigError, match=says):
        wrong()


def test_the_reports_and_what_they_make_of_one_npu():
    llama = REPORTS[0]
    assert (llama.npus, llama.days, llama.failures) == (16_384, 54, 466 - 47)
    assert round(llama.npu_mtbf_h) == round(54 * 24 * 16_384 / 419)
    table = reports()
    assert table["source"].str.contains("arXiv").all()
    assert list(table["NPUs"]) == [16_384, 992, 384, 10_000, 9_600]


def test_a_job_like_llamas_has_its_effective_time_of_more_than_90_percent():
    """Failures as reported; what a checkpoint and a restart take isn't, so that is assumed."""
    llama = REPORTS[0]
    job = ae.TrainingJob(
        llama.npus, 20, llama.npu_mtbf_h, 50, "6 TB", 2000, snapshot_s=5, detect_s=60, restart_s=240, node_npus=8
    )
    found = over_seeds(job, llama.days, range(10))
    assert found.mean > llama.at_least
    assert 380 < sum(len(run.failures_s) for run in found.runs) / 10 < 460
