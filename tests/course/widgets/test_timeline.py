"""The timeline and the Chrome trace without a browser: that both hold every span of the run, and nothing else."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.base.span import EXPOSED
from astra_edu.base.units import format_bytes
from astra_edu.run.chrome_trace import _microseconds, save_chrome_trace, trace_events
from astra_edu.run.lanes import lanes

pytest.importorskip("anywidget")

from astra_edu.course.widgets import Timeline
from astra_edu.course.widgets.timeline_data import payload as payload_of

INPUTS = Path(__file__).parents[3] / "exercises" / "inputs"


def run(folder: str, platform: str, workload: str, network: str = "", **system: object) -> ae.Result:
    files = INPUTS / folder
    found = ae.load_astra_sim(network=files / f"{network or platform}.json", system=files / f"{platform}.txt")
    found = replace(found, system=replace(found.system, **system))
    return ae.simulate(ae.load_workload(files / f"{workload}.txt"), found)


VGG = run("asplos2022/ex3", "dgx2", "vgg16")
GPT = run("asplos2022/ex3", "tpu", "gpt3")
THEMIS = run("asplos2023/ex3-1", "3d_switch_themis", "all_reduce", network="3d_switch")
EIGHT_AT_ONCE = run("asplos2023/ex3-1", "3d_switch_themis", "all_reduce", network="3d_switch", active_chunks=8)
RUNS = [VGG, GPT, THEMIS, EIGHT_AT_ONCE]

NAMES = ["lane", "layer", "work", "collective", "chunk", "phase", "size", "queued_ns", "start_ns", "end_ns"]


def payload(result):
    return payload_of(result, list(result.npu_names))


def unpacked(data):
    """The payload's spans as the tuples that they were made of."""
    spans = data["spans"]
    n = len(spans) // 32
    times = [array("d", spans[8 * n * k : 8 * n * (k + 1)]) for k in range(3)]
    chunk, kind = (array("i", spans[4 * n * k : 4 * n * (k + 1)]) for k in (6, 7))
    for lane, _, first, count in data["tracks"]:
        for i in range(first, first + count):
            layer, work, collective, phase, size, *_ = data["kinds"][kind[i]]
            number = None if chunk[i] < 0 else chunk[i]
            start, end, queued = (column[i] for column in times)
            yield data["lanes"][lane][0], layer, work, collective, number, phase, size, queued, start, end


@pytest.mark.parametrize("result", RUNS, ids=repr)
def test_the_payload_holds_every_span_and_the_time_without_compute(result):
    found = list(unpacked(payload(result)))
    in_lanes = [span for span in found if span[0] != EXPOSED]
    assert sorted(in_lanes, key=repr) == sorted(
        [tuple(str(f) if name == "collective" and f else f for name, f in zip(NAMES, s, strict=False))
         for s in result.timeline],
        key=repr,
    )  # fmt: skip
    exposed = [span for span in found if span[0] == EXPOSED]
    assert sum(end - start for *_, start, end in exposed) == result.exposed_ns
    for start, end in (span[-2:] for span in exposed):
        assert not [s for s in result.timeline if s.lane == "compute" and s.start_ns < end and start < s.end_ns]


@pytest.mark.parametrize("result", RUNS, ids=repr)
def test_spans_of_a_row_follow_each_other(result):
    for lane in lanes(result):
        assert lane.rows
        for row in lane.rows:
            assert all(before.end_ns <= after.start_ns for before, after in pairwise(row))


def test_chunks_at_the_same_time_are_on_as_many_rows():
    assert [len(lane.rows) for lane in lanes(THEMIS)] == [1, 1, 1, 1, 1]
    assert [len(lane.rows) for lane in lanes(EIGHT_AT_ONCE)] == [1, 1, 8, 8, 8]


@pytest.mark.parametrize("result", RUNS, ids=repr)
def test_busy_times_are_the_results_own(result):
    busy = {name: time for name, _, time, *_ in payload(result)["lanes"]}
    assert busy["compute"] == result.compute_ns
    assert busy[EXPOSED] == result.exposed_ns
    for d, share in result.dimensions["busy"].items():
        assert busy[f"dimension {d}"] / result.total_ns == pytest.approx(share)


def test_summary_and_repr():
    timeline = Timeline(THEMIS)
    first, *rest = timeline.summary().splitlines()
    assert first.split() == ["lane", "spans", "busy", "of", "the", "run"]
    assert [line.split()[0] for line in rest] == ["compute", "exposed", "dimension", "dimension", "dimension"]
    assert rest[1].split()[2:] == ["1", "19.181", "µs", "100.0", "%"]
    assert repr(timeline) == f"Timeline({THEMIS!r})"
    bundle, _ = timeline._repr_mimebundle_()
    assert bundle["text/plain"].endswith(timeline.summary())


