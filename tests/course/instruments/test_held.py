"""Held against measurements: times are the tables' and those of rings, bars are errors, questions are about both."""

import csv
from math import prod
from pathlib import Path

import pytest
from halves import few

import astra_edu as ae
from astra_edu.course.instruments.held_job import SYSTEMS
from astra_edu.course.instruments.held_stage import HALF, MOST, ZERO

GIB = 2**30
TABLES = Path(ae.__file__).parent / "measured/collectives"
FILES = {"hgx-h100-8": ("hgx_h100", 8), "a100-8": ("a100_8", 8), "v100-64": ("v100_64", 64)}
TOLD = [(b, u, t) for b in ("links", "measured", "fitted") for u in ("copied", "converted") for t in ("file", "fitted")]


def rows_of(system):
    """{bytes: a row of the table}, as it stands in the file."""
    name, gpus = FILES[system]
    lines = (TABLES / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {int(row["bytes"]): row for row in rows if int(row["gpus"]) == gpus}


def shown(setting=""):
    held = ae.HeldAgainst(setting)
    return held, held.scene(held.values)


def errors(scene):
    """{size in MiB: simulated / measured - 1}, from the curves."""
    measured, simulated = (dict(curve.points) for curve in scene.curves[0].curves[:2])
    return {size: simulated[size] / us - 1 for size, us in measured.items()}


@pytest.mark.parametrize("system", FILES)
def test_measured_and_published_times_are_those_of_the_table(system):
    _, scene = shown(f"system={system}")
    rows = rows_of(system)
    measured, _, *published = scene.curves[0].curves
    shown_sizes = [size for i, size in enumerate(sorted(rows)) if len(rows) <= 10 or i % 2]
    assert [size * 2**20 for size, _ in measured.points] == shown_sizes
    assert [us for _, us in measured.points] == [float(rows[size]["us"]) for size in shown_sizes]
    known = [float(rows[size]["astra_sim_us"]) for size in shown_sizes if rows[size].get("astra_sim_us")]
    assert [us for curve in published for _, us in curve.points] == known


@pytest.mark.parametrize(("bandwidth", "unit", "latency"), TOLD)
def test_simulated_times_are_those_of_a_ring_by_hand(bandwidth, unit, latency):
    rows = rows_of("hgx-h100-8")
    line = ae.measured.judged(ae.measured.sweep("hgx-h100-8")).model
    rate = {
        "links": 450e9,
        "measured": 1.75 * 2**31 / (float(rows[2**31]["us"]) / 1e6),
        "fitted": line.bandwidth(1.75) * 1e9,
    }
    rate_read = rate[bandwidth] * (GIB / 1e9 if unit == "copied" else 1)
    link_us = 0.93625 if latency == "file" else line.latency_us / 28
    _, scene = shown(f"bandwidth={bandwidth} unit={unit} latency={latency}")
    for size, us in scene.curves[0].curves[1].points:
        by_hand = 14 * (2 * link_us + size * 2**20 / 8 / rate_read * 1e6)
        assert us == pytest.approx(by_hand, rel=2e-3)


def test_rings_of_a_hierarchy_run_in_turn_with_one_chunk_and_overlap_with_many():
    sizes = sorted(rows_of("v100-64"))
    for chunks, of_hand in ((1, "in_turn_us"), (16, "overlapped_us")):
        _, scene = shown(f"system=v100-64 bandwidth=links unit=converted chunks={chunks}")
        simulated = [us for _, us in scene.curves[0].curves[1].points]
        by_hand = getattr(ae.measured.hierarchical(sizes[-1], (8, 150), (8, 12.5)), of_hand)
        assert simulated[-1] == pytest.approx(by_hand, rel=0.05)


def test_a_fit_of_two_levels_takes_the_measured_time_at_the_largest_size():
    _, scene = shown("system=v100-64 bandwidth=measured unit=converted")
    assert list(errors(scene).values())[-1] == pytest.approx(0, abs=0.005)


def test_chunks_are_a_setting_of_machines_with_two_levels_only():
    assert ae.HeldAgainst().data["hidden"] == ["chunks"]
    assert ae.HeldAgainst("system=v100-64").data["hidden"] == []
    one, many = (shown(f"chunks={chunks}")[1] for chunks in (1, 16))
    assert errors(one) == errors(many)


@pytest.mark.parametrize("setting", ["", "system=v100-64 chunks=16 latency=fitted", "system=h200-8 bandwidth=fitted"])
def test_bars_are_the_errors_and_come_one_by_one(setting):
    _, scene = shown(setting)
    stage, off = scene.stage, errors(scene)
    bars = [piece for piece in stage.pieces if piece.name.startswith("bar")]
    says = [frame.says for frame in stage.frames if frame.name.startswith("error")]
    assert len(bars) == len(off) == len(stage.steps) - 1
    for number, (bar, said, error) in enumerate(zip(bars, says, off.values(), strict=True), 1):
        assert [at is None for at in bar.at] == [step < number for step in range(len(stage.steps))]
        _, y, _, high = bar.at[-1]
        assert high == pytest.approx(max(1, min(abs(100 * error), MOST) / MOST * HALF))
        assert (y + high if error > 0 else y) == pytest.approx(ZERO)
        assert bar.looks[-1] == ("too slow" if error > 0 else "too fast")
        assert said == ("",) * number + (f"{100 * error:+.1f} %".replace("-", "−"),) * (len(bars) + 1 - number)
    assert ("would be longer" in stage.steps[0]) == (max(off.values()) > MOST / 100)


def test_its_numbers_are_mean_and_worst():
    _, scene = shown()
    off = [abs(100 * error) for error in errors(scene).values()]
    assert scene.numbers["mean error"][0] == pytest.approx(sum(off) / len(off))
    assert scene.numbers["worst error"][0] == pytest.approx(max(off))
    assert min(value for value, _ in scene.numbers.values()) > 0  # what is compared in percent has no sign
    assert scene.headline == "off by 13.9 % in the mean, by 34.3 % at most"


def test_a_fit_says_to_which_sizes_it_was_fitted():
    _, scene = shown("latency=fitted")
    assert ["fitted to" in step for step in scene.stage.steps[1:]] == [True, False] * 3 + [True]
    _, scene = shown()
    assert not any("fitted to" in step for step in scene.stage.steps)
    _, scene = shown("system=a100-8 latency=fitted")
    assert not any("fitted to" in step for step in scene.stage.steps)


def test_a_simulator_that_is_always_right_isnt_the_answer_and_the_true_curve_is():
    held, scene = shown()
    true = [100 + 100 * error for error in errors(scene).values()]
    assert list(held.question(held.values).drawing.xs) == list(errors(scene))
    assert not held.predict([100] * 7).right
    found = held.predict(true)
    assert found.right
    assert "too high" in found.why
    assert "lacks latency" in found.why


def test_the_largest_error_is_where_the_question_says():
    where = {}
    for system in SYSTEMS:
        for bandwidth, unit, latency in few(TOLD, 4):
            held, scene = shown(f"system={system} bandwidth={bandwidth} unit={unit} latency={latency}")
            if not held.question(held.values).choices:
                continue
            percents = [100 * error for error in errors(scene).values()]
            largest = max(percents, key=abs)
            name = {percents[0]: "the smallest", percents[-1]: "the largest"}.get(largest, "one in between")
            if max(percents) - min(percents) <= 2:
                name = "all alike, within 2 points"
            assert held.answer(held.values).value == name
            where[name] = held.text
    assert {"the smallest", "the largest", "one in between"} <= set(where)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("unit=converted", "the bandwidth is right. Small ones tell of the latency: there it lacks latency."),
        ("bandwidth=links unit=converted latency=fitted", "the bandwidth is too high."),
        ("system=h200-8 unit=converted latency=fitted", "changes its protocol or algorithm"),
        ("system=v100-64 chunks=16", "overlaps the phases"),
    ],
)
def test_the_reason_tells_the_kinds_of_error_apart(setting, words):
    held, _ = shown(setting)
    assert words in held.answer(held.values).why


@pytest.mark.parametrize("setting", ["", "system=v100-64 chunks=16 unit=converted", "system=a100-8 latency=fitted"])
def test_the_code_says_the_same(setting, capsys):
    _, scene = shown(setting)
    exec(scene.code, {"ae": ae})
    printed = {float(size): float(us) for size, _, us in map(str.split, capsys.readouterr().out.splitlines())}
    for size, us in scene.curves[0].curves[1].points:
        assert printed[size * 2**20] == us


def test_it_says_source_and_what_was_told_and_no_number_before_a_prediction():
    held, scene = shown()
    assert "off by" not in held.summary()
    held.dismiss()
    assert "ASTRA-sim documentation, validation/hardware/gpu-validation-hgx-h100" in held.summary()
    assert "370.3 × 10⁹ bytes/s, written as 370.3," in held.summary()
    assert scene.headline in held.summary()
    assert "written as 344.8," in shown("unit=converted")[1].sentences[0]


@pytest.mark.parametrize("system", SYSTEMS)
def test_as_many_npus_as_were_measured(system):
    assert prod(npus for npus, _ in SYSTEMS[system].dims) == ae.measured.sweep(system).npus
