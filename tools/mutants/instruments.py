"""Faults in what the instruments show and ask."""

from tools.mutants.fault import Fault

JS = "astra_edu/course/widgets/static/instrument"
PY = "astra_edu/course/instruments"
CHUNKS_SEEN = "tests/browser/test_chunks_seen.py::test_"
CUT_SEEN = "tests/browser/test_cut_seen.py::test_"
CHUNKS, CUT = (f"tests/course/instruments/test_{name}.py::test_" for name in ("chunks", "cut"))
NODE = "tests/js/confront.test.js::"
PLACED = f"{CHUNKS_SEEN}every_chunk_is_where_and_as_its_run_has_it[themis-light]"
LOADS = f"{CHUNKS_SEEN}a_load_grows_by_a_part_for_every_chunk_and_the_table_adds_them_up"
COMMITTED = f"{CUT_SEEN}no_number_is_shown_before_a_prediction_and_both_stay_after_it"
CHOSEN = f"{CUT_SEEN}a_choice_is_committed_to_and_may_be_right"
GREYED = f"{CUT_SEEN}a_value_that_cannot_be_is_crossed_and_says_why_and_a_button_leads_back"
OTHER = f"{CUT_SEEN}another_setting_of_a_saved_page_shows_its_own_numbers_and_the_one_before_as_a_ghost"
VEILED = f"{CHUNKS_SEEN}the_run_is_not_told_before_a_prediction"
CONFRONTED = f"{NODE}a prediction is confronted in Python's words"
SPANS = f"{CHUNKS}every_piece_is_where_its_spans_have_it"
NUMBERS = f"{CHUNKS}its_numbers_are_those_of_simulate"

