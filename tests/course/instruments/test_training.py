"""A training iteration: every block, piece and number is of a run of ae.simulate, every wait one of its report."""

from itertools import pairwise
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.course.instruments.training_job import LOOPS_OF, V100, five_layers, platform, run, without_overlap
from astra_edu.course.instruments.training_lanes import COMPUTE, WAITS
from astra_edu.course.instruments.training_stage import MOST_STEPS, layer_frame, moments
from astra_edu.workload import Layer, Work

EX3 = Path(__file__).parents[3] / "exercises/inputs/asplos2022/ex3"
MIB = 2**20
SETTINGS = [
    "",
    "scheduling=LIFO",
    "loop=MODEL bandwidth=4",
    "loop=HYBRID_DATA_MODEL scheduling=LIFO splits=2",
    "loop=DATA_REORDER overlap=False iterations=1",
    "splits=8",
    "active=4 splits=8 scheduling=LIFO",
    "workload=vgg16 scheduling=LIFO",
    "workload=gpt3 iterations=1",
    "workload=gpt3 loop=HYBRID_TRANSFORMER bandwidth=0.5",
]


def shown(setting):
    training = ae.TrainingIteration(setting)
    return training.values, training.scene(training.values), run(training.values)


# What is simulated


@pytest.mark.parametrize("scheduling", ["FIFO", "LIFO"])
@pytest.mark.parametrize("passes", [1, 2])
def test_vgg_16_is_the_tutorials_file_on_the_tutorials_machines(scheduling, passes):
    from dataclasses import replace

    machines = ae.load_astra_sim(network=EX3 / "dgx2.json", system=EX3 / "dgx2.txt")
    machines = replace(machines, system=replace(machines.system, scheduling=scheduling))
    result = ae.simulate(ae.load_workload(EX3 / "vgg16.txt", compute_scale=V100), machines, passes)
    _, scene, _ = shown(f"workload=vgg16 scheduling={scheduling} iterations={passes}")
    found = [scene.numbers[name][0] for name in ("total", "compute", "exposed")]
    assert found == [result.total_ns, result.compute_ns, result.exposed_ns]


def test_gpt_3_is_the_tutorials_file():
    machines = ae.load_astra_sim(network=EX3 / "dgx2.json", system=EX3 / "dgx2.txt")
    result = ae.simulate(ae.load_workload(EX3 / "gpt3.txt"), machines)
    _, scene, _ = shown("workload=gpt3 scheduling=LIFO iterations=1")
    assert scene.numbers["total"][0] == result.total_ns


@pytest.mark.parametrize(("loop", "share"), [("DATA", 1), ("MODEL", 1), ("HYBRID_DATA_MODEL", 16)])
def test_the_five_layers_are_these(loop, share):
    rows = [(60, 16, 0.25), (100, 8, 1), (100, 4, 4), (20, 1, 64), (10, 1, 16)]
    names = ["conv1", "conv2", "conv3", "fc1", "fc2"]
    layers = []
    for name, (microseconds, activations, weights) in zip(names, rows, strict=True):
        passed = Work(microseconds * 1000, "all-reduce", activations * MIB)
        layers.append(Layer(name, passed, passed, Work(passed.compute_ns, "all-reduce", int(weights * MIB / share)), 1))
    assert five_layers(loop) == ae.Workload(loop, tuple(layers))
    result = ae.simulate(ae.Workload(loop, tuple(layers)), ae.preset("dgx2"), passes=2)
    assert shown(f"loop={loop} scheduling=LIFO")[1].numbers["total"][0] == result.total_ns


def test_settings_of_the_system_and_the_network_are_taken():
    on = platform(ae.TrainingIteration("bandwidth=4 splits=8 active=2 scheduling=LIFO").values)
    assert [dimension.bandwidth for dimension in on.network] == [100, 25]
    assert (on.system.splits, on.system.active_chunks, on.system.scheduling) == (8, 2, "LIFO")


@pytest.mark.parametrize("loop", ["DATA", "MODEL", "HYBRID_DATA_MODEL"])
def test_without_overlap_nothing_is_sent_while_the_npu_computes(loop):
    before = dict(ae.LOOPS)
    _, _, done = shown(f"loop={loop} overlap=False bandwidth=2")
    assert dict(ae.LOOPS) == before
    computed = [(start, end) for _, start, end in done.result.computed]
    for stay in done.result.stays:
        assert not any(stay.queued_ns < end and start < stay.end_ns for start, end in computed)
    assert shown(f"loop={loop} bandwidth=2")[2].result.total_ns < done.result.total_ns


