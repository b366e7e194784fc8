"""Chunks over dimensions: every time and place is of a run of ae.simulate, loads are those that Themis books."""

import re

import pytest

import astra_edu as ae
from astra_edu.course.instruments.chunks_bars import ALIKE, busiest
from astra_edu.course.instruments.chunks_job import booked, by_hand, decisions, network, runs
from astra_edu.course.instruments.chunks_stage import MOST_STEPS, PIECE, RUN, RUN_X, chunks_stage, moments

MIB = 2**20
SETTINGS = [
    "chunks=8 queue=FIFO",
    "dimensions=3 chunks=16 size=256",
    "collective=reduce-scatter npus=2 share=100",
    "dimensions=3 collective=all-gather share=25 chunks=8",
    "chunks=8 chunk_1=01",
    "dimensions=3 chunks=16 chunk_1=210 collective=reduce-scatter",
    "dimensions=3 chunks=16 chunk_1=120 collective=all-gather",
]


def simulated(values, policy):
    dims = network(values)
    system = ae.SystemConfig.of(
        "_".join(["ring"] * len(dims)), splits=values["chunks"], inter_dimension=policy, intra_dimension=values["queue"]
    )
    work = ae.Workload.micro(values["collective"], values["size"] * MIB)
    return ae.simulate(work, ae.Platform(dims, system))


def shown(setting):
    chunks = ae.ChunksOverDimensions(setting)
    scene = chunks.scene(chunks.values)
    dims = network(chunks.values)
    return chunks.values, scene, runs(chunks.values), dims


def walked(stays, chunk):
    """The dimensions that a chunk of an all-reduce or half of one goes through first, each once."""
    return list(dict.fromkeys(stay.phase.dimension for stay in stays if stay.chunk == chunk))


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_numbers_are_those_of_simulate(setting):
    values, scene, _, dims = shown(setting)
    baseline, themis = simulated(values, "baseline"), simulated(values, "themis")
    assert scene.numbers["Baseline"][0] == baseline.total_ns
    assert scene.numbers["Themis"][0] == themis.total_ns
    assert scene.numbers["gain"][0] == pytest.approx(100 * (1 - themis.total_ns / baseline.total_ns))
    times, busy, _ = scene.bars
    assert [bar.size for bar in times.bars[:2]] == [baseline.total_ns / 1e3, themis.total_ns / 1e3]
    for number, result in enumerate((baseline, themis)):
        for d in range(len(dims)):
            kinds = {}
            for span in result.timeline:
                if span.dimension == d:
                    kinds[span.phase] = kinds.get(span.phase, 0) + span.end_ns - span.start_ns
            bar = busy.bars[number * len(dims) + d]
            assert {part.look: part.size for part in bar.parts} == pytest.approx(
                {kind: 100 * ns / result.total_ns for kind, ns in kinds.items()}
            )
            assert bar.said == f"{100 * sum(kinds.values()) / result.total_ns:.1f} %"


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_piece_is_where_its_spans_have_it(setting):
    values, _, done, dims = shown(setting)
    pair = (done[0], done[-1])
    stage = chunks_stage("", pair, dims)
    frames, pieces = ({part.name: part for part in parts} for parts in (stage.frames, stage.pieces))
    times = moments(pair)
    assert len(stage.steps) == len(times)
    assert len(pieces) == 2 * values["chunks"]
    for run in pair:
        for chunk in range(values["chunks"]):
            piece = pieces[f"{run.name}, chunk {chunk}"]
            assert piece.text == str(chunk)
            spans = [span for span in run.result.timeline if span.chunk == chunk]
            for t, box, look in zip(times, piece.at, piece.looks, strict=True):
                on = [span for span in spans if span.start_ns <= t < span.end_ns]
                waits = [span for span in spans if span.queued_ns <= t < span.start_ns]
                assert len(on) + len(waits) + (t >= spans[-1].end_ns) == 1
                where = [f"dimension {span.dimension}" for span in on]
                where += [f"queue of dimension {span.dimension}" for span in waits]
                assert inside(box, frames[f"{run.name}, {(where or ['done'])[0]}"].box)
                assert look == [*(span.phase for span in (*on, *waits)), "complete"][0]
                for span in on:
                    along = (box[0] - RUN_X - 2) / (RUN - PIECE - 4)
                    assert along == pytest.approx((t - span.start_ns) / (span.end_ns - span.start_ns), abs=1e-4)


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_two_pieces_lie_on_each_other(setting):
    _, scene, *_ = shown(setting)
    for step in range(len(scene.stage.steps)):
        boxes = [piece.at[step] for piece in scene.stage.pieces]
        for number, (x, y, wide, high) in enumerate(boxes):
            assert not any(abs(x - a) < wide - 0.01 and abs(y - b) < high - 0.01 for a, b, *_ in boxes[number + 1 :]), (
                step
            )


