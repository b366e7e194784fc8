"""Every figure of a run takes any run: what is drawn, read back from the figure, is what the run's spans say."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

import astra_edu as ae
from astra_edu.base.intervals import common, covered
from astra_edu.course import plots
from astra_edu.course.plots.network.link_use import busy_shares
from astra_edu.course.plots.network.queues import waiting_bytes
from astra_edu.run.lanes import interval, lanes
from astra_edu.run.link_times import link_name, link_times
from astra_edu.traces import Builder
from astra_edu.traces.make_from_pipeline import from_pipeline
from astra_edu.workload import Layer, Work

MIB = 2**20
PIXEL = 9.5 * 110  # of the width that the timelines' axes have, about


def loop():
    works = [Work(20_000, None, 0), Work(30_000, None, 0), Work(30_000, "all-reduce", MIB)]
    return ae.simulate(ae.Workload("DATA", [Layer(f"fc{k}", *works) for k in range(2)]), ae.preset("dgx2"))


def step(record, **more):
    """A training step in which every NPU takes its own time."""
    trace = Builder(4)
    last = trace.compute("forward", [30 + 4 * npu for npu in range(4)])
    reduces = []
    for k in (1, 0):
        last = trace.compute(f"backward {k}", 60, after=last)
        reduces.append(trace.all_reduce(f"gradients {k}", MIB, after=last))
    trace.compute("update", 20, after=reduces)
    trace.cpu("launch", 7, on=0)
    blocks = (ae.Block("Ring", 2, 50, 500), ae.Block("Switch", 2, 50, 500))
    platform = ae.TracePlatform(blocks, ae.TraceSystem.of(["ring", "direct"], splits=4), **more)
    return ae.simulate(trace.build(), platform, record=record)


def alike():
    trace = Builder(4)
    trace.all_reduce("gradients", MIB, after=trace.compute("backward", 50))
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", splits=4), congestion_aware=True)
    return ae.simulate(trace.build(), ring, record=True)


def messages():
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    return ae.simulate(from_pipeline("1f1b", 4, 4, 12, 24, MIB), ring)


RUNS = {
    "1.0": loop(),
    "trace": step(False),
    "trace, recorded": step(True),
    "congestion": step(False, congestion_aware=True),
    "congestion, recorded": step(True, congestion_aware=True),
    "alike, recorded": alike(),
    "messages": messages(),
    "pipeline": ae.run_pipeline("interleaved", 4, 8, [1000, 2000, 1000, 1200], 3000, p2p_ns=30, virtual=2),
}
TRACES = [name for name in RUNS if name not in ("1.0", "pipeline")]
LINKS = "congestion, recorded"


@pytest.fixture(params=RUNS)
def run(request):
    return RUNS[request.param]


def labels(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def boxes(axes, lane_at=round):
    """(lane, look, from, to) in ns of all that is drawn as broken bars over an axis in µs; by lane and time."""
    found = []
    for collection in axes.collections:
        for path in collection.get_paths():
            box = path.get_extents()
            if box.height <= 1:  # not what is shaded through all lanes
                found.append((lane_at((box.y0 + box.y1) / 2), 1000 * box.x0, 1000 * box.x1))
    return sorted(found)


def assert_drawn(drawn, spans, pixel_ns=0.0):
    """All spans of a pixel or more are drawn where they are; where no span is narrower, nothing else is."""
    spans = sorted(spans)
    wide = [span for span in spans if span[2] - span[1] >= pixel_ns]
    assert wide or not spans
    rounded = [(lane, round(start, 3), round(end, 3)) for lane, start, end in drawn]
    for lane, start, end in wide:
        assert (lane, round(start, 3), round(end, 3)) in rounded
    if len(wide) == len(spans):
        assert len(drawn) == len(spans)


# ------------------------------------------------------------------------------------------------ over time


def test_the_timeline_draws_the_spans_of_every_lane(run):
    npus = list(run.npu_names)[:2]
    axes = plots.timeline(run, npus=npus).figure.axes[0]
    shown = [lane for lane in lanes(run) if lane.npu in npus]
    assert [label.split("\n")[0] for label in labels(axes)] == [
        _in_the_timeline(run, lane, len(npus) > 1) for lane in shown
    ]
    drawn = boxes(axes)
    for place, lane in enumerate(shown):
        spans = [(place, *interval(span)) for row in lane.rows for span in row]
        if spans:
            assert_drawn([box for box in drawn if box[0] == place], spans, run.total_ns / PIXEL)
    assert {box[0] for box in drawn} == {place for place, lane in enumerate(shown) if lane.spans}


def _in_the_timeline(run, lane, several):
    short = "exposed" if lane.name == "exposed communication" else lane.name
    return f"{run.npu_names[lane.npu]}, {short}" if several else short


def test_the_trace_timeline_draws_each_unit_of_each_npu(run):
    npus = list(run.npu_names)[:2]
    axes = plots.trace_timeline(run, npus=npus).figure.axes[0]
    names = labels(axes)
    drawn = boxes(axes, lambda y: min(range(len(names)), key=lambda k: abs(axes.get_yticks()[k] - y)))
    heads = [number for number, name in enumerate(names) if ", " in name]
    assert len(heads) == len(npus)
    for npu, head in zip(npus, heads, strict=True):
        whose, lane = names[head].split(", ")
        alone = len(run.npu_names) == 1
        assert whose == (f"all {run.npus} NPUs" if alone else run.npu_names[npu])
        end = next((later for later in heads if later > head), len(names))
        for place, name in zip(range(head, end), [lane, *names[head + 1 : end]], strict=True):
            spans = [(place, *interval(span)) for span in run.timeline if (span.npu, span.lane) == (npu, name)]
            if name == "compute":
                spans += [(place, *interval(span)) for span in run.idle if span.npu == npu]
            assert_drawn([box for box in drawn if box[0] == place], spans, run.total_ns / 1000)


def test_stages_draw_what_every_npu_computes(run):
    picture = plots.stages({"it": run})
    axes = picture.figure.axes[0]
    names = [name.partition(" (")[0] for name in run.npu_names.values()]
    assert labels(axes) == names
    spans = [(npu, *interval(s)) for npu in run.npu_names for s in run.timeline if s.npu == npu and s.lane == "compute"]
    assert_drawn(boxes(axes), spans)
    backgrounds = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert backgrounds == [(0, pytest.approx(run.total_ns / 1000))] * len(names)
    said = [text.get_text() for text in axes.texts if text.get_text().startswith("idle ")]
    for npu, words in zip(run.npu_names, said, strict=True):
        busy = covered([span[1:] for span in spans if span[0] == npu])
        assert words.startswith(f"idle {100 * (1 - busy / run.total_ns):.1f} %")


def test_a_pipeline_stands_above_the_trace_that_was_made_of_it():
    pipeline = ae.run_pipeline("1f1b", 4, 4, 12_000, 24_000)
    picture = plots.stages({"pipeline": pipeline, "trace": RUNS["messages"]})
    above, below = picture.figure.axes
    assert labels(above) == [f"stage {k}" for k in range(4)]
    assert labels(below) == [f"NPU {k}" for k in range(4)]
    assert len(boxes(above)) == len(boxes(below)) == 32
    assert {text.get_text() for text in below.texts} >= {"B 2", "B 3"}  # names of nodes, where there is room
    assert picture.alt.startswith("A lane for each stage of a pipeline")
    assert "trace, 4 NPUs: 460.341 µs, 68.7 % without computations." in picture.alt
    assert [line.split("  ")[-1].strip() for line in picture.table.splitlines()[1:9]] == ["4", "3", "2", "1", *"----"]


def test_stages_of_many_npus_say_how_many_are_left_out():
    trace = Builder(40)
    trace.compute("own", [10 + npu for npu in range(40)])
    platform = ae.TracePlatform(ae.Block("Ring", 40, 50, 500), ae.TraceSystem.of("ring"))
    picture = plots.stages(ae.simulate(trace.build(), platform))
    assert len(boxes(picture.figure.axes[0])) == 32
    assert picture.alt.endswith("8 more NPUs are not drawn.")


def test_utilisation_draws_each_lanes_share_of_every_period(run):
    period = 5_000
    axes = plots.utilisation({"it": run}, period).figure.axes[0]
    shares = run.utilisation(period)
    npu_lanes = [lane for lane, npus in run.presence().items() if None not in npus]
    assert labels(axes) == npu_lanes
    outlines = [patch.get_data() for patch in axes.patches][1::2]  # each after its filling
    for lane, (values, edges, baseline) in zip(npu_lanes, outlines, strict=True):
        assert [(baseline - value) / 0.8 for value in values] == pytest.approx(list(shares[lane]))
        assert list(edges[:2]) == [0, 5]


@pytest.mark.parametrize("name", [name for name in RUNS if name == "1.0" or "recorded" in name])
def test_chunks_are_drawn_on_their_dimensions(name):
    run = RUNS[name]
    picture = plots.chunks(run)
    axes = picture.figure.axes[0]
    begin, end = (1000 * edge for edge in axes.get_xlim())
    spans = [
        s for s in run.timeline if s.dimension is not None and s.npu == 0 and s.end_ns > begin and s.start_ns < end
    ]
    clipped = [(s.dimension, max(begin, s.start_ns), min(end, s.end_ns)) for s in spans]
    assert_drawn(boxes(axes), clipped, (end - begin) / PIXEL)
    assert [label.split("\n")[0] for label in labels(axes)] == [f"dimension {d}" for d in range(len(labels(axes)))]


# ------------------------------------------------------------------------------------------------ bars


def widths(bars):
    return [1000 * bar.get_width() for bar in bars]


@pytest.mark.parametrize("name", TRACES)
@pytest.mark.parametrize("npu", [0, 3])
def test_layers_of_a_trace_are_its_communicating_nodes(name, npu):
    run = RUNS[name]
    picture = plots.layers(run, npu=npu)
    axes = picture.figure.axes[0]
    whose = npu if len(run.npu_names) > 1 else 0
    mine = sorted((s for s in run.timeline if s.npu == whose and s.lane == "communication"), key=interval)
    free = [interval(span) for span in run.idle if span.npu == whose]
    assert labels(axes) == [*dict.fromkeys(span.layer for span in mine), "no node's"]
    communication, exposed = axes.containers
    assert widths(communication)[:-1] == pytest.approx([span.end_ns - span.start_ns for span in mine])
    assert widths(exposed)[:-1] == pytest.approx([covered(common([interval(span)], free)) for span in mine])
    assert sum(widths(exposed)) == pytest.approx(covered(free))
    assert all(bar.get_x() == 0 for bars in axes.containers for bar in bars)
    nodes = {ran.node.name for ran in run.ran_by(npu)}
    assert f"{len(mine)} of {len(nodes)} nodes communicate." in picture.alt


def test_nodes_of_one_name_share_a_bar_and_the_longest_are_kept():
    trace = Builder(4)
    for name, size in (("a", MIB), ("b", 2 * MIB), ("a", MIB), ("c", MIB // 2)):
        trace.all_reduce(name, size)
    ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"))
    run = ae.simulate(trace.build(), ring)
    picture = plots.layers(run, most=2)
    axes = picture.figure.axes[0]
    assert labels(axes) == ["a", "b", "no node's"]
    times = {name: sum(s.end_ns - s.start_ns for s in run.timeline if s.layer == name) for name in "abc"}
    assert widths(axes.containers[0]) == pytest.approx([times["a"], times["b"], 0])
    assert picture.table.splitlines()[-1].startswith("1 more, not drawn")
    with pytest.raises(ae.ConfigError, match="npus has 9; there are the NPUs 0 to 3"):
        plots.layers(run, npu=9)


def test_layers_of_a_trace_that_does_not_communicate():
    trace = Builder(2)
    trace.compute("alone", 50)
    run = ae.simulate(trace.build(), ae.TracePlatform(ae.Block("Ring", 2, 50, 500), ae.TraceSystem.of("ring")))
    picture = plots.layers(run)
    assert labels(picture.figure.axes[0]) == ["no node's"]
    assert "0 of 1 nodes communicate. 0 ns of exposed time" in picture.alt


def test_bars_of_compute_and_the_rest_end_at_the_total(run):
    _assert_parts(plots.compute_and_exposed({"it": run}).figure.axes[0], run, 1 / 1000)
    _assert_parts(plots.training_bars({"work": {"it": run}}, "it").figure.axes[0], run, 1 / run.total_ns)


def _assert_parts(axes, run, scale):
    spent = dict.fromkeys(run.npu_names, 0.0)
    for span in run.timeline:
        if span.lane == "compute":
            spent[span.npu] += span.end_ns - span.start_ns
    pipeline = isinstance(run, ae.pipeline.PipelineRun)
    last = run.last if hasattr(run, "last") and len(spent) > 1 else 0
    compute = sum(spent.values()) / len(spent) if pipeline else spent[last]
    [first], [rest] = axes.containers
    assert (first.get_x(), first.get_width()) == (0, pytest.approx(compute * scale))
    assert rest.get_x() + rest.get_width() == pytest.approx(run.total_ns * scale)
    assert labels(axes) == ["it"]
    legend = [text.get_text() for text in axes.figure.legends[0].get_texts()]
    assert legend == ["compute", "bubble" if pipeline else "exposed communication"]


def test_bars_of_runs_of_every_kind_side_by_side():
    picture = plots.compute_and_exposed(RUNS)
    assert picture.table.splitlines()[0].split("  ")[-1].strip() == "exposed or bubble share"
    assert "pipeline: 42.400 µs, of which 34.400 µs compute and 8.000 µs bubble (18.9 %)" in picture.alt


# ------------------------------------------------------------------------------------------------ links and graphs


@pytest.mark.parametrize("name", [LINKS, "alike, recorded"])
def test_figures_of_links_draw_what_was_recorded(name):
    run = RUNS[name]
    times = link_times(run)
    if not times:
        return
    chart, bars, *_ = plots.link_use(run, 5_000).figure.axes
    shares = busy_shares(run, 5_000)
    by_name = {link_name(time.link): time for time in times}
    rows = chart.collections[0].get_array().reshape(len(times), -1)
    for label, row, bar in zip(labels(chart), rows, bars.patches, strict=True):
        assert list(row) == pytest.approx(list(shares[by_name[label].link]))
        assert bar.get_width() == pytest.approx(by_name[label].share)
    axes = plots.busiest_links(run, most=3).figure.axes[0]
    assert labels(axes) == [link_name(time.link) for time in times[:3]]
    assert [bar.get_width() for bar in axes.patches] == [time.share for time in times[:3]]
    _, lengths = waiting_bytes(run, times[0].link)
    queue = plots.queue_length(run, times[0].link)
    assert f"{max(lengths) // 1024} KiB" in queue.table
    assert queue.table.splitlines()[1].startswith("the queue")


@pytest.mark.parametrize("name", TRACES)
def test_the_graph_has_every_node_of_an_npu(name):
    run = RUNS[name]
    picture = plots.trace_graph(run)
    nodes = run.trace.nodes[0]
    written = " ".join(text.get_text() for text in picture.figure.axes[0].texts)
    for node in nodes:
        assert str(node.id) in written
    assert picture.table.count("\n") >= len(nodes)


# ------------------------------------------------------------------------------------------------ what has no meaning

NO_RECORD = [name for name in TRACES if "recorded" not in name]
NO_LINKS = [name for name in TRACES if name not in (LINKS, "alike, recorded")]
REFUSED = [
    (plots.layers, ["pipeline"], r"ae\.plots\.stages"),
    (plots.chunks, ["pipeline"], r"ae\.plots\.stages"),
    (plots.chunks, NO_RECORD, r"record=True.*ae\.plots\.trace_timeline"),
    (plots.link_use, ["1.0"], r"ae\.plots\.utilisation"),
    (plots.link_use, ["pipeline"], r"ae\.plots\.stages"),
    (plots.link_use, NO_LINKS, "record=True.*congestion_aware=True"),
    (plots.busiest_links, ["1.0"], r"ae\.plots\.utilisation"),
    (plots.busiest_links, ["pipeline"], r"ae\.plots\.stages"),
    (plots.busiest_links, NO_LINKS, "record=True.*congestion_aware=True"),
    (lambda run: plots.queue_length(run, (0, 1)), ["1.0"], r"ae\.plots\.utilisation"),
    (lambda run: plots.queue_length({"it": run}, (0, 1)), ["pipeline"], r"ae\.plots\.stages"),
    (lambda run: plots.queue_length({"it": run}, (0, 1)), NO_LINKS, "record=True.*congestion_aware=True"),
    (plots.trace_graph, ["1.0"], r"from_workload.*ae\.plots\.timeline"),
    (plots.trace_graph, ["pipeline"], r"from_pipeline.*ae\.plots\.stages"),
    (lambda run: plots.endpoint_times({"it": {"ACE": run}}), [*TRACES, "pipeline"], r"ae\.plots\.compute_and_exposed"),
]


@pytest.mark.parametrize(
    ("draw", "name", "words"), [(draw, name, words) for draw, names, words in REFUSED for name in names]
)
def test_what_has_no_meaning_for_a_run_says_so_and_what_has(draw, name, words):
    with pytest.raises(ae.ConfigError, match=words):
        draw(RUNS[name])


@pytest.mark.parametrize(
    "draw",
    [
        plots.timeline,
        plots.trace_timeline,
        plots.stages,
        plots.layers,
        plots.chunks,
        plots.utilisation,
        plots.compute_and_exposed,
        plots.link_use,
        plots.busiest_links,
        lambda wrong: plots.queue_length(wrong, (0, 1)),
        plots.trace_graph,
        plots.endpoint_times,
        lambda wrong: plots.training_bars(wrong, "it"),
        lambda wrong: plots.training_bars({"work": {"it": wrong}}, "it"),
    ],
)
def test_what_is_no_run_is_refused(draw):
    with pytest.raises(ae.ConfigError):
        draw(5)
