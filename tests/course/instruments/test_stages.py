"""The stages of a pipeline: every block, piece and number is of ae.run_pipeline, and the formula stands beside it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu import Stages
from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.stages_bars import KINDS, by_formula
from astra_edu.course.instruments.stages_job import FORWARD_NS, name_of, waited_for
from astra_edu.course.instruments.stages_stage import KEEPS, KEEPS_X, MOST_STEPS, kept, listed, moments
from astra_edu.pipeline import ORDERS, run_pipeline

SETTINGS = [
    {},
    {"order": "gpipe", "stages": 3, "micro_batches": 5, "ratio": 1, "p2p": 0.25},
    {"order": "interleaved", "micro_batches": 4, "virtual": 3, "slow": 1},
    {"stages": 1, "micro_batches": 1, "ratio": 0.5},
]


def simulated(settings):
    ask = {"order": "1f1b", "stages": 4, "micro_batches": 8, "virtual": 1, "ratio": 2, "p2p": 0, "slow": None}
    ask |= settings
    factors = [1.5 if stage == ask["slow"] else 1 for stage in range(ask["stages"])]
    return run_pipeline(
        ask["order"],
        ask["stages"],
        ask["micro_batches"],
        [FORWARD_NS * f for f in factors],
        [FORWARD_NS * f * ask["ratio"] for f in factors],
        FORWARD_NS * ask["p2p"],
        ask["virtual"],
    )


def scene_of(shown):
    return shown.scene(shown.values)


def held(run, stage, now):
    """The (virtual stage, micro-batch) whose activations a stage keeps at a time, from the run itself."""
    mine = [span for span in run.spans if span.stage == stage]
    begun = {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "F" and s.start_ns <= now}
    return begun - {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "B" and s.end_ns <= now}


# What is shown is the run


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_blocks_are_the_run(settings):
    shown = Stages(**settings)
    expected = simulated(settings)
    assert shown.run == expected
    lanes = scene_of(shown).lanes[0]
    assert lanes.lanes == tuple(f"stage {stage}" for stage in range(expected.stages))
    assert lanes.end == expected.total_ns / 1e3
    for block, span in zip(lanes.blocks, expected.spans, strict=True):
        part = span.virtual_stage * expected.stages + span.stage
        letter = "abc"[span.virtual_stage] if expected.virtual > 1 else ""
        assert (block.lane, block.start, block.end) == (
            f"stage {span.stage}",
            span.start_ns / 1e3,
            span.end_ns / 1e3,
        )
        assert block.text == f"{span.micro_batch}{letter}"
        assert block.name == f"{span.kind} {part},{span.micro_batch}"
        assert block.look == KINDS[span.kind] + (f" {letter}" if span.virtual_stage else "")
        assert f"micro-batch {span.micro_batch} through part {part} of the model" in block.title
    json.dumps(shown.data)  # as the view gets it


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_block_names_what_ended_or_arrived_as_it_began(settings):
    shown = Stages(**settings)
    run, blocks = shown.run, {block.name: block for block in scene_of(shown).lanes[0].blocks}
    for block in blocks.values():
        assert bool(block.because) == (block.start > 0)
        for name in block.because:
            late = block.start - blocks[name].end
            assert late == pytest.approx(0) or (
                late == pytest.approx(run.p2p_ns[0] / 1e3) and blocks[name].lane != block.lane
            )


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_stage_has_what_each_stage_does_and_keeps(settings):
    shown = Stages(**settings)
    run, stage = shown.run, scene_of(shown).stage
    times = moments(run)
    assert times == sorted({t for span in run.spans for t in (span.start_ns, span.end_ns)})
    assert stage.times == tuple(t / 1e3 for t in times)
    pieces = {piece.name: piece for piece in stage.pieces}
    frames = {frame.name: frame for frame in stage.frames}
    for step, now in enumerate(times):
        for s in range(run.stages):
            mine = [span for span in run.spans if span.stage == s]
            current = [span for span in mine if span.start_ns <= now < span.end_ns]
            doing = pieces[f"stage {s} computes"]
            says = frames[f"does {s}"].says[step]
            if current:
                letter = "abc"[current[0].virtual_stage] if run.virtual > 1 else ""
                assert doing.at[step] == frames[f"now {s}"].box
                assert doing.looks[step].split()[0] == KINDS[current[0].kind]
                assert says == f"{KINDS[current[0].kind]} of {current[0].micro_batch}{letter}"
            else:
                assert doing.at[step] is None
                assert says == ("done" if mine[-1].end_ns <= now else "waits")
            keeps = held(run, s, now)
            there = {
                (v, i)
                for v in range(run.virtual)
                for i in range(run.micro_batches)
                if pieces[f"stage {s} keeps {i}{'abc'[v] if run.virtual > 1 else ''}"].at[step]
            }
            assert there == keeps == set(kept(run, s, now))
            most = f" of {run.in_flight[s]:g}" if step else ""
            assert frames[f"count {s}"].says[step] == f"{len(keeps) / run.virtual:g}{most}"
            assert f"stage {s} {says}, keeps {listed(run, kept(run, s, now))}" in stage.steps[step]


@pytest.mark.parametrize("settings", SETTINGS)
def test_activations_lie_side_by_side_in_the_row_of_their_stage(settings):
    shown = Stages(**settings)
    run, stage = shown.run, scene_of(shown).stage
    frames = {frame.name: frame.box for frame in stage.frames}
    for s in range(run.stages):
        _, top, _, high = frames[f"now {s}"]
        mine = [piece for piece in stage.pieces if piece.name.startswith(f"stage {s} keeps")]
        for step in range(len(stage.steps)):
            boxes = sorted(piece.at[step] for piece in mine if piece.at[step])
            assert all(a[0] + a[2] < b[0] for a, b in pairwise(boxes))
            assert all(x >= KEEPS_X and x + w <= KEEPS_X + KEEPS for x, _, w, _ in boxes)
            assert all(top <= y and y + h <= top + high for _, y, _, h in boxes)


def test_the_first_moment_does_not_tell_how_much_is_kept_at_most():
    first = {order: scene_of(Stages(order)).stage for order in ("gpipe", "1f1b")}
    says = {order: [frame.says[0] for frame in stage.frames if frame.says] for order, stage in first.items()}
    assert says["gpipe"] == says["1f1b"] == ["forward of 0", "1", "waits", "0", "waits", "0", "waits", "0"]
    assert len({tuple(frame.box for frame in stage.frames) for stage in first.values()}) == 1


def test_which_micro_batches_are_kept_is_said_in_ranges():
    run = Stages().run
    at = moments(run).index(48_000)
    assert [listed(run, kept(run, s, 48_000)) for s in range(4)] == ["0–3", "0–2", "0, 1", "0"]
    assert (
        scene_of(Stages()).stage.steps[at].startswith("48.000 µs: stage 0 waits, keeps 0–3; stage 1 waits, keeps 0–2;")
    )
    two = Stages("interleaved", 4, 8).run
    assert listed(two, kept(two, 0, 40_000)) == "a: 0–3; b: 0–2"
    assert listed(two, []) == "nothing"


def test_large_pipelines_show_fewer_moments_and_only_how_much_is_kept():
    shown = Stages("gpipe", 16, 64)
    stage = scene_of(shown).stage
    assert len(stage.steps) <= MOST_STEPS + 2
    assert len(stage.pieces) == 16
    assert stage.times[-1] == shown.run.total_ns / 1e3


# Settings


def test_a_forward_pass_takes_what_one_says_and_the_words_follow():
    shown = Stages("interleaved", 4, 8, virtual=2, p2p=0.1, forward_ns=1000)
    assert shown.run == run_pipeline("interleaved", 4, 8, 1000, 2000, 100, virtual=2)
    assert "a transfer takes 100 ns" in " ".join(scene_of(shown).sentences)
    shown.p2p = 0
    assert scene_of(shown).sentences[0].startswith("28.500 µs in all; the bubble, in which a stage waits, is 15.8 % of")
    shown.virtual = 3
    assert "but 1,000 ns aren't divided evenly by 3." in " ".join(scene_of(shown).sentences)
    with pytest.raises(ConfigError, match="forward_ns is 0; it must be a whole number, 1 or more"):
        Stages(forward_ns=0)


def test_values_of_ones_own_are_among_those_of_the_sliders():
    shown = Stages(ratio=1.7, p2p=0.3, forward_ns=777)
    assert shown.run == run_pipeline("1f1b", 4, 8, 777, round(777 * 1.7), round(777 * 0.3))
    shown.ratio = 2.25
    assert shown.run.backward_ns[0] == round(777 * 2.25)
    values = {setting.name: setting.values for setting in shown.settings}
    assert {1.7, 2.25} <= set(values["ratio"])
    assert 777 in values["forward_ns"]


def test_every_control_changes_the_run():
    shown = Stages()
    seen = [shown.run]
    for name, value in [
        ("micro_batches", 12),
        ("stages", 3),
        ("ratio", 1),
        ("p2p", 0.5),
        ("slow", 2),
        ("order", "gpipe"),
    ]:
        setattr(shown, name, value)
        assert getattr(shown, name) == value
        seen.append(shown.run)
        assert shown.data["scene"]["lanes"][0]["end"] == shown.run.total_ns / 1e3
    assert all(a != b for a, b in pairwise(seen))
    shown.order = "interleaved"
    assert shown.run.virtual == 2
    shown.virtual = 4
    assert shown.run.virtual == 4


def test_an_impossible_setting_is_explained_and_the_last_one_stays():
    shown = Stages("interleaved", 4, 8)
    before = shown.run
    shown.micro_batches = 9
    assert "must be a multiple of 4: 8 or 12" in shown.data["problem"]
    assert shown.run is before
    shown.micro_batches = 12
    assert shown.data["problem"] == ""
    assert shown.run.micro_batches == 12
    shown.slow = 3
    shown.stages = 3
    assert (shown.slow, shown.data["problem"], shown.run.stages) == (None, "", 3)
    shown.slow = 3
    assert shown.data["problem"] == "slow is 3; stages are 0 to 2."


def test_what_an_order_is_not_for_is_greyed():
    greyed = Stages("interleaved", 4, 8, slow=1).data["greyed"]
    counts = {name: {int(place) for place in places} for name, places in greyed.items()}
    assert {place + 1 for place in counts["micro_batches"]} == {m for m in range(1, 65) if m % 4}
    assert {place + 1 for place in counts["stages"]} == {p for p in range(1, 17) if 8 % p or p < 2}
    assert counts["slow"] == {5 + k for k in range(12)}
    assert "must be a multiple of 4: 4 or 8" in greyed["micro_batches"]["4"]
    assert "order" not in greyed


def test_an_order_of_ones_own_is_in_the_menu(monkeypatch):
    def mine(stage, stages, micro_batches):
        for i in range(micro_batches):
            yield from (("F", i), ("B", i))

    monkeypatch.setitem(ORDERS, "mine", mine)
    shown = Stages("mine")
    assert shown.data["settings"][0]["values"] == list(ORDERS)
    assert shown.run == run_pipeline("mine", 4, 8, FORWARD_NS, 2 * FORWARD_NS)
    scene = scene_of(shown)
    assert scene.sentences[1] == "There is no formula here for an order of your own."
    assert [bar.limit for bar in scene.bars[0].bars] == [None] * 4
    assert shown.question(shown.values).unit == "%"

    def broken(stage, stages, micro_batches):
        raise ZeroDivisionError("by me")

    monkeypatch.setitem(ORDERS, "mine", broken)
    shown.micro_batches = 3
    assert shown.data["problem"] == "ZeroDivisionError: by me"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": "1F1B"}, "did you mean '1f1b'"),
        ({"stages": 0}, "stages is 0"),
        ({"stages": 17}, "stages is 17; this view shows 16 at most"),
        ({"micro_batches": 65}, "micro_batches is 65; this view shows 64 at most"),
        ({"virtual": 1.5}, "virtual is 1.5"),
        ({"ratio": -1}, "ratio is -1"),
        ({"p2p": "slow"}, "p2p is 'slow'"),
        ({"slow": 4}, "slow is 4; stages are 0 to 3."),
        ({"slow": -1}, "slow is -1"),
        ({"order": "interleaved", "micro_batches": 6}, "must be a multiple of 4: 4 or 8"),
        ({"speed": 3}, "unknown setting 'speed'"),
        ({"time": -1}, "time is -1"),
    ],
)
def test_settings_that_cannot_be_shown(settings, message):
    with pytest.raises(ConfigError, match=message):
        Stages(**settings)


def test_an_order_of_ones_own_is_told_where_it_is_added():
    with pytest.raises(ConfigError, match=r"@ae\.ORDERS\.add\('name'\) adds one of yours"):
        Stages(ORDERS["gpipe"])


def test_a_line_of_text_makes_the_same_again():
    shown = Stages("gpipe", 3, 5, slow=1, p2p=0.25)
    again = Stages(shown.text)
    assert again.run == shown.run
    assert again.text == shown.text
    own = Stages(ratio=1.7)
    assert Stages(own.text).run == own.run


def test_controls_say_what_is_set():
    said = {s.name: s.called(v) for s in Stages.settings for v in s.values[:2]}
    assert said["slow"] == "stage 0"
    assert [s.called(s.values[0]) for s in Stages.settings if s.name in ("p2p", "ratio")] == [
        "0.5 × forward",
        "takes no time",
    ]
    assert said["p2p"] == "5 % of forward"


# Words


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "By formula: (p − 1) / (m + p − 1) = 3 / (8 + 3) = 27.3 %, the same."),
        ({"order": "interleaved"}, "By formula: (p − 1) / (v m + p − 1) = 3 / (2 × 8 + 3) = 15.8 %, the same."),
        ({"slow": 1, "p2p": 0.5}, "27.3 %; but stage 1 takes 1.5 times as long and a transfer takes 6000 ns."),
    ],
)
def test_the_formula_stands_beside_the_simulation(settings, sentence):
    shown = Stages(**settings)
    scene = scene_of(shown)
    assert scene.sentences[1].endswith(sentence)
    assert f"is {100 * shown.run.bubble:.1f} % of it" in scene.sentences[0]
    assert f"bubble {100 * shown.run.bubble:.1f} %" in scene.headline


def test_both_ways_are_told_apart_by_arrows_and_hatches_and_their_formula_is_the_reports():
    shown = Stages("dualpipe", 4, 8)
    scene = scene_of(shown)
    assert (
        scene.sentences[1]
        == "By formula, with F&B = F + B: (p / 2 − 1)(F&B + B − 3 W) = 24.000 µs on each stage, the same."
    )
    assert [(bar.said, by_formula(shown.run, 0)) for bar in scene.bars[0].bars] == [("5", 5)] * 4
    up = {block.look for block in scene.lanes[0].blocks if block.text.endswith("↑")}
    down = {block.look for block in scene.lanes[0].blocks if block.text.endswith("↓")}
    assert up == {f"{look} up" for look in down} == {"forward up", "backward up", "weight gradient up"}
    assert all(LOOKS[look][2] != LOOKS[f"{look} up"][2] for look in down)
    late = scene_of(Stages("dualpipe", 4, 8, p2p=0.5)).sentences[1]
    assert "if all are equal, B − W is F, and transfers take no time; here up to " in late
    assert scene_of(Stages("zb-v", 4, 8)).sentences[1] == "There is no formula here for the order zb-v."
    waits = waited_for(shown.run)
    second = next(b for a, b in shown.run.pairs.items() if a.kind == "F")
    assert waits[name_of(shown.run, second)] == (name_of(shown.run, shown.run.pairs[second]),)


@pytest.mark.parametrize("order", ["gpipe", "1f1b", "interleaved"])
def test_what_a_stage_keeps_is_what_the_formula_says(order):
    bars = scene_of(Stages(order)).bars[0]
    assert bars.limit == "by formula"
    assert [bar.limit for bar in bars.bars] == [bar.size for bar in bars.bars]
    if order == "1f1b":
        assert [bar.size for bar in bars.bars] == [4, 3, 2, 1]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_time_of_each_stage_adds_up(settings):
    shown = Stages(**settings)
    run, bars = shown.run, scene_of(shown).bars[1].bars
    for stage, bar in enumerate(bars):
        sizes = {part.look: part.size for part in bar.parts}
        assert bar.size == pytest.approx(run.total_ns / 1e3)
        assert sizes.get("bubble", 0) == pytest.approx((run.total_ns - run.busy_ns[stage]) / 1e3)
        mine = sum(s.end_ns - s.start_ns for s in run.spans if (s.stage, s.kind) == (stage, "B"))
        assert sizes["backward"] == pytest.approx(mine / 1e3)
        assert bar.said == f"{100 * run.idle_shares[stage]:.1f} % idle"


def test_repr_and_summary_are_fixed():
    shown = Stages()
    assert repr(shown) == f"Stages({shown.text!r})"
    assert "Predict first" in shown.summary()
    shown.predict("gpipe")
    assert shown._repr_mimebundle_()[0]["text/plain"].endswith(shown.summary())
    table = shown.summary().split("keeps at most (micro-batches)\n")[1].splitlines()[1:5]
    assert [row.split()[1:3] for row in table] == [[str(s), str(4 - s)] for s in range(4)]


def test_a_page_of_its_own(tmp_path, monkeypatch):
    shown = Stages("gpipe", 3, 5, time=24_000)
    text = shown.page()
    monkeypatch.setattr(type(shown), "page", lambda self: text)  # simulates all that it stores
    assert shown.save_html(tmp_path / "stages.html").read_text(encoding="utf-8") == text
    [state] = json.loads(text.split('id="astra-states">')[1].split("</script>")[0])
    assert (state["values"]["order"], state["step"], state["live"]) == (
        "gpipe",
        moments(shown.run).index(24_000),
        False,
    )
    assert state["data"]["scene"]["lanes"] == json.loads(json.dumps(shown.data["scene"]["lanes"]))
    assert "src=" not in text
    others = {entry["text"] for entry in state["stored"].values()}
    assert {word.split()[0] for word in others} >= {"order=1f1b", "order=gpipe"}
    with pytest.raises(ConfigError, match="can't be written"):
        shown.save_html(tmp_path)


def test_the_playhead_stays_inside_the_run():
    shown = Stages(micro_batches=32)
    shown.time = shown.run.total_ns
    assert shown.time == shown.run.total_ns
    shown.micro_batches = 4
    assert shown.time == shown.run.total_ns


# Questions


def test_gpipe_and_1f1b_take_as_long_as_each_other():
    shown = Stages()
    assert "takes longest" in shown.question(shown.values).text
    found = shown.predict("gpipe")
    assert (found.right, found.answer) == (False, "two or more alike")
    virtual = {"interleaved": 2, "zb-v": 2, "v-half": 2, "v-min": 2}
    totals = {order: simulated({"order": order, "virtual": virtual.get(order, 1)}).total_ns for order in ORDERS}
    assert totals.pop("gpipe") == totals.pop("1f1b") > max(totals.values())


@pytest.mark.parametrize("order", ["gpipe", "1f1b", "interleaved"])
@pytest.mark.parametrize("micro_batches", [4, 8, 12])
def test_answers_are_of_the_runs(order, micro_batches):
    shown = Stages(order, 4, micro_batches)
    question, answer = shown.question(shown.values), shown.answer(shown.values)
    runs = {
        name: run_pipeline(name, 4, micro_batches, 1200, 2400, virtual=2 if name == "interleaved" else 1)
        for name in ("gpipe", "1f1b", "interleaved")
    }
    if question.unit:
        assert answer.value == round(100 * runs[order].bubble, 1)
        return
    sizes = {n: r.total_ns if "longest" in question.text else r.in_flight[0] for n, r in runs.items()}
    most = [name for name, size in sizes.items() if size == max(sizes.values())]
    assert answer.value == (most[0] if len(most) == 1 else "two or more alike")


def test_all_three_questions_come_up():
    texts = {
        Stages("1f1b", p, m).question(Stages("1f1b", p, m).values).text.split(" ")[-1]
        for p in (2, 3)
        for m in (4, 5, 6)
    }
    assert texts == {"longest?", "0?", "wait?"}


def test_an_order_that_is_not_for_these_numbers_is_no_choice():
    shown = Stages("1f1b", 4, 7)
    question = shown.question(shown.values)
    assert "interleaved" not in question.choices


@pytest.mark.parametrize("settings", [*SETTINGS, {"slow": 2}])
def test_the_code_says_the_same(settings, capsys):
    shown = Stages(**settings)
    exec(shown.data["scene"]["code"], {"ae": ae})
    assert capsys.readouterr().out.splitlines() == [repr(shown.run), repr(shown.run.in_flight)]
