"""Figures of execution traces: the graph, the critical path, and what each NPU does when."""

import importlib
import re
import sys
from itertools import pairwise

import pytest

import astra_edu as ae
from astra_edu.course.plots import chunks, timeline, utilisation
from astra_edu.course.plots.timelines.trace_timeline import trace_timeline
from astra_edu.course.plots.traces.graph import trace_graph
from astra_edu.course.plots.traces.layout import chained, grouped, laid_out
from astra_edu.course.plots.traces.looks import KINDS, amount_of
from astra_edu.explain.path_of_nodes import nodes_on_path
from astra_edu.traces.builder import Builder
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.make_from_pipeline import from_pipeline
from astra_edu.traces.outline import Unit

MIB = 2**20


def platform(npus=8, **more):
    return ae.TracePlatform((ae.Block("Ring", npus, 50, 500),), ae.TraceSystem.of("ring", splits=4), **more)


def step(layers=4, slow=0, npus=8):
    """A data-parallel step; the last NPU computes `slow` µs longer in each layer of the backward pass."""
    trace, last, reduces = Builder(npus), None, []
    for k in range(layers):
        last = trace.compute(f"forward {k}", 30, after=last)
    for k in reversed(range(layers)):
        last = trace.compute(f"backward {k}", [60] * (npus - 1) + [60 + slow], after=last)
        reduces.append(trace.all_reduce(f"gradients {k}", MIB, after=last))
    trace.compute("update", 20, after=reduces)
    return trace


@pytest.fixture(scope="module")
def alike():
    return ae.simulate(step().build(), platform())


@pytest.fixture(scope="module")
def straggler():
    return ae.simulate(step(slow=200).build(), platform())


@pytest.fixture(scope="module")
def pipeline():
    return ae.simulate(from_pipeline("1f1b", 4, 4, 12, 24, MIB), platform(4))


def cells(table):
    return [re.split(r"\s{2,}", line) for line in table.splitlines()]


# ---------------------------------------------------------------------------------------------- critical path


def test_the_critical_path_of_npus_that_are_all_alike(alike):
    names = [ran.node.name for ran in nodes_on_path(alike, 5)]
    assert names[:5] == [f"forward {k}" for k in range(4)] + ["backward 3"]
    assert names[5:] == [f"gradients {k}" for k in (3, 2, 1, 0)] + ["update"]


@pytest.mark.parametrize("run", ["alike", "pipeline"])
def test_the_critical_path_has_no_gap(run, request):
    """Together its nodes, but the receives, which wait at the same time as their sends, take the whole time."""
    result = request.getfixturevalue(run)
    path = [ran for ran in nodes_on_path(result) if ran.unit is not Unit.RECEIVE]
    assert sum(ran.end_ns - ran.start_ns for ran in path) == result.total_ns
    assert all(before.end_ns == after.start_ns for before, after in pairwise(path))


def test_the_critical_path_leads_to_the_straggler(straggler):
    for npu in (0, 7):
        path = nodes_on_path(straggler, npu)
        assert path[-1].npu == npu
        computed = [ran for ran in path if ran.node.name.startswith(("forward", "backward"))]
        assert {ran.npu for ran in computed} == {7}


def test_the_critical_path_with_dimensions():
    trace = Builder(4)
    first = trace.compute("first", [10, 20, 30, 40])
    trace.all_reduce("rows", MIB, involved_dim=[True, False], after=first)
    blocks = (ae.Block("FullyConnected", 2, 50, 500), ae.Block("FullyConnected", 2, 50, 500))
    run = ae.simulate(trace.build(), ae.TracePlatform(blocks, ae.TraceSystem.of(["direct", "direct"])))
    assert {npu: nodes_on_path(run, npu)[0].npu for npu in range(4)} == {0: 1, 1: 1, 2: 3, 3: 3}


# -------------------------------------------------------------------------------------------------- the graph


def test_nodes_stand_to_the_right_of_those_they_wait_for():
    trace = from_pipeline("1f1b", 4, 4, 12, 24, MIB)
    for nodes in trace.nodes:
        level = {box.nodes[0].id: box.level for box in laid_out(nodes).boxes}
        assert all(level[parent] < level[node.id] for node in nodes for parent in node.data_deps)
        places = [(box.level, box.lane, box.row) for box in laid_out(nodes).boxes]
        assert len(set(places)) == len(places)


def test_what_waits_for_nothing_stands_before_what_waits_for_it():
    layout = laid_out(from_pipeline("gpipe", 2, 3, 12, 24, MIB).nodes[1])
    level = {box.nodes[0].id: box.level for box in layout.boxes}
    waits = {parent: node for box in layout.boxes for node in box.nodes for parent in node.data_deps}
    receives = [box for box in layout.boxes if box.lane is Unit.RECEIVE]
    assert all(box.level == level[waits[box.nodes[0].id].id] - 1 for box in receives)


