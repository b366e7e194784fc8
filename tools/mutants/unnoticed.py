"""Faults that take wrong input without a word."""

from tools.mutants.fault import Fault

NAMES, MACHINES = "astra_edu/workload/compute/machine_names.py", "tests/workload/test_machines.py::test_"
REFUSED = f"{MACHINES}what_names_no_machine_or_several_is_refused"
DEVICE, DEVICES = "astra_edu/workload/compute/device.py", "tests/workload/test_devices.py::test_"
PRECISION = "tests/workload/test_precision.py::test_"
WHOEVER = f"{PRECISION}a_format_that_a_device_does_not_have_is_refused_whoever_asks"
ROWS = "tests/measured/test_contradicted.py::test_"
REFUSED_ROWS = f"{ROWS}what_can_t_be_is_refused_with_what_can"
TOLD = f"{ROWS}what_something_else_goes_before_is_told"
CHECKED, OF_CELLS = "astra_edu/measured/checked.py", "tests/measured/test_checked.py::test_"
NCCL, OF_NCCL = "astra_edu/measured/nccl_tests.py", "tests/measured/test_nccl_tests.py::test_"
SEARCH, OF_SEARCH = "astra_edu/explore/iteration/best_first.py", "tests/explore/test_best_first.py::test_"

NO = "tests/strange/test_strange_values.py::test_what_is_true_or_false_is_no_text"
NODES, OF_NODES = "astra_edu/traces/nodes_checked.py", "tests/traces/test_nodes_checked.py::test_"

FAULTS = [
    Fault("attributes that are none", NODES, "        and _ONLY.issuperset(map(type, node.attributes.values()))\n", "",
          f"{OF_NODES}an_attribute_says_how_it_is_written_in_files"),
    Fault("a trace is compressed if it is told no", "astra_edu/traces/load.py",
          '    flag("compressed", compressed)\n', "", f"{NO}[traces.save_trace]"),
    Fault("a trace is checked if it is told no", "astra_edu/traces/load.py",
          '        flag("check", check)\n', "", f"{NO}[traces.load_trace]"),
    Fault("a layer is tied if it is told no", "astra_edu/workload/compute/linear.py",
          'for name in ("bias", "tied", "gathers_back"):', 'for name in ("bias",):', f"{NO}[compute.Linear]"),
    Fault("nodes wait for what is no number", NODES, "if not isinstance(parent, Integral):", "if False:",
          f"{OF_NODES}nodes_wait_for_numbers"),
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
    Fault("GPT's heads never share keys", "astra_edu/measured/shapes.py",
          "    sizes = {ours: own_sizes(row)[theirs] for ours, theirs in CELLS}\n",
          '    sizes = {ours: own_sizes(row)[theirs] for ours, theirs in CELLS if theirs != "kv_heads" or not gpt}\n',
          f"{ROWS}heads_that_share_keys_count_whatever_the_model_is_called"),
    Fault("there is a ZeRO-9", "astra_edu/measured/words.py", "if int(said[1]) > 3:", "if False:", REFUSED_ROWS),
    Fault("a dense model's experts are shared out", "astra_edu/measured/jobs.py",
          '(number(row, "ep") or 1) > 1', "False", REFUSED_ROWS),
    Fault("a single stage has virtual ones", "astra_edu/measured/cuts.py", '"vp", 1) if pipeline > 1 else 1',
          '"vp", 1)', TOLD),
    Fault("computers of 3 make up 8 NPUs", "astra_edu/measured/jobs.py", "    check_computers(row, cut.npus, on)\n", "",
          REFUSED_ROWS),
    Fault("words that mean nothing recompute nothing", "astra_edu/measured/words.py",
          'return words if any(each.search(words) for each in (SELECTIVE, FULL, NOTHING)) else ""',
          "return words", TOLD),
    Fault("what contradicts a row isn't told", "astra_edu/measured/assumed.py", ", *contradicted(row, job)]", "]",
          TOLD),
    Fault("bf16 of a V100 isn't told to be fp16", "astra_edu/measured/contradicted.py", "and half not in halves",
          "and half in halves", TOLD),
    Fault("what isn't to be stored is", "astra_edu/measured/__main__.py",
          "    found = measured_beside(runs(), say=click.echo)\n    if store:\n",
          "    found = measured_beside(runs(), say=click.echo)\n    if True:\n",
          "tests/measured/test_estimated.py::test_what_is_found_is_stored_unless_it_is_not_to_be"),
    Fault("the lines that ship are old", "astra_edu/explore/iteration/beside.csv", "Ampere,inf,165,1.36",
          "Ampere,inf,165,1.37",
          "tests/measured/test_estimated.py::test_lines_that_ship_are_what_the_runs_give"),
    Fault("a run reaches 140 % of the peak", CHECKED, "share > 100", "share > 1000",
          f"{OF_CELLS}what_can_t_have_been_measured_is_refused_with_its_row"),
    Fault("a run keeps a million TB", CHECKED, "kept > TOO_MUCH * there.memory_bytes", "False",
          f"{OF_CELLS}what_can_t_have_been_measured_is_refused_with_its_row"),
    Fault("lines of a file begin with 1 behind its head", CHECKED, "line {label + 2}", "line {label + 1}",
          f"{OF_CELLS}a_cell_that_no_run_has_is_warned_of_with_its_line"),
    Fault("a file with -8 GPUs is loaded without a word", "astra_edu/measured/table.py",
          "if wrong := list(wrong_cells(rows)):", "if wrong := []:",
          f"{OF_CELLS}a_cell_that_no_run_has_is_warned_of_with_its_line"),
    Fault("a collective is whatever one writes", NCCL, '_collective(collective) if collective else ""', "collective",
          f"{OF_NCCL}a_collective_has_one_name_however_it_is_written"),
    Fault("a file's name says nothing", NCCL, "_named(Path(path).name)", '""',
          f"{OF_NCCL}a_file_called_after_its_program_says_the_collective"),
    Fault("the smallest batch is the fastest", SEARCH, "return ns if self._alike else ns / self.several[place].samples",
          "return ns", f"{OF_SEARCH}strategies_of_different_batches_are_compared_by_time_a_sample"),
]  # fmt: skip
