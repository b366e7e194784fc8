"""Faults in how a trace's files are written."""

from tools.mutants.fault import Fault

TEMPLATE = "astra_edu/traces/template_bytes.py"
FILES = "tests/traces/test_trace_files.py::test_"
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
]  # fmt: skip
