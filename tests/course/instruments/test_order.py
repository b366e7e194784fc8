"""Order the steps: cards are the algorithm's steps and a few others, and the prover judges every order of them."""

import re
from itertools import permutations

import pytest

import astra_edu as ae
from astra_edu.collectives.schedule import Op
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.order_job import LETTERS, NPUS, PUZZLES, cards, judged, next_cards, original

ORDERS = [(puzzle, order) for puzzle in PUZZLES for order in permutations(LETTERS, original(puzzle).step_count)]
RIGHT = {"puzzle": "ring-reduce-scatter", "first": "E", "second": "B", "third": "D"}
EVERY = pytest.mark.parametrize("puzzle", PUZZLES)


def kept(puzzle, order):
    """Whether arrays end as the collective promises: contributions followed as lists, so that none is counted twice."""
    whole, by_letter = original(puzzle), {card.letter: card for card in cards(puzzle)}
    gathers = str(whole.collective) == "all-gather"
    state = [[[npu] if not gathers or npu == shard else [] for shard in range(NPUS)] for npu in range(NPUS)]
    for letter in order:
        card = by_letter[letter]
        sent = [(t.destination, t.shard, list(state[t.source][t.shard])) for t in card.transfers]
        if not all(data for _, _, data in sent):
            return False
        for npu, shard, data in sent:
            state[npu][shard] = data if card.op is Op.COPY else state[npu][shard] + data
            if len(set(state[npu][shard])) < len(state[npu][shard]):
                return False
    for npu in range(NPUS):
        for shard in range(NPUS):
            wanted = [shard] if gathers else list(range(NPUS))
            if (str(whole.collective) != "reduce-scatter" or npu == shard) and sorted(state[npu][shard]) != wanted:
                return False
    return True


@EVERY
def test_just_one_order_is_right_and_it_is_the_algorithms(puzzle):
    right = [order for order in permutations(LETTERS, original(puzzle).step_count) if kept(puzzle, order)]
    assert len(right) == 1
    by_letter = {card.letter: card for card in cards(puzzle)}
    steps = list(original(puzzle).steps())
    assert [by_letter[letter].transfers for letter in right[0]] == [step.transfers for step in steps]
    assert [bool(card.wrong) for card in cards(puzzle)].count(False) == len(steps)


@EVERY
def test_the_prover_says_what_following_every_contribution_says(puzzle):
    for order in permutations(LETTERS, original(puzzle).step_count):
        assert judged(puzzle, "".join(order)).done == kept(puzzle, order)


@EVERY
def test_a_next_card_is_told_only_where_it_leads_to_the_end(puzzle):
    (right,) = [o for o in permutations(LETTERS, original(puzzle).step_count) if kept(puzzle, o)]
    for k in range(len(right)):
        order = ae.OrderTheSteps(puzzle=puzzle, **dict(zip(("first", "second", "third"), right[:k], strict=False)))
        assert order.answer(order.values).value == right[k]
        assert set(order.data["question"]["choices"]) == set(LETTERS) - set(right[:k])
        assert order.data["question"]["places"] == {f"card {c}": c for c in order.data["question"]["choices"]}
    assert next_cards(puzzle, "".join(right)) == ()
    wrong = next(c for c in LETTERS if c != right[0])
    assert ae.OrderTheSteps(puzzle=puzzle, first=wrong).data["question"] is None


@EVERY
def test_what_is_committed_to_puts_the_right_card_in_its_place(puzzle):
    (right,) = [o for o in permutations(LETTERS, original(puzzle).step_count) if kept(puzzle, o)]
    order = ae.OrderTheSteps(puzzle=puzzle)
    for k, letter in enumerate(right):
        guess = letter if k % 2 else next(c for c in LETTERS if c not in right[: k + 1])
        order.guess = {}
        order.predict(guess)
        assert [order.values[place] for place in ("first", "second", "third")[: k + 1]] == list(right[: k + 1])
    assert order.data["scene"]["headline"].startswith("✓ Proved")


def test_who_wants_no_prediction_places_the_first_card_too():
    order = ae.OrderTheSteps()
    order.dismiss()
    assert order.values["first"] == "-"
    assert order.data["scene"]["headline"] == "Click the first step."


def test_an_answer_does_not_set_what_has_no_control():
    order = ae.OrderTheSteps(controls=["puzzle"])
    order.predict("E")
    assert order.values["first"] == "-"