def inside(box, frame):
    (x, y, wide, high), (left, top, all_wide, all_high) = box, frame
    return left <= x and x + wide <= left + all_wide and top <= y and y + high <= top + all_high + 1e-9


def test_who_goes_next_stands_first_in_the_queue():
    _, scene, done, _ = shown("chunks=8 queue=SCF")
    waiting = sorted(
        (-piece.at[0][0], int(piece.text)) for piece in scene.stage.pieces[:8] if piece.at[0][0] < RUN_X
    )  # fmt: skip
    first = [spans[0] for spans in done[0].spans]
    assert [chunk for _, chunk in waiting] == sorted(range(1, 8), key=lambda chunk: first[chunk].start_ns)


def test_a_chunk_leaves_a_lane_at_its_end():
    _, scene, done, _ = shown("chunks=4")
    times = moments(done)
    for piece in scene.stage.pieces[:4]:
        spans = done[0].spans[int(piece.text)]
        assert {times[step] for step in piece.by} <= {span.end_ns for span in spans}
        assert {box[0] for box in piece.by.values()} == {RUN_X + RUN - PIECE - 2}


def test_steps_are_all_moments_while_these_are_few_and_some_of_them_where_they_are_many():
    few, many = runs(ae.ChunksOverDimensions("chunks=4").values), runs(ae.ChunksOverDimensions("chunks=16").values)
    spans = [span for run in few for chunk in run.spans for span in chunk]
    assert moments(few) == sorted({t for span in spans for t in (span.start_ns, span.end_ns)})
    starts = {span.start_ns for run in many for chunk in run.spans for span in chunk}
    ends = {run.end_ns for run in many}
    assert len(moments(many)) <= MOST_STEPS + 2
    assert set(moments(many)) <= starts | ends
    assert {0, *ends} <= set(moments(many))


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_decided_is_what_the_run_did_and_loads_are_what_was_sent(setting):
    values, scene, done, dims = shown(setting)
    decided = decisions(values)
    stays = done[-1].result.stays
    for chunk, each in enumerate(decided):
        mine = sorted((stay for stay in stays if stay.chunk == chunk), key=lambda stay: stay.step)
        assert walked(mine, chunk) == list(each.order)
    for d, bar in enumerate(scene.bars[2].bars):
        halves = 2 if values["collective"] == "all-reduce" else 1
        sent = sum(s.phase.duration.sent[0] for s in stays if s.phase.dimension == d) / halves
        sent *= dims[0].bandwidth / dims[d].bandwidth / MIB
        told = next((line for line in scene.sentences if "other dimensions than they go over" in line), "")
        assert f" {sent:,.1f}" in told or bar.size == pytest.approx(sent)
        assert bool(told) == (values["collective"] == "all-gather")
        assert [part.size for part in bar.parts] == booked(decided, d)
        assert [part.look == "begins here" for part in bar.parts] == [each.order[0] == d for each in decided]


@pytest.mark.parametrize("setting", SETTINGS[:4])
def test_chunk_1_by_hand_as_themis_has_it_is_themis(setting):
    values = ae.ChunksOverDimensions(setting).values
    order = decisions(values)[1].order
    assert simulated(values, by_hand(order)).timeline == simulated(values, "themis").timeline
    own = values | {"chunk_1": "".join(map(str, order))}
    assert decisions(own) == decisions(values)


def test_chunk_1_by_hand_goes_the_other_way_and_is_told():
    chunks = ae.ChunksOverDimensions("chunk_1=01 queue=FIFO")
    baseline, themis, yours = runs(chunks.values)
    assert [walked(run.result.stays, 1) for run in (themis, yours)] == [[1, 0], [0, 1]]
    headline = chunks.data["scene"]["headline"]
    assert f"yours {ae.base.units.format_ns(yours.result.total_ns)}" in headline
    assert {piece["name"].split(",")[0] for piece in chunks.data["scene"]["stage"]["pieces"]} == {"Baseline", "Yours"}
    assert baseline.result.total_ns == chunks.data["scene"]["numbers"]["Baseline"][0]