def test_chains_become_one_box():
    layout = chained(laid_out(step().build().nodes[0]))
    names = sorted(tuple(node.name for node in box.nodes) for box in layout.boxes)
    assert ("forward 0", "forward 1", "forward 2", "forward 3", "backward 3") in names
    assert sum(len(box.nodes) for box in layout.boxes) == 13
    assert len(layout.boxes) == 9


def test_groups_keep_all_nodes_and_what_waits_for_what():
    whole = laid_out(step(40).build().nodes[0])
    layout = grouped(whole, 20)
    assert layout.levels <= 20
    assert sum(len(box.nodes) for box in layout.boxes) == len(whole.boxes)
    place = {node.id: k for k, box in enumerate(layout.boxes) for node in box.nodes}
    for box in whole.boxes:
        for parent in box.nodes[0].data_deps:
            edge = (place[parent], place[box.nodes[0].id])
            assert edge[0] == edge[1] or edge in layout.edges


def test_a_graph_without_a_run():
    picture = trace_graph(step())
    assert picture.alt == (
        "Graph of the 13 nodes of all 8 NPUs (9 compute, 4 all-reduce), each to the right of those it waits for."
    )
    assert cells(picture.table)[0] == ["node", "name", "kind", "amount", "waits for"]
    assert cells(picture.table)[6] == ["6", "gradients 3", "all-reduce", "AR 1 MiB", "5"]
    assert trace_graph(step().build()).table == picture.table


def test_a_graph_after_a_run(alike):
    picture = trace_graph(alike, 3)
    assert "on its critical path are 1 forward 0, 2 forward 1" in picture.alt
    rows = cells(picture.table)
    assert rows[0][-3:] == ["start (µs)", "end (µs)", "critical"]
    assert [row[-1] for row in rows[1:]] == ["yes"] * 6 + ["-", "yes", "-", "yes", "-", "yes", "yes"]
    labels = [text.get_text() for text in picture.figure.axes[0].texts]
    assert "6 gradients 3\nAR 1 MiB\n" in labels[5]
    assert labels[4] == "5 backward 3\n60 µs"
    legend = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert legend == ["compute", "all-reduce (AR)", "critical path", "... until the NPU is free"]


@pytest.mark.parametrize(("layers", "boxes"), [(4, 13), (8, 17), (16, 49), (24, 49), (60, None)])
def test_graphs_of_every_size_can_be_drawn(layers, boxes):
    """With names, with names of chains, with numbers, with numbers and chains, and in groups."""
    picture = trace_graph(ae.simulate(step(layers).build(), platform()))
    drawn = len(picture.figure.axes[0].texts)
    assert drawn == boxes if boxes else drawn <= 60
    assert len(picture._repr_html_()) > 1000
    assert ("A row for each kind" in picture.note) == (layers > 20)


def test_every_kind_has_a_look_and_an_amount():
    trace = Builder(2)
    trace.compute("matrix", num_ops=10**9, tensor_size="1 MiB")
    trace.cpu("launch", 3)
    trace.load("weights", "1 MiB")
    trace.reduce_scatter("gradients", 4096)
    trace.broadcast("start", 4096, micros=7)
    trace.message("data", 64, 0, 1)
    trace.compute("time", 1234)
    nodes = trace.build().nodes[0]
    assert [kind_of(node) for node in nodes] == [
        "compute", "CPU", "memory access", "reduce-scatter", "broadcast", "send", "compute"
    ]  # fmt: skip
    assert [amount_of(node) for node in nodes] == [
        "1e+09 op", "3 µs", "1 MiB", "RS 4 KiB", "B 4 KiB", "64 B to 1", "1,234 µs"
    ]  # fmt: skip
    looks = list(KINDS.values())
    assert len({look.fill for look in looks}) == len(looks)
    drawn = trace_graph(trace, 1).figure
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == [
        "CPU", "compute", "communication", "receive"
    ]  # fmt: skip


