"""Faults in what a trace's statistics, its scaling, Chakra's and PyTorch's files, and InfraGraph's say."""

from tools.mutants.fault import Fault

DESCRIBE, CHAIN, SCALING, RECORDED, ABSENT = (
    f"astra_edu/traces/{name}.py"
    for name in ("describe", "longest_chain", "scaling", "pytorch_files", "missing_parents")
)
PARTS, NAMES, NUMBERS, GRAPH = (
    f"astra_edu/formats/infragraph{name}.py" for name in ("_parts", "_names", "_numbers", "")
)
COUNTED = "tests/traces/test_describe.py::test_"
SCALED = "tests/traces/test_scaling.py::test_"
CHAKRA = "tests/traces/test_chakra_files.py::test_"
PYTORCH = "tests/traces/test_from_pytorch.py::test_"
SPELLED = "tests/formats/test_infragraph.py::test_"
BY_HAND = f"{COUNTED}every_row_as_counted_by_hand"
STRONG = f"{SCALED}strong_scaling_shares_out_the_samples_and_not_the_weights"
EVERY_EDGE = f"{SPELLED}every_node_and_edge_is_that_of_infragraph_s_service"
LINK_NUMBERS = f"{SPELLED}links_have_their_numbers_in_the_network_s_units"

FAULTS = [
    Fault("a collective's bytes are those of one NPU", DESCRIBE, "before.bytes + size * npus",
          "max(before.bytes, size)", BY_HAND),
    Fault("the CPU's time counts as the NPU's", DESCRIBE, "found.cpu_us += node.duration_micros",
          "found.compute_us += node.duration_micros", BY_HAND),
    Fault("a message's bytes are counted at both ends", DESCRIBE, "got[number(node, \"comm_src\")] += 1",
          "got[number(node, \"comm_src\")] += 1\n                for npu in npus:\n                    "
          "source = number(node, \"comm_src\") + (npu - first if shared.shifts else 0)\n                    "
          "sizes[source, npu] += number(node, \"comm_size\")", BY_HAND),
    Fault("the width is the depth", DESCRIBE, "width=max(depths.values(), default=0)",
          "width=max(depths, default=0)", BY_HAND),
    Fault("the critical path ends at an NPU's edge", CHAIN, "_shared(npu, node) if joins else None", "None",
          f"{COUNTED}the_critical_path_of_a_pipeline_is_its_closed_form[2-3-gpipe]"),
    Fault("the critical path takes whoever came first", CHAIN,
          "max(before[name], key=ends.__getitem__, default=None)", "next(iter(before[name]), None)",
          f"{COUNTED}the_critical_path_is_the_longest_one_of_networkx[0]"),
    Fault("an all-gather among more copies keeps its block", SCALING,
          "self.layout.before, self.layout.after * self.padding)", "1, self.padding)", STRONG),
    Fault("gradients shrink with the samples", SCALING, "if not self._is_among(node):", "if True:", STRONG),
    Fault("a new copy has the first one's group", SCALING, "name if copy < layout.before else str(fresh)", "name",
          STRONG),
    Fault("a message goes to the first copy", SCALING, "return self.layout.at(npu, self.copy)",
          "return self.layout.at(npu, 0)", f"{SCALED}pipelines_run_beside_each_other"),
    Fault("process groups that were noted stay as they were", SCALING, "            inputs = None  #",
          "            pass  #", f"{SCALED}what_a_recorder_noted_of_groups_does_not_contradict_the_new_ones"),
    Fault("what waits for a lost node waits for nothing", ABSENT,
          "tuple(one for one in deps if one in there)", "()",
          f"{CHAKRA}what_trace_link_and_the_converter_make_of_a_recording_waits_for_a_root_that_is_gone"),
    Fault("another run's times are given to operators", RECORDED, "if 2 * same < len(timed):", "if False:",
          f"{PYTORCH}times_of_another_run_are_given_to_no_operator"),
    Fault("a correlation is taken for an operator", RECORDED, "if started and not numbered:", "if False:",
          f"{PYTORCH}an_older_kineto_without_record_function_numbers"),
    Fault("many2many joins one by one", PARTS, "yield from ((one, other) for one in ones for other in others)",
          "yield from zip(ones, others, strict=False)", EVERY_EDGE),
    Fault("a device in a device has no edges", PARTS,
          "self._spell(node, component, where, (*above, name))", "pass", EVERY_EDGE),
    Fault("a slice has its end, too", NAMES, "count if stop is None else stop,", "count if stop is None else stop + 1,",
          EVERY_EDGE),
    Fault("bits are bytes", NUMBERS, '"gigabits_per_second": _GB / 8', '"gigabits_per_second": _GB', LINK_NUMBERS),
    Fault("GB/s are 10⁹ bytes", NUMBERS, "_GB = 1e9 / 2**30", "_GB = 1.0", LINK_NUMBERS),
    Fault("µs are ms", NUMBERS, '"us": 1e3', '"us": 1e6', LINK_NUMBERS),
    Fault("ranks are in the file's order", GRAPH, 'graph.nodes[node].get("rank", str(number))', "str(number)",
          f"{SPELLED}annotations_give_ranks_and_numbers"),
]  # fmt: skip