@pytest.mark.parametrize("setting", ["chunks=8", "dimensions=3 chunks=2 chunk_1=201 collective=reduce-scatter"])
def test_the_code_says_the_same(setting, capsys):
    chunks = ae.ChunksOverDimensions(setting)
    exec(chunks.data["scene"]["code"], {"ae": ae})
    printed = capsys.readouterr().out.splitlines()
    assert printed == [repr(run.result) for run in runs(chunks.values)]


def test_what_cannot_be_is_greyed_and_refused():
    chunks = ae.ChunksOverDimensions("chunk_1=10")
    assert set(chunks.data["greyed"]["chunk_1"]) == {"3", "4", "5", "6", "7", "8"}
    assert set(chunks.data["greyed"]["chunks"]) == {"0"}
    assert set(chunks.data["greyed"]["dimensions"]) == {"1"}
    with pytest.raises(ae.ConfigError, match="There is no chunk 1"):
        ae.ChunksOverDimensions("chunks=1 chunk_1=10")
    with pytest.raises(ae.ConfigError, match="walk 3 dimensions; the network has 2"):
        ae.ChunksOverDimensions("chunk_1=201")


def test_questions_take_turns_and_are_answered_from_the_runs():
    which, gained = ae.ChunksOverDimensions("chunks=4"), ae.ChunksOverDimensions("chunks=8")
    assert which.question(which.values).choices == ("dimension 0", "dimension 1", ALIKE)
    assert which.predict("dimension 1").said == "You said dimension 1; it is dimension 0."
    baseline, themis = (run.result.total_ns for run in runs(gained.values))
    assert gained.question(gained.values).unit == "%"
    found = gained.predict(100 * (1 - themis / baseline))
    assert found.right
    assert found.answer == round(100 * (1 - themis / baseline), 1)


def test_a_gain_is_only_asked_for_where_there_is_one():
    chunks = ae.ChunksOverDimensions("chunks=2 npus=8")
    baseline, themis = runs(chunks.values)
    assert themis.result.total_ns > baseline.result.total_ns
    assert chunks.question(chunks.values).choices
    assert "longer" in chunks.data["scene"]["headline"]


def test_dimensions_that_are_busy_as_long_as_each_other_are_alike():
    alike = runs(ae.ChunksOverDimensions("npus=4 share=25").values)[0]
    assert busiest(alike, 2) == ALIKE
    assert abs(alike.busy_ns(0) / alike.busy_ns(1) - 1) < 0.01
    assert busiest(runs(ae.ChunksOverDimensions("share=10").values)[0], 2) == "dimension 1"


def test_it_says_nothing_of_times_before_a_prediction():
    chunks = ae.ChunksOverDimensions()
    assert " µs" not in chunks.summary()
    assert chunks.data["scene"]["stage"]["clock"]
    chunks.predict("dimension 0")
    assert chunks.data["scene"]["headline"] in chunks.summary()


def test_its_still_picture_is_of_the_middle_of_the_runs_with_the_chunks_numbers():
    chunks = ae.ChunksOverDimensions("chunks=4")
    scene, veiled = chunks.scene(chunks.values), chunks.still()
    chunks.predict("dimension 0")
    scale = 720 / scene.stage.size[0]
    for step, still in ((0, veiled), (len(scene.stage.steps) // 2, chunks.still())):
        for piece in scene.stage.pieces:
            x, y, wide, high = (scale * number for number in piece.at[step])
            placed = f'x="{x + wide / 2:.1f}" y="{24 + y + high / 2 + 3.5:.1f}" font-size="10" text-anchor="middle"'
            assert re.search(f"{re.escape(placed)}[^>]*>{piece.text}</text>", still)


def test_a_look_that_comes_twice_in_a_bar_is_added_up_in_the_table():
    chunks = ae.ChunksOverDimensions("chunks=8")
    chunks.predict(1)
    loads = decisions(chunks.values)
    here = sum(size for each, size in zip(loads, booked(loads, 0), strict=True) if each.order[0] == 0)
    row = next(line for line in chunks.summary().split("begins here")[1].splitlines() if line.startswith("dimension 0"))
    assert row.split()[2] == f"{here:,.4g}"


def test_a_run_whose_messages_share_links_is_led_by_its_bound():
    settings = [f"npus={n} dimensions={d} collective={c}" for n in (2, 16) for d in (2, 3) for c in ("all-gather",)]
    for setting in settings:
        _, scene, done, _ = shown(setting)
        for run in done:
            assert run.needed_ns == max(run.result.total_ns, run.result.bound_ns or 0)
        assert scene.numbers["Baseline"][0] == done[0].needed_ns
