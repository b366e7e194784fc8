"""Feed the network: bytes are those of a replay of its own, rates by hand, times of the simulator; pieces follow."""

from collections import Counter

import pytest

import astra_edu as ae
from astra_edu.collectives import Op
from astra_edu.course.instruments.feed_beats import film
from astra_edu.course.instruments.feed_job import CORES, HBM, NETWORK, fed, schedule
from astra_edu.course.studies.endpoint import ACE, BASELINES, COMM_OPT, COMP_OPT, IDEAL, Endpoint, iteration

SHAPES = ("4", "8", "4x2x2", "4x4x2", "4x4x4")
SETTINGS = [
    *(f"shape={shape}" for shape in SHAPES),
    *(f"collective={c} shape={n}" for c in ("reduce-scatter", "all-gather", "all-to-all") for n in (4, 8)),
]


def by_hand(steps, npu, ends):
    """What the usual endpoint reads and writes in each step, from the messages alone. ends: shards that it keeps."""
    waiting, later = Counter(), Counter()
    rows = []
    for step in steps.steps():
        going = [t.shard for t in step.transfers if t.source == npu]
        coming = [t.shard for t in step.transfers if t.destination == npu]
        reads = sum(1 + waiting.pop(shard, 0) for shard in going)
        for shard in coming:
            if step.op is Op.REDUCE:
                waiting[shard] += 1
            else:
                waiting.pop(shard, None)
        rows.append((reads, len(coming), len(going)))
        later.update(going)
    late = sum(1 + count for shard, count in waiting.items() if shard in ends)
    return rows, late


def scene_of(text):
    feed = ae.FeedTheNetwork(text)
    return feed.values, feed.scene(feed.values)


def shown(stage, name, step):
    return next(piece.at[step] for piece in stage.pieces if piece.name == name)


@pytest.mark.parametrize("setting", SETTINGS)
def test_counters_and_bars_are_those_of_a_count_by_hand(setting):
    values, scene = scene_of(setting)
    steps = schedule(values)
    kept = {0} if values["collective"] == "reduce-scatter" else set()
    rows, late = by_hand(steps, 0, kept)
    beats, stage = film(steps).beats, scene.stage
    says = {frame.name: frame.says for frame in stage.frames if frame.says}
    reads = sent = 0
    for t, beat in enumerate(beats):
        if beat.part == "read":
            reads += rows[beat.step][0]
        if beat.part == "send":
            sent += rows[beat.step][2]
        if beat.part == "add":
            reads += late
        assert says["baseline, number read from HBM"][t] == str(reads)
        assert says["baseline, number sent"][t] == says["ACE, number sent"][t] == str(sent)
    assert sent
    traffic, *_ = scene.bars
    assert traffic.bars[0].parts[0].size == pytest.approx(reads / sent)
    assert scene.numbers["baseline reads"][0] == pytest.approx(reads / sent)


@pytest.mark.parametrize("setting", SETTINGS)
def test_ace_reads_what_it_has_once_and_writes_what_changed_once(setting):
    values, scene = scene_of(setting)
    n = 1
    for size in values["shape"].split("x"):
        n *= int(size)
    wanted = {  # in shares of the buffer: read, written, sent
        "reduce-scatter": (1, 1 / n, (n - 1) / n),
        "all-gather": (1 / n, (n - 1) / n, (n - 1) / n),
        "all-to-all": ((n - 1) / n, (n - 1) / n, (n - 1) / n),
    }
    inside, *between = map(int, values["shape"].split("x"))
    sent = 2 * (inside - 1) / inside + sum(2 * (k - 1) / k / inside for k in between)
    read, written, sent = wanted.get(values["collective"], (1, 1, sent))
    bar = scene.bars[0].bars[1]
    assert [part.size for part in bar.parts] == pytest.approx([read / sent, written / sent])


@pytest.mark.parametrize(
    ("setting", "rates", "limit"),
    [
        ("memory=450 cores=6", (300, 320, 400), HBM),
        ("shape=4x4x4 memory=450 cores=6", (300, 320, 300), NETWORK),
        ("shape=4x4x4 memory=450 cores=2", (300, 2 * 80 / 1.5, 300), CORES),
        ("shape=4x4x4 memory=640 cores=12", (640 / 1.5, 640, 300), NETWORK),
        ("collective=all-gather memory=128 cores=1", (128, 80, 400), CORES),
        ("collective=all-to-all memory=64 cores=6", (64, 480, 400), HBM),
    ],
)
def test_what_limits_the_baseline_by_hand(setting, rates, limit):
    values, scene = scene_of(setting)
    mine = Endpoint("mine", values["memory"] * 1e9, values["cores"])
    found = fed(values, mine)
    assert [found.hbm / 1e9, found.cores / 1e9, found.network / 1e9] == pytest.approx(rates)
    assert found.bottleneck == limit
    hbm, cores, _ = scene.bars[1].bars
    assert [hbm.size, cores.size, hbm.limit] == pytest.approx(rates)
    assert (
        f"sends {min(rates):,.0f} × 10⁹ bytes/s: {'its cores are' if limit == CORES else f'{limit} is'} the limit"
        in (scene.sentences[0])
    )


