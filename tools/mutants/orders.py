"""Faults in what comes first in a ns, where one NPU stands for several or phases are timed at once."""

from tools.mutants.fault import Fault

JOINED = "astra_edu/system/joined/"
CLOCK, TURNS, JOINS, ENDS = (f"{JOINED}{name}.py" for name in ("clock", "turns", "joins", "ends"))
ROLES, TIES = (f"astra_edu/run/roles/{name}.py" for name in ("joins", "ties"))
CAUSES, LINKS = "astra_edu/clock/causes.py", "astra_edu/network/role_links.py"
TESTS = "tests/run/test_order_in_a_ns.py::test_"
FIRST = f"{TESTS}what_comes_first_in_a_ns_is_first_where_phases_are_timed_at_once"
AWARE = f"{TESTS}on_the_congestion_aware_network_an_order_that_decides_is_noticed"
CHUNKS = f"{FIRST}[of two chunks the one whose end was foreseen earlier is first]"
EARLIER = f"{FIRST}[a computation makes the turn in which a phase ends earlier than a message]"
OWN = f"{FIRST}[a message of an NPU's own is on its way as a phase ends]"
HALF = f"{FIRST}[a computation opens direct's second half before the last message of the first is taken in]"
OTHER = f"{FIRST}[another chunk opens direct's second half before the last message of the first is taken in]"
TWO = f"{FIRST}[messages of two NPUs set free what one unit is for]"
REQUESTS = f"{AWARE}[two requests meet at a link]"
SWITCH = f"{AWARE}[messages of two chunks meet behind a switch]"
ARRIVED = f"{AWARE}[of two groups one has its turn first everywhere and messages between them arrive]"
BEHIND = f"{AWARE}[an NPU's own message has arrived behind a switch as one comes]"

FAULTS = [
    Fault("ends aren't put in order", TURNS, "items.sort(key=_order)", "pass", CHUNKS),
    Fault("an end's place isn't that of its being foreseen", ENDS, "return self.foreseen_ns, self.reduction or 0",
          "return 0, self.reduction or 0", CHUNKS),
    Fault("two phases are never in step", TURNS, "if first.what.phase.in_step_with(second.what.phase):", "if False:",
          CHUNKS),
    Fault("of two phases in step the second is first", JOINS, "one.stamp[0] < two.stamp[0]",
          "one.stamp[0] >= two.stamp[0]", CHUNKS),
    Fault("a turn stays where it was foreseen first", TURNS, "if foreseen_ns >= self._foreseen[ns]:", "if True:",
          EARLIER),
    Fault("a turn goes where it was foreseen last", TURNS, "if foreseen_ns >= self._foreseen[ns]:",
          "if foreseen_ns < self._foreseen[ns]:", EARLIER),
    Fault("what was foreseen earlier may come later", CLOCK, "if first.foreseen_ns < second.foreseen_ns:", "if False:",
          EARLIER),
    Fault("messages come before all else", CLOCK, "(at_ns, self.now, self.count, do, what, self.moment)",
          "(at_ns, 0, self.count, do, what, self.moment)", EARLIER),
    Fault("turns come before messages", CLOCK, "(at_ns, foreseen_ns, self.count, do, what, None)",
          "(at_ns, 0, self.count, do, what, None)", OWN),
    Fault("nothing is expected of a turn", TURNS, "self.joined.foresee(ns, -1, self._expected, foreseen_ns)", "pass",
          HALF),
    Fault("what else an NPU does may open direct's second half", TURNS,
          "if self.open > 1 or (there is not None and there <= foreseen_ns):", "if self.open > 1:",
          HALF),
    Fault("another chunk may open direct's second half", TURNS, "if self.open > 1 or", "if", OTHER),
    Fault("only a third phase may open direct's second half", TURNS, "if self.open > 1 or", "if self.open > 2 or",
          OTHER),
    Fault("roles expect nothing of a turn", ROLES, "ats[role].turns.expect(ns, foreseen_ns)", "pass", HALF),
    Fault("two nodes that are set free at once may be in any order", TIES,
          "if len({frozenset(causes) for causes in by.values()}) > 1:", "if False:", TWO),
    Fault("only three nodes that are set free at once decide", TIES,
          "if len({frozenset(causes) for causes in by.values()}) > 1:",
          "if len({frozenset(causes) for causes in by.values()}) > 2:", TWO),
    Fault("a node that has waited for a unit, and goes on, decides nothing", TIES,
          "if by and any(self._goes_on_waiting(one.unit, time) for one in together):", "if False:",
          "tests/run/roles/test_tied.py"
          "::test_jobs_in_which_an_order_that_is_not_known_decides_take_no_wrong_short_way[5000355]"),
    Fault("nobody asks whether the order of ends is known", TURNS, "unordered = self._unordered(items)", "pass",
          f"{TESTS}two_ends_of_which_the_first_is_not_known_are_followed"),
    Fault("nothing is set free", TIES, "by.setdefault(child.id, set()).add(one.node.id)", "pass", TWO),
    Fault("two requests at a link are in order", LINKS, "            self.met(link.came, touch)\n", "", REQUESTS),
    Fault("a link forgets what has come", LINKS, "        if link.came_ns == self.now:", "        if False:", REQUESTS),
    Fault("what was foreseen in one ns is in order", CAUSES, "if one_ns != other_ns:", "if True:", REQUESTS),
    Fault("an event's NPU isn't told from its cause's", CAUSES, "(self.now, self.cause, self.shift)",
          "(self.now, self.cause, 0)", SWITCH),
    Fault("one event at two NPUs is one", LINKS, "if other.cause is touch.cause and other.shift == touch.shift:",
          "if other.shift == touch.shift:", SWITCH),
    Fault("an NPU begins before it does anywhere", CAUSES, "return self._ahead_alike(one_shift, other_shift)",
          "return True", ARRIVED),
    Fault("only the first thing at an NPU is kept", LINKS, "            before[1].append(touch)\n", "", BEHIND),
]  # fmt: skip
