"""Faults in what is shown of long work, and in how quickly it is shown."""

from tools.mutants.fault import Fault

IDLE = "tests/run/test_idle.py::test_"

FAULTS = [
    Fault("a pause ends with the first silence", "astra_edu/run/trace_spans.py",
          "for one in range(place, len(silent)):",
          "for one in range(place, min(place + 1, len(silent))):", f"{IDLE}idle_time_is_that_of_each_pause"),
    Fault("every pause is looked for from the start", "astra_edu/run/trace_spans.py", "            place += 1\n",
          "            break\n", f"{IDLE}it_takes_no_longer_for_each_pause_the_more_there_are"),
    Fault("a long pipeline says nothing", "astra_edu/pipeline/simulation.py",
          "        self.bar.show(sum(map(len, self.ends)))", "        pass",
          "tests/pipeline/test_progress_of_pipelines.py::test_a_long_pipeline_says_how_many_passes_are_done[1f1b-1024]"),
]  # fmt: skip