def test_a_loop_is_put_back_where_the_run_fails(monkeypatch):
    monkeypatch.setattr("astra_edu.course.instruments.training_job.simulate", lambda *_, **__: 1 / 0)
    before = ae.LOOPS["DATA"]
    with pytest.raises(ZeroDivisionError):
        ae.TrainingIteration("overlap=False bandwidth=8 splits=1 active=4 iterations=1")
    assert ae.LOOPS["DATA"] is before
    assert without_overlap(before) is not before


# Waits


@pytest.mark.parametrize("setting", SETTINGS)
def test_waits_are_those_of_the_report_and_all_time_is_compute_or_a_wait(setting):
    _, _, done = shown(setting)
    report = done.result.layers.filter(like="exposed").sum(axis=1)
    waited = dict.fromkeys((layer.name for layer in done.result.running), 0.0)
    for wait in done.waits:
        if wait.task:
            waited[wait.task.layer] += wait.end_ns - wait.start_ns
    assert waited == {name: exposed for (_, name), exposed in report.items()}
    assert done.exposed == waited
    end = sum(wait.end_ns - wait.start_ns for wait in done.waits if wait.task is None)
    steps = 3 * (len(done.result.computed) + len(done.waits))
    assert 0 <= done.end_ns - end <= steps
    assert done.result.compute_ns + sum(waited.values()) + end >= done.result.total_ns - steps


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_bars_are_the_report(setting):
    _, scene, done = shown(setting)
    unit, per = ("ms", 1e6) if done.result.total_ns >= 1e8 else ("µs", 1e3)
    time, layers = scene.bars
    kinds = {}
    for span in done.result.timeline:
        if span.lane == "compute":
            kinds[span.work] = kinds.get(span.work, 0) + span.end_ns - span.start_ns
    parts = {part.look: part.size for part in time.bars[0].parts}
    assert parts == pytest.approx(
        {kind: ns / per for kind, ns in kinds.items()} | {"exposed communication": done.result.exposed_ns / per}
    )
    assert (time.unit, layers.unit) == (unit, unit)
    raw = done.result.layers.filter(like="communication").sum(axis=1)
    exposed = done.result.layers.filter(like="exposed").sum(axis=1)
    bars = {bar.label: bar for bar in layers.bars}
    for (_, name), ns in raw.items():
        if ns:
            assert bars[name].size == pytest.approx(ns / per)
            assert bars[name].parts[0].size == pytest.approx(exposed.xs(name, level="layer").iloc[0] / per)
        else:
            assert name not in bars


# Lanes


@pytest.mark.parametrize("setting", SETTINGS)
def test_blocks_are_the_spans_of_the_run(setting):
    _, scene, done = shown(setting)
    lanes, per = scene.lanes[0], done.unit[1]
    blocks = lanes.blocks
    assert len({block.name for block in blocks}) == len(blocks)
    computed = [
        (s.layer, s.work, s.start_ns / per, s.end_ns / per) for s in done.result.timeline if s.lane == "compute"
    ]
    assert [(b.text, b.look, b.start, b.end) for b in blocks if b.lane == COMPUTE] == computed
    waits = [(wait.start_ns / per, wait.end_ns / per) for wait in done.waits]
    assert [(b.start, b.end) for b in blocks if b.lane == WAITS] == waits
    for d in range(len(done.result.logical)):
        mine = [b for b in blocks if b.lane.split(",")[0] == f"dimension {d}"]
        spans = [span for span in done.result.timeline if span.dimension == d]
        assert sum(b.end - b.start for b in mine) == pytest.approx(sum(s.end_ns - s.start_ns for s in spans) / per)
        for span in spans:
            inside = [b for b in mine if b.start <= span.start_ns / per and span.end_ns / per <= b.end]
            assert any((b.text, b.look) == (span.layer, span.phase) for b in inside)
    for lane in lanes.lanes:
        ordered = sorted((b.start, b.end) for b in blocks if b.lane == lane)
        assert all(one[1] <= other[0] + 1e-9 for one, other in pairwise(ordered))


