"""Cut the model: what is shown is the library's own, questions come before numbers, and what can't be is said."""

import re
from random import Random
from threading import Event
from time import sleep

import pytest

import astra_edu as ae
from astra_edu.course.instruments.cut_job import iteration, job, on_links, platform_of, refused, sent
from astra_edu.course.instruments.cut_matrices import block_of
from astra_edu.course.instruments.cut_stage import cut_stage

GIB = 2**30


def test_its_numbers_are_those_of_estimate_and_memory():
    cut = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2")
    strategy = ae.Strategy(tensor=4, data=2, pipeline=2, batch=16, zero=1, recompute="selective")
    run, kept = ae.estimate("22b", strategy, "a100", platform_of(16)), ae.memory("22b", strategy)
    scene = cut.data["scene"]
    time, memory, sizes = scene["bars"]
    by_look = {part["look"]: part["size"] for part in time["bars"][0]["parts"]}
    assert by_look["compute"] == (run.compute_ns - run.repeated_ns) / 1e6
    assert by_look["tensor group"] == run.tensor_ns / 1e6
    assert by_look["bubble and transfers"] == run.waiting_ns / 1e6
    assert sum(by_look.values()) == pytest.approx(run.total_ns / 1e6, abs=1e-5)
    assert [part["size"] * GIB for part in memory["bars"][0]["parts"]] == pytest.approx([*kept.kinds.values()])
    assert memory["bars"][0]["limit"] == ae.device("a100").memory_bytes / GIB
    tensor = [c for c in ae.communications("22b", strategy, stage=0) if c.group == "tensor"]
    assert sizes["bars"][0]["label"] == "tensor: all-reduce"
    assert sizes["bars"][0]["parts"][0]["size"] * GIB == sum(c.size * c.times for c in tensor)


def test_the_code_says_the_same(capsys):
    cut = ae.CutTheModel("model=22b tensor=4 pipeline=4 data=4 zero=0")
    exec(cut.data["scene"]["code"], {"ae": ae})
    printed = capsys.readouterr().out
    assert repr(iteration(cut.values)) in printed
    assert repr(ae.memory(*job(cut.values))) in printed


def test_a_question_comes_before_the_numbers():
    cut = ae.CutTheModel()
    assert "Predict first" in cut.summary()
    assert " ms" not in cut.summary()
    found = cut.predict("data group")
    assert not found.right
    assert found.answer == "bubble and transfers"
    assert "ms an iteration" in cut.summary()
    assert cut.reply["value"] == "bubble and transfers"
    assert cut.committed == [found]


def test_who_skips_the_question_sees_the_numbers_and_nothing_is_noted():
    cut = ae.CutTheModel()
    cut.guess = {"about": cut.text, "value": None}
    assert "ms an iteration" in cut.summary()
    assert cut.committed == []


def test_it_can_be_told_to_ask_always_for_the_same():
    cut = ae.CutTheModel("model=gpt3 tensor=8 data=1 pipeline=1 zero=0", asks="memory")
    for moved in ({}, {"data": 16}, {"zero": 3}, {"recompute": "full"}):
        cut.set(**moved)
        kept = ae.memory("gpt3", job(cut.values)[1]).total / GIB
        assert cut.predict(1).answer == kept, moved
    assert "ZeRO stage 3: how much memory" in cut.data["question"]["text"]
    assert "what takes most" in ae.CutTheModel("data=4", asks="time").data["question"]["text"]
    with pytest.raises(ae.ConfigError, match="asks is 'bytes'"):
        ae.CutTheModel(asks="bytes")


def test_the_memory_question_is_answered_with_its_parts():
    cut = ae.CutTheModel("data=4")
    assert cut.data["question"]["unit"] == "GiB"
    found = cut.predict(1)
    assert found.answer == pytest.approx(ae.memory(*job(cut.values)).total / GIB)
    assert "GiB of activations" in found.why


def test_what_cannot_be_is_greyed_said_and_led_out_of():
    cut = ae.CutTheModel()
    assert set(cut.data["greyed"]["shard_group"]) == {"2", "3", "4", "5"}  # places of 4, 8, 16 and 32
    before = cut.data["scene"]
    cut.values = cut.values | {"shard_group": 4}
    assert "can't make up groups of 4" in cut.data["problem"]
    assert cut.data["scene"] == before
    assert cut.data["nearest"] == cut.values | {"data": 4}
    cut.values = cut.data["nearest"]
    assert cut.data["problem"] == ""


