"""Faults of rings, hybrid sharding, kept parameters, and of what hides behind computing."""

from tools.mutants.fault import Fault

STRATEGIES, ITERATION, TRACES = "astra_edu/workload/strategies", "astra_edu/explore/iteration", "astra_edu/traces"
SENT, TIMES = "tests/workload/test_sharing.py::test_", "tests/explore/test_hidden_is_simulated.py::test_"
WHOLE = "tests/workload/test_whole_experts.py::test_"
WAITS = "tests/traces/test_waits_for_gradients.py::test_"
EXCHANGE = "tests/explore/test_exchange.py::test_"

FAULTS = [
    Fault(
        "the gradients of keys and values never get home",
        f"{STRATEGIES}/communication.py",
        '(f"gradients of {both}", INPUT_GRADIENT, npus),',
        '(f"gradients of {both}", INPUT_GRADIENT, npus - 1),',
        f"{SENT}a_ring_sends_what_a_gather_brings_and_its_gradients_one_step_further[2-1]",
    ),
    Fault(
        "hybrid sharding sums up whole gradients across",
        f"{STRATEGIES}/communication.py",
        'one("weight gradients", WEIGHT_GRADIENT, Collective.ALL_REDUCE, shared, often)',
        'one("weight gradients", WEIGHT_GRADIENT, Collective.ALL_REDUCE, size, often)',
        f"{SENT}hybrid_sharding_scatters_within_and_sums_up_across[1]",
    ),
    Fault(
        "parameters that are kept are gathered again",
        f"{STRATEGIES}/communication.py",
        "(FORWARD, INPUT_GRADIENT) if strategy.reshard else (FORWARD,)",
        "(FORWARD, INPUT_GRADIENT)",
        f"{SENT}parameters_that_are_kept_are_gathered_once_a_micro_batch_and_whole_meanwhile",
    ),
    Fault(
        "hybrid sharding keeps as little as if all copies shared",
        f"{STRATEGIES}/memory.py",
        "strategy.shard_group or among for among",
        "among for among",
        f"{SENT}hybrid_sharding_scatters_within_and_sums_up_across[1]",
    ),
    Fault(
        "parameters that are kept take no memory",
        f"{STRATEGIES}/memory.py",
        "[strategy.zero == 3 and strategy.reshard,",
        "[strategy.zero == 3,",
        f"{SENT}parameters_that_are_kept_are_gathered_once_a_micro_batch_and_whole_meanwhile",
    ),
    Fault(
        "stages that reshard gather once an iteration all the same",
        f"{STRATEGIES}/strategy.py",
        "self.zero == 3 and self.pipeline > 1 and not self.reshard",
        "self.zero == 3 and self.pipeline > 1",
        f"{SENT}stages_that_reshard_gather_for_both_passes_of_every_micro_batch_and_reduce_once[1f1b]",
    ),
    Fault(
        "gathers hide behind gradients of weights that are a pass of their own",
        f"{ITERATION}/hidden.py",
        "step.backward_ns - step.weight_ns * split if way",
        "step.backward_ns if way",
        f"{TIMES}stages_that_reshard_take_as_long_where_messages_to_the_next_stage_take_nothing[12]",
    ),
    Fault(
        "every parameter's gather waits for every gradient itself",
        f"{TRACES}/stage_operations.py",
        "after = after if k else (made,)",
        "assert made or k",
        f"{WAITS}the_last_gathers_wait_for_all_gradients_by_few_dependencies[more1-overlap1]",
    ),
    Fault(
        "a micro-batch waits for no gradients but the last operator's",
        f"{TRACES}/stage_operations.py",
        "self.ended = tuple(self._exchanged.values()) or",
        "self.ended = tuple(self._exchanged.values())[-1:] or",
        f"{WAITS}the_last_gathers_wait_for_all_gradients_by_few_dependencies[more1-overlap0]",
    ),
    Fault(
        "stages with ZeRO-2 exchange gradients only once",
        f"{STRATEGIES}/strategy.py",
        "return self.zero < 2 or (self.zero == 3 and self.pipeline > 1)",
        "return self.zero < 2 or self.pipeline > 1",
        f"{SENT}stages_with_zero_2_reduce_every_micro_batch_into_their_share_of_the_gradients",
    ),
    Fault(
        "each pass's gradients are exchanged as if the network were free",
        f"{ITERATION}/exchange.py",
        "start = max(self.free, self.now)\n        self.free, ended",
        "start = self.now\n        self.free, ended",
        "tests/explore/test_exchange.py::test_gradients_of_each_pass_follow_those_of_the_one_before",
    ),
    Fault(
        "a tensor group's NPUs send all its tokens to experts that are whole",
        f"{STRATEGIES}/own_part.py",
        "isinstance(operator, Experts | Dispatch | Combine)",
        "isinstance(operator, Experts)",
        f"{WHOLE}tokens_go_once_from_each_npu_of_a_tensor_group_to_all_that_have_experts",
    ),
    Fault(
        "the group of whole experts is one of copies alone",
        f"{ITERATION}/groups.py",
        '_both(shares["tensor"], own) if strategy.whole_experts else own',
        "own",
        f"{WHOLE}their_group_is_whole_tensor_groups_of_neighbouring_copies[dims0-tensor-first-8-expected0]",
    ),
    Fault(
        "a trace sends to whole experts among copies alone",
        f"{TRACES}/copies_cut.py",
        '[group == "tensor" or (group == "expert" and cut.whole_experts)]',
        '[group == "tensor"]',
        "tests/explore/test_whole_experts.py::test_on_one_switch_for_all_the_trace_goes_by_process_groups",
    ),
    Fault(
        "each step of a ring meets all keys",
        f"{STRATEGIES}/overlapped.py",
        "keys=(part.keys or 0) // strategy.context",
        "keys=part.keys",
        f"{SENT}the_steps_of_a_ring_compute_the_attention_of_all_keys_once",
    ),
    Fault(
        "a list takes as long as if an NPU sent everything at a time",
        f"{STRATEGIES}/overlapped.py",
        "max([free[one.sent is None], *(",
        "max([0, *(",
        f"{SENT}a_list_takes_as_long_as_what_cannot_hide",
    ),
    Fault(
        "a zigzag ring of as many parts as NPUs",
        f"{STRATEGIES}/refused.py",
        "parts = strategy.context * (2 if operator.causal else 1)",
        "parts = strategy.context",
        f"{SENT}what_does_not_exist_or_divide_is_refused_with_numbers_that_do",
    ),
    Fault(
        "the first micro-batch waits for the sum of what each stage gathers",
        f"{ITERATION}/hidden.py",
        "late = max(late, gathered[stage] - way)",
        "late += max(0, gathered[stage] - way)",
        f"{TIMES}the_first_micro_batch_waits_for_the_operator_whose_parameters_come_latest",
    ),
    Fault(
        "what is waited for in pieces is the tensor group's, whatever it is",
        f"{ITERATION}/hidden.py",
        "waits[WAITS.index(unit.kind)]",
        "waits[0]",
        f"{TIMES}of_a_ring_is_seen_what_of_each_message_does_not_hide_behind_its_step[2]",
    ),
    Fault(
        "gradients hide where they shouldn't",
        f"{ITERATION}/exchange.py",
        "            if hides:\n",
        "            if True:\n",
        f"{TIMES}random_jobs_take_as_long[hidden_gathers-0.02]",
    ),
    Fault(
        "the trace of a ring goes round all copies",
        f"{TRACES}/copies_cut.py",
        "around = step * self.strategy.context",
        "around = step * self.strategy.copies",
        f"{SENT}a_trace_s_messages_go_round_each_context_group",
    ),
    Fault(
        "in a trace a block's parameters are there at once",
        f"{TRACES}/stage_operations.py",
        "self._position = (*self._now(), self._asked.pop(piece.name))",
        "self._position = self._now()",
        f"{TIMES}zero_3_that_hides_its_gathers_takes_as_long_as_its_trace",
    ),
    Fault(
        "a pass doesn't wait for parameters behind gradients",
        f"{ITERATION}/exchange.py",
        "self.now = max(self.now, self.free)",
        "pass",
        f"{EXCHANGE}a_pass_waits_for_parameters_behind_gradients_and_goes_on_beside_gradients_alone",
    ),
    Fault(
        "hidden parameters have links of their own",
        f"{ITERATION}/exchange.py",
        "self.free = start + sum(step.gathers_ns[way] for step in block)",
        "pass",
        f"{EXCHANGE}gathered_behind_the_block_before_parameters_are_late_if_gradients_are_before_them",
    ),
    Fault(
        "a search's plans don't wait for parameters behind gradients",
        f"{ITERATION}/plan_bound.py",
        "Behind(late_free=0.0, free_late=turn, free_free=turn)",
        "Behind(free_late=turn, free_free=turn)",
        f"{EXCHANGE}the_matrices_of_a_search_say_what_the_queue_does",
    ),
    Fault(
        "the next micro-batch doesn't wait for an exchange that hides behind nothing",
        f"{TRACES}/make_from_operators.py",
        "waits = every and not hides and run.is_last(spans[-1])",
        "waits = False",
        f"{TIMES}the_next_micro_batch_waits_for_an_exchange_that_hides_behind_nothing[2]",
    ),
    Fault(
        "of passes in two, gradients hide behind both",
        f"{ITERATION}/stage_times.py",
        "every_step, places = list(map(weights_alone, every_step)), None",
        "pass",
        "tests/explore/test_estimate_is_simulated.py::"
        "test_a_hundred_random_jobs_take_as_long_as_far_as_the_rules_are_the_same[copies_and_stages]",
    ),
    Fault(
        "gradients of an order that goes both ways hide",
        f"{ITERATION}/stage_times.py",
        'hides["gradients"] and not strategy.both_ways',
        'hides["gradients"]',
        "tests/explore/test_estimate_is_simulated.py::test_forty_random_jobs_of_both_ways_take_about_as_long",
    ),
]