def test_several_chunks_at_once_have_a_lane_for_each_place():
    _, scene, _ = shown("active=4 splits=8 scheduling=LIFO")
    assert [lane for lane in scene.lanes[0].lanes if lane.startswith("dimension 1")] == [
        "dimension 1",
        *(f"dimension 1, place {place}" for place in (2, 3, 4)),
    ]


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_a_wait_names_goes_on_all_the_time_until_it_ends(setting):
    _, scene, _ = shown(setting)
    blocks = {block.name: block for block in scene.lanes[0].blocks}
    waits = [block for block in blocks.values() if block.lane == WAITS]
    assert waits
    for wait in waits:
        marked = sorted((blocks[name].start, blocks[name].end) for name in wait.because)
        now = wait.start
        for start, end in marked:
            assert start <= now + 1e-2
            now = max(now, end)
        assert now >= wait.end - 1e-2


@pytest.mark.parametrize("setting", ["", "scheduling=LIFO", "loop=HYBRID_DATA_MODEL", "loop=DATA_REORDER"])
def test_a_chunk_names_what_ended_as_it_began(setting):
    _, scene, done = shown(setting)
    blocks = {block.name: block for block in scene.lanes[0].blocks}
    for block in blocks.values():
        for name in block.because:
            if block.lane not in (COMPUTE, WAITS):
                assert blocks[name].end == pytest.approx(block.start, abs=0.002)
                assert blocks[name].lane == COMPUTE or blocks[name].lane.startswith("dimension")
            elif block.lane == COMPUTE:
                assert blocks[name].lane == WAITS
    queued = [stay for stay in done.result.stays if stay.start_ns > stay.queued_ns]
    for stay in queued[:20]:
        block = blocks[f"stay {done.result.stays.index(stay)}"]
        (holder,) = block.because
        assert blocks[holder].lane.split(",")[0] == block.lane.split(",")[0]


# The stage


def within(box, frame):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, frame
    return left <= x + 0.01 and x + wide <= left + all_wide + 0.01 and top <= y and y + high <= top + all_high + 1e-6


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_chunk_is_where_its_spans_have_it_and_the_npu_at_its_layer(setting):
    _, scene, done = shown(setting)
    stage, times = scene.stage, moments(done)
    frames = {frame.name: frame.box for frame in stage.frames}
    assert len(stage.steps) == len(times) == len(stage.times) <= 2 * MOST_STEPS + 2
    assert list(stage.times) == [t / done.unit[1] for t in times]
    for step, t in enumerate(times):
        places = {}
        for piece in stage.pieces[:-1]:
            if box := piece.at[step]:
                where = [name for name, frame in frames.items() if "dimension" in name and within(box, frame)]
                places[where[0]] = places.get(where[0], 0) + 1
        for d in range(len(done.result.logical)):
            mine = [stay for stay in done.result.stays if stay.phase.dimension == d]
            assert places.get(f"queue of dimension {d}", 0) == sum(s.queued_ns <= t < s.start_ns for s in mine)
            assert places.get(f"dimension {d}", 0) == sum(s.start_ns <= t < s.end_ns for s in mine)
        npu = stage.pieces[-1]
        for task, start, end in done.result.computed:
            if start <= t < end:
                assert within(npu.at[step], frames[layer_frame(task.layer)])
                assert npu.looks[step] == task.kind


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_two_chunks_lie_on_each_other(setting):
    _, scene, _ = shown(setting)
    for step in range(len(scene.stage.steps)):
        boxes = [piece.at[step] for piece in scene.stage.pieces if piece.at[step]]
        for number, (x, y, wide, high) in enumerate(boxes):
            clash = [1 for a, b, *_ in boxes[number + 1 :] if abs(x - a) < wide - 0.01 and abs(y - b) < high - 0.01]
            assert not clash


def test_who_is_next_stands_at_the_right():
    _, scene, done = shown("splits=8")
    step, t = next((k, t) for k, t in enumerate(moments(done)) if t > 1_000_000)
    waiting = [s for s in done.result.stays if s.phase.dimension == 1 and s.queued_ns <= t < s.start_ns]
    assert len(waiting) >= 3
    first = min(waiting, key=lambda stay: stay.start_ns)
    boxes = {piece.name: piece.at[step] for piece in scene.stage.pieces[:-1] if piece.at[step]}
    queue = next(frame.box for frame in scene.stage.frames if frame.name == "queue of dimension 1")
    inside = {name: box for name, box in boxes.items() if within(box, queue)}
    rightmost = max(inside, key=lambda name: (inside[name][0], -inside[name][1]))
    assert f"chunk {first.chunk} of {first.what.layer}’s" in rightmost


# Questions