def test_graphs_that_cannot_be_drawn(alike):
    trace = Builder(3)
    trace.compute("here", 5, on=0)
    for wrong, npu, words in (
        (trace, 3, "npu is 3; the trace has NPUs 0 to 2"),
        (trace, True, "npu is True"),
        (trace, 1, "NPU 1 has no nodes"),
        ("trace", 0, "draws a trace, or what simulate has made of one, not str 'trace'"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            trace_graph(wrong, npu)


# ----------------------------------------------------------------------------------------------- the timeline


def times(picture, name):
    row = next(row for row in cells(picture.table) if row[0] == name)
    return [float(cell.replace(",", "")) for cell in row[1:]]


def test_one_lane_for_all_where_all_are_alike(alike):
    picture = trace_timeline(alike)
    done, compute, communication, exposed, waits = times(picture, "all 8 NPUs")
    assert 1000 * done == pytest.approx(alike.total_ns)
    assert 1000 * compute == pytest.approx(alike.compute_ns[0])
    assert 1000 * communication == pytest.approx(alike.communication_ns[0])
    assert waits == 0
    assert done == pytest.approx(compute + exposed)
    assert "communication exposed for" in picture.alt


def test_what_every_npu_of_a_pipeline_does(pipeline):
    picture = trace_timeline(pipeline)
    for npu in range(4):
        done, compute, _, exposed, waits = times(picture, f"NPU {npu}")
        assert 1000 * done == pytest.approx(pipeline.finish_ns[npu])
        assert done == pytest.approx(compute + exposed + waits)
        assert 1000 * (exposed + waits) == pytest.approx(pipeline.exposed_ns[npu])
        assert waits > 100
    legend = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert legend[-2:] == ["waits for other NPUs", "a message has arrived"]
    labels = [label.get_text() for label in picture.figure.axes[0].get_yticklabels()]
    assert labels[:2] == ["NPU 0, compute", "communication"]


def test_some_npus_and_a_part_of_the_time(straggler):
    picture = trace_timeline(straggler, npus=[7, 0], start_ns=200_000, end_ns=500_000)
    assert [row[0] for row in cells(picture.table)[1:3]] == ["NPU 7", "NPU 0"]
    assert picture.figure.axes[0].get_xlim() == (200, 500)
    assert "6 more NPUs are not drawn" in picture.alt


def test_many_npus_are_drawn_in_part():
    picture = trace_timeline(ae.simulate(step(slow=9, npus=32).build(), platform(32)))
    assert len(picture.figure.axes[0].get_yticklabels()) == 16
    assert "16 more NPUs are not drawn" in picture.alt
    assert len(picture._repr_html_()) > 1000


def test_timelines_that_cannot_be_drawn(straggler):
    for more, words in (
        ({"npus": [8]}, "npus has 8; there are the NPUs 0 to 7"),
        ({"npus": []}, "npus is empty"),
        ({"start_ns": 10**9}, "is empty; it must lie in the run's"),
    ):
        with pytest.raises(ae.ConfigError, match=words):
            trace_timeline(straggler, **more)
    with pytest.raises(ae.ConfigError, match=r"draws what ae\.simulate or ae\.run_pipeline returns, not"):
        trace_timeline(step().build())


# -------------------------------------------------------------------------- figures that take any kind of run


def drawn(picture, look):
    """(lane, from, to) of all that is drawn with a look, in the axes' unit."""
    found = []
    for collection in picture.figure.axes[0].collections:
        if collection.get_label() == look:
            boxes = [path.get_extents() for path in collection.get_paths()]
            found += [(round((box.y0 + box.y1) / 2), box.x0, box.x1) for box in boxes]
    return sorted(found)


@pytest.fixture(scope="module")
def passes():
    return ae.run_pipeline("1f1b", 3, 4, 10_000, 20_000)


@pytest.fixture(scope="module")
def layers():
    return ae.simulate(ae.Workload.micro("all-reduce", MIB), ae.preset("dgx2"))


def test_the_timeline_of_a_trace(straggler, alike):
    picture = timeline(straggler, npus=[7, 2])
    labels = [label.get_text() for label in picture.figure.axes[0].get_yticklabels()]
    assert labels == [f"NPU {npu}, {lane}" for npu in (7, 2) for lane in ("compute", "exposed", "communication")]
    for row, npu in ((0, 7), (3, 2)):
        computed = [(r.start_ns / 1000, r.end_ns / 1000) for r in straggler.ran_by(npu) if r.unit is Unit.COMPUTE]
        bars = [bar[1:] for bar in drawn(picture, "compute") if bar[0] == row]
        assert bars == [pytest.approx(span) for span in computed]
    assert len([bar for bar in drawn(picture, "all-reduce") if bar[0] == 5]) == 4
    assert "6 more NPUs are not drawn" in picture.alt
    alone = timeline(alike)
    assert (
        alone.figure.axes[0]
        .get_title(loc="left")
        .endswith(
            f"compute {alike.compute_ns[0] / 1000:.3f} µs, exposed communication {alike.exposed_ns[0] / 1000:.3f} µs"
        )
    )


def test_the_timeline_of_a_pipeline(passes):
    picture = timeline(passes)
    assert [label.get_text() for label in picture.figure.axes[0].get_yticklabels()][:2] == [
        "stage 0, compute", "stage 0, bubble"
    ]  # fmt: skip
    assert drawn(picture, "backward") == sorted(
        (2 * span.stage, span.start_ns / 1000, pytest.approx(span.end_ns / 1000))
        for span in passes.spans
        if span.kind == "B"
    )
    bubble = sum(end - start for _, start, end in drawn(picture, "bubble"))
    assert 1000 * bubble == pytest.approx(3 * passes.total_ns * passes.bubble)


def test_what_each_npu_does_in_a_run_of_any_kind(passes, layers):
    picture = trace_timeline(passes)
    assert times(picture, "stage 2")[:3] == [passes.total_ns / 1000, passes.busy_ns[2] / 1000, 0]
    assert times(picture, "stage 2")[4] == pytest.approx((passes.total_ns - passes.busy_ns[2]) / 1000)
    picture = trace_timeline(layers)
    done, compute, communication, exposed, waits = times(picture, f"all {layers.platform.npus} NPUs")
    assert 1000 * done == pytest.approx(layers.total_ns) == 1000 * exposed
    assert (compute, waits) == (0, 0)
    labels = [label.get_text() for label in picture.figure.axes[0].get_yticklabels()]
    assert labels[1:] == ["dimension 0", "dimension 1"]
    assert 0 < communication <= done


def test_utilisation_of_runs_of_any_kind(straggler, passes, layers):
    picture = utilisation({"trace": straggler, "pipeline": passes, "layers": layers}, period_ns=100)
    found = {tuple(row[:2]): row for row in cells(picture.table)[1:]}
    assert ("trace", "communication") in found
    assert found["pipeline", "compute"][2] == f"{100 * (1 - passes.bubble):.1f} %"
    mean = sum(straggler.compute_ns) / 8 / straggler.total_ns
    assert found["trace", "compute"][2:5] == [f"{100 * mean:.1f} %"] * 2 + ["-"]
    assert found["layers", "0"][4] == f"{100 * layers.dimensions['utilisation'].iloc[0]:.1f} %"


def test_the_chunks_of_a_traces_collective():
    blocks = (ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 50, 500))
    system = ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4, optimization="baseline")
    run = ae.simulate(step(slow=50).build(), ae.TracePlatform(blocks, system), record=True)
    picture = chunks(run, layer="gradients 1", npu=6)
    axes = picture.figure.axes[0]
    assert axes.get_title(loc="left") == "all-reduce of 1 MiB in 4 chunks, node gradients 1 of NPU 6"
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "dimension 0\nRing of 4", "dimension 1\nSwitch of 2"
    ]  # fmt: skip
    stays = [stay for stay in run.stays if stay.npu == 6 and stay.what.name == "gradients 1"]
    bars = {(place, round(1000 * start), round(1000 * end)) for place, start, end in drawn(picture, "all-reduce")}
    assert {(s.phase.dimension, s.start_ns, s.end_ns) for s in stays} == bars
    for stay in stays:
        times = f"AR on {stay.phase.dimension}: {stay.start_ns / 1000:.3f} to {stay.end_ns / 1000:.3f}"
        assert cells(picture.table)[1 + stay.chunk][1 + stay.step] == times
    begin = next(ran.start_ns for ran in run.ran_by(6) if ran.node.name == "gradients 1")
    assert f"from {begin / 1000:.3f} µs" in picture.alt
    with pytest.raises(ae.ConfigError, match=r"no collective with layer 'gradients 9'.*all-reduce of gradients 0"):
        chunks(run, layer="gradients 9")


def test_chunks_that_were_not_recorded(passes, alike):
    for run, words in ((passes, "a pipeline has no collectives"), (alike, "record=True")):
        with pytest.raises(ae.ConfigError, match=words):
            chunks(run)


def test_old_names_of_figures():
    sys.modules.pop("astra_edu.plots.critical_path", None)  # a module's warning comes when it is first loaded
    with pytest.warns(DeprecationWarning, match="path_of_nodes"):
        importlib.import_module("astra_edu.plots.critical_path")  # the module must not take the figure's name
    with pytest.warns(DeprecationWarning, match=r"plots\.pipeline is astra_edu\.course\.plots\.chunks now"):
        assert ae.plots.pipeline is ae.plots.chunks
    with pytest.warns(DeprecationWarning, match="nodes_on_path"):
        assert ae.plots.critical_path is nodes_on_path
    with pytest.raises(AttributeError):
        _ = ae.plots.nothing_such
