"""Faults in what a training iteration shows and asks."""

from tools.mutants.fault import Fault

PY = "astra_edu/course/instruments"
TESTS = "tests/course/instruments/test_training.py::test_"
SEEN = "tests/browser/test_training_seen.py::test_"
PLACED = f"{TESTS}every_chunk_is_where_its_spans_have_it_and_the_npu_at_its_layer"

FAULTS = [
    Fault(
        "training: a wait at the end is hidden",
        f"{PY}/training_waits.py",
        "    if result.total_ns - last > LOOP_NS:",
        "    if result.total_ns - last < LOOP_NS:",
        f"{TESTS}waits_are_those_of_the_report_and_all_time_is_compute_or_a_wait[workload=vgg16 scheduling=LIFO]",
    ),
    Fault(
        "training: a wait marks the chunks before it, too",
        f"{PY}/training_waits.py",
        "segment.start_ns < end and segment.end_ns > start]",
        "segment.start_ns < end and segment.end_ns < start]",
        f"{TESTS}what_a_wait_names_goes_on_all_the_time_until_it_ends[scheduling=LIFO]",
    ),
    Fault(
        "training: the wait that is asked for has the whole path as its reason",
        f"{PY}/training_waits.py",
        "min(stay.end_ns, wait.end_ns) - max(stay.start_ns, wait.start_ns)",
        "stay.end_ns - stay.start_ns",
        f"{TESTS}the_reasons_of_a_wait_last_as_long_as_it_does",
    ),
    Fault(
        "training: a chunk waits for the one that goes after it",
        f"{PY}/training_lanes.py",
        "(of_stay[stay.after],)",
        "(of_stay[k + 1],)",
        f"{TESTS}a_chunk_names_what_ended_as_it_began[scheduling=LIFO]",
    ),
    Fault(
        "training: blocks of different collectives grow together",
        f"{PY}/training_lanes.py",
        "return same and one.end_ns == other.start_ns",
        "return one.end_ns == other.start_ns",
        f"{TESTS}blocks_are_the_spans_of_the_run[workload=vgg16 scheduling=LIFO]",
    ),
    Fault(
        "training: the last issued stands at the right under FIFO, too",
        f"{PY}/training_stage.py",
        "key=lambda stay: (stay.start_ns, stay.chunk))",
        "key=lambda stay: (-stay.start_ns, stay.chunk))",
        f"{TESTS}who_is_next_stands_at_the_right",
    ),
    Fault(
        "training: the NPU stands at the layer before",
        f"{PY}/training_stage.py",
        "computed[going[-1] if going else 0]",
        "computed[going[-2] if len(going) > 1 else 0]",
        f"{PLACED}[scheduling=LIFO]",
    ),
    Fault(
        "training: chunks that wait and chunks that run are mixed up",
        f"{PY}/training_stage.py",
        "        elif t < now.start_ns:",
        "        elif t > now.start_ns:",
        f"{PLACED}[scheduling=LIFO]",
    ),
    Fault(
        "training: many chunks lie on each other",
        f"{PY}/training_stage.py",
        "        column, row = divmod(before, self.rows)",
        "        column, row = divmod(before, 2 * self.rows)",
        f"{TESTS}no_two_chunks_lie_on_each_other[splits=8]",
    ),
    Fault(
        "training: the playhead counts in another unit",
        f"{PY}/training_stage.py",
        "times=tuple(t / run.unit[1] for t in times)",
        "times=tuple(t / 1e6 for t in times)",
        f"{SEEN}a_playhead_shows_where_the_stage_has_got",
    ),
    Fault(
        "training: without overlap the NPU computes on",
        f"{PY}/training_job.py",
        "        for layer in self._npu.layers:",
        "        for layer in self._npu.layers[:1]:",
        f"{TESTS}without_overlap_nothing_is_sent_while_the_npu_computes[DATA]",
    ),
    Fault(
        "training: loops stay without overlap after a run that failed",
        f"{PY}/training_job.py",
        "    finally:\n        LOOPS[work.loop] = loop",
        "    finally:\n        pass",
        f"{TESTS}a_loop_is_put_back_where_the_run_fails",
    ),
    Fault(
        "training: hybrid, an NPU has all of a layer's weights",
        f"{PY}/training_job.py",
        'share = NODE if loop == "HYBRID_DATA_MODEL" else 1',
        "share = 1",
        f"{TESTS}the_five_layers_are_these[HYBRID_DATA_MODEL-16]",
    ),
    Fault(
        "training: who finishes sooner is said the wrong way round",
        f"{PY}/training.py",
        "first = min(runs",
        "first = max(runs",
        f"{TESTS}fifo_against_lifo_depends_on_whether_another_iteration_waits",
    ),
    Fault(
        "training: exposed and hidden swap places in the bars",
        f"{PY}/training_bars.py",
        "Part(HIDDEN, (raw - exposed) / run.unit[1])",
        "Part(HIDDEN, raw / run.unit[1])",
        f"{TESTS}the_bars_are_the_report[scheduling=LIFO]",
    ),
    Fault(
        "training: what a layer sends is the sum of nothing",
        f"{PY}/training_bars.py",
        "for task in tasks\n        if task.communication_ns",
        "for task in tasks\n        if not task.communication_ns",
        f"{SEEN}a_chunk_has_its_layers_number_and_a_layer_its_time_and_size",
    ),
]
