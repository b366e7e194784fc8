"""Faults in the cards that are put in order."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_order.py::test_"
SEEN = "tests/browser/test_order_seen.py::test_"
ONE = f"{TEST}just_one_order_is_right_and_it_is_the_algorithms"
PROVED = f"{TEST}the_prover_says_what_following_every_contribution_says[ring-reduce-scatter]"
CLICKED = f"{TEST}clicking_puts_a_card_in_the_next_place_or_takes_it_out"
HALF_WAY = f"{TEST}the_broken_rule_is_named_and_its_message_stops_half_way_in_red"

FAULTS = [
    Fault(
        "cards: two orders are right",
        f"{PY}/order_job.py",
        "[*chosen, card])) == 1",
        "[*chosen, card])) >= 1",
        f"{ONE}[ring-all-gather]",
    ),
    Fault(
        "cards: a right step is left out",
        f"{PY}/order_job.py",
        "chosen = list(right)",
        "chosen = list(right[:-1])",
        f"{ONE}[ring-reduce-scatter]",
    ),
    Fault("judge: the promise isn't asked about", f"{PY}/order_job.py", "prove_end(whole, held[-1])", "pass", PROVED),
    Fault(
        "judge: receivers always add",
        f"{PY}/order_job.py",
        "Rounds(card.phase, card.op,",
        "Rounds(card.phase, Op.REDUCE,",
        f"{ONE}[direct-all-reduce]",
    ),
    Fault(
        "next: any card that can be carried out",
        f"{PY}/order_job.py",
        '"".join(rest)).done]',
        '"".join(rest)).held]',
        f"{TEST}a_next_card_is_told_only_where_it_leads_to_the_end[ring-reduce-scatter]",
    ),
    Fault("click: a placed card stays", f"{PY}/order.py", 'letters.replace(letter, "")', "letters", CLICKED),
    Fault(
        "click: a fourth card pushes one out",
        f"{PY}/order.py",
        "_placed(letters + letter if len(letters) < steps_wanted(puzzle) else letters)",
        "_placed((letters + letter)[-3:])",
        CLICKED,
    ),
    Fault(
        "check: a card in two places",
        f"{PY}/order.py",
        "if len(set(placed)) < len(placed):",
        "if len(set(placed)) > len(placed):",
        f"{TEST}what_is_no_order_is_refused[first=A second=A-a card can only be in one place]",
    ),
    Fault(
        "stage: the wrong message arrives",
        f"{PY}/order_stage.py",
        "_halfway(start, end) if wrong else",
        "end if wrong else",
        HALF_WAY,
    ),
    Fault(
        "stage: finished shards look partial",
        f"{PY}/order_stage.py",
        "if mask == target:",
        "if mask > target:",
        f"{TEST}at_the_end_of_the_right_order_each_npu_has_its_own_shard_complete",
    ),
    Fault(
        "stage: words are those of the step before",
        "astra_edu/course/widgets/static/instrument/stage.js",
        'put(word, "text", piece.says[t < 0.5 ? from : to]);',
        'put(word, "text", piece.says[0]);',
        f"{SEEN}cards_are_clicked_into_the_right_order_and_proved[light]",
    ),
    Fault(
        "commit: the right card isn't placed on a saved page",
        "astra_edu/course/widgets/static/instrument.js",
        "if (value !== null && Object",
        "if (value === null && Object",
        f"{SEEN}the_first_card_is_committed_to_by_a_click_before_anything_is_judged",
    ),
    Fault(
        "commit: the right card isn't placed",
        f"{PY}/instrument.py",
        'if predicted is not None and self.reply["takes"]',
        'if predicted is None and self.reply["takes"]',
        f"{TEST}what_is_committed_to_puts_the_right_card_in_its_place[ring-all-gather]",
    ),
    Fault(
        "commit: what has no control is set",
        f"{PY}/instrument.py",
        '{"takes": {}} if fixed',
        '{"takes": {}} if not answer.takes',
        f"{TEST}an_answer_does_not_set_what_has_no_control",
    ),
    Fault(
        "headline: an order that can't be saved is said to be fine",
        f"{PY}/order.py",
        "if next_cards(puzzle, letters):",
        "if letters:",
        f"{TEST}an_order_that_cannot_be_saved_is_said_to_be_wrong_before_it_is_whole[ring-reduce-scatter]",
    ),
    Fault(
        "headline: it is as long as the prover's sentence",
        f"{PY}/order.py",
        "return f\"✗ {'The prover stops in' if found.transfer else 'The promise isn’t kept after'} step {step}.\"",
        'return f"✗ {found.error} {step}"',
        f"{SEEN}cards_and_buttons_keep_their_places_whatever_the_prover_says",
    ),
    Fault(
        "stage: another's data are called its own",
        f"{PY}/order_stage.py",
        "if mask and npus_in(mask) != (npu,) else",
        "if not mask else",
        f"{TEST}what_npus_hold_is_said_and_looks_as_the_contributions_have_it",
    ),
    Fault(
        "stage: a message lies on what is written",
        f"{PY}/order_stage.py",
        "TOP = 108.0,",
        "TOP = 96.0,",
        f"{TEST}no_message_lies_on_what_is_written_of_a_shard",
    ),
    Fault(
        "stage: a hatch goes through the words on it",
        "astra_edu/course/widgets/static/instrument/stage.js",
        "this.patterns.clear(word, look);",
        "",
        f"{SEEN}around_a_word_on_a_hatch_its_ground_goes_on[light]",
    ),
    Fault(
        "menu: its words are cut",
        "astra_edu/course/widgets/static/instrument.css",
        ".astra-setting select { max-width: 100%; }",
        ".astra-setting select { max-width: 140px; }",
        f"{SEEN}a_menu_is_as_wide_as_its_longest_words",
    ),
    Fault(
        "changes: an empty comparison is shown",
        "astra_edu/course/widgets/static/instrument.js",
        "if (text) make(",
        "make(",
        f"{SEEN}nothing_is_compared_where_there_are_no_numbers",
    ),
    Fault(
        "changes: a comparison without numbers is said",
        "astra_edu/course/widgets/static/instrument/changes.js",
        "return parts.length ?",
        "return parts ?",
        "tests/js/confront.test.js::nothing is said of a change where there is nothing to compare",
    ),
    Fault(
        "answer: any order is tried, not the one that comes furthest",
        f"{PY}/order_job.py",
        "return max(found, key=lambda one: (len(one[1].held), sum(not card.wrong for card in one[1].cards)))",
        "return next(found)",
        f"{TEST}every_wrong_card_is_told_why_by_an_order_that_the_prover_refuses[ring-reduce-scatter]",
    ),
    Fault(
        "settle: cards of another algorithm stay placed",
        f"{PY}/order.py",
        'return values | _placed(""), ',
        "return values, ",
        f"{TEST}another_algorithm_begins_with_empty_places_and_one_with_two_steps_can_be_chosen",
    ),
]
