"""Faults in what comes first of what ends in the same ns."""

from tools.mutants.fault import Fault

GATES = "tests/system/test_gates.py::test_"

FAULTS = [
    Fault("a phase of direct ends before a computation that began before its last message", "astra_edu/system/timed.py",
          "_last_waits(moves, times), within", "(moves.endpoint_ns,), within",
          "tests/system/test_ends_in_a_tie.py::"
          "test_the_last_of_messages_that_leave_together_was_sent_before_a_computation_that_ends_with_it_began"),
    Fault("a phase with a window of few messages has a duration known at its start", "astra_edu/run/one_for_all.py",
          "how.window < npus - 1", "how.window < 0",
          "tests/system/test_ends_in_a_tie.py::test_a_computation_that_ends_when_a_message_comes"),
    Fault("a window that no collective of the trace has makes all messages be followed", "astra_edu/run/one_for_all.py",
          "system.implementations.items() if what in asked", "system.implementations.items() if asked",
          "tests/system/test_ends_in_a_tie.py::test_only_a_window_that_is_used_matters"),
    Fault("a guess of who leads follows messages", "astra_edu/run/one_for_all.py",
          "not (strict and _slides(trace, platform))", "not _slides(trace, platform)",
          "tests/system/test_ends_in_a_tie.py::test_a_guess_of_who_leads_goes_by_the_phases_durations"),
    Fault("where a phase goes on message by message nobody asks whether a message or a turn comes first",
          "astra_edu/run/one_for_all.py", "and not platform.congestion_aware and _slides(", "and False and _slides(",
          "tests/system/test_ends_in_a_tie.py::test_a_computation_that_ends_when_a_message_comes"),
    Fault("what foresaw the end of a phase of direct on congested links is forgotten", "astra_edu/system/timed.py",
          "tuple(later - earlier for later, earlier in pairwise(ends[0]))", "(moves.endpoint_ns,)",
          "tests/system/test_ends_in_a_tie.py::test_chunks_of_direct_on_three_dimensions_with_congestion"),
    Fault("what a turn adds to itself isn't foreseen in the order in which it is added", "astra_edu/system/timed.py",
          "super().add(delay, _Foreseen(self._network, happen, event))", "super().add(delay, event)",
          "tests/system/test_ends_in_a_tie.py::test_chunks_of_direct_on_three_dimensions_with_congestion"),
    Fault("a guess is made of phases that must not be guessed", "astra_edu/run/one_for_all.py",
          "plan.clockwise, self.platform, self._strict)", "plan.clockwise, self.platform)",
          "tests/system/test_ends_in_a_tie.py::test_a_guess_is_made_also_where_a_phase_itself_is_a_tie"),
    Fault("what ends while direct's tokens wait changes nothing", "astra_edu/clock/foreseen.py",
          "if beside and self._open:", "if False:", f"{GATES}the_gate_opens_as_in_astra_sim[case0-finish0]"),
    Fault("all NPUs' tokens are back before the last message, or behind it", "astra_edu/run/one_for_all.py",
          "if self._strict and (own.gate if", "if False and (own.gate if",
          f"{GATES}two_queues_whose_messages_share_links"),
    Fault("so they are where nothing disturbs them", "astra_edu/system/timed.py",
          "watched = strict and moves.gate", "watched = False",
          f"{GATES}the_gate_opens_as_in_astra_sim[case4-finish4]"),
    Fault("phases of joined NPUs come before what was foreseen in the same ns", "astra_edu/system/joined/turns.py",
          "there <= foreseen_ns", "there < foreseen_ns",
          f"{GATES}who_stands_for_a_role_and_phases_that_are_timed_at_once_know_it_too"),
    Fault("a run that can't be followed ends in an error", "astra_edu/run/one_for_all.py",
          "self.platform, self._strict)", "self.platform, True)",
          f"{GATES}a_run_that_is_too_large_to_follow_everyone_says_that_it_may_be_wrong"),
]  # fmt: skip