def test_an_impossible_setting_is_refused_from_the_start():
    with pytest.raises(ae.ConfigError, match="2 copies"):
        ae.CutTheModel(zero=3, pipeline=8, shard_group=4)
    with pytest.raises(ae.ConfigError, match="did you mean 'tensor'"):
        ae.CutTheModel("tenser=2")


def test_values_that_are_left_out_stay_and_wrong_ones_are_said():
    cut = ae.CutTheModel("model=22b")
    cut.values = {"tensor": 4}
    assert cut.values == ae.CutTheModel("model=22b tensor=4").values
    cut.values = cut.values | {"tensor": 3}
    assert "tensor is 3" in cut.data["problem"]
    assert cut.data["nearest"]["tensor"] == 4
    assert cut.data["text"] == ae.CutTheModel("model=22b tensor=4").text


def test_a_guess_that_is_none_leaves_the_question_open():
    cut = ae.CutTheModel()
    with pytest.raises(ae.ConfigError, match="a prediction is 'nothing'"):
        cut.guess = {"about": cut.text, "value": "nothing"}
    assert cut.veiled
    assert cut.committed == []


def test_the_best_has_room_and_nothing_that_fits_is_faster():
    cut = ae.CutTheModel("model=22b tensor=1 data=2 pipeline=8 recompute=full")
    sequences = job(cut.values)[1].samples
    cut.act = {"name": "best", "count": 1}
    best, found = iteration(cut.values).total_ns, job(cut.values)[1]
    assert (found.npus, found.samples) == (16, sequences)
    assert ae.memory(*job(cut.values)).fits("a100")
    assert iteration(cut.values | {"tensor": 8, "context": 2, "data": 1, "micro_batches": sequences}).total_ns >= best
    tried = 0
    for tensor, data, pipeline in ((8, 2, 1), (4, 4, 1), (2, 8, 1), (16, 1, 1), (8, 1, 2), (4, 2, 2)):
        for together in (False, True):
            for again in ("none", "selective"):
                values = cut.values | {"tensor": tensor, "data": data, "pipeline": pipeline, "sequence": together}
                values |= {"recompute": again, "micro_batches": sequences // data, "context": 1}
                if ae.memory(*job(values)).fits("a100"):
                    assert iteration(values).total_ns >= best
                    tried += 1
    assert tried > 5


def test_zero_shares_out_gradients_and_with_stage_3_weights():
    def at_the_end(zero):
        stage = ae.CutTheModel(zero=zero, pipeline=1).data["scene"]["stage"]
        ends = [(p["looks"][-2], p["at"][-1] is not None) for p in stage["pieces"] if "slice" in p["name"]]
        return {end: ends.count(end) / len(ends) for end in ends}

    assert at_the_end(0) == {("gradients", True): 1}
    assert at_the_end(1) == {("gradients", True): 0.5, ("partial sums", True): 0.5}
    assert at_the_end(3) == {("gradients", True): 0.5, ("partial sums", False): 0.5}


@pytest.mark.parametrize(("zero", "pipeline"), [(0, 2), (1, 2), (2, 1), (3, 1)])
def test_it_is_said_that_zeros_all_gather_of_parameters_is_not_hidden(zero, pipeline):
    def waited(zero):
        cut = ae.CutTheModel(f"model=22b tensor=4 data=2 pipeline={pipeline} zero={zero}")
        parts = cut.data["scene"]["bars"][0]["bars"][0]["parts"]
        said = any(text.startswith("“data group”") for text in cut.data["scene"]["sentences"])
        return sum(part["size"] for part in parts if part["look"] == "data group"), said

    assert waited(zero)[1] == (zero in (1, 2))
    if zero in (1, 2):
        assert waited(zero)[0] > 2 * waited(0)[0]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("model=22b tensor=4 data=2 pipeline=2", "Drawn are 8 of the 16 NPUs"),
        ("model=gpt3 tensor=16 data=4 pipeline=1 zero=0", "Drawn are 16 of the 64 NPUs"),
        ("model=22b tensor=4 data=2 pipeline=1", ""),
    ],
)
def test_it_is_said_how_many_of_the_npus_are_drawn(setting, said):
    stage = ae.CutTheModel(setting).data["scene"]["stage"]
    drawn = sum(frame["name"].startswith("NPU") for frame in stage["frames"])
    assert ("Drawn are" in stage["steps"][0]) == bool(said)
    assert said in stage["steps"][0]
    assert not said or f"Drawn are {drawn} of" in stage["steps"][0]


