"""Faults in how a trace's files are written, and read again."""

from tools.mutants.fault import Fault

TEMPLATE = "astra_edu/traces/template_bytes.py"
FILES = "tests/traces/test_trace_files.py::test_"
ROLE, ALIKE = "astra_edu/traces/file_role.py", "astra_edu/traces/files_alike.py"
READ = "tests/traces/test_files_alike.py::test_"
STRANGE = f"{READ}strange_files_are_what_they_are_file_by_file"
AGAIN = f"{READ}what_is_read_is_what_is_in_the_files[False-0]"
FILLED = f"{FILES}what_is_filled_in_is_what_each_npu_s_nodes_are_as_bytes[False-0]"

FAULTS = [
    Fault("all NPUs have the template's peers", TEMPLATE, "known if mine is attribute else _attribute(name, mine)",
          "known", FILLED),
    Fault("waiting keeps the template's numbers", TEMPLATE, "_numbers(_DATA_DEPS, node.data_deps)",
          "_numbers(_DATA_DEPS, self._node.data_deps)", FILLED),
    Fault("long numbers are cut", "astra_edu/traces/wire.py",
          "    while number > 127:\n        found", "    if number > 127:\n        found",
          f"{FILES}numbers_of_any_length_are_filled_in[16384]"),
    Fault("a full disk is written to", "astra_edu/traces/write_files.py", "if size > free:", "if False:",
          f"{FILES}files_for_which_there_is_no_room_are_not_begun"),
    Fault("what is written over makes no room", "astra_edu/traces/write_files.py", ".free + _taken(files)", ".free",
          f"{FILES}what_is_written_over_makes_room"),
    Fault("half a trace is left", "astra_edu/traces/all_or_none.py", "if file not in older:", "if False:",
          f"{FILES}what_is_not_written_to_its_end_leaves_nothing_new"),
    Fault("what stops a trace is said to be written over", "astra_edu/traces/all_or_none.py",
          "if file in older and _as_it_is(file) != older[file]]", "if file in older]",
          f"{FILES}a_file_that_could_not_be_written_over_is_not_said_to_be"),
    Fault("an older trace's groups are read with a new one", "astra_edu/traces/write_files.py",
          "if trace.groups or groups.exists():", "if trace.groups:", f"{FILES}groups_of_an_older_trace_are_gone"),
    Fault("a file is taken for another that it begins like", ROLE,
          "for group in self.groups]) if at == len(content) else None", "for group in self.groups])",
          f"{STRANGE}[False-one node more]"),
    Fault("what is filled in isn't compared", ROLE, "if not content.startswith(part, at):", "if False:", AGAIN),
    Fault("two groups may become one", ROLE, "or there.group in names.values()", "",
          f"{STRANGE}[True-two groups become one that another starts once]"),
    Fault("equal files are NPUs further", ALIKE, "if role.depends:", "if False:", AGAIN),
    Fault("what equal files share grows later", ROLE, "if steps and self.is_fixed:", "if False:",
          f"{READ}what_two_files_share_does_not_grow_with_a_third"),
    Fault("numbers pass each other", ROLE, "(high - low - 1) // (its_step - step)", "2**64",
          f"{STRANGE}[False-numbers pass each other]"),
    Fault("who has another group counts as a member", "astra_edu/traces/communication.py",
          "dict.fromkeys(groups, _NOBODY) | {own", "{own",
          f"{READ}who_is_in_a_group_and_never_names_it_is_missed"),
    Fault("a message is looked at on the first NPU of its template only", "astra_edu/traces/accidents.py",
          "if left or not 0 <= zero < len(shared) or shared.of[zero] != template:", "if True:",
          "tests/traces/test_trace_communication.py::TestAccidents::"
          "test_messages_of_npus_that_share_a_template_are_counted_where_they_are_not_0"),
    Fault("few files are compared with each other, too", "astra_edu/traces/load.py",
          "together = together and len(files) >= FEWEST_ALIKE", "pass",
          "tests/traces/test_files_alike.py::test_few_files_are_read_one_by_one[9-8]"),
]  # fmt: skip