def test_another_result_takes_its_place():
    timeline = Timeline(VGG, window=(1000, 2000), highlight="fc1")
    timeline.result = GPT
    assert timeline.result is GPT
    assert timeline.data == payload(GPT)
    assert (timeline.window, timeline.highlight) == ((1000, 2000), "fc1")


@pytest.mark.parametrize("window", [(5, 5), (7, 3), (-1, 3), (0, float("inf")), (1,), "whole", 3])
def test_a_window_that_is_none_is_refused(window):
    with pytest.raises(ConfigError, match="from, to"):
        Timeline(VGG, window=window)
    timeline = Timeline(VGG)
    with pytest.raises(ConfigError, match="from, to"):
        timeline.window = window
    assert timeline.window is None


def test_what_is_no_result_is_refused():
    timeline = Timeline(VGG)
    with pytest.raises(ConfigError, match=r"ae\.simulate"):
        timeline.result = VGG.timeline
    assert timeline.result is VGG
    with pytest.raises(ConfigError, match=r"ae\.simulate"):
        Timeline(None)
    with pytest.raises(ConfigError, match="layer's name"):
        Timeline(VGG, highlight=4)


def test_a_page_of_its_own(tmp_path):
    timeline = Timeline(VGG, window=(1000, 2000), highlight="fc1")
    text = timeline.save_html(tmp_path / "timeline.html").read_text(encoding="utf-8")
    assert text == timeline.page()
    stored = text.split('id="astra-states">')[1].split("</script>")[0]
    [state] = json.loads(stored)
    assert b64decode(state["data"]["spans"]) == timeline.data["spans"]
    assert (state["window"], state["highlight"]) == ([1000, 2000], "fc1")
    assert timeline.summary() in text
    assert "src=" not in text
    assert "@import" not in text
    with pytest.raises(ConfigError, match="can't be written"):
        timeline.save_html(tmp_path)


def perfetto_ns(microseconds):
    """How Perfetto reads a JSON float of µs: it multiplies and cuts off."""
    return int(microseconds * 1000)


@pytest.fixture(params=RUNS, ids=repr)
def traced(request, tmp_path):
    path = save_chrome_trace(request.param, tmp_path / "trace.json")
    return request.param, json.loads(path.read_text(encoding="utf-8"))


def test_the_trace_has_what_perfetto_needs(traced):
    result, trace = traced
    assert set(trace) == {"displayTimeUnit", "traceEvents"}
    named = set()
    for event in trace["traceEvents"]:
        assert {"name", "ph", "pid", "tid", "args"} <= set(event)
        assert event["ph"] in ("M", "X")
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert set(event["args"]) == {"sort_index" if event["name"].endswith("_sort_index") else "name"}
            named.add((event["name"], event["tid"]))
            continue
        assert event["name"].strip()
        assert isinstance(event["ts"], float)
        assert isinstance(event["dur"], float)
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        assert ("thread_name", event["tid"]) in named
    assert ("process_name", 0) in named
    exposed = payload(result)["lanes"][1][1]
    assert sum(event["ph"] == "X" for event in trace["traceEvents"]) == len(result.timeline) + exposed


def test_perfetto_reads_the_trace_to_the_nanosecond_and_without_overlaps(traced):
    result, trace = traced
    threads = defaultdict(list)
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            start = perfetto_ns(event["ts"])
            threads[event["tid"]].append((start, start + perfetto_ns(event["dur"])))
    for spans in threads.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(spans)))
    seen = sorted((names[tid].split(",")[0], *span) for tid, spans in threads.items() for span in spans)
    assert [s for s in seen if s[0] != EXPOSED] == sorted((s.lane, s.start_ns, s.end_ns) for s in result.timeline)


def test_the_args_of_an_event_are_the_spans_facts():
    span = next(s for s in VGG.timeline if s.collective and s.start_ns > s.queued_ns)
    events = [
        event["args"]
        for event in json.loads(json.dumps(trace_events(VGG)))
        if event["ph"] == "X" and event["args"].get("waited_ns") == span.start_ns - span.queued_ns
    ]
    assert {
        "layer": span.layer,
        "work": span.work,
        "collective": str(span.collective),
        "chunk": span.chunk,
        "phase": span.phase,
        "size": format_bytes(span.size),
        "size_bytes": span.size,
        "waited_ns": span.start_ns - span.queued_ns,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
    } in events


def test_a_trace_that_cannot_be_written(tmp_path):
    with pytest.raises(ConfigError, match="can't be written"):
        save_chrome_trace(VGG, tmp_path)
    assert save_chrome_trace(VGG, tmp_path / "new" / "trace.json").is_file()


@given(st.integers(0, 10**15))
def test_no_nanosecond_is_lost_in_microseconds(ns):
    assert perfetto_ns(_microseconds(ns)) == ns
