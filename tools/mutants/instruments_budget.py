"""Faults in the budget's instrument and in the leaderboard."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TEST = "tests/course/instruments/test_budget.py::test_"
SEEN = "tests/browser/test_budget_seen.py::test_"
NUMBERS = f"{TEST}money_time_and_memory_are_those_of_the_library[start]"
LINKS = f"{TEST}links_are_as_wide_as_what_joins_their_npus_and_npus_stand_in_their_group[start]"
RANKED = f"{TEST}a_leaderboard_ranks_what_it_simulates_itself"
ASKED = f"{TEST}three_things_are_asked_in_turn_and_answered_by_estimate_memory_and_prices"

FAULTS = [
    Fault(
        "money: nodes are paid for once",
        f"{PY}/budget_job.py",
        'network_cost(network[0]) * (values["npus"] // network[0].npus)',
        "network_cost(network[0])",
        f"{TEST}money_is_shared_out_by_what_it_buys",
    ),
    Fault(
        "money: NPUs are free",
        f"{PY}/budget_job.py",
        'values["npus"] * values["price"])',
        '0 * values["price"])',
        NUMBERS,
    ),
    Fault("money: nodes are joined by parts of a node", f"{PY}/budget_job.py", 'kind="Pod")', 'kind="Node")', NUMBERS),
    Fault(
        "speed: of one copy",
        f"{PY}/budget_job.py",
        "return BATCH / max",
        "return BATCH / cut(values).data / max",
        NUMBERS,
    ),
    Fault(
        "cut: no sequence parallelism",
        f"{PY}/budget_job.py",
        'sequence_parallel=values["tensor"] > 1',
        "sequence_parallel=False",
        NUMBERS,
    ),
    Fault(
        "best: the slowest",
        f"{PY}/budget_job.py",
        "fit = {strategy: each for each, strategy in found if fits(each)}",
        "fit = {strategy: each for each, strategy in found[:1]}",
        f"{TEST}the_best_cut_is_the_fastest_that_fits",
    ),
    Fault(
        "links: all are in a node",
        f"{PY}/budget_stage.py",
        "int(self.first_npu(*one) // NODE != self.first_npu(*other) // NODE)",
        "0",
        LINKS,
    ),
    Fault(
        "links: copies are counted before the tensor group",
        f"{PY}/budget_stage.py",
        "(stage * self.strategy.data + copy) * self.strategy.tensor",
        "(copy * self.strategy.pipeline + stage) * self.strategy.tensor",
        f"{TEST}links_are_as_wide_as_what_joins_their_npus_and_npus_stand_in_their_group[small groups]",
    ),
    Fault(
        "entry: money isn't asked about",
        f"{PY}/budget_bars.py",
        "if spent.total > budget:",
        "if spent.total > 1e12:",
        f"{TEST}a_design_that_cannot_be_had_is_not_entered",
    ),
    Fault(
        "question: money and memory are mixed up",
        f"{PY}/budget.py",
        "VERDICTS[poor + 2 * full]",
        "VERDICTS[2 * poor + full]",
        ASKED,
    ),
    Fault("board: the slowest first", f"{PY}/leaderboard.py", '-row["sequences/s"]', 'row["sequences/s"]', RANKED),
    Fault(
        "board: the worst of each name is kept",
        f"{PY}/leaderboard.py",
        "for row in reversed(rows)}",
        "for row in rows}",
        RANKED,
    ),
    Fault(
        "board: one ranking for all rules",
        f"{PY}/leaderboard.py",
        "rules = tuple(row[rule] for rule in RULES)\n",
        "rules = ()\n",
        RANKED,
    ),
    Fault(
        "stage: backward goes as forward",
        f"{PY}/budget_stage.py",
        "at = [*there, *reversed(there), None]",
        "at = [*there, *there, None]",
        f"{SEEN}micro_batches_go_through_the_stages_and_back_and_gradients_come_last[light]",
    ),
]
