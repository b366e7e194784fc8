"""Faults of context groups and experts: what is sent, kept, computed and waited for."""

from tools.mutants.fault import Fault

COMPUTE, STRATEGIES = "astra_edu/workload/compute", "astra_edu/workload/strategies"
ITERATION = "astra_edu/explore/iteration"
TESTS = "tests/workload/test_context_and_experts.py::test_"

STAGE, ON_STAGE = "astra_edu/course/instruments/cut_", "tests/course/instruments/test_cut_stage.py::test_"
KEYS = f"{ON_STAGE}keys_and_values_are_there_from_the_gathering_on_until_they_were_used[2-1]"
TRAVEL = f"{ON_STAGE}experts_are_on_the_npus_that_own_them_and_tokens_go_there_and_back[2-2-1]"

OWN_LINES, OF_LINES = "astra_edu/workload/strategies/own_lines.py", "tests/workload/test_own_lines.py::test_"
BYTES = f"{OF_LINES}each_group_sends_what_its_strategy_says"

FAULTS = [
    Fault(
        "1.0 workload: the expert group runs over the copies' dimensions",
        OWN_LINES,
        '"expert": (of_copies, of_copies * strategy.expert_copies)',
        '"expert": (of_copies, of_copies * copies)',
        BYTES,
    ),
    Fault(
        "1.0 workload: all copies add up experts' gradients",
        OWN_LINES,
        'EXCHANGING[reach["data" if one.group == "shard" else one.group]]',
        'EXCHANGING[reach["data"]]',
        BYTES,
    ),
    Fault(
        "1.0 workload: what is computed again is not sent again",
        OWN_LINES,
        "again = [one for one in ahead if one.times > strategy.micro_batches]",
        "again = ()",
        f"{OF_LINES}full_recomputation_sends_everything_of_the_forward_pass_again",
    ),
    Fault(
        "1.0 workload: keys and values come when attention is over",
        OWN_LINES,
        'return gathers and (one.group != "tensor" or strategy.sequence_parallel)',
        'return gathers and one.group == "tensor" and strategy.sequence_parallel',
        f"{OF_LINES}keys_and_values_come_before_attention_in_both_passes_and_their_gradients_leave_after_it",
    ),
    Fault(
        "1.0 workload: tokens come back when they are combined already",
        OWN_LINES,
        "return isinstance(operator, Combine) == (one.phase == FORWARD)",
        "return one.phase != FORWARD",
        f"{OF_LINES}tokens_leave_behind_their_dispatch_and_return_in_front_of_their_combination",
    ),
    Fault(
        "1.0 workload: a group may end anywhere",
        OWN_LINES,
        "if len(ends) > 1:",
        "if len(ends) > 2:",
        f"{OF_LINES}what_no_file_can_say_is_told_with_what_can_be",
    ),
    Fault(
        "1.0 workload: a ring is a gather",
        OWN_LINES,
        'if strategy.context_by == "ring":',
        "if False:",
        f"{OF_LINES}what_no_file_can_say_is_told_with_what_can_be",
    ),
    Fault(
        "1.0 workload: any dimension 0 will do for a group",
        "astra_edu/workload/strategies/which_loop.py",
        "by_dimension = group < npus",
        "by_dimension = False",
        f"{OF_LINES}a_platform_must_have_the_groups_as_dimensions",
    ),
    Fault(
        "stage: keys and values stay in the MLP",
        f"{STAGE}tokens.py",
        '"attention": here}',
        '"attention": here, "MLP": here}',
        KEYS,
    ),
    Fault(
        "stage: summands of keys’ gradients look complete",
        f"{STAGE}tokens.py",
        '"partial sums" if key == "attention gradients"',
        '"complete" if key == "attention gradients"',
        KEYS,
    ),
    Fault(
        "stage: letters of keys that aren't there yet",
        f"{STAGE}tokens.py",
        'if at.get(key, source) is here else ""',
        "",
        KEYS,
    ),
    Fault(
        "stage: tokens don't return from their experts",
        f"{STAGE}tokens.py",
        'AWAY = (ROUTING[0], "MLP", ',
        'AWAY = (ROUTING[0], "MLP", ROUTING[1], ',
        TRAVEL,
    ),
    Fault(
        "stage: every NPU has expert 0",
        f"{STAGE}places.py",
        "first = row % self.cut.expert * each",
        "first = 0",
        TRAVEL,
    ),
    Fault(
        "stage: the expert group's line plays with the context group's",
        f"{STAGE}stage.py",
        '"expert": (cut.expert, ROUTING)',
        '"expert": (cut.expert, GATHERING)',
        TRAVEL,
    ),
    Fault(
        "stage: an expert that nobody else has is a partial sum",
        f"{STAGE}stage.py",
        "cut.copies // cut.expert, expert % 2",
        "cut.copies, expert % 2",
        f"{ON_STAGE}gradients_of_experts_are_partial_only_where_others_have_the_same[8-1-0]",
    ),
    Fault(
        "stage: tokens lie on the sums",
        f"{STAGE}places.py",
        "y + high - SUMS - TOKENS,",
        "y + high - SUMS,",
        f"{ON_STAGE}nothing_lies_on_anything_else_or_outside",
    ),
    Fault(
        "stage: KiB are said in small letters",
        f"{STAGE}steps.py",
        'f"Then {_collective(back)} brings',
        'f"{_collective(back).capitalize()} brings',
        TRAVEL,
    ),
    Fault(
        "keys and values are gathered in the forward pass only",
        f"{STRATEGIES}/communication.py",
        '        yield one(both, INPUT_GRADIENT, Collective.ALL_GATHER, "context", npus, own)\n',
        "",
        f"{TESTS}a_context_group_gathers_keys_and_values_twice_and_scatters_their_gradients",
    ),
    Fault(
        "only keys are gathered",
        f"{STRATEGIES}/communication.py",
        '"keys and values", part.keys_and_values',
        '"keys and values", part.keys_and_values // 2',
        f"{TESTS}a_context_group_gathers_keys_and_values_twice_and_scatters_their_gradients",
    ),
    Fault(
        "a tensor group adds up the activations of all tokens, though each has some",
        f"{STRATEGIES}/communication.py",
        'yield one("activations", FORWARD, adding, prod(own.gives))',
        'yield one("activations", FORWARD, adding, prod(operator.gives))',
        f"{TESTS}other_activations_are_those_of_its_tokens_and_gradients_those_of_as_many_copies",
    ),
    Fault(
        "stages hand on the activations of all tokens",
        f"{STRATEGIES}/communication.py",
        "prod(strategy.own_tokens(last).gives)",
        "prod(last.gives)",
        f"{TESTS}other_activations_are_those_of_its_tokens_and_gradients_those_of_as_many_copies",
    ),
    Fault(
        "tokens go to their experts once, however many they go to",
        f"{STRATEGIES}/communication.py",
        "npus, prod(part.routed))",
        "npus, part.tokens * part.width)",
        f"{TESTS}each_token_goes_to_its_experts_and_back_in_both_passes",
    ),
    Fault(
        "partial sums of experts are added up twice",
        f"{STRATEGIES}/communication.py",
        "if strategy.tensor == 1 or isinstance(operator, Experts):",
        "if strategy.tensor == 1:",
        f"{TESTS}partial_sums_of_experts_are_added_up_once_they_are_combined",
    ),
    Fault(
        "all copies add up the gradients of every expert",
        f"{STRATEGIES}/strategy.py",
        "self.copies // self.expert_copies if isinstance(operator, Experts) else self.copies",
        "self.copies",
        f"{TESTS}npus_with_the_same_experts_add_up_their_gradients",
    ),
    Fault(
        "a tensor group's whole experts are sent tokens by the copies alone",
        f"{STRATEGIES}/own_lines.py",
        'spans["tensor"] if strategy.expert_copies == 1 else (1, strategy.expert)',
        'spans["expert"]',
        "tests/workload/test_whole_experts.py::"
        "test_a_workload_of_the_first_version_has_a_tensor_group_s_experts_or_everybody_s",
    ),
    Fault(
        "a context group takes no NPUs",
        f"{STRATEGIES}/strategy.py",
        "return self.copies * self.tensor * self.pipeline",
        "return self.data * self.tensor * self.pipeline",
        f"{TESTS}neighbours_share_tokens_and_experts",
    ),
    Fault(
        "ZeRO shares experts out among those that have others",
        f"{STRATEGIES}/memory.py",
        "(strategy.copies, strategy.copies // strategy.expert_copies)",
        "(strategy.copies, strategy.copies)",
        f"{TESTS}zero_shares_experts_out_among_those_that_have_the_same",
    ),
    Fault(
        "an expert's input is thought to be kept by the tensor group together",
        f"{STRATEGIES}/kept.py",
        " and not isinstance(operator, Experts)",
        "",
        f"{TESTS}with_sequence_parallelism_every_npu_keeps_the_tokens_that_its_experts_got",
    ),
    Fault(
        "queries look only at the keys of their own NPU",
        f"{COMPUTE}/heads.py",
        "        keys, window = self.keys or 0, self.window\n",
        "        keys, window = self.tokens, self.window\n",
        f"{TESTS}queries_of_some_tokens_look_at_the_keys_of_all",
    ),
    Fault(
        "an NPU with fewer experts computes for fewer tokens",
        f"{COMPUTE}/experts.py",
        'replace(self, experts=divided(self.name, "experts", self.experts, parts))',
        'replace(self, experts=divided(self.name, "experts", self.experts, parts), tokens=self.tokens // parts)',
        f"{TESTS}an_npu_with_fewer_experts_computes_as_much_for_more_tokens_each",
    ),
    Fault(
        "all experts have the parameters of one",
        f"{COMPUTE}/experts.py",
        "return self.experts * super().parameters",
        "return super().parameters",
        f"{TESTS}a_mixture_has_the_parameters_of_all_experts_and_the_work_of_top_k",
    ),
    Fault(
        "the optimiser updates all experts, though ZeRO has shared them out",
        f"{ITERATION}/parts.py",
        "step.parameters / strategy.shards(operator)",
        "step.parameters / strategy.data",
        f"{TESTS}the_optimiser_updates_what_an_npu_has_of_the_experts",
    ),
    Fault(
        "waiting for experts is counted as waiting for the tensor group",
        f"{ITERATION}/parts.py",
        "WAITS.index(one.group) if one.group in WAITS else 0",
        "0",
        f"{TESTS}an_iteration_says_what_it_waits_for_each_group",
    ),
    Fault(
        "those with the same experts are neighbours",
        f"{ITERATION}/groups.py",
        'own, shares["expert data"] = _take(',
        'shares["expert data"], own = _take(',
        f"{TESTS}neighbours_share_tokens_and_experts",
    ),
    Fault(
        "every block's mixture comes before its attention",
        "astra_edu/workload/models/mixture.py",
        "return [*own[: ups[0] - 1], norm, *list(pair",
        "return [norm, *own[: ups[0] - 1], *list(pair",
        f"{TESTS}any_transformer_can_have_experts",
    ),
]