@EVERY
def test_an_order_that_cannot_be_saved_is_said_to_be_wrong_before_it_is_whole(puzzle):
    (right,) = [o for o in permutations(LETTERS, original(puzzle).step_count) if kept(puzzle, o)]
    for begun in (o for size in range(1, len(right)) for o in permutations(LETTERS, size)):
        if judged(puzzle, "".join(begun)).error:
            continue
        shown = ae.OrderTheSteps(puzzle=puzzle, **dict(zip(("first", "second", "third"), begun, strict=False)))
        said = shown.data["scene"]["headline"]
        assert said.endswith("so far no rule is broken.") == (right[: len(begun)] == begun)
        assert f"no order that begins with {', '.join(begun)} is right" in said or right[: len(begun)] == begun


def test_how_a_card_is_taken_out_is_said_from_the_first_on():
    for text in ("", "first=E", "first=B", "first=E second=D third=B"):
        order = ae.OrderTheSteps(text)
        assert "click a card that is placed to take it out" in " ".join(order.data["scene"]["sentences"])


def test_in_the_still_picture_words_on_a_hatch_stand_on_its_ground():
    on_sums = f'paint-order="stroke" stroke="{LOOKS["partial sums"][0]}"'
    assert ae.OrderTheSteps("first=E").still().count(on_sums) == 4
    assert "paint-order" not in ae.OrderTheSteps().still()


def test_no_message_lies_on_what_is_written_of_a_shard():
    """A digit is taken to be 0.64 as wide as high, a plus 0.84."""
    stage = ae.OrderTheSteps("first=E second=B third=D").scene(RIGHT).stage
    wide = 9 * (0.69 + 5 * 0.64 + 0.34 + 0.32 + 3 * 0.84)
    rows = [piece.at[3] for piece in stage.pieces if piece.name.startswith("NPU")]
    signs = [piece.at[3] for piece in stage.pieces if piece.name.startswith("step 3")]
    for x, y, w, h in signs:
        (row,) = [row for row in rows if row[0] <= x < row[0] + row[2] and row[1] <= y and y + h <= row[1] + row[3]]
        assert row[0] + (row[2] + wide) / 2 < x
        assert x + w <= row[0] + row[2]


def orders(puzzle):
    return permutations(LETTERS, original(puzzle).step_count)


def fair(puzzle, order):
    """How far an order comes, and with how many cards that belong."""
    belong = {card.letter for card in cards(puzzle) if not card.wrong}
    return len(judged(puzzle, "".join(order)).held), len(belong & set(order))


@EVERY
def test_every_wrong_card_is_told_why_by_an_order_that_the_prover_refuses(puzzle):
    order = ae.OrderTheSteps(puzzle=puzzle)
    answer = order.answer(order.values)
    assert set(answer.others) == set(LETTERS) - {answer.value}
    for letter, why in answer.others.items():
        at_once = judged(puzzle, letter).error
        if at_once:
            assert why == f"With {letter} the prover stops: {at_once}"
            continue
        said, _, error = why.partition(": ")
        tried = re.findall(r"\b([A-E])\b", said)
        assert tried[0] == letter
        assert not kept(puzzle, tried)
        assert judged(puzzle, "".join(tried)).error == error
        assert fair(puzzle, tried) == max(fair(puzzle, each) for each in orders(puzzle) if each[0] == letter)


def test_another_algorithm_begins_with_empty_places_and_one_with_two_steps_can_be_chosen():
    order = ae.OrderTheSteps("first=E second=B third=D")
    order.set(puzzle="direct-all-reduce")
    assert order.text == "puzzle=direct-all-reduce first=- second=- third=-"
    order.set(puzzle="ring-all-gather", first="C")
    assert order.text == "puzzle=ring-all-gather first=C second=- third=-"
    assert not any(order.data["greyed"].get("puzzle", {}).values())


def test_clicking_puts_a_card_in_the_next_place_or_takes_it_out():
    order = ae.OrderTheSteps("first=E second=B")
    sets = order.data["scene"]["sets"]
    assert sets["card D"] == {"first": "E", "second": "B", "third": "D"}
    assert sets["card E"] == {"first": "B", "second": "-", "third": "-"}
    full = ae.OrderTheSteps("first=E second=B third=A").data["scene"]["sets"]
    assert full["card D"] == {"first": "E", "second": "B", "third": "A"}


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ("second=A", "a place before it is empty"),
        ("first=A second=A", "a card can only be in one place"),
        ("puzzle=direct-all-reduce first=A second=B third=C", "there is no third step"),
    ],
)
def test_what_is_no_order_is_refused(setting, why):
    with pytest.raises(ae.ConfigError, match=why):
        ae.OrderTheSteps(setting)


