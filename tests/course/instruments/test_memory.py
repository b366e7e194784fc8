"""Memory systems: every time is the studies', every piece is where a run of its packets, kept here, has it."""

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.course.instruments.memory_frames import COLUMN
from astra_edu.course.instruments.memory_job import Way, halved, slowest, ways
from astra_edu.course.instruments.memory_stage import MOST_STEPS
from astra_edu.course.studies.memory_systems import (
    Fabric,
    HierarchicalPool,
    PrivateMemory,
    Stage,
    Transfer,
    case_study_3,
    hiermem,
    zero_infinity,
)
from astra_edu.course.studies.memory_systems.case_study import GPU, MOE_1T

SIZE = 256 * 2**20
SETTINGS = [
    "",
    "move=load-own packet=4096 groups=128",
    "move=store-sum groups=64 link=1024 packet=1024",
    "move=store-own remote=500 zero=alike nodes=4",
    "pool=pass packet=1024 out=64 switches=4",
    "move=store-sum zero=alike packet=4096 nodes=8",
]


def systems(values):
    fabric = Fabric(
        values["nodes"], values["nodes"], values["link"], values["switches"], values["out"], values["packet"] * 1024
    )
    pool = HierarchicalPool(fabric, values["groups"], values["remote"], in_switch=values["pool"] == "compute")
    if values["zero"] == "alike":
        return PrivateMemory(fabric, values["remote"]), pool
    return PrivateMemory(replace(fabric, in_bandwidth=256), 100), pool


def chains(values):
    """The transfers of both systems, as the studies give them."""
    shared = values["move"] in ("load-same", "store-sum")
    sizes = (SIZE, 0) if shared else (0, SIZE)
    for system in systems(values):
        moves = (system.load if values["move"].startswith("load") else system.store)(*sizes)
        yield [move.transfer for chain in moves for move in chain]


def played(transfers):
    """When each packet leaves each stage, packet by packet: [transfer][stage][packet], in ns."""
    begin, found = 0.0, []
    for transfer in transfers:
        arrives = [begin] * transfer.packets
        stages = []
        for stage in transfer.stages:
            free, left = 0.0, []
            for arrival in arrives:
                free = max(arrival, free) + stage.ns / transfer.packets
                left.append(free)
            stages.append(left)
            arrives = left
        begin = arrives[-1]
        found.append(stages)
    return found


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_numbers_are_those_of_the_studies(setting):
    memory = ae.MemorySystems(setting)
    scene = memory.scene(memory.values)
    private, pool = systems(memory.values)
    times = [sum(transfer.ns for transfer in chain) for chain in chains(memory.values)]
    assert [scene.numbers[name][0] for name in ("ZeRO-Infinity", "HierMem")] == pytest.approx(times)
    assert [bar.size for bar in scene.bars[0].bars] == pytest.approx([ns / 1e3 for ns in times])
    iterations = zero_infinity(MOE_1T, GPU, private), hiermem(MOE_1T, GPU, pool)
    assert scene.numbers["of an iteration"][0] == iterations[0].total_ns / iterations[1].total_ns
    for bar, time in zip(scene.bars[2].bars, iterations, strict=True):
        assert {part.look: part.size for part in bar.parts} == {name: ns / 1e6 for name, ns in time.split.items() if ns}
    stages = [stage.ns / 1e3 for chain in chains(memory.values) for transfer in chain for stage in transfer.stages]
    assert [bar.size for bar in scene.bars[1].bars] == stages


def test_the_case_study_comes_out_as_published_there():
    optimised = ae.MemorySystems(remote=500, link=512)
    zero, _, best = case_study_3().values()
    assert optimised.scene(optimised.values).numbers["of an iteration"][0] == zero.total_ns / best.total_ns
    zero, base, _ = case_study_3().values()
    start = ae.MemorySystems()
    assert start.scene(start.values).numbers["of an iteration"][0] == zero.total_ns / base.total_ns


