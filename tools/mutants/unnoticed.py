"""Faults that take wrong input without a word."""

from tools.mutants.fault import Fault

NAMES, MACHINES = "astra_edu/workload/compute/machine_names.py", "tests/workload/test_machines.py::test_"
REFUSED = f"{MACHINES}what_names_no_machine_or_several_is_refused"

FAULTS = [
    Fault("A1000 is an A100", NAMES, 's?(?![a-z0-9])|(?=sxm', 's?|(?=sxm', REFUSED),
    Fault("A100 and H100 is an A100", NAMES, "    return () if unsaid and len(several) == 1 else several\n",
          "    return several[:1]\n", REFUSED),
    Fault("what isn't an H100 is one", NAMES, 'if re.search(f"{DENIED}{whole}", words):', "if False:", REFUSED),
    Fault("A100 and A1000 is an A100", NAMES, "unsaid = LIKE_CHIPS.search(rest) or", "unsaid =", REFUSED),
    Fault("every RTX of a generation is its largest chip", NAMES, " and not FAMILIES.search(words):", ":", REFUSED),
]  # fmt: skip
