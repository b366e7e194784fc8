"""Faults in packets that are dropped, marked, paused and sent again."""

from tools.mutants.fault import Fault

PORT, ROOMS, MARKING, PFC = (f"astra_edu/network/drops/{name}.py" for name in ("port", "rooms", "marking", "pfc"))
SENDER, OUTGOING, RECEIVER = (f"astra_edu/network/drops/{name}.py" for name in ("sender", "outgoing", "receiver"))
BOARD, TIMER, FLOW, SAYS = (
    f"astra_edu/network/drops/{name}.py" for name in ("scoreboard", "timer", "flow", "statistics")
)
NEWRENO, CUBIC, DCTCP, DCQCN = (
    f"astra_edu/network/drops/controls/{name}.py" for name in ("newreno", "cubic", "dctcp", "dcqcn")
)
PACKETS, CONTROLS, RECOVERY, PAUSES = (
    f"tests/network/drops/test_{name}.py::" for name in ("packets", "controls", "recovery", "pfc")
)
CONSERVED = f"{PACKETS}test_what_was_sent_arrived_or_was_dropped_and_no_queue_is_above_its_buffer"
BURST = f"{PACKETS}test_a_burst_finds_as_much_room_as_there_is"
FORMULA = f"{PACKETS}test_one_message_on_an_idle_path_takes_what_the_formula_says"
TAIL = f"{RECOVERY}test_a_lost_tail_is_noticed_by_silence_and_the_silence_doubles"
GO_BACK = f"{RECOVERY}test_go_back_n_sends_again_exactly_what_follows_the_lost_one"
SELECTIVE = f"{RECOVERY}test_selective_retransmission_sends_again_the_lost_ones_only"