@pytest.mark.parametrize("setting", SETTINGS)
def test_pieces_leave_stages_when_their_last_packet_does(setting):
    values = ae.MemorySystems(setting).values
    for way, chain in zip(ways(values), chains(values), strict=True):
        left = [stage for transfer in played(chain) for stage in transfer]
        pieces = len(way.turns)
        assert pieces == min(8, max(transfer.packets for transfer in chain))
        for number, turns in enumerate(way.turns):
            assert [turn.lane for turn in turns] == list(range(len(left)))
            for turn, ends in zip(turns, left, strict=True):
                last = -(-(number + 1) * len(ends) // pieces) - 1
                assert turn.end_ns == pytest.approx(ends[last])
                first = number * len(ends) // pieces
                assert turn.begin_ns <= turn.start_ns < turn.end_ns
                assert first == 0 or turn.begin_ns >= ends[first - 1] - 1e-6
        assert way.turns[-1][-1].end_ns == pytest.approx(way.ns)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_piece_goes_from_where_its_bytes_are_to_where_they_are_needed(setting):
    memory = ae.MemorySystems(setting)
    stage = memory.scene(memory.values).stage
    frames = {frame.name: frame.box for frame in stage.frames}
    store = memory.values["move"].startswith("store")
    assert len(stage.steps) <= MOST_STEPS + 1
    for piece in stage.pieces:
        system = piece.name.partition(",")[0]
        m, j = piece.name[-8], piece.name[-1]
        shown = [box for box in piece.at if box]
        ends = [f"{system}, memories {m}", f"{system}, GPUs {j}"]
        if store:
            ends.reverse()
        if m == j:
            assert inside(piece.at[0], frames[ends[0]])
            assert inside(piece.at[-1], frames[ends[1]])
            assert piece.looks[-1] == "complete"
        elif store:
            assert inside(shown[0], frames[ends[0]])
            assert piece.at[-1] is None
        else:
            assert piece.at[0] is None
            assert inside(shown[-1], frames[ends[1]])


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_two_pieces_lie_on_each_other_at_rest(setting):
    memory = ae.MemorySystems(setting)
    stage = memory.scene(memory.values).stage
    frames = [frame.box for frame in stage.frames if frame.box[2] == COLUMN]
    for step in (0, len(stage.steps) // 2, len(stage.steps) - 1):
        boxes = [piece.at[step] for piece in stage.pieces if piece.at[step]]
        boxes = [box for box in boxes if any(inside(box, frame) for frame in frames)]
        assert len({box[:2] for box in boxes}) == len(boxes)


def inside(box, frame):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, frame
    return left <= x and x + wide <= left + all_wide and top <= y and y + high <= top + all_high


def test_bytes_that_switches_copy_are_copied_after_the_first_switch_and_others_not_at_all():
    names = {}
    for how in ("compute", "pass"):
        memory = ae.MemorySystems(pool=how, packet=1024, groups=64)
        pieces = [p for p in memory.scene(memory.values).stage.pieces if p.name.startswith("HierMem")]
        names[how] = {p.name[-18:] for p in pieces}
        if how == "compute":
            late = next(p for p in pieces if p.name == "HierMem, 0 of memory 0, GPU 1")
            early = next(p for p in pieces if p.name == "HierMem, 0 of memory 0, GPU 0")
            first = next(step for step, box in enumerate(late.at) if box)
            assert first > 0
            assert all(box is None for box in late.at[:first])
            assert late.at[first][:2] == pytest.approx(early.at[first][:2])
    assert names["compute"] == {f"of memory {m}, GPU {j}" for m in range(2) for j in range(2)}
    assert names["pass"] == {f"of memory {m}, GPU {m}" for m in range(2)}


def test_what_is_stored_is_a_partial_sum_until_a_switch_has_added_it_up():
    memory = ae.MemorySystems("move=store-sum packet=1024 groups=64 link=512")
    stage, way = memory.scene(memory.values).stage, ways(memory.values)[1]
    piece = next(p for p in stage.pieces if p.name == "HierMem, 0 of memory 0, GPU 0")
    added, done = way.turns[0][1].end_ns / 1e3, way.turns[0][-1].end_ns / 1e3
    for t, look in zip(stage.times, piece.looks, strict=True):
        assert look == ("partial sums" if t < added - 1e-6 else "gradients" if t < done - 1e-6 else "complete")


def test_the_slowest_stage_is_marked_only_after_the_first_step_and_widths_are_to_scale():
    memory = ae.MemorySystems("remote=50 move=load-own")
    links = memory.scene(memory.values).stage.links
    for link in links:
        assert link.looks[0] == "link"
        slow = "remote memory" in link.name
        assert set(link.looks[1:]) == {"slowest stage" if slow else "link"}, link.name
    wide = {link.name: link.wide[0] for link in links}
    per = wide["HierMem, in-node fabric, line 0"] / 256
    assert wide["HierMem, out-node fabric, GPU side, line 3"] == pytest.approx(512 * per)


def test_stages_that_are_equally_slow_are_alike():
    assert slowest(Transfer((Stage("a", 100), Stage("b", 99.5), Stage("c", 98)))) == ("a", "b")
    memory = ae.MemorySystems("move=load-own remote=500 link=512 nodes=8 switches=8 packet=64")
    assert memory.question(memory.values).choices[-1] == "two or more alike"
    assert memory.answer(memory.values).value == "two or more alike"
    assert "out-node links and in-node links" in memory.scene(memory.values).headline


def test_lanes_show_what_each_block_waited_for():
    memory = ae.MemorySystems("packet=1024 groups=64")
    scene, way = memory.scene(memory.values), ways(memory.values)[1]
    (lanes,) = scene.lanes
    assert lanes.end == max(bar.size for bar in scene.bars[0].bars)
    blocks = {block.name: block for block in lanes.blocks}
    last = blocks["HierMem, 1, stage 3"]
    assert last.because == ("HierMem, 0, stage 3",)
    assert (last.start, last.end) == (way.turns[1][3].begin_ns / 1e3, way.turns[1][3].end_ns / 1e3)
    assert blocks["HierMem, 0, stage 1"].because == ("HierMem, 0, stage 0",)


def test_questions_take_turns_and_are_answered_from_the_studies():
    which = ae.MemorySystems()
    assert which.predict("remote memory").said == "You said remote memory; it is in-node links."
    seen = {}
    assert which.settings[3].name == "remote"
    for remote in which.settings[3].values:
        memory = ae.MemorySystems(remote=remote)
        seen[memory._asked(memory.values)] = memory
    assert [len(seen[kind].question(seen[kind].values).choices) for kind in range(3)] == [5, 0, 0]
    transfer = ways(seen[1].values)[1].transfers[0]
    at_once = sum(stage.ns for stage in transfer.stages)
    assert seen[1].answer(seen[1].values).value == pytest.approx(at_once / transfer.ns)
    private, pool = systems(seen[2].values)
    faster = zero_infinity(MOE_1T, GPU, private).total_ns / hiermem(MOE_1T, GPU, pool).total_ns
    assert seen[2].answer(seen[2].values).value == faster


def test_packets_half_as_large_are_twice_as_many_of_the_same_bytes():
    values = ae.MemorySystems("groups=64 packet=1024 move=store-sum").values
    (now,), after = ways(values)[1].transfers, halved(values)
    assert (after.packets, after.stages) == (2 * now.packets, now.stages)


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_the_code_says_the_same(setting, capsys):
    memory = ae.MemorySystems(setting)
    exec(memory.data["scene"]["code"], {"ae": ae})
    lines = capsys.readouterr().out.splitlines()
    transfers = [transfer for chain in chains(memory.values) for transfer in chain]
    assert lines[:-1] == [f"{transfer.ns} {transfer.slowest}" for transfer in transfers]
    private, pool = systems(memory.values)
    assert lines[-1] == f"{zero_infinity(MOE_1T, GPU, private)} {hiermem(MOE_1T, GPU, pool)}"


def test_it_says_what_is_unverified_and_nothing_of_times_before_a_prediction():
    memory = ae.MemorySystems()
    assert " µs" not in memory.summary()
    memory.predict("in-node links")
    assert "unverified" in memory.summary()
    assert "reconstruction" in memory.summary()
    assert memory.data["scene"]["headline"] in memory.summary()


def test_a_way_without_packets_enough_has_fewer_pieces():
    way = Way("HierMem", (Transfer((Stage("a", 30), Stage("b", 60)), 3),), joined=False, store=False)
    assert [[(t.start_ns, t.end_ns) for t in turns] for turns in way.turns] == [
        [(0, 10), (10, 30)],
        [(10, 20), (30, 50)],
        [(20, 30), (50, 70)],
    ]
