"""Timelines of traces and pipelines: every node, chunk, message and pass is in its lane, at its time, by its name."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.intervals import common, covered, gaps
from astra_edu.base.span import BUBBLE, COMPUTE, EXPOSED, WAITS
from astra_edu.explain import critical_path, explain
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.run.chrome_trace import trace_events
from astra_edu.run.lanes import chosen_npus, lanes
from astra_edu.run.link_times import link_times
from astra_edu.traces import Builder
from astra_edu.traces.make_from_pipeline import from_pipeline
from astra_edu.traces.outline import Unit

MIB = 2**20
UNITS = {Unit.COMPUTE: "compute", Unit.CPU: "CPU", Unit.COMMUNICATION: "communication", Unit.RECEIVE: "receives"}


def torus(npus=8, **more):
    blocks = (ae.Block("Ring", npus // 2, 50, 500), ae.Block("Switch", 2, 50, 500))
    system = ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4)
    return ae.TracePlatform(blocks, system, **more)


def step(npus=8, **more):
    """A training step in which every NPU takes its own time; NPU 0 asks its CPU first."""
    trace = Builder(npus)
    last = trace.compute("forward", [30 + 4 * npu for npu in range(npus)])
    reduces = []
    for k in (1, 0):
        last = trace.compute(f"backward {k}", 60, after=last)
        reduces.append(trace.all_reduce(f"gradients {k}", MIB, after=last))
    trace.compute("update", 20, after=reduces)
    trace.cpu("launch", 7, on=0)
    return trace


@pytest.fixture(scope="module")
def trace():
    return ae.simulate(step().build(), torus(congestion_aware=True), record=True)


@pytest.fixture(scope="module")
def messages():
    run = from_pipeline("1f1b", 4, 4, 12, 24, MIB)
    return ae.simulate(run, ae.TracePlatform((ae.Block("Ring", 4, 50, 500),), ae.TraceSystem.of("ring")))


@pytest.fixture(scope="module")
def alike():
    trace = Builder(8)
    trace.all_reduce("gradients", MIB, after=trace.compute("backward", 50))
    return ae.simulate(trace.build(), torus(), record=True)


@pytest.fixture(scope="module")
def pipeline():
    return ae.run_pipeline("interleaved", 4, 8, [10, 20, 10, 12], 30, p2p_ns=3, virtual=2)


@pytest.fixture(params=["trace", "messages", "alike", "pipeline"])
def run(request):
    return request.getfixturevalue(request.param)


def times(stay):
    return stay.queued_ns, stay.start_ns, stay.end_ns


def lane_of(run, npu, name):
    [found] = [lane for lane in lanes(run) if (lane.npu, lane.name) == (npu, name)]
    return [span for row in found.rows for span in row]


# ------------------------------------------------------------------------------------------------ spans and lanes


@pytest.mark.parametrize("name", ["trace", "messages", "alike"])
def test_every_node_is_in_the_lane_of_its_unit_at_its_time(name, request):
    result = request.getfixturevalue(name)
    for unit, lane in UNITS.items():
        ran = sorted((r.npu, r.start_ns, r.end_ns, r.node.id, r.node.name) for r in result.ran if r.unit is unit)
        spans = [s for s in result.timeline if s.lane == lane]
        assert sorted((s.npu, s.start_ns, s.end_ns, s.node, s.layer) for s in spans) == ran


def test_every_chunk_and_every_message_is_there(trace):
    stays = sorted(
        (s.npu, s.phase.dimension, s.what.name, s.chunk, s.phase.collective, s.phase.chunk_bytes, *times(s))
        for s in trace.stays
    )
    spans = [s for s in trace.timeline if s.dimension is not None]
    assert sorted(
        (s.npu, s.dimension, s.layer, s.chunk, s.phase, s.size, s.queued_ns, s.start_ns, s.end_ns) for s in spans
    ) == stays  # fmt: skip
    assert {span.collective for span in spans} == {"all-reduce"}
    uses = sorted((f"{u.link[0]} → {u.link[1]}", u.size, u.queued_ns, u.start_ns, u.free_ns) for u in trace.uses)
    links = [span for span in trace.timeline if span.npu is None]
    assert sorted((s.lane, s.size, s.queued_ns, s.start_ns, s.end_ns) for s in links) == uses
    assert len(trace.timeline) == len(trace.ran) + len(stays) + len(uses)


def test_spans_are_in_the_order_of_their_ends(run):
    ends = [span.end_ns for span in run.timeline]
    assert ends == sorted(ends)
    assert all(0 <= s.queued_ns <= s.start_ns <= s.end_ns <= run.total_ns for s in run.timeline)


def test_lanes_hold_every_span_once_and_rows_do_not_overlap(run):
    found = [span for lane in lanes(run) for row in lane.rows for span in row]
    assert sorted(found, key=repr) == sorted([*run.timeline, *run.idle], key=repr)
    for lane in lanes(run):
        assert all((span.npu, span.lane) == (lane.npu, lane.name) for row in lane.rows for span in row)
        for row in lane.rows:
            assert all(before.end_ns <= after.start_ns for before, after in pairwise(row))


def test_the_lanes_and_their_order(trace, pipeline, alike):
    names = ["compute", EXPOSED, "communication", "dimension 0", "dimension 1"]
    of_npus = [(lane.npu, lane.name) for lane in lanes(trace) if lane.npu is not None]
    with_cpu = [*names[:2], "CPU", *names[2:]]
    assert of_npus == [(0, name) for name in with_cpu] + [(npu, name) for npu in range(1, 8) for name in names]
    links = [lane.name for lane in lanes(trace) if lane.npu is None]
    assert sorted(links) == sorted(f"{a} → {b}" for a, b in {use.link for use in trace.uses})
    busy = [lane.busy_ns for lane in lanes(trace) if lane.npu is None]
    assert busy == sorted(busy, reverse=True) == [time.busy_ns for time in link_times(trace)]
    assert [(lane.npu, lane.name) for lane in lanes(alike)] == [(0, name) for name in names]
    assert [(lane.npu, lane.name) for lane in lanes(pipeline)] == [
        (stage, name) for stage in range(4) for name in (COMPUTE, BUBBLE)
    ]


def test_compute_and_what_is_not_compute_make_up_an_npus_time(trace, messages):
    for result in (trace, messages):
        for npu in range(result.npus):
            compute = [(s.start_ns, s.end_ns) for s in lane_of(result, npu, COMPUTE)]
            idle = lane_of(result, npu, EXPOSED)
            on_cpu = [(r.start_ns, r.end_ns) for r in result.ran_by(npu) if r.unit is Unit.CPU]
            free = covered([(s.start_ns, s.end_ns) for s in idle])
            assert covered(compute + on_cpu) + free == result.finish_ns[npu]
            if not on_cpu:
                assert free == result.exposed_ns[npu]
            communicates = [(r.start_ns, r.end_ns) for r in result.ran_by(npu) if r.unit is Unit.COMMUNICATION]
            for kind, during in ((EXPOSED, True), (WAITS, False)):
                own = [(s.start_ns, s.end_ns) for s in idle if s.kind == kind]
                assert covered(common(own, communicates)) == (covered(own) if during else 0)


def test_the_passes_of_a_pipeline(pipeline):
    spans = [(s.npu, s.work[0].upper(), s.layer, s.node, s.start_ns, s.end_ns) for s in pipeline.timeline]
    assert sorted(spans) == sorted(
        (s.stage, s.kind, f"micro-batch {s.micro_batch}", s.virtual_stage * 4 + s.stage, s.start_ns, s.end_ns)
        for s in pipeline.spans
    )
    for stage in range(4):
        bubble = sum(span.end_ns - span.start_ns for span in lane_of(pipeline, stage, BUBBLE))
        assert bubble == pipeline.total_ns - pipeline.busy_ns[stage]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9))),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9))),
)
def test_common_time_is_what_neither_leaves_free(some, others):
    some, others = ([(start, start + length) for start, length in each] for each in (some, others))
    found = common(some, others)
    assert gaps(found, 0, 50) == gaps(gaps([*gaps(some, 0, 50), *gaps(others, 0, 50)], 0, 50), 0, 50)


# --------------------------------------------------------------------------------------------------------- tables


def test_utilisation_is_the_mean_of_all_npus(trace, pipeline):
    shares = trace.utilisation(1000)
    whole = 1000 * len(shares)
    inside = sum(covered(common([(r.start_ns, r.end_ns)], [(0, whole)])) for r in trace.ran if r.unit is Unit.COMPUTE)
    assert shares["compute"].sum() * 1000 == pytest.approx(inside / 8)
    assert list(shares)[:5] == ["compute", "CPU", "communication", "dimension 0", "dimension 1"]
    assert shares["CPU"].sum() * 1000 == pytest.approx(7000 / 8)
    link = trace.uses[0].link
    here = covered([(use.queued_ns, use.free_ns) for use in trace.uses if use.link == link])  # a link has no mean
    assert shares[f"{link[0]} → {link[1]}"].sum() * 1000 == pytest.approx(here)
    assert pipeline.utilisation(1)["compute"].mean() == pytest.approx(1 - pipeline.bubble)


def test_tables_of_layers_and_dimensions(trace, pipeline, alike):
    layers = trace.layers
    assert layers.loc[("forward", "compute")].tolist() == [8, 44_000, 58_000, 0, 58_000]
    assert layers.loc[("gradients 1", "all-reduce"), "times"] == 8
    assert layers.loc[("launch", "CPU"), "mean_ns"] == 7000
    assert pipeline.layers.loc[("micro-batch 3", "backward"), "times"] == 8
    table = trace.dimensions
    assert table.loc["dimension 0", "times"] == sum(stay.phase.dimension == 0 for stay in trace.stays)
    for time in link_times(trace):
        row = table.loc[f"{time.link[0]} → {time.link[1]}"]
        assert (row["times"], row["bytes"]) == (time.messages, time.size)
        assert row["busy"] == pytest.approx(time.share)
    assert list(alike.dimensions.index) == ["dimension 0", "dimension 1"]
    with pytest.raises(ae.ConfigError, match="record=True"):
        _ = pipeline.dimensions


# ------------------------------------------------------------------------------------------------------- Perfetto


def test_perfetto_gets_a_process_for_each_npu_and_one_for_the_links(run, tmp_path):
    events = json.loads(run.save_chrome_trace(tmp_path / "run.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    links = any(span.npu is None for span in run.timeline)
    assert list(names.values()) == [*run.npu_names.values(), *(["links"] if links else [])]
    threads = {(e["pid"], e["tid"]): e["args"]["name"].split(",")[0] for e in events if e["name"] == "thread_name"}
    seen = sorted(
        (names[e["pid"]], threads[e["pid"], e["tid"]], e["args"]["start_ns"], e["args"]["end_ns"])
        for e in events
        if e["ph"] == "X"
    )
    where = {**run.npu_names, None: "links"}
    assert seen == sorted((where[s.npu], s.lane, s.start_ns, s.end_ns) for s in (*run.timeline, *run.idle))
    assert all(e["name"].strip() for e in events)


def test_what_an_event_says(trace):
    stay = next(stay for stay in trace.stays if stay.npu == 3 and stay.start_ns > stay.queued_ns)
    [event] = [
        e
        for e in trace_events(trace)
        if e["pid"] == 4 and e["args"].get("chunk") == stay.chunk and e["args"]["start_ns"] == stay.start_ns
    ]
    assert event["name"] == f"{stay.what.name} {stay.phase.collective}"
    assert event["args"]["waited_ns"] == stay.start_ns - stay.queued_ns
    assert event["args"]["node"] == stay.what.id
    assert event["args"]["size_bytes"] == stay.phase.chunk_bytes


# ----------------------------------------------------------------------------------------------------- the widget


def test_the_groups_of_the_timeline(trace, pipeline, alike):
    pytest.importorskip("anywidget")
    from astra_edu.course.widgets.timeline_data import payload

    data = payload(trace, range(8))
    assert data["groups"] == [*(f"NPU {npu}" for npu in range(8)), "links, busiest first"]
    assert [lane[0] for lane in data["lanes"] if lane[3] == 2] == [
        f"NPU 2, {name}" for name in ("compute", EXPOSED, "communication", "dimension 0", "dimension 1")
    ]
    assert {(lane[5], lane[4]) for lane in data["lanes"] if lane[3] == 2} == {
        ("compute", True), ("exposed", True), ("communication", False), ("dimension 0", False), ("dimension 1", False)
    }  # fmt: skip
    assert not any(lane[4] for lane in data["lanes"] if lane[3] == 8)
    assert data["things"] == ["node", "nodes"]
    spans = sum(track[3] for track in data["tracks"])
    assert spans == len(trace.timeline) + len(trace.idle) == len(data["spans"]) // 32
    some = payload(trace, [5, 1])
    assert some["groups"][:2] == ["NPU 5", "NPU 1"]
    assert some["title"].endswith("(6 NPUs are not shown)")
    assert [lane[0] for lane in some["lanes"]][:2] == ["NPU 5, compute", f"NPU 5, {EXPOSED}"]
    assert payload(alike, [0])["lanes"][0][0] == "compute"
    assert all(lane[4] for lane in payload(pipeline, range(4))["lanes"])
    assert ["micro-batch 7", "forward", None, "compute", 0, "forward", "7"] in payload(pipeline, range(4))["kinds"]


def test_the_widget_takes_any_run(run, tmp_path):
    pytest.importorskip("anywidget")
    timeline = ae.Timeline(run)
    assert timeline.summary().splitlines()[1].split("  ")[0].endswith("compute")
    assert run.title in timeline.save_html(tmp_path / "run.html").read_text(encoding="utf-8")
    other = ae.run_pipeline("gpipe", 2, 3, 10, 20)
    timeline.result = other
    assert timeline.data["groups"] == ["stage 0", "stage 1"]


def test_npus_that_are_not_there(trace, alike, pipeline):
    assert chosen_npus(trace, None, 3) == [0, 1, 2]
    assert chosen_npus(trace, [7, 0, 7], 3) == [7, 0]
    assert chosen_npus(alike, [7], 3) == [0]
    for wrong, words in (
        ([8], "npus has 8; there are the NPUs 0 to 7"),
        ([], "npus is empty"),
        ([True], "npus has True"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            chosen_npus(trace, wrong, 3)
    with pytest.raises(ae.ConfigError, match="npus has 4"):
        ae.Timeline(pipeline, npus=[4])


# ------------------------------------------------------------------------------- the critical path and explain


def test_the_path_covers_the_run(run):
    path = run.critical_path()
    assert [s.start_ns for s in path] == [0, *(s.end_ns for s in path[:-1])]
    assert path[-1].end_ns == run.total_ns
    found = run.explain(changes=False)
    assert sum(found.shares.values()) == run.total_ns == found.before_ns
    assert found.path == path
    assert found.bound == next(iter(found.shares))
    assert found.table.loc["as it is", "total_ns"] == run.total_ns


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["gpipe", "1f1b"]),
    st.integers(1, 5),
    st.integers(1, 6),
    st.data(),
    st.integers(0, 9),
    st.booleans(),
)
def test_the_path_of_a_pipeline_is_what_it_takes(order, stages, micro_batches, data, p2p, blocking):
    times = st.lists(st.integers(1, 30), min_size=stages, max_size=stages)
    forward, backward = data.draw(times), data.draw(times)
    run = ae.run_pipeline(order, stages, micro_batches, forward, backward, p2p, blocking=blocking)
    path = run.critical_path()
    assert {segment.lane for segment in path} <= {"compute", "transfer"}
    assert sum(segment.end_ns - segment.start_ns for segment in path) == run.total_ns
    passes = {(s.npu, s.layer, s.work, s.start_ns, s.end_ns) for s in run.timeline}
    assert {(s.npu, s.layer, s.work, s.start_ns, s.end_ns) for s in path if s.lane == "compute"} <= passes
    for stage in range(stages):  # what a longer pass costs at least, if the path is right
        on_path = sum(s.lane == "compute" and s.npu == stage and s.work == "forward" for s in path)
        slower = [time + (place == stage) for place, time in enumerate(forward)]
        more = ae.run_pipeline(run.passes, stages, micro_batches, slower, backward, p2p, blocking=blocking)
        assert more.total_ns >= run.total_ns + on_path


def test_what_is_said_of_a_pipeline():
    run = ae.run_pipeline("gpipe", 4, 4, [10, 10, 30, 10], 20, p2p_ns=5)
    said = run.explain()
    assert said.bound == "stage 2"
    bubble = f"{100 * run.bubble:.1f} %"
    assert said.sentences[0] == (
        f"4 micro-batches through 4 stages in the order gpipe take {run.total_ns} ns; the bubble is {bubble}."
    )
    assert any(s.startswith("Stage 2 computes longest, 200 ns,") for s in said.sentences)
    assert "Stage 0 keeps activations for up to 4 of 4 micro-batches at once." in said.sentences
    assert dict(said.changes) == {
        "transfers that take no time": ae.run_pipeline("gpipe", 4, 4, [10, 10, 30, 10], 20).total_ns,
        "the same work in parts of equal time": ae.run_pipeline("gpipe", 4, 4, 15, 20, p2p_ns=5).total_ns,
        "the order 1f1b": ae.run_pipeline("1f1b", 4, 4, [10, 10, 30, 10], 20, p2p_ns=5).total_ns,
        "the order zb-h1": ae.run_pipeline("zb-h1", 4, 4, [10, 10, 30, 10], 20, p2p_ns=5).total_ns,
        "8 micro-batches of half the time each": ae.run_pipeline("gpipe", 4, 8, [5, 5, 15, 5], 10, p2p_ns=5).total_ns,
    }
    even = ae.run_pipeline("1f1b", 1, 4, 10, 20).explain()
    assert "there is no bubble" in even.sentences[0]
    with pytest.raises(ae.ConfigError, match="runs of their own"):
        run.explain(changes=[ae.Change("other")])


def test_changes_of_ones_own_for_a_trace(trace):
    slow = torus()
    said = trace.explain(changes=[ae.Change("no congestion", platform=slow)])
    assert said.changes == (("no congestion", ae.simulate(trace.trace, slow).total_ns),)
    assert said.sentences[-1].startswith("With no congestion it would take")
    with pytest.raises(ae.ConfigError, match="not of a Trace or a TracePlatform"):
        trace.explain(changes=[ae.Change("ring", platform=ae.preset("ring"))])
    layers = ae.simulate(ae.Workload.micro("all-reduce", MIB), ae.preset("ring"))
    with pytest.raises(ae.ConfigError, match="not of a Workload or a Platform"):
        layers.explain(changes=[ae.Change("trace", platform=slow)])


def test_what_is_no_run():
    for view in (critical_path, explain):
        with pytest.raises(ae.ConfigError, match=r"ae\.simulate"):
            view(5)
    result = ae.simulate(step().build(), torus())
    with pytest.raises(ae.ConfigError, match="npu is 9"):
        nodes_on_path(result, 9)
