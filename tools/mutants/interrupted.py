"""Faults in what an interrupted run leaves."""

from tools.mutants.fault import Fault

INTERRUPTED = "astra_edu/run/interrupted.py"
ANYWHERE = "tests/run/test_interrupted_anywhere.py::test_"

FAULTS = [
    Fault("a run leaves there what an earlier one has left", INTERRUPTED, "    LEFT.clear()\n    _here", "    _here",
          f"{ANYWHERE}what_an_earlier_run_left_is_gone_while_another_runs_and_back_when_that_has_ended"),
    Fault("what an earlier run has left is lost", INTERRUPTED, "    else:\n        LEFT[:] = before\n", "",
          f"{ANYWHERE}what_an_earlier_run_left_is_gone_while_another_runs_and_back_when_that_has_ended"),
    Fault("a run that was in vain is taken for what was done", INTERRUPTED,
          "    except Exception:\n        here[-1] = None\n        raise", "    finally:\n        pass",
          f"{ANYWHERE}a_result_that_turned_out_to_be_in_vain_is_not_what_was_done"),
    Fault("what is followed is asked too early", INTERRUPTED, "    here[-1] = followed\n    try:\n        yield\n",
          "    try:\n        yield\n        here[-1] = followed\n", 
          "tests/run/test_interrupted.py::test_a_training_loop_that_is_interrupted_leaves_what_was_done"),
    Fault("what is no run leaves an earlier one's", "astra_edu/base/so_far.py", "        LEFT.clear()\n", "",
          f"{ANYWHERE}what_is_no_run_and_interrupted_leaves_nothing_of_an_earlier_run[roles]"),
    Fault("modules are loaded before a run can be interrupted", "astra_edu/run/simulate.py",
          "    loop, trace = (", "    import astra_edu.run.run_loop\n    loop, trace = (",
          f"{ANYWHERE}what_is_imported_first_can_be_interrupted[run_loop-1]"),
]  # fmt: skip
