"""Faults in searches and plans."""

from tools.mutants.fault import Fault

SEARCH, ITERATION = "astra_edu/explore/search", "astra_edu/explore/iteration"
TESTS = "tests/explore/search/test_search.py::test_"
PLANS = "tests/explore/search/test_plans.py::test_"
SPACES = "tests/explore/search/test_spaces.py::test_"
OWN_BOUND = f"{TESTS}a_bound_of_one_s_own_rules_points_out_and_is_told"
WRONG = f"{TESTS}a_failing_point_is_a_row_and_nan_is_never_the_best"

FAULTS = [
    Fault("nothing is ruled out", f"{SEARCH}/exact.py", "if bound < most and", "if", OWN_BOUND),
    Fault(
        "NaN is a value",
        f"{SEARCH}/goals.py",
        "if not _is_number(value) or value in (math.inf, -math.inf):",
        "if value is None:",
        WRONG,
    ),
    Fault(
        "limits are forgotten",
        f"{SEARCH}/trials.py",
        "return self.values is not None and not self.misses",
        "return self.values is not None",
        f"{TESTS}impossible_constraints_name_the_nearest_miss",
    ),
    Fault(
        "the farthest miss is named",
        f"{SEARCH}/result.py",
        "near = min(usable, key=lambda each: each.missed)",
        "near = max(usable, key=lambda each: each.missed)",
        f"{TESTS}impossible_constraints_name_the_nearest_miss",
    ),
    Fault(
        "samples are no one's seed's",
        f"{SEARCH}/heuristic.py",
        "samplers.TPESampler(n_startup_trials=max(4, min(10, share // 4)), seed=trials.seed)",
        "samplers.TPESampler(n_startup_trials=max(4, min(10, share // 4)))",
        f"{TESTS}the_same_seed_gives_the_same_search_whatever_the_executor",
    ),
    Fault(
        "links carry twice what they can, in a bound",
        f"{SEARCH}/bounds_known.py",
        "links = sum(platform",
        "links = 0.5 * sum(platform",
        f"{TESTS}links_and_compute_are_never_undercut",
    ),
    Fault(
        "some of the cost isn't spent",
        f"{SEARCH}/spaces.py",
        "amount * part / count / prices[d]",
        "0.9 * amount * part / count / prices[d]",
        f"{SPACES}bandwidths_spend_all_of_the_total_or_the_cost_in_every_way",
    ),
    Fault(
        "algorithms stay where they were",
        f"{SEARCH}/spaces.py",
        "else tuple(how[d] for d in order)",
        "else tuple(how[d] for d in sorted(order))",
        f"{SPACES}placements_are_all_orders_with_their_algorithms",
    ),
    Fault(
        "gradients aren't gathered between groups",
        f"{ITERATION}/plan_times.py",
        "return Step(ahead, back, 0, 0, 0)",
        "return Step(ahead, 0, 0, 0, 0)",
        f"{PLANS}resharding_gathers_what_an_npu_lacks",
    ),
    Fault(
        "a plan may keep more than there is",
        f"{ITERATION}/plan_search.py",
        "if not table.fits(kept + rest_kept) or",
        "if",
        f"{PLANS}the_fastest_is_that_of_all_plans_within_any_limit_of_memory",
    ),
    Fault(
        "what is sent between groups is free, in the search",
        f"{ITERATION}/plan_bound.py",
        "return 0.0 if step is None else (step.forward_ns + step.backward_ns) * self.micro_batches",
        "return 0.0",
        f"{PLANS}the_fastest_is_that_of_all_plans_within_any_limit_of_memory",
    ),
    Fault(
        "the frontier has every run",
        "astra_edu/course/plots/explore/frontier.py",
        "    table = search.frontier\n",
        "    table = search.table\n",
        "tests/course/plots/test_frontier.py::test_all_runs_and_the_frontier_are_drawn_where_they_are",
    ),
    Fault(
        "a bound that is none is believed",
        f"{SEARCH}/exact.py",
        "tried.values[0] < bound - 1e-9 * abs(bound)",
        "False",
        f"{TESTS}a_bound_that_is_none_is_told",
    ),
    Fault(
        "plans of any model are taken",
        f"{ITERATION}/plans.py",
        "if model != self.model:",
        "if not model:",
        f"{PLANS}plans_of_another_model_are_refused",
    ),
    Fault(
        "what groups keep is added up in another order",
        f"{ITERATION}/plan_bound.py",
        "for own in reversed(groups):",
        "for own in groups:",
        f"{PLANS}a_limit_of_what_a_plan_keeps_to_the_last_bit_lets_it_pass",
    ),
    Fault(
        "ties go to the dearest network",
        f"{SEARCH}/trials.py",
        "(each.values or (), each.dollars)",
        "(each.values or (), -each.dollars)",
        f"{TESTS}of_points_that_tie_the_cheapest_network_is_the_best_and_the_others_are_counted",
    ),
    Fault(
        "when the time is over no point runs",
        f"{SEARCH}/trials.py",
        "min(1, self.budget) * (not self.known) if over",
        "0 if over",
        f"{TESTS}bounds_take_a_quarter_of_the_time_and_one_point_always_runs",
    ),
    Fault(
        "a layer asks for its bytes once",
        f"{SEARCH}/bounds_known.py",
        "[1] += often * work.size",
        "[1] += work.size",
        f"{TESTS}what_layers_ask_for_together_is_what_each_asks_for",
    ),
]
