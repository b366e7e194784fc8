"""Faults in phases that are timed at once."""

from tools.mutants.fault import Fault

JOINED = "astra_edu/system/joined/"
TESTS = "tests/system/test_joined.py::test_"
ROLES = "astra_edu/run/roles/joins.py"
OF_ROLES = "tests/run/roles/test_roles.py::test_"

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
]  # fmt: skip