def test_with_a_few_controls_the_rest_stays_and_is_told_in_the_text():
    cut = ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1 zero=0", controls=("tensor", "data"))
    assert set(cut.data["hidden"]) == {s.name for s in cut.settings} - {"tensor", "data"}
    assert (cut.data["actions"], set(cut.data["greyed"]) <= {"tensor", "data"}) == ([], True)
    assert ae.CutTheModel(cut.data["short"]).text == cut.text
    stored = cut.state()["stored"]
    assert {"model=22b", "pipeline=1", "zero=0"} <= set.intersection(*(set(text.split()) for text in stored))
    assert len({tuple(text.split()[1:3]) for text in stored}) == 5 * 7  # 64 heads can be cut in all of these ways
    cut.values = cut.values | {"tensor": 16, "data": 3}
    assert cut.data["nearest"]["zero"] == 0


TOKENS = "keys and values of all tokens, and their gradients", "tokens on their way to experts and back"


def test_tokens_and_experts_are_shared_out_by_sliders(capsys):
    cut = ae.CutTheModel("model=gpt2 tensor=1 data=4 context=2 pipeline=1 zero=0 experts=8 expert=4")
    what, strategy = job(cut.values)
    assert (what.name, strategy.context, strategy.expert) == ("GPT-2, 8 experts", 2, 4)
    assert what.parameters == ae.with_experts(ae.model("gpt2"), 8, top_k=2).parameters
    scene, run = cut.data["scene"], iteration(cut.values)
    time, _, sizes = scene["bars"]
    parts = {part["look"]: part["size"] for part in time["bars"][0]["parts"]}
    assert parts["context group"] == run.at_least.context_ns / 1e6
    assert parts["expert group"] == run.at_least.expert_ns / 1e6
    assert sum(parts.values()) == pytest.approx(run.bound_ns / 1e6, abs=1e-5)
    assert scene["headline"].startswith("at least")
    by_label = {bar["label"]: bar["parts"][0] for bar in sizes["bars"]}
    assert {label: part["look"] for label, part in by_label.items()} == {
        "context: all-gather": "context group",
        "context: reduce-scatter": "context group",
        "expert: all-to-all": "expert group",
        "expert data: all-reduce": "data group",
        "data: all-reduce": "data group",
    }
    sent_there = [c for c in ae.communications(what, strategy) if c.group == "expert"]
    assert by_label["expert: all-to-all"]["size"] * GIB == sum(c.size * c.times for c in sent_there)
    assert (
        scene["title"] == "gpt2 with 8 experts on 8 × a100: tensor 1 × data 4 × context 2 × pipeline 1, experts among 4"
    )
    assert "An NPU has 2 of the 8 experts of a block, and a token goes through 2 of them." in scene["sentences"]
    exec(scene["code"], {"ae": ae})
    printed = capsys.readouterr().out
    assert repr(run) in printed
    assert repr(ae.memory(what, strategy)) in printed


def test_parts_are_never_shorter_than_the_links_allow():
    """Messages of an all-to-all over a switch don't slow each other down in ASTRA-sim 1.0."""
    cut = ae.CutTheModel("model=gpt3 tensor=1 data=8 pipeline=1 zero=0 experts=8 expert=8")
    run, scene = iteration(cut.values), cut.data["scene"]
    parts = {part["look"]: part["size"] for part in scene["bars"][0]["bars"][0]["parts"]}
    assert parts["expert group"] == run.at_least.expert_ns / 1e6 > 5 * run.expert_ns / 1e6
    assert sum(parts.values()) == pytest.approx(run.bound_ns / 1e6, abs=1e-5)
    assert any(text.startswith("The parts are those that the links allow") for text in scene["sentences"])
    assert scene["lanes"] == () or scene["lanes"][0]["end"] == run.bound_ns / 1e6
    cut.set(experts=1)
    assert not any("links allow" in text for text in cut.data["scene"]["sentences"])


