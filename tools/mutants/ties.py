"""Faults in what comes first of what ends in the same ns."""

from tools.mutants.fault import Fault

FAULTS = [
    Fault("a phase of direct ends before a computation that began before its last message", "astra_edu/system/timed.py",
          "Known(int(times.total_ns), _last_waits(moves, times))", "Known(int(times.total_ns), (moves.endpoint_ns,))",
          "tests/system/test_ends_in_a_tie.py::test_the_last_message_was_sent_after_the_computation_began"),
    Fault("a phase with a window of few messages has a duration known at its start", "astra_edu/run/one_for_all.py",
          "how.window < npus - 1", "how.window < 0",
          "tests/system/test_ends_in_a_tie.py::test_a_window_of_two_is_narrower_than_the_number_of_peers"),
    Fault("a window that no collective of the trace has makes all messages be followed", "astra_edu/run/one_for_all.py",
          "system.implementations.items() if what in asked", "system.implementations.items() if asked",
          "tests/system/test_ends_in_a_tie.py::test_only_a_window_that_is_used_matters"),
    Fault("a guess of who leads follows messages", "astra_edu/run/one_for_all.py",
          "not (strict and _slides(trace, platform))", "not _slides(trace, platform)",
          "tests/system/test_ends_in_a_tie.py::test_a_guess_of_who_leads_goes_by_the_phases_durations"),
    Fault("where a phase goes on message by message nobody asks whether a message or a turn comes first",
          "astra_edu/run/one_for_all.py", "if strict and (bus or _slides(trace, platform)):", "if strict and bus:",
          "tests/system/test_ends_in_a_tie.py::test_a_computation_that_ends_when_a_message_comes"),
    Fault("with congestion a narrow window's phase has a duration known at its start", "astra_edu/run/one_for_all.py",
          "if platform.congestion_aware and not system.active_chunks == 1 == system.queues:\n        return False",
          "if platform.congestion_aware:\n        return system.active_chunks == 1 == system.queues",
          "tests/system/test_ends_in_a_tie.py::test_a_narrow_window_on_two_rings_with_congestion"),
]  # fmt: skip
