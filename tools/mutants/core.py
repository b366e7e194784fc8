"""Faults in what the simulator says: units, tables, schedules, timing, links, explanations."""

from tools.mutants.fault import Fault

UNITS, TABLE, INTERVALS, SPAN = (f"astra_edu/base/{name}.py" for name in ("units", "table", "intervals", "span"))
SCHEDULE, COUNTS = "astra_edu/collectives/schedule.py", "astra_edu/collectives/counts.py"
TIMING, DIMENSION = "astra_edu/system/step_times.py", "astra_edu/network/dimension.py"
LINKS, LANES, RESULT = (f"astra_edu/run/{name}.py" for name in ("link_times", "lanes", "result"))
PHRASES, WORDS = "astra_edu/explain/phrases.py", "astra_edu/explain/words.py"
PRINTED = "tests/base/test_what_is_printed.py::"
SAYS = "tests/run/test_what_a_run_says.py::"
OF_LINKS = "tests/network/test_links.py::"
EXPLAINED = f"{SAYS}test_an_explanation_says_the_largest_share_and_what_helps"

TURNS, FORGETTING = (f"astra_edu/system/faithful/{name}.py" for name in ("npu_turns", "forgetting"))
ALL_NPUS, SHARED_PLANS = (f"astra_edu/system/faithful/{name}.py" for name in ("all_npus", "shared_plans"))
FORGOTTEN = "tests/system/test_bus.py::test_where_all_are_followed_what_is_over_is_forgotten"
ONE_CHUNK = "tests/system/test_npu_turns.py::test_after_one_chunk_on_one_dimension"
CUBE = "tests/system/test_npu_turns.py::test_after_a_reduce_scatter_over_a_cube"
SAME = "tests/exact/test_astra_sim_1.py::test_same_answer_as_astra_sim"

NETWORKS, MESSAGE_LANES = "astra_edu/run/networks.py", "astra_edu/network/lanes.py"
FOREIGN = "tests/network/test_protocol.py::test_"
RUNS, EVERYONE = "astra_edu/run/run_trace.py", "astra_edu/run/everyone.py"

