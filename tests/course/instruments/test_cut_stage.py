"""The stage of a cut where tokens and experts are shared out: what is where, when, and what is said of it."""

import re
from itertools import combinations, product

import pytest

import astra_edu as ae
from astra_edu.base.units import format_bytes
from astra_edu.course.instruments.cut_stage import cut_stage
from astra_edu.course.instruments.cut_tokens import LETTER

PLAIN = ae.transformer("plain", hidden=512, heads=16, blocks=4, sequence=256, vocabulary=1024)
MIXTURE = ae.with_experts(PLAIN, 8)
GATED, GATED_MIXTURE, LATENT = (ae.model(name) for name in ("llama3-8b", "mixtral-8x7b", "deepseek-v3"))
CUTS = [
    (model, {"tensor": tensor, "data": data, "context": context, "expert": expert, "zero": zero})
    for model, tensor, data, context, expert, zero in product(
        (PLAIN, MIXTURE), (1, 2, 16), (1, 2, 8), (1, 2, 4), (1, 2, 8), (0, 1, 3)
    )
    if data * context % expert == 0 and (expert == 1 or model is MIXTURE)
]
CUTS += [
    (model, {"tensor": tensor, "data": data, "context": context, "expert": expert, "zero": zero})
    for model, tensor, data, context, expert, zero in product(
        (GATED, GATED_MIXTURE, LATENT), (1, 2, 8), (1, 2), (1, 2), (1, 2), (1,)
    )
    if data * context % expert == 0 and (expert == 1 or model is not GATED)
]
SLOW = 1e-6


def staged(model, **how):
    cut = ae.Strategy(**how)
    return cut, ae.communications(model, cut), cut_stage(model, cut, ae.communications(model, cut))


def step_of(stage, words):
    (found,) = [step for step, said in enumerate(stage.steps) if words in said]
    return found


def overlap(one, other):
    wide = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    high = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return min(wide, high)


def home_of(stage, box):
    """The NPU in whose frame a box lies; None where it is in none."""
    x, y, wide, high = box
    inside = [
        int(frame.name.removeprefix("NPU "))
        for frame in stage.frames
        if frame.name.startswith("NPU")
        and frame.box[0] - SLOW <= x
        and frame.box[1] - SLOW <= y
        and x + wide <= frame.box[0] + frame.box[2] + SLOW
        and y + high <= frame.box[1] + frame.box[3] + SLOW
    ]
    return inside[0] if inside else None


@pytest.mark.parametrize(("model", "how"), CUTS[::3], ids=lambda each: getattr(each, "name", None))
def test_nothing_lies_on_anything_else_or_outside(model, how):
    _, _, stage = staged(model, **how)
    wide, high = stage.size
    for step in range(len(stage.steps)):
        there = [piece for piece in stage.pieces if piece.at[step] and min(piece.at[step][2:]) > 0]
        for piece in there:
            x, y, w, h = piece.at[step]
            assert x >= 0, (piece.name, step)
            assert y >= 0, (piece.name, step)
            assert x + w <= wide, (piece.name, step)
            assert y + h <= high, (piece.name, step)
        if stage.steps[step] == stage.steps[0] or step == 1:
            continue  # copies of what lies whole lie on each other
        for one, other in combinations(there, 2):
            assert overlap(one.at[step], other.at[step]) < 1, (one.name, other.name, stage.steps[step])


@pytest.mark.parametrize(("context", "tensor"), [(2, 1), (4, 1), (2, 4), (8, 16)])
def test_keys_and_values_are_there_from_the_gathering_on_until_they_were_used(context, tensor):
    _, sent, stage = staged(PLAIN, context=context, tensor=tensor)
    gathers = [each for each in sent if each.operator == "block1_scores"]
    size, whole = (format_bytes(gathers[i].size) for i in (0, 2))
    first = step_of(stage, f"an all-gather of {size} in the context group brings their keys and values")
    again = step_of(stage, f"The backward pass needs keys and values again: an all-gather of {size}")
    scattered = step_of(stage, f"a reduce-scatter of {whole} in the context group adds them up")
    there = {first, first + 1, again, again + 1}
    assert "attention" in stage.steps[first + 1] or "projection" in stage.steps[first + 1]
    assert stage.steps[again + 1].startswith("Backward, attention")
    pieces = [piece for piece in stage.pieces if piece.name.startswith("keys and values")]
    assert len(pieces) == 2 * min(tensor, 8) * (context - 1)
    for piece in pieces:
        npu = int(piece.name.split()[-1])
        seen = {step for step, box in enumerate(piece.at) if box and box[2] > 0}
        assert seen == there
        wide = {step for step in there if piece.at[step][2] >= LETTER}
        assert {step for step, word in enumerate(piece.says) if word} == wide
        assert {home_of(stage, piece.at[step]) for step in there} == {npu}
        assert {step for step in there if piece.looks[step] == "partial sums"} == {again + 1}
        assert piece.at[scattered][2] == 0
    plays = {step for link in stage.links if link.name.startswith("context") for step, w in enumerate(link.wide) if w}
    assert plays == {first, again, scattered}