def test_the_broken_rule_is_named_and_its_message_stops_half_way_in_red():
    order = ae.OrderTheSteps("puzzle=ring-all-gather first=A")
    scene = order.scene(order.values)
    error = "Step 1: NPU 0 sends shard X3 (shard 3) to NPU 1, but NPU 0 has no copy of it"
    assert scene.headline == "✗ The prover stops in step 1."
    assert scene.sentences[0].startswith(error)
    assert scene.stage.steps[1] == "✗ Step 1, card A: the message in red breaks a rule."
    wrong = [piece for piece in scene.stage.pieces if "wrong" in piece.looks]
    assert [piece.name for piece in wrong] == ["step 1: 0 to 1, shard 3"]
    assert wrong[0].says[1] == "✗"
    frames = {frame.name: frame.box for frame in scene.stage.frames}
    way = frames["NPU 1"][0] - frames["NPU 0"][0]
    assert wrong[0].at[1][0] == pytest.approx(wrong[0].at[0][0] + way / 2)


def test_at_the_end_of_the_right_order_each_npu_has_its_own_shard_complete():
    pieces = {p.name: p for p in ae.OrderTheSteps("first=E second=B third=D").scene(RIGHT).stage.pieces}
    for npu in range(NPUS):
        looks = [pieces[f"NPU {npu}, X{shard}"].looks for shard in range(NPUS)]
        assert [each[-1] == "complete" for each in looks] == [shard == npu for shard in range(NPUS)]
        assert {each[0] for each in looks} == {"own data"}


def test_a_promise_that_is_not_kept_marks_where():
    order = ae.OrderTheSteps("first=E second=D third=B")
    scene = order.scene(order.values)
    assert scene.headline == "✗ The promise isn’t kept after step 3."
    assert scene.sentences[0].startswith("After step 3")
    assert scene.stage.steps[3] == "✗ Step 3, card B: what is red isn’t what was promised."
    marked = [piece.name for piece in scene.stage.pieces if piece.looks[-1] == "wrong"]
    assert marked
    assert all(name.split(", X")[0] == f"NPU {name[-1]}" for name in marked)


@pytest.mark.parametrize(("puzzle", "order"), ORDERS[::13])
def test_what_npus_hold_is_said_and_looks_as_the_contributions_have_it(puzzle, order):
    places = dict(zip(("first", "second", "third"), order, strict=False))
    shown = ae.OrderTheSteps(puzzle=puzzle, **places)
    stage, found = shown.scene(shown.values).stage, judged(puzzle, "".join(order))
    pieces = {piece.name: piece for piece in stage.pieces}
    whole = len(stage.steps) == len(found.held)
    for k, held in enumerate(found.held):
        for npu in range(NPUS):
            for shard in range(NPUS):
                piece = pieces[f"NPU {npu}, X{shard}"]
                who = [n for n in range(NPUS) if held[npu][shard] >> n & 1]
                assert piece.says[k] == f"X{shard}: {'+'.join(map(str, who)) or 'nothing'}"
                if piece.at[k] and piece.looks[k] != "wrong" and len(who) == 1 and not puzzle.endswith("gather"):
                    assert (piece.looks[k] == "own data") == (who == [npu])
                if k < len(found.held) - 1 or (whole and found.done):
                    assert (piece.at[k] is not None) == bool(who)
                    done = who == ([shard] if puzzle.endswith("gather") else list(range(NPUS)))
                    if who:
                        assert (piece.looks[k] == "complete") == done
    for k, card in enumerate(found.cards, start=1):
        flying = [name for name in pieces if name.startswith(f"step {k}: ")]
        assert len(flying) == (len(card.transfers) if k <= len(found.held) else 0)


def test_the_code_builds_and_proves_the_same_order():
    right, wrong = ae.OrderTheSteps("first=E second=B third=D"), ae.OrderTheSteps("first=E second=D third=B")
    exec(right.data["scene"]["code"], {"ae": ae})
    with pytest.raises(ae.ProofError) as error:
        exec(wrong.data["scene"]["code"], {"ae": ae})
    assert wrong.data["scene"]["sentences"][0] == str(error.value)
