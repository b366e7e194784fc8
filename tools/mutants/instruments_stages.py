"""Faults in the stages of a pipeline."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TESTS = "tests/course/instruments/test_stages.py::test_"
SEEN = "tests/browser/test_stages_seen.py::test_"
BLOCKS = f"{TESTS}the_blocks_are_the_run"
KEPT = f"{TESTS}the_stage_has_what_each_stage_does_and_keeps"
WAITED = f"{TESTS}a_block_names_what_ended_or_arrived_as_it_began"

FAULTS = [
    Fault(
        "stages: forward and backward are told apart the wrong way",
        f"{PY}/stages_bars.py",
        'KINDS = {"F": "forward", "B": "backward", ',
        'KINDS = {"B": "forward", "F": "backward", ',
        f"{SEEN}a_bar_for_every_pass_from_its_start_to_its_end_in_its_look[one-light]",
    ),
    Fault(
        "stages: later virtual stages look like the first",
        f"{PY}/stages_bars.py",
        "if span.virtual_stage else KINDS",
        "if span.virtual_stage > 3 else KINDS",
        f"{BLOCKS}[settings2]",
    ),
    Fault(
        "stages: paler is darker",
        f"{PY}/looks.py",
        '"forward b": ("#a9d6bb", "#276846", "")',
        '"forward b": ("#5fa080", "#4fa37d", "")',
        f"{SEEN}later_virtual_stages_are_paler_and_backward_passes_hatched[light]",
    ),
    Fault(
        "stages: a bar has its part instead of its micro-batch",
        f"{PY}/stages_bars.py",
        "called(run, span.micro_batch, span.virtual_stage),\n                title",
        "called(run, part(run, span), span.virtual_stage),\n                title",
        f"{BLOCKS}[settings0]",
    ),
    Fault(
        "stages: a pass is in the lane of its part",
        f"{PY}/stages_bars.py",
        'f"stage {span.stage}",\n                span',
        'f"stage {part(run, span) % 3}",\n                span',
        f"{BLOCKS}[settings0]",
    ),
    Fault(
        "stages: a backward pass waits for the stage before",
        f"{PY}/stages_job.py",
        'f"B {k + 1},{i}", of.p2p_ns[k]',
        'f"B {k - 1},{i}", of.p2p_ns[k]',
        f"{WAITED}[settings0]",
    ),
    Fault(
        "stages: transfers take no time in what is waited for",
        f"{PY}/stages_job.py",
        "of.p2p_ns[k - 1] if k else 0",
        "0",
        f"{WAITED}[settings1]",
    ),
    Fault(
        "stages: activations go as the backward pass begins",
        f"{PY}/stages_stage.py",
        "if run.is_last(s) and s.end_ns <= t}",
        "if run.is_last(s) and s.start_ns <= t}",
        f"{KEPT}[settings0]",
    ),
    Fault(
        "stages: what is kept counts virtual stages as whole",
        f"{PY}/stages_stage.py",
        "{len(kept(run, stage, t)) / run.virtual:g}",
        "{len(kept(run, stage, t)):g}",
        f"{KEPT}[settings2]",
    ),
    Fault(
        "stages: a stage that is done waits",
        f"{PY}/stages_stage.py",
        'return "done" if all(',
        'return "done" if not all(',
        f"{KEPT}[settings0]",
    ),
    Fault(
        "stages: how much is kept at most is told before a prediction",
        f"{PY}/stages_stage.py",
        "counts = (now, *(",
        'counts = (f"{now} of {most:g}", *(',
        f"{TESTS}the_first_moment_does_not_tell_how_much_is_kept_at_most",
    ),
    Fault(
        "stages: two micro-batches in a row are a range",
        f"{PY}/stages_stage.py",
        "if b > a + 1 else",
        "if b > a else",
        f"{TESTS}which_micro_batches_are_kept_is_said_in_ranges",
    ),
    Fault(
        "stages: the slow stage is as fast as the others",
        f"{PY}/stages_job.py",
        'factors = [SLOWER if stage == named["slow"] else 1 for',
        'factors = [1 if stage == named["slow"] else 1 for',
        f"{BLOCKS}[settings2]",
    ),
    Fault(
        "stages: the slow stage stays where there are fewer",
        f"{PY}/stages.py",
        "and 0 < count <= slow",
        "and 0 < count < slow",
        f"{TESTS}an_impossible_setting_is_explained_and_the_last_one_stays",
    ),
    Fault(
        "stages: which order takes longest is said of memory",
        f"{PY}/stages.py",
        'done.total_ns if asked == "time" else done.in_flight[0]',
        'done.total_ns if asked == "kept" else done.in_flight[0]',
        f"{TESTS}gpipe_and_1f1b_take_as_long_as_each_other",
    ),
    Fault(
        "stages: the formula's bubble is the work's share",
        f"{PY}/stages_bars.py",
        "share = closed_form.bubble(p, m, v)",
        "share = closed_form.bubble_over_ideal(p, m, v)",
        f"{TESTS}the_formula_stands_beside_the_simulation",
    ),
    Fault(
        "stages: an order of one's own isn't in the menu",
        f"{PY}/stages.py",
        'Setting("order", "order", tuple(ORDERS), menu=True)',
        'Setting("order", "order", closed_form.FORMULAS, menu=True)',
        f"{TESTS}an_order_of_ones_own_is_in_the_menu",
    ),
    Fault(
        "stages: a line of text forgets a ratio of one's own",
        f"{PY}/stages.py",
        "            self._remember(numbers(text))\n",
        "",
        f"{TESTS}a_line_of_text_makes_the_same_again",
    ),
]
