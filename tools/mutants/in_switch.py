"""Faults of switches that add up."""

from tools.mutants.fault import Fault

COLLECTIVES, SYSTEM, WIDGETS = "astra_edu/collectives", "astra_edu/system", "astra_edu/course/widgets"
TEST = "tests/collectives/test_in_switch.py::test_"
REFUSED = "tests/collectives/test_in_switch.py::TestRefused::test_"
SEEN = "tests/course/widgets/test_through_switch.py::test_"

FAULTS = [
    Fault(
        "a reduce-scatter sends only an NPU's own part up",
        f"{COLLECTIVES}/in_switch.py",
        "Carried(n, 1)",
        "Carried(1, 1)",
        f"{TEST}a_link_carries_the_data_once_whatever_the_number_of_npus[8-reduce-scatter]",
    ),
    Fault(
        "an all-gather is timed by what goes up, as if a link had n - 1 times its bandwidth down",
        f"{COLLECTIVES}/schedule.py",
        "Counter({destination: max(self.carried)})",
        "Counter({destination: self.carried.up})",
        f"{TEST}time_is_two_crossings_and_the_busier_direction_s_bytes_in_both_versions[1048576-8-all-gather]",
    ),
    Fault(
        "over several levels links carry as many shards as over one",
        f"{COLLECTIVES}/hierarchical.py",
        "Carried(*(times * shards for",
        "Carried(*(shards for",
        f"{TEST}over_two_levels_the_second_switch_adds_up_an_eighth_of_the_data",
    ),
    Fault(
        "NPUs add up what the switch has added up",
        f"{SYSTEM}/timed.py",
        "adds_up = group.op is Op.REDUCE and group.carried is None",
        "adds_up = group.op is Op.REDUCE",
        f"{TEST}nobody_adds_up_at_the_endpoint",
    ),
    Fault(
        "who comes last has the sum at once",
        f"{SYSTEM}/steps.py",
        "own_too = step.op is Op.REDUCE and carried is not None",
        "own_too = False",
        f"{TEST}the_switch_waits_for_whoever_is_last[settings1-3]",
    ),
    Fault(
        "the same where a phase's end is known at once",
        f"{SYSTEM}/joined/by_steps.py",
        "if step.own:",
        "if False:",
        f"{TEST}the_switch_waits_for_whoever_is_last[settings0-3]",
    ),
    Fault(
        "a ring adds up in a switch that it hasn't got",
        f"{SYSTEM}/adds_up.py",
        "if topology != Topology.SWITCH:",
        "if False:",
        "tests/collectives/test_in_switch.py::TestRefused::test_where_there_is_no_switch",
    ),
    Fault(
        "a file that ASTRA-sim can't read is written without a word",
        "astra_edu/formats/notices.py",
        "for how in hows if how.traits.in_switch",
        "for how in hows if how.traits.tree",
        "tests/collectives/test_in_switch.py::TestRefused::test_files_for_others_say_that_astra_sim_has_no_such_switch",
    ),
    Fault(
        "another network carries what a switch adds up",
        "astra_edu/run/run_trace.py",
        "            check_switches(trace, platform)",
        "            pass",
        f"{REFUSED}on_other_networks_which_would_carry_a_message_for_each_pair",
    ),
    Fault(
        "an algorithm of one's own needs no switch",
        f"{COLLECTIVES}/registry.py",
        "traits=Traits(in_switch=carries)",
        "traits=Traits()",
        f"{REFUSED}an_algorithm_of_one_s_own_where_the_one_of_this_package_is[given1]",
    ),
    Fault(
        "an algorithm of one's own need not say that it needs switches",
        f"{COLLECTIVES}/build.py",
        "if not known.traits.in_switch and any(",
        "if False and any(",
        f"{REFUSED}an_algorithm_of_one_s_own_that_does_not_say_that_it_needs_switches",
    ),
    Fault(
        "DGX with SHARP adds up inside of a node only",
        "astra_edu/run/todays.py",
        "how = tuple(Implementation.parse(IN_SWITCH.name) for _ in plain.network)",
        'how = (Implementation.parse(IN_SWITCH.name), Implementation.parse("ring"))',
        "tests/run/test_presets.py::test_sharp_is_dgx_h100_whose_switches_add_up",
    ),
    Fault(
        "tokens cover the switch's name",
        f"{WIDGETS}/drawing.py",
        "named(layout(schedule.dims, topology), schedule)",
        "layout(schedule.dims, topology)",
        "tests/course/widgets/test_through_switch.py::test_no_token_of_the_picture_is_on_the_switch_s_name",
    ),
    Fault(
        "a switch that adds up has its name twice",
        f"{WIDGETS}/picture.py",
        'if w >= 60 and not stage["names"]:',
        "if w >= 60:",
        "tests/course/widgets/test_through_switch.py::test_no_token_of_the_picture_is_on_the_switch_s_name",
    ),
    Fault(
        "the same in what moves",
        f"{WIDGETS}/static/player/stage.js",
        "if (width >= NAMED && !names.length)",
        "if (width >= NAMED)",
        "tests/browser/test_player_seen.py::test_a_switch_has_its_name_once_where_no_message_stops",
    ),
    Fault(
        "the sum comes down while data still go up",
        f"{WIDGETS}/drawing.py",
        "0.0 if t.source < schedule.npus else 0.5",
        "0.0",
        f"{SEEN}nothing_comes_down_before_all_is_up",
    ),
    Fault(
        "what comes down is drawn as what goes up",
        f"{WIDGETS}/through_switch.py",
        '"+" if token.source < schedule.npus else "Σ "',
        '"+"',
        f"{SEEN}the_picture_and_the_text_say_what_the_switch_does",
    ),
    Fault(
        "what comes down is said to be what the NPU had before",
        f"{WIDGETS}/static/player/said.js",
        '["down", destination, step]',
        '["down", destination, step - 1]',
        "tests/js/player.test.js::what an NPU sends up to a switch that adds up, and what comes down to it",
    ),
]
