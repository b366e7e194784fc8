"""Faults in what is kept for a moment, and in the search for the fastest strategy."""

from tools.mutants.fault import Fault

STRATEGIES, ITERATION = "astra_edu/workload/strategies", "astra_edu/explore/iteration"
MEMORY = "tests/workload/test_memory.py::test_"
TIMELINE = "tests/explore/test_kept_over_time.py::test_"
FIRST = "tests/explore/test_best_first.py::test_"
ALSO = "tests/explore/test_also.py::test_"

FAULTS = [
    Fault(
        "the next block is gathered into no room of its own",
        f"{STRATEGIES}/memory.py",
        "(1 + (name in strategy.overlap))",
        "1",
        f"{MEMORY}gathering_ahead_takes_as_much_room_again[gpt2]",
    ),
    Fault(
        "an NPU's own share is gathered, too",
        f"{STRATEGIES}/memory.py",
        "both * (1 - 1 / shards)",
        "both",
        f"{MEMORY}zero_shares_out_what_its_paper_says[8-gpt2]",
    ),
    Fault(
        "holes are a share of what is kept, not of all that is taken",
        f"{STRATEGIES}/memory.py",
        "used * fragmentation / (1 - fragmentation)",
        "used * fragmentation",
        f"{MEMORY}fragmentation_is_a_share_of_all_that_is_taken",
    ),
    Fault(
        "what is computed again was never gone",
        f"{STRATEGIES}/buffers.py",
        "whole[i][4] - each[i][4]",
        "each[i][4] - each[i][4]",
        f"{MEMORY}a_block_that_is_computed_again_has_what_it_has_without[1-full]",
    ),
    Fault(
        "an NPU's own tokens are gathered, too",
        f"{STRATEGIES}/sent.py",
        "(self.npus - 1) * self.size,\n        }[",
        "self.npus * self.size,\n        }[",
        f"{MEMORY}sequence_parallel_groups_gather_all_tokens_and_others_add_up_in_place",
    ),
    Fault(
        "buffers are there in bubbles",
        f"{ITERATION}/kept_over_time.py",
        "kept.buffers * (passes > 0)",
        "kept.buffers",
        f"{TIMELINE}what_is_there_for_a_moment_is_there_in_passes_alone",
    ),
    Fault(
        "plans have no room for what is there for a moment",
        f"{ITERATION}/plan_bound.py",
        "return whole_bytes(kept, self.moment) <= self.most",
        "return kept <= self.most",
        "tests/explore/search/test_plans.py::test_the_fastest_is_that_of_all_plans_within_any_limit_of_memory[2]",
    ),
    Fault(
        "interrupted, it has the last that was estimated",
        f"{ITERATION}/best_first.py",
        "min(self._best or (total_ns, place), (total_ns, place))",
        "(total_ns, place)",
        f"{FIRST}interrupted_it_has_the_fastest_so_far[5]",
    ),
    Fault(
        "what doesn't fit is not counted",
        f"{ITERATION}/best_first.py",
        "refused, too_large = dict(self._refused), len(self.too_large)",
        "refused, too_large = dict(self._refused), 0",
        f"{FIRST}it_says_what_became_of_all",
    ),
    Fault(
        "split orders come instead of interleaved ones",
        f"{ITERATION}/also.py",
        'strategy.pipeline_order == "1f1b"',
        'strategy.pipeline_order == "interleaved"',
        f"{ALSO}nothing_is_left_out_that_is_possible",
    ),
    Fault(
        "choices don't come together",
        f"{ITERATION}/also.py",
        "[plain, *_changes(strategy, name)]",
        "[*_changes(strategy, name)] or [plain]",
        f"{ALSO}choices_come_together",
    ),
    Fault(
        "all-to-alls that hide behind another pass are waited for",
        f"{ITERATION}/compute_bound.py",
        'if not (strategy.both_ways and name == "expert"))',
        "if name)",
        f"{ALSO}what_hides_of_pairs_of_passes_is_not_waited_for[none]",
    ),
    Fault(
        "sums of the two stages that have the same part need a group of the platform",
        f"{ITERATION}/operator_steps.py",
        'if one.group != "mirror")',
        "if one.group)",
        f"{ALSO}of_few_blocks_dualpipe_is_estimated_too[0]",
    ),
    Fault(
        "what is given twice and doesn't fit counts once",
        f"{ITERATION}/best_first.py",
        "self.too_large[place] = kept",
        "self.too_large[self.several.index(known)] = kept",
        f"{FIRST}what_is_given_twice_counts_twice",
    ),
    Fault(
        "hybrid sharding leaves experts to all copies",
        f"{STRATEGIES}/memory.py",
        "strategy.shard_group or among for among in (strategy.copies,",
        "among for among in (strategy.shard_group or strategy.copies,",
        "tests/workload/test_sharing.py::test_experts_are_shared_out_within_a_shard_group_as_all_the_rest[1]",
    ),
    Fault(
        "the interleaved order keeps no more than in its first group of micro-batches",
        "astra_edu/pipeline/kept.py",
        "GROUPS = 3",
        "GROUPS = 1",
        "tests/pipeline/test_kept.py::test_it_is_what_the_passes_keep[interleaved-3-6-2]",
    ),
    Fault(
        "a stage's parts are taken for alike",
        "astra_edu/pipeline/kept.py",
        'order in FORMULAS and (order != "interleaved" or len(set(sizes)) == 1)',
        "order in FORMULAS",
        f"{TIMELINE}the_peak_is_what_memory_says[0-interleaved-2-more3]",
    ),
    Fault(
        "a strategy that the model can't have ends the search",
        f"{ITERATION}/best_first.py",
        "            except ConfigError as error:\n                self._refuse(error)\n        heapify",
        "            except ConfigError:\n                raise\n        heapify",
        f"{FIRST}what_the_model_cannot_have_is_counted_and_not_in_the_way",
    ),
    Fault(
        "an interrupted search of plans counts what it hasn't finished",
        f"{ITERATION}/plan_search.py",
        'f"{searched} of {count}',
        'f"{searched + 1} of {count}',
        f"{FIRST}a_search_of_plans_that_is_interrupted_has_the_best_of_what_it_has_searched",
    ),
    Fault(
        "attention is multiplied in 8 bits, too",
        "astra_edu/workload/compute/flash.py",
        'moved, of_activations=True, kernel="attention")',
        "moved)",
        "tests/workload/test_precision.py::test_attention_by_tiles_stays_in_its_width",
    ),
    Fault(
        "parameters are gathered in the gradients' width",
        f"{STRATEGIES}/communication.py",
        "gathered = count * strategy.bits.gradient_bytes, count * strategy.bits.parameter_bytes",
        "gathered = count * strategy.bits.gradient_bytes, count * strategy.bits.gradient_bytes",
        "tests/workload/test_precision.py::test_each_kind_is_kept_and_sent_in_its_own_width",
    ),
    Fault(
        "the update moves the optimiser's state once",
        f"{STRATEGIES}/precision.py",
        "4 + 2 * self.optimiser_bytes",
        "4 + self.optimiser_bytes",
        "tests/workload/test_precision.py::test_the_update_moves_the_state_in_and_out_and_the_gradient_in_32_bits",
    ),
    Fault(
        "MFU is of 16 bits' peak",
        f"{ITERATION}/result.py",
        "self.device.peak(self.strategy.bits.products)",
        "self.device.peak(16)",
        "tests/workload/test_precision.py::test_mfu_is_of_the_peak_that_products_have",
    ),
]
