"""Faults of orders that split the backward pass, of folded parts, of both ways and of uneven stages."""

from tools.mutants.fault import Fault

PIPELINE, STRATEGIES = "astra_edu/pipeline", "astra_edu/workload/strategies"
ORDERS, STAGES = "tests/pipeline/test_zero_bubble.py::test_", "tests/workload/test_uneven_stages.py::test_"
CUT, DUAL = "tests/workload/test_split_orders.py::test_", "tests/pipeline/test_dualpipe.py::test_"

FAULTS = [
    Fault(
        "ZB-H1's weights come at once, so that they keep the stage before waiting",
        f"{PIPELINE}/zero_bubble.py",
        '            if back > stage:\n                yield Pass("W", back - 1 - stage)\n',
        '            yield Pass("W", back - 1)\n',
        f"{ORDERS}every_pass_is_there_once_and_every_run_ends",
    ),
    Fault(
        "ZB-V does weights before forward passes",
        f"{PIPELINE}/zero_bubble.py",
        '[(max(free[stage], at), 2, 0, "W", part, i)',
        '[(max(free[stage], at), -1, 0, "W", part, i)',
        f"{ORDERS}zb_v_has_next_to_no_bubble_in_1f1bs_memory[8]",
    ),
    Fault(
        "V-Min's pattern is V-Half's",
        f"{PIPELINE}/zero_bubble.py",
        "_repeated(_pattern(stages, 2), stage, micro_batches)",
        "_repeated(_pattern(stages, 3), stage, micro_batches)",
        f"{ORDERS}v_half_and_v_min_keep_about_a_half_and_a_third[24]",
    ),
    Fault(
        "activations are given up with B, not with W",
        f"{PIPELINE}/outcome.py",
        'ends = (each.kind == ("W" if each[1:] in split else "B") for each in listed)',
        'ends = (each.kind == "B" for each in listed)',
        f"{ORDERS}zb_h1_has_the_papers_bubble_and_no_more_memory_than_1f1b[(10, 20, 10)-4]",
    ),
    Fault(
        "a B takes as long as the whole backward pass",
        f"{PIPELINE}/run.py",
        "inputs = [whole - own for whole, own in zip(backward, weights, strict=True)]",
        "inputs = list(backward)",
        f"{ORDERS}each_pass_waits_for_what_it_needs",
    ),
    Fault(
        "the turn of a folded model travels",
        f"{PIPELINE}/run.py",
        "        p2p[stages - 1] = 0\n",
        "        p2p[stages - 1] += 0\n",
        f"{ORDERS}nothing_travels_between_the_parts_of_the_last_stage",
    ),
    Fault(
        "a folded model goes down the stages twice",
        f"{PIPELINE}/places.py",
        "        return 2 * stages - 1 - stage\n",
        "        return stages + stage\n",
        f"{ORDERS}places_and_parts_are_each_others_inverse",
    ),
    Fault(
        "a folded stage keeps other parts than it has",
        f"{STRATEGIES}/memory.py",
        "here = strategy.parts_on(stage)",
        "here = tuple(range(stage, len(parts), strategy.pipeline))",
        f"{CUT}a_folded_models_words_are_there_once",
    ),
    Fault(
        "what is on one stage is sent all the same",
        f"{STRATEGIES}/communication.py",
        "turn = strategy.pipeline - 1 if strategy.folded else None",
        "turn = None",
        f"{CUT}messages_between_parts_of_one_stage_are_not_sent[zb-v-6]",
    ),
    Fault(
        "Llama's first stage has as many blocks as the others",
        f"{STRATEGIES}/stages.py",
        "    counts[0] -= ends > 0\n",
        "    counts[1] -= ends > 0\n",
        f"{STAGES}llama_on_16_stages_has_a_block_less_at_both_ends",
    ),
    Fault(
        "a forward pass of a pair sends on without waiting for the backward pass",
        f"{PIPELINE}/outcome.py",
        "return max(span.end_ns, self.pairs[span].end_ns) if span in self.pairs else span.end_ns",
        "return span.end_ns",
        f"{DUAL}each_pass_waits_for_what_it_needs",
    ),
    Fault(
        "a stage's first backward pass is in a pair, too",
        f"{PIPELINE}/both_ways.py",
        "for place in range(first + 1, len(passes))",
        "for place in range(1, len(passes))",
        f"{DUAL}pairs_are_of_opposite_ways_and_never_a_stages_first_backward_pass",
    ),
    Fault(
        "whole backward passes take no weights",
        f"{PIPELINE}/both_ways.py",
        "self.weights[self.part(stage, each)] if is_whole else 0",
        "0",
        f"{DUAL}the_reports_table[4]",
    ),
    Fault(
        "DualPipe splits no backward pass while the pipeline fills",
        f"{PIPELINE}/dualpipe.py",
        '[("b", OTHER), ("W", OTHER), ("F", OTHER)]',
        '[("B", OTHER), ("F", OTHER)]',
        f"{DUAL}the_bubble_is_the_reports",
    ),
    Fault(
        "what is hidden isn't",
        f"{PIPELINE}/both_ways.py",
        "lengths = [lengths[0] - hidden // 2, lengths[1] - (hidden - hidden // 2)]",
        "lengths = [*lengths]",
        f"{DUAL}the_bubble_is_the_reports",
    ),
    Fault(
        "parameters are there once in DualPipe",
        f"{STRATEGIES}/strategy.py",
        "range(2 if placement == BOTH_WAYS else virtual)",
        "range(virtual)",
        f"{CUT}both_ways_parameters_are_there_twice_and_activations_of_a_micro_batch_more",
    ),
    Fault(
        "an explanation runs a folded order looped",
        "astra_edu/explain/inputs_of_pipeline.py",
        "    own.placement = run.placement  # type: ignore[attr-defined]\n",
        "",
        f"{DUAL}an_explanation_repeats_the_same_order_with_the_same_parts",
    ),
]
