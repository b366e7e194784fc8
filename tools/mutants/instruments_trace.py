"""Faults in the graph of a training step that is built by clicking."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_trace.py::test_"
SEEN = "tests/browser/test_trace_seen.py::test_"
EVERY = f"{TEST}every_graph_takes_what_its_trace_takes_and_is_right_if_the_data_can_only_come_in_time[50]"
FADES = f"{TEST}an_edge_that_others_imply_fades_and_never_changes_when_anything_runs"
AWAY = f"{TEST}the_edge_to_take_away_is_the_one_that_saves_most_and_leaves_the_step_right"
EARLY = f"{TEST}the_node_that_may_be_too_early_is_the_one_that_a_need_does_not_reach"
PATH = f"{TEST}the_critical_path_has_no_gap_and_says_where_an_edge_was_not_what_it_waited_for"
MISSING = f"{TEST}a_missing_edge_says_what_goes_wrong_and_whether_luck_hid_it"
LONGER = f"{TEST}what_a_delay_does_is_what_a_longer_computation_does"
LANES = f"{TEST}nodes_on_the_stage_and_in_the_lanes_are_where_the_run_has_them[on20]"
BEFORE = f"{TEST}nothing_of_the_run_is_shown_before_the_prediction"

FAULTS = [
    Fault(
        "graph: an edge that is off stays",
        f"{PY}/trace_job.py",
        "return edge in GIVEN or edge in self.edges",
        "return edge in GIVEN or edge in EDGES.values()",
        EVERY,
    ),
    Fault(
        "graph: an edge leads elsewhere",
        f"{PY}/trace_job.py",
        '"reduce1_update2": Edge("all-reduce 1", "update 2")',
        '"reduce1_update2": Edge("all-reduce 1", "update 1")',
        EVERY,
    ),
    Fault(
        "run: another network",
        f"{PY}/trace_job.py",
        "NPUS, bandwidth, LATENCY_NS",
        "NPUS, 50, LATENCY_NS",
        f"{EVERY[:-4]}[25]",
    ),
    Fault(
        "right: only the edges themselves count",
        f"{PY}/trace_job.py",
        "if need not in self.edges and not self.way(need)",
        "if need not in self.edges",
        EVERY,
    ),
    Fault(
        "fastest: of all graphs",
        f"{PY}/trace_job.py",
        "for step in steps if not step.missing)",
        "for step in steps)",
        EVERY,
    ),
    Fault(
        "needless: an edge is its own way",
        f"{PY}/trace_job.py",
        "if one != edge]\n",
        "]\n",
        FADES,
    ),
    Fault(
        "needless: the given edges don't count",
        f"{PY}/trace_job.py",
        "(*GIVEN, *self.edges) if",
        "self.edges if",
        FADES,
    ),
    Fault(
        "path: no word of what kept the NPU busy",
        f"{PY}/trace_stage.py",
        "links += [_busy(edge, count) for edge in step.critical if not step.has(edge)]",
        "",
        PATH,
    ),
    Fault(
        "path: its arrows look like others",
        f"{PY}/trace_stage.py",
        "CRITICAL_EDGE if critical else later)",
        "later)",
        PATH,
    ),
    Fault(
        "lanes: a node waited for its edges only",
        f"{PY}/trace_lanes.py",
        "[*parents, *([busy] if busy else [])]))",
        "parents))",
        LANES,
    ),
    Fault(
        "lanes: times in ns",
        f"{PY}/trace_lanes.py",
        "ran.start_ns / 1000, ran.end_ns / 1000",
        "ran.start_ns, ran.end_ns",
        LANES,
    ),
    Fault(
        "stage: nodes are over too soon",
        f"{PY}/trace_stage.py",
        "done = ran.end_ns <= moment",
        "done = ran.start_ns <= moment",
        LANES,
    ),
    Fault(
        "stage: begins a moment late",
        f"{PY}/trace_stage.py",
        "if ran.start_ns <= moment else NOT_BEGUN",
        "if ran.start_ns < moment else NOT_BEGUN",
        LANES,
    ),
    Fault("stage: what answers is shown before", f"{PY}/trace_stage.py", "hidden=True,", "hidden=False,", BEFORE),
    Fault(
        "words: luck isn't told",
        f"{PY}/trace_words.py",
        ">= step.ran[need.first].end_ns",
        "> 10**9 + step.ran[need.first].end_ns",
        MISSING,
    ),
    Fault(
        "words: gradients instead of copies",
        f"{PY}/trace_words.py",
        'need.after.startswith("all-reduce")',
        'need.after.startswith("update")',
        MISSING,
    ),
    Fault(
        "answer: an edge whose loss is wrong",
        f"{PY}/trace.py",
        "if edge in step.edges and not step.without(edge).missing]",
        "if edge in step.edges]",
        AWAY,
    ),
    Fault("answer: the edge that saves least", f"{PY}/trace.py", "best = max(right,", "best = min(right,", AWAY),
    Fault(
        "answer: the need's other end",
        f"{PY}/trace.py",
        "Answer(step.missing[0].after,",
        "Answer(step.missing[0].first,",
        EARLY,
    ),
    Fault(
        "answer: a delay always counts",
        f"{PY}/trace.py",
        "said = NOT if more < ENOUGH else ALL",
        "said = ALL",
        f"{LONGER}[{'backward1_reduce2=off reduce1_update2=off backward2_update2=off'}-u2-50]",
    ),
    Fault(
        "delay: half of it",
        f"{PY}/trace_job.py",
        "{name: us}",
        "{name: us // 2}",
        f"{LONGER}[backward1_reduce2=off reduce1_update2=off-b1-50]",
    ),
    Fault(
        "click: an arrow stays",
        f"{PY}/trace.py",
        "return ON if value == OFF else OFF",
        "return value",
        f"{TEST}clicking_an_arrow_switches_it_and_nothing_else",
    ),
    Fault(
        "code: without its edges",
        f"{PY}/trace_job.py",
        'waits = f", after=[{\', \'.join(after)}]" if after else ""',
        'waits = ""',
        f"{TEST}the_code_runs_the_same_graph[]",
    ),
    Fault(
        "page: a critical arrow is as thin as others",
        f"{PY}/trace_stage.py",
        "4.5 if critical else",
        "2.2 if critical else",
        f"{SEEN}the_critical_path_is_thick_and_hatched_and_what_is_needless_is_dashed_and_thin[light]",
    ),
    Fault(
        "page: words lie on each other",
        f"{PY}/trace_stage.py",
        "(x + 2, y + high + 14, 0.0, 0.0)",
        "(x + 2, y + high - 8, 0.0, 0.0)",
        f"{SEEN}no_word_of_the_stage_lies_on_another",
    ),
    Fault(
        "controls: a click moves what has none",
        f"{PY}/scene.py",
        "all(fixed.get(k, v) == v for k, v in taken.items())",
        "taken",
        f"{TEST}an_arrow_whose_setting_has_no_control_is_not_switched_by_a_click",
    ),
]
