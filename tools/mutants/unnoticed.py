"""Faults that take wrong input without a word."""

from tools.mutants.fault import Fault

NAMES, MACHINES = "astra_edu/workload/compute/machine_names.py", "tests/workload/test_machines.py::test_"
REFUSED = f"{MACHINES}what_names_no_machine_or_several_is_refused"
DEVICE, DEVICES = "astra_edu/workload/compute/device.py", "tests/workload/test_devices.py::test_"
PRECISION = "tests/workload/test_precision.py::test_"
WHOEVER = f"{PRECISION}a_format_that_a_device_does_not_have_is_refused_whoever_asks"

FAULTS = [
    Fault("A1000 is an A100", NAMES, 's?(?![a-z0-9])|(?=sxm', 's?|(?=sxm', REFUSED),
    Fault("A100 and H100 is an A100", NAMES, "    return () if unsaid and len(several) == 1 else several\n",
          "    return several[:1]\n", REFUSED),
    Fault("what isn't an H100 is one", NAMES, 'if re.search(f"{DENIED}{whole}", words):', "if False:", REFUSED),
    Fault("A100 and A1000 is an A100", NAMES, "unsaid = LIKE_CHIPS.search(rest) or", "unsaid =", REFUSED),
    Fault("every RTX of a generation is its largest chip", NAMES, " and not FAMILIES.search(words):", ":", REFUSED),
    Fault("TPU v3 computes 8 bits at its peak of 16", DEVICE, "if bits != USUAL and (self.peaks or self.halves):",
          "if bits != USUAL and self.peaks:", f"{DEVICES}known_devices_have_no_other_width_and_ones_own_may"),
    Fault("V100 has bf16", "astra_edu/workload/compute/devices.py",
          'NO_BF16 = r"v100|p100|t4"', 'NO_BF16 = r"p100|t4"', WHOEVER),
    Fault("a search asks no device for its formats", "astra_edu/explore/iteration/best_first.py",
          "                check_multiplied(device, strategy)\n", "", WHOEVER),
    Fault("a plan asks no device for its formats", "astra_edu/explore/iteration/plan_times.py",
          "        check_multiplied(device, strategy)\n", "        pass\n", WHOEVER),
    Fault("a workload asks no device for its formats", "astra_edu/workload/strategies/generate.py",
          "    check_multiplied(device, strategy)\n", "", WHOEVER),
]  # fmt: skip