def test_at_first_it_is_asked_for_which_layer_the_npu_waits_longest_and_that_is_the_smallest():
    training = ae.TrainingIteration()
    question = training.question(training.values)
    assert question.choices == ("conv1", "conv2", "conv3", "fc1", "fc2")
    assert question.places == {layer_frame(name): name for name in question.choices}
    assert {layer_frame(name) for name in question.choices} <= {
        f["name"] for f in training.data["scene"]["stage"]["frames"]
    }
    found = training.predict("fc1")
    assert (found.right, found.answer) == (False, "conv1")
    assert "256 KiB" in found.why
    assert "fc1 2" in found.why


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_answer_is_what_the_report_has(setting):
    training = ae.TrainingIteration(setting)
    question, answer = training.question(training.values), training.answer(training.values)
    result = run(training.values).result
    if question.unit == "%":
        assert answer.value == round(100 * result.exposed_ns / result.total_ns, 1)
    elif question.places:
        exposed = result.layers.filter(like="exposed").sum(axis=1)
        assert answer.value == exposed.idxmax()[1]
    else:
        assert answer.value in question.choices


def test_fifo_against_lifo_depends_on_whether_another_iteration_waits():
    def sooner(setting):
        training = ae.TrainingIteration(setting)
        assert training.question(training.values).choices == (
            "FIFO finishes sooner",
            "LIFO finishes sooner",
            "the same, within 1 %",
        )
        return training.answer(training.values).value

    totals = {
        (order, count): shown(f"scheduling={order} iterations={count}")[2].result.total_ns
        for order in ("FIFO", "LIFO")
        for count in (1, 2)
    }
    assert totals["FIFO", 1] < totals["LIFO", 1]
    assert totals["FIFO", 2] > totals["LIFO", 2]
    assert sooner("iterations=1") == "FIFO finishes sooner"
    assert sooner("loop=MODEL bandwidth=0.5") == "the same, within 1 %"


def test_every_kind_of_question_comes_up_one_setting_away():
    asked = set()
    for setting in ae.TrainingIteration.settings:
        for value in setting.values:
            try:
                training = ae.TrainingIteration(**{setting.name: value})
            except ae.ConfigError:
                continue
            question = training.question(training.values)
            asked.add("layer" if question.places else question.unit or "order")
    assert asked == {"layer", "%", "order"}


def test_loops_that_a_workload_has_nothing_for_are_greyed_and_refused():
    training = ae.TrainingIteration()
    names = training.settings[1].values
    for name, loops in LOOPS_OF.items():
        greyed = ae.TrainingIteration(workload=name).data["greyed"].get("loop", {})
        assert {names[int(place)] for place in greyed} == set(names) - set(loops) - {"own"}
    with pytest.raises(ae.ConfigError, match="vgg16 has no collectives for MODEL; take its own loop, or DATA"):
        ae.TrainingIteration("workload=vgg16 loop=MODEL")


def test_nothing_of_the_run_is_told_before_a_prediction():
    training = ae.TrainingIteration()
    assert "exposed" not in training.summary()
    assert training.data["scene"]["stage"]["clock"]
    assert not any(lanes["open"] for lanes in training.data["scene"]["lanes"])
    training.predict("conv1")
    assert "60.6 %" in training.summary()


@pytest.mark.parametrize(
    "setting", ["", "overlap=False scheduling=LIFO", "workload=vgg16 loop=DATA_REORDER", "workload=gpt3 overlap=False"]
)
def test_the_code_says_the_same(setting, capsys):
    training = ae.TrainingIteration(setting)
    before = dict(ae.LOOPS)
    exec(training.data["scene"]["code"], {"ae": ae})
    assert capsys.readouterr().out.splitlines()[-1] == repr(run(training.values).result)
    assert dict(ae.LOOPS) == before


@pytest.mark.parametrize("setting", ["", "scheduling=LIFO", "workload=vgg16"])
def test_the_reasons_of_a_wait_last_as_long_as_it_does(setting):
    _, _, done = shown(setting)
    for layer, exposed in done.exposed.items():
        assert sum(done.meanwhile(layer).values()) == pytest.approx(exposed, abs=3 * len(done.waits))


def test_many_chunks_are_drawn_small_and_do_not_leave_their_frames():
    _, scene, _ = shown("workload=vgg16 splits=8")
    assert max(piece.at[k][2] for piece in scene.stage.pieces[:-1] for k in range(len(piece.at)) if piece.at[k]) == 6
    assert len(scene.stage.pieces) == 2 * 16 * 8 + 1
