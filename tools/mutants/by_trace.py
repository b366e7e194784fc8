"""Faults of estimates that are traces simulated."""

from tools.mutants.fault import Fault

ITERATION, TRACES = "astra_edu/explore/iteration", "astra_edu/traces"
TRACE = "tests/explore/test_estimate_by_trace.py::test_"

FAULTS = [
    Fault(
        "what is sent while an NPU computes counts as exposed",
        f"{ITERATION}/by_trace.py",
        "spent[group] = int(covered(common(free, own)))",
        "spent[group] = int(covered(own))",
        f"{TRACE}a_group_by_itself_has_all_that_is_exposed",
    ),
    Fault(
        "an estimate by the trace leaves out the update",
        f"{ITERATION}/by_trace.py",
        "        data,\n        update,",
        "        data,\n        0,",
        f"{TRACE}it_takes_as_long_as_the_trace_simulated_and_the_update[0]",
    ),
    Fault(
        "a ring's messages are waiting, not the context group's",
        f"{TRACES}/stage_operations.py",
        'self.sent.append((made[0], "context"))',
        "pass",
        f"{TRACE}each_group_has_the_time_of_its_own_nodes_where_nothing_computes[ring]",
    ),
    Fault(
        "what two stages of a part add up is waiting",
        f"{TRACES}/make_from_operators.py",
        '*((one, "data") for one in mirrored)',
        "",
        f"{TRACE}dualpipe_s_stages_with_the_same_part_add_up_their_gradients_in_the_exchange",
    ),
    Fault(
        "exchanged embeddings are a tensor group's",
        f"{TRACES}/make_from_exchange.py",
        "task.work.collective is Collective.ALL_TO_ALL",
        "False",
        f"{TRACE}exchanged_embeddings_which_no_closed_form_knows_are_the_copies",
    ),
    Fault(
        "a pass lasts until its gradients are exchanged",
        f"{ITERATION}/by_trace.py",
        "if one.is_on(npu) and one not in exchanged]",
        "if one.is_on(npu)]",
        f"{TRACE}passes_of_the_pipeline_are_the_simulated_ones[1f1b]",
    ),
    Fault(
        "what links need more belongs to the first group",
        f"{ITERATION}/by_trace.py",
        "[more * before // whole for before in accumulate(seen.values(), initial=0)]",
        "[0, more, more, more, more]",
        f"{TRACE}what_links_allow_leads_and_belongs_to_groups_as_what_is_seen_does",
    ),
    Fault(
        "an estimate by the trace gives whole µs to a roofline",
        f"{ITERATION}/by_trace.py",
        "system.peak_performance if system.roofline else None",
        "None",
        f"{TRACE}a_roofline_s_computations_are_operations_not_whole_micros",
    ),
]