@pytest.mark.parametrize(
    "setting",
    ["", "shape=4x4x4 memory=256 cores=4", "model=dlrm samples=128 shape=4x4x2", "memory=128 cores=2 model=gnmt"],
)
def test_times_and_what_is_left_are_those_of_the_simulator(setting):
    values, scene = scene_of(setting)
    mine = Endpoint("mine", values["memory"] * 1e9, values["cores"])
    dims = tuple(map(int, values["shape"].split("x")))
    endpoints = {each.name: each for each in (*BASELINES, ACE, IDEAL)} | {"your own": mine}
    for bar in scene.bars[3].bars:
        run = iteration(values["model"], endpoints[bar.label], dims, values["samples"])
        assert [part.size for part in bar.parts] == pytest.approx([run.compute_ns / 2e6, run.exposed_ns / 2e6])
        assert bar.said == f"{run.total_ns / 2e6:,.3f} ms"
    known = {COMM_OPT.name: (450, 6), COMP_OPT.name: (128, 2)}
    assert ("your own" in [bar.label for bar in scene.bars[3].bars]) == (
        (values["memory"], values["cores"]) not in known.values()
    )
    left = [bar.parts[0].size for bar in scene.bars[2].bars]
    shares = [100 * (1 - values["memory"] / 900), 100 * (1 - values["cores"] / 80), 100 * (1 - 128 / 900), 100]
    assert left == pytest.approx(shares)
    times = {bar.label: bar.size for bar in scene.bars[3].bars}
    best = min(times[each.name] for each in BASELINES)
    assert scene.bars[4].bars[2].size == pytest.approx(best / times["ACE"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_piece_goes_where_the_replay_has_it(setting):
    values, scene = scene_of(setting)
    steps, stage = schedule(values), scene.stage
    beats = film(steps).beats
    frames = {frame.name: frame.box for frame in stage.frames}
    pieces = {piece.name: piece for piece in stage.pieces}
    messages = list(steps.steps())
    for t, beat in enumerate(beats):
        if beat.part != "send":
            continue
        going = [m for m in messages[beat.step].transfers if m.source == 0]
        coming = [m for m in messages[beat.step].transfers if m.destination == 0]
        for half, place in (("baseline", "cores"), ("ACE", "SRAM")):
            for k, message in enumerate(going):
                piece = pieces[f"{half}, message {k} of step {beat.step}"]
                assert piece.text == str(message.shard)
                assert inside(piece.at[t - 1], frames[f"{half}, {place}"])
                assert inside(piece.at[t], frames[f"{half}, to"])
                assert [step for step, box in enumerate(piece.at) if box] == [t - 1, t]
            for message in coming:
                piece = pieces[f"{half}, arrival {message.shard} of step {beat.step}"]
                assert inside(piece.at[t - 1], frames[f"{half}, from"])
                there = ["HBM"] if messages[beat.step].op is Op.COPY else ["received"]
                there = there if half == "baseline" else ["SRAM", "HBM"]
                assert any(inside(piece.at[t], frames[f"{half}, {name}"]) for name in there)
    final = [piece for piece in stage.pieces if piece.at[-1] and " in HBM " in piece.name]
    kept = {"all-reduce": {"complete"}, "reduce-scatter": {"complete", "own data"}}
    assert {p.looks[-1] for p in final} == kept.get(values["collective"], {"own data", "received"})


def inside(box, frame):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, frame
    return left <= x and x + wide <= left + all_wide and top <= y and y + high <= top + all_high


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_lies_in_a_place_is_one_shard(setting):
    """Copies lie on each other only where they are the same shard's: where they were read, or what they become."""
    _, scene = scene_of(setting)
    for step in range(len(scene.stage.steps)):
        there = {}
        for piece in scene.stage.pieces:
            if piece.at[step] and piece.text:
                there.setdefault(piece.at[step], set()).add(piece.text)
        assert all(len(texts) == 1 for texts in there.values()), (step, there)
        boxes = list(there)
        for number, (x, y, wide, high) in enumerate(boxes):
            assert not any(abs(x - a) < wide and abs(y - b) < high for a, b, *_ in boxes[number + 1 :]), step


def test_counters_grow_on_one_scale():
    _, scene = scene_of("shape=8")
    stage = scene.stage
    says = {frame.name: frame.says for frame in stage.frames if frame.says}
    units = set()
    for half in ("baseline", "ACE"):
        for look in ("read from HBM", "written to HBM", "sent"):
            for step in range(len(stage.steps)):
                count, box = int(says[f"{half}, number {look}"][step]), shown(stage, f"{half}, {look}", step)
                assert (box is None) == (count == 0)
                units |= {round(box[2] / count, 6)} if box else set()
    assert len(units) == 1


def test_the_engines_parts_count_what_they_did():
    _, scene = scene_of("")
    says = {frame.name: frame.says for frame in scene.stage.frames if frame.says}
    moved = sum(map(int, says["ACE, DMA"]))
    assert moved == 4 + 4  # each shard is loaded once and stored once
    assert sum(map(int, says["ACE, ALU"])) == 3
    assert says["ACE, FSM"] == tuple(map(str, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]))


def test_the_alu_adds_while_sums_arrive():
    _, scene = scene_of("")
    says = {frame.name: frame.says for frame in scene.stage.frames if frame.says}
    assert says["ACE, ALU"] == tuple("0010101000000")


def test_a_budget_has_a_name_only_if_both_are_its_own():
    names = [bar.label for text in ("", "cores=2", "memory=128 cores=2") for bar in scene_of(text)[1].bars[1].bars]
    assert names[::3] == ["CommOpt: HBM", "your own: HBM", "CompOpt: HBM"]


def test_steps_are_told_in_words():
    _, scene = scene_of("")
    steps = scene.stage.steps
    assert steps[1] == (
        "Step 1 of 6, to send. Baseline: cores read shard 3 from HBM: 1 read. ACE: loads shards 3 and 2 into its SRAM: "
        "2 reads."
    )
    assert steps[3].startswith("Step 2 of 6, to send. Baseline: cores read shard 2, and what was received to be added")
    assert steps[8].endswith("ACE: keeps shard 3 in its SRAM and stores shard 0 in HBM.")
    _, scattered = scene_of("collective=reduce-scatter")
    assert scattered.stage.steps[-2].endswith(": 2 reads. ACE: has it already.")
    assert (
        scattered.stage.steps[-1]
        == "Step 3 of 3, the sum that stays. Baseline: writes shard 0 to HBM. ACE: nothing to do."
    )


@pytest.mark.parametrize(
    ("setting", "words", "answer"),
    [
        ("", "how many bytes does the baseline read", 1.5),
        ("shape=4x4x4", "How many times fewer", 3.375),
        ("collective=reduce-scatter", "how many bytes does the baseline read", 7 / 3),
        ("collective=all-gather", "How many times fewer", 3),
        ("memory=128", "What limits", HBM),
        ("memory=640", "What limits", CORES),
        ("samples=32", "which endpoint trains fastest", "NoOverlap"),
        ("model=gnmt", "which endpoint trains fastest", "NoOverlap"),
        ("shape=4x4x4 cores=12 samples=32", "How many times fewer", 3.375),
    ],
)
def test_the_question_is_about_what_was_moved(setting, words, answer):
    feed = ae.FeedTheNetwork(setting)
    assert words in feed.question(feed.values).text
    found = feed.predict(answer)
    assert found.right
    assert found.answer == (pytest.approx(answer, abs=1e-4) if isinstance(answer, float | int) else answer)


def test_it_says_nothing_of_bytes_before_a_prediction():
    feed = ae.FeedTheNetwork()
    assert "1.5" not in feed.summary()
    assert feed.data["scene"]["stage"]["hidden"]
    veiled = feed.still()
    feed.predict(1)
    assert feed.data["scene"]["headline"] in feed.summary()
    assert (">5</text>" in veiled, ">5</text>" in feed.still()) == (False, True)


def test_what_is_published_stands_beside_ours_with_the_reason_and_what_is_unverified():
    _, scene = scene_of("shape=4x4x4")
    less, paper, ours, mean = scene.bars[4].bars
    assert [bar.said for bar in (less, paper, ours, mean)] == ["3.38", "3.50", "1.47", "1.41"]
    assert "3.5 times less memory bandwidth" in scene.sentences[2]
    assert scene.sentences[3].startswith("Unverified")


def test_only_the_all_reduce_goes_over_several_dimensions():
    feed = ae.FeedTheNetwork("collective=all-gather")
    assert set(feed.data["greyed"]["shape"]) == {"2", "3", "4"}
    with pytest.raises(ae.ConfigError, match="take 4 or 8 NPUs in one package for an all-gather"):
        ae.FeedTheNetwork("collective=all-gather shape=4x4x4")


@pytest.mark.parametrize("setting", ["", "collective=all-gather memory=256", "shape=4x4x4 samples=4"])
def test_the_code_says_the_same(setting, capsys):
    _, scene = scene_of(setting)
    exec(scene.code, {"ae": ae})
    usual, engine, mine, ace = capsys.readouterr().out.splitlines()
    numbers = [value for value, _ in scene.numbers.values()]
    printed = [float(usual.split()[0]), float(engine.split()[0])]
    printed += [1e6 * float(line.split(" ms")[0].split()[-1]) for line in (mine, ace)]
    assert printed == pytest.approx(numbers)
