"""Faults in hardware of one's own: links that vary, computations that take longer, NPUs that are down."""

from tools.mutants.fault import Fault

VARYING, JITTER, DOWN = "astra_edu/network/varying.py", "astra_edu/base/jitter.py", "astra_edu/clock/downtime.py"
HARDWARE, STALLED = "astra_edu/run/hardware.py", "astra_edu/run/stalled.py"
LINKS, NPUS = "tests/network/test_varying.py::test_", "tests/run/test_hardware.py::test_"
PIECES = f"{LINKS}a_message_that_meets_changes_is_the_sum_of_its_pieces"

FAULTS = [
    Fault(
        "a message keeps the bandwidth with which it began",
        VARYING,
        "            at = change\n",
        "            at = change\n            self._rates[link.name, self._last(at)] = rate\n",
        PIECES,
    ),
    Fault("what was carried before a change is forgotten", VARYING, "left -= Fraction(rate) * (change - at)",
          "left -= 0", PIECES),
    Fault("a bandwidth that changes without being told isn't noticed", VARYING, "        if then != now:",
          "        if False:", f"{LINKS}what_a_function_says_wrongly_is_told"),
    Fault("a link's messages all have the number 0", VARYING, "self._counts.get(link.name, -1) + 1", "0",
          f"{LINKS}a_latency_of_ones_own_is_told_the_link_its_number_and_what_it_is"),
    Fault("jitter makes everything longer", JITTER, "2 * drawn - 1", "drawn",
          f"{LINKS}jittered_latencies_are_the_same_for_a_seed_and_as_long_on_average"),
    Fault("who is down computes on", DOWN, "                end += until - max(start, now)", "                pass",
          f"{NPUS}who_comes_back_goes_on_where_it_stopped"),
    Fault("who is down takes messages in", HARDWARE, "        up = self.times[npu].up(self.network.now)",
          "        up = self.network.now", f"{NPUS}who_comes_back_goes_on_where_it_stopped"),
    Fault("a message that came is waited for", HARDWARE, "        del self.waits[number]\n", "",
          f"{NPUS}in_a_ring_everyone_waits_for_the_one_before"),
    Fault("a CPU takes what computations take, too", HARDWARE, " if unit_of(node) is Unit.COMPUTE else delay", "",
          f"{NPUS}compute_is_told_the_npu_the_node_and_its_ns_and_nothing_but_computations"),
    Fault("who had finished before it went down is blamed", STALLED, " if npu in stuck}", "}",
          f"{NPUS}who_had_finished_may_go"),
    Fault("more than eight are named", STALLED, "MOST_NAMED = 8", "MOST_NAMED = 80",
          f"{NPUS}many_are_counted_not_named"),
]  # fmt: skip