FAULTS = [
    Fault("a dropped packet isn't counted", PORT,
          "        self.dropped += 1\n", "", CONSERVED),
    Fault("the latency is counted from when a packet is put on the link", PORT,
          "schedule(int(end + self.latency)", "schedule(int(now + self.latency)", FORMULA),
    Fault("a link is free again at once", PORT, "        self.free_ns = end\n", "        self.free_ns = now\n",
          FORMULA),
    Fault("a queue is one packet longer than its buffer", ROOMS,
          "len(port.queue) < self.packets", "len(port.queue) <= self.packets", BURST),
    Fault("a queue's bytes have no end", ROOMS, "port.queued + packet.size <= self.size", "True", CONSERVED),
    Fault("a shared memory's threshold is a share of all of it", ROOMS,
          "return alpha * (size - used)", "return alpha * size",
          f"{PACKETS}test_a_shared_memory_gives_a_lone_queue_the_share_that_alpha_says"),
    Fault("marks begin where they should be sure", MARKING, "if queued <= self.kmin:", "if queued <= self.kmax:",
          f"{PACKETS}test_marks_fall_as_often_as_the_curve_says"),
    Fault("a pause is heard at once", PFC, "before.clock.now + int(before.latency), before.pause, True",
          "before.clock.now, before.pause, True", f"{PAUSES}test_a_pause_takes_the_latency_of_the_link"),
    Fault("a paused link goes on", PORT, "        self.paused = stop\n", "        self.paused = False\n",
          f"{PAUSES}test_with_headroom_nothing_is_dropped"),
    Fault("the counter of a link isn't lowered when a packet leaves", PFC,
          "self.held[before] - packet.size", "self.held[before]",
          f"{PAUSES}test_a_switch_holds_of_each_link_no_more_than_xoff_and_what_is_on_its_way"),
    Fault("circles of paused links aren't found", SAYS, "elif node == start:", "elif node is None:",
          f"{PAUSES}test_circles_are_found"),
    Fault("go-back-N sends one packet only", SENDER, "        board.lose_all()\n        if self.state not in",
          "        board.lose(board.una)\n        if self.state not in", GO_BACK),
    Fault("a receiver under go-back-N keeps what is behind a gap", RECEIVER, "            if flow.keeps:",
          "            if True:", GO_BACK),
    Fault("a loss is believed after one packet", SENDER, "board.sack(packet.blocks, flow.settings.duplicate_acks)",
          "board.sack(packet.blocks, 1)",
          f"{RECOVERY}test_a_gap_counts_as_a_loss_once_so_many_packets_behind_it_have_come"),
    Fault("what was acknowledged out of order is sent again", BOARD, "self.flags[number] = SACKED",
          "self.flags[number] = 0", SELECTIVE),
    Fault("what is sent again isn't in the network", BOARD, "            self.resent += size\n",
          "            pass\n", f"{RECOVERY}test_the_scoreboard_counts_what_a_recount_counts"),
    Fault("the timeout doesn't double", TIMER, "min(2 * self.timeout_ns, LONGEST_NS)",
          "min(self.timeout_ns, LONGEST_NS)", TAIL),
    Fault("the variation counts twice instead of four times", TIMER, "4 * self.variation_ns", "2 * self.variation_ns",
          f"{RECOVERY}test_the_timeout_is_that_of_the_rfc"),
    Fault("an alarm that is brought forward rings late", TIMER, "if self._event_ns < 0 or at_ns < self._event_ns:",
          "if self._event_ns < 0:", f"{RECOVERY}test_an_alarm_can_be_put_off_and_brought_forward"),
    Fault("a sender never gives up", SENDER, "return self._silent > MOST_RETRIES",
          "return self._silent > 10 * MOST_RETRIES",
          f"{RECOVERY}test_a_sender_that_never_hears_anything_gives_up_and_the_network_says_so"),
    Fault("every packet is acknowledged whatever ack_every says", RECEIVER,
          "if gap or self._waiting >= flow.settings.ack_every:", "if True:",
          f"{RECOVERY}test_every_second_packet_is_acknowledged_and_the_last_after_a_while"),
    Fault("acknowledgements have no bytes", FLOW, "Packet(self.overhead + extra, self.backward",
          "Packet(extra, self.backward", f"{PACKETS}test_acknowledgements_share_the_links"),
    Fault("a packet on the link has no headers", OUTGOING, "Packet(size + flow.overhead, flow.forward",
          "Packet(size, flow.forward", FORMULA),
    Fault("slow start grows by half a packet", NEWRENO, "        window += payload\n",
          "        window += payload / 2\n",
          f"{CONTROLS}test_newreno_grows_by_a_packet_for_each_and_then_by_one_in_a_window"),
    Fault("a loss takes nothing of the threshold", NEWRENO, "pipe // 2", "pipe",
          f"{CONTROLS}test_newreno_halves_and_a_timeout_leaves_one_packet"),
    Fault("CUBIC's curve is a square", CUBIC, "C * (seconds - k) ** 3", "C * (seconds - k) ** 2",
          f"{CONTROLS}test_cubic_follows_the_curve_of_the_rfc"),
    Fault("CUBIC doesn't remember less of a window that shrinks", CUBIC, "int(packets * (1 + BETA) / 2)",
          "int(packets)", f"{CONTROLS}test_cubic_remembers_less_of_a_window_that_shrinks_and_forgets_with_a_timeout"),
    Fault("DCTCP's estimate jumps to the last window's share", DCTCP, "(1 - G) * alpha + G *", "0 * alpha + 1 *",
          f"{CONTROLS}test_dctcp_counts_marks_as_its_recurrence_says"),
    Fault("DCTCP halves", DCTCP, "(1 - self.alpha / 2) * self.window", "self.window / 2",
          f"{CONTROLS}test_dctcp_counts_marks_as_its_recurrence_says"),
    Fault("DCTCP is NewReno where no threshold is given", "astra_edu/network/drops/settings.py",
          '_OWN_MARKS = {"dctcp": (30_000, 30_000), ', "_OWN_MARKS = {",
          f"{CONTROLS}test_who_slows_down_for_marks_has_marks_without_asking"),
    Fault("DCQCN doesn't come back", DCQCN, "current=(goal + rates.current) / 2", "current=rates.current",
          f"{CONTROLS}test_dcqcn_cuts_and_comes_back_as_the_paper_says"),
    Fault("a record says that nothing ever waited", PORT,
          "Use(self.name, size, packet.queued_ns, int(start)", "Use(self.name, size, int(start), int(start)",
          f"{PACKETS}test_a_record_has_every_packet_on_every_link_and_every_one_that_was_lost"),
    Fault("packets that found no room are noted where they go next", PORT,
          "self.lost.append(Lost(self.name,", "self.lost.append(Lost(packet.route[0].name,",
          f"{PACKETS}test_a_record_has_every_packet_on_every_link_and_every_one_that_was_lost"),
]  # fmt: skip