FAULTS = [
    Fault(
        "stage: pieces are a step ahead",
        f"{JS}/stage.js",
        "[piece.at[from], piece.at[to]]",
        "[piece.at[to], piece.at[from]]",
        PLACED,
    ),
    Fault(
        "stage: pieces look as in the step before",
        f"{JS}/stage.js",
        "piece.looks[t < 0.5 ? from : to]",
        "piece.looks[Math.max(0, from - 1)]",
        PLACED,
    ),
    Fault(
        "stage: a piece's word stays at its left edge",
        f"{JS}/stage.js",
        "here[0] + here[2] / 2",
        "here[0]",
        PLACED,
    ),
    Fault(
        "stage: chunks rest at every moment of the clock",
        f"{JS}/stage.js",
        "this.stage.clock ? at - from",
        "this.stage.seconds ? at - from",
        f"{CHUNKS_SEEN}between_two_moments_a_chunk_is_where_the_time_between_has_it",
    ),
    Fault(
        "stage: chunks leave a lane before its end",
        f"{JS}/stage.js",
        "if (!by) return between",
        "if (by) return between",
        f"{CHUNKS_SEEN}a_chunk_goes_to_the_end_of_its_lane_before_it_leaves_it",
    ),
    Fault(
        "stage: a run is told while it is asked for",
        "astra_edu/course/widgets/static/instrument.js",
        "const at = this.still ? 0 : this.reel.at;",
        "const at = this.reel.at;",
        VEILED,
    ),
    Fault(
        "stage: its slider is there while the run is asked for",
        "astra_edu/course/widgets/static/instrument.js",
        "scene.stage?.steps.length > 1 && !this.still;",
        "scene.stage?.steps.length > 1;",
        VEILED,
    ),
    Fault(
        "stage: all looks are called as the first",
        f"{JS}/looks.js",
        "    key.append(look);",
        "    key.append([...looks][0]);",
        f"{CHUNKS_SEEN}the_looks_on_the_stage_are_named_below_it_also_before_a_prediction[light]",
    ),
    Fault(
        "bars: parts lie on each other",
        f"{JS}/bars.js",
        "      x += size * scale;\n",
        "",
        LOADS,
    ),
    Fault(
        "bars: the limit stands a name's width too far left",
        f"{JS}/bars.js",
        "d: `M${left + bar.limit * scale}",
        "d: `M${bar.limit * scale}",
        f"{CUT_SEEN}bars_are_as_long_as_their_sizes_and_look_like_their_legend[light]",
    ),
    Fault(
        "bars: the ghost is as long as the bar on show",
        f"{JS}/bars.js",
        "y: y - 2, width: sum(ghost) * scale",
        "y: y - 2, width: sum(bar) * scale",
        OTHER,
    ),
    Fault(
        "bars: the table has only the first part of a look",
        f"{JS}/tables.js",
        "parts.length ? sum({ parts }).toPrecision(4)",
        "parts.length ? parts[0].size.toPrecision(4)",
        LOADS,
    ),
    Fault(
        "predict: right is called wrong",
        f"{JS}/predict.js",
        'right ? "✓" : "✗"',
        'right ? "✗" : "✓"',
        CHOSEN,
    ),
    Fault(
        "predict: the reason is the question again",
        f"{JS}/predict.js",
        'make("p", { text: why }',
        'make("p", { text: question.text }',
        COMMITTED,
    ),
    Fault(
        "predict: the choices have lost their last one",
        f"{JS}/predict.js",
        "for (const choice of question.choices) {",
        "for (const choice of question.choices.slice(0, -1)) {",
        CHOSEN,
    ),
    Fault(
        "settings: what can't be is not crossed",
        f"{JS}/settings.js",
        'i in greyed ? "astra-no"',
        'i in greyed ? "astra-yes"',
        GREYED,
    ),
    Fault(
        "settings: the button to the nearest names the wrong value",
        f"{JS}/settings.js",
        "setting.words[setting.values.indexOf(nearest[setting.name])]",
        "setting.words[setting.values.indexOf(values[setting.name])]",
        GREYED,
    ),
    Fault(
        "settings: every order of a menu can be chosen",
        f"{JS}/settings.js",
        "option.disabled = i in greyed && i !== place;",
        "option.disabled = false;",
        f"{CHUNKS_SEEN}an_order_that_the_dimensions_do_not_allow_cannot_be_chosen",
    ),
    Fault(
        "confront: too much is called too little",
        f"{JS}/confront.js",
        'ratio > 1 ? "much" : "little"',
        'ratio > 1 ? "little" : "much"',
        CONFRONTED,
    ),
    Fault(
        "confront: a number twice as large is right",
        f"{JS}/confront.js",
        "high / low <= answer.near",
        "high / low <= 2 * answer.near",
        CONFRONTED,
    ),
    Fault(
        "changes: less is called more",
        f"{JS}/changes.js",
        'share < 0 ? "−" : "+"',
        'share < 0 ? "+" : "−"',
        f"{NODE}what has changed is said with the percent",
    ),
    Fault(
        "chunks: a chunk walks from the moment at which it was queued",
        f"{PY}/chunks_stage.py",
        "(t - span.start_ns) / (span.end_ns - span.start_ns)",
        "(t - span.queued_ns) / (span.end_ns - span.queued_ns)",
        SPANS,
    ),
    Fault(
        "chunks: who goes last stands first in the queue",
        f"{PY}/chunks_stage.py",
        "sum(span.start_ns < now.start_ns for span in queue)",
        "sum(span.start_ns > now.start_ns for span in queue)",
        f"{CHUNKS}who_goes_next_stands_first_in_the_queue",
    ),
    Fault(
        "chunks: the gain is in % of Themis's time",
        f"{PY}/chunks_bars.py",
        "(than.needed_ns - run.needed_ns) / than.needed_ns",
        "(than.needed_ns - run.needed_ns) / run.needed_ns",
        NUMBERS,
    ),
    Fault(
        "chunks: Themis's loads are those of dimension 0 everywhere",
        f"{PY}/chunks_job.py",
        "*(each.loads[d] for each in decided)",
        "*(each.loads[0] for each in decided)",
        f"{CHUNKS}what_is_decided_is_what_the_run_did_and_loads_are_what_was_sent",
    ),
    Fault(
        "chunks: chunk 0 goes by hand, not chunk 1",
        f"{PY}/chunks_job.py",
        "if self.turn != 1 or",
        "if self.turn != 0 or",
        f"{CHUNKS}chunk_1_by_hand_goes_the_other_way_and_is_told",
    ),
    Fault(
        "chunks: what goes by hand is booked twice",
        f"{PY}/chunks_job.py",
        "            self.loads = before\n",
        "",
        f"{CHUNKS}what_is_decided_is_what_the_run_did_and_loads_are_what_was_sent",
    ),
    Fault(
        "cut: computing again counts as computing",
        f"{PY}/cut_bars.py",
        "run.compute_ns - run.repeated_ns",
        "run.compute_ns",
        f"{CUT}its_numbers_are_those_of_estimate_and_memory",
    ),
    Fault(
        "cut: gradients and optimiser state are swapped",
        f"{PY}/cut_bars.py",
        '("gradients", kept.gradients)',
        '("gradients", kept.optimiser)',
        f"{CUT}its_numbers_are_those_of_estimate_and_memory",
    ),
    Fault(
        "cut: what is cut by columns is cut by rows",
        f"{PY}/cut_matrices.py",
        '        if self.split == "columns":\n',
        '        if self.split == "rows":\n',
        f"{CUT}the_slices_of_a_matrix_make_up_the_whole",
    ),
    Fault(
        "cut: the first that has room is shown as the best",
        f"{PY}/cut.py",
        "able[fastest(what, able, on, platform_of(now.npus), fits=True).strategy]",
        "next(iter(able.values()))",
        f"{CUT}the_best_has_room_and_nothing_that_fits_is_faster",
    ),
    Fault(
        "cut: parts are shorter than the links allow",
        f"{PY}/cut_job.py",
        "return run.at_least or run",
        "return run",
        f"{CUT}parts_are_never_shorter_than_the_links_allow",
    ),
    Fault(
        "cut: an expert group stays where there are no experts any more",
        f"{PY}/cut_job.py",
        '    if has_experts(values):\n        found["expert"]',
        '    if values["expert"] > 1:\n        found["expert"]',
        f"{CUT}what_is_sent_for_tokens_is_a_choice_where_they_are_shared_out",
    ),
    Fault(
        "cut: the code forgets the context group",
        f"{PY}/cut_job.py",
        "in chosen(values).items()]",
        'in chosen(values).items() if name != "context"]',
        f"{CUT}tokens_and_experts_are_shared_out_by_sliders",
    ),
    Fault(
        "cut: backward passes look like forward ones",
        f"{PY}/cut_lanes.py",
        "*times, look(pipeline, span), number",
        '*times, "forward", number',
        f"{CUT}lanes_are_the_passes_of_the_pipeline[]",
    ),
    Fault(
        "cut: passes a thousand times as long",
        f"{PY}/cut_lanes.py",
        "span.start_ns / 1e6, span.end_ns / 1e6",
        "span.start_ns / 1e6, span.end_ns / 1e3",
        f"{CUT}lanes_are_the_passes_of_the_pipeline[]",
    ),
    Fault(
        "cut: a folded order gets one part of the model a stage",
        f"{PY}/cut_job.py",
        "2 if folded(order) else 1",
        "1",
        f"{CUT}lanes_of_every_order_are_its_passes[zb-v]",
    ),
    Fault(
        "cut: a block of a later stage is told without what its NPUs send",
        f"{PY}/cut_job.py",
        "return communications(what, cut) if cut.pipeline > 1 and block_of(what).number > 1 else sent(what, cut)",
        "return sent(what, cut)",
        "tests/course/instruments/test_cut_stage.py::test_a_block_on_a_later_stage_has_its_messages",
    ),
    Fault(
        "cut: what every NPU of a tensor group has is cut",
        f"{PY}/cut_matrices.py",
        '.get(each.split, "copied")',
        '.get(each.split, "columns")',
        "tests/course/instruments/test_cut_stage.py::test_what_todays_blocks_are_and_how_they_are_cut",
    ),
    Fault(
        "settings: a button leads to what is folded away",
        f"{PY}/setting.py",
        "for folded in (False, True):",
        "for folded in (True, False):",
        f"{CUT}what_cannot_be_is_greyed_said_and_led_out_of",
    ),
    Fault(
        "cut: the data group's line is there all the time",
        f"{PY}/cut_stage.py",
        "2.5 if key in plays else 0.0",
        "2.5",
        f"{CUT}lines_join_a_group_while_its_collective_plays[0-data0]",
    ),
    Fault(
        "cut: ZeRO-3's gather has no line",
        f"{PY}/cut_stage.py",
        '3: ("home", "exchange")}',
        '3: ("exchange",)}',
        f"{CUT}lines_join_a_group_while_its_collective_plays[3-data3]",
    ),
]
