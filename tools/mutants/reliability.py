"""Faults in what is said of a training that fails: what is lost, what counts, and the formulas beside it."""

from tools.mutants.fault import Fault

RUN, FORMULAS, RESULT = (f"astra_edu/reliability/{name}.py" for name in ("run", "formulas", "result"))
TESTS = "tests/reliability/test_goodput.py::test_"
PAPER = f"{TESTS}what_is_trained_since_the_last_checkpoint_is_lost"
BEHIND = f"{TESTS}an_asynchronous_checkpoint_holds_training_up_for_its_snapshot_only_and_counts_once_it_is_stored"

FAULTS = [
    Fault("what was trained before a failure is kept", RUN, 'replace(kind="lost")', 'replace(kind="useful")', PAPER),
    Fault(
        "a snapshot that isn't stored yet counts",
        RUN,
        "            self._copied, self._trained = self._trained, []",
        "            self._copied, self._trained = [], []",
        BEHIND,
    ),
    Fault(
        "a failed store goes on",
        RUN,
        "            self._stored.interrupt()",
        "            pass",
        f"{TESTS}a_failure_ends_what_is_being_stored",
    ),
    Fault(
        "what fails while it restarts is ignored",
        RUN,
        "            except simpy.Interrupt:\n                pass\n\n    def _replace",
        "            except simpy.Interrupt:\n                return\n\n    def _replace",
        f"{TESTS}a_failure_while_it_restarts_begins_the_restart_anew",
    ),
    Fault(
        "NPUs fail while they wait for a spare",
        RUN,
        "            self._occupied = False\n",
        "",
        f"{TESTS}nobody_fails_while_all_wait",
    ),
    Fault(
        "a job that shrinks is as fast as before",
        RUN,
        "job.interval_s * job.nodes / self.running",
        "job.interval_s",
        f"{TESTS}a_job_that_shrinks_trains_on_more_slowly_and_takes_the_node_in_after_a_checkpoint",
    ),
    Fault(
        "a job that shrinks doesn't say what is missing",
        RESULT,
        'found["shrunk"] += (1 - there)',
        'found["shrunk"] += 0 * (1 - there)',
        f"{TESTS}every_second_is_spent_on_one_thing",
    ),
    Fault(
        "Young forgets his factor of two",
        FORMULAS,
        "sqrt(2 * not_negative",
        "sqrt(not_negative",
        f"{TESTS}dalys_own_figures",
    ),
    Fault(
        "Daly's second term is twice as large",
        FORMULAS,
        "sqrt(part) / 3",
        "sqrt(part) / 1.5",
        f"{TESTS}dalys_own_figures",
    ),
    Fault(
        "the formula waits for no storage",
        FORMULAS,
        "max(train, behind) + job.blocked_s",
        "train + job.blocked_s",
        f"{TESTS}the_formula_is_within_the_error_of_the_runs",
    ),
    Fault(
        "the formula's restarts never fail",
        FORMULAS,
        "-(first + job.recovery_s) / mtbf",
        "-first / mtbf",
        f"{TESTS}the_formula_is_dalys",
    ),
]