FAULTS = [
    Fault("NPU 0 stands for all on a network that was given", RUNS,
          "    if not asks and not everyone and not links and fits(", "    if not everyone and not links and fits(",
          f"{FOREIGN}everybody_is_followed_where_a_network_is_given"),
    Fault("what a given network recorded is dropped", EVERYONE, "network.uses = []", "pass",
          f"{FOREIGN}a_foreign_network_of_the_same_links_gives_the_same_run"),
    Fault("the platform's network runs instead of the given one", NETWORKS, "if network is None:", "if True:",
          f"{FOREIGN}everybody_is_followed_where_a_network_is_given"),
    Fault("a message that was early comes again when its receiver is ready", MESSAGE_LANES,
          "message = self.early.pop(0)", "message = self.early[0]",
          "tests/clock/test_events.py::test_messages_meet_in_their_order_by_a_lane_and_without_one"),
    Fault("who ends a collective doesn't go on first where nothing is updated", TURNS,
          "return (order[-1], *order[:-1])", "return order", f"{CUBE}[all take part]"),
    Fault("in boost mode, too, all NPUs take part", TURNS, "if self._platform.system.boost else",
          "if not self._platform.system.boost else", f"{CUBE}[boost mode]"),
    Fault("a chunk that has waited begins in the order in which it came", TURNS,
          "came if stay.after < 0 else self._ends[stay.after]", "came", f"{CUBE}[all take part]"),
    Fault("messages of phases that are over are kept", ALL_NPUS,
          "            del self._messages[key]", "            pass", FORGOTTEN),
    Fault("plans that all have asked for are kept", SHARED_PLANS,
          "            del self._plans[number]", "            pass", FORGOTTEN),
    Fault("chunks that all have ended are kept", SHARED_PLANS,
          "            del self.streams[number]", "            pass", FORGOTTEN),
    Fault("a message arrives when its sender has had its turn", TURNS, "if to in had_turn:", "if True:", ONE_CHUNK),
    Fault("on a ring direct ends with its nearest messages", TURNS, "min(k, n - k) == n // 2", "min(k, n - k) == 1",
          ONE_CHUNK),
    Fault("Themis forgets its loads whoever comes first", FORGETTING,
          "if kept and not self._zero_first(now_is):", "if kept and self._zero_first(now_is):",
          f"{SAME}[themis-all-1568]"),
    Fault("Themis forgets nothing when NPU 0 comes later", FORGETTING,
          "kept = before is None or self._zero_first(before)", "kept = True", f"{SAME}[v1x-200-010]"),
    Fault("10 µs are printed as 10000 ns", UNITS, "if time_ns < 10_000:", "if time_ns <= 10_000:",
          f"{PRINTED}test_times"),
    Fault("ms are called µs", UNITS, '{time_ns / 1_000_000:,.3f} ms"', '{time_ns / 1_000_000:,.3f} µs"',
          f"{PRINTED}test_times"),
    Fault("MiB are called MB", UNITS, '(MIB, "MiB")', '(MIB, "MB")', f"{PRINTED}test_sizes"),
    Fault("1024 B aren't 1 KiB", UNITS, "if size >= scale:", "if size > scale:", f"{PRINTED}test_sizes"),
    Fault("MB are read as MiB", UNITS, "1000**_power", "1024**_power",
          f"{PRINTED}test_a_megabyte_is_a_million_bytes_and_a_gb_a_second_of_the_network_is_not"),
    Fault("the network's GB are 10⁹ bytes", UNITS, "gb_per_s * GIB / 1_000_000_000", "gb_per_s",
          f"{PRINTED}test_a_megabyte_is_a_million_bytes_and_a_gb_a_second_of_the_network_is_not"),
    Fault("0 stage", UNITS, "'' if count == 1", "'' if count <= 1", f"{PRINTED}test_counts"),
    Fault("numbers go to the left and names to the right", TABLE, "cell.ljust(w) if i in left else cell.rjust(w)",
          "cell.rjust(w) if i in left else cell.ljust(w)",
          f"{PRINTED}test_names_go_to_the_left_and_numbers_to_the_right"),
    Fault("time that is covered twice counts twice", INTERVALS, "for start, end in merged(intervals))",
          "for start, end in intervals)", f"{PRINTED}test_stretches_of_time"),
    Fault("what follows at once needs a row of its own", INTERVALS, "interval(row[-1])[1] <= interval(item)[0]",
          "interval(row[-1])[1] < interval(item)[0]", f"{PRINTED}test_stretches_of_time"),
    Fault("a computation is called compute instead of forward", SPAN,
          "self.work if self.phase == COMPUTE else self.phase",
          "self.phase", f"{SAYS}test_the_lanes_are_compute_what_is_exposed_and_the_dimensions"),
    Fault("an all-gather's step is said to reduce", SCHEDULE, "return self.rounds.op", "return Op.REDUCE",
          f"{SAYS}test_a_step_says_its_phase_what_it_does_and_where"),
    Fault("every step is said to be on dimension 0", SCHEDULE, "return self.rounds.dimension", "return 0",
          f"{SAYS}test_a_step_says_its_phase_what_it_does_and_where"),
    Fault("an all-to-all's shard goes from its receiver", SCHEDULE,
          'f"X{block // self.npus}→{block % self.npus}{suffix}"',
          'f"X{block % self.npus}→{block // self.npus}{suffix}"',
          f"{SAYS}test_a_step_says_its_phase_what_it_does_and_where"),
    Fault("what the busiest NPU receives is what one sends", COUNTS, "in_bytes(max(received.values(), default=0))",
          "in_bytes(max(sent.values(), default=0))", f"{SAYS}test_a_gather_receives_what_it_does_not_send"),
    Fault("where NPUs differ, a dimension begins without the endpoint", TIMING,
          "[time + routes.endpoint for time in ready]",
          "[time for time in ready]",
          "tests/system/test_timing.py::test_where_npus_differ_each_dimension_begins_with_the_endpoint_too"),
    Fault("where NPUs are alike, a dimension begins without the endpoint", TIMING,
          "            now += routes.endpoint\n", "            now += 0\n",
          "tests/system/test_timing.py::test_where_npus_differ_each_dimension_begins_with_the_endpoint_too"),
    Fault("an NPU sends over one link only", DIMENSION, "bytes_per_ns(self.bandwidth) * self.usable_links",
          "bytes_per_ns(self.bandwidth)", f"{SAYS}test_the_tables_of_layers_and_dimensions"),
    Fault("a link's wait goes on while it sends", LINKS, "max(use.start_ns - use.queued_ns",
          "max(use.free_ns - use.queued_ns",
          f"{OF_LINKS}test_the_busiest_links_and_the_longest_wait"),
    Fault("the idlest link is named as the busiest", LINKS, "key=lambda time: -time.busy_ns",
          "key=lambda time: time.busy_ns",
          f"{OF_LINKS}test_one_link_is_named"),
    Fault("switches are called NPUs", LINKS, '"switch" if isinstance(end, str) else "NPU"',
          '"NPU" if isinstance(end, str) else "switch"',
          f"{OF_LINKS}test_links_are_listed_by_kind_and_number"),
    Fault("a link leads from its end", LINKS, 'return f"{link[0]} → {link[1]}"', 'return f"{link[1]} → {link[0]}"',
          f"{OF_LINKS}test_links_are_listed_by_kind_and_number"),
    Fault("busy links are said to wait for latencies", LINKS, "if first.share < 0.5:", "if first.share > 0.5:",
          f"{OF_LINKS}test_where_nobody_waits_and_where_latency_decides"),
    Fault("what is exposed stands under another lane's name", LANES, "found.setdefault((span.npu, span.lane), [])",
          "found.setdefault((span.npu, span.kind), [])",
          f"{SAYS}test_the_lanes_are_compute_what_is_exposed_and_the_dimensions"),
    Fault("a run exchanges compute and exposed communication", RESULT,
          'return f"compute {format_ns(self.compute_ns)}, exposed communication {format_ns(self.exposed_ns)}"',
          'return f"compute {format_ns(self.exposed_ns)}, exposed communication {format_ns(self.compute_ns)}"',
          f"{SAYS}test_compute_and_exposed_communication_are_the_whole"),
    Fault("a chunk's waiting is its time on the dimension", RESULT, "_mean([stay.start_ns - stay.queued_ns",
          "_mean([stay.end_ns - stay.start_ns",
          f"{SAYS}test_the_tables_of_layers_and_dimensions"),
    Fault("a layer's exposed time is its communication", RESULT, 'exposed"] = task.exposed_ns',
          'exposed"] = task.communication_ns',
          f"{SAYS}test_the_tables_of_layers_and_dimensions"),
    Fault("MiB sent are MB", RESULT, "self.message_bytes / MIB", "self.message_bytes / 1e6",
          f"{SAYS}test_compute_and_exposed_communication_are_the_whole"),
    Fault("twice as fast is said to be half", PHRASES, '{before / total:.2f} times as fast',
          '{total / before:.2f} times as fast',
          f"{SAYS}test_speeds_in_words"),
    Fault("a share of 25 % is 0.3 %", PHRASES, "100 * part / whole", "part / whole", f"{SAYS}test_speeds_in_words"),
    Fault("changes that slow down are counted as faster", WORDS, "slower = sum(total >= MATTERS * before",
          "slower = sum(before >= MATTERS * total",
          EXPLAINED),
    Fault("the change that helps least is said to help most", WORDS, "best: Total | None = min(single, key=_ns)",
          "best: Total | None = max(single, key=_ns)", EXPLAINED),
    Fault("the smallest share is named first", WORDS, "names = list(shares)[:1] +", "names = list(shares)[-1:] +",
          EXPLAINED),
]  # fmt: skip