def test_keys_and_values_come_from_the_npu_whose_tokens_they_are():
    _, _, stage = staged(PLAIN, context=2, tensor=2)
    tokens = {piece.name: piece for piece in stage.pieces if piece.name.startswith("tokens of NPU")}
    for npu, source in ((0, 2), (1, 3), (2, 0), (3, 1)):
        own = {0: 1, 1: 1, 2: 2, 3: 2}[source]
        piece = next(p for p in stage.pieces if p.name == f"keys and values of tokens {own} on NPU {npu}")
        start = next(box for box in piece.at if box)
        assert home_of(stage, start) == source
        assert overlap(start, tokens[f"tokens of NPU {source}"].at[3]) == 0 < start[3]
        assert piece.says[4] == tokens[f"tokens of NPU {source}"].says[4] != ""


def test_a_letter_has_room_on_its_tokens_or_is_left_out():
    _, _, stage = staged(PLAIN, context=16)
    found = [(piece, step) for piece in stage.pieces if "tokens" in piece.name for step in range(len(piece.at))]
    lettered = [piece.at[step][2] for piece, step in found if piece.says and piece.says[step]]
    bare = [piece.at[step][2] for piece, step in found if piece.at[step] and not piece.says[step]]
    assert min(lettered) >= LETTER > max(bare)


@pytest.mark.parametrize(("data", "expert", "tensor"), [(2, 2, 1), (8, 8, 1), (4, 2, 2), (8, 4, 16)])
def test_experts_are_on_the_npus_that_own_them_and_tokens_go_there_and_back(data, expert, tensor):
    _, sent, stage = staged(MIXTURE, data=data, expert=expert, tensor=tensor)
    each = 8 // expert
    for piece in (piece for piece in stage.pieces if piece.name.startswith("expert")):
        number, copy = int(piece.name.split()[1].rstrip(",")), int(piece.name.split()[-1])
        assert number // each == copy % expert
        homes = {home_of(stage, box) for box in piece.at[2:] if box}
        assert len(homes) == 1
        assert homes.pop() // tensor == copy
    size = format_bytes(next(one.size for one in sent if one.operator == "block1_dispatch" and one.group == "expert"))
    travels = [step for step, said in enumerate(stage.steps) if f"n all-to-all of {size} in the expert group" in said]
    assert len(travels) == 4
    away = {travels[0], travels[0] + 1, travels[2], travels[2] + 1}
    crossing = [piece for piece in stage.pieces if " for NPU " in piece.name]
    assert len(crossing) == 4 * min(tensor, 8)
    for piece in crossing:
        source, goal = (int(word) for word in piece.name.split() if word.isdigit())
        for step, box in enumerate(piece.at):
            if box:
                assert home_of(stage, box) == (goal if step in away else source)
    plays = {step for link in stage.links if link.name.startswith("expert") for step, w in enumerate(link.wide) if w}
    assert plays == set(travels)


@pytest.mark.parametrize("zero", [0, 1, 3])
@pytest.mark.parametrize(("expert", "alike"), [(1, 8), (2, 4), (8, 1)])
def test_gradients_of_experts_are_partial_only_where_others_have_the_same(expert, alike, zero):
    _, sent, stage = staged(MIXTURE, data=8, expert=expert, zero=zero)
    of_experts = {one.npus for one in sent if "mlp" in one.operator and one.content == "weight gradients"}
    assert of_experts == ({alike} if alike > 1 else set())
    looks = {piece.looks[-3] for piece in stage.pieces if piece.name.startswith("expert")}
    assert looks == {"partial sums" if alike > 1 else "gradients"}
    others = {piece.looks[-3] for piece in stage.pieces if piece.name.startswith("projection")}
    assert others == {"partial sums"}
    kept = [piece.at[-1] is not None for piece in stage.pieces if piece.name.startswith("expert")]
    assert all(kept) == (zero < 3 or alike == 1)
    assert ("No other NPU has these experts" in stage.steps[-2]) == (alike == 1)


def test_without_an_expert_group_no_token_travels_and_every_npu_has_all_experts():
    _, _, stage = staged(MIXTURE, data=2, tensor=2)
    assert "Each NPU has all 8, so no token travels." in stage.steps[5]
    assert not any(piece.name.startswith("tokens") for piece in stage.pieces)
    assert sum(piece.name.startswith("expert") for piece in stage.pieces) == 8 * 4
    assert not any(link.name.startswith("expert") for link in stage.links)


@pytest.mark.parametrize(("model", "how"), CUTS[::7], ids=lambda each: getattr(each, "name", None))
def test_a_collective_is_told_where_its_group_is_joined(model, how):
    cut, _, stage = staged(model, **how)
    for link in stage.links:
        group = link.name.split(" ")[0]
        for step, wide in enumerate(link.wide):
            if wide and group != "data":
                assert f"{group} group" in stage.steps[step], (link.name, stage.steps[step])
    if cut.tensor > 1:
        told = [step for step, said in enumerate(stage.steps) if re.search("ollectives? of the tensor group", said)]
        assert {
            step for link in stage.links if link.name.startswith("tensor") for step, w in enumerate(link.wide) if w
        } == set(told)