def test_what_is_sent_for_tokens_is_a_choice_where_they_are_shared_out():
    cut = ae.CutTheModel("model=gpt2 tensor=1 data=1 context=4 pipeline=1 zero=0", asks="sent")
    assert set(TOKENS) & set(cut.question(cut.values).choices) == {TOKENS[0]}
    assert cut.answer(cut.values).value == TOKENS[0]
    found = ae.communications("gpt2", ae.Strategy(context=4, batch=8, micro_batch=1, recompute="selective"))
    keys = sum(each.sent_bytes for each in found if each.group == "context")
    assert f"{keys / GIB:,.2f} GiB of {TOKENS[0]}" in cut.answer(cut.values).why
    cut.set(experts=8, context=1, data=4, expert=4)
    assert set(TOKENS) & set(cut.question(cut.values).choices) == {TOKENS[1]}
    routed = sum(c.sent_bytes for c in sent(*job(cut.values)) if c.group == "expert")
    assert f"{routed / GIB:,.2f} GiB of {TOKENS[1]}" in cut.answer(cut.values).why
    cut.set(experts=1)
    assert not set(TOKENS) & set(cut.question(cut.values).choices)
    assert job(cut.values)[1].expert == 1


@pytest.mark.parametrize(
    ("setting", "greyed"),
    [
        ("model=gpt2 tensor=1 data=2 pipeline=1 experts=8", {"expert": {"2", "3", "4", "5", "6"}}),
        ("model=gpt2 tensor=1 data=16 pipeline=1 experts=8", {"expert": {"4", "5", "6"}}),
    ],
)
def test_an_expert_group_is_no_larger_than_there_are_copies_and_experts(setting, greyed):
    found = ae.CutTheModel(setting).data["greyed"]
    assert {name: set(found[name]) for name in greyed} == greyed


def test_the_expert_group_has_a_slider_where_there_are_experts():
    by_name = {setting.name: setting for setting in ae.CutTheModel.settings}
    cut = ae.CutTheModel()
    assert not by_name["expert"].shown(cut.values)
    assert by_name["expert"].shown(cut.values | {"experts": 8})


