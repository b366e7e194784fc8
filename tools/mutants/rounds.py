"""Faults in when rounds of phases repeat, and in what is foreseen after they were skipped."""

from tools.mutants.fault import Fault

ROUNDS, UNDERWAY, EXCHANGE = (f"astra_edu/system/{name}.py" for name in ("rounds", "underway", "exchange"))
TESTS = "tests/system/test_rounds.py::test_"
DECIDES = f"{TESTS}all_that_decides_what_happens_next_is_looked_at"
SAME = f"{TESTS}runs_that_skip_rounds_are_the_same"
BETWEEN = f"{TESTS}what_comes_in_between_is_waited_for"
ASKED = f"{TESTS}nothing_is_skipped_where_each_message_is_asked_for"

FAULTS = [
    Fault("in which order things were foreseen isn't looked at", UNDERWAY, "tuple(wires.values()), order",
          "tuple(wires.values())", DECIDES),
    Fault("until when a link is taken isn't looked at", UNDERWAY, "return id(link), times, link.comes,",
          "return id(link), link.comes,", DECIDES),
    Fault("whether a link is an event isn't looked at", UNDERWAY, "return id(link), times, link.comes,",
          "return id(link), times,", DECIDES),
    Fault("who is queued isn't looked at", UNDERWAY, "link.comes, tuple(waiting)", "link.comes", DECIDES),
    Fault("who waits isn't looked at", UNDERWAY, ", tuple(map(id, waiting))", "", DECIDES),
    Fault("how far an NPU is isn't looked at", UNDERWAY, "id(behind), others", "id(behind)", DECIDES),
    Fault("how many messages have come early isn't looked at", UNDERWAY,
          "tuple([message.arrived for message in early])", "None", SAME),
    Fault("a link isn't taken longer after what is skipped", UNDERWAY, "            link.free_ns += ns\n",
          "            pass\n", SAME),
    Fault("who is queued comes when it came before", UNDERWAY, "            message.queued_ns += ns\n",
          "            pass\n", SAME),
    Fault("what is foreseen is as old after what is skipped", UNDERWAY,
          "        links.count += len(orders)\n", "", SAME),
    Fault("something else happened in a round that is skipped", ROUNDS, "until_ns <= self._links.now or ", "",
          f"{TESTS}a_round_in_which_something_else_happened_is_not_skipped"),
    Fault("what else is to happen is skipped", ROUNDS, "if found.until_ns < inf:", "if False:", BETWEEN),
    Fault("who is queued for later is skipped over what else is to happen", UNDERWAY,
          "self._now, *queued, ", "self._now, ",
          f"{TESTS}what_comes_in_the_same_ns_as_one_that_is_known_to_wait_comes_after_it"),
    Fault("nobody has sent what was skipped", ROUNDS, "            one.skip(rounds * last)\n", "", SAME),
    Fault("what is skipped isn't counted as sent", ROUNDS, "            self._messages.sent += rounds * last\n", "",
          SAME),
    Fault("it is looked while something happens in this ns", ROUNDS, "if not links.over:", "if False:", SAME),
    Fault("it is skipped over where data are added up no more", EXCHANGE,
          " or not self._moves.adds_evenly", "", f"{TESTS}phases_that_add_up_in_a_part_of_them_only_are_not_looked_at"),
    Fault("with everyone=True rounds are skipped", "astra_edu/run/run_trace.py",
          "network is None and not everyone", "network is None", ASKED),
    Fault("rounds are skipped where each message is recorded", "astra_edu/run/everyone.py",
          "if skips and not record", "if skips", ASKED),
]  # fmt: skip
