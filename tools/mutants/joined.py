"""Faults in phases that are timed at once."""

from tools.mutants.fault import Fault

JOINED = "astra_edu/system/joined/"
TESTS = "tests/system/test_joined.py::test_"
ROLES = "astra_edu/run/roles/joins.py"
OF_ROLES = "tests/run/roles/test_roles.py::test_"
COSTS, STRUCTURE = (f"astra_edu/run/roles/{name}.py" for name in ("costs", "structure"))
CROSSED = "tests/run/roles/test_crossed.py::test_"

FAULTS = [
    Fault("a ring's window is one start short", f"{JOINED}ring.py", "width, rounds, rest = min(n, steps + 1)",
          "width, rounds, rest = min(n, steps)", f"{TESTS}a_window_slides_round_the_ring"),
    Fault("a reduction after the last step counts twice", f"{JOINED}ring.py", "for reduction in reductions[:-1])",
          "for reduction in reductions)", f"{TESTS}a_straggler"),
    Fault("direct gathers before all has come", f"{JOINED}direct.py", "elif npu.taken >= gate:", "else:",
          f"{TESTS}a_straggler"),
    Fault("everything goes clockwise", f"{JOINED}times.py", "    if clockwise:\n", "    if True:\n",
          f"{TESTS}random_runs_say_what_following_every_message_says"),
    Fault("an algorithm's steps take no time", f"{JOINED}by_steps.py", "= over, over.ns, over.foreseen_ns",
          "= over, begins[i], over.foreseen_ns", f"{TESTS}a_straggler"),
    Fault("roles that end apart aren't told", ROLES, "if times.ends[place].ns != end.ns:", "if False:",
          f"{OF_ROLES}a_slow_npu_among_many_costs_two_where_all_wait_for_all_at_once_and_all_in_a_ring"),
    Fault("one NPU fills its own place only", ROLES, "phase.left -= len(places)", "phase.left -= 1",
          f"{OF_ROLES}a_pipeline_of_tensor_and_data_parallel_stages_has_a_role_for_each_stage"),
    Fault("messages of phases aren't counted", f"{JOINED}joins.py",
          "        endpoint.messages.sent += self._messages(phase.plan, endpoint)\n", "",
          f"{TESTS}messages_are_counted_for_the_bar"),
    Fault("phases are timed at once with Themis", "astra_edu/run/joined.py",
          "if kind_of(system.inter_dimension).together:", "if False:",
          f"{TESTS}what_can_be_disturbed_or_is_decided_by_the_first_is_followed"),
    Fault("only neighbours count, whatever a process group runs", STRUCTURE,
          "costs = self._distances.to_neighbours if neighbours else self._distances.to_all",
          "costs = self._distances.to_neighbours", f"{CROSSED}only_the_messages_that_an_algorithm_sends_count"),
    Fault("everybody counts, whatever a process group runs", STRUCTURE,
          "costs = self._distances.to_neighbours if neighbours else self._distances.to_all",
          "costs = self._distances.to_all", f"{CROSSED}only_the_messages_that_an_algorithm_sends_count"),
    Fault("a process group's halving-doubling begins anywhere", STRUCTURE,
          "Ring(members, numbers, self._fixed and not neighbours)", "Ring(members, numbers, False)",
          f"{CROSSED}groups_run_rings_that_begin_anywhere_where_dimensions_run_halving_doubling"),
    Fault("a process group's ring begins where the dimensions' algorithm does", STRUCTURE,
          "Ring(members, numbers, self._fixed and not neighbours)", "Ring(members, numbers, self._fixed)",
          f"{CROSSED}groups_run_rings_that_begin_anywhere_where_dimensions_run_halving_doubling"),
    Fault("bandwidths are no cost", COSTS, "return hops * block.latency, block.link_bandwidth",
          "return hops * block.latency, 1.0", f"{CROSSED}equal_numbers_mean_equal_times"),
    Fault("links of another dimension are another cost", COSTS, "return hops * block.latency, block.link_bandwidth",
          "return hops * block.latency, block.link_bandwidth + stride / 1e9",
          f"{CROSSED}two_dimensions_of_the_same_links_are_as_far"),
    Fault("all of a dimension are as far, whatever it is", COSTS, "if len(differ) == 1 and", "if len(differ) == 1 or",
          f"{CROSSED}equal_numbers_mean_equal_times"),
    Fault("two members' costs are those of all", COSTS, "repeats = period(steps)", "repeats = 1",
          f"{CROSSED}equal_numbers_mean_equal_times"),
]  # fmt: skip
