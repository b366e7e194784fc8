"""Faults in links of which it is known beforehand who will find them busy."""

from tools.mutants.fault import Fault

LINKS = "astra_edu/network/timed_links.py"
TESTS = "tests/network/test_timed_links.py::test_"
ALONE = f"{TESTS}messages_on_links_alone_wait_and_go_on_in_the_same_order"
LEAVES = f"{TESTS}a_message_that_comes_as_one_before_it_leaves_is_no_event_at_the_link"
BEHIND = f"{TESTS}a_message_behind_one_that_waits_is_no_event_at_the_link"

FAULTS = [
    Fault("a message that comes as the one before it leaves is an event", LINKS,
          "there > until or (there == until and self.free_ns == until)", "there >= until", LEAVES),
    Fault("a message is an event at a link that it is known to find busy", LINKS,
          "not ahead.foresees or not", "True or not", LEAVES),
    Fault("who comes when the link has been left waits for it to be left", LINKS,
          "there > until or (there == until and self.free_ns == until)", "there > until", ALONE),
    Fault("who comes before the last that is known to come is queued after it", LINKS,
          "if there < self.last_ns:", "if there < 0:", ALONE),
    Fault("who comes as an event isn't the last that is known to come", LINKS,
          "        self.last_ns = there\n        until", "        until", ALONE),
    Fault("who is known to come and won't wait keeps no link", LINKS,
          "self.until_ns = there + occupied_ns", "pass", LEAVES),
    Fault("who is queued as it sets off keeps no link", LINKS,
          "self.until_ns = until + occupied_ns", "pass", LEAVES),
    Fault("who is queued when it has come keeps no link", LINKS, "self.until_ns += occupied_ns", "pass", BEHIND),
    Fault("who keeps the link longer than was known isn't seen", LINKS,
          "            self.until_ns = free\n", "            pass\n", BEHIND),
    Fault("a link is left as soon as who will come could leave it", LINKS,
          "if not self.comes and until == self.free_ns:", "if not self.comes:", ALONE),
    Fault("a link that is free sends who hasn't come yet", LINKS,
          "if came > now or (came == now and travel.queued_order > links.order):", "if False:", ALONE),
    Fault("a link that is free sends who comes later in that ns", LINKS,
          "if came > now or (came == now and travel.queued_order > links.order):", "if came > now:",
          equivalent="who is first in the queue and comes in that ns was queued before the link was taken, when the "
                     "number of its being free was given out"),
    Fault("who comes stands behind those that are known to come later", LINKS,
          "queue.insert(place, travel)", "queue.append(travel)", ALONE),
    Fault("of those that come in one ns the first to be queued is first", LINKS,
          "before.queued_ns == ns and before.queued_order <= order", "before.queued_ns == ns", ALONE),
    Fault("a message comes to a link before who was foreseen to leave it earlier in that ns", LINKS,
          "free_ns < now or (free_ns == now and link.free_order < links.order)", "free_ns < now", ALONE),
    Fault("no NPU is busier than the others", "astra_edu/network/bound.py",
          "if schedule.symmetric and all(", "if True or all(",
          "tests/network/test_bound.py::test_on_a_switch_the_busiest_npu_s_bytes_take_their_time[double-binary-tree]"),
]  # fmt: skip
