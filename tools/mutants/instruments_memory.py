"""Faults in the instrument of memory systems."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_memory.py::test_"
SEEN = "tests/browser/test_memory_seen.py::test_"
NUMBERS = f"{TEST}its_numbers_are_those_of_the_studies"
LEAVES = f"{TEST}pieces_leave_stages_when_their_last_packet_does"
WHERE = f"{TEST}every_piece_goes_from_where_its_bytes_are_to_where_they_are_needed"

FAULTS = [
    Fault(
        "memory: ZeRO-Infinity always has HierMem's bandwidths",
        f"{PY}/memory_job.py",
        'if values["zero"] == ALIKE:',
        "if True:",
        NUMBERS,
    ),
    Fault(
        "memory: a store goes as a load does",
        f"{PY}/memory_job.py",
        "(memory.store if store else memory.load)",
        "memory.load",
        LEAVES,
    ),
    Fault(
        "memory: switches copy whatever is set",
        f"{PY}/memory_job.py",
        'in_switch=values["pool"] == COPY',
        "in_switch=True",
        NUMBERS,
    ),
    Fault(
        "memory: a second transfer begins with the first",
        f"{PY}/memory_job.py",
        "begin, lane = begin + transfer.ns, lane",
        "begin, lane = begin, lane",
        LEAVES,
    ),
    Fault(
        "memory: a piece leaves with its first packet",
        f"{PY}/memory_job.py",
        "spans[-(-(piece + 1) * len(spans) // pieces) - 1]",
        "spans[piece * len(spans) // pieces]",
        LEAVES,
    ),
    Fault(
        "memory: copies are there from the beginning",
        f"{PY}/memory_stage.py",
        "return Walk(k, m, j, legs, since=legs[2].start_ns)",
        "return Walk(k, m, j, legs)",
        f"{TEST}bytes_that_switches_copy_are_copied_after_the_first_switch_and_others_not_at_all",
    ),
    Fault(
        "memory: what is added up goes on as two",
        f"{PY}/memory_stage.py",
        "return Walk(k, m, j, legs, until=legs[1].end_ns)",
        "return Walk(k, m, j, legs)",
        WHERE,
    ),
    Fault(
        "memory: partial sums look as gradients",
        f"{PY}/memory_stage.py",
        'return "partial sums"',
        'return "gradients"',
        f"{TEST}what_is_stored_is_a_partial_sum_until_a_switch_has_added_it_up",
    ),
    Fault(
        "memory: the slowest stage is told before a prediction",
        f"{PY}/memory_frames.py",
        '("link", *(["slowest stage" if stage in slow else "link"] * (steps - 1)))',
        '(*(["slowest stage" if stage in slow else "link"] * steps),)',
        f"{SEEN}nothing_of_the_run_is_told_before_a_prediction",
    ),
    Fault(
        "memory: the fastest stage is marked",
        f"{PY}/memory_job.py",
        "stage.ns >= 0.99 * most",
        "stage.ns < 0.99 * most",
        f"{SEEN}the_slowest_stage_has_a_colour_and_dashes_from_the_second_step_on[light]",
    ),
    Fault(
        "memory: lines are alike, however fast",
        f"{PY}/memory_frames.py",
        "(max(0.8, bandwidth * scale),) * steps",
        "(2.0,) * steps",
        f"{TEST}the_slowest_stage_is_marked_only_after_the_first_step_and_widths_are_to_scale",
    ),
    Fault(
        "memory: the iterations are compared the other way round",
        f"{PY}/memory.py",
        "return Answer(one.total_ns / other.total_ns,",
        "return Answer(other.total_ns / one.total_ns,",
        f"{TEST}questions_take_turns_and_are_answered_from_the_studies",
    ),
    Fault(
        "memory: a block of the lanes waited for nothing but the stage before",
        f"{PY}/memory_bars.py",
        "because = [_name(way, number - 1, turn.lane)]",
        "pass",
        f"{TEST}lanes_show_what_each_block_waited_for",
    ),
    Fault(
        "memory: smaller packets are larger",
        f"{PY}/memory_job.py",
        "packet_bytes // 2",
        "packet_bytes * 2",
        f"{TEST}packets_half_as_large_are_twice_as_many_of_the_same_bytes",
    ),
    Fault(
        "memory: a line chooses another stage",
        f"{PY}/memory.py",
        'line {number}": short(stage)',
        'line {number}": short(STAGES[-1])',
        f"{SEEN}a_line_of_hiermem_can_be_clicked_to_choose_its_stage",
    ),
]