@pytest.mark.parametrize("setting", ["model=gpt2 experts=8 tensor=1 data=4 pipeline=2 micro_batches=4"])
def test_the_best_may_share_out_tokens_and_experts(setting):
    cut = ae.CutTheModel(setting)
    npus, room = job(cut.values)[1].npus, ae.device("a100").memory_bytes
    cut.best()
    best = on_links(iteration(cut.values)).total_ns
    assert job(cut.values)[1].npus == npus
    for moved in ({"expert": 1}, {"expert": 2}, {"expert": 4}, {"context": 2, "data": cut.values["data"] // 2}):
        values = cut.values | moved
        if cut.values["data"] * values["context"] % values["expert"] or not values["data"]:
            continue
        values["micro_batches"] = cut.values["data"] * cut.values["micro_batches"] // values["data"]
        if ae.memory(*job(values)).total <= room:
            assert on_links(iteration(values)).total_ns >= best


def test_one_npu_sends_nothing_and_says_so():
    (bar,) = ae.CutTheModel("model=gpt3 tensor=1 data=1 pipeline=1").data["scene"]["bars"][2]["bars"]
    assert (bar["label"], bar["parts"], bar["said"]) == ("none", (), "0 GiB: there is one NPU")


def test_gathered_and_scattered_data_are_counted_alike():
    bars = {
        bar["label"]: bar for bar in ae.CutTheModel("model=22b data=16 pipeline=1").data["scene"]["bars"][2]["bars"]
    }
    assert bars["data: all-gather"]["said"] == bars["data: reduce-scatter"]["said"]


@pytest.mark.parametrize("tensor", [1, 2, 8, 16])
@pytest.mark.parametrize("name", ["gpt3", "llama3-405b", "mixtral-8x7b", "deepseek-v3"])
def test_the_slices_of_a_matrix_make_up_the_whole(tensor, name):
    if (tensor, name) == (16, "mixtral-8x7b"):
        return  # it has 8 heads of keys and values
    strategy = ae.Strategy(tensor=tensor, data=2, batch=2)
    stage = cut_stage(ae.model(name), strategy, sent(ae.model(name), strategy))
    for matrix in block_of(ae.model(name)).matrices:
        frame = next(frame for frame in stage.frames if frame.name == matrix.name)
        slices = [p for p in stage.pieces if p.name.startswith(f"{matrix.name}, slice") and p.name.endswith("copy 0")]
        area = sum(piece.at[0][2] * piece.at[0][3] for piece in slices)
        if matrix.split == "copied":
            assert {piece.at[0] for piece in slices} == {frame.box}
            continue
        assert area == pytest.approx(frame.box[2] * frame.box[3] * len(slices) / tensor)
        columns = {piece.at[0][3] for piece in slices} == {frame.box[3]}
        assert columns == (matrix.split == "columns" or tensor == 1)


@pytest.mark.parametrize("setting", ["tensor=8 data=2", "tensor=1 data=1 pipeline=1 model=gpt2", "tensor=16 data=64"])
def test_every_piece_ends_in_the_frame_of_its_npu(setting):
    stage = ae.CutTheModel(setting).data["scene"]["stage"]
    frames = {frame["name"]: frame["box"] for frame in stage["frames"] if frame["name"].startswith("NPU")}
    held = [piece for piece in stage["pieces"] if "slice" in piece["name"]]
    inside = [
        sum(
            x <= px and y <= py and px + pw <= x + w + 1e-6 and py + ph <= y + h + 1e-6
            for x, y, w, h in frames.values()
        )
        for px, py, pw, ph in (piece["at"][-1] for piece in held)
    ]
    assert inside == [1] * len(held)
    assert all(len(piece["at"]) == len(piece["looks"]) == len(stage["steps"]) for piece in stage["pieces"])


def test_sums_are_partial_until_their_collective_has_played():
    cut = ae.CutTheModel()
    stage = cut.data["scene"]["stage"]
    sums = next(piece for piece in stage["pieces"] if piece["name"] == "sums of NPU 0")
    plays = [step for step, words in enumerate(stage["steps"]) if "all-reduce of 48 MiB" in words]
    assert plays == [4, 6, 8, 10]
    in_a_block = [c for c in ae.communications(*job(cut.values), stage=0) if c.group == "tensor"]
    assert sum(c.operator.startswith("block1_") for c in in_a_block) == len(plays)
    for step in plays:
        assert (sums["looks"][step - 1], sums["looks"][step]) == ("partial sums", "complete")


def test_its_picture_has_no_number_before_a_prediction_and_its_words_after_it():
    cut = ae.CutTheModel()
    before = cut.still()
    cut.predict("compute")
    after = cut.still()
    assert before.startswith("<svg")
    assert after.startswith("<svg")
    assert "<title>gpt3 on 128 × a100: tensor 8 × data 2 × pipeline 8</title>" in before
    assert "GiB" not in before
    assert " ms" not in before
    assert cut.data["scene"]["headline"] in after
    for bar in (bar for bars in cut.data["scene"]["bars"] for bar in bars["bars"]):
        assert f">{bar['said']}</text>" in after


@pytest.mark.parametrize("setting", ["", "model=22b tensor=4 data=2 pipeline=2", "pipeline=16 micro_batches=4 data=1"])
def test_lanes_are_the_passes_of_the_pipeline(setting):
    cut = ae.CutTheModel(setting)
    run = iteration(cut.values).pipeline
    (lanes,) = cut.scene(cut.values).lanes
    assert lanes.lanes == tuple(f"stage {stage}" for stage in range(cut.values["pipeline"]))
    seen = {(b.lane, b.look, b.text): (b.start, b.end) for b in lanes.blocks}
    assert len(seen) == 2 * cut.values["pipeline"] * cut.values["micro_batches"]
    for stage, columns in enumerate(zip(run.passes, run.starts_ns, run.ends_ns, strict=True)):
        for each, start, end in zip(*columns, strict=True):
            lane = f"stage {stage}", {"F": "forward", "B": "backward"}[each.kind], str(each.micro_batch)
            assert seen[lane] == (start / 1e6, end / 1e6)
    assert lanes.end == iteration(cut.values).total_ns / 1e6


def test_without_a_pipeline_or_with_too_many_passes_there_are_no_lanes():
    for setting in ("pipeline=1 model=22b", "pipeline=16 micro_batches=64"):
        cut = ae.CutTheModel(setting)
        assert cut.scene(cut.values).lanes == ()


@pytest.mark.parametrize(("zero", "data"), [(0, {12}), (1, {12, 13}), (2, {12, 13}), (3, {2, 12})])
def test_lines_join_a_group_while_its_collective_plays(zero, data):
    stage = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=1", zero=zero).data["scene"]["stage"]
    plays = {link["name"]: {step for step, wide in enumerate(link["wide"]) if wide} for link in stage["links"]}
    assert plays == {f"tensor group of copy {copy}": {4, 6, 8, 10} for copy in (0, 1)} | {
        f"data group of slice {k}": data for k in range(4)
    }
    assert all("A collective of the tensor group" in stage["steps"][step] for step in (4, 6, 8, 10))
    frames = {frame["name"]: frame["box"] for frame in stage["frames"]}
    for k, link in enumerate(stage["links"][2:]):
        (x, y, wide, high), (_, below, _, _) = frames[f"NPU {k}"], frames[f"NPU {4 + k}"]
        (start, top), (end, bottom) = link["points"]
        assert start == end
        assert x < start < x + wide
        assert (top, bottom) == (y + high, below)


def test_a_group_of_one_has_no_line():
    for setting, kind in (("tensor=1 model=22b pipeline=1", "data"), ("data=1 model=22b pipeline=1", "tensor")):
        names = [link["name"] for link in ae.CutTheModel(setting).data["scene"]["stage"]["links"]]
        assert names
        assert all(name.startswith(kind) for name in names)


def test_what_is_sent_most_is_counted_from_what_is_communicated():
    gib = 2**30
    tensor = ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1 zero=0", asks="sent")
    answer = tensor.answer(tensor.values)
    assert answer.value == "sums of activations, in both passes" in tensor.question(tensor.values).choices
    found = ae.communications("22b", ae.Strategy(tensor=4, batch=8, micro_batch=1, recompute="selective"))
    sent = sum(2 * 3 / 4 * each.size * each.times for each in found)  # an all-reduce sends its data twice but its share
    assert f"sends {sent / gib:,.2f} GiB of sums of activations" in answer.why
    data = ae.CutTheModel("model=22b tensor=1 data=4 pipeline=1 zero=0", asks="sent")
    weights = 2 * ae.model("22b").parameters
    assert f"{2 * 3 / 4 * weights / gib:,.2f} GiB of sums of gradients" in data.answer(data.values).why
    zero = ae.CutTheModel("model=22b tensor=1 data=4 pipeline=1 zero=1", asks="sent")
    assert zero.answer(zero.values).why == data.answer(data.values).why
    alone = ae.CutTheModel("model=22b tensor=1 data=1 pipeline=1 zero=0", asks="sent")
    assert alone.answer(alone.values).value == "nothing"


def test_an_iterations_sequences_are_told():
    shown = ae.CutTheModel("model=22b tensor=1 data=4 pipeline=1 zero=0")
    assert "An iteration is 32 sequences, 8 for each of the 4 copies." in shown.scene(shown.values).sentences


TODAYS = [
    "model=llama3-8b tensor=2 data=4 pipeline=4 order=zb-h1",
    "model=llama3-70b tensor=4 data=4 pipeline=1 zero=3 reshard=False hides=zero",
    "model=llama3-405b tensor=8 data=2 pipeline=16 context=2 shared=ends order=interleaved virtual=4 micro_batches=16",
    "model=mixtral-8x7b tensor=1 data=8 pipeline=4 expert=8 order=zb-v hides=expert",
    "model=deepseek-v3 tensor=1 data=16 pipeline=4 expert=16 shared=uneven order=dualpipe device=h100",
    "model=llama3-8b tensor=1 data=2 context=4 pipeline=1 context_by=ring zero=1 shard_group=4",
]


@pytest.mark.parametrize("setting", TODAYS)
def test_todays_models_are_what_estimate_and_memory_say_and_the_code_says_the_same(setting):
    cut = ae.CutTheModel(setting)
    said, scene = [], cut.scene(cut.values)
    exec(scene.code, {"ae": ae, "print": said.append})
    run, kept = said
    assert run.total_ns == iteration(cut.values).total_ns
    assert run.strategy == job(cut.values)[1]
    assert scene.numbers["memory"][0] == kept.total
    assert all(re.search(r"\d+ [KMG]iB", step) for step in scene.stage.steps if "ollective of the tensor group" in step)
    assert scene.stage.steps[1].startswith("Cut for") == (run.strategy.tensor > 1)
    shown = {word.split("=")[0]: word.split("=")[1] for word in setting.split()}
    given = {"order": run.strategy.pipeline_order, "virtual": run.strategy.virtual, "context": run.strategy.context}
    given |= {"shared": run.strategy.stage_blocks, "expert": run.strategy.expert, "reshard": run.strategy.reshard}
    for name in shown.keys() & given.keys():
        assert str(given[name]) == shown[name]


@pytest.mark.parametrize("order", ae.ORDERS)
def test_lanes_of_every_order_are_its_passes(order):
    cut = ae.CutTheModel(f"model=llama3-8b tensor=1 data=2 pipeline=4 micro_batches=8 order={order}")
    run = iteration(cut.values).pipeline
    (lanes,) = cut.scene(cut.values).lanes
    assert run.order == order
    assert len({block.name for block in lanes.blocks}) == len(lanes.blocks) == len(run.spans)
    kinds = {"F": "forward", "B": "backward", "W": "weight gradient"}
    for block, span in zip(lanes.blocks, run.spans, strict=True):
        assert (block.lane, block.start, block.end) == (f"stage {span.stage}", span.start_ns / 1e6, span.end_ns / 1e6)
        assert block.look.startswith(kinds[span.kind])
        assert block.text.startswith(str(span.micro_batch))


@pytest.mark.parametrize(("micro_batches", "drawn"), [(32, True), (64, False)])
def test_too_many_passes_are_said_not_drawn(micro_batches, drawn):
    scene = ae.CutTheModel(f"model=gpt3 data=1 pipeline=4 micro_batches={micro_batches}")
    shown = scene.scene(scene.values)
    assert bool(shown.lanes) == drawn
    words = "The pipeline’s 512 passes are too many to be drawn as lanes; 256 are the most."
    assert (words in shown.sentences) != drawn


def test_whatever_is_not_refused_can_be_estimated():
    rng, cut, tried = Random(7), ae.CutTheModel(), 0
    while tried < 10:
        values = {setting.name: rng.choice(setting.values) for setting in cut.settings}
        values |= {"pipeline": rng.choice((1, 2, 4)), "data": rng.choice((2, 4, 8))}
        if not refused(values):
            assert iteration(values).total_ns > 0
            tried += 1


def test_what_cant_be_is_told_in_the_librarys_words():
    for setting, words in (
        (
            "pipeline=4 micro_batches=2 order=interleaved",
            "2 micro-batches can't be interleaved on 4 stages; 4 would do",
        ),
        ("model=llama3-405b pipeline=16", "126 blocks"),
        ("pipeline=8 order=dualpipe micro_batches=4", "DualPipe needs an even number"),
        ("hides=tensor", "sequence_parallel=True"),
        ("model=deepseek-v3 tensor=1 data=8 pipeline=1 expert=16", "experts can't be shared out among 16"),
        ("pipeline=4 order=dualpipe zero=2", "zero=1 or 0"),
        ("data=4 shard_group=8", "can't make up groups of 8"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            ae.CutTheModel(setting)


def test_more_ways_to_cut_are_folded_and_only_those_that_apply_are_there():
    folded = {s.name for s in ae.CutTheModel.settings if s.fold}
    assert folded == {"order", "virtual", "shared", "context_by", "shard_group", "reshard", "hides"}
    hidden = {*ae.CutTheModel("model=22b tensor=4 data=2 pipeline=1 zero=0").data["hidden"]}
    assert hidden & folded == {"order", "virtual", "shared", "context_by", "shard_group"}
    assert not {"order", "virtual"} & {*ae.CutTheModel("order=interleaved").data["hidden"]}
    assert "experts" in ae.CutTheModel("model=mixtral-8x7b tensor=1 pipeline=1 data=8").data["hidden"]
    said = ae.CutTheModel().data["alike"]["reshard"]
    assert said["why"] == "No difference here: only ZeRO-3 gathers parameters."
    assert not said["every"]
    assert ae.CutTheModel("zero=3 pipeline=1 reshard=False").data["alike"] == {}


def test_the_best_of_a_model_of_today_is_the_fastest_of_those_tried_and_says_so():
    cut = ae.CutTheModel("model=llama3-8b tensor=8 data=1 pipeline=1 micro_batches=8 device=h100 zero=0")
    before = iteration(cut.values).total_ns
    cut.best()
    assert iteration(cut.values).total_ns < before
    assert ae.memory(*job(cut.values)).total <= 80 * 2**30
    assert "fits of 80 cuts, those with sequence parallel, ZeRO 1 or 3" in cut.data["note"]


def test_the_best_says_when_it_was_on_show_already_and_when_nothing_fits():
    cut = ae.CutTheModel("model=gpt2 tensor=1 data=1 pipeline=1 zero=0 recompute=full")
    cut.best()
    assert "already" not in cut.data["note"]
    cut.best()
    assert cut.data["note"] == "The fastest that fits of 9 cuts. It was on show already."
    cut = ae.CutTheModel("model=gpt3 tensor=1 data=1 pipeline=1 zero=0")
    before = cut.text
    cut.best()
    assert cut.text == before
    assert "GPT-3 doesn't fit into 1 × a100 by any of the 9" in cut.data["note"]
    assert cut.data["problem"] == ""


def test_while_the_best_is_looked_for_how_far_it_is_is_told_and_then_no_button_waits():
    cut, told = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2"), []
    cut.observe(lambda change: told.append((change.new, cut.acted)), "doing")
    cut.act = {"name": "best", "count": 1}
    assert told[0][0]["words"].startswith("which cuts can be: 0 of ")
    assert any(doing["words"].startswith("the fastest: 1 of ") for doing, _ in told[:-1])
    assert not any(doing["stops"] or done for doing, done in told[:-1])  # nobody is heard here
    assert told[-1][0] == {}
    assert cut.acted == 1
    cut.act = {"name": "nothing", "count": 2}
    assert cut.acted == 2


@pytest.mark.parametrize("found", [0, 3])
def test_who_stops_it_gets_the_best_so_far_and_no_button_waits(found, monkeypatch):
    from astra_edu.explore.iteration import best_first

    cut, left, own = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2 order=zb-v"), [None] * found, []

    def estimated(times):
        if not left:
            raise KeyboardInterrupt
        left.pop()
        own.append(on_its_links(times))
        return own[-1]

    on_its_links = best_first.on_links
    monkeypatch.setattr(best_first, "on_links", estimated)
    before = cut.text
    with pytest.raises(KeyboardInterrupt):
        cut.act = {"name": "best", "count": 1}
    assert cut.acted == 1
    assert cut.doing == {}
    if found:
        assert on_links(iteration(cut.values)).total_ns == pytest.approx(min(own), abs=1)
        assert cut.data["note"].startswith("Stopped: the fastest that was found until then of ")
        assert ae.so_far().strategy == job(cut.values)[1]
    else:
        assert cut.text == before
        assert cut.data["note"] == "Stopped before any cut was found."


def test_in_a_kernel_it_is_looked_for_beside_and_the_view_stops_it(monkeypatch):
    from astra_edu.course.instruments import acting
    from astra_edu.explore.iteration import best_first

    cut, own, done = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2 order=zb-v"), [], Event()

    def estimated(times):
        own.append(on_its_links(times))
        if len(own) == 3:
            cut.stop = 1
        sleep(0.15)
        return own[-1]

    on_its_links = best_first.on_links
    monkeypatch.setattr(best_first, "on_links", estimated)
    monkeypatch.setattr(acting, "_in_a_kernel", lambda: True)
    cut.observe(lambda change: done.set(), "acted")
    cut.act = {"name": "best", "count": 1}
    assert cut.acted == 0
    assert done.wait(60)
    assert 3 <= len(own) < 10
    assert cut.data["note"].startswith("Stopped: the fastest that was found until then of ")
    assert on_links(iteration(cut.values)).total_ns == pytest.approx(min(own), abs=1)
    assert cut.doing == {}


def test_what_can_be_is_what_memory_takes():
    random, allowed = Random(7), 0
    while allowed < 60:
        values = {setting.name: random.choice(setting.values) for setting in ae.CutTheModel.settings}
        try:
            ae.memory(*job(values))
            why = ""
        except ae.ConfigError as error:
            why = str(error)
        assert refused(values) == why
        allowed += not why
