"""The case studies: times are the simulator's, platforms are drawn to scale, lines are those that a collective has."""

from itertools import pairwise

import pytest
from astra_edu.studies.case_studies import (
    JOBS,
    SYSTEMS,
    Job,
    all_reduce,
    case_study_platform,
    gpt3,
    grouped,
    scheduled,
    train,
)

import astra_edu as ae
from astra_edu.course.instruments.case_stage import NPUS, PER_GB_S, boundaries

GIB = 2**30
GPT3 = Job("GPT-3, 12 blocks", gpt3(12), JOBS["GPT-3"].strategy)


def simulated(system, job, scheduler):
    if job == "all-reduce":
        return all_reduce(scheduled(case_study_platform(system), scheduler), GIB).total_ns
    what = {"gpt3": GPT3, "dlrm": JOBS["DLRM"]}[job]
    return train(what, scheduled(case_study_platform(system, splits=16), scheduler)).total_ns


def shown(setting=""):
    case = ae.CaseStudies(setting)
    return case, case.scene(case.values)


@pytest.mark.parametrize("job", ["gpt3", "dlrm", "all-reduce"])
@pytest.mark.parametrize("themis", ["off", "on"])
def test_its_times_are_those_of_the_simulator(job, themis):
    _, scene = shown(f"job={job} themis={themis}")
    for side, system in (("left", "W-1D-350"), ("right", "Conv-3D")):
        times = [simulated(system, job, scheduler) for scheduler in ("baseline", "Themis, SCF")]
        assert scene.numbers[side][0] == times[themis == "on"]
        assert scene.numbers[f"Themis, {side}"][0] == pytest.approx(100 * (1 - times[1] / times[0]))
        bars = [bar for bar in scene.bars[0].bars if bar.label.startswith(system)]
        assert [bar.size for bar in bars] == pytest.approx([ns / 1e6 for ns in times])


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_npu_is_in_its_box_of_each_dimension_and_none_on_another(system):
    _, scene = shown(f"one={system} other=W-1D-350 job=all-reduce")
    frames = {frame.name: frame.box for frame in scene.stage.frames}
    pieces = [p for p in scene.stage.pieces if p.name.startswith("left")]
    assert len(pieces) == NPUS
    assert len({p.at[0][:2] for p in pieces}) == NPUS
    corners = sorted(p.at[0][:2] for p in pieces)
    assert all(abs(a[0] - b[0]) >= 5.2 or abs(a[1] - b[1]) >= 5.2 for a, b in pairwise(corners))
    for d, size in enumerate(boundaries(system)):
        if size < 16:
            continue
        for number in range(NPUS // size):
            box = frames[f"left, {system}, dimension {d}, box {number}"]
            mine = [npu for npu, piece in enumerate(pieces) if inside(piece.at[0], box)]
            assert mine == list(range(number * size, (number + 1) * size))
        mine = [box for name, box in frames.items() if name.startswith(f"left, {system}, dimension {d}, box")]
        assert not any(overlap(box, other) for number, box in enumerate(mine) for other in mine[:number])


def overlap(box, other):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, other
    return x < left + all_wide and left < x + wide and y < top + all_high and top < y + high


def inside(box, frame):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, frame
    return left <= x and x + wide <= left + all_wide and top <= y and y + high <= top + all_high


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("job", ["gpt3", "transformer-1t"])
def test_lines_are_as_wide_as_fast_and_lit_where_the_collectives_of_the_simulator_run(system, job, monkeypatch):
    monkeypatch.setattr("astra_edu.course.instruments.case_job.time", lambda *_: None)
    from astra_edu.course.instruments.case_stage import platform_stage

    stage = platform_stage("", (system, system), job)
    tensor = JOBS[{"gpt3": "GPT-3", "transformer-1t": "Transformer-1T"}[job]].strategy.tensor
    cut, inner = grouped(case_study_platform(system), tensor)
    platform, origin = SYSTEMS[system].dimensions, []
    left = 1
    for block in cut.blocks:  # which dimension each block is, or is a part of
        left *= block.npus
        origin.append(next(d for d, size in enumerate(boundaries(system)) if left <= size))
    for d, (_, _, rate) in enumerate(platform):
        line = next(link for link in stage.links if link.name == f"left, {system}, line {d}")
        assert line.wide[0] == pytest.approx(rate * PER_GB_S)
        wanted = ("tensor group" if d in origin[:inner] else "link", "data group" if d in origin[inner:] else "link")
        assert line.looks == ("link", *wanted)
    for npu in (0, 1, tensor - 1, tensor, 511):
        piece = next(p for p in stage.pieces if p.name == f"left, {system}, NPU {npu}")
        assert piece.looks == (
            "NPU",
            "tensor group" if npu < tensor else "NPU",
            "data group" if npu % tensor == 0 else "NPU",
        )


def test_the_bandwidth_of_each_kind_of_collective_is_that_of_its_lines():
    _, scene = shown()
    assert {bar.label: bar.size for bar in scene.bars[1].bars} == {
        "W-1D-350: in all": 350, "W-1D-350: tensor": 350, "W-1D-350: copies": 350,
        "Conv-3D: in all": 350, "Conv-3D: tensor": 200, "Conv-3D: copies": 150,
    }  # fmt: skip


@pytest.mark.parametrize("system", SYSTEMS)
def test_everything_is_on_the_stage(system):
    _, scene = shown(f"one={system} other={system} job=all-reduce")
    wide, high = scene.stage.size
    boxes = [frame.box for frame in scene.stage.frames] + [piece.at[0] for piece in scene.stage.pieces]
    assert max(x + w for x, _, w, _ in boxes) <= wide
    assert max(y + h for _, y, _, h in boxes) <= high
    lines = [link for link in scene.stage.links if link.name.startswith("left")]
    edges = [(link.points[0][1] - link.wide[0] / 2, link.points[0][1] + link.wide[0] / 2) for link in lines]
    assert all(below < above for (_, below), (above, _) in pairwise(edges))
    assert edges[-1][1] <= high


def test_questions_are_answered_from_the_runs():
    case, _ = shown()
    assert case.predict("alike, within 3 %").said == "You said alike, within 3 %; it is W-1D-350."
    alike = ae.CaseStudies("other=Conv-3D job=all-reduce themis=on one=W-1D-350")
    assert alike.question(alike.values).choices[-1] == "nowhere by 1 % or more"
    gains = {s: 1 - simulated(s, "all-reduce", "Themis, SCF") / simulated(s, "all-reduce", "baseline") for s in SYSTEMS}
    assert alike.answer(alike.values).value == max(gains, key=gains.get) == "W-2D"
    same = ae.CaseStudies("one=W-1D-350 other=W-1D-350 job=all-reduce")
    assert same.question(same.values).choices[-1] == "nowhere by 1 % or more"
    near = ae.CaseStudies("one=W-1D-350 other=Conv-3D job=all-reduce themis=off")
    assert near.answer(near.values).value == "W-1D-350"


def test_equal_bandwidth_is_equal_for_an_all_reduce_that_themis_orders():
    case = ae.CaseStudies("one=W-1D-500 other=W-2D job=all-reduce themis=on")
    assert not case._asks_for_themis(case.values) or case.values["themis"] == "on"
    one, other = (case.scene(case.values).numbers[side][0] for side in ("left", "right"))
    assert abs(one / other - 1) < 0.03


@pytest.mark.parametrize("setting", ["job=all-reduce", "themis=on"])
def test_the_code_says_the_same(setting, capsys):
    case, scene = shown(setting)
    exec(scene.code, {"ae": ae})
    assert capsys.readouterr().out.splitlines() == [
        f"{case.values[s]} {scene.numbers[side][0]} ns" for s, side in (("one", "left"), ("other", "right"))
    ]


def test_it_says_what_is_unverified_and_no_time_before_a_prediction():
    case, scene = shown()
    assert " ms" not in case.summary()
    case.predict("Conv-3D")
    assert "unverified" in case.summary()
    assert scene.headline in case.summary()
