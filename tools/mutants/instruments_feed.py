"""Faults in feed the network: what it counts, moves, says and asks."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
FEED = "tests/course/instruments/test_feed.py::test_"
SEEN = "tests/browser/test_feed_seen.py::test_"
COUNTED = f"{FEED}counters_and_bars_are_those_of_a_count_by_hand"
ONCE = f"{FEED}ace_reads_what_it_has_once_and_writes_what_changed_once"
LIMITS = f"{FEED}what_limits_the_baseline_by_hand"
TIMES = f"{FEED}times_and_what_is_left_are_those_of_the_simulator"
PLACED = f"{FEED}every_piece_goes_where_the_replay_has_it"
APART = f"{FEED}what_lies_in_a_place_is_one_shard"
GROW = f"{FEED}counters_grow_on_one_scale"
ENGINE = f"{FEED}the_engines_parts_count_what_they_did"
WORDS = f"{FEED}steps_are_told_in_words"
ASKED = f"{FEED}the_question_is_about_what_was_moved"
VEILED = f"{SEEN}nothing_is_counted_before_a_prediction"
UNVEILED = f"{FEED}it_says_nothing_of_bytes_before_a_prediction"

FAULTS = [
    Fault(
        "feed: a step is counted as read before it is",
        f"{PY}/feed_beats.py",
        'sent += len(found.going[step]) if part == "send" else 0',
        'sent += len(found.going[step]) if part == "read" else 0',
        COUNTED,
    ),
    Fault(
        "feed: writes are counted among the reads",
        f"{PY}/feed_beats.py",
        'access.kind == "read" for access in each',
        "access.kind for access in each",
        COUNTED,
    ),
    Fault(
        "feed: the sum that stays is read before it has arrived",
        f"{PY}/feed_beats.py",
        '"add" if late else "read"',
        '"read"',
        COUNTED,
    ),
    Fault(
        "feed: the bars count what another endpoint reads",
        f"{PY}/feed_bars.py",
        "found = per_byte(values, chip)",
        "found = per_byte(values, not chip)",
        ONCE,
    ),
    Fault(
        "feed: cores are thought to send what they read",
        f"{PY}/feed_job.py",
        "endpoint.sms * SM_BYTES_PER_S / rate",
        "endpoint.sms * SM_BYTES_PER_S",
        LIMITS,
    ),
    Fault(
        "feed: what is fastest is called the limit",
        f"{PY}/feed_job.py",
        "return min(reversed(self.limits.items())",
        "return max(reversed(self.limits.items())",
        LIMITS,
    ),
    Fault(
        "feed: the network is blamed where HBM is as slow, and HBM where the network is",
        f"{PY}/feed_job.py",
        "min(reversed(self.limits.items())",
        "min((self.limits.items())",
        LIMITS,
    ),
    Fault(
        "feed: what is left of cores is what is taken",
        f"{PY}/feed_job.py",
        "100 * (SMS - endpoint.sms) / SMS if",
        "100 * endpoint.sms / SMS if",
        TIMES,
    ),
    Fault(
        "feed: two iterations are shown as one",
        f"{PY}/feed_job.py",
        "run.compute_ns / PASSES",
        "run.compute_ns",
        TIMES,
    ),
    Fault(
        "feed: the speed-up is over the slowest baseline",
        f"{PY}/feed_job.py",
        "return min(times[each.name] for each in BASELINES)",
        "return max(times[each.name] for each in BASELINES)",
        TIMES,
    ),
    Fault(
        "feed: a budget of CommOpt's bandwidth and other cores is called CommOpt",
        f"{PY}/feed_job.py",
        "mine == (known.memory_bytes_per_s, known.sms)",
        "mine[0] == known.memory_bytes_per_s",
        f"{FEED}a_budget_has_a_name_only_if_both_are_its_own",
    ),
    Fault(
        "stage of feed: arrivals to be added lie among its own data",
        f"{PY}/feed_moves.py",
        "self._put(what, message.shard, t, self._waiting(free), message.data, title)",
        "self._put(what, message.shard, t, self._own(message.shard), message.data, title)",
        PLACED,
    ),
    Fault(
        "stage of feed: messages never leave the chip",
        f"{PY}/feed_moves.py",
        "self._put(what, message.shard, t + 1, self._out(place), message.data, title)",
        "self._put(what, message.shard, t + 1, start, message.data, title)",
        PLACED,
    ),
    Fault(
        "stage of feed: two arrivals lie on each other",
        f"{PY}/feed_moves.py",
        "if self._waiting(place) not in taken",
        "if True",
        APART,
    ),
    Fault(
        "stage of feed: what is added covers another operand",
        f"{PY}/feed_moves.py",
        "place += 1 + received.count(shard)",
        "place += 1",
        APART,
    ),
    Fault(
        "stage of feed: both counters have their own scale",
        f"{PY}/feed_stage.py",
        "max(*last.reads.values(), *last.writes.values(), last.sent)",
        "max(last.reads[self.chip], last.writes[self.chip], last.sent)",
        GROW,
    ),
    Fault(
        "stage of feed: the ALU adds what is only kept",
        f"{PY}/feed_stage.py",
        "message.op is Op.REDUCE for message in coming",
        "message.op is Op.COPY for message in coming",
        f"{FEED}the_alu_adds_while_sums_arrive",
    ),
    Fault(
        "stage of feed: the DMA engine doesn't store",
        f"{PY}/feed_stage.py",
        "str(len(beat.did[True]))",
        "str(len(beat.of(True, 'load')))",
        ENGINE,
    ),
    Fault(
        "words of feed: ACE reads where it doesn't",
        f"{PY}/feed_says.py",
        'if loaded := beat.of(True, "load"):',
        'if loaded := beat.of(False, "own"):',
        WORDS,
    ),
    Fault(
        "words of feed: two reads are told as one",
        f"{PY}/feed_says.py",
        'several(len(own) + len(received), "read")',
        'several(len(own), "read")',
        WORDS,
    ),
    Fault(
        "question of feed: after samples were moved it asks for bytes",
        f"{PY}/feed.py",
        'asked = ["time"] if moved & {"model", "samples"} else []',
        'asked = ["reads"] if moved & {"model", "samples"} else []',
        ASKED,
    ),
    Fault(
        "question of feed: it asks for the one limit where there are two",
        f"{PY}/feed.py",
        "and not fed(values, baseline(values)).tied",
        "",
        ASKED,
    ),
    Fault(
        "question of feed: a reduce-scatter's last sum is forgotten in the answer",
        f"{PY}/feed.py",
        "return Answer(round(own + received, 4), why, near=1.03)",
        "return Answer(1 + received, why, near=1.03)",
        ASKED,
    ),
    Fault(
        "stage: the steps are told while they are asked for",
        "astra_edu/course/widgets/static/instrument.js",
        "Boolean(stage?.clock || stage?.hidden)",
        "Boolean(stage?.clock)",
        VEILED,
    ),
    Fault(
        "still: the steps are told while they are asked for",
        f"{PY}/still.py",
        "return stage.clock or stage.hidden",
        "return stage.clock",
        UNVEILED,
    ),
    Fault(
        "film: steps are played while they would answer a question",
        f"{PY}/still.py",
        "len(stage.steps) < 2 or (veiled and _tells(stage))",
        "len(stage.steps) < 2",
        "tests/course/widgets/test_film.py::test_steps_that_would_answer_a_question_are_no_film",
    ),
    Fault(
        "film: a step is shown with the one before",
        "astra_edu/course/widgets/film.py",
        '"1" if frame in frames else "0"',
        '"1" if frame in frames or frame - 1 in frames else "0"',
        "tests/course/widgets/test_film.py::test_at_every_moment_it_shows_what_the_steps_picture_shows[player]",
    ),
    Fault(
        "film: it moves by itself",
        "astra_edu/course/widgets/view.py",
        "<details><summary>{FILM}",
        "<details open><summary>{FILM}",
        "tests/course/widgets/test_film.py::test_a_notebook_has_it_below_the_picture_closed_until_somebody_opens_it",
    ),
    Fault(
        "cut: sums of activations are called those of gradients",
        f"{PY}/cut_bars.py",
        'CONTENTS = {"tensor": SUMS,',
        'CONTENTS = {"tensor": GRADIENTS,',
        "tests/course/instruments/test_cut.py::test_what_is_sent_most_is_counted_from_what_is_communicated",
    ),
    Fault(
        "cut: an all-reduce sends its data once",
        f"{PY}/cut_bars.py",
        "rounds = 2 if each.collective is Collective.ALL_REDUCE else 1",
        "rounds = 1",
        "tests/course/instruments/test_cut.py::test_what_is_sent_most_is_counted_from_what_is_communicated",
    ),
]