def test_how_many_of_npus_and_experts_are_drawn_is_said():
    _, _, stage = staged(ae.with_experts(PLAIN, 64), data=8, context=4, expert=16)
    said = stage.steps[0]
    assert "64 experts of 8 h² each, of which 8 are drawn" in said
    assert "Drawn are 2 of the 32 NPUs; the others do the same, with their own blocks, tokens or samples." in said
    assert sum(frame.name.startswith("expert") for frame in stage.frames) == 8
    _, _, stage = staged(MIXTURE, data=2, expert=2)
    assert "8 experts of 8 h² each." in stage.steps[0]


def test_what_todays_blocks_are_and_how_they_are_cut():
    """Shapes by hand: Llama 3 8B has 8 heads of keys and values to 32, and an MLP of 3 × 3.5 h²; DeepSeek-V3, h = 7168,
    latent vectors of 1536 and 576, of which 512 are made keys and values, and experts of 3 × 2048 × h."""
    gated = staged(GATED, tensor=2)[2]
    assert [frame.text for frame in gated.frames[:4]] == [
        "Q, K, V: h × 1.5h",
        "projection: h × h",
        "MLP gate, up: h × 7h",
        "MLP down: 3.5h × h",
    ]
    assert gated.steps[0] == "A block's four matrices: 13 h² weights."
    assert gated.steps[1] == (
        "Cut for 2 NPUs: Q, K, V and MLP gate, up by columns, the projection and MLP down by rows."
    )
    h = 7168
    attention = (1536 * h + 1536 * 128 * 192 + 576 * h + 512 * 128 * 256 + 128 * 128 * h + 3 * 2048 * h) / h**2
    latent = staged(LATENT, tensor=2, data=2, expert=2)[2]
    assert latent.steps[0].startswith(
        f"A block's matrices: {attention:.3g} h² weights of its attention and a shared expert, and 256 experts of "
        f"{3 * 2048 / h:.3g} h² each, of which 8 are drawn. The first 3 blocks have an MLP in their place."
    )
    assert "Q down and KV down are too small to be cut: every NPU has them." in latent.steps[1]
    pieces = {piece.name: piece for piece in latent.pieces}
    alike = [pieces[f"Q down, slice {k} of 2, copy 0"] for k in (0, 1)]
    assert alike[0].at[2][2:] == alike[1].at[2][2:]
    assert {piece.title for piece in alike} == {"Q down: all of it"}
    assert any(
        "Collectives of the tensor group, all-reduce of 56 MiB, and all-reduce of 56 MiB" in s for s in latent.steps
    )


def test_a_ring_of_keys_and_values_is_no_collective():
    _, sent, stage = staged(GATED, context=4, tensor=2, context_by="ring")
    (size,) = {one.size for one in sent if one.operator == "block1_attention" and one.phase == "forward"}
    words = f"a ring of messages of {format_bytes(size)} in the context group"
    assert sum(words in step for step in stage.steps) == 3


@pytest.mark.parametrize(
    ("order", "shared", "said"),
    [("1f1b", "uneven", "7 to 8"), ("1f1b", "ends", "6 to 8"), ("dualpipe", "uneven", "15 to 16")],
)
def test_how_many_blocks_stages_have(order, shared, said):
    stage = staged(LATENT, pipeline=8, batch=16, pipeline_order=order, stage_blocks=shared)[2]
    assert f"A stage has {said} of the 61 blocks." in stage.steps[0]
    assert "A stage has 4 of the 32 blocks." in staged(GATED, pipeline=8, batch=16)[2].steps[0]


@pytest.mark.parametrize("data", [1, 2])
def test_two_stages_with_the_same_block_are_no_data_group(data):
    _, sent, stage = staged(GATED, data=data, pipeline=4, batch=8 * data, pipeline_order="dualpipe")
    size = {
        group: sum(one.size for one in sent if one.group == group and one.operator.startswith("block1_"))
        for group in ("data", "mirror")
    }
    said = stage.steps[-2]
    assert (f"The data group, all-reduce: {format_bytes(size['data'])} for the block" in said) == (data > 1)
    assert f"The two stages that have the block add theirs up, all-reduce: {format_bytes(size['mirror'])}." in said
    assert "complete" not in said


def test_tokens_of_many_in_a_narrow_npu_have_a_width():
    _, _, stage = staged(LATENT, tensor=8, data=16, context=16, expert=16)
    assert all(box[2] >= 0 for piece in stage.pieces for box in piece.at if box)
    assert all(box[2] > 0 for piece in stage.pieces if " for NPU " in piece.name for box in piece.at if box)


def test_a_block_on_a_later_stage_has_its_messages():
    """DeepSeek-V3's first block with experts is the fourth, and of 16 stages the first has three blocks."""
    setting = "model=deepseek-v3 tensor=2 data=8 pipeline=32 expert=8 shared=uneven device=h100"
    cut = ae.CutTheModel(setting)
    steps = cut.scene(cut.values).stage.steps
    assert sum("an all-to-all of" in step for step in steps) == 4
    assert any("no tensor group" in step for step in steps) is False
