"""Faults in links and congestion."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
LINKS, SEEN = "tests/course/instruments/test_links.py::test_", "tests/browser/test_links_seen.py::test_"
NUMBERS = f"{LINKS}its_times_and_shares_are_those_of_the_runs"
HEAT = f"{LINKS}every_link_is_as_wide_as_it_was_busy_and_as_hot_as_bytes_wait"
COUNTED = f"{LINKS}counters_curves_and_sentences_add_up_what_waits_and_what_was_lost"
PLACED = f"{LINKS}both_networks_are_on_the_stage_with_links_both_ways_and_nothing_outside"
ASKED = f"{LINKS}it_asks_for_the_busiest_links_and_every_link_of_the_right_is_a_place"
HALF = f"{LINKS}half_of_a_rings_links_are_busiest_with_direct_and_all_up_and_down_links_of_a_switch_are_alike"
DRAWN = f"{LINKS}it_lets_the_time_over_the_room_be_drawn"
REFUSED = f"{LINKS}what_a_network_does_not_have_is_greyed_and_refused"

FAULTS = [
    Fault(
        "links: a link is busy until its last byte is there",
        f"{PY}/links_job.py",
        "use.free_ns -",
        "use.end_ns -",
        NUMBERS,
    ),
    Fault(
        "links: links between racks are as fast as all",
        f"{PY}/links_job.py",
        'bandwidth=values["between"]',
        "bandwidth=GB_S",
        NUMBERS,
    ),
    Fault("links: nobody is late", f"{PY}/links_job.py", "random.randint(0, most)", "0", NUMBERS),
    Fault("links: credits drop", f"{PY}/links_job.py", 'flow_control=named["full"]', 'flow_control="drop"', NUMBERS),
    Fault("links: ties all go one way", f"{PY}/links_job.py", 'ties="spread" if', 'ties="next" if', NUMBERS),
    Fault(
        "links: hierarchical is flat",
        f"{PY}/links_job.py",
        "if algorithm == HIERARCHICAL else ()",
        "if False else ()",
        NUMBERS,
    ),
    Fault(
        "links: on a torus direct is hierarchical's algorithm",
        f"{PY}/links_job.py",
        'each = "ring" if',
        'each = "direct" if',
        NUMBERS,
    ),
    Fault(
        "links: the mean link of a kind counts",
        f"{PY}/links_job.py",
        "found[kind] = max(found[kind],",
        "found[kind] = min(found[kind] or 1,",
        NUMBERS,
    ),
    Fault(
        "links: alike is only what is equal",
        f"{PY}/links_job.py",
        "return best[0] if len(best) == 1 else ALIKE",
        "return best[0]",
        HALF,
    ),
    Fault(
        "links: clockwise is the other way",
        f"{PY}/links_job.py",
        "head == (tail + 1) % 8",
        "tail == (head + 1) % 8",
        HALF,
    ),
    Fault("links: two alike are compared", f"{PY}/links_job.py", "if two[0] == two[1]:", "if False:", REFUSED),
    Fault("links: a ring has racks", f"{PY}/links_job.py", "if HIERARCHICAL in two and", "if False and", REFUSED),
    Fault("links: packets of any size of data", f"{PY}/links_job.py", 'values["size"] > 1', "False", REFUSED),
    Fault("links: a moment too late in width", f"{PY}/links_stage.py", "[step + 1] += sent", "[step] += sent", HEAT),
    Fault(
        "links: who is being sent waits, too",
        f"{PY}/links_stage.py",
        "ceil(use.start_ns / self.step_ns) - 1",
        "ceil(use.start_ns / self.step_ns)",
        HEAT,
    ),
    Fault("links: hot from the first byte on", f"{PY}/links_stage.py", "wait >= most / 2", "wait >= 1", HEAT),
    Fault("links: all are as wide", f"{PY}/links_stage.py", "THIN + WIDEST * min(1.0, share)", "THIN + WIDEST", HEAT),
    Fault(
        "links: losses of all the run are counted at once",
        f"{PY}/links_stage.py",
        "packet.time_ns <= step * self.step_ns",
        "True",
        COUNTED,
    ),
    Fault(
        "links: the shortest queue is called the longest",
        f"{PY}/links_stage.py",
        "max(self.links, key",
        "min(self.links, key",
        COUNTED,
    ),
    Fault(
        "links: the left run is done with the right one",
        f"{PY}/links_stage.py",
        ">= heat.flow.result.total_ns else",
        ">= hot[1].flow.result.total_ns else",
        COUNTED,
    ),
    Fault(
        "links: both networks lie on each other",
        f"{PY}/links_stage.py",
        "left = number * (SCALE",
        "left = 0 * (SCALE",
        PLACED,
    ),
    Fault(
        "links: a torus has no room for its bends",
        f"{PY}/links_stage.py",
        "pad = BENDS if torus else",
        "pad = 0.0 if torus else",
        PLACED,
    ),
    Fault(
        "links: the links of the left are to be clicked",
        f"{PY}/links.py",
        "{name_of(1, link): kind",
        "{name_of(0, link): kind",
        ASKED,
    ),
    Fault("links: the left is asked for", f"{PY}/links.py", "two[1].busiest(kinds)", "two[0].busiest(kinds)", ASKED),
    Fault(
        "links: the ratio is upside down",
        f"{PY}/links.py",
        "ratio = two[1].total_us / two[0].total_us\n        why",
        "ratio = two[0].total_us / two[1].total_us\n        why",
        f"{LINKS}it_asks_how_many_times_as_long_the_other_takes",
    ),
    Fault(
        "links: the left's curve is the true one",
        f"{PY}/links.py",
        'times_by_room(values["right"], values)',
        'times_by_room(values["left"], values)',
        DRAWN,
    ),
    Fault(
        "links: the room of the setting is the room of all points",
        f"{PY}/links_job.py",
        'values | {"room": room}',
        "values",
        DRAWN,
    ),
    Fault(
        "links: the run is shown before a prediction",
        f"{PY}/links_stage.py",
        "still=STEPS // 3, clock=True",
        "still=STEPS // 3, clock=False",
        f"{SEEN}a_clicked_link_chooses_its_kind_and_the_answer_stays_beside_it",
    ),
    Fault(
        "links: lines have no heads",
        f"{PY}/links_stage.py",
        "arrow=True",
        "arrow=False",
        f"{SEEN}every_link_is_as_wide_hot_and_dashed_as_its_run_has_it_and_counters_go_with_it[racks-light]",
    ),
]
