"""A training that fails: every number and block is of jobs of astra_edu.reliability, made here once more."""

from itertools import pairwise

import pytest

import astra_edu as ae
from astra_edu.course.instruments.keep_job import MINUTES
from astra_edu.reliability import daly_s, goodput_share, young_s

SETTINGS = ["", "npus=1024 mtbf=10000 every=240 stands=300", "every=5 stands=5 restart=2 seed=2", "spares=4 restart=30"]
LOOKS = {"useful": "useful", "checkpoint": "checkpoint", "lost": "lost", "restart": "restart"}
LOOKS["waiting"] = "waits for a spare"


def job(values, minutes=None):
    minutes = values["every"] if minutes is None else minutes
    more = {} if values["spares"] == "enough" else {"spares": values["spares"]}
    return ae.TrainingJob(
        values["npus"],
        10,
        values["mtbf"],
        6 * minutes,
        values["stands"] * 10**11,
        100,
        detect_s=60,
        restart_s=60 * values["restart"] - 60,
        node_npus=8,
        **more,
    )


def shown(setting):
    keep = ae.KeepTraining(setting)
    return keep, keep.scene(keep.values), ae.goodput(job(keep.values), 7, keep.values["seed"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_numbers_and_bars_are_those_of_the_job(setting):
    keep, scene, run = shown(setting)
    assert scene.numbers["goodput"][0] == pytest.approx(100 * run.share)
    assert scene.numbers["work lost"][0] == run.lost_npu_h
    assert scene.numbers["failures"][0] == len(run.failures_s)
    assert scene.headline == f"goodput {100 * run.share:.1f} % of 7 days, {len(run.failures_s)} failures"
    here, best = scene.bars[0].bars
    shares = {minutes: goodput_share(job(keep.values, minutes)) for minutes in MINUTES}
    other = max(shares, key=shares.get)
    assert (here.label, best.label) == (f"every {keep.values['every']} min", f"every {other} min, the best")
    for bar, of in ((here, run), (best, ae.goodput(job(keep.values, other), 7, keep.values["seed"]))):
        sizes = {part.look: part.size for part in bar.parts}
        for kind, look in LOOKS.items():
            assert sizes.get(look, 0) == pytest.approx(100 * of.share_of(kind))
        assert bar.size == pytest.approx(100)
        assert bar.said == f"{100 * of.share:.1f} % useful"


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_first_day_is_drawn_span_by_span_in_rows_of_four_hours(setting):
    _, scene, run = shown(setting)
    (lanes,) = scene.lanes
    assert lanes.lanes == ("0–4 h", "4–8 h", "8–12 h", "12–16 h", "16–20 h", "20–24 h")
    assert lanes.end == 4
    rows = {lane: 4 * row for row, lane in enumerate(lanes.lanes)}
    found = sorted((rows[b.lane] + b.start, rows[b.lane] + b.end, b.look) for b in lanes.blocks)
    assert found[0][0] == 0
    assert found[-1][1] == pytest.approx(24)
    for a, b in pairwise(found):
        assert a[1] == pytest.approx(b[0])
    for start, end, look in found:
        middle = 3600 * (start + end) / 2
        span = next(span for span in run.spans if span.start_s <= middle < span.end_s)
        assert look == LOOKS[span.kind]
        assert start >= span.start_s / 3600 - 1e-9
        assert end <= span.end_s / 3600 + 1e-9
    assert len({block.name for block in lanes.blocks}) == len(lanes.blocks)


@pytest.mark.parametrize("setting", SETTINGS[:3])
def test_curves_are_the_formula_and_the_runs_of_every_interval(setting):
    keep, scene, _ = shown(setting)
    formula, simulated = scene.curves[0].curves
    assert (formula.look, simulated.look) == ("by the formula", "simulated failures")
    for minutes, (x, y), (also, seen) in zip(MINUTES, formula.points, simulated.points, strict=True):
        assert x == also == minutes
        assert y == pytest.approx(100 * goodput_share(job(keep.values, minutes)))
        assert seen == pytest.approx(100 * ae.goodput(job(keep.values, minutes), 7, keep.values["seed"]).share)


def test_what_is_said_is_of_the_job():
    keep, scene, run = shown("")
    said, one = " ".join(scene.sentences), job(keep.values)
    assert "The job fails every 3.1 h on average (50,000 h for one NPU / 16,384 NPUs); here 68 times" in said
    assert f"{run.seconds['lost'] / 60 / 68:.1f} min of work that was not stored" in said
    assert f"{run.seconds['restart'] / 60 / 68:.1f} min until training goes on" in said
    young, daly = young_s(60, one.mtbf_s) / 60, daly_s(60, one.mtbf_s) / 60
    assert f"Best interval: {young:.0f} min by Young, √(2 × checkpoint × MTBF); {daly:.0f} min by Daly" in said
    assert "Spare nodes run out" not in said
    _, short, few = shown("spares=4")
    assert f"for {few.seconds['waiting'] / 3600:,.1f} h all wait until one is repaired" in " ".join(short.sentences)


def test_it_asks_how_often_it_fails_which_interval_is_best_and_for_the_curve_in_turn():
    how_often = ae.KeepTraining(every=120)
    assert how_often.question(how_often.values).unit == "failures"
    assert how_often.predict(7 * 24 * 16_384 / 50_000).right
    assert not ae.KeepTraining(every=120).predict(7 * 24 / 50_000 * 1024).right
    best = ae.KeepTraining()
    assert best.question(best.values).choices == tuple(f"{minutes} min" for minutes in MINUTES)
    shares = {minutes: goodput_share(job(best.values, minutes)) for minutes in MINUTES}
    assert best.predict(f"{max(shares, key=shares.get)} min").right
    drawn = ae.KeepTraining(every=240)
    assert drawn.question(drawn.values).drawing.xs == MINUTES
    assert drawn.predict(tuple(100 * goodput_share(job(drawn.values, minutes)) for minutes in MINUTES)).right
    assert not ae.KeepTraining(every=240).predict(tuple(90 for _ in MINUTES)).right


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_code_says_the_same(setting, capsys):
    keep, scene, run = shown(setting)
    exec(scene.code, {"ae": ae})
    one = job(keep.values)
    numbers = goodput_share(one), young_s(one.blocked_s, one.mtbf_s), daly_s(one.blocked_s, one.mtbf_s)
    assert capsys.readouterr().out.splitlines() == [repr(run), " ".join(map(str, numbers))]


def test_it_says_no_share_before_a_prediction():
    keep = ae.KeepTraining()
    assert " %" not in keep.summary()
    assert [ae.KeepTraining(every=every).data["scene"]["lanes"][0]["open"] for every in (60, 120)] == [True, False]
    keep.predict("20 min")
    assert keep.data["scene"]["headline"] in keep.summary()
